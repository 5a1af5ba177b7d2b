"""The datasheet: what the build knows, what people say, and what is open."""

import string

import pytest

from schemas.about import About
from schemas.datasheet import limitations, question_keys, sections
from schemas.manifests import ReleaseManifest
from schemas.recipe import Recipe
from tasks.core.export.datasheet import datasheet, filled, limitation_sentences, values_of
from tests.support.release_rows import summary_of

RECIPE = Recipe.model_validate(
    {
        "name": "small",
        "bindings": {"images": "a folder"},
        "sources": [{"folder": {"name": "s", "pattern": "*"}}],
        "stages": ["fetch", "hash", "split", "export"],
    }
)
MANIFEST = ReleaseManifest(
    name="small",
    version="0123456789ab",
    previous=None,
    lineage=1,
    split_sha256="s",
    contract_version="3.2.0",
    content_sha256="c" * 64,
    recipe_sha256="r",
    counts={"records": 1_234, "kept": 5, "dropped": 1_229, "by_split": {"val": 1, "train": 4}},
    content={},
    files={},
    environment={"bilderatlas": "9.9"},
)
SUMMARY = summary_of(5, rights={"NOASSERTION": 1, "https://creativecommons.org/publicdomain/zero/1.0/": 4})


def answer(page: str, key: str) -> list[str]:
    """The paragraphs below the question of that key."""
    ask = next(question.ask for questions in sections().values() for question in questions if question.key == key)
    _, _, after = page.partition(f"### {ask}")
    return [line for line in after.partition("\n#")[0].split("\n")[1:] if line]


def sheet(recipe: Recipe = RECIPE, **summary: object) -> str:
    return datasheet(recipe, MANIFEST, SUMMARY._replace(**summary))


def test_every_place_in_the_words_has_a_value():
    texts = [text for questions in sections().values() for question in questions for text in question.build]
    places = {name for text in (*texts, *limitations()) for _, name, _, _ in string.Formatter().parse(text) if name}
    assert places == values_of(RECIPE, MANIFEST, SUMMARY).keys()


def test_keys_come_once():
    assert len({*question_keys()}) == len(question_keys()) > 40


def test_what_nobody_said_is_open():
    assert answer(sheet(), "purpose") == ["*Open* (`purpose`)."]
    assert answer(sheet(), "funding") == ["*Open* (`funding`)."]


def test_what_the_build_knows_in_part_is_open_beside_it():
    known, rest = answer(sheet(artists=2, of_busiest_artists=3), "bias")
    assert known == "2 artists; the ten with the most works made 60 % of the images."
    assert rest == "*Open*: what people know beside this (`bias`)."


def test_people_answer_after_the_build():
    recipe = RECIPE.model_copy(
        update={"about": About(answers={"how_many": "More soon.", "purpose": "To <b>learn</b>.\n\n1. One"})}
    )
    assert answer(sheet(recipe), "how_many") == [
        "5 images (train 4, val 1), 0 annotations, 0 detections.",
        "More soon.",
    ]
    assert answer(sheet(recipe), "purpose") == ["To \\<b\\>learn\\</b\\>.", "1\\. One"]


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("sample", "Of 1,234 records that the sources list, 5 are kept. `ledger.parquet` has each, with the reason "
         "where it was dropped."),
        ("software", "bilderatlas 9.9; `recipe.yaml` has all settings."),
        ("self_contained", "Yes: it holds the images."),
        ("acquisition", "- `s`: files (folder), 0 images"),
        ("errors", "Near-duplicates were not looked for: a picture may be in it several times."),
        ("sampling", "It was not drawn: all records that pass the stages of `recipe.yaml` are in it."),
    ],
)  # fmt: skip
def test_the_build_answers(key: str, line: str):
    assert line in answer(sheet(), key)


def test_limitations_are_those_of_this_release():
    bare = limitation_sentences(values_of(RECIPE, MANIFEST, summary_of(5)))
    assert [sentence.split()[0] for sentence in bare] == ["Words", "Near-duplicates"]
    full = limitation_sentences(
        values_of(RECIPE, MANIFEST, SUMMARY._replace(annotated=4, detections=1, years=(1, 9, 3, 4), artists=1))
    )
    assert [sentence.split()[0] for sentence in full] == ["1", "Words", "1", "1", "Near-duplicates", "Half"]
    assert full[2].startswith("1 image has annotations by nobody")


def test_an_empty_release_has_a_sheet():
    assert "0 images" in datasheet(RECIPE, MANIFEST, summary_of(0))


def test_a_value_is_never_read_as_a_place():
    assert [*filled(["{a} {b}"], {"a": "{b}", "b": "x"})] == ["{b} x"]
