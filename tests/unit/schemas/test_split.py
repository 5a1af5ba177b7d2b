"""The settings of split: what is refused, and in which seats ratios come."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.split import MOST_SEATS, Split


@pytest.mark.parametrize(
    ("ratios", "seats"),
    [
        pytest.param({"train": 3, "val": 1, "test": 1}, {"train": 3, "val": 1, "test": 1}, id="PoPArt"),
        pytest.param({"test": 1, "train": 5}, {"train": 5, "test": 1}, id="ArtBench, in the order of rank"),
        pytest.param(
            {"train": 0.8, "val": 0.1, "test": 0.1}, {"train": 8, "val": 1, "test": 1}, id="fractions, exactly"
        ),
        pytest.param({"train": 60, "val": 20, "test": 20}, {"train": 3, "val": 1, "test": 1}, id="hundredths"),
        pytest.param(
            {"train": 0.7, "val": 0.15, "test": 0.15}, {"train": 14, "val": 3, "test": 3}, id="other fractions"
        ),
        pytest.param({"train": 1, "val": 0}, {"train": 1}, id="a split of nothing has no seat"),
        pytest.param({"test": 1000}, {"test": 1}, id="one split"),
        pytest.param({"train": 999, "test": 1}, {"train": 999, "test": 1}, id="as many seats as there may be"),
    ],
)
def test_seats(ratios: dict[str, float], seats: dict[str, int]):
    settings = Split.model_validate({"ratios": ratios})
    assert settings.seats == seats
    assert list(settings.seats) == list(seats)


@given(
    st.dictionaries(st.sampled_from(["train", "val", "test"]), st.integers(0, 30), min_size=1),
    st.sampled_from([1, 2, 0.5, 0.1]),
)
def test_seats_are_the_ratios_whatever_their_unit(ratios: dict[str, int], unit: float):
    if not sum(ratios.values()):
        return
    seats = Split.model_validate({"ratios": {name: round(ratio * unit, 1) for name, ratio in ratios.items()}}).seats
    whole, part = sum(ratios.values()), sum(seats.values())
    assert part <= MOST_SEATS
    for name, ratio in ratios.items():
        assert seats.get(name, 0) * whole == ratio * part


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        pytest.param({"ratios": {}}, "expected at least one ratio above 0, got {}", id="no ratios"),
        pytest.param(
            {"ratios": {"train": 0, "val": 0}}, "expected at least one ratio above 0", id="ratios that sum to zero"
        ),
        pytest.param({"ratios": {"train": -1, "val": 2}}, "greater than or equal to 0", id="below zero"),
        pytest.param({"ratios": {"train": float("nan")}}, "finite", id="no number"),
        pytest.param({"ratios": {"train": 1001}}, "less than or equal to 1000", id="too large"),
        pytest.param({"ratios": {"dev": 1}}, "'train', 'val' or 'test'", id="another split"),
        pytest.param(
            {"ratios": {"train": 0.9995, "test": 0.0005}},
            "expected ratios that need at most 1000 seats",
            id="a seat in two thousand",
        ),
        pytest.param(
            {"ratios": {"train": 0.6667, "test": 0.3333}},
            "such as 3:1:1 or 0.8:0.1:0.1",
            id="thirds as they are printed",
        ),
        pytest.param({"by": ["styles"]}, "expected method: iterative with `styles`", id="several styles in batches"),
        pytest.param({"by": "Genre"}, "'style'", id="no name of a key"),
        pytest.param({"order": "year"}, "'figures'", id="no such order"),
        pytest.param({"together": "a style"}, "'artist' or 'series'", id="no name of a bond"),
        pytest.param({"roles": {"met": "wall"}}, "'gallery' or 'query'", id="no such role"),
        pytest.param({"max_drift": 1.1}, "less than or equal to 1", id="more than all"),
        pytest.param({"seed": -1}, "greater than or equal to 0", id="a seed below zero"),
        pytest.param({"ratio": {"train": 1}}, "Extra inputs are not permitted", id="a slip of the pen"),
    ],
)
def test_splits_that_are_refused(settings: dict[str, Any], said: str):
    with pytest.raises(ValidationError) as refused:
        Split.model_validate(settings)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("written", "read"), [(None, ()), ("artist", ("artist",)), (["series", "artist"], ("series", "artist"))]
)
def test_one_bond_several_or_none(written: Any, read: tuple[str, ...]):
    assert Split.model_validate({"together": written}).together == read


@pytest.mark.parametrize(
    ("settings", "splits"),
    [
        pytest.param({}, ("train", "val", "test"), id="by default three"),
        pytest.param({"ratios": {"test": 1, "train": 5}}, ("train", "test"), id="no val"),
        pytest.param({"ratios": {"train": 5, "val": 0}}, ("train", "val"), id="a ratio of 0 is a split all the same"),
        pytest.param(
            {"ratios": {"val": 1, "test": 9}, "roles": {"met": "gallery", "flickr": "query"}},
            ("train", "val", "test"),
            id="a gallery",
        ),
        pytest.param(
            {"ratios": {"val": 1, "test": 9}, "roles": {"flickr": "query"}}, ("val", "test"), id="queries alone"
        ),
    ],
)
def test_the_splits_that_a_release_has(settings: dict[str, Any], splits: tuple[str, ...]):
    assert Split.model_validate(settings).splits == splits
