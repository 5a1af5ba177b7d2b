"""The report: one page that stands alone, says what stages did, and lets no text of a source become markup."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import Any

import pytest

from schemas.manifests import ReleaseManifest, Step, TableRef
from schemas.reasons import MEANING, Reason
from tasks.core.export import report

MANIFEST = ReleaseManifest(
    name="small", version="0123456789ab", previous=None, lineage=2, split_sha256="s", contract_version="1.0.0", content_sha256="c" * 64,
    recipe_sha256="r", counts={"records": 9, "kept": 5, "dropped": 4, "by_split": {"train": 5}}, content={}, files={}, environment={},
)  # fmt: skip
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
THUMBNAILS = {name: report.Thumbnail(f"data:image/jpeg;base64,{name}", 640, 480) for name in ("s1", "s2")}
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


def copied(**said: Any) -> dict[str, Any]:
    return {
        "record_id": "s:2",
        "sha256": "s2",
        "reason": "near_duplicate",
        "detail": "2 bits",
        "kept_record_id": "s:1",
        **said,
    }


def page(**changes: Any) -> str:
    said: dict[str, Any] = {
        "title": "A small set", "manifest": MANIFEST, "steps": STEPS, "images": [image()], "boxes": {}, "copies": [copied()],
        "stays": {"s:1": "s1"}, "thumbnails": THUMBNAILS,
    }  # fmt: skip
    return report.report(**{**said, **changes})


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)


def drawings(text: str) -> list[ET.Element]:
    return [ET.fromstring(found) for found in re.findall(r"<svg.*?</svg>", text)]


def row(record_id: str, image_id: int, kept: bool = True, stays: str | None = None) -> dict[str, Any]:
    return {"record_id": record_id, "image_id": image_id, "kept": kept, "kept_record_id": stays}


def test_what_is_shown_goes_by_image_id_and_not_by_name_or_place():
    ledger = [
        row("a", 30),
        row("b", 10),
        row("c", 20),
        row("d", 5, kept=False),
        row("f", 9, False, "b"),
        row("e", 8, False, "a"),
    ]
    kept, copies = report.shown_records(ledger)
    assert kept == ["b", "c", "a"]
    assert [entry["record_id"] for entry in copies] == ["e", "f"]
    assert report.shown_records(ledger[::-1]) == (kept, copies)


def test_of_many_so_many_are_shown_as_fit_on_a_page():
    ledger = [*(row(f"k{n:02}", n) for n in range(30)), *(row(f"c{n:02}", n, False, "k00") for n in range(30))]
    kept, copies = report.shown_records(ledger)
    assert kept == [f"k{n:02}" for n in range(24)]
    assert len(copies) == 24
    assert report.shown_records([]) == ([], [])


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(
            "Version <code>0123456789ab</code>, lineage 2: 9 records seen, <b>5</b> images kept, 4 dropped.",
            id="version and counts",
        ),
        pytest.param(f"2 not_found ({MEANING[Reason.NOT_FOUND]})".replace("'", "&#x27;"), id="why, in words"),
        pytest.param(
            "<td>near<td class=n>4<td><span class=bar style='width:6.00rem'></span><td class=n>2<td>",
            id="a bar as long as the share: 4 of 8 is half of 12",
        ),
        pytest.param("s:2: near_duplicate (2 bits) of s:1", id="a copy and what stayed"),
        pytest.param("<b>train</b> <br>A, T</figcaption>", id="a caption without what is not known"),
    ],
)
def test_the_page_says(said: str):
    assert said in page()


def test_the_page_asks_for_nothing_from_elsewhere():
    text = page()
    assert re.findall(r"(?:href|src)=['\"](?!data:)", text) == []
    assert not {"script", "link", "img", "iframe"} & set(Tags(text).found)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"title": EVIL}, id="a title"),
        pytest.param({"images": [image(title=EVIL)]}, id="a work's title"),
        pytest.param({"images": [image(artist=EVIL)]}, id="an artist"),
        pytest.param({"images": [image(style=EVIL)]}, id="a style"),
        pytest.param({"images": [image(date_text=EVIL)]}, id="a date"),
        pytest.param({"copies": [copied(record_id=EVIL)]}, id="a record's name"),
        pytest.param({"copies": [copied(detail=EVIL)]}, id="a detail"),
        pytest.param({"copies": [copied(kept_record_id=EVIL)], "stays": {EVIL: "s1"}}, id="the name of what stayed"),
    ],
)
def test_no_text_of_a_source_becomes_markup(changes: dict[str, Any]):
    text = page(**changes)
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert Tags(text).found == Tags(page()).found


def test_boxes_are_drawn_in_the_originals_pixels():
    first, *rest = drawings(page(boxes={1: [[1.5, 2.0, 30.0, 40.25]], 7: [[9, 9, 9, 9]]}))
    assert first.get("viewBox") == "0 0 640 480"
    assert first.find("image").attrib == {"href": "data:image/jpeg;base64,s1", "width": "640", "height": "480"}  # type: ignore[union-attr]
    (box,) = first.findall("rect")
    assert [box.get(name) for name in ("x", "y", "width", "height", "stroke-width")] == [
        "1.5",
        "2",
        "30",
        "40.25",
        "7.1",
    ]
    assert not any(other.findall("rect") for other in rest)


def test_a_pair_shows_the_copy_and_then_what_stayed():
    *_, one, two = drawings(page())
    assert [picture.find("image").get("href", "")[-2:] for picture in (one, two)] == ["s2", "s1"]  # type: ignore[union-attr]


def test_without_copies_there_is_no_word_of_them():
    assert "Copies" in page()
    assert "Copies" not in page(copies=[])


def test_a_page_of_nothing():
    text = page(steps=[], images=[], copies=[], thumbnails={}, stays={})
    assert drawings(text) == []
    assert text.startswith("<!doctype html>")
    assert text.endswith("</html>\n")
