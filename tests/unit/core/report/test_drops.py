"""What was dropped, pictured: a few of each reason, and none that somebody does not want seen."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.reasons import BY_HAND, MEANING, PASSING, PICTURED, Reason
from schemas.tables import LEDGER
from tasks.core.report import drops
from tasks.core.report.thumbnails import Thumbnail
from tests.support.pages import without_isolation


def ledger(*rows: dict[str, Any]) -> pa.Table:
    """Rows of a ledger: record k:0 ..., each with bytes of its own, dropped by `shape`."""
    plain = [
        {
            **dict.fromkeys(LEDGER.names),
            "record_id": f"k:{place}",
            "image_id": place,
            "kept": False,
            "stage": "shape",
            "reason": "too_small",
            "sha256": f"b{place}",
        }
        for place in range(len(rows))
    ]
    return pa.Table.from_pylist([{**own, **row} for own, row in zip(plain, rows, strict=True)], LEDGER)


def seen(*rows: dict[str, Any], has_open_rights: list[bool | None] | None = None) -> list[bool]:
    is_open = pa.array([True] * len(rows) if has_open_rights is None else has_open_rights, pa.bool_())
    return drops.may_be_seen(ledger(*rows), is_open).tolist()


KEPT = {"kept": True, "stage": None, "reason": None}


@pytest.mark.parametrize(
    "reason",
    [
        *sorted(BY_HAND),
        *sorted(PASSING),
        *(Reason.OPTED_OUT, Reason.ROBOTS_DISALLOW, Reason.NOT_ALLOWED, Reason.RIGHTS_NOT_OPEN, Reason.WHERE_NOT_MET),
        *(Reason.GONE, Reason.BAD_RECORD, Reason.OVER_LIMIT),
    ],
)
def test_what_somebody_does_not_want_seen_is_not_seen_nor_the_same_bytes_of_another_record(reason: Reason):
    assert seen({"reason": str(reason), "sha256": "b"}, {"sha256": "b"}, {}) == [False, False, True]


def test_a_picture_without_open_rights_is_not_seen_whatever_stage_was_first():
    assert seen({}, {}, {}, has_open_rights=[True, False, None]) == [True, False, False]
    assert seen({"sha256": "b"}, {"sha256": "b"}, has_open_rights=[True, False]) == [False, False]


def test_what_the_release_has_is_seen_and_so_is_its_copy():
    taken = {"reason": "rights_not_open", "sha256": "b"}
    assert seen({**KEPT, "sha256": "b"}, taken, has_open_rights=[True, False]) == [True, True]
    assert seen(KEPT, has_open_rights=[False]) == [True]


def test_without_bytes_there_is_nothing_to_see():
    assert seen({"sha256": None}, {"reason": "not_found", "sha256": None}, {}) == [False, False, True]
    assert seen() == []


def test_groups_stand_by_stage_then_by_number_and_picture_the_smallest_image_ids():
    rows = [{"image_id": 90 - place} for place in range(6)]
    rows += [{"stage": "near", "reason": "near_duplicate"}, {"stage": "near", "reason": "exact_duplicate"}]
    rows += [{"reason": "too_elongated"}, {"stage": "scrape", "reason": "gone"}, KEPT]
    table = ledger(*rows)
    is_seen = np.array([True, True, True, True, True, False, True, False, False, False, True])
    assert drops.group_drops(table, is_seen, ["scrape", "shape", "near"]) == [
        drops.DroppedGroup("scrape", "gone", 1, ()),
        drops.DroppedGroup("shape", "too_small", 6, ("k:4", "k:3", "k:2", "k:1")),
        drops.DroppedGroup("shape", "too_elongated", 1, ()),
        drops.DroppedGroup("near", "exact_duplicate", 1, ()),
        drops.DroppedGroup("near", "near_duplicate", 1, ("k:6",)),
    ]


def test_the_order_of_rows_changes_nothing():
    table = ledger(*({} for _ in range(9)))
    back = table.take(pa.array(range(8, -1, -1)))
    is_seen = np.ones(9, np.bool_)
    assert drops.group_drops(table, is_seen, []) == drops.group_drops(back, is_seen, [])


def test_where_nothing_was_dropped_there_is_no_section():
    assert drops.group_drops(ledger(KEPT), np.ones(1, np.bool_), []) == []
    assert drops.section([], {}, {}, {}) == ""


def fact(record_id: str) -> dict[str, Any]:
    plain = dict.fromkeys(("artist", "source", "source_url", "rights_uri", "width_px", "height_px", "bytes", "format"))
    return {**plain, "record_id": record_id, "sha256": record_id, "title": "<b>"}


def test_each_reason_has_its_number_its_meaning_and_its_pictures():
    groups = [drops.DroppedGroup("shape", "too_small", 1_200, ("k:1", "k:2", "k:3"))]
    groups += [drops.DroppedGroup("fetch", "opted_out", 1, ())]
    facts = {name: fact(name) for name in ("k:1", "k:2")}
    picture = Thumbnail("data:image/jpeg;base64,YWJj", 40, 30)
    text = drops.section(groups, facts, {"k:1": picture}, {"k:1": "30 px < <64> px"})
    html = without_isolation(text)
    assert "<h3>shape: 1,200 records <code>too_small</code></h3>" in html
    assert MEANING[Reason.TOO_SMALL].replace("'", "&#x27;") in html
    assert html.count("<svg") == 1, "a picture whose file is gone, or of which nothing is known, is left out"
    assert "aria-label='k:1: &lt;b&gt;'" in html
    assert "<code>k:1</code>" in html
    assert "30 px &lt; &lt;64&gt; px" in html
    assert html.index("too_small") < html.index("<h3>fetch: 1 record <code>opted_out</code></h3>")


def test_no_reason_that_asks_for_absence_is_pictured():
    assert PICTURED.isdisjoint({*BY_HAND, *PASSING, Reason.OPTED_OUT, Reason.RIGHTS_NOT_OPEN, Reason.GONE})
