"""Images that stand under other ids than before: by bytes, by path, by address."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.tables import LEDGER, RECORDS
from tasks.core.moved_ids import KNOWN, MOVED, Moves, is_many, known_records, moved_ids, moved_sentences

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
    assert found.to_pylist() == ([{"record_id": "s:1", "source": "s", "now": "s:2"}] if moved else [])


def test_bytes_count_before_places():
    now = known({"record_id": "s:8", "locator": "1.jpg", "sha256": "b"}, {"record_id": "s:9", "sha256": "a"})
    found = moved_ids(known({"record_id": "s:1", "locator": "1.jpg", "sha256": "a"}), now)
    assert pairs(found) == [("s:1", "s:9")]


def files(**sha256: str) -> pa.Table:
    """Works of one source; each file lies where its own bytes are its name."""
    return known(*({"record_id": f"s:{key[1:]}", "sha256": text, "locator": text} for key, text in sha256.items()))


def places(**locator: str) -> pa.Table:
    """The same, of whose bytes nothing is known yet."""
    return known(*({"record_id": f"s:{key[1:]}", "locator": text} for key, text in locator.items()))


def pairs(moved: pa.Table) -> list[tuple[str, str]]:
    return [(row["record_id"], row["now"]) for row in moved.to_pylist()]


SHIFTED = [("s:1", "s:2"), ("s:2", "s:3")]


@pytest.mark.parametrize("known_as", [files, places])
@pytest.mark.parametrize(
    ("before", "now", "moved"),
    [
        pytest.param({"k1": "a", "k2": "b"}, {"k1": "a", "k2": "b"}, [], id="all as it was"),
        pytest.param({"k1": "a", "k2": "b"}, {"k2": "a", "k3": "b"}, SHIFTED, id="all keys by one"),
        pytest.param({"k1": "a", "k2": "b"}, {"k1": "x", "k2": "a", "k3": "b"}, SHIFTED, id="by one, since one is new"),
        pytest.param(
            {"k1": "a", "k2": "b"}, {"k1": "b", "k2": "a"}, [("s:1", "s:2"), ("s:2", "s:1")], id="changed over"
        ),
        pytest.param({"k1": "a", "k2": "a"}, {"k2": "a"}, [], id="a copy that was there stays"),
        pytest.param({"k1": "a"}, {"k1": "a", "k2": "a"}, [], id="a copy is new"),
        pytest.param({"k1": "a"}, {"k1": "b", "k2": "a"}, [("s:1", "s:2")], id="another work under its key"),
        pytest.param({"k1": "a"}, {"k1": "b"}, [], id="another file, and the old one is gone"),
    ],
)
def test_what_stands_under_another_id(known_as: Any, before: dict[str, str], now: dict[str, str], moved: list[Any]):
    assert pairs(moved_ids(known_as(**before), known_as(**now))) == moved


def test_what_has_other_bytes_in_its_place_has_not_moved():
    before = known(*({"record_id": f"s:{n}", "sha256": f"old {n}", "locator": URL} for n in range(3)))
    now = known(*({"record_id": f"s:{n}", "sha256": f"new {n}", "locator": URL} for n in range(3)))
    assert moved_ids(before, now).num_rows == 0


def test_files_that_have_changed_their_names_have_not_moved():
    before = known(
        {"record_id": "s:1", "sha256": "a", "locator": "a"}, {"record_id": "s:2", "sha256": "b", "locator": "b"}
    )
    now = known(
        {"record_id": "s:1", "sha256": "a", "locator": "b"}, {"record_id": "s:2", "sha256": "b", "locator": "a"}
    )
    assert moved_ids(before, now).num_rows == 0


def test_nothing_is_moved_from_or_to_nothing():
    row = known({"record_id": "s:1", "sha256": "a"})
    assert moved_ids(known(), row).num_rows == moved_ids(row, known()).num_rows == 0


def moves(**moved: int) -> pa.Table:
    """MOVED of so many works of each source."""
    rows = [
        {"record_id": f"{s}:{n}", "source": s, "now": f"{s}:x{n}"} for s, count in moved.items() for n in range(count)
    ]
    return pa.Table.from_pylist(rows, schema=MOVED)


@pytest.mark.parametrize(
    ("moved", "images", "fraction", "expected"),
    [
        pytest.param({}, {}, 0, False, id="nothing"),
        pytest.param({"s": 1}, {"s": 1}, 0, False, id="one file that was renamed"),
        pytest.param({"s": 2}, {"s": 2}, 0.2, True, id="both of two"),
        pytest.param({"s": 6}, {"s": 6}, 0.2, True, id="all of six"),
        pytest.param({"s": 20}, {"s": 100}, 0.2, False, id="as many as may be"),
        pytest.param({"s": 21}, {"s": 100}, 0.2, True, id="one more"),
        pytest.param({"s": 6}, {"s": 6}, 1, False, id="a recipe that lets all pass"),
        pytest.param({"s": 6}, {"s": 6, "t": 5000}, 0.2, True, id="all of a small source beside a large one"),
        pytest.param({"s": 1, "t": 1}, {"s": 2, "t": 2}, 0.2, False, id="one of each"),
    ],
)
def test_is_many(moved: dict[str, int], images: dict[str, int], fraction: float, expected: bool):
    assert is_many(Moves(moves(**moved), images=images), fraction) is expected


def test_what_a_release_knows_of_a_record():
    ledger = pa.Table.from_pylist(
        [{"record_id": "s:1", "source": "s", "sha256": "a"}, {"record_id": "s:2", "source": "s"}], schema=LEDGER
    )
    records = pa.Table.from_pylist([{"record_id": "s:1", "locator": "1.jpg"}], schema=RECORDS)
    assert known_records(ledger, records) == known(
        {"record_id": "s:1", "locator": "1.jpg", "sha256": "a"}, {"record_id": "s:2"}
    )
    assert known_records(ledger, pa.table({"record_id": pa.array([], pa.string())})).num_rows == 2


@pytest.mark.parametrize(
    ("found", "sentences"),
    [
        pytest.param(Moves(images={"s": 9}), [], id="nothing"),
        pytest.param(
            Moves(moves(s=1), images={"s": 1}),
            ["1 of 1 image stands under another id now ('s:0' is 's:x0' now): did the source's keys change?"],
            id="one",
        ),
        pytest.param(
            Moves(moves(s=3), moves(s=1), {"s": 5, "t": 4}),
            [
                "3 of 9 images stand under other ids now ('s:0' is 's:x0' now, 's:1' is 's:x1' now): did the source's "
                "keys change?",
                "1 record that people excluded has another id now ('s:0' is 's:x0' now): to stay excluded, the list "
                "by hand needs the new one",
            ],
            id="several, and one that was excluded",
        ),
    ],
)
def test_what_is_said(found: Moves, sentences: list[str]):
    assert list(moved_sentences(found)) == sentences
