"""The dataset card: what it must say, and nothing that a reader would stumble over."""

from typing import Any

import pyarrow as pa
import pytest
from markdown_it import MarkdownIt

from schemas.about import About
from schemas.manifests import PassedOver, Step, TableRef
from schemas.reasons import MEANING, Reason
from schemas.recipe import Recipe
from tasks.core.export import card
from tasks.core.markdown import DIRECTIONS
from tasks.core.statistics.choice import diversity
from tests.support.release_rows import MANIFEST, summary_of

RECIPE = Recipe.model_validate(
    {
        "name": "small",
        "title": "A small set",
        "description": "  For tests.\n",
        "bindings": {"images": "a folder"},
        "sources": [{"folder": {"name": "s", "pattern": "*"}}],
        "stages": ["fetch", "hash", "split", "export"],
    }
)
REF = TableRef(path="x", rows=0)
STEPS = [
    Step(
        label="fetch", stage="fetch", kind="retrieve", outcome=REF, kept=6, dropped={"broken_image": 1, "not_found": 2}
    ),
    Step(label="near", stage="dedup", kind="decide", outcome=REF, kept=5, dropped={"near_duplicate": 1}),
    Step(label="split", stage="split", kind="decide", outcome=REF, kept=5, dropped={}),
]
SUMMARY = summary_of(5, rights={"NOASSERTION": 4, "CC0": 1})
SCORES = {"AP": 0.4614, "AP50": 0.75, "AR100": 0.6351, "images": 4, "figures": 11}


def text(**changes: Any) -> str:
    said: dict[str, Any] = {
        "recipe": RECIPE,
        "manifest": MANIFEST,
        "steps": STEPS,
        "summary": SUMMARY,
        "scores": SCORES,
    }
    return card.card(**{**said, **changes})


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("# A small set", id="title"),
        pytest.param("For tests.", id="description, trimmed"),
        pytest.param(f"Version `0123456789ab`, lineage 2, contract 1.0.0, content `sha256:{'c' * 64}`.", id="version"),
        pytest.param("| train | 4 |", id="images of a split"),
        pytest.param("| near | 5 | 1 | | |", id="what a stage kept and dropped"),
        pytest.param(f"| | | 2 | not_found | {MEANING[Reason.NOT_FOUND]} |", id="why, in words"),
        pytest.param("| split | 5 | 0 | | |", id="a stage that dropped nothing"),
        pytest.param("| CC0 | 1 | Any use; nothing is asked. |", id="rights"),
    ],
)
def test_a_card_says(line: str):
    assert line in text().splitlines()


def test_counts_stand_in_one_sentence():
    assert "9 records were listed; 5 images are kept, 4 were dropped." in text()


def test_splits_stand_in_one_order_whatever_came_first():
    assert text().index("| train | 4 |") < text().index("| val | 1 |")


def test_scores_are_given_to_three_places():
    assert "On 4 annotated images with 11 figures: AP 0.461, AP50 0.750, AR 0.635 (COCO's protocol)." in text()


@pytest.mark.parametrize("scores", [None, {}, {**SCORES, "AP": None}], ids=["none", "empty", "undefined"])
def test_without_scores_there_is_no_word_of_them(scores: dict[str, Any] | None):
    assert "The detector against" not in text(scores=scores)
    assert "None" not in text(scores=scores)


def test_without_title_and_description_the_name_stands():
    bare = RECIPE.model_copy(update={"title": None, "description": None})
    assert text(recipe=bare).startswith("# small\n")
    assert "None" not in text(recipe=bare)


def test_every_table_has_as_many_cells_in_each_row():
    width = 0
    for line in text().splitlines():
        width = line.count("|") if not width and line.startswith("|") else width if line.startswith("|") else 0
        if width:
            assert line.count("|") == width, line


def test_a_drop_table_of_no_stages_is_its_head():
    assert len(card.drop_table([])) == 2


def test_a_card_tells_what_was_passed_over():
    rows = [
        PassedOver(
            sources=("s",),
            unit="files",
            listed=9,
            kind="image files that end in .webp",
            count=2,
            examples=("Kuendigung-Meier.pdf",),
        ),
        PassedOver(sources=("s",), unit="rows", listed=3, kind="empty lines", count=1),
    ]
    steps = [STEPS[0].model_copy(update={"passed_over": tuple(rows)}), *STEPS[1:]]
    assert card.passed_over_lines(steps)[-3:] == [
        "| s | image files that end in .webp | 2 | 9 files |",
        "| s | empty lines | 1 | 3 rows |",
        "",
    ]
    assert "Meier" not in card.card(RECIPE, MANIFEST, steps, SUMMARY)  # a file's name is nobody's but its owner's
    assert "## What was passed over" in card.card(RECIPE, MANIFEST, steps, SUMMARY)
    assert "passed over" not in card.card(RECIPE, MANIFEST, STEPS, SUMMARY)


@pytest.mark.parametrize("unit", ["images", "images in the COCO file", "annotations", "objects"])
def test_a_card_says_of_no_record_that_it_is_none(unit: str):
    kinds = [
        PassedOver(sources=("s",), unit=unit, listed=9, kind="a|kind_", count=2),
        PassedOver(sources=("s",), unit="files", listed=9, kind="texts", count=1),
    ]
    lines = card.passed_over_lines([STEPS[0].model_copy(update={"passed_over": tuple(kinds)})])
    of_records, of_annotations = (place for place, line in enumerate(lines) if line.startswith("What the sources"))
    assert of_records < lines.index("| s | texts | 1 | 9 files |") < of_annotations
    assert of_annotations < lines.index(rf"| s | a\|kind\_ | 2 | 9 {unit} |")
    assert "no record" not in lines[of_annotations]
    assert not card.passed_over_lines(STEPS)


def test_a_card_tells_of_artists_before_and_after():
    words = [pa.array(said, pa.string()) for said in (["a|b\nc", "a|b\nc", "d"], ["X", "Y", "X"])]
    before = diversity(*words, "before")
    found = text(
        diversity=pa.concat_tables([before, diversity(*(column[:1] for column in words), "after")])
    ).splitlines()
    assert "| all together | 3 → 1 | 2 → 1 | 1.9 → 1.0 | 0.17 → 0.00 |" in found
    assert "| a\\|b c | 2 → 1 | 2 → 1 | 2.0 → 1.0 | 0.00 → 0.00 |" in found
    assert "| d | 1 → - | 1 → - | 1.0 → - | 0.00 → - |" in found
    assert not any("more styles" in line for line in found)


def test_a_card_of_many_styles_is_no_longer_than_one_reads():
    many = pa.array([f"style {number}" for number in range(30)])
    found = text(diversity=pa.concat_tables([diversity(many, many, moment) for moment in ("before", "after")]))
    assert "... and 8 more styles." in found


def test_a_card_without_statistics_has_no_table_of_them():
    assert "effective artists" not in text()


def test_what_the_recipe_says_of_its_makers_stands_first_and_as_text():
    about = {
        "authors": ["A. Author", "<b>B</b>"],
        "homepage": "https://a.example/set",
        "contact": "mail@a.example",
        "limitations": "# One thing\n\n- and [another](http://evil.example)",
        "citation": "@misc{own, title = {Own}}\n```\n# no heading",
    }
    found = text(recipe=Recipe.model_validate({**RECIPE.model_dump(mode="json"), "about": about})).splitlines()
    assert "- By: A. Author, \\<b\\>B\\</b\\>" in found
    assert "- Homepage: <https://a.example/set>" in found
    assert "- Contact: mail@a.example" in found
    assert "\\# One thing" in found
    assert "\\- and \\[another\\](http://evil.example)" in found
    place = found.index("## Citation")
    assert found[place + 2 : place + 5] == ["    @misc{own, title = {Own}}", "    ```", "    # no heading"]


def test_rights_stand_before_all_that_is_no_introduction():
    found = [line for line in text().splitlines() if line.startswith("## ")]
    assert found[:5] == ["## Rights", "## Opt-outs", "## Contents", "## Limitations", "## Citation"]


HOSTILE = [
    "<script>alert(1)</script>",
    "# heading",
    "```\n# x",
    "---\nlicense: mit\n---",
    "a | b\n|---|---|",
    "![x](http://evil.example/b.png)",
    "\u202egnp.exe\u202c",
    "\u2067abc\u2069",
    "x" * 10_000,
    "\x00\x1b[2J",
    "&lt;b&gt;",
    "[x]: http://evil.example",
]


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_words_are_text_wherever_they_stand(hostile: str):
    recipe = RECIPE.model_copy(
        update={"title": hostile, "description": hostile, "about": About(authors=(hostile[:100],))}
    )
    found = text(recipe=recipe, summary=SUMMARY._replace(rights={hostile: 5}))
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(found)
    live = {one.type for token in tokens for one in (token, *(token.children or ()))}
    assert not live & {"html_block", "html_inline", "image", "fence"}
    plain = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text())
    assert sum(one.type == "heading_open" for one in tokens) == sum(one.type == "heading_open" for one in plain)
    assert not {*DIRECTIONS} & {*found}
    assert "\x1b" not in found
    assert max(map(len, found.splitlines())) < 1_500
