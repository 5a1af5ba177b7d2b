"""What a choice has done to a collection: worked out by hand, odd ones first.

And for any collection by a slower way.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.tables import DIVERSITY, HISTOGRAMS, SHARES
from tasks.core.statistics import choice
from tasks.core.statistics.choice import ASPECT_EDGES, VIEW, diversity, histograms, shares

MANY = 10**6


def view(*rows: Sequence[Any]) -> pa.Table:
    """Rows of stratum, artist, year, width_px, height_px, figures."""
    said = [
        dict(zip(VIEW.names, (f"s:{place}", *row, *[None] * (6 - len(row))), strict=True))
        for place, row in enumerate(rows)
    ]
    return pa.Table.from_pylist(said, schema=VIEW)


def words(*said: str | None) -> pa.Array:
    return pa.array(said, pa.string())


def effective_and_gini(counts: Sequence[int]) -> tuple[float, float]:
    """Both numbers for artists with so many works each."""
    artists = pa.array(np.repeat([f"artist {place}" for place in range(len(counts))], counts), pa.string())
    row = diversity(pa.nulls(len(artists), pa.string()), artists).to_pylist()[0]
    return row["effective_artists"], row["gini"]


def effective_number(counts: Sequence[int]) -> float:
    """By its definition: exp of the Shannon entropy."""
    return math.exp(-sum(count / sum(counts) * math.log(count / sum(counts)) for count in counts))


def gini(counts: Sequence[int]) -> float:
    """By its definition: half the relative mean difference."""
    return sum(abs(a - b) for a in counts for b in counts) / (2 * len(counts) * sum(counts))


def bins(table: pa.Table, statistic: str, stratum: str | None = None) -> list[tuple[Any, Any, int]]:
    return [
        (row["least"], row["below"], row["count"])
        for row in table.to_pylist()
        if (row["statistic"], row["stratum"]) == (statistic, stratum)
    ]


@pytest.mark.parametrize(
    ("counts", "effective", "unevenness"),
    [
        pytest.param([7], 1, 0, id="one artist"),
        pytest.param([3, 3, 3], 3, 0, id="all equal"),
        pytest.param(
            [MANY, 1],
            math.exp(math.log(MANY + 1) - MANY * math.log(MANY) / (MANY + 1)),
            1 / 2 - 1 / (MANY + 1),
            id="nearly all",
        ),
        # entropy of 1/2, 1/4, 1/4 is 1.5 ln 2, so 2^1.5 artists; mean difference of 2, 1, 1 is 4/9, its mean 4/3: 4/9 /
        # (8/3)
        pytest.param([1, 2, 1], 2**1.5, 1 / 6, id="by hand"),
    ],
)
def test_numbers_by_hand(counts: list[int], effective: float, unevenness: float):
    assert effective_and_gini(counts) == pytest.approx((effective, unevenness), abs=1e-6)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=12))
def test_numbers_are_those_of_their_definitions(counts: list[int]):
    assert effective_and_gini(counts) == pytest.approx((effective_number(counts), gini(counts)), abs=1e-6)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=12), st.integers(2, 5))
def test_what_is_repeated_is_as_many_times_as_diverse_and_as_uneven(counts: list[int], times: int):
    effective, unevenness = effective_and_gini(counts)
    assert effective_and_gini(counts * times) == pytest.approx((times * effective, unevenness), abs=1e-5)
    assert 1 - 1e-6 <= effective <= len(counts) + 1e-6


def test_diversity_by_hand():
    found = diversity(words("b", "b", "b", "b", None, "", "a"), words("X", "Y", "Y", "Z", None, "", None), "before")
    assert found.schema == DIVERSITY
    assert found.to_pylist() == [
        dict(zip(DIVERSITY.names, row, strict=True))
        for row in [
            # all: X 1, Y 2, Z 1, unknown 3 of 7: exp(ln 7 - (2 ln 2 + 3 ln 3) / 7); 1, 1, 2, 3: 2 * (1 + 2 + 6 + 12) /
            # 28 - 5/4
            ("before", None, 7, 4, 3.585989, 0.25, "unknown", 0.428571, 3),
            ("before", "a", 1, 1, 1.0, 0.0, "unknown", 1.0, 1),
            ("before", "b", 4, 3, 2.828427, 0.166667, "Y", 0.5, 0),
            ("before", "unknown", 2, 1, 1.0, 0.0, "unknown", 1.0, 2),
        ]
    ]


def test_of_artists_with_equally_many_works_the_first_by_name_is_the_largest():
    assert diversity(words("s", "s", "s"), words("ä", "b", "Z"))["largest_artist"].to_pylist() == ["Z", "Z"]


ROWS = st.lists(st.tuples(st.sampled_from(["a", "all", "unknown", None]), st.sampled_from(["X", "Y", "Z", None])))


@given(ROWS, st.randoms(use_true_random=False))
def test_diversity_is_that_of_each_stratum_by_itself_in_any_order_of_rows(rows: list[Any], chance: Any):
    table = diversity(words(*(of for of, _ in rows)), words(*(by for _, by in rows)))
    assert table.num_rows == (len({of or "unknown" for of, _ in rows}) + 1 if rows else 0)
    for row in table.to_pylist():
        works = Counter(by or "unknown" for of, by in rows if row["stratum"] in (None, of or "unknown"))
        assert (row["images"], row["artists"]) == (works.total(), len(works))
        assert row["effective_artists"] == pytest.approx(effective_number(list(works.values())), abs=1e-6)
        assert row["gini"] == pytest.approx(gini(list(works.values())), abs=1e-6)
        assert (row["largest_artist"], row["unknown_artist"]) == (
            min(works, key=lambda name: (-works[name], name)),
            works["unknown"],
        )
    chance.shuffle(rows)
    assert diversity(words(*(of for of, _ in rows)), words(*(by for _, by in rows))).equals(table)


def test_works_per_artist_count_artists_and_an_artist_of_two_styles_is_one():
    table = histograms({"after": view(("a", "X"), ("a", "X"), ("b", "X"), ("a", "Y"), ("b", None))})
    assert table.schema == HISTOGRAMS
    assert bins(table, "works_per_artist") == [(1, 2, 2), (3, 4, 1)]
    assert bins(table, "works_per_artist", "a") == [(1, 2, 1), (2, 3, 1)]
    assert bins(table, "works_per_artist", "b") == [(1, 2, 2)]


def test_years_are_counted_by_decade_and_unknown_ones_apart():
    table = histograms({"after": view(*(("a", "X", year) for year in (1890, 1889, 1880, 2099, None, -1, -10)))})
    assert bins(table, "year", "a") == [(-10, 0, 2), (1880, 1890, 2), (1890, 1900, 1), (2090, 2100, 1), (None, None, 1)]


@pytest.mark.parametrize(
    ("width_px", "height_px", "least", "below"),
    [
        pytest.param(None, 5, None, None, id="no width"),
        pytest.param(5, None, None, None, id="no height"),
        pytest.param(5, 0, None, None, id="a height of nothing"),
        pytest.param(1, 1, 1.0, 1.0905, id="a square"),
        pytest.param(1, 2, 0.5, 0.5453, id="ArtBench's lower limit"),
        pytest.param(999, 2000, 0.4585, 0.5, id="just below it"),
        pytest.param(2, 1, 2.0, 2.181, id="ArtBench's upper limit"),
        pytest.param(1, 9, 0.0, 0.125, id="narrower than all bins"),
        pytest.param(8, 1, 8.0, math.inf, id="wider than all bins"),
        pytest.param(MANY, 1, 8.0, math.inf, id="very wide"),
    ],
)
def test_aspect_ratios_fall_into_bins(width_px: Any, height_px: Any, least: Any, below: Any):
    table = histograms({"after": view(("a", "X", None, width_px, height_px))})
    assert bins(table, "aspect_ratio") == bins(table, "aspect_ratio", "a") == [(least, below, 1)]


def test_bins_of_aspect_ratios_are_each_others_mirror_images():
    assert np.allclose(ASPECT_EDGES * ASPECT_EDGES[::-1], 1, atol=5e-4)
    assert {0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0} <= set(ASPECT_EDGES.tolist())


def test_figures_are_counted_by_their_number():
    table = histograms({"after": view(*(("a", "X", None, 1, 1, count) for count in (0, 110, 2, 2, None)))})
    assert bins(table, "figures_per_image") == [(0, 1, 1), (2, 3, 2), (110, 111, 1), (None, None, 1)]


def test_histograms_stand_in_one_order_and_what_is_empty_has_no_rows():
    rows = view(("b", "X", 1900, 1, 1, 1), (None, "X", 1900, 1, 1, 1), ("a", "Y", 1900, 1, 1, 1))
    table = histograms({"measured": view(), "before": rows, "after": rows.slice(2)})
    found = list(dict.fromkeys(zip(*(table[name].to_pylist() for name in ("statistic", "moment")), strict=True)))
    names = ("aspect_ratio", "figures_per_image", "works_per_artist", "year")
    assert found == [(name, moment) for name in names for moment in ("before", "after")]
    strata = [row["stratum"] for row in table.to_pylist() if (row["statistic"], row["moment"]) == ("year", "before")]
    assert strata == [None, "a", "b", "unknown"]
    assert histograms({}).equals(HISTOGRAMS.empty_table())


@given(ROWS)
def test_bins_hold_every_image_and_many_numbers_are_counted_as_few_are(rows: list[Any]):
    table = histograms({"after": view(*((of, by, 1900 + len(str(of)), 1, 1, 3) for of, by in rows))})
    for name in ("year", "aspect_ratio", "figures_per_image"):
        assert sum(count for *_, count in bins(table, name)) == len(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choice, "_DENSE", 0)
        assert histograms({"after": view(*((of, by, 1900 + len(str(of)), 1, 1, 3) for of, by in rows))}).equals(table)


def test_a_year_that_can_not_be_does_not_take_all_memory():
    table = histograms({"after": view(("a", "X", 2**31 - 1), ("a", "X", -(2**31)))})
    assert [count for *_, count in bins(table, "year")] == [1, 1]


def test_shares_by_hand():
    split = words("train", "val", "train", "train", "test")
    found = shares(
        words("b", "b", "a", "a", None), split, pa.array([1, 3, 0, None, 6]), {"train": 3, "val": 1, "test": 1}
    )
    assert found.schema == SHARES
    assert [tuple(row.values()) for row in found.to_pylist()] == [
        (None, "train", 3, 1, 0.6, 0.6, 0.1),
        (None, "val", 1, 3, 0.2, 0.2, 0.3),
        (None, "test", 1, 6, 0.2, 0.2, 0.6),
        ("a", "train", 2, 0, 0.6, 1.0, None),
        ("a", "val", 0, 0, 0.2, 0.0, None),
        ("a", "test", 0, 0, 0.2, 0.0, None),
        ("b", "train", 1, 1, 0.6, 0.5, 0.25),
        ("b", "val", 1, 3, 0.2, 0.5, 0.75),
        ("b", "test", 0, 0, 0.2, 0.0, 0.0),
        ("unknown", "train", 0, 0, 0.6, 0.0, 0.0),
        ("unknown", "val", 0, 0, 0.2, 0.0, 0.0),
        ("unknown", "test", 1, 6, 0.2, 1.0, 1.0),
    ]


def test_a_split_that_no_ratio_names_is_there_without_a_wanted_share():
    found = shares(words("a", "a"), words("test", "train"), pa.array([1, 1]), {"train": None})
    rows = found.select(["split", "wanted_share", "images_share"]).to_pylist()[:2]
    assert [tuple(row.values()) for row in rows] == [("train", None, 0.5), ("test", None, 0.5)]


def test_shares_of_nothing():
    assert shares(words(), words(), pa.array([], pa.int64()), {"train": 1}).equals(SHARES.empty_table())


def test_artists_of_the_real_style_lists(shared_data):
    """81,446 rows in 27 styles: the long tail for which the draw exists."""
    folder = shared_data / "wikiart_style_lists" / "Style"
    paths = [
        line.split(",")[0]
        for name in ("style_train.csv", "style_val.csv")
        for line in (folder / name).read_text(encoding="utf-8").splitlines()
    ]
    styles, files = zip(*(path.split("/", 1) for path in paths), strict=True)
    table = diversity(words(*styles), words(*(file.split("_")[0] for file in files)))
    whole = table.slice(0, 1).to_pylist()[0]
    assert (table.num_rows, whole["images"], whole["artists"]) == (28, 81_446, 1_119)
    assert (whole["effective_artists"], whole["gini"]) == pytest.approx((481.4, 0.64), abs=0.1)
    works = Counter(file.split("_")[0] for style, file in zip(styles, files, strict=True) if style == "Impressionism")
    (row,) = (row for row in table.to_pylist() if row["stratum"] == "Impressionism")
    assert row["effective_artists"] == pytest.approx(effective_number(list(works.values())), abs=1e-6)
    assert row["artists"] == len(works)


def test_spellings_of_one_artist_and_of_one_style_count_once():
    found = diversity(pa.array(["Dada", "DADA", "Dada"]), pa.array(["Jean Arp", "JEAN ARP", "jean arp."])).to_pylist()
    assert [(row["stratum"], row["artists"], row["images"]) for row in found] == [(None, 1, 3), ("Dada", 1, 3)]
