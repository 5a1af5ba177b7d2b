"""Styles under one name: how sources spell them, what a recipe says of them, and what nobody knows."""

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.names import Styles
from schemas.word_lists import word_lists
from tasks.core.names import styles
from tasks.core.names.styles import ALIASES, NAMES

SHIPPED = styles.names_by_style(Styles())
POPART = {
    "Abstract Expressionism",
    "Art Nouveau",
    "Baroque",
    "Contemporary Realism",
    "Cubism",
    "Early Renaissance",
    "Expressionism",
    "Fauvism",
    "High Renaissance",
    "Impressionism",
    "Mannerism",
    "Naive Art",
    "New Realism",
    "Northern Renaissance",
    "Pointillism",
    "Pop Art",
    "Post Impressionism",
    "Realism",
    "Rococo",
    "Romanticism",
    "Symbolism",
    "Ukiyo-e",
}
ARTBENCH = {
    "Impressionism",
    "Realism",
    "Romanticism",
    "Expressionism",
    "Baroque",
    "Surrealism",
    "Ukiyo-e",
    "Renaissance",
    "Post Impressionism",
    "Art Nouveau",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, None),
        ("", None),
        ("?!", "?!"),
        ("Byzantine mosaic", "Byzantine mosaic"),
        ("Impressionism, Realism", "Impressionism, Realism"),  # of several none is guessed
        ("Naïve Art (Primitivism)", "Naive Art"),
        ("Naive Art (Primitivism)", "Naive Art"),
        ("Naive_Art_Primitivism", "Naive Art"),
        ("NaiveArt", "Naive Art"),
        ("Art Nouveau (Modern)", "Art Nouveau"),
        ("Art_Nouveau", "Art Nouveau"),
        ("Post-Impressionism", "Post Impressionism"),
        ("Post_Impressionism", "Post Impressionism"),
        ("POST IMPRESSIONISM ", "Post Impressionism"),
        ("Mannerism_Late_Renaissance", "Mannerism"),
        ("Ukiyo_e", "Ukiyo-e"),
        ("ukiyoe", "Ukiyo-e"),
        ("浮世絵", "Ukiyo-e"),
        ("InternationalGothic", "International Gothic"),
        ("Analytical\xa0Realism", "Analytical Realism"),
        ("Early Byzantine (c. 330-750)", "Early Byzantine (c. 330–750)"),
        ("Neo-Impressionism", "Neo-Impressionism"),
        ("Renaissance", "Renaissance"),  # neither High nor Early nor Northern
    ],
)
def test_how_sources_spell_styles(text: str | None, expected: str | None):
    assert styles.style_name(text, SHIPPED) == expected


def test_the_papers_names_are_names():
    assert set(NAMES) >= POPART | ARTBENCH
    assert [styles.style_name(name, SHIPPED) for name in NAMES] == list(NAMES)


def test_the_shipped_table_says_each_thing_once():
    keys = [styles.normalize_style(text) for text in (*NAMES, *ALIASES)]
    assert len(set(keys)) == len(keys)
    assert set(ALIASES.values()) <= set(NAMES)


def test_styles_of_real_sources_are_known(shared_data: Path):
    lists = (shared_data / "wikiart_style_lists/Style/style_class.txt").read_text("utf-8").split("\n")
    api2 = json.loads((shared_data / "wikiart_api2_dictionaries/dictionaries.json").read_bytes())
    works = json.loads((shared_data / "wikiart_api_imagejson/paintings.json").read_bytes())
    said = {
        "WikiArt's lists": {line.split(" ", 1)[1].strip() for line in lists if line.strip()},
        "WikiArt's dictionary": {name for name, about in api2.items() if about["group"] == 2},
        "WikiArt's works": {name for work in works for name in (work["style"] or "").split(", ") if name},
        "People-Art's folders": {folder.name for folder in (shared_data / "peopleart/JPEGImages").iterdir()},
    }
    assert {source: len(names) for source, names in said.items() if "works" not in source} == {
        "WikiArt's lists": 27,
        "WikiArt's dictionary": 193,
        "People-Art's folders": 19,
    }
    assert not [
        (source, name)
        for source, names in said.items()
        for name in names
        if styles.normalize_style(name) not in SHIPPED
    ]


@pytest.mark.parametrize(
    ("aliases", "text", "expected"),
    [
        pytest.param(
            {"Jugendstil": "Jugendstil"}, "jugendstil", "Jugendstil", id="a name of its own, taken from the table"
        ),
        pytest.param(
            {"Jugendstil": "Jugendstil"}, "Art Nouveau (Modern)", "Art Nouveau", id="the rest of that name stays"
        ),
        pytest.param(
            {"x": "Post-Impressionism"}, "Post_Impressionism", "Post-Impressionism", id="the recipe's spelling stays"
        ),
        pytest.param({"x": "Post-Impressionism"}, "X", "Post-Impressionism", id="and its alias leads there"),
        pytest.param(
            {"Renaissance": "High Renaissance"}, "renaissance", "High Renaissance", id="what the recipe's author knows"
        ),
        pytest.param({"19th century": ""}, "19th Century", None, id="a word that is no style"),
        pytest.param({"a": "b", "b": "Cubism"}, "A", "Cubism", id="an alias of an alias"),
        pytest.param({"b": "a", "a": "b"}, "b", "a", id="a circle ends at its first name"),
        pytest.param({"Cubism": "Cubisme"}, "cubism", "Cubisme", id="a table that is renamed"),
    ],
)
def test_what_a_recipe_says_goes_first(aliases: dict[str, str], text: str, expected: str | None):
    assert styles.style_name(text, styles.names_by_style(Styles(aliases=aliases))) == expected


@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "c", "Cubism", "Art Nouveau"]), st.sampled_from(["a", "b", "", "Cubism", "Dada"])
    ),
    st.sampled_from(["a", "B", "c", "cubism", "Art Nouveau (Modern)", "dada", "zzz"]),
)
def test_the_name_of_a_name_is_itself(aliases: dict[str, str], text: str):
    names = styles.names_by_style(Styles(aliases=aliases))
    once = styles.style_name(text, names)
    assert styles.style_name(once, names) == once


def test_only_the_style_is_renamed():
    table = pa.table(
        {"record_id": ["a", "b", "c"], "style": ["Ukiyo_e", None, "Odd"], "styles": [["Ukiyo_e", "Zen_"], [], ["Odd"]]}
    )
    got = styles.with_style_names(table, SHIPPED)
    assert got.schema == table.schema
    assert got["style"].to_pylist() == ["Ukiyo-e", None, "Odd"]
    assert got["styles"].to_pylist() == table["styles"].to_pylist()
    assert styles.with_style_names(table.slice(0, 0), SHIPPED).num_rows == 0


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ([], []),
        (["Cubism", "post-impressionism", "NaiveArt"], []),
        (["Cubsim"], [("Cubsim", ["Cubism"])]),
        (["Impresionism"], [("Impresionism", ["Impressionism"])]),
        (["Etching", "Stained Glass", "19th century"], []),  # words of their own
    ],
)
def test_slips_of_the_pen(wanted: list[str], expected: list[tuple[str, list[str]]]):
    got = styles.likely_typos(wanted, SHIPPED)
    assert [(text, near[:1]) for text, near in got] == expected


def test_a_slip_of_the_pen_is_told_once():
    assert styles.likely_typos(["Cubsim", "Cubism", "Cubsim"], SHIPPED) == [("Cubsim", ["Cubism"])]


def test_each_style_has_one_name():
    assert [name for name, count in Counter(map(styles.normalize_style, NAMES)).items() if count > 1] == []
    assert list(NAMES) == sorted(NAMES)


def test_an_alias_is_no_name_and_leads_to_one():
    assert {*map(styles.normalize_style, ALIASES)} & {*map(styles.normalize_style, NAMES)} == set()
    assert {*ALIASES.values()} <= {*NAMES}


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("Jugendstil", "Art Nouveau"),
        ("Mannerism (Late Renaissance)", "Mannerism"),
        ("Naïve Art (Primitivism)", "Naive Art"),
        ("浮世絵", "Ukiyo-e"),
    ],
)
def test_what_the_papers_call_otherwise(alias: str, name: str):
    assert ALIASES[alias] == name


def test_names_that_break_over_lines_are_whole():
    assert "Action painting" in NAMES
    assert "Latin Empire of Constantinople (1204-1261)" in NAMES
    assert not any("\n" in name or "|" in name or name != name.strip() for name in NAMES)
    assert len(NAMES) == len(word_lists("names")["styles"]["alone"]) + len({*ALIASES.values()})
