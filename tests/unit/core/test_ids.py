"""Ids: from the name alone, whole in every JSON reader, never 0, and never given twice."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core import ids as module
from tasks.core.ids import MASK, ids, natural_id


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
    ("names", "known", "taken", "expected"),
    [
        pytest.param([], None, (), {}, id="no names, no ids"),
        pytest.param(["a"], None, (), {"a": 5}, id="one has its natural id"),
        pytest.param(
            ["c", "a", "b"],
            None,
            (),
            {"a": 5, "b": 6, "c": 7},
            id="a collision takes the next free number, in the names' order",
        ),
        pytest.param(["a", "a"], None, (), {"a": 5}, id="a name twice is one name"),
        pytest.param(["a", "b"], {"b": 5}, (), {"a": 6, "b": 5}, id="a known id stays though a smaller name wants it"),
        pytest.param(["a", "b"], {"b": 6}, (), {"a": 5, "b": 6}, id="a known id that a collision once gave"),
        pytest.param(["a"], {"z": 5}, (), {"a": 5}, id="what is known of others does not count"),
        pytest.param(["a", "b"], None, (5, 6, 8), {"a": 7, "b": 9}, id="what is taken elsewhere is not given"),
        pytest.param(["a"], {"a": 5}, (5,), {"a": 5}, id="a known id stays even if it is taken"),
    ],
)
def test_colliding_names(
    names: list[str],
    known: dict[str, int] | None,
    taken: tuple[int, ...],
    expected: dict[str, int],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(module, "natural_id", lambda _: 5)
    assert ids(names, known, taken) == expected


def test_after_the_largest_number_comes_1(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "natural_id", lambda _: MASK)
    assert ids(["a", "b", "c"], taken=(1,)) == {"a": 2**53 - 1, "b": 2, "c": 3}


@given(st.lists(st.text("abc", max_size=3), max_size=12), st.data())
def test_the_order_in_which_names_come_changes_nothing(names: list[str], data: st.DataObject):
    given_ = ids(names)
    assert ids(data.draw(st.permutations(names))) == given_
    assert len(set(given_.values())) == len(given_) == len(set(names))


@given(st.sets(st.text("ab", max_size=4), max_size=10), st.sets(st.text("ab", max_size=4), max_size=10))
def test_names_that_come_and_go_move_no_id_that_is_known(first: set[str], second: set[str]):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "natural_id", lambda name: len(name) + 1)  # many collisions
        before = ids(first)
        after = ids(second, known=before, taken=before.values())
    assert all(after[name] == before[name] for name in first & second)
    assert not {after[name] for name in second - first} & set(before.values())
