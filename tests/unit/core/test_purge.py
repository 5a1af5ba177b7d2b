"""What a purge takes out of tables, COCO files and raw answers, and what it leaves."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.tables import DIVERSITY, EDGES, IMAGES, LEDGER, RECORDS, RELATIONS, TOMBSTONES, as_written
from tasks.core import purge


def book(*rows: dict[str, Any]) -> pa.Table:
    blank = {"source": "s", "kept": False, "image_id": 7}
    return pa.Table.from_pylist([{**blank, **row} for row in rows], schema=LEDGER)


def buried(*rows: tuple[str | None, ...]) -> pa.Table:
    full = [(*row, "work")[:5] for row in rows]
    return pa.Table.from_pylist([dict(zip(TOMBSTONES.names, row, strict=True)) for row in full], schema=TOMBSTONES)


DOWN = {"record_id": "s:1", "reason": "taken_down", "detail": "heirs (2024-05-01)", "sha256": "a"}


@pytest.mark.parametrize(
    ("books", "before", "asked", "expected"),
    [
        pytest.param([], [], [], [], id="nothing"),
        pytest.param([book({"record_id": "s:1", "reason": "gone"})], [], [], [], id="nobody is down"),
        pytest.param([book(DOWN)], [], [], [("s:1", "2024-05-01", "heirs", "a")], id="by the ledger's word"),
        pytest.param(
            [book({**DOWN, "detail": None, "sha256": None}), book({"record_id": "s:1", "kept": True, "sha256": "b"})],
            [],
            [],
            [("s:1", "2025-01-01", "taken down", "b")],
            id="no word; its file is known from an older one",
        ),
        pytest.param(
            [book(DOWN, {"record_id": "s:2", "kept": True, "sha256": "c"})],
            [],
            ["s:2"],
            [("s:2", "2025-01-01", "mine", "c")],
            id="one that is asked for, and no other",
        ),
        pytest.param(
            [book(DOWN)],
            [("s:0", "2020-01-01", "old", None), ("s:1", "2021-01-01", "was", "a")],
            [],
            [("s:0", "2020-01-01", "old", None), ("s:1", "2021-01-01", "was", "a")],
            id="a tombstone stays as it is",
        ),
    ],
)
def test_tombstones(books: Any, before: Any, asked: Any, expected: Any):
    found = purge.stones(books, buried(*before), dict.fromkeys(asked, "mine"), "2025-01-01")
    assert [tuple(row.values()) for row in found.to_pylist()] == [(*row, "work") for row in expected]


def test_a_record_that_goes_alone_says_so_in_its_tombstone():
    alone = {**DOWN, "detail": "the record alone: heirs (2024-05-01)"}
    assert purge.stones([book(alone)], buried(), {}, "2025-01-01")["scope"].to_pylist() == ["record"]
    copies = book({**DOWN, "stage": "dedup"}, {**alone, "record_id": "s:2", "stage": "fetch"})
    assert purge.stones([copies], buried(), {}, "2025-01-01")["scope"].to_pylist() == ["copy", "record"]
    assert purge.stones([book(DOWN)], buried(), {"s:1": "r"}, "2025-01-01", "record")["scope"].to_pylist() == ["record"]
    stands = buried(("s:1", "2024-05-01", "heirs", "a", "record"))
    assert purge.stones([book(DOWN)], stands, {}, "2025-01-01").equals(stands)
    assert purge.stones([book(DOWN)], stands, {"s:1": "r"}, "2025-01-01").equals(
        buried(("s:1", "2024-05-01", "heirs", "a", "work"))
    )


def test_copies_go_with_the_work_whichever_of_them_is_named():
    ledger = book(
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
        stones = buried(*((name, "2024-05-01", "why", None) for name in names))
        found = purge.with_copies(books, relations, stones, **more).to_pylist()
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
    newer = book({"record_id": "s:8", "sha256": "a"}, {"record_id": "s:9", "sha256": "b"})
    blank = EDGES.empty_table()
    assert why("s:2", books=(newer, ledger), relations=(blank, edges)) == expected  # what only an older release knows
    assert why("s:9", books=(newer,), relations=(blank,), seen={("b", "a")}) == {
        "s:8": "copy of s:9: why",
        "s:9": "why",
    }
    said = pa.Table.from_pylist([{"a": "s:8", "b": "s:9", "verdict": "different"}], schema=EDGES)
    assert why("s:9", books=(newer,), relations=(said,), seen={("b", "a")}) == {"s:9": "why"}
    twin = book({"record_id": "s:8", "sha256": "a"}, {"record_id": "s:9", "kept": True, "sha256": "a"})
    assert why("s:9", books=(twin,), relations=()) == {"s:8": "copy of s:9: why", "s:9": "why"}
    for scope in ("record", "copy"):  # what is like a copy is not by that like the work
        stone = buried(("s:9", "2024-05-01", "why", "a", scope))
        assert purge.with_copies((twin,), (), stone).equals(stone)


def test_a_file_that_another_record_keeps_is_still_used():
    ledger = book(
        DOWN,
        {"record_id": "s:3", "kept": True, "sha256": "a"},
        {"record_id": "s:2", "kept": True, "sha256": "a"},
        {"record_id": "s:4", "sha256": "b"},
    )
    assert purge.still_used([ledger], {"s:1"}, {"a", "b"}) == {"a": "s:2"}
    assert purge.still_used_by(ledger, {"a", "b"}).to_pylist() == ["s:3", "s:2"]


def test_words_are_addresses_and_titles_that_nobody_shares():
    records = pa.Table.from_pylist(
        [
            {"record_id": "s:1", "title": "Untitled", "source_url": "https://m/1", "locator": "1.jpg"},
            {"record_id": "s:2", "title": "Nocturne", "image_url": "https://m/2.jpg"},
            {"record_id": "s:3", "title": "Untitled"},
        ],
        schema=RECORDS,
    )
    told = purge.words([records, records], {"s:1", "s:2"})
    assert told.addresses == {"https://m/1", "https://m/2.jpg"}
    assert told.of("other") == told.addresses
    assert told.of("s") == told.everything() == {*told.addresses, "1", "2", "1.jpg", "Nocturne"}
    assert purge.words([], {"s:1"}).everything() == {"1"}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"", False, id="nothing"),
        pytest.param(b'{"id":42}', True, id="a number"),
        pytest.param(b'{"id":1425}', False, id="a number inside another"),
        pytest.param(b"<a href='/works/42'>", True, id="part of an address"),
        pytest.param("Déjà & vu".encode(), True, id="text"),
        pytest.param(rb'"D\u00e9j\u00e0 & vu"', True, id="JSON in ASCII"),
        pytest.param("Déjà &amp; vu".encode(), True, id="HTML"),
        pytest.param(b"?q=D%C3%A9j%C3%A0%20%26%20vu&n=1", True, id="an address"),
        pytest.param(rb'"https:\/\/m\/a_1"', True, id="JSON with slashes"),
        pytest.param(b"https://m/a_12 https://m/a_1", True, id="after another that begins like it"),
        pytest.param(b"see https://m/a_1.jpg42", True, id="at a point"),
        pytest.param("Эрмитаж".encode(), True, id="no Latin letter"),
        pytest.param("Эрмит".encode(), False, id="a part of that"),
    ],
)
def test_answers_that_mention(data: bytes, expected: bool):
    assert purge.mentions({"42", "Déjà & vu", "https://m/a_1", "Эрмитаж"})(data) is expected
    assert not purge.mentions(set())(data)


def test_rows_that_only_say_that_a_record_went_tell_nothing():
    records = pa.Table.from_pylist(
        [
            {"record_id": "s:1", "source": "s", "reason": "taken_down", "detail": "d"},
            {"record_id": "s:2", "title": "t"},
            {"record_id": "s:3", "title": "t"},
        ],
        schema=RECORDS,
    )
    assert purge.telling(records, {"s:1", "s:2"}).to_pylist() == [False, True, False]
    assert purge.telling(book(DOWN), {"s:1"}).to_pylist() == [False]
    edges = pa.Table.from_pylist([{"a": "s:1", "b": "s:3"}, {"a": "s:3", "b": "s:4"}], schema=EDGES)
    assert purge.telling(edges, {"s:1"}).to_pylist() == [True, False]
    assert purge.telling(pa.table({"n": [1]}), {"s:1"}).to_pylist() == [False]


def test_tables_that_tell_by_a_word_alone():
    asks = pa.table({"url": ["https://m/1", "https://m/2"], "styles": pa.array([["x"], None], pa.list_(pa.string()))})
    assert purge.tells(asks, {"s:1"}, {"https://m/2"})
    assert purge.tells(asks, {"s:1"}, {"x"})
    assert not purge.tells(asks, {"s:1"}, {"https://m"})


def test_measures_lose_the_rows_of_files():
    pairs = pa.Table.from_pylist([{"a": "x", "b": "y"}, {"a": "y", "b": "z"}, {"a": "z", "b": "q"}], schema=RELATIONS)
    assert purge.without_files(pairs, pa.array(["x", "q"]))["b"].to_pylist() == ["z"]
    near = pa.table({"left": pa.array([1], pa.uint64()), "right": pa.array([2], pa.uint64())})
    assert purge.without_files(near, pa.array(["x"])).equals(near)
    assert purge.has_hash(near, np.array([2], np.uint64))
    assert not purge.has_hash(near, np.array([3], np.uint64))
    assert not purge.has_hash(pairs, np.array([3], np.uint64))


def test_a_kept_work_loses_the_page_of_its_copy_not_its_own():
    rows = [
        {"record_id": "s:1", "title": "gone"},
        {"record_id": "s:2", "source_url": "u2", "source_urls": ["u2", "u1", "u3"]},
        {"record_id": "s:3", "source_url": "u1", "source_urls": ["u1"]},
    ]
    table = pa.Table.from_pylist(rows, schema=as_written(IMAGES))
    left = purge.without_records(table, {"s:1"}, {"u1"})
    assert left.schema == table.schema
    assert left["source_urls"].to_pylist() == [["u2", "u3"], ["u1"]]


def test_the_ledger_keeps_the_row_and_its_place():
    ledger = book(
        {"record_id": "s:0", "kept": True, "sha256": "z"},
        {"record_id": "s:1", "kept": True, "sha256": "a", "last_split": "val"},
        {"record_id": "s:2", "kept": True, "sha256": "b"},
    )
    found = purge.ledger_with(ledger, buried(("s:1", "2024-05-01", "heirs", "a"), ("s:2", "2024-05-01", "heirs", None)))
    assert found["record_id"].to_pylist() == ["s:0", "s:1", "s:2"]
    assert [(row["kept"], row["reason"], row["sha256"], row["last_split"]) for row in found.to_pylist()] == [
        (True, None, "z", None),
        (False, "taken_down", "a", "val"),
        (False, "taken_down", None, None),
    ]
    again = purge.ledger_with(found, buried(("s:1", "2024-05-01", "heirs", "a"), ("s:2", "2024-05-01", "heirs", None)))
    assert again.equals(found)


def test_coco_files_lose_images_and_what_is_drawn_on_them():
    document = {"images": [{"id": 1}, {"id": 2}], "annotations": [{"image_id": 1}, {"image_id": 2}], "info": {}}
    assert purge.coco_without(document, {1}) == {"images": [{"id": 2}], "annotations": [{"image_id": 2}], "info": {}}
    assert purge.detections_without(document["annotations"], {2}) == [{"image_id": 1}]


def test_the_card_tells_it_once():
    once = purge.card_with("# Small\n", buried(("s:1", "2024-05-01", "r", None), ("s:2", "2024-06-01", "r", None)))
    assert "2 records were taken down" in once
    assert "2024-06-01" in once
    assert purge.card_with(once, buried(("s:1", "2025-01-01", "r", None))).count("## Amended") == 1


def test_artists_of_whom_nothing_else_is_known_are_no_longer_named():
    names = ["record_id", "artist"]
    one = pa.table([["s:1", "s:2", "s:3"], ["Only", "Both", None]], names=names)
    two = pa.table([["s:1", "s:4"], ["Only", "Both"]], names=names)
    assert purge.artists_gone([one, two], {"s:1", "s:2", "s:3"}) == {"Only"}
    diversity = pa.Table.from_pylist(
        [
            {"stratum": None, "images": 3, "largest_artist": "Both"},
            {"stratum": "Dada", "images": 1, "largest_artist": "Only"},
        ],
        schema=DIVERSITY,
    )
    found = purge.diversity_without(diversity, {"Only"})
    assert found["largest_artist"].to_pylist() == ["Both", None]
    assert found.drop_columns("largest_artist").equals(diversity.drop_columns("largest_artist"))
