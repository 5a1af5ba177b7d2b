"""What a purge changes in a release's ledger, COCO files, statistics and card."""

import pyarrow as pa
import pytest

from schemas.tables import DIVERSITY
from tasks.core.purge import release
from tests.support.purge import ledger_of, tombstones_of


def test_the_ledger_keeps_the_row_and_its_place():
    ledger = ledger_of(
        {"record_id": "s:0", "kept": True, "sha256": "z"},
        {"record_id": "s:1", "kept": True, "sha256": "a", "last_split": "val"},
        {"record_id": "s:2", "kept": True, "sha256": "b"},
    )
    found = release.ledger_with(
        ledger, tombstones_of(("s:1", "2024-05-01", "heirs", "a"), ("s:2", "2024-05-01", "heirs", None))
    )
    assert found["record_id"].to_pylist() == ["s:0", "s:1", "s:2"]
    assert [(row["kept"], row["reason"], row["sha256"], row["last_split"]) for row in found.to_pylist()] == [
        (True, None, "z", None),
        (False, "taken_down", "a", "val"),
        (False, "taken_down", None, None),
    ]
    again = release.ledger_with(
        found, tombstones_of(("s:1", "2024-05-01", "heirs", "a"), ("s:2", "2024-05-01", "heirs", None))
    )
    assert again.equals(found)


def test_coco_files_lose_images_and_what_is_drawn_on_them():
    document = {"images": [{"id": 1}, {"id": 2}], "annotations": [{"image_id": 1}, {"image_id": 2}], "info": {}}
    assert release.coco_without(document, {1}) == {"images": [{"id": 2}], "annotations": [{"image_id": 2}], "info": {}}
    assert release.detections_without(document["annotations"], {2}) == [{"image_id": 1}]


GOOD = {"images": [{"id": 1}], "annotations": [{"image_id": 1}]}


@pytest.mark.parametrize(
    ("document", "line"),
    [
        ([], r"\[\] in place of an object"),
        (None, "None in place of an object"),
        ({}, "images: None in place of a list"),
        ({**GOOD, "images": {"id": 1}}, "images: {'id': 1} in place of a list"),
        ({**GOOD, "images": [1]}, r"images: \[1\] in place of a list"),
        ({**GOOD, "annotations": [[]]}, r"annotations: \[\[\]\] in place of a list"),
        ({**GOOD, "images": [{}]}, "images with id: expected a whole number, got None"),
        ({**GOOD, "images": [{"id": "1"}]}, "images with id: expected a whole number, got '1'"),
        ({**GOOD, "images": [{"id": True}]}, "images with id: expected a whole number, got True"),
        ({**GOOD, "annotations": [{"image_id": [1]}]}, "annotations with image_id: expected a whole number"),
        ({**GOOD, "annotations": [{"image_id": float("nan")}]}, "annotations with image_id: expected a whole number"),
    ],
)
def test_what_is_no_coco_document_is_told(document, line):
    with pytest.raises(ValueError, match=line):
        release.coco_without(document, {1})


def test_an_id_with_a_point_is_that_id():
    assert release.detections_without([{"image_id": 1.0}, {"image_id": 2}], {1}) == [{"image_id": 2}]
    with pytest.raises(ValueError, match=r"results: \{\} in place of a list"):
        release.detections_without({}, {1})


@pytest.mark.parametrize(
    "row",
    [
        pytest.param({"kept": True, "last_split": "val", "reason": "gone"}, id="kept for a reason"),
        pytest.param({"kept": True, "last_split": None}, id="kept in no split"),
        pytest.param({"kept": False, "last_split": "val"}, id="dropped for no reason"),
    ],
)
def test_a_ledger_that_can_not_be_counted_is_told(row):
    good = {"record_id": "s:0", "kept": True, "last_split": "val"}
    with pytest.raises(ValueError, match="'s:1' neither kept in a split, without a reason, nor dropped for one"):
        release.check_counts(ledger_of(good, {"record_id": "s:1", **row}))
    release.check_counts(ledger_of(good, {"record_id": "s:1", "kept": False, "reason": "gone"}))
    release.check_counts(ledger_of())


def test_the_card_has_one_section_on_it():
    once = release.card_with(
        "# Small\n", tombstones_of(("s:1", "2024-05-01", "r", None), ("s:2", "2024-06-01", "r", None)), {}
    )
    assert "Records were taken down after this version was published (the last on 2024-06-01)" in once
    assert "2024-06-01" in once
    assert release.card_with(once, tombstones_of(("s:1", "2025-01-01", "r", None)), {}).count("## Amended") == 1


def test_artists_of_whom_nothing_else_is_known_are_no_longer_named():
    diversity = pa.Table.from_pylist(
        [
            {"stratum": None, "images": 3, "largest_artist": "Both"},
            {"stratum": "Dada", "images": 1, "largest_artist": "Only"},
        ],
        schema=DIVERSITY,
    )
    found = release.diversity_without(diversity, {"Only"})
    assert found["largest_artist"].to_pylist() == ["Both", None]
    assert found.drop_columns("largest_artist").equals(diversity.drop_columns("largest_artist"))
