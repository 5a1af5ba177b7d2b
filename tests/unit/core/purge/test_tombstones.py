"""Which records a purge removes, and which of their files stay."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.tables import EDGES, TAKEDOWNS
from tasks.core.purge.tombstones import files_in_use, keepers_of, tombstones_for, with_copies, without_shared_files
from tests.support.purge import DOWN, ledger_of, tombstones_of


def stones(
    ledgers: list[pa.Table],
    existing: pa.Table,
    requested: dict[str, str],
    scope: str = "work",
    takedowns: pa.Table | None = None,
) -> pa.Table:
    """TOMBSTONES of a purge on 2025-01-01; by default all that the newest ledger has as taken down is a work's."""
    down = [row["record_id"] for row in (ledgers[0].to_pylist() if ledgers else ()) if row["reason"] == "taken_down"]
    works = pa.Table.from_pylist([{"record_id": name, "scope": "work"} for name in down], schema=TAKEDOWNS)
    return tombstones_for(ledgers, existing, requested, "2025-01-01", scope, works if takedowns is None else takedowns)


@pytest.mark.parametrize(
    ("ledgers", "existing", "requested", "expected"),
    [
        pytest.param([], [], [], [], id="nothing"),
        pytest.param([ledger_of({"record_id": "s:1", "reason": "gone"})], [], [], [], id="no record is taken down"),
        pytest.param([ledger_of(DOWN)], [], [], [("s:1", "2024-05-01", "heirs", "a")], id="by the ledger's word"),
        pytest.param(
            [
                ledger_of({**DOWN, "detail": None, "sha256": None}),
                ledger_of({"record_id": "s:1", "kept": True, "sha256": "b"}),
            ],
            [],
            [],
            [("s:1", "2025-01-01", "taken down", "b")],
            id="no word; its file is known from an older one",
        ),
        pytest.param(
            [ledger_of(DOWN, {"record_id": "s:2", "kept": True, "sha256": "c"})],
            [],
            ["s:2"],
            [("s:2", "2025-01-01", "mine", "c")],
            id="one that is requested, and no other",
        ),
        pytest.param(
            [ledger_of(DOWN)],
            [("s:0", "2020-01-01", "old", None), ("s:1", "2021-01-01", "was", "a")],
            [],
            [("s:0", "2020-01-01", "old", None), ("s:1", "2021-01-01", "was", "a")],
            id="a tombstone stays as it is",
        ),
    ],
)
def test_tombstones(ledgers: Any, existing: Any, requested: Any, expected: Any):
    found = stones(ledgers, tombstones_of(*existing), dict.fromkeys(requested, "mine"))
    assert [tuple(row.values()) for row in found.to_pylist()] == [(*row, "work") for row in expected]


def test_a_tombstone_has_the_scope_of_its_takedown():
    for scope in ("record", "work", "copy"):
        given = pa.Table.from_pylist([{"record_id": "s:1", "scope": scope}], schema=TAKEDOWNS)
        assert stones([ledger_of(DOWN)], tombstones_of(), {}, takedowns=given)["scope"].to_pylist() == [scope]
    assert stones([ledger_of(DOWN)], tombstones_of(), {"s:1": "r"}, "record")["scope"].to_pylist() == ["record"]
    stands = tombstones_of(("s:1", "2024-05-01", "heirs", "a", "record"))
    assert stones([ledger_of(DOWN)], stands, {}).equals(stands)
    assert stones([ledger_of(DOWN)], stands, {"s:1": "r"}).equals(
        tombstones_of(("s:1", "2024-05-01", "heirs", "a", "work"))
    )


def test_copies_go_with_the_work_whichever_of_them_is_named():
    ledger = ledger_of(
        {"record_id": "s:1", "kept": True},
        {"record_id": "s:2", "reason": "near_duplicate", "kept_record_id": "s:1"},
        {"record_id": "s:3", "reason": "exact_duplicate", "kept_record_id": "s:2"},
        {"record_id": "s:4", "kept": True},
        {"record_id": "s:5", "reason": "near_duplicate", "kept_record_id": "s:4"},
        {"record_id": "s:6", "kept": True},
        {"record_id": "s:7", "kept": True},
    )
    edges = pa.Table.from_pylist(
        [
            {"a": "s:1", "b": "s:4", "relation": "mirrored"},
            {"a": "s:1", "b": "s:6", "relation": "uncertain"},
            {"a": "s:1", "b": "s:7", "relation": "resized", "verdict": "different"},
        ],
        schema=EDGES,
    )

    def why(*names: str, books: Any = (ledger,), relations: Any = (edges,), **more: Any) -> dict[str, str]:
        stones = tombstones_of(*((name, "2024-05-01", "why", None) for name in names))
        found = with_copies(books, relations, stones, **more).to_pylist()
        assert {row["record_id"]: row["scope"] for row in found} == {
            row["record_id"]: "work" if row["record_id"] in names else "copy" for row in found
        }
        assert {row["date"] for row in found} <= {"2024-05-01"}
        return {row["record_id"]: row["reason"] for row in found}

    copy = "copy of s:2: why"
    expected = {"s:1": copy, "s:2": "why", "s:3": copy, "s:4": copy, "s:5": copy}
    assert why("s:2") == expected
    assert why("s:7") == {"s:7": "why"}
    assert why() == {}
    newer = ledger_of({"record_id": "s:8", "sha256": "a"}, {"record_id": "s:9", "sha256": "b"})
    blank = EDGES.empty_table()
    assert why("s:2", books=(newer, ledger), relations=(blank, edges)) == expected  # what only an older release knows
    assert why("s:9", books=(newer,), relations=(blank,), look_alikes={("b", "a")}) == {
        "s:8": "copy of s:9: why",
        "s:9": "why",
    }
    said = pa.Table.from_pylist([{"a": "s:8", "b": "s:9", "verdict": "different"}], schema=EDGES)
    assert why("s:9", books=(newer,), relations=(said,), look_alikes={("b", "a")}) == {"s:9": "why"}
    twin = ledger_of({"record_id": "s:8", "sha256": "a"}, {"record_id": "s:9", "kept": True, "sha256": "a"})
    assert why("s:9", books=(twin,), relations=()) == {"s:8": "copy of s:9: why", "s:9": "why"}
    for scope in ("record", "copy"):  # what is like a copy is not by that like the work
        stone = tombstones_of(("s:9", "2024-05-01", "why", "a", scope))
        assert with_copies((twin,), (), stone).equals(stone)


def test_a_file_that_another_record_keeps_is_files_in_use():
    ledger = ledger_of(
        DOWN,
        {"record_id": "s:3", "kept": True, "sha256": "a"},
        {"record_id": "s:2", "kept": True, "sha256": "a"},
        {"record_id": "s:4", "sha256": "b"},
    )
    assert files_in_use([ledger], {"s:1"}, {"a", "b"}) == {"a": "s:2"}
    assert keepers_of(ledger, {"a", "b"})["record_id"].to_pylist() == ["s:3", "s:2"]


def test_a_tombstone_names_no_file_that_other_records_use():
    both = tombstones_of(("s:1", "2024-05-01", "why", "a"), ("s:2", "2024-05-01", "why", "b"))
    assert without_shared_files(both, {"b"})["sha256"].to_pylist() == ["a", None]
    assert without_shared_files(both, {}).equals(both)


def test_the_scope_of_a_takedown_is_not_read_from_its_words():
    words = {**DOWN, "detail": "the record alone: heirs (2024-05-01)"}
    copy = {**words, "record_id": "s:2", "stage": "dedup"}
    given = pa.Table.from_pylist(
        [{"record_id": "s:1", "scope": "work"}, {"record_id": "s:2", "scope": "copy"}], schema=TAKEDOWNS
    )
    found = stones([ledger_of(words, copy)], tombstones_of(), {}, takedowns=given)
    assert found["scope"].to_pylist() == ["work", "copy"]
