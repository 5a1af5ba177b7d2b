"""Ids: from the name alone, whole in every JSON reader, never 0, and never given twice."""

import hashlib
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core import ids as module
from tasks.core.ids import MASK, ids, natural_id
from tests.support import rowwise


def test_a_natural_id_is_the_first_53_bits_of_the_names_sha256():
    bits = "".join(f"{byte:08b}" for byte in hashlib.sha256("met:Käthe".encode()).digest())
    assert natural_id("met:Käthe") == int(bits[:53], 2)


# python3 -c on the first 14 hex digits of `printf met:1 | sha256sum`, >> 3
def test_a_known_number_so_that_no_release_ever_numbers_otherwise():
    assert natural_id("met:1") == 7184241790254354


def test_zero_becomes_one(monkeypatch: pytest.MonkeyPatch):
    class Zeros:
        def __init__(self, _: bytes) -> None: ...

        def digest(self) -> bytes:
            return bytes(32)

    monkeypatch.setattr(module.hashlib, "sha256", Zeros)
    assert natural_id("any") == 1


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_id_is_whole_in_json_and_none_is_0(name: str):
    assert 1 <= natural_id(name) <= 2**53 - 1


@pytest.mark.parametrize(
    ("names", "known", "expected"),
    [
        pytest.param([], None, [], id="no names, no ids"),
        pytest.param(["a"], None, [5], id="one has its natural id"),
        pytest.param(
            ["c", "a", "b"], None, [7, 5, 6], id="a collision takes the next free number, in the names' order"
        ),
        pytest.param(["a", "b"], {"b": 5}, [6, 5], id="a known id stays though a smaller name wants it"),
        pytest.param(["a", "b"], {"b": 6}, [5, 6], id="a known id that a collision once gave"),
        pytest.param(["a", "b", "c"], {"b": 6, "c": 5}, [7, 6, 5], id="the next free number is none of the known"),
        pytest.param(["a", "b"], {"a": 9, "b": 9}, [9, 9], id="what is known stays, whatever it is"),
    ],
)
def test_colliding_names(
    names: list[str], known: dict[str, int] | None, expected: list[int], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "natural_id", lambda _: 5)
    assert of(names, known) == expected


def of(names: Sequence[str], known: Mapping[str, int] | None = None) -> list[int]:
    """The ids of these names."""
    column = None if known is None else pa.array([known.get(name) for name in names], pa.int64())
    got: list[int] = ids(pa.array(names, pa.string()), column).to_pylist()
    return got


def test_after_the_largest_number_comes_1(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "natural_id", lambda _: MASK)
    assert of(["a", "b", "c", "d"], {"d": 1}) == [2**53 - 1, 2, 3, 1]


@given(st.lists(st.text("abc", max_size=3), max_size=12, unique=True), st.data())
def test_the_order_in_which_names_come_changes_nothing(names: list[str], data: st.DataObject):
    mixed = data.draw(st.permutations(names))
    given_ = dict(zip(names, of(names), strict=True))
    assert dict(zip(mixed, of(mixed), strict=True)) == given_
    assert len(set(given_.values())) == len(given_)


names = st.sets(st.text("ab", max_size=4), max_size=10).map(sorted)
natural = st.sampled_from([1, 2, 3, 5, 6, 9, MASK - 1, MASK])


@given(names, st.dictionaries(st.text("ab", max_size=4), natural, max_size=6), st.lists(natural, min_size=32))
def test_ids_that_collide_are_those_that_are_given_one_after_the_other(
    names: list[str], known: dict[str, int], wanted: list[int]
):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "natural_id", lambda name: wanted[int(f"1{name}".replace("a", "0").replace("b", "1"), 2)])
        assert dict(zip(names, of(names, known), strict=True)) == rowwise.ids(names, known)


@given(names, names)
def test_names_that_come_and_go_move_no_id_that_is_known(first: list[str], second: list[str]):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "natural_id", lambda name: len(name) + 1)  # many collisions
        before = dict(zip(first, of(first), strict=True))
        both = sorted({*first, *second})
        after = dict(zip(both, of(both, before), strict=True))
    assert all(after[name] == before[name] for name in first)
    assert len(set(after.values())) == len(both)
