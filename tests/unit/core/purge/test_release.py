"""What a purge changes in a release's ledger, COCO files, statistics and card."""

import pyarrow as pa

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


def test_the_card_has_one_section_on_it():
    once = release.card_with(
        "# Small\n", tombstones_of(("s:1", "2024-05-01", "r", None), ("s:2", "2024-06-01", "r", None))
    )
    assert "2 records were taken down" in once
    assert "2024-06-01" in once
    assert release.card_with(once, tombstones_of(("s:1", "2025-01-01", "r", None))).count("## Amended") == 1


def test_artists_of_whom_nothing_else_is_known_are_no_longer_named():
    names = ["record_id", "artist"]
    one = pa.table([["s:1", "s:2", "s:3"], ["Only", "Both", None]], names=names)
    two = pa.table([["s:1", "s:4"], ["Only", "Both"]], names=names)
    assert release.lone_artists([one, two], {"s:1", "s:2", "s:3"}) == {"Only"}
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
