"""How far what is published keeps the splits from their ratios, and what a person is told."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import Refusal
from schemas.split import Split
from schemas.tables import SPLIT
from tasks.core import tables
from tasks.core.split import drift
from tasks.core.split.decide import decide


def outcome(*splits: str | None, groups: list[str] | None = None) -> pa.Table:
    """None: dropped."""
    names = [f"w:{number:04}" for number in range(len(splits))]
    return tables.outcome(
        SPLIT,
        pa.chunked_array([names], pa.string()),
        group_id=groups or names,
        split=list(splits),
        reason=["joined_across_splits" if split is None else None for split in splits],
    )


def lying(train: int, val: int, test: int) -> list[str]:
    return ["train"] * train + ["val"] * val + ["test"] * test


def dealing(**settings: Any) -> Split:
    return Split.model_validate({"label": "split", "seed": 1, **settings})


def check(result: pa.Table, settings: Split, afresh: pa.Table | None = None) -> None:
    """afresh: by default the ratios can be had to the image."""
    size = result.num_rows - result["reason"].drop_null().length()
    seats = settings.seats
    best = [name for name, seat in seats.items() for _ in range(round(size * seat / sum(seats.values())))]
    drift.check(result, settings, lambda: outcome(*best) if afresh is None else afresh)


def told(
    splits: list[str | None], groups: list[str] | None = None, style: list[str | None] | None = None, **settings: Any
) -> list[str]:
    result = outcome(*splits, groups=groups)
    styles = pa.array(style or ["Cubism"] * len(splits), pa.string())
    figures = pa.array([0] * len(splits), pa.int64())
    view = pa.table({"record_id": result["record_id"], "figures": figures, "style": styles})
    return drift.notes(view, result, dealing(**settings))


@pytest.mark.parametrize(
    ("train", "val", "test", "settings"),
    [
        pytest.param(0, 0, 0, {}, id="nobody"),
        pytest.param(1, 0, 0, {}, id="one image"),
        pytest.param(0, 0, 1, {}, id="one image, in test"),
        pytest.param(600, 200, 200, {}, id="as the ratios ask"),
        pytest.param(649, 200, 151, {}, id="one in twenty elsewhere"),
        pytest.param(1000, 0, 0, {"max_drift": 1}, id="whatever comes"),
        pytest.param(100, 0, 0, {"ratios": {"train": 1}}, id="one split"),
    ],
)
def test_what_passes(train: int, val: int, test: int, settings: dict[str, Any]):
    check(outcome(*lying(train, val, test)), dealing(**settings))


@pytest.mark.parametrize(
    ("train", "val", "test", "settings", "said"),
    [
        # of 1,000 images 5 % are 50, and what chance may do is less than another 40
        pytest.param(
            690,
            200,
            110,
            {},
            "train 690 (69.0%, wanted 60.0%), val 200 (20.0%, wanted 20.0%), test 110 (11.0%, wanted 20.0%)",
            id="too many in train",
        ),
        pytest.param(510, 290, 200, {}, "val 290 (29.0%, wanted 20.0%)", id="too few"),
        pytest.param(640, 180, 180, {"max_drift": 0}, "expected at most 0% of 1000 images", id="nothing is allowed"),
        pytest.param(
            1000,
            0,
            0,
            {"ratios": {"train": 5, "test": 1}},
            "train 1000 (100.0%, wanted 83.3%), test 0 (0.0%, wanted 16.7%)",
            id="no val",
        ),
    ],
)
def test_what_is_refused(train: int, val: int, test: int, settings: dict[str, Any], said: str):
    with pytest.raises(Refusal) as refused:
        check(outcome(*lying(train, val, test)), dealing(**settings))
    assert said in str(refused.value)
    assert "give the split another seed" in str(refused.value)


def test_what_is_dropped_counts_for_nothing():
    check(outcome(*lying(60, 20, 20), *[None] * 900), dealing())


def test_what_no_deal_could_mend_is_no_drift():
    """Half of all are of one group: it must lie somewhere."""
    result = outcome(*lying(500, 0, 500))
    check(result, dealing(), afresh=outcome(*lying(500, 500, 0)))
    with pytest.raises(Refusal):
        check(result, dealing())


def test_all_is_dealt_afresh_only_where_there_is_doubt():
    def never() -> pa.Table:
        raise AssertionError("expected no other deal")

    drift.check(outcome(*lying(600, 200, 200)), dealing(), never)


GROUPS = st.lists(st.tuples(st.sampled_from("ABCDEFGH"), st.integers(0, 9)), max_size=60)
HOW = st.sampled_from(
    [
        {},
        {"order": None},
        {"ratios": {"train": 5, "test": 1}},
        {"ratios": {"train": 8, "val": 1, "test": 1}},
        {"by": None},
        {"method": "iterative", "by": ["style", "artist"]},
    ]
)


@given(GROUPS, HOW, st.integers(0, 99), st.booleans())
def test_what_is_dealt_afresh_has_not_drifted(
    rows: list[tuple[str, int]], how: dict[str, Any], seed: int, in_groups: bool
):
    settings = dealing(**how, seed=seed, max_drift=0.05)
    bond = [str(group) if in_groups else None for _, group in rows]
    size = len(rows)
    view = pa.table(
        {
            "record_id": pa.array([f"w:{number}" for number in range(size)], pa.string()),
            "is_kept": pa.array([True] * size, pa.bool_()),
            "published": pa.nulls(size, pa.string()),
            "figures": pa.array([number % 5 for number in range(size)], pa.int64()),
            "style": pa.array([style for style, _ in rows], pa.string()),
            "artist": pa.array([str(group % 3) for _, group in rows], pa.string()),
            "declared": pa.array(bond, pa.string()),
        }
    )
    result = decide(view, settings)
    drift.check(result, settings, lambda: result)
    assert bool(drift.notes(view, result, settings)) == bool(rows)


# --- what is told


@pytest.mark.parametrize(
    ("splits", "expected"),
    [
        pytest.param([], [], id="nobody"),
        pytest.param([None], [], id="nobody is left"),
        pytest.param(
            ["train"],
            ["split: train 1 (100.0%, wanted 60.0%), val 0 (0.0%, wanted 20.0%), test 0 (0.0%, wanted 20.0%)"],
            id="one image",
        ),
        pytest.param(
            lying(6, 2, 2),
            ["split: train 6 (60.0%, wanted 60.0%), val 2 (20.0%, wanted 20.0%), test 2 (20.0%, wanted 20.0%)"],
            id="all well",
        ),
    ],
)
def test_shares_are_told(splits: list[str | None], expected: list[str]):
    assert told(splits) == expected


def test_strata_far_from_their_shares_are_told_the_farthest_first():
    splits, style = [], []
    for name, has in (("near", (12, 4, 4)), ("far", (10, 0, 10)), ("farther", (20, 0, 0)), ("small", (5, 0, 0))):
        splits += lying(*has)
        style += [name] * sum(has)
    _, said = told([*splits], style=[*style], max_drift=0.05)
    assert said == "split: 2 strata are more than 5% away from the ratios: farther (20/0/0), far (10/0/10)"


def test_of_many_such_strata_five_are_named():
    said = told(lying(140, 0, 0) + 7 * lying(12, 4, 4), style=[f"s{number // 20:02}" for number in range(280)])
    assert said[1].endswith("s03 (20/0/0), s04 (20/0/0) and 2 more")


def test_what_is_unknown_is_told():
    assert told([*lying(6, 2, 2)], style=[None, ""] + ["Cubism"] * 8)[1:] == [
        "split: 2 images are in the stratum unknown"
    ]


def test_a_group_larger_than_the_share_of_a_split_is_told():
    said = told(lying(6, 2, 2), groups=["g"] * 3 + [f"s{number}" for number in range(7)])
    assert said[1:] == [
        "split: the group of g has 3 of 10 images, more than the whole share of a split; it lies in one split "
        "nevertheless"
    ]
    assert len(told(lying(6, 2, 2), groups=["g"] * 2 + [f"s{number}" for number in range(8)])) == 1


def test_what_was_dropped_is_in_no_stratum():
    said = told([None, *lying(6, 2, 2)], style=[None] + ["Cubism"] * 10)
    assert len(said) == 1


def test_figures_are_told_where_they_are_balanced():
    result = outcome(*lying(3, 1, 1))
    view = pa.table({"record_id": result["record_id"], "figures": [5, 4, 3, 6, 2], "style": ["Cubism"] * 5})
    assert drift.notes(view, result, dealing())[1] == "split: of 20 figures train 60.0%, val 30.0%, test 10.0%"
    assert len(drift.notes(view, result, dealing(order=None))) == 1


def test_where_each_key_is_balanced_by_itself_each_is_told_by_itself():
    result = outcome(*lying(24, 8, 8))
    of = {"style": ["a", "b"] * 20, "source": ["x"] * 24 + ["y"] * 16}
    view = pa.table({"record_id": result["record_id"], "figures": [0] * 40, **of})
    assert drift.notes(view, result, dealing(by=["style", "source"], method="iterative"))[1:] == [
        "split: 1 stratum is more than 5% away from the ratios: x (24/0/0)"
    ]
