"""The dataset card: what it must say, and nothing that a reader would stumble over."""

from typing import Any

import pyarrow as pa
import pytest
import yaml

from schemas.manifests import FileEntry, PassedOver, ReleaseManifest, Step, TableRef
from schemas.reasons import MEANING, Reason
from schemas.recipe import Recipe
from tasks.core.export import card
from tasks.core.export.card import card_head, hub_licence, without_empty_splits
from tasks.core.statistics.choice import diversity

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
MANIFEST = ReleaseManifest(
    name="small",
    version="0123456789ab",
    previous=None,
    lineage=2,
    split_sha256="s",
    contract_version="1.0.0",
    content_sha256="c" * 64,
    recipe_sha256="r",
    counts={"records": 9, "kept": 5, "dropped": 4, "by_split": {"val": 1, "train": 4}},
    content={},
    files={},
    environment={},
)
REF = TableRef(path="x", rows=0)
STEPS = [
    Step(
        label="fetch", stage="fetch", kind="retrieve", outcome=REF, kept=6, dropped={"broken_image": 1, "not_found": 2}
    ),
    Step(label="near", stage="dedup", kind="decide", outcome=REF, kept=5, dropped={"near_duplicate": 1}),
    Step(label="split", stage="split", kind="decide", outcome=REF, kept=5, dropped={}),
]
SCORES = {"AP": 0.4614, "AP50": 0.75, "AR100": 0.6351, "images": 4, "figures": 11}


def text(**changes: Any) -> str:
    said: dict[str, Any] = {
        "recipe": RECIPE,
        "manifest": MANIFEST,
        "steps": STEPS,
        "rights": {"NOASSERTION": 4, "CC0": 1},
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


def test_splits_and_rights_stand_in_one_order_whatever_came_first():
    assert text(rights={"CC0": 1, "NOASSERTION": 4}) == text()
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
    assert "Meier" not in card.card(RECIPE, MANIFEST, steps, {}, None)  # a file's name is nobody's but its owner's
    assert "## What was passed over" in card.card(RECIPE, MANIFEST, steps, {}, None)
    assert "passed over" not in card.card(RECIPE, MANIFEST, STEPS, {}, None)


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


def entry(rows: int | None) -> FileEntry:
    return FileEntry(sha256="0" * 64, bytes=1, rows=rows)


FILES = {
    "README.md": entry(None),
    "images/train-00000-of-00002.parquet": entry(5),
    "images/train-00001-of-00002.parquet": entry(2),
    "images/val-00000-of-00001.parquet": entry(1),
    "images/test-00000-of-00001.parquet": entry(0),
    "annotations/train-00000-of-00001.parquet": entry(0),
    "ledger.parquet": entry(9),
}


def test_each_split_with_rows_is_named_once_and_no_count_stands_there():
    head = card_head("A small set", FILES, ["NOASSERTION"])
    assert head == {
        "pretty_name": "A small set",
        "license": ["unknown"],
        "configs": [
            {
                "config_name": "images",
                "default": True,
                "data_files": [
                    {"split": "train", "path": "images/train-?????-of-?????.parquet"},
                    {"split": "val", "path": "images/val-?????-of-?????.parquet"},
                ],
            }
        ],
    }


def test_a_split_is_called_as_datasets_can_call_it():
    head = card_head("A small set", {"images/val-2-00000-of-00001.parquet": entry(1)}, [])
    (images,) = head["configs"]
    assert images["data_files"] == [{"split": "val_2", "path": "images/val-2-?????-of-?????.parquet"}]


def test_all_licences_stand_there_each_once():
    rights = ["http://creativecommons.org/licenses/by/4.0/", "https://creativecommons.org/licenses/by/4.0", "CC0"]
    assert card_head("A small set", FILES, rights)["license"] == ["cc-by-4.0", "other"]


@pytest.mark.parametrize(
    ("uri", "word"),
    [
        ("http://creativecommons.org/publicdomain/zero/1.0/", "cc0-1.0"),
        ("https://creativecommons.org/licenses/by-nc-sa/3.0/", "cc-by-nc-sa-3.0"),
        ("https://creativecommons.org/licenses/by/1.0/", "other"),  # a licence that the hub has no word for
        ("https://creativecommons.org/publicdomain/mark/1.0/", "other"),
        ("http://rightsstatements.org/vocab/NoC-US/1.0/", "other"),
        ("https://creativecommons.org.example/licenses/by/4.0/", "other"),
        ("NOASSERTION", "unknown"),
    ],
)
def test_the_hubs_word_for_a_licence(uri: str, word: str):
    assert hub_licence(uri) == word


def card_of(files: dict[str, FileEntry]) -> str:
    """As export writes it."""
    head = yaml.safe_dump(card_head("A --- set", files, []), sort_keys=False, allow_unicode=True, width=1000)
    return f"---\n{head}---\n\n# Small\n\n---\n"


def test_a_split_without_rows_leaves_the_head():
    rows = {path: found.rows or 0 for path, found in FILES.items() if "/" in path}
    assert without_empty_splits(card_of(FILES), rows) == card_of(FILES)
    files = {**FILES, "annotations/val-00000-of-00001.parquet": entry(1)}
    assert without_empty_splits(card_of(files), rows) == card_of(FILES)  # with it goes the table
    left = {**files, "images/train-00000-of-00002.parquet": entry(0), "images/val-00000-of-00001.parquet": entry(0)}
    rows = {path: found.rows or 0 for path, found in left.items() if "/" in path}
    assert without_empty_splits(card_of(files), rows) == card_of(left)


@pytest.mark.parametrize("text", ["", "# Small\n", "# Small\n---\nx\n---\n", "---\nno end"])
def test_a_card_without_a_head_stays_as_it_is(text: str):
    assert without_empty_splits(text, {}) == text
