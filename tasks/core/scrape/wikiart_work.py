"""One work as WikiArt describes it, by whichever route: the fields of a record, or that it is not wanted."""

import contextlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any, Self
from urllib.parse import quote, unquote

from schemas.sources.wikiart import WikiartSource
from tasks.core.scrape.page_tokens import page_tokens
from tasks.core.scrape.web_source import BadAnswer, Offer, OfferedValues, quoted, split_texts

SITE = "https://www.wikiart.org"
PUBLIC_DOMAIN = "https://creativecommons.org/publicdomain/mark/1.0/"
_LONGEST = 2000
# what the site shows where a work may not be shown in the asker's country: "FRAME-600x480.jpg" in real answers
_PLACEHOLDER = "/Content/images/FRAME-"
_VARIANT, _EXTENSION = re.compile(r"!\w+\.\w+$"), re.compile(r"\.([A-Za-z]{3,4})$")
_DATE_MS = re.compile(r"/Date\((-?\d{1,16})\)/")
_YEAR_MS = 31_556_952_000

OFFERS = {
    "url": Offer("url", "string", "the address of the work's page"),
    "artist_url": Offer("artist_url", "string", "the address of the artist's page"),
    "genres": Offer("genres", "strings", "what kinds of picture it is, e.g. portrait"),
    "series": Offer("serie", "string", "the series that the work belongs to"),
    "period": Offer("period", "string", "the artist's period, e.g. Later Period"),
    "completion_year": Offer("completitionYear", "integer", "the year in which the work was finished"),
    "media": Offer("media", "strings", "materials and techniques"),
    "tags": Offer("tags", "strings", "words for what it shows, e.g. female-portraits"),
    "location": Offer("location", "string", "where the work was made, town and country run together"),
    "gallery": Offer("gallery", "string", "who has the work, e.g. Louvre, Paris, France"),
    "auction": Offer("auction", "string", "the house that sold the work"),
    "size_x_cm": Offer("sizeX", "number", "one side in cm: in most answers the width, in a quarter of them the height"),
    "size_y_cm": Offer("sizeY", "number", "the other side in cm"),
    "diameter_cm": Offer("diameter", "number", "a round work's diameter in cm"),
}
Work = Mapping[str, Any]


def row(source: WikiartSource, key: str, work: Work, styles: Sequence[str]) -> dict[str, Any] | None:
    """Fields of a record, of ImageJson, api/2/Painting or paintingJson; None if none of the styles is wanted."""
    style, listed = choose_style(source, styles)
    if style is None and source.styles != "all":
        return None
    artist, page = last_path_part(work.get("artistUrl")), last_path_part(work.get("url") or work.get("paintingUrl"))
    url = f"{SITE}/en/{quote(artist)}/{quote(page)}" if artist and page else None
    return {
        "key": key,
        "image": image_url(work.get("image"), source.image_size),
        "source_url": url,
        "title": text(work.get("title")),
        "artist": artist_name(text(work.get("artistName")), artist),
        "series": text(work.get("serie")),
        "style": style,
        "styles": listed,
        "date_text": text(work.get("yearAsString")) or text(work.get("year")) or text(work.get("completitionYear")),
        "year": year(work.get("completitionYear")),
        "offers": OfferedValues(OFFERS, _offered_fields, work, url, artist),
    }


def _offered_fields(work: Work, url: str | None, artist: str | None) -> dict[str, Any]:
    """Lists are lists in the API (api/2), and texts with commas in ImageJson."""
    galleries = work.get("galleries")
    return {
        **work,
        "url": url,
        "artist_url": f"{SITE}/en/{quote(artist)}" if artist else None,
        "genres": work.get("genres") or split_texts(work.get("genre"), ","),
        "media": work.get("media") or [work.get("material"), work.get("technique")],
        "tags": split_texts(work.get("tags"), ",") or work.get("tags"),
        "gallery": galleries[0] if isinstance(galleries, list) and galleries else work.get("galleryName"),
    }


def row_without_key(item: Any) -> dict[str, Any]:
    """What is left of an item of a listing that has no key: a row that will be dropped, and seen to be."""
    fields = item if isinstance(item, dict) else {}
    title, artist = text(fields.get("title")), text(fields.get("artistName"))
    return {"key": None, "image": None, "title": title or quoted(item), "artist": artist}


def choose_style(source: WikiartSource, styles: Sequence[str]) -> tuple[str | None, list[str]]:
    """The work's style (the first listed one that is wanted, spelled as in the recipe), and all that are listed."""
    if source.styles == "all":
        return (styles[0] if styles else None), list(styles)
    wanted = {comparable_style(name): name for name in source.styles}
    listed = [wanted.get(comparable_style(name), name) for name in styles]
    return next((name for name in listed if name in source.styles), None), listed


def split_styles(value: Any) -> list[str]:
    """Styles of a list (api/2), or of a text with commas (ImageJson); none of WikiArt's names of styles holds a comma.

    >>> split_styles("Expressionism, Symbolism"), split_styles([""]), split_styles(None)
    (['Expressionism', 'Symbolism'], [], [])
    """
    parts = value if isinstance(value, list) else (text(value) or "").split(",")
    return [name for part in parts if (name := text(part))]


def image_url(value: Any, size: str) -> str | None:
    """The image's https address in a size, without "!Large.jpg" and the like; None for no URL or a placeholder.

    >>> image_url("//uploads7.wikiart.org/images/a/b.jpg!Large.jpg", "original")
    'https://uploads7.wikiart.org/images/a/b.jpg'
    >>> image_url("http://uploads7.wikiart.org/images/a/é.png", "HD")
    'https://uploads7.wikiart.org/images/a/%C3%A9.png!HD.png'
    """
    given = value.strip() if isinstance(value, str) else ""
    rest = re.fullmatch(r"(?:https?:)?//([\w.-]+/.+)|([\w-]+\.wikiart\.org/.+)", given, re.IGNORECASE | re.ASCII)
    if rest is None or _PLACEHOLDER in given or len(given) > _LONGEST:
        return None
    host, _, path = _VARIANT.sub("", rest[1] or rest[2]).partition("/")
    url = f"https://{host.lower()}/" + quote(path, safe="/%!$&'()*+,;=:@~?", errors="replace")
    extension = _EXTENSION.search(path)
    return url if size == "original" else f"{url}!{size}.{extension[1] if extension else 'jpg'}"


def artist_name(name: str | None, artist: str | None) -> str | None:
    """The artist's name in the order of the address of the artist's page, which is all that tells surnames apart.

    >>> artist_name("van Gogh Vincent ", "vincent-van-gogh"), artist_name("Utagawa Hiroshige", "hiroshige")
    ('Vincent van Gogh', 'Utagawa Hiroshige')
    """
    words = (name or "").split()
    turns = [" ".join(words[at:] + words[:at]) for at in range(min(len(words), 12))]
    return next((turn for turn in turns if artist and hyphenated(turn) == artist), " ".join(words) or None)


def last_path_part(value: Any) -> str | None:
    """The last part of an address such as /en/claude-monet, decoded; None for what could not be one."""
    last = unquote(value).strip().rstrip("/").rpartition("/")[2] if isinstance(value, str) else ""
    is_fit = re.fullmatch(r"[^\s/?#%\\\x00-\x1f\ud800-\udfff]{1,300}", last) and last.strip(".")
    return last if is_fit else None


def year(value: Any) -> int | None:
    """A year from 1000 to 2099, of a number, its text or /Date(milliseconds since 1970)/; None for all else.

    >>> year(1889), year("1889"), year("/Date(-12567830400000)/"), year(0), year(True)
    (1889, 1889, 1571, None, None)
    """
    if isinstance(value, str):
        given = value.strip()
        if since := _DATE_MS.fullmatch(given):
            value = 1970 + int(since[1]) // _YEAR_MS
        elif re.fullmatch(r"[0-9]{4}", given):
            value = int(given)
    return value if type(value) is int and 1000 <= value <= 2099 else None


def text(value: Any) -> str | None:
    """A text or number without HTML and outer blanks; None for what is empty or neither."""
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value != value:
        return None
    plain = re.sub(r"</?[A-Za-z][^<>]*>", "", str(value)[:_LONGEST])
    return unescape(plain).strip() or None


def comparable_style(name: str) -> str:
    """What counts of a style's name: letters and digits without accents and case.

    >>> comparable_style("Naïve Art (Primitivism)") == comparable_style("naive-art-primitivism")
    True
    """
    return plain_words(name).replace(" ", "")


def hyphenated(name: str) -> str:
    """A name as addresses have it: 'Naïve Art (Primitivism)' is naive-art-primitivism."""
    return plain_words(name).replace(" ", "-")


def plain_words(name: str) -> str:
    """Words of letters and digits without accents and case, with single blanks."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    return " ".join(re.findall(r"[^\W_]+", plain.casefold()))


def page_row(source: WikiartSource, key: str, url: str, data: bytes) -> dict[str, Any] | None:
    """Fields of a record from a work's page; None if it is not wanted. Raises BadAnswer without paintingJson."""
    page = WorkPage.of(data.decode("utf-8", "replace"))
    labels = [label for part in page.labels if (label := text(part))]
    is_public = page.has_public_domain_icon and {label.casefold() for label in labels} == {"public domain"}
    if source.copyright == "public_domain" and not is_public:
        return None
    styles = [name for part in page.styles if (name := text(part))]
    fields = row(source, key, _work_in_script(page.work, url), styles or styles_in_text(source, page.alt))
    rights = {"rights_uri": PUBLIC_DOMAIN if is_public else None, "rights_text": "; ".join(labels) or None}
    return None if fields is None else {**fields, **rights}


def styles_in_text(source: WikiartSource, alt: str) -> list[str]:
    """The wanted styles that a text names as whole words, in its order, the longest first: ArtBench reads alt texts."""
    if source.styles == "all":
        return []
    words = f" {plain_words(alt)} "
    places = [(words.find(f" {plain_words(name)} "), -len(name), name) for name in source.styles if plain_words(name)]
    return [name for place, _, name in sorted(places) if place >= 0]


def _work_in_script(script: str | None, url: str) -> Work:
    """The work in `paintingJson = {...}`."""
    with contextlib.suppress(ValueError, RecursionError):
        work, _ = json.JSONDecoder().raw_decode((script or "").partition("=")[2].lstrip())
        if isinstance(work, dict):
            return work
    raise BadAnswer(f"{url}: expected ng-init with paintingJson in the page, got {quoted(script)}")


@dataclass
class WorkPage:
    """The parts of a work's page that are read. Texts longer than 2,000 characters are cut."""

    work: str | None = None
    alt: str = ""
    styles: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    has_public_domain_icon: bool = False
    _list_label: str = ""
    _into: list[str] | None = None

    @classmethod
    def of(cls, html: str) -> Self:
        """The page in this HTML. Any text is a page."""
        page = cls()
        for piece in page_tokens(html):
            if piece.is_end and piece.tag in {"a", "s"}:
                if piece.tag == "s" and page._into is not None:
                    page._list_label = page._into[-1].strip().casefold()
                page._into = None
            elif not piece.tag and page._into is not None and len(page._into[-1]) < _LONGEST:
                page._into[-1] += unescape(piece.text[:_LONGEST])
            elif piece.tag and not piece.is_end:
                classes = piece.attributes.get("class", "").split()
                page.has_public_domain_icon |= "copyright-icon-public-domain" in classes
                page._take(piece.attributes)
                page._begin(piece.tag, classes)
        return page

    def _take(self, attributes: Mapping[str, str]) -> None:
        if self.work is None and "paintingJson" in attributes.get("ng-init", ""):
            self.work = attributes["ng-init"]
        if attributes.get("itemprop") == "image" and not self.alt:
            self.alt = attributes.get("alt", "")[:_LONGEST]

    def _begin(self, tag: str, classes: list[str]) -> None:
        """Begin to collect a text that is needed: labels of list items, styles, rights."""
        if tag == "li":
            self._list_label = ""
        elif tag == "s":
            self._into = [""]
        elif tag == "a" and any(name.startswith("copyright") for name in classes):
            self._into = self.labels
            self.labels.append("")
        elif tag == "a" and self._list_label == "style:":
            self._into = self.styles
            self.styles.append("")
