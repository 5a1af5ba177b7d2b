"""How much a recipe prefers a record to its copies."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.preferences import Preference
from tasks.core.dedup.preferences import columns_needed, is_second_choice, meets, meets_all, preferences, unmet_notes

PATHS = [
    "Kopien/x.jpg",
    "LEONARDO DA VINCI/x.jpg",
    "LEONARDO/Kopien/x.jpg",
    "Kopien.jpg",
    "Kopien von Hand/x.jpg",
    "e\u0301cole/x.jpg",
    "a (1)/b+c/[x].jpg",
    "https://museum.example/Kopien/x.jpg",
]


def rules(*given: Any) -> list[Preference]:
    return [Preference.model_validate(rule) for rule in given]


@pytest.mark.parametrize(
    ("folder", "places"),
    [
        pytest.param("Kopien", [0], id="neither a file of that name nor a longer folder, nor a deeper one"),
        pytest.param("kopien", [0], id="case does not count"),
        pytest.param("Kopien*", [0, 4], id="a star stands for letters"),
        pytest.param("Kopie?", [0], id="a question mark for one"),
        pytest.param("*/Kopien", [2], id="a star is one folder"),
        pytest.param("**/Kopien", [0, 2], id="two stars are any folders, or none"),
        pytest.param("*", [0, 1, 2, 4, 5, 6], id="in any folder"),
        pytest.param("LEONARDO DA VINCI", [1], id="blanks"),
        pytest.param("LEONARDO/**/Kopien", [2], id="two stars within"),
        pytest.param("\u00e9cole", [5], id="composed or decomposed"),
        pytest.param("a (1)/b+c", [6], id="letters that mean something in expressions"),
        pytest.param("https:", [], id="an address is no path"),
        pytest.param("a.(1)", [], id="a point is a point"),
    ],
)
def test_a_folder_is_met_by_what_lies_below_it(folder: str, places: list[int]):
    records = pa.table({"locator": pa.chunked_array([PATHS])})
    [rule] = rules({"folder": folder})
    assert [place for place, is_met in enumerate(meets(records, rule)) if is_met] == places


def test_sources_and_values_are_met_as_they_stand_and_not_turns_a_rule_round():
    records = pa.table({"source": ["met", "rijks", "met"], "artist": ["Hals", "", None]})
    source, known, others = rules({"source": "met"}, {"known": "artist"}, {"not": {"known": "artist"}})
    assert meets(records, source).tolist() == [True, False, True]
    assert meets(records, known).tolist() == [True, False, False]
    assert meets(records, others).tolist() == [False, True, True]


def test_columns_are_asked_for_once():
    assert columns_needed(rules({"folder": "a"}, {"not": {"folder": "b"}}, {"known": "artist"}, {"source": "s"})) == [
        "locator",
        "artist",
        "source",
    ]


def test_an_earlier_rule_outranks_all_later_ones_together():
    records = pa.table(
        {"source": ["a", "b", "b", "b"], "artist": [None, "x", None, "x"], "title": [None, "t", "t", None]}
    )
    found = preferences(meets_all(records, rules({"source": "a"}, {"known": "artist"}, {"known": "title"})))
    assert found.tolist() == [4, 3, 1, 2]


@given(st.lists(st.booleans(), min_size=20, max_size=20), st.lists(st.booleans(), min_size=20, max_size=20))
def test_twenty_rules_compare_as_their_answers_do(one: list[bool], other: list[bool]):
    records = pa.table(
        {
            f"c{place}": ["x" if a else None, "x" if b else None]
            for place, (a, b) in enumerate(zip(one, other, strict=True))
        }
    )
    first, second = preferences(meets_all(records, rules(*({"known": name} for name in records.column_names)))).tolist()
    assert (first > second, first < second) == (one > other, one < other)


def test_a_rule_that_no_record_meets_is_told():
    records = pa.table({"locator": ["Kopien/x.jpg"], "artist": ["Hals"]})
    given_rules = rules({"not": {"folder": "Kopein"}}, {"known": "artist"}, {"folder": "Kopien"})
    assert unmet_notes("dedup", meets_all(records, given_rules), given_rules) == [
        "dedup: no record meets `folder: Kopein` of `prefer`, so that it prefers nothing"
    ]
    assert unmet_notes("dedup", meets_all(records.slice(0, 0), given_rules), given_rules) == []
    assert unmet_notes("dedup", np.zeros((0, 1), np.bool_), []) == []
    assert preferences(np.zeros((0, 2), np.bool_)).tolist() == [0, 0]


# --- who must not stay


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([], [], id="no records"),
        pytest.param([("g", None, None), ("g", None, None)], [False, False], id="nothing is published"),
        pytest.param([("g", "train", None), ("g", None, None)], [False, False], id="a new copy may be the better one"),
        pytest.param([("g", "train", None), ("g", "test", None)], [True, False], id="the higher rank stays"),
        pytest.param(
            [("g", "val", None), ("h", "test", None), ("g", "train", None), ("g", "val", None)],
            [False, False, True, False],
            id="another group does not matter",
        ),
        pytest.param(
            [("g", None, "query"), ("g", None, "gallery"), ("h", None, "query")],
            [True, False, False],
            id="what hangs stays",
        ),
    ],
)
def test_who_must_not_take_the_place_of_a_copy(rows, expected):
    columns = [
        pa.chunked_array([pa.array(column, pa.string())])
        for column in (zip(*rows, strict=True) if rows else [[], [], []])
    ]
    assert is_second_choice(*columns).tolist() == expected


@pytest.mark.parametrize(
    ("published", "keep", "expected"),
    [
        pytest.param([None, None], ["train", "test"], [True, False], id="the highest that a source says stays"),
        pytest.param([None, None], ["train", None], [False, False], id="who has none goes with the group"),
        pytest.param(["train", None], [None, "test"], [False, True], id="what is published outranks it"),
        pytest.param(["val", None], ["train", "val"], [True, False], id="a copy that is where its source has it"),
        pytest.param(["val", "val"], ["train", "val"], [True, False], id="again, from one's own result"),
        pytest.param([None, None], [None, None], [False, False], id="no source says anything"),
        pytest.param([None, None], [None, "ood"], [True, False], id="what is held out stays, others go"),
        pytest.param(["train", None], [None, "ood"], [False, True], id="but nothing that is published moves"),
        pytest.param(
            ["ood", "ood"], [None, "ood"], [True, False], id="from one's own result, where copies have a split"
        ),
        pytest.param(["ood", None], [None, None], [False, False], id="nothing is held out any more"),
    ],
)
def test_of_copies_that_sources_have_in_different_splits(published: Any, keep: Any, expected: list[bool]):
    group, role = pa.chunked_array([["a", "a"]]), pa.chunked_array([pa.nulls(2, pa.string())])
    published, keep = (pa.chunked_array([column], pa.string()) for column in (published, keep))
    assert is_second_choice(group, published, role, keep).tolist() == expected
