"""Which fault a URL has, if any: a pure function of a seed and the URL; what it is, and how a careful client fares."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl, urlencode

Place = Literal["image", "listing", "object"]
ARRIVES = "arrives"
# what says who asks, not what is asked for
_SECRETS = frozenset({"api_key", "authsessionkey", "accesscode", "secretcode"})
# answers that are about one work, of which one that fails for good costs one record; all others list works
_ABOUT_ONE = re.compile(
    r"museum\.example/works/\d|collectionapi\.metmuseum\.org/public/collection/v1/objects/\d"
    r"|api\.artic\.edu/api/v1/artworks/\d|ukiyo-e\.org/image/"
    r"|www\.wikiart\.org/\w\w/(App/Painting/ImageJson/\d|api/2/Painting\?|(?!App/|api/|paintings-by-style/)[^/?]+/[^/?]+$)",
    re.IGNORECASE,
)
_EVERYWHERE: tuple[Place, ...] = ("image", "listing", "object")
_ANSWERS: tuple[Place, ...] = ("listing", "object")
_IMAGES: tuple[Place, ...] = ("image",)
_ONE_WORK: tuple[Place, ...] = ("image", "object")


class Kind(NamedTuple):
    """One kind of fault. passes: the first one or two requests of the URL meet it, later ones do not.

    ends: what a careful client's record may end with: "arrives", or a word for its loss, the fittest first.
    """

    name: str
    sends: str
    places: tuple[Place, ...]
    passes: bool
    ends: tuple[str, ...]


def _passing(name: str, sends: str, places: tuple[Place, ...] = _EVERYWHERE) -> Kind:
    return Kind(name, sends, places, True, (ARRIVES,))


def _lasting(name: str, sends: str, *ends: str, places: tuple[Place, ...] = _IMAGES) -> Kind:
    return Kind(name, sends, places, False, ends)


_TABLE = (
    _passing("throttle_seconds", "429 with Retry-After: 1"),
    _passing("throttle_date", "429 with Retry-After as a date, one to two seconds ahead"),
    _passing("busy", "503 without Retry-After"),
    _passing("incapsula", "403 with the HTML page of a bot wall"),
    _passing("server_error", "500"),
    _passing("reset", "the connection reset before any byte"),
    _passing("cut_short", "the connection closed in mid-body, Content-Length being the whole body's"),
    _passing("page_for_answer", "200 with an HTML page in place of the answer", _ANSWERS),
    _lasting("server_error_lasting", "500", "server_error", "unreachable", places=_ONE_WORK),
    _lasting("not_found", "404", "not_found", places=_ONE_WORK),
    _lasting("gone", "410", "not_found"),
    _lasting("unauthorized", "401", "http_error"),
    _lasting("forbidden", "403 with a plain line", "http_error"),
    _lasting("cut_short_lasting", "as cut_short", "cut_short", "unreachable"),
    _lasting("drip", "an endless body, a byte now and then", "unreachable"),
    _lasting("stall", "nothing, the connection left open", "unreachable"),
    _lasting("page_for_image", "200 with an HTML page", "not_an_image"),
    _lasting("truncated", "half of the image, Content-Length being the half's", "broken_image"),
    # 4 kB of zeros are valid codes to many decoders of JPEG: what arrives is then grey in the middle
    _lasting("zeroed", "the image with 4 kB in its middle made zeros", "broken_image", ARRIVES),
    _lasting("empty", "200 with no bytes", "empty_file", "not_an_image"),
    _lasting("wrong_type", "the image as text/plain", ARRIVES),
    _lasting("moved", "302 to another address, which has the image", ARRIVES),
    _lasting("loop", "302 to the next address, without end", "redirect_loop", "not_allowed", "http_error"),
    _lasting("to_this_machine", "302 to http://127.0.0.1:1/", "not_allowed"),
    _lasting("to_metadata", "302 to http://169.254.169.254/latest/meta-data/", "not_allowed"),
    _lasting("to_file", "302 to file:///etc/passwd", "not_allowed"),
    _lasting("ten_gb_promised", "a Content-Length of 10 GB, and 64 kB of it", "too_many_bytes"),
    _lasting("endless", "a body without length that does not end", "too_many_bytes"),
    _lasting("gzip_bomb", "gzip, some 10 MB that become 10 GB", "too_many_bytes"),
    _lasting("pixel_bomb", "a PNG of 450 kB and 60000 x 60000 pixels", "too_many_pixels"),
    _lasting("svg", "an SVG", "unsupported_format"),
    _lasting("noai", "the image with X-Robots-Tag: noai", "opted_out"),
    _lasting("noimageai", "the image with X-Robots-Tag: noimageai", "opted_out"),
    _lasting("robots_disallow", "302 to an address that robots.txt forbids", "robots_disallow"),
    _lasting("nasty_name", "the image, its Content-Disposition naming ../../../../etc/passwd", ARRIVES),
    _lasting("cookies", "the image with cookies of all sorts", ARRIVES),
    _lasting("giant_header", "the image behind a header of 100 kB", "unreachable", "http_error"),
    _lasting("bad_chunks", "chunks whose sizes are no numbers", "cut_short", "unreachable"),
    _lasting("content_usage", "the image with Content-Usage: search=y, train-ai=n", "opted_out"),
    _lasting("content_signal", "the image with Content-Signal: search=yes, ai-train=no", "opted_out"),
    _lasting("tdm_reservation", "the image with tdm-reservation: 1 and a tdm-policy", "opted_out"),
    _lasting("robots_content_usage", "302 to where robots.txt has Content-Usage: train-ai=n", "opted_out"),
    _lasting("robots_content_signal", "302 to where robots.txt has Content-Signal: ai-train=no", "opted_out"),
    _lasting("tdmrep", "302 to what tdmrep.json reserves", "opted_out"),
    _lasting("page_noai", "the work's page with a meta tag: robots, noai", "opted_out", ARRIVES, places=("object",)),
    _lasting(
        "page_tdm", "the work's page with a meta tag: tdm-reservation, 1", "opted_out", ARRIVES, places=("object",)
    ),
)

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _TABLE}


class Fault(NamedTuple):
    """The fault of one URL, met on the first `attempts` requests of it; 0 stands for all."""

    kind: Kind
    attempts: int


@dataclass(frozen=True)
class Faults:
    """Which faults a museum has. fraction: the share of URLs that have each kind; all kinds together at most 1.

    image_kinds, answer_kinds: names in KINDS, of which each URL's are those that fit its place.

    Raises:
        ValueError: a fraction outside 0 to 1, or a kind that is none.
    """

    fraction: float = 0.0
    seed: int = 0
    image_kinds: tuple[str, ...] = tuple(KINDS)
    answer_kinds: tuple[str, ...] = tuple(KINDS)

    def __post_init__(self) -> None:
        if not 0.0 <= self.fraction <= 1.0:
            raise ValueError(f"expected a fraction of faults from 0 to 1, got {self.fraction}")
        for name in (*self.image_kinds, *self.answer_kinds):
            if name not in KINDS:
                raise ValueError(f"expected kinds of faults from {', '.join(KINDS)}, got '{name}'")

    def of(self, url: str, place: Place) -> Fault | None:
        """The fault of a canonical URL.

        >>> Faults(1.0, image_kinds=("gone",)).of("museum.example/images/1.jpg", "image").kind.sends
        '410'
        """
        names = self.image_kinds if place == "image" else self.answer_kinds
        kinds = [KINDS[name] for name in dict.fromkeys(names) if place in KINDS[name].places]
        share = min(self.fraction, 1.0 / len(kinds)) if kinds else 0.0
        if share == 0.0:
            return None
        digest = sha256(f"{self.seed}\t{url}".encode()).digest()
        lot = int(int.from_bytes(digest[:6], "big") / 2**48 / share)
        if lot >= len(kinds):
            return None
        return Fault(kinds[lot], 1 + digest[6] % 2 if kinds[lot].passes else 0)


def faults_from_words(fraction: float, seed: int, words: str) -> Faults:
    """Faults as they are typed: kinds between commas, `images:` or `answers:` before one that is for these alone.

    `passing`, `lasting` and `all` stand for all kinds that are.
    """
    chosen: dict[str, list[str]] = {"images": [], "answers": []}
    for word in filter(None, (word.strip() for word in words.split(","))):
        scope, _, name = word.rpartition(":")
        if scope not in ("", *chosen):
            raise ValueError(f"expected images: or answers: before a kind of fault, got '{word}'")
        for names in [chosen[scope]] if scope else chosen.values():
            names.extend(_named(name))
    return Faults(fraction, seed, tuple(chosen["images"]), tuple(chosen["answers"]))


def _named(word: str) -> Sequence[str]:
    groups = {
        "all": list(KINDS),
        "passing": [kind.name for kind in _TABLE if kind.passes],
        "lasting": [kind.name for kind in _TABLE if not kind.passes],
    }
    return groups.get(word, [word])


def canonical_url(host: str, raw_path: str, raw_query: str) -> str:
    """Host, path as sent and sorted query without secrets: one name for one thing, whoever asks for it.

    >>> canonical_url("api.flickr.com", "/services/rest/", "method=a&api_key=s3cret&id=1")
    'api.flickr.com/services/rest/?id=1&method=a'
    """
    if not raw_query:
        return f"{host}{raw_path}"
    pairs = parse_qsl(raw_query, keep_blank_values=True)
    query = urlencode(sorted((name, value) for name, value in pairs if name.lower() not in _SECRETS))
    return f"{host}{raw_path}?{query}" if query else f"{host}{raw_path}"


def place_of_answer(url: str) -> Place:
    """Whether an answer is about one work or lists works, by its canonical URL.

    >>> place_of_answer("api.artic.edu/api/v1/artworks/9"), place_of_answer("api.artic.edu/api/v1/artworks?page=9")
    ('object', 'listing')
    """
    return "object" if _ABOUT_ONE.match(url) else "listing"
