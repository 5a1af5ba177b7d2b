"""The page of what two datasets have in common: each pair with what is at hand of it, and nothing that a name says."""

import pyarrow as pa

from schemas.tables import OVERLAPS
from tasks.core.report.overlaps import page
from tasks.core.report.thumbnails import Thumbnail
from tests.support.pages import without_isolation

ROW = {
    "image_id": 7,
    "record_id": "museum:1",
    "split": "train",
    "other": "their/set",
    "other_image": "a<b.jpg",
    "other_split": None,
    "distance_bits": 3,
    "relation": "resized",
    "score": 0.912,
}


def shown(*rows: dict[str, object], more: int = 0) -> str:
    table = pa.Table.from_pylist([{**ROW, **row} for row in rows], OVERLAPS)
    picture = Thumbnail("data:image/jpeg;base64,YWJj", 4, 3)
    return without_isolation(page("museum <1>", "FAILED  <text>", table, more, {("", "museum:1"): picture}))


def test_each_pair_says_what_was_found_of_it():
    html = shown({}, {"relation": None, "score": None, "other_split": "test", "distance_bits": 8}, more=3)
    assert html.count("<article>") == 2
    assert "<b>resized</b>, 3 bits apart, score 0.91, in their/set" in html
    assert "<b>near</b>, 8 bits apart, in their/set" in html
    assert "<figcaption>no split: a&lt;b.jpg</figcaption>" in html
    assert html.count("<image href='data:image/jpeg;base64,YWJj'") == html.count("no picture") == 2
    assert "<p>... and 3 more</p>" in html


def test_names_and_texts_are_text():
    html = shown({})
    assert "museum &lt;1&gt;" in html
    assert "<pre>FAILED  &lt;text&gt;</pre>" in html
    assert " more</p>" not in html
    assert "script-src 'none'" in html


def test_nothing_in_common():
    assert "<article>" not in shown()
