"""Copies of what was taken down: who goes with it, and who stays."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.dedup import Dedup
from schemas.tables import RELATIONS, VERDICTS
from tasks.core.dedup import decide
from tasks.core.dedup import decide as rule

SETTINGS = Dedup(label="dedup")
FOUND = pa.schema(
    [
        RELATIONS.field("a"),
        RELATIONS.field("b"),
        RELATIONS.field("relation"),
        ("distance_bits", pa.int16()),
        RELATIONS.field("score"),
    ]
)


def view(*names: str) -> pa.Table:
    return pa.table(
        {
            "record_id": pa.chunked_array([pa.array(names, pa.string())]),
            "sha256": pa.array([f"sha-{name}" for name in names], pa.string()),
            "rights_uri": pa.array([""] * len(names), pa.string()),
            "is_annotated": pa.array([False] * len(names), pa.bool_()),
            "is_second_choice": pa.array([False] * len(names), pa.bool_()),
            **{
                name: pa.array([1] * len(names), pa.int64())
                for name in ("width_px", "height_px", "bytes", "metadata", "preference")
            },
        }
    ).select(rule.COLUMNS)


def gone(*names: str) -> pa.Table:
    return view(*names).append_column("detail", pa.array([f"why {name}" for name in names], pa.string()))


def relations(*pairs: tuple[str, str, str]) -> pa.Table:
    rows = [
        {"a": f"sha-{a}", "b": f"sha-{b}", "relation": relation, "distance_bits": 2, "score": 0.9}
        for a, b, relation in pairs
    ]
    return pa.Table.from_pylist(rows, schema=FOUND)


def verdicts(*rows: tuple[str, str, str]) -> pa.Table:
    return pa.Table.from_pylist([{"a": a, "b": b, "verdict": word} for a, b, word in rows], schema=VERDICTS)


@pytest.mark.parametrize(
    ("pairs", "said", "expected"),
    [
        pytest.param([], [], {}, id="no pairs"),
        pytest.param([("w", "a", "resized")], [], {"a": "copy of w (resized): why w"}, id="a copy"),
        pytest.param(
            [("a", "w", "mirrored")], [], {"a": "copy of w (mirrored): why w"}, id="of a kind that the recipe keeps"
        ),
        pytest.param([("a", "w", "detail")], [], {"a": "copy of w (detail): why w"}, id="a part of it"),
        pytest.param([("a", "w", "uncertain"), ("b", "w", "look_alike")], [], {}, id="what may be another work stays"),
        pytest.param(
            [("a", "w", "resized"), ("a", "b", "cropped")],
            [],
            {"a": "copy of w (resized): why w", "b": "copy of w: why w"},
            id="a copy of a copy",
        ),
        pytest.param(
            [("a", "w", "mirrored"), ("a", "b", "resized")],
            [],
            {"a": "copy of w (mirrored): why w", "b": "copy of w: why w"},
            id="a copy of its mirror image takes no place",
        ),
        pytest.param([("a", "w", "resized")], [("a", "w", "different")], {}, id="different, by a person's word"),
        pytest.param([("a", "w", "mirrored")], [("a", "w", "related")], {}, id="only related, by a person's word"),
        pytest.param([], [("a", "w", "copy")], {"a": "copy of w (by verdict): why w"}, id="a copy, by a person's word"),
    ],
)
def test_what_goes_with_a_witness(pairs: Any, said: Any, expected: dict[str, str]):
    outcome, edges = decide.decide_with_witnesses(
        view("a", "b", "c"), gone("w"), relations(*pairs), verdicts(*said), SETTINGS
    )
    assert outcome["record_id"].to_pylist() == ["a", "b", "c"]
    found = {row["record_id"]: row["detail"] for row in outcome.to_pylist() if row["reason"] == "taken_down"}
    assert found == expected
    assert "w" not in {*edges["a"].to_pylist(), *edges["b"].to_pylist(), *outcome["group_id"].to_pylist()}
    assert not {*edges["a"].to_pylist(), *edges["b"].to_pylist()} & expected.keys()


def test_equal_files_of_a_copy_go_too_and_the_smallest_witness_is_named():
    rows = view("a", "b")
    rows = rows.set_column(1, "sha256", pa.array(["sha-a", "sha-a"], pa.string()))
    outcome, _ = decide.decide_with_witnesses(
        rows, gone("v", "w"), relations(("v", "w", "resized"), ("a", "w", "cropped")), verdicts(), SETTINGS
    )
    assert outcome["detail"].to_pylist() == ["copy of w (cropped): why w", "copy of v: why v"]


def test_without_witnesses_nothing_is_other_than_before():
    given = view("a", "b"), relations(("a", "b", "resized")), verdicts(), SETTINGS
    expected = rule.decide(*given)
    found = decide.decide_with_witnesses(given[0], gone(), *given[1:])
    assert [table.to_pylist() for table in found] == [table.to_pylist() for table in expected]


def test_what_is_left_is_decided_as_if_witnesses_had_never_been():
    pairs = relations(("w", "a", "resized"), ("b", "c", "resized"), ("b", "w", "uncertain"), ("c", "w", "look_alike"))
    outcome, edges = decide.decide_with_witnesses(view("a", "b", "c"), gone("w"), pairs, verdicts(), SETTINGS)
    expected, left = rule.decide(view("b", "c"), pairs, verdicts(), SETTINGS)
    assert outcome.slice(1).to_pylist() == expected.to_pylist()
    assert edges.to_pylist() == left.to_pylist()
