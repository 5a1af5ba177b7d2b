"""Every kind of fault as a client meets it, which URLs have one, and for how long."""

import datetime
import email.utils
import io
import itertools
import re
import socket
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import urllib3
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, UnidentifiedImageError
from protego import Protego

from examples.museum.serve.bombs import PIXELS_A_SIDE, gzip_bomb
from examples.museum.serve.faults import KINDS, Faults, canonical_url, faults_from_words, place_of_answer
from examples.museum.serve.mischief import MISCHIEF, Patience
from examples.museum.serve.server import Serving, serving
from examples.museum.serve.spoiling import REPLACED
from examples.museum.serve.works import CatalogueHall
from schemas.reasons import Reason
from tasks.core.scrape.page_opt_outs import page_opt_out
from tasks.io.web.robots import RobotsRules
from tasks.io.web.tdmrep import TdmFile

HALL = CatalogueHall(7, 200, paintings=3)
SAID = HALL.entry(4)
IMAGE = f"/images/{SAID.key[:2]}/{SAID.key}.jpg"
OBJECT = f"/works/{SAID.key}"
LISTING = "/works?page=1"
PATHS = {"image": IMAGE, "object": OBJECT, "listing": LISTING}
HOST = {"Host": "museum.example"}
PATIENCE = Patience(longest_s=1.0, most_bytes=3 << 20, drip_s=0.02)
# words of the reasons that clients of the web have besides those of the fetch stage
WEB_REASONS = {"opted_out", "robots_disallow", "server_error", "cut_short", "throttled"}


@pytest.fixture(scope="module")
def good() -> Iterator[dict[str, bytes]]:
    with serving(HALL) as museum:
        yield {place: _ask(museum, path).data for place, path in PATHS.items()}


def _ask(museum: Serving, path: str, method: str = "GET", **how: Any) -> urllib3.BaseHTTPResponse:
    pool = urllib3.PoolManager(retries=False, timeout=5.0)
    answer = pool.request(method, museum.url + path, headers=HOST, redirect=False, **how)
    pool.clear()
    return answer


def _served(kind: str) -> Serving:
    return serving(HALL, faults=Faults(1.0, image_kinds=(kind,), answer_kinds=(kind,)), patience=PATIENCE)


def _raw(museum: Serving, path: str, within_s: float = 5.0) -> bytes:
    """All that comes until the connection ends."""
    port = int(museum.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=within_s) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: museum.example\r\nConnection: close\r\n\r\n".encode())
        return b"".join(iter(lambda: line.recv(1 << 20), b""))


def test_the_table_and_its_doers_agree() -> None:
    assert set(KINDS) == REPLACED | set(MISCHIEF)
    assert not REPLACED & set(MISCHIEF)
    for kind in KINDS.values():
        assert set(kind.ends) <= {"arrives", *(str(reason) for reason in Reason), *WEB_REASONS}
        assert not kind.passes or kind.ends == ("arrives",)


def test_what_lists_works_has_passing_faults_only() -> None:
    assert all(kind.passes for kind in KINDS.values() if "listing" in kind.places)
    lasting = {kind.name for kind in KINDS.values() if "object" in kind.places and not kind.passes}
    assert lasting == {"not_found", "server_error_lasting", "page_noai", "page_tdm"}


def test_the_docs_name_every_kind() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "museum.md").read_text(encoding="utf-8")
    assert [name for name in KINDS if f"`{name}`" not in page] == []


# --- which URLs -------------------------------------------------------------------------------------------------------

URLS = [f"museum.example/images/{number}.jpg" for number in range(6000)]


@pytest.mark.parametrize(
    ("fraction", "kinds", "share"),
    [
        (0.0, ("gone", "svg"), 0.0),
        (0.01, tuple(KINDS), 0.01),
        (0.1, ("gone", "svg"), 0.1),
        (0.9, ("gone", "svg"), 0.5),
        (0.5, ("gone",), 0.5),
        (1.0, ("gone",), 1.0),
        (0.3, ("gone", "gone", "page_for_answer"), 0.3),
    ],
)
def test_each_kind_has_its_share(fraction: float, kinds: tuple[str, ...], share: float) -> None:
    faults = Faults(fraction, seed=3, image_kinds=kinds)
    counts = Counter(fault.kind.name for url in URLS if (fault := faults.of(url, "image")))
    fitting = {name for name in kinds if "image" in KINDS[name].places}
    assert set(counts) == (fitting if share else set())
    assert all(count / len(URLS) == pytest.approx(share, abs=0.02) for count in counts.values())


@given(st.integers(), st.text(max_size=30), st.sampled_from(["image", "listing", "object"]))
def test_a_url_has_the_same_fault_whenever_it_is_asked_for(seed: int, url: str, place: Any) -> None:
    fault = Faults(1.0, seed).of(url, place)
    assert fault == Faults(1.0, seed).of(url, place)
    assert fault is not None
    assert place in fault.kind.places
    assert fault.attempts in ((1, 2) if fault.kind.passes else (0,))


def test_another_seed_other_urls() -> None:
    one, other = (
        {url for url in URLS if Faults(0.05, seed, image_kinds=("gone",)).of(url, "image")} for seed in (1, 2)
    )
    assert len(one & other) < len(one) / 3


@pytest.mark.parametrize(
    ("raw", "canonical"),
    [
        (("a.example", "/x", ""), "a.example/x"),
        (("a.example", "/x%2Fy", ""), "a.example/x%2Fy"),
        (("a.example", "/x", "b=2&a=1"), "a.example/x?a=1&b=2"),
        (("a.example", "/x", "a=&b=%20"), "a.example/x?a=&b=+"),
        (("a.example", "/x", "api_key=s"), "a.example/x"),
        (("a.example", "/x", "authSessionKey=s&id=1"), "a.example/x?id=1"),
    ],
)
def test_a_url_has_one_name(raw: tuple[str, str, str], canonical: str) -> None:
    assert canonical_url(*raw) == canonical


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("www.wikiart.org/en/paintings-by-style/cubism?json=2", "listing"),
        ("www.wikiart.org/en/App/Painting/PaintingsByArtist?artistUrl=a", "listing"),
        ("www.wikiart.org/en/api/2/login", "listing"),
        ("www.wikiart.org/en/Api/2/Painting?id=9", "object"),
        ("www.wikiart.org/en/App/Painting/ImageJson/9", "object"),
        ("www.wikiart.org/en/an-artist/a-work-9", "object"),
        ("www.wikiart.org/en/an-artist/mode/all-paintings", "listing"),
        ("collectionapi.metmuseum.org/public/collection/v1/objects/1", "object"),
        ("collectionapi.metmuseum.org/public/collection/v1/objects", "listing"),
        ("ukiyo-e.org/image/met/sc1", "object"),
        ("ukiyo-e.org/source/met", "listing"),
        ("www.flickr.com/services/rest/?method=flickr.photos.search", "listing"),
    ],
)
def test_places_are_known_by_their_urls(url: str, place: str) -> None:
    assert place_of_answer(url) == place


def test_kinds_as_they_are_typed() -> None:
    faults = faults_from_words(0.1, 5, "images:gone, busy,answers:not_found,")
    assert (faults.image_kinds, faults.answer_kinds) == (("gone", "busy"), ("busy", "not_found"))
    assert set(faults_from_words(0.1, 5, "passing,lasting").image_kinds) == set(KINDS)
    assert faults_from_words(0.1, 5, "all").answer_kinds == tuple(KINDS)


@pytest.mark.parametrize(
    ("fraction", "words"), [(-0.1, "all"), (1.1, "all"), (float("nan"), "all"), (0.1, "x"), (0.1, "x:gone")]
)
def test_bad_words_get_a_sentence(fraction: float, words: str) -> None:
    with pytest.raises(ValueError, match=r"^expected"):
        faults_from_words(fraction, 0, words)


# --- what is sent -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "place"),
    [(kind.name, place) for kind in KINDS.values() if kind.passes for place in kind.places],
)
def test_what_passes_has_passed_by_the_third_time(kind: str, place: str, good: dict[str, bytes]) -> None:
    with _served(kind) as museum:
        fault = Faults(1.0, image_kinds=(kind,), answer_kinds=(kind,)).of(f"museum.example{PATHS[place]}", place)
        for attempt in itertools.count(1):
            try:
                data = _ask(museum, PATHS[place]).data
            except (urllib3.exceptions.HTTPError, OSError):
                data = b""
            if attempt > fault.attempts:
                break
            assert data != good[place]
        assert data == good[place]
        assert [visit.fault for visit in museum.log] == [kind] * fault.attempts + [None]


STATUSES = [
    ("throttle_seconds", 429, {"Retry-After": r"1"}, b"html"),
    ("throttle_date", 429, {"Retry-After": r"\w{3}, \d\d .* GMT"}, b"html"),
    ("busy", 503, {"Retry-After": None}, b"html"),
    ("incapsula", 403, {"Content-Type": "text/html.*"}, b"_Incapsula_Resource"),
    ("server_error", 500, {}, b"html"),
    ("server_error_lasting", 500, {}, b"html"),
    ("not_found", 404, {}, b"html"),
    ("gone", 410, {}, b"html"),
    ("unauthorized", 401, {}, b"html"),
    ("forbidden", 403, {"Content-Type": "text/plain"}, b"Forbidden"),
    ("page_for_image", 200, {"Content-Type": "text/html.*"}, b"<!DOCTYPE html>"),
    ("svg", 200, {"Content-Type": "image/svg.xml"}, b"<svg"),
    ("to_this_machine", 302, {"Location": "http://127.0.0.1:1/"}, b""),
    ("to_metadata", 302, {"Location": "http://169.254.169.254/latest/meta-data/"}, b""),
    ("to_file", 302, {"Location": "file:///etc/passwd"}, b""),
    ("noai", 200, {"X-Robots-Tag": "noai"}, b"\xff\xd8"),
    ("content_usage", 200, {"Content-Usage": "search=y, train-ai=n"}, b"\xff\xd8"),
    ("content_signal", 200, {"Content-Signal": "search=yes, ai-train=no"}, b"\xff\xd8"),
    ("tdm_reservation", 200, {"TDM-Reservation": "1", "TDM-Policy": "https://museum.example/policy.json"}, b"\xff\xd8"),
    ("tdmrep", 302, {"Location": f"/reserved{IMAGE}"}, b"Moved"),
    ("robots_content_usage", 302, {"Location": f"/no-usage{IMAGE}"}, b"Moved"),
    ("robots_content_signal", 302, {"Location": f"/no-signal{IMAGE}"}, b"Moved"),
    ("noimageai", 200, {"X-Robots-Tag": "noimageai"}, b"\xff\xd8"),
    ("nasty_name", 200, {"Content-Disposition": r".*\.\./etc/passwd.*"}, b"\xff\xd8"),
    ("cookies", 200, {"Set-Cookie": "session=0.*x{3000}.*"}, b"\xff\xd8"),
    ("wrong_type", 200, {"Content-Type": "text/plain"}, b"\xff\xd8"),
]


@pytest.mark.parametrize(("kind", "status", "headers", "body"), STATUSES, ids=[case[0] for case in STATUSES])
def test_replies(kind: str, status: int, headers: dict[str, str | None], body: bytes) -> None:
    for method in ("GET", "HEAD"):
        with _served(kind) as museum:
            said = _ask(museum, IMAGE, method)
            visit = museum.log[0]
        assert (said.status, visit.status, visit.fault) == (status, status, kind)
        assert body in said.data if method == "GET" else said.data == b""
        for name, value in headers.items():
            met = said.headers.get(name)
            assert met is None if value is None else re.fullmatch(value, met or "", re.DOTALL)


@pytest.mark.parametrize(
    "kind", [kind.name for kind in KINDS.values() if kind.ends == ("arrives",) and not kind.passes]
)
def test_what_is_only_odd_arrives(kind: str, good: dict[str, bytes]) -> None:
    with _served(kind) as museum:
        pool = urllib3.PoolManager(retries=3)
        assert pool.request("GET", museum.url + IMAGE, headers=HOST).data == good["image"]
        pool.clear()


def test_a_date_to_come_back_at_is_ahead() -> None:
    with _served("throttle_date") as museum:
        until = email.utils.parsedate_to_datetime(_ask(museum, IMAGE).headers["Retry-After"])
    assert 0 < (until - datetime.datetime.now(datetime.UTC)).total_seconds() <= 2


def test_half_an_image_of_the_promised_length(good: dict[str, bytes]) -> None:
    with _served("truncated") as museum:
        said = _ask(museum, IMAGE)
    assert said.data == good["image"][: len(good["image"]) // 2]
    assert int(said.headers["Content-Length"]) == len(said.data)
    with pytest.raises(OSError, match="truncated"), Image.open(io.BytesIO(said.data)) as picture:
        picture.load()


def test_an_image_with_a_hole(good: dict[str, bytes]) -> None:
    with _served("zeroed") as museum:
        data = _ask(museum, IMAGE).data
    differing = [place for place, (one, other) in enumerate(zip(data, good["image"], strict=True)) if one != other]
    assert 0 < len(differing) <= 4096
    assert differing[-1] - differing[0] < 4096


def test_no_bytes_at_all() -> None:
    with _served("empty") as museum:
        said = _ask(museum, IMAGE)
    assert (said.status, said.data, said.headers["Content-Length"]) == (200, b"", "0")


def test_a_loop_of_redirects_has_no_end() -> None:
    with _served("loop") as museum:
        seen, path = set(), f"{IMAGE}?size=1"
        for _ in range(12):
            assert path not in seen
            seen.add(path)
            path = _ask(museum, path).headers["Location"]
        assert "size=1" in path


def test_robots_forbid_where_a_redirect_leads(good: dict[str, bytes]) -> None:
    with _served("robots_disallow") as museum:
        robots = Protego.parse(_ask(museum, "/robots.txt").data.decode())
        closed = _ask(museum, IMAGE).headers["Location"]
        assert not robots.can_fetch(closed, "bilderatlas")
        assert robots.can_fetch(IMAGE, "bilderatlas")
        assert _ask(museum, closed).data == good["image"]
        assert [visit.fault for visit in museum.log] == [None, "robots_disallow", "robots_ignored"]


@pytest.mark.parametrize("kind", ["robots_content_usage", "robots_content_signal", "tdmrep"])
def test_files_of_the_host_opt_out_where_a_redirect_leads(kind: str, good: dict[str, bytes]) -> None:
    with _served(kind) as museum:
        rules = RobotsRules(_ask(museum, "/robots.txt").data)
        reserved = TdmFile(_ask(museum, "/.well-known/tdmrep.json").data)
        leads_to = _ask(museum, IMAGE).headers["Location"]
        assert rules.opt_out(IMAGE) is reserved.opt_out(IMAGE) is None
        assert (rules.opt_out(leads_to) is None) is (kind == "tdmrep")
        assert (reserved.opt_out(leads_to) is None) is not (kind == "tdmrep")
        assert rules.is_allowed(leads_to)
        assert _ask(museum, leads_to).data == good["image"]


@pytest.mark.parametrize(
    ("kind", "detail"), [("page_noai", "meta robots: noai"), ("page_tdm", "meta tdm-reservation: 1")]
)
def test_pages_of_works_have_tags_and_other_answers_stay_as_they_are(
    kind: str, detail: str, good: dict[str, bytes]
) -> None:
    prints = HALL.rows_of_style("Ukiyo-e")
    path = f"/image/met/sc{prints[0]:07d}"
    with _served(kind) as museum:
        assert _ask(museum, OBJECT).data == good["object"]
        pool = urllib3.PoolManager(retries=False)
        page = pool.request("GET", museum.url + path, headers={"Host": "ukiyo-e.org"}).data.decode()
        listing = pool.request("GET", f"{museum.url}/source/met", headers={"Host": "ukiyo-e.org"}).data.decode()
        pool.clear()
    assert (page_opt_out(page), page_opt_out(listing)) == (detail, None)


@pytest.mark.parametrize(
    ("kind", "raises"),
    [
        ("reset", urllib3.exceptions.ProtocolError),
        ("cut_short", urllib3.exceptions.ProtocolError),
        ("cut_short_lasting", urllib3.exceptions.ProtocolError),
        ("giant_header", urllib3.exceptions.HTTPError),
        ("bad_chunks", urllib3.exceptions.ProtocolError),
        ("ten_gb_promised", urllib3.exceptions.ProtocolError),
    ],
)
def test_broken_sendings_are_errors_to_clients(kind: str, raises: type[Exception]) -> None:
    with _served(kind) as museum, pytest.raises(raises):
        _ask(museum, IMAGE)


def test_ten_gb_are_promised_on_head_too() -> None:
    with _served("ten_gb_promised") as museum:
        assert int(_ask(museum, IMAGE, "HEAD").headers["Content-Length"]) == 10 << 30


def test_a_body_without_end_ends_when_the_museum_has_had_enough() -> None:
    with _served("endless") as museum:
        said = _raw(museum, IMAGE)
        head, _, body = said.partition(b"\r\n\r\n")
        assert b"content-length" not in head.lower()
        assert PATIENCE.most_bytes <= len(body) < PATIENCE.most_bytes + (1 << 20)


def test_drips_come_one_by_one() -> None:
    with _served("drip") as museum:
        said = _ask(museum, IMAGE, preload_content=False)
        assert [said.read1(100) for _ in range(3)] == [b"\xff", b"\xd8", b"\xff"]
        said.close()
        assert len(_raw(museum, IMAGE).partition(b"\r\n\r\n")[2]) == 50


def test_a_stall_says_nothing_and_ends_with_its_client() -> None:
    with _served("stall") as museum:
        with pytest.raises(TimeoutError):
            _raw(museum, IMAGE, within_s=0.2)
        _wait_until(lambda: bool(museum.log))
        assert (museum.log[0].fault, museum.log[0].bytes) == ("stall", 0)
        assert _raw(museum, IMAGE) == b""


def test_ten_gb_hide_in_ten_mb() -> None:
    with _served("gzip_bomb") as museum:
        said = _ask(museum, IMAGE, preload_content=False)
        assert said.headers["Content-Encoding"] == "gzip"
        length = 0
        while length < 50 << 20:
            data = said.read1(1 << 16, decode_content=True)
            assert data.count(0) == len(data)
            length += len(data)
        said.close()
    assert len(gzip_bomb()) < 12 << 20
    whole = zlib.decompressobj(31)
    assert len(whole.decompress(gzip_bomb(), 20 << 20)) == 20 << 20


def test_a_small_png_has_too_many_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    with _served("pixel_bomb") as museum:
        said = _ask(museum, IMAGE)
    assert (said.headers["Content-Type"], len(said.data) < 500_000) == ("image/png", True)
    with pytest.raises(Image.DecompressionBombError):
        Image.open(io.BytesIO(said.data))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    with Image.open(io.BytesIO(said.data)) as picture:
        assert picture.size == (PIXELS_A_SIDE, PIXELS_A_SIDE)
        picture.verify()


def test_pages_are_no_images() -> None:
    for kind in ("page_for_image", "svg"):
        with _served(kind) as museum, pytest.raises(UnidentifiedImageError):
            Image.open(io.BytesIO(_ask(museum, IMAGE).data))


def _wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)
