"""train, val and test: PoPArt's batches, groups that stay together, published images that stay where they are."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from schemas.draw import Split
from schemas.tables import SPLIT
from tasks.core import split

SEATS = {"train": 3, "val": 1, "test": 1}


def table(*units: tuple[str, str, int]) -> pa.Table:
    rows = [{"unit": unit, "style": style, "figures": figures, "published": None} for unit, style, figures in units]
    return pa.Table.from_pylist(rows, schema=split.UNITS)


def dealt(*units: tuple[str, str, int], **settings: Any) -> dict[str, str]:
    got = split.draw(table(*units), Split(label="split", **{"seed": 1, **settings}))
    assert got.schema == split.DRAWN
    assert got["unit"].to_pylist() == sorted(unit for unit, _, _ in units)
    return dict(zip(got["unit"].to_pylist(), got["split"].to_pylist(), strict=True))


def style(count: int, name: str = "Cubism") -> list[tuple[str, str, int]]:
    """Units u00, u01, ... of one style, most figures first."""
    return [(f"{name}:u{number:02}", name, 100 - number) for number in range(count)]


# --- PoPArt, section 3.3


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_each_batch_of_five_in_the_order_of_figures_has_three_one_and_one(seed: int, batches: int):
    units = style(5 * batches)
    got = dealt(*units, seed=seed)
    for start in range(0, len(units), 5):
        assert Counter(got[unit] for unit, _, _ in units[start : start + 5]) == SEATS


@given(st.integers(0, 10**6), st.integers(1, 14))
def test_a_short_last_batch_takes_no_seat_twice(seed: int, count: int):
    units = style(count)
    got = dealt(*units, seed=seed)
    last = Counter(got[unit] for unit, _, _ in units[count - count % 5 :])
    assert all(last[name] <= seats for name, seats in SEATS.items())
    assert sum(last.values()) == count % 5


SEEDS = 1500


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        # which seats are taken, by the hypergeometric law: {train x 3, val, test} without replacement
        pytest.param(1, {"train": 3 / 5, "val": 1 / 5, "test": 1 / 5}, id="one place"),
        pytest.param(2, {"train train": 3 / 10, "train val": 3 / 10, "test train": 3 / 10, "test val": 1 / 10}, id="two places"),
        pytest.param(4, {"test train train train": 1 / 5, "train train train val": 1 / 5, "test train train val": 3 / 5}, id="four places"),
    ],
)  # fmt: skip
def test_a_short_last_batch_draws_its_places_from_the_five_seats(left: int, expected: dict[str, float]):
    found = Counter(" ".join(sorted(dealt(*style(left), seed=seed).values())) for seed in range(SEEDS))
    assert set(found) == set(expected)
    assert stats.chisquare([found[key] for key in expected], [SEEDS * odds for odds in expected.values()]).pvalue > 0.01


@pytest.mark.parametrize("place", range(5))
def test_in_a_batch_each_place_is_dealt_each_seat_by_chance(place: int):
    found = Counter(dealt(*style(5), seed=seed)[f"Cubism:u{place:02}"] for seed in range(600))
    assert stats.chisquare([found["train"], found["val"], found["test"]], [360, 120, 120]).pvalue > 0.01


def test_batches_are_filled_inside_each_style():
    units = [*style(5, "Cubism"), *style(10, "Baroque"), *style(5, "")]
    got = dealt(*units)
    for name, count in (("Cubism", 1), ("Baroque", 2), ("", 1)):
        in_style = Counter(got[unit] for unit, of, _ in units if of == name)
        assert in_style == {key: seats * count for key, seats in SEATS.items()}


def test_without_styles_there_is_one_list():
    units = [unit for number in range(10) for unit in style(1, f"style {number}")]
    got = dealt(*units, by=None)
    assert Counter(got.values()) == {"train": 6, "val": 2, "test": 2}


@pytest.mark.parametrize(
    ("ratios", "count", "expected"),
    [
        pytest.param({"train": 5, "test": 1}, 12, {"train": 10, "test": 2}, id="ArtBench has no val"),
        pytest.param({"train": 5, "val": 0, "test": 1}, 12, {"train": 10, "test": 2}, id="a ratio of 0"),
        pytest.param({"test": 1}, 3, {"test": 3}, id="only test"),
        pytest.param({"test": 1, "val": 1, "train": 3}, 10, {"train": 6, "val": 2, "test": 2}, id="in any order"),
    ],
)
def test_other_ratios(ratios: dict[str, int], count: int, expected: dict[str, int]):
    assert Counter(dealt(*style(count), ratios=ratios).values()) == expected
    assert dealt(*style(count), ratios=ratios) == dealt(*style(count), ratios=dict(reversed(ratios.items())))


def test_units_with_as_many_figures_are_put_in_order_by_chance_and_not_by_name():
    units = [(f"u{number}", "Cubism", 3) for number in range(10)]
    first = [Counter(dealt(*units, seed=seed)[f"u{number}"] for number in range(5)) for seed in range(30)]
    assert any(counted != SEATS for counted in first)  # by name, the first five would always be one batch


def test_where_order_is_null_figures_decide_nothing():
    units = style(13)
    turned = [(unit, of, -figures) for unit, of, figures in units]
    assert dealt(*units, order=None) == dealt(*turned, order=None)
    assert dealt(*units) != dealt(*turned)


# --- what must not move a draw


@given(st.lists(st.tuples(st.sampled_from("AB"), st.integers(0, 3)), max_size=20), st.randoms(use_true_random=False))
def test_the_order_of_the_input_changes_nothing(rows: list[tuple[str, int]], chance: Any):
    units = [(f"u{number:02}", of, figures) for number, (of, figures) in enumerate(rows)]
    mixed = units.copy()
    chance.shuffle(mixed)
    assert dealt(*mixed) == dealt(*units)


def test_units_of_another_style_change_nothing():
    alone = dealt(*style(12))
    assert {unit: of for unit, of in dealt(*style(12), *style(31, "Dada")).items() if unit in alone} == alone


def test_full_batches_are_not_dealt_again_when_units_with_fewer_figures_come():
    before, after = dealt(*style(10)), dealt(*style(14))
    assert {unit: after[unit] for unit in before} == before


def test_seed_and_label_each_make_another_draw():
    assert dealt(*style(20)) != dealt(*style(20), seed=2)
    assert dealt(*style(20)) != dict(
        split.draw(table(*style(20)), Split(label="other", seed=1)).to_pandas().itertuples(index=False)
    )


def test_nothing_to_deal():
    assert dealt() == {}


# --- units


@pytest.mark.parametrize(
    ("names", "bonds", "expected"),
    [
        pytest.param([], [], [], id="no records"),
        pytest.param([], [[], []], [], id="no records, two bonds"),
        pytest.param(["b", "a"], [], ["b", "a"], id="no bonds"),
        pytest.param(["b", "a"], [[None, None]], ["b", "a"], id="no word is no bond"),
        pytest.param(["b", "a"], [["", ""]], ["a", "a"], id="an empty word is a word"),
        pytest.param(["b", "a"], [["x", None], [None, "x"]], ["b", "a"], id="one word in two bonds ties nothing"),
        pytest.param(
            ["c", "b", "a"], [["x", "x", None], [None, "y", "y"]], ["a", "a", "a"], id="a chain over two bonds"
        ),
        pytest.param(["c", "b", "a"], [["x", "y", "x"]], ["a", "b", "a"], id="two groups"),
    ],
)
def test_records_that_share_a_word_are_one_unit(names: list[str], bonds: list[list[str | None]], expected: list[str]):
    assert split.units_of(names, bonds) == expected


def unit_rows(*rows: tuple[str, str, str | None, int, str | None, bool]) -> list[tuple[Any, ...]]:
    columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [[]] * 6
    got = split.units(*columns)
    assert got.schema == split.UNITS
    return [tuple(row.values()) for row in got.to_pylist()]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([], [], id="no records"),
        pytest.param([("a", "a", "Cubism", 2, None, True)], [("a", "Cubism", 2, None)], id="one record"),
        pytest.param([("a", "a", None, 0, None, True)], [("a", "", 0, None)], id="no style is the empty one"),
        pytest.param(
            [("b", "a", "Dada", 7, None, True), ("a", "a", "Cubism", 2, None, True)],
            [("a", "Cubism", 7, None)],
            id="the style of the first by name, the most figures of any",
        ),
        pytest.param(
            [("a", "a", "Cubism", 9, None, False), ("b", "a", "Dada", 2, None, True)],
            [("a", "Dada", 2, None)],
            id="what was dropped gives neither style nor figures",
        ),
        pytest.param(
            [("a", "a", "Cubism", 9, "val", False), ("b", "a", "Dada", 2, None, True)],
            [("a", "Dada", 2, "val")],
            id="but the split in which it was published",
        ),
        pytest.param(
            [("a", "a", "C", 1, "train", True), ("b", "a", "C", 1, "test", True), ("c", "a", "C", 1, "val", True)],
            [("a", "C", 1, "test")],
            id="of several published splits the one of highest rank",
        ),
        pytest.param([("a", "a", "Cubism", 2, "val", False)], [], id="a unit with nothing kept is left out"),
        pytest.param(
            [("b", "b", "C", 1, None, True), ("a", "a", "C", 1, None, True)],
            [("a", "C", 1, None), ("b", "C", 1, None)],
            id="sorted",
        ),
    ],
)
def test_what_is_dealt(rows: list[tuple[Any, ...]], expected: list[tuple[Any, ...]]):
    assert unit_rows(*rows) == expected
    assert unit_rows(*reversed(rows)) == expected


# --- outcome


def outcome(*rows: tuple[str, str, str | None], **split_of: str) -> list[tuple[Any, ...]]:
    """rows: record_id, unit, published. Returns reason, detail, split of each."""
    got = split.outcome(
        pa.chunked_array([[row[0] for row in rows]], pa.string()),
        [row[1] for row in rows],
        [row[2] for row in rows],
        split_of,
    )
    assert got.schema == SPLIT
    assert got["group_id"].to_pylist() == [row[1] for row in rows]
    return [(row["reason"], row["detail"], row["split"]) for row in got.to_pylist()]


def test_what_was_published_in_a_split_of_lower_rank_than_its_groups_is_dropped():
    got = outcome(("a", "a", "train"), ("b", "a", "test"), ("c", "a", None), ("d", "d", "val"), a="test", d="val")
    assert got == [
        ("joined_across_splits", "published in train, its group in test", None),
        (None, None, "test"),
        (None, None, "test"),
        (None, None, "val"),
    ]


def test_nobody_is_dealt():
    assert outcome() == []


# --- all of it together, as the shell does it


Record = tuple[str | None, str | None, str | None, int, str | None, bool]
records = st.lists(
    st.tuples(
        st.none() | st.sampled_from("xyz"),  # copies
        st.none() | st.sampled_from("gh"),  # declared groups
        st.none() | st.sampled_from(["Cubism", "Dada"]),
        st.integers(0, 3),
        st.none() | st.sampled_from(["train", "val", "test"]),
        st.booleans(),
    ),
    max_size=16,
)


def whole(named: list[tuple[str, Record]]) -> dict[str, dict[str, Any]]:
    names = [name for name, _ in named]
    copies, declared, styles, figures, published, kept = (
        list(column) for column in (zip(*(row for _, row in named), strict=True) if named else [[]] * 6)
    )
    unit = split.units_of(names, [copies, declared])
    listed = split.units(names, unit, styles, figures, published, kept)
    split_of = {row["unit"]: row["published"] for row in listed.to_pylist()}
    new = listed.filter(pa.array([row is None for row in listed["published"].to_pylist()], pa.bool_()))
    split_of |= {row["unit"]: row["split"] for row in split.draw(new, Split(label="split", seed=1)).to_pylist()}
    got = split.outcome(pa.chunked_array([names], pa.string()), unit, published, split_of)
    return {row["record_id"]: row for row, stays in zip(got.to_pylist(), kept, strict=True) if stays}


@given(records, st.randoms(use_true_random=False))
def test_groups_never_straddle_and_nothing_published_moves(rows: list[Record], chance: Any):
    named = [(f"r{number:02}", row) for number, row in enumerate(rows)]
    got = whole(named)
    unit = dict(
        zip(
            dict(named),
            split.units_of(list(dict(named)), [[row[0] for row in rows], [row[1] for row in rows]]),
            strict=True,
        )
    )
    for name, verdict in got.items():
        assert verdict["group_id"] == unit[name]
        earlier = [of for other, (_, _, _, _, of, _) in named if unit[other] == unit[name] and of]
        settled = max(earlier, key=lambda of: split.RANK[of], default=None)
        published = dict(named)[name][4]
        if published not in (None, settled):
            assert (verdict["reason"], verdict["split"]) == ("joined_across_splits", None)
        else:
            assert verdict["reason"] is None
            assert verdict["split"] in ([settled] if settled else SEATS)
    for one in got:
        mates = {got[two]["split"] for two in got if unit[two] == unit[one]} - {None}
        assert len(mates) <= 1
    mixed = named.copy()
    chance.shuffle(mixed)
    assert whole(mixed) == got


@given(records)
def test_to_deal_again_what_was_dealt_changes_nothing(rows: list[Record]):
    named = [(f"r{number:02}", row) for number, row in enumerate(rows)]
    first = whole(named)
    again = [
        (name, (*row[:4], first[name]["split"], True)) for name, row in named if name in first and first[name]["split"]
    ]
    second = whole(again)
    assert {name: row["split"] for name, row in second.items()} == {name: first[name]["split"] for name in second}
