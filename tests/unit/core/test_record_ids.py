"""Two spellings of one record id: which a record keeps, and which a person may write."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.record_ids import known_spellings, plain_id, published_spellings, spelling_notes, with_ids


def ledger(**reasons: str | None) -> pa.Table:
    """reasons: by key, with _ for the point: s:1_0 is s:1.0."""
    names = [f"s:{name[1:].replace('_', '.')}" for name in reasons]
    return pa.table({"record_id": pa.array(names, pa.string()), "reason": pa.array(reasons.values(), pa.string())})


def names(*record_ids: str) -> pa.ChunkedArray:
    return pa.chunked_array([record_ids], pa.string())


@pytest.mark.parametrize(
    ("now", "before", "expected"),
    [
        pytest.param([], {}, {}, id="nothing"),
        pytest.param(["s:1"], {}, {}, id="a first build"),
        pytest.param(["s:1"], {"k1_0": None}, {"s:1": "s:1.0"}, id="published as a float"),
        pytest.param(["s:1.0"], {"k1": None}, {"s:1.0": "s:1"}, id="published as a whole number, and a text now"),
        pytest.param(["s:1"], {"k1": None}, {}, id="as it was"),
        pytest.param(["s:1.0"], {"k1_0": None}, {}, id="as it was, a float"),
        pytest.param(["s:1"], {"k1_0": "excluded"}, {"s:1": "s:1.0"}, id="of one that was dropped"),
        pytest.param(["s:1"], {"k1": "gone", "k1_0": None}, {"s:1": "s:1.0"}, id="the one that was there"),
        pytest.param(["s:1"], {"k1": None, "k1_0": "gone"}, {}, id="the other is gone"),
        pytest.param(["s:1"], {"k1": "gone", "k1_0": "gone"}, {}, id="both are gone"),
        pytest.param(["s:1"], {"k1": "taken_down", "k1_0": None}, {}, id="both were there: its own"),
        pytest.param(["s:1"], {"k1_0": None, "k1_00": None}, {}, id="two others"),
        pytest.param(["s:1", "s:1.0"], {"k1": None}, {}, id="two records"),
        pytest.param(["s:1.10"], {"k1_1": None}, {}, id="1.10 is not 1.1"),
        pytest.param(["t:1"], {"k1_0": None}, {}, id="of another source"),
    ],
)
def test_a_record_keeps_the_id_that_it_was_published_under(
    now: list[str], before: dict[str, str | None], expected: dict[str, str]
):
    assert published_spellings(names(*now), ledger(**before)) == expected


def test_parts_of_a_key_have_spellings_too():
    known = pa.table({"record_id": ["s:7.0/2.0", "s:8.0/a"], "reason": pa.array([None, None], pa.string())})
    expected = {"s:7/2": "s:7.0/2.0", "s:8/a": "s:8.0/a"}
    assert published_spellings(names("s:7/2", "s:8/a", "s:9/1"), known) == expected


KEYS = st.sampled_from(["1", "1.0", "1.00", "2", "2.0", "2.1", "x", "1/2.0", "1.0/2"])
REASONS = st.sampled_from([None, "gone", "excluded", "taken_down", "over_limit"])


@given(st.sets(KEYS), st.dictionaries(KEYS, REASONS))
def test_no_two_records_come_to_share_an_id_and_none_leaves_one_that_is_there(
    now: set[str], before: dict[str, str | None]
):
    ids = [f"s:{key}" for key in sorted(now)]
    book = pa.table({"record_id": [f"s:{key}" for key in before], "reason": pa.array(before.values(), pa.string())})
    spellings = published_spellings(names(*ids), book) if before else {}
    renamed = [spellings.get(name, name) for name in ids]
    assert len(set(renamed)) == len(ids)
    for name, published in spellings.items():
        assert plain_id(name) == plain_id(published)
        assert before[published[2:]] not in {"gone", "over_limit"} or name[2:] not in before
        assert before.get(name[2:], "gone") in {"gone", "over_limit"}
    again = published_spellings(names(*sorted(renamed)), book) if before else {}
    assert again == {}


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        pytest.param("s:1", ["s:1.0"], "s:1.0", id="as a float"),
        pytest.param("s:1.0", ["s:1"], "s:1", id="as a whole number"),
        pytest.param("s:e\u0301.jpg", ["s:\u00e9.jpg"], "s:\u00e9.jpg", id="decomposed"),
        pytest.param("s:1.0", ["s:1.0", "s:1"], None, id="itself"),
        pytest.param("s:1.00", ["s:1.0", "s:1"], None, id="either of two"),
        pytest.param("s:2.1", ["s:2"], None, id="another"),
        pytest.param("nothing", ["s:2.0"], None, id="no id"),
    ],
)
def test_known_spellings(name: str, known: list[str], expected: str | None):
    assert known_spellings([name], names(*known)) == ({name: expected} if expected else {})
    assert known_spellings([], names(*known)) == known_spellings([name], names()) == {}


def test_tables_have_these_ids_in_their_order():
    table = pa.table({"record_id": names("s:1", "s:2", "s:3"), "n": [1, 2, 3]})
    assert with_ids(table, {}) is table
    found = with_ids(table, {"s:1": "s:9", "s:x": "s:y"})
    assert found.to_pydict() == {"record_id": ["s:2", "s:3", "s:9"], "n": [2, 3, 1]}


def test_the_note_says_what_they_would_be_called():
    assert spelling_notes({}, "abc") == ()
    assert spelling_notes({"s:1": "s:1.0"}, "abc") == (
        "1 record keeps the id that release abc gave it: 's:1.0', which is the number of 's:1'",
    )
    (note,) = spelling_notes({"s:2": "s:2.0", "s:1": "s:1.0"}, "abc")
    assert note == ("2 records keep the ids that release abc gave them, such as 's:1.0', which is the number of 's:1'")
