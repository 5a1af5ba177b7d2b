"""Which records of each style are drawn: the styles, the number, the odds, and what must not move a draw."""

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from schemas.draw import Sample
from schemas.tables import SAMPLE
from tasks.core import sample

KINDS = pa.schema([("record_id", pa.string()), ("style", pa.string()), ("artist", pa.string())])
Row = tuple[str, str | None, str | None]


def decided(rows: list[Row], **settings: Any) -> list[dict[str, Any]]:
    listed = [dict(zip(KINDS.names, row, strict=True)) for row in rows]
    got = sample.decide(pa.Table.from_pylist(listed, schema=KINDS), Sample(label="sample", **{"seed": 1, **settings}))
    assert got.schema == SAMPLE
    assert got["record_id"].to_pylist() == [row[0] for row in rows]
    return got.to_pylist()


def drawn(rows: list[Row], **settings: Any) -> set[str]:
    return {row["record_id"] for row in decided(rows, **settings) if row["reason"] is None}


def works(style: str, **by_artist: int) -> list[Row]:
    return [(f"{style}:{artist}:{n}", style, artist) for artist, count in by_artist.items() for n in range(count)]


MIXED = [
    *works("Cubism", gris=3, braque=1),
    *works("Baroque", rubens=4),
    *works("Rococo", watteau=2),
    ("x", None, "anon"),
    ("y", "", None),
]


@pytest.mark.parametrize(
    ("settings", "by_style"),
    [
        pytest.param({}, {"Cubism": 4, "Baroque": 4, "Rococo": 2}, id="no limit draws all"),
        pytest.param({"at_most": 3}, {"Cubism": 3, "Baroque": 3, "Rococo": 2}, id="at most three of each, fewer where there are fewer"),
        pytest.param({"at_most": 4}, {"Cubism": 4, "Baroque": 4, "Rococo": 2}, id="as many as there are"),
        pytest.param({"top": 2}, {"Cubism": 4, "Baroque": 4}, id="only the most frequent styles"),
        pytest.param({"top": 1}, {"Baroque": 4}, id="of styles as frequent as each other the first by name"),
        pytest.param({"top": 9}, {"Cubism": 4, "Baroque": 4, "Rococo": 2}, id="more styles than there are"),
        pytest.param({"top": 2, "at_most": 1}, {"Cubism": 1, "Baroque": 1}, id="frequency counts all works, not those drawn"),
        pytest.param({"weight": "uniform", "at_most": 2}, {"Cubism": 2, "Baroque": 2, "Rococo": 2}, id="with even weights too"),
    ],
)  # fmt: skip
def test_how_many_of_each_style_are_drawn(settings: dict[str, Any], by_style: dict[str, int]):
    style_of = {name: style for name, style, _ in MIXED}
    assert Counter(style_of[name] for name in drawn(MIXED, **settings)) == by_style


def test_each_drop_says_why_in_words_and_numbers():
    rows = [*works("Baroque", a=3), *works("Cubism", b=1), ("x", None, None), ("y", "", "b")]
    said = {row["record_id"]: (row["reason"], row["detail"]) for row in decided(rows, top=1, at_most=3)}
    assert said == {
        **{f"Baroque:a:{n}": (None, None) for n in range(3)},
        "Cubism:b:0": ("style_not_chosen", "Cubism is not among the top 1"),
        "x": ("no_style", None),
        "y": ("no_style", None),
    }
    left = [row for row in decided(works("Baroque", a=3), at_most=2) if row["reason"]]
    assert [(row["reason"], row["detail"]) for row in left] == [("not_drawn", "2 of 3 of Baroque")]


def test_nothing_in_nothing_out():
    assert decided([]) == []
    assert decided([], top=1, at_most=1) == []


# --- odds: fixed seeds, so these numbers never change; a wrong rule misses by far more than the limits


def chosen_artists(rows: list[Row], seeds: int, **settings: Any) -> "Counter[str | None]":
    artist_of = {name: artist for name, _, artist in rows}
    return Counter(artist_of[name] for seed in range(seeds) for name in drawn(rows, seed=seed, **settings))


def test_every_artist_has_the_same_odds_however_many_works_there_are():
    rows = works("Cubism", prolific=12, rare=1, middling=3)
    found = chosen_artists(rows, 1200, at_most=1)
    assert stats.chisquare([found[name] for name in ("prolific", "rare", "middling")]).pvalue > 0.01


def test_with_even_weights_every_work_has_the_same_odds():
    rows = works("Cubism", prolific=12, rare=1, middling=3)
    found = chosen_artists(rows, 1200, at_most=1, weight="uniform")
    expected = [1200 * count / 16 for count in (12, 1, 3)]
    assert stats.chisquare([found[name] for name in ("prolific", "rare", "middling")], expected).pvalue > 0.01


def test_works_without_an_artist_count_as_one_artists():
    rows: list[Row] = [*((f"anon:{n}", "Cubism", None) for n in range(6)), *works("Cubism", gris=1)]
    found = chosen_artists(rows, 1000, at_most=1)
    assert stats.chisquare([found[None], found["gris"]]).pvalue > 0.01


def test_an_artist_is_weighed_inside_each_style_alone():
    rows = [*works("Cubism", gris=1, braque=1), *works("Fauvism", braque=9)]
    found = Counter(name for seed in range(800) for name in drawn(rows, seed=seed, at_most=1) if name.startswith("Cub"))
    assert stats.chisquare([found["Cubism:gris:0"], found["Cubism:braque:0"]]).pvalue > 0.01


# --- what must not move a draw


@given(
    st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from(["p", "q", None])), max_size=14),
    st.randoms(use_true_random=False),
)
def test_the_order_of_rows_changes_nothing(rows: list[tuple[str, str | None]], chance: Any):
    listed: list[Row] = [(f"r{number:02}", style, artist) for number, (style, artist) in enumerate(rows)]
    mixed = listed.copy()
    chance.shuffle(mixed)
    assert drawn(mixed, top=2, at_most=2) == drawn(listed, top=2, at_most=2)


def test_records_of_another_style_change_nothing():
    rows = works("Cubism", gris=5, braque=2)
    more = [*rows, *works("Fauvism", gris=50), *works("Dada", arp=1)]
    assert {name for name in drawn(more, at_most=3) if name.startswith("Cub")} == drawn(rows, at_most=3)


def test_a_record_that_comes_displaces_at_most_one_of_another_artist():
    rows = works("Cubism", gris=5, braque=2, leger=1)
    more = [*rows, ("Cubism:picasso:0", "Cubism", "picasso")]
    for seed in range(50):
        before, after = drawn(rows, seed=seed, at_most=3), drawn(more, seed=seed, at_most=3)
        assert len(before - after) <= 1
        assert after - before <= {"Cubism:picasso:0"}


def test_a_record_that_was_not_drawn_can_go_and_nothing_moves():
    rows = works("Cubism", a=1, b=1, c=1, d=1, e=1)
    for seed in range(20):
        before = drawn(rows, seed=seed, at_most=2)
        gone = next(name for name, _, _ in rows if name not in before)
        assert drawn([row for row in rows if row[0] != gone], seed=seed, at_most=2) == before


def test_more_places_keep_those_that_were_drawn():
    rows = works("Cubism", a=4, b=3, c=1)
    for at_most in range(1, 8):
        assert drawn(rows, at_most=at_most) < drawn(rows, at_most=at_most + 1)


def test_seed_and_label_each_make_another_draw():
    rows = works("Cubism", a=10, b=10)
    assert drawn(rows, seed=1, at_most=8) != drawn(rows, seed=2, at_most=8)
    listed = [dict(zip(KINDS.names, row, strict=True)) for row in rows]
    view = pa.Table.from_pylist(listed, schema=KINDS)
    one, two = (sample.decide(view, Sample(label=label, seed=1, at_most=8)) for label in ("one", "two"))
    assert one != two
