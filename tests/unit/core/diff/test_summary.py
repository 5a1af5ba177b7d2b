"""The summary on the terminal, and as JSON."""

import json

from tasks.core.diff.compare import compare
from tasks.core.diff.summary import as_text, facts
from tests.support.sides import dropped, kept, pair, recipe, side

BEFORE = side([kept("m:1"), kept("m:2", "val")], images={"m:2": {"title": "a"}})
AFTER = side(
    [dropped("m:1", "shape", "too_small"), kept("m:2", "val")],
    images={"m:2": {"title": "b"}},
    recipe=recipe(shape={"least_side_px": 99}),
    contract_version="2.1.0",
)


def test_what_changed_is_counted_by_kind_split_and_reason():
    both = pair(BEFORE, AFTER)
    found = facts(both, compare(both), 0)
    assert json.loads(json.dumps(found)) == found
    assert found["kinds"]["went"] == {
        "records": 1,
        "rows": 1,
        "by_reason": {"settings": 1},
        "by_split": {"train": 1},
    }
    text = as_text(found)
    assert "before museum 000000000000 (contract 2.0.0, lineage 1): 2 of 2 records kept (train 1, val 1)" in text
    assert "went: 1 record (train 1)" in text
    assert "stages.shape.least_side_px: 64 -> 99" in text
    assert "contract 2.0.0 -> 2.1.0: programs that go by the lower version can read both" in text
    older = side([kept("m:1"), kept("m:2", "val")], contract_version="1.4.1")
    both = pair(older, BEFORE)
    assert "another major version" in as_text(facts(both, compare(both), 0))


def test_equal_releases_have_nothing_to_say():
    both = pair(BEFORE, BEFORE)
    assert "no record has changed" in as_text(facts(both, compare(both), 0))


def test_coco_files_that_differ_are_said():
    rows = [kept("m:1")]
    one = {"source": "m", "path": "boxes.json", "info": '{"year": 2023}', "licenses": "[]"}
    before = side(rows, coco_files=[one, {"source": "gone"}], contract_version="2.1.0")
    changed = [{**one, "info": None, "other_fields": "{}"}, {"source": "new"}]
    after = side(rows, coco_files=changed, contract_version="2.1.0")
    both = pair(before, after)
    found = facts(both, compare(both), 0)
    assert found["coco_files"] == [
        "gone: no file in the newer release",
        "m: info, other_fields",
        "new: no file in the older release",
    ]
    assert not found["is_equal"]
    text = as_text(found)
    assert "no record has changed\n\nCOCO files of sources:\n  gone: no file" in text
    same = pair(before, before)
    assert facts(same, compare(same), 0)["is_equal"]


def test_other_datasets_and_columns_are_said():
    other = side([kept("m:1"), kept("m:2", "val")], name="other", columns=["record_id", "split"])
    both = pair(BEFORE, other)
    text = as_text(facts(both, compare(both), 3))
    assert "releases of different datasets" in text
    assert "columns of images that only the older release has: image_id, source" in text
    assert "3 records to remove from copies (opt-outs)" in text


def test_a_strangers_words_obey_no_terminal():
    after = side(recipe=recipe(shape={"label": "\x1b[2J"}))
    text = as_text(facts(pair(BEFORE, after), compare(pair(BEFORE, BEFORE)), 0))
    assert "[2J" in text
    assert "\x1b" not in text
