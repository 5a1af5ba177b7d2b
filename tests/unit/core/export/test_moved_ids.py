"""Ids that are gone while their images stand under others: by bytes, by path, by address."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.tables import LEDGER, RECORDS
from tasks.core.export.moved_ids import KNOWN, is_many, known_records, moved_ids, moved_sentence

URL = "https://a.example/1"


def known(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist([{"source": "s", **row} for row in rows], schema=KNOWN)


@pytest.mark.parametrize(
    ("before", "now", "moved"),
    [
        pytest.param({}, {}, False, id="nothing is known of either"),
        pytest.param({"sha256": "a"}, {"sha256": "a"}, True, id="the same bytes"),
        pytest.param({"sha256": "a"}, {"sha256": "b"}, False, id="other bytes"),
        pytest.param({"locator": "1.jpg"}, {"locator": "1.jpg"}, True, id="the same path"),
        pytest.param({"locator": "1.jpg"}, {"locator": "1.jpg", "source": "t"}, False, id="of another source"),
        pytest.param({"locator": URL}, {"locator": URL, "source": "t"}, True, id="one address"),
        pytest.param({"image_url": URL}, {"image_url": URL}, True, id="of the image"),
        pytest.param({"sha256": "a", "locator": "1"}, {"sha256": "b", "locator": "1"}, True, id="another file there"),
        pytest.param({"locator": "1.jpg", "sha256": "a"}, {"locator": "2.jpg", "sha256": "a"}, True, id="moved"),
    ],
)
def test_an_image_is_the_same(before: dict[str, Any], now: dict[str, Any], moved: bool):
    found = moved_ids(known({"record_id": "s:1", **before}), known({"record_id": "s:2", **now}))
    assert found.to_pylist() == ([{"record_id": "s:1", "now": "s:2"}] if moved else [])


def test_bytes_count_before_places():
    now = known({"record_id": "s:8", "locator": "1.jpg", "sha256": "b"}, {"record_id": "s:9", "sha256": "a"})
    found = moved_ids(known({"record_id": "s:1", "locator": "1.jpg", "sha256": "a"}), now)
    assert found.to_pylist() == [{"record_id": "s:1", "now": "s:9"}]


def test_nothing_is_moved_from_or_to_nothing():
    row = known({"record_id": "s:1", "sha256": "a"})
    assert moved_ids(known(), row).num_rows == moved_ids(row, known()).num_rows == 0


@pytest.mark.parametrize(
    ("moved", "before", "fraction", "expected"),
    [
        pytest.param(0, 0, 0, False, id="nothing"),
        pytest.param(1, 1, 0, False, id="one file that was renamed"),
        pytest.param(2, 2, 0.2, True, id="both of two"),
        pytest.param(6, 6, 0.2, True, id="all of six"),
        pytest.param(20, 100, 0.2, False, id="as many as may be"),
        pytest.param(21, 100, 0.2, True, id="one more"),
        pytest.param(6, 6, 1, False, id="a recipe that lets all pass"),
    ],
)
def test_is_many(moved: int, before: int, fraction: float, expected: bool):
    assert is_many(moved, before, fraction) is expected


def test_what_a_release_knows_of_a_record():
    ledger = pa.Table.from_pylist(
        [{"record_id": "s:1", "source": "s", "sha256": "a"}, {"record_id": "s:2", "source": "s"}], schema=LEDGER
    )
    records = pa.Table.from_pylist([{"record_id": "s:1", "locator": "1.jpg"}], schema=RECORDS)
    assert known_records(ledger, records) == known(
        {"record_id": "s:1", "locator": "1.jpg", "sha256": "a"}, {"record_id": "s:2"}
    )
    assert known_records(ledger, pa.table({"record_id": pa.array([], pa.string())})).num_rows == 2


def test_the_sentence_has_examples():
    moved = moved_ids(
        known(*({"record_id": f"s:{n}", "sha256": str(n)} for n in range(3))),
        known(*({"record_id": f"s:x{n}", "sha256": str(n)} for n in range(3))),
    )
    assert moved_sentence(moved, 9) == (
        "3 of 9 records are gone whose images stand under other ids ('s:0' is 's:x0' now, 's:1' is 's:x1' now): "
        "did the source's keys change?"
    )
