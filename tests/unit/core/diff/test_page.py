"""The page."""

import pyarrow as pa

from tasks.core.diff.comparison import compare, facts, summary
from tasks.core.diff.page import MOST_OF_EACH, page, sample
from tasks.core.report.thumbnails import Thumbnail
from tests.support.sides import kept, pair, side

NOBODY = pa.array([], pa.string())
MANY = pair(side([kept(f"m:{number:02}") for number in range(20)]), side([kept("m:<b>")]))


def test_some_of_each_kind_and_reason_are_shown_and_none_that_somebody_wants_gone():
    found = sample(compare(MANY), NOBODY)
    assert found["kind"].to_pylist().count("went") == MOST_OF_EACH
    assert found["kind"].to_pylist().count("came") == 1
    hidden = sample(compare(MANY), pa.array(["m:00", "m:<b>"]))
    assert hidden["record_id"].to_pylist() == [f"m:0{number}" for number in range(1, 7)]
    assert sample(compare(pair(side(), side())), NOBODY).num_rows == 0


def test_the_page_shows_pictures_and_lets_no_text_be_markup():
    changes = compare(MANY)
    found = facts(MANY, changes, 0)
    picture = Thumbnail("data:image/jpeg;base64,AAAA", 4, 3)
    text = page(found, summary(found), sample(changes, NOBODY), {"m:00": picture}, {})
    assert text.count("data:image/jpeg;base64,AAAA") == 1
    assert "m:&lt;b&gt;" in text
    assert "m:<b>" not in text
    assert "Shown: 6 of 20." in text
    assert "<script" not in text
