"""Chains of copies are followed to their end."""

import pyarrow as pa
import pytest

from tasks.core.export.copies import chain_ends


@pytest.mark.parametrize(
    ("pairs", "ends"),
    [
        pytest.param([], [], id="no copies"),
        pytest.param([("b", "a")], ["a"], id="a copy of what stays"),
        pytest.param([("b", "a"), ("c", "a")], ["a", "a"], id="two copies of it"),
        pytest.param([("d", "c"), ("c", "b"), ("b", "a")], ["a", "a", "a"], id="a chain"),
        pytest.param([("b", "a"), ("d", "c")], ["a", "c"], id="two works"),
    ],
)
def test_each_copy_leads_to_what_stays(pairs: list[tuple[str, str]], ends: list[str]):
    names, kept = (pa.array([pair[side] for pair in pairs], pa.string()) for side in (0, 1))
    assert chain_ends(names, kept).to_pylist() == ends


def test_a_chain_may_be_long():
    numbers = range(1000)
    names, kept = pa.array([f"{n + 1}" for n in numbers]), pa.array([f"{n}" for n in numbers])
    assert set(chain_ends(names, kept).to_pylist()) == {"0"}


def test_a_ring_which_no_build_makes_ends():
    assert len(chain_ends(pa.array(["a", "b"]), pa.array(["b", "a"]))) == 2
