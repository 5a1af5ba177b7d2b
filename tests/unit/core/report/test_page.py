"""The report: one page that stands alone, says what stages did, and lets no text of a source become markup."""

import base64
import hashlib
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest

from schemas.manifests import ReleaseManifest, Step, TableRef
from schemas.tables import LEDGER
from tasks.core.report import page as report
from tasks.core.report.clusters import Cluster, RecordPair, ReviewSelection
from tasks.core.report.thumbnails import Thumbnail
from tests.support.pages import without_isolation

MANIFEST = ReleaseManifest(
    name="small",
    version="0123456789ab",
    previous=None,
    lineage=2,
    split_sha256="s",
    contract_version="1.0.0",
    content_sha256="c" * 64,
    recipe_sha256="r",
    counts={"records": 9, "kept": 5, "dropped": 4, "by_split": {"train": 5}},
    content={},
    files={},
    environment={},
)
STEPS = [
    Step(
        label="fetch",
        stage="fetch",
        kind="retrieve",
        outcome=TableRef(path="x", rows=0),
        kept=6,
        dropped={"not_found": 2},
    ),
    Step(
        label="near",
        stage="dedup",
        kind="decide",
        outcome=TableRef(path="x", rows=0),
        kept=4,
        dropped={"near_duplicate": 1, "exact_duplicate": 1},
    ),
]
THUMBNAILS = {name: Thumbnail(f"data:image/jpeg;base64,{name}", 640, 480) for name in ("s1", "s2", "s3")}
EVIL = "<script>alert('x')</script>\"&"


def image(**said: Any) -> dict[str, Any]:
    return {
        "image_id": 1,
        "sha256": "s1",
        "artist": "A",
        "title": "T",
        "date_text": None,
        "style": None,
        "split": "train",
        **said,
    }


def fact(record_id: str, sha256: str, **said: Any) -> dict[str, Any]:
    row = {
        "record_id": record_id,
        "sha256": sha256,
        "title": "T",
        "artist": "A",
        "source": "s",
        "source_url": "https://museum.example/1",
        "rights_uri": "https://creativecommons.org/publicdomain/zero/1.0/",
        "width_px": 640,
        "height_px": 480,
        "bytes": 123_456,
        "is_annotated": False,
        "metadata": 4,
        "preference": 0,
        "format": "JPEG",
    }
    return {**row, **said}


FACTS = {
    "s:1": fact("s:1", "s1", width_px=1280),
    "s:2": fact("s:2", "s2", title=None, source_url=None),
    "s:3": fact("s:3", "s3"),
}
COPY = RecordPair("s:2", "s:1", "resized", 2, 0.987, None, "resized, 2 bits apart, score 0.987")
APART = RecordPair("s:1", "s:3", "look_alike", 1, 0.5, "different", None)
CLUSTER = Cluster("s:1", None, (COPY,), 0)
REVIEWED = ReviewSelection((CLUSTER,), 0, (APART,), 0)


def page(**changes: Any) -> str:
    said: dict[str, Any] = {
        "title": "A small set",
        "manifest": MANIFEST,
        "steps": STEPS,
        "images": [image()],
        "boxes": {},
        "selection": REVIEWED,
        "facts": FACTS,
        "thumbnails": THUMBNAILS,
    }
    return without_isolation(report.report(**{**said, **changes}))


def with_copy(**changes: Any) -> str:
    return page(selection=ReviewSelection((CLUSTER._replace(copies=(COPY._replace(**changes),)),)))


def with_fact(**changes: Any) -> str:
    return page(facts={**FACTS, "s:2": {**FACTS["s:2"], **changes}})


def renamed(name: str) -> str:
    """The page, should the copy's record be of that name."""
    return page(
        selection=ReviewSelection((CLUSTER._replace(copies=(COPY._replace(a=name),)),)),
        facts={**FACTS, name: {**FACTS["s:2"], "record_id": name}},
    )


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.attributes: list[dict[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.attributes.append(dict(attrs))


def drawings(text: str) -> list[ET.Element]:
    return [ET.fromstring(found) for found in re.findall(r"<svg.*?</svg>", text)]


def ledger(*rows: tuple[str, int, bool]) -> pa.Table:
    said = [
        {**dict.fromkeys(LEDGER.names), "record_id": name, "image_id": number, "kept": kept}
        for name, number, kept in rows
    ]
    return pa.Table.from_pylist(said, schema=LEDGER)


def test_what_is_shown_goes_by_image_id_and_not_by_name_or_place():
    rows = [("a", 30, True), ("b", 10, True), ("c", 20, True), ("d", 5, False)]
    assert report.sample_records(ledger(*rows)) == ["b", "c", "a"]
    assert report.sample_records(ledger(*rows[::-1])) == ["b", "c", "a"]


def test_of_many_so_many_are_shown_as_fit_on_a_page():
    assert report.sample_records(ledger(*((f"k{n:02}", n, True) for n in range(30)))) == [f"k{n:02}" for n in range(24)]
    assert report.sample_records(ledger()) == []


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(
            "Version <code>0123456789ab</code>, lineage 2: 9 records listed, <b>5</b> images kept, 4 dropped.",
            id="version and counts",
        ),
        pytest.param(
            "<td>near<td class=n>4<td class=n>2<td><span class=bar style='width:50.0%'></span>",
            id="a bar as long as the share: 4 of 8 is half",
        ),
        pytest.param("</span> 2 bits apart, score 0.987</p>", id="what was found of a copy"),
        pytest.param(
            "</span> 1 bit apart, score 0.500<br>Verdict: <b>different</b></p>",
            id="one bit, and what a person has said",
        ),
        pytest.param("Why: it has more pixels: 1280 × 480 against 640 × 480.</p>", id="why one stayed"),
        pytest.param("A, T<br>640 × 480 px, 123 kB, JPEG", id="what is known of a record"),
        pytest.param(
            "<legend>What are s:1 and s:2 to each other?</legend>", id="what is asked, for who can't see the pictures"
        ),
        pytest.param("<form class=verdict data-a='s:1' data-b='s:2' ", id="the smaller one first"),
        pytest.param("value=different checked>different</label>", id="a verdict is there to be changed"),
        pytest.param("<tr><td>uncertain<td>Much of one", id="what the words mean"),
        pytest.param("<b>train</b> <br>A, T</figcaption>", id="a caption without what is not known"),
    ],
)
def test_the_page_says(said: str):
    assert said in page()


@pytest.mark.parametrize(
    ("text", "said", "unsaid"),
    [
        pytest.param(
            with_copy(relation=None, distance_bits=None, score=None),
            "<p class=found>resized, 2 bits",
            "<span class=tag",
            id="a chain",
        ),
        pytest.param(
            with_copy(relation=None, distance_bits=None, score=None, detail=None),
            "<p class=found>never compared</p>",
            "None",
            id="not compared",
        ),
        pytest.param(
            with_copy(relation="same_file", distance_bits=0, score=1.0),
            "0 bits apart",
            "<form",
            id="equal bytes: no choice",
        ),
        pytest.param(
            page(selection=ReviewSelection((CLUSTER._replace(more=2),))),
            "of those shown).",
            "cluster.</p>",
            id="not all were compared",
        ),
        pytest.param(
            page(selection=ReviewSelection((CLUSTER._replace(more=2),))),
            "... and 2 more copies.",
            "Closest pairs",
            id="more copies",
        ),
        pytest.param(
            page(selection=ReviewSelection((CLUSTER,), 1)),
            "... and 1 more cluster.",
            "of those shown",
            id="one more cluster",
        ),
        pytest.param(
            page(selection=ReviewSelection((), 0, (APART,), 1234)),
            "... and 1,234 more pairs of works.",
            "<h3>Kept</h3>",
            id="more pairs",
        ),
        pytest.param(
            page(selection=ReviewSelection((CLUSTER._replace(later="not_drawn"),))),
            "A later stage dropped it: <span",
            "None",
            id="dropped later",
        ),
        pytest.param(
            page(selection=ReviewSelection((), 0, (APART._replace(relation="mirrored", verdict=None),))),
            "does not drop this relation",
            "Verdict:",
            id="not asked for",
        ),
        pytest.param(
            page(selection=ReviewSelection((), 0, (APART._replace(relation="mirrored"),))),
            "Verdict:",
            "not ask for it",
            id="said by a person",
        ),
        pytest.param(
            with_fact(artist=None, source_url=None, format=None, rights_uri=None, bytes=None),
            "<code>s:2</code><br>640 × 480 px<br>",
            "None",
            id="unknown",
        ),
        pytest.param(page(selection=ReviewSelection()), "A small set", "<script", id="no copies, no script"),
        pytest.param(page(selection=ReviewSelection()), "A small set", "Copies", id="no copies, no word of them"),
    ],
)
def test_the_odd_ones(text: str, said: str, unsaid: str):
    assert said in text
    assert unsaid not in text


def test_the_page_asks_for_nothing_from_elsewhere():
    text = page()
    assert re.findall(r"(?:href|src)=['\"](?!data:|#)[^'\"]*", text) == ["href='https://museum.example/1"] * 3
    assert not {"link", "img", "iframe"} & set(Tags(text).found)
    assert Tags(text).found.count("script") == 1


def test_the_policy_lets_pass_the_pages_own_script_and_no_other():
    text = page()
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(found["content"] for found in Tags(text).attributes if found.get("http-equiv"))
    assert f"script-src 'sha256-{digest}'" in str(policy)
    assert str(policy).startswith("default-src 'none';")


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//elsewhere/x",
        "http://[",
        "https:///x",
        "",
    ],
)
def test_only_pages_on_the_web_become_links(url: str):
    links = [found for found in Tags(with_fact(source_url=url)).attributes if found.get("href") and "rel" in found]
    assert [found["href"] for found in links] == ["https://museum.example/1"] * 3


def test_links_tell_nobody_where_they_were():
    (link,) = {tuple(found.items()) for found in Tags(page()).attributes if "target" in found}
    assert dict(link) == {"href": "https://museum.example/1", "target": "_blank", "rel": "noopener noreferrer"}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(page(title=EVIL), id="a title"),
        pytest.param(page(images=[image(title=EVIL)]), id="a work's title"),
        pytest.param(page(images=[image(artist=EVIL)]), id="an artist"),
        pytest.param(page(images=[image(style=EVIL)]), id="a style"),
        pytest.param(page(images=[image(date_text=EVIL)]), id="a date"),
        pytest.param(with_copy(relation=None, detail=EVIL), id="a detail"),
        pytest.param(with_copy(verdict=EVIL), id="a verdict"),
        pytest.param(renamed(EVIL), id="a record's name"),
        *(
            pytest.param(with_fact(**{name: value}), id=f"a record's {name}")
            for name, value in {
                "title": EVIL,
                "artist": EVIL,
                "source": EVIL,
                "rights_uri": f"z{EVIL}",
                "format": EVIL,
                "source_url": f"https://x/'{EVIL}",
            }.items()
        ),
    ],
)
def test_no_text_of_a_source_becomes_markup(text: str):
    assert text.count("<script") == 1
    assert "&lt;script&gt;" in text
    assert {"onclick", "onload", "onerror"}.isdisjoint(name for found in Tags(text).attributes for name in found)
    assert Tags(text).found.count("form") == (1 if "Closest pairs" not in text else 2)


def test_boxes_are_drawn_in_the_originals_pixels():
    first, *rest = drawings(page(boxes={1: [[1.5, 2.0, 30.0, 40.25]], 7: [[9, 9, 9, 9]]}))
    assert first.get("viewBox") == "0 0 640 480"
    assert first.find("image").attrib == {  # type: ignore[union-attr]
        "id": "picture-0",
        "href": "data:image/jpeg;base64,s1",
        "width": "640",
        "height": "480",
    }
    (box,) = first.findall("rect")
    assert [box.get(name) for name in ("x", "y", "width", "height", "stroke-width")] == [
        "1.5",
        "2",
        "30",
        "40.25",
        "7.1",
    ]
    assert not any(other.findall("rect") for other in rest)


def test_what_stayed_stands_before_its_copy_and_pairs_side_by_side():
    pictures = drawings(page(images=[]))
    shown = [(picture[0].tag, picture[0].get("href", "")[-2:]) for picture in pictures]
    assert shown == [("image", "s1"), ("image", "s2"), ("use", "-0"), ("image", "s3")]
    assert [picture.get("aria-label") for picture in pictures] == ["s:1: A, T", "s:2: A", "s:1: A, T", "s:3: A, T"]


def test_a_page_of_nothing():
    text = page(steps=[], images=[], selection=ReviewSelection(), facts={}, thumbnails={})
    assert drawings(text) == []
    assert text.startswith("<!doctype html>")
    assert text.endswith("</html>\n")


def test_sections_stand_between_the_images_and_the_copies_in_their_order():
    text = page(dropped="<h2>Dropped</h2>", sections=["<h2>One</h2>", "", "<h2>Two</h2>"])
    places = [text.index(f"<h2>{word}") for word in ("Some of the images", "Dropped", "One", "Two", "Copies")]
    assert places == sorted(places)
    assert text.index("<main>") < places[0] < text.index("</main>") < text.index("<script>")


def test_a_picture_that_is_shown_again_is_written_once():
    text = page(images=[image(), image(image_id=2)])
    assert text.count("data:image/jpeg;base64,s1") == 1
    assert text.count("<use href='#picture-0' width='640' height='480'/>") == 3
    assert text.count("data:image/jpeg;base64,s2") == 1


def test_a_picture_that_may_not_be_seen_has_a_line_in_its_place():
    text = page(thumbnails={name: THUMBNAILS[name] for name in ("s1", "s3")})
    assert "<div class=none>not shown</div><figcaption><code>s:2</code>" in text
    assert text.count("not shown") == 1


def test_a_reader_has_the_page_by_day_or_by_night():
    text = page()
    assert "<meta name=color-scheme content='light dark'>" in text
    assert "@media(prefers-color-scheme:dark)" in text
