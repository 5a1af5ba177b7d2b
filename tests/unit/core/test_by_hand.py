"""What people say of single records: what is read, what is refused, and who is dropped."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from schemas.names import Artists
from schemas.tables import BY_HAND, FETCH, LEDGER, RECORDS, TAKEDOWNS, TAKEN_DOWN, TOMBSTONES
from tasks.core import by_hand
from tasks.core.names import matching

HEAD = (1, ["action", "scope", "name", "reason", "date"])
ALIASES = matching.merge_aliases(Artists(aliases={"A. Muster": "Anna Muster"}))


def row(line: int, action: str, name: str, scope: str = "", reason: str = "asked", day: str = "2024-05-01") -> Any:
    return line, [action, scope, name, reason, day]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([HEAD], [], id="a header alone"),
        pytest.param(
            [(1, ["date", "reason", "name", "action"]), (2, ["2024-05-01", " asked ", " s:1 ", "takedown"])],
            [("takedown", "work", "s:1", "asked", "2024-05-01")],
            id="other order, no scope, blanks around",
        ),
        pytest.param(
            [HEAD, row(2, "include", "s:2"), row(3, "exclude", "s:1"), row(4, "include", "s:2")],
            [("exclude", "record", "s:1", "asked", "2024-05-01"), ("include", "record", "s:2", "asked", "2024-05-01")],
            id="a row twice is one, and order is ours",
        ),
        pytest.param(
            [HEAD, row(2, "exclude", "s:e\u0301"), row(3, "replace", "s:2")],
            [
                ("exclude", "record", "s:\u00e9", "asked", "2024-05-01"),
                ("replace", "record", "s:2", "asked", "2024-05-01"),
            ],
            id="names are composed",
        ),
        pytest.param(
            [HEAD, row(2, "exclude", "Anna", "artist"), row(3, "include", "Anna")],
            [
                ("exclude", "artist", "Anna", "asked", "2024-05-01"),
                ("include", "record", "Anna", "asked", "2024-05-01"),
            ],
            id="an artist and a record of one name do not clash",
        ),
        pytest.param(
            [HEAD, row(2, "exclude", "Monet", "artist"), row(3, "exclude", "monet", "artist")],
            [("exclude", "artist", "Monet", "asked", "2024-05-01")],
            id="an artist in two spellings is one",
        ),
        pytest.param(
            [
                HEAD,
                row(2, "exclude", "s:1"),
                row(3, "takedown", "s:1"),
                row(4, "replace", "s:2"),
                row(5, "takedown", "s:2"),
            ],
            [
                ("exclude", "record", "s:1", "asked", "2024-05-01"),
                ("replace", "record", "s:2", "asked", "2024-05-01"),
                ("takedown", "work", "s:1", "asked", "2024-05-01"),
                ("takedown", "work", "s:2", "asked", "2024-05-01"),
            ],
            id="a takedown outranks what else is said",
        ),
    ],
)
def test_rows_are_read(rows: list[Any], expected: list[Any]):
    assert [tuple(found.values()) for found in by_hand.parse_manual_lists("f", rows).to_pylist()] == expected


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        pytest.param([], "got an empty file", id="nothing"),
        pytest.param(
            [(1, ["action", "name", "reason"])], "f: expected the columns action,scope,name,reason,date", id="no date"
        ),
        pytest.param([(1, [*HEAD[1], "action"])], "expected the columns", id="a column twice"),
        pytest.param([HEAD, (2, ["exclude", "", "s:1"])], "f, line 2: expected 5 cells, got 3", id="too few cells"),
        pytest.param(
            [HEAD, row(2, "Exclude", "s:1")],
            "an action of exclude, include, replace, takedown, got 'Exclude'",
            id="case",
        ),
        pytest.param(
            [HEAD, row(2, "include", "s:1", "artist")],
            "expected the scope record for include, got 'artist'",
            id="scope",
        ),
        pytest.param([HEAD, row(2, "exclude", "")], "a name of 1 to 2000 characters on one line, got ''", id="no name"),
        pytest.param([HEAD, row(2, "exclude", "s:1", reason=" ")], "a reason of 1 to 500 characters", id="no reason"),
        pytest.param(
            [HEAD, row(2, "exclude", "s:1", reason="x" * 501)], "a reason of 1 to 500", id="a reason too long"
        ),
        pytest.param([HEAD, row(2, "exclude", "s:1", reason="a\nb")], "on one line", id="a reason of two lines"),
        pytest.param([HEAD, row(2, "exclude", "a\rb")], "on one line", id="a name of two lines"),
        pytest.param(
            [HEAD, row(2, "exclude", "s:1"), row(3, "replace", "s:1")],
            r"exclude \(line 2\) and replace \(line 3\)",
            id="to exclude and to replace",
        ),
        pytest.param(
            [HEAD, row(2, "takedown", "s:1"), row(3, "takedown", "s:1", "record")],
            r"expected takedown of 's:1' with one scope, record or work, got both \(lines 2 and 3\)",
            id="a work and its record alone",
        ),
        pytest.param(
            [HEAD, row(2, "exclude", "Monet", "artist"), row(3, "exclude", "MONÉT", "artist", reason="other")],
            "as in line 2, got others",
            id="one artist for two reasons",
        ),
        pytest.param(
            [HEAD, row(2, "exclude", "s:1", day="1.5.2024")], "a date such as 2024-12-31, got '1.5.2024'", id="date"
        ),
        pytest.param([HEAD, row(2, "exclude", "s:1", day="2023-02-29")], "a date such as 2024-12-31", id="no such day"),
        pytest.param(
            [HEAD, row(2, "exclude", "s:1"), row(9, "exclude", "s:1", reason="other")],
            "as in line 2, got others",
            id="two reasons",
        ),
        pytest.param(
            [HEAD, row(2, "include", "s:1"), row(3, "takedown", "s:1")],
            r"include \(line 2\) and takedown \(line 3\)",
            id="clash",
        ),
    ],
)
def test_what_no_build_can_obey_is_refused(rows: list[Any], message: str):
    with pytest.raises(BadInput, match=message):
        by_hand.parse_manual_lists("f", rows)


@given(
    st.permutations(
        [
            row(2, "exclude", "s:1"),
            row(3, "takedown", "s:2"),
            row(4, "exclude", "A", "artist"),
            row(5, "exclude", "a", "artist"),
        ]
    )
)
def test_the_order_of_rows_changes_nothing(rows: list[Any]):
    assert by_hand.parse_manual_lists("f", [HEAD, *rows]).equals(by_hand.parse_manual_lists("f", [HEAD, *sorted(rows)]))


def records(*rows: dict[str, Any]) -> pa.Table:
    blank = {"source": "s", "styles": ["x"], "title": "t", "rights_uri": "NOASSERTION", "is_annotated": False}
    return pa.Table.from_pylist([{**blank, **each} for each in rows], schema=RECORDS)


def said(*rows: tuple[str, str, str]) -> pa.Table:
    return pa.Table.from_pylist(
        [{"action": a, "scope": s, "name": n, "reason": "asked", "date": "2024-05-01"} for a, s, n in rows],
        schema=BY_HAND,
    )


def reached(*previous: dict[str, Any]) -> pa.Table:
    """TAKEDOWNS of rows of a ledger: the row that has reached each is the beginning of its detail."""
    rows = [
        {"record_id": row["record_id"], "scope": "work", "reached_by": row["detail"].partition(": ")[0]}
        for row in previous
        if row["reason"] == "taken_down"
    ]
    return pa.Table.from_pylist(rows, schema=TAKEDOWNS)


def book(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist([{"source": "s", "kept": False, **each} for each in rows], schema=LEDGER)


WORKS = records(
    {"record_id": "s:1", "artist": "Anna Muster", "declared_group": "g"},
    {"record_id": "s:2", "artist": "ANNA MÜSTER", "declared_group": "g"},
    {"record_id": "s:3", "artist": "Berta", "artist_text": "B. aus Ulm"},
    {"record_id": "s:4", "reason": "bad_record", "detail": "no image"},
    {"record_id": "t:5", "source": "t", "declared_group": "g"},
)
ASKED = "asked (2024-05-01)"
ALONE = f"the record alone: {ASKED}"


@pytest.mark.parametrize(
    ("rows", "previous", "stones", "expected"),
    [
        pytest.param([], [], [], {}, id="nothing said"),
        pytest.param([("exclude", "record", "s:1")], [], [], {"s:1": ("excluded", ASKED)}, id="one record"),
        pytest.param([("exclude", "record", "s:4")], [], [], {}, id="what is dropped already keeps its reason"),
        pytest.param(
            [("takedown", "record", "s:4")], [], [], {"s:4": ("taken_down", ALONE)}, id="but not before a takedown"
        ),
        pytest.param(
            [("exclude", "artist", "A. Muster"), ("include", "record", "s:1")],
            [],
            [],
            {"s:2": ("excluded", ASKED)},
            id="an alias is its artist; one record of theirs is wanted all the same",
        ),
        pytest.param(
            [("exclude", "artist", "b aus Ulm")],
            [],
            [],
            {"s:3": ("excluded", ASKED)},
            id="the words of the source, however they are read",
        ),
        pytest.param([("takedown", "record", "s:1")], [], [], {"s:1": ("taken_down", ALONE)}, id="a record alone"),
        pytest.param(
            [("takedown", "work", "s:1")],
            [],
            [],
            {"s:1": ("taken_down", ASKED), "s:2": ("taken_down", f"work of s:1: {ASKED}")},
            id="a work with its group",
        ),
        pytest.param(
            [("takedown", "work", "s:1")],
            [{"record_id": "s:3", "reason": "taken_down", "detail": "work of s:1: why: (2020-01-01)"}],
            [],
            {
                "s:1": ("taken_down", ASKED),
                "s:2": ("taken_down", f"work of s:1: {ASKED}"),
                "s:3": ("taken_down", f"work of s:1: {ASKED}"),
            },
            id="what was of that work once is so still",
        ),
        pytest.param(
            [("takedown", "artist", "NOBODY")],
            [
                {
                    "record_id": name,
                    "reason": "taken_down",
                    "detail": f"{by_hand._works_of_artist('Nobody')}: was (2020-01-01)",
                }
                for name in ("s:3", "s:9")
            ],
            [],
            {"s:9": ("taken_down", f"{by_hand._works_of_artist('nobody')}: {ASKED}")},
            id="of an artist only what is no longer listed, whatever reason it had",
        ),
        pytest.param(
            [],
            [{"record_id": "s:3", "reason": "taken_down", "detail": f"work of s:1: {ASKED}"}],
            [],
            {},
            id="a takedown that is withdrawn frees them",
        ),
        pytest.param(
            [("takedown", "record", "s:9")],
            [{"record_id": "s:9", "source": "t", "reason": "gone"}],
            [],
            {"s:9": ("taken_down", ALONE)},
            id="no longer listed",
        ),
        pytest.param([("takedown", "record", "s:9")], [], [], {}, id="never heard of"),
        pytest.param(
            [],
            [],
            [{"record_id": "s:9", "reason": "heirs", "date": "2020-01-01"}],
            {"s:9": ("taken_down", "heirs (2020-01-01)")},
            id="a tombstone",
        ),
        pytest.param(
            [("takedown", "artist", "anna muster"), ("exclude", "record", "s:1")],
            [],
            [],
            dict.fromkeys(("s:1", "s:2"), ("taken_down", f"{by_hand._works_of_artist('Anna Muster')}: {ASKED}")),
            id="an artist",
        ),
    ],
)
def test_who_is_dropped(rows: Any, previous: Any, stones: Any, expected: dict[str, Any]):
    found = by_hand.apply_manual_lists(
        WORKS,
        said(*rows),
        pa.Table.from_pylist(stones, schema=TOMBSTONES),
        book(*previous),
        reached(*previous),
        ALIASES,
    )
    before = {each["record_id"]: each for each in WORKS.to_pylist()}
    after = {each["record_id"]: each for each in found.records.to_pylist()}
    changed = {name: (each["reason"], each["detail"]) for name, each in after.items() if each != before.get(name)}
    assert changed == expected
    assert list(after) == sorted(after)
    for name, (reason, _) in expected.items():
        is_empty = all(value is None for key, value in after[name].items() if key not in by_hand._STAYS)
        assert is_empty == (reason == "taken_down")
    down = [name for name, (reason, _) in expected.items() if reason == "taken_down"]
    assert found.taken_down["record_id"].to_pylist() == sorted(down)


@pytest.mark.parametrize(
    ("reached_by", "down"),
    [
        pytest.param("work of s:1", {"s:1", "s:2", "s:3"}, id="reached by the work that is still down"),
        pytest.param("work of s:2", {"s:1", "s:2"}, id="reached by another that is not"),
        pytest.param(None, {"s:1", "s:2"}, id="a row of its own, withdrawn, whose reason reads like another's"),
    ],
)
def test_what_reached_a_record_is_a_column_and_no_words(reached_by: str | None, down: set[str]):
    before = book({"record_id": "s:3", "reason": "taken_down", "detail": f"work of s:1: {ASKED}"})
    known = pa.Table.from_pylist([{"record_id": "s:3", "scope": "work", "reached_by": reached_by}], schema=TAKEDOWNS)
    found = by_hand.apply_manual_lists(
        WORKS, said(("takedown", "work", "s:1")), TOMBSTONES.empty_table(), before, known, ALIASES
    )
    assert set(found.taken_down["record_id"].to_pylist()) == down
    assert dict(zip(*(found.taken_down[name].to_pylist() for name in ("record_id", "reached_by")), strict=True)) == {
        name: None if name == "s:1" else "work of s:1" for name in down
    }


def test_files_of_what_is_down_are_known_from_the_ledger_or_the_tombstone():
    stones = pa.Table.from_pylist(
        [
            {"record_id": "s:3", "reason": "r", "date": "2020-01-01", "sha256": "b", "scope": "work"},
            {"record_id": "s:4", "reason": "r", "date": "2020-01-01", "sha256": "c", "scope": "record"},
        ],
        schema=TOMBSTONES,
    )
    found = by_hand.apply_manual_lists(
        WORKS,
        said(("takedown", "record", "s:1")),
        stones,
        book({"record_id": "s:1", "sha256": "a"}),
        reached(),
        ALIASES,
    )
    assert found.taken_down.select(["record_id", "sha256", "is_work"]).to_pylist() == [
        {"record_id": "s:1", "sha256": "a", "is_work": False},
        {"record_id": "s:3", "sha256": "b", "is_work": True},
        {"record_id": "s:4", "sha256": "c", "is_work": False},
    ]


def test_records_say_nothing_of_what_a_ledger_calls_taken_down():
    down = {"record_id": "s:2", "reason": "taken_down", "stage": "dedup", "detail": "copy of s:1: r (2024-05-01)"}
    found = by_hand.redact_taken_down(WORKS, book({"record_id": "s:1", "kept": True}, down)).to_pylist()
    assert [each for each in found if each["record_id"] != "s:2"] == [
        each for each in WORKS.to_pylist() if each["record_id"] != "s:2"
    ]
    assert {key: value for key, value in found[1].items() if value is not None} == {
        "record_id": "s:2",
        "source": "s",
        "reason": "taken_down",
        "detail": "copy of s:1: r (2024-05-01)",
    }


def test_equal_bytes_go_with_what_is_down():
    down = pa.Table.from_pylist(
        [{"record_id": "s:1", "sha256": "a", "detail": ASKED}, {"record_id": "s:2", "detail": ASKED}], schema=TAKEN_DOWN
    )
    fetched = pa.Table.from_pylist(
        [
            {"record_id": "s:5", "sha256": "a"},
            {"record_id": "s:6", "reason": "not_found"},
            {"record_id": "s:7", "sha256": "b"},
        ],
        schema=FETCH,
    )
    found = by_hand.drop_same_bytes(fetched, down).to_pylist()
    assert [(each["reason"], each["detail"]) for each in found] == [
        ("taken_down", f"same bytes as s:1: {ASKED}"),
        ("not_found", None),
        (None, None),
    ]


def test_marks_are_for_single_records():
    words = said(("include", "record", "s:1"), ("exclude", "artist", "s:2"), ("replace", "record", "s:3"))
    ids = pa.chunked_array([["s:1", "s:2"], ["s:3"]])
    assert by_hand.is_named(words, ids, "include").to_pylist() == [True, False, False]
    assert by_hand.is_named(words, ids, "replace").to_pylist() == [False, False, True]
    assert by_hand.is_named(words, ids, "exclude").to_pylist() == [False, False, False]
    assert by_hand.replaced_because(words, ids).to_pylist() == [None, None, ASKED]
    assert by_hand.replaced_because(words, ids.slice(0, 0)).to_pylist() == []


def test_rows_about_nobody_are_told_few_by_name():
    found = by_hand.apply_manual_lists(
        WORKS,
        said(*(("exclude", "record", f"s:x{n}") for n in range(5))),
        TOMBSTONES.empty_table(),
        book(),
        reached(),
        ALIASES,
    )
    assert found.notes == (
        "by hand: 5 of 5 rows match no record of this build: exclude 's:x0', exclude 's:x1', exclude 's:x2' and 2 more",
    )


def test_every_takedown_of_a_ledger_has_its_scope():
    schema = TAKEN_DOWN
    rows = [
        {"record_id": "s:1", "sha256": "a", "detail": "the record alone: x (2024-05-01)", "is_work": True},
        {"record_id": "s:2", "sha256": "b", "detail": "work of s:3: x (2024-05-01)", "is_work": False},
        {"record_id": "s:3", "sha256": None, "detail": "never stored", "is_work": True, "reached_by": "work of s:1"},
    ]
    down = pa.Table.from_pylist(rows, schema=schema)
    others = [("s:4", "a", "taken_down"), ("s:5", "b", "taken_down"), ("s:6", "c", "taken_down"), ("s:7", "b", "gone")]
    ledger = pa.Table.from_pylist(
        [
            *({"record_id": row["record_id"], "sha256": row["sha256"], "reason": "taken_down"} for row in rows),
            *({"record_id": name, "sha256": sha256, "reason": reason} for name, sha256, reason in others),
            {"record_id": "s:8", "sha256": "d", "reason": None, "kept": True},
        ],
        schema=LEDGER,
    )
    assert [tuple(row.values()) for row in by_hand.takedowns(ledger, down).to_pylist()] == [
        ("s:1", "work", None),
        ("s:2", "record", None),
        ("s:3", "work", "work of s:1"),
        ("s:4", "copy", None),
        ("s:5", "record", None),
        ("s:6", "copy", None),
    ]
    assert by_hand.takedowns(LEDGER.empty_table(), schema.empty_table()).schema == TAKEDOWNS


# --- two spellings of one id


def ids(*names: str) -> pa.ChunkedArray:
    return pa.chunked_array([names], pa.string())


@pytest.mark.parametrize(
    ("said", "records", "previous", "expected"),
    [
        pytest.param([("exclude", "s:1.0")], ["s:1"], [], [("exclude", "s:1")], id="of the build"),
        pytest.param([("exclude", "s:1.0")], ["s:1", "s:1.0"], [], [("exclude", "s:1.0")], id="two records"),
        pytest.param([("exclude", "s:1.0")], [], ["s:1"], [("exclude", "s:1.0")], id="not listed"),
        pytest.param([("takedown", "s:1.0")], [], ["s:1"], [("takedown", "s:1")], id="taken down, not listed"),
        pytest.param(
            [("takedown", "s:1.0")], ["s:1"], ["s:1.0"], [("takedown", "s:1"), ("takedown", "s:1.0")],
            id="taken down before, in another spelling",
        ),
        pytest.param(
            [("exclude", "s:1"), ("exclude", "s:1.0")], ["s:1"], [], [("exclude", "s:1")], id="both in the list"
        ),
    ],
)  # fmt: skip
def test_a_row_is_about_the_record_in_either_spelling(
    said: list[tuple[str, str]], records: list[str], previous: list[str], expected: list[tuple[str, str]]
):
    table = by_hand.parse_manual_lists("f", [HEAD, *(row(line, *one) for line, one in enumerate(said, 2))])
    found = by_hand.with_known_ids(table, ids(*records), ids(*previous))
    assert found.schema == BY_HAND
    assert [(one["action"], one["name"]) for one in found.to_pylist()] == expected


def test_artists_have_no_other_spelling_here():
    table = by_hand.parse_manual_lists("f", [HEAD, row(2, "exclude", "s:1.0", "artist")])
    assert by_hand.with_known_ids(table, ids("s:1")).equals(table)
