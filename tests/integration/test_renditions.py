"""dedup on real reproductions: Van Gogh's works in two sizes, and Monet's, of which some were photographed twice and
some form series.
"""

import csv
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context
from tasks.io.store.releases import Release

RECIPE = {
    "name": "renditions",
    "bindings": {"images": "pictures, a folder for each size"},
    "sources": [{"folder": {"name": "w", "at": "images", "pattern": "{style}/{title}.jpg"}}],
    "stages": ["fetch", "hash", "dedup", "split", "export"],
}
ONE_WORK = {
    ("w:monet_210w/rouen-cathedral-grey-weather.jpg", "w:monet_210w/rouen-cathedral-the-gate-grey-weather.jpg"),
}
"""Pairs of two names that are merged although no verdict says so: looked at, every stroke of the two is the same."""


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "wikiart_renditions"


@pytest.fixture(scope="module")
def release(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Release:
    place = tmp_path_factory.mktemp("renditions")
    (place / "recipe.yaml").write_text(yaml.safe_dump(RECIPE), encoding="utf-8")
    context = Context(store=str(place / "store"), bindings={"images": str(folder)})
    return Release(run_stages(recipe_from_file(str(place / "recipe.yaml")), context)[-1].release)


@pytest.fixture(scope="module")
def works(release: Release) -> dict[str, str]:
    """The record that stands for each record's work."""
    return {row["record_id"]: row["kept_record_id"] or row["record_id"] for row in release.ledger().to_pylist()}


@pytest.fixture(scope="module")
def pairs(folder: Path) -> list[dict[str, Any]]:
    with (folder / "pairs.csv").open(encoding="utf-8", newline="") as file:
        return [{**row, "a": f"w:{row['a']}", "b": f"w:{row['b']}"} for row in csv.DictReader(file)]


def test_two_sizes_of_one_work_are_one(works: dict[str, str]):
    by_name: dict[str, list[str]] = {}
    for record_id in works:
        by_name.setdefault(record_id.rpartition("/")[2], []).append(record_id)
    twice = [records for records in by_name.values() if len(records) == 2]
    assert len(twice) == 210
    assert [records for records in twice if len({works[record] for record in records}) > 1] == []


def test_what_people_saw_is_what_is_found(works: dict[str, str], pairs: list[dict[str, Any]]):
    found = {
        (pair["a"], pair["b"]): works[pair["a"]] == works[pair["b"]] for pair in pairs if pair["verdict"] != "unsure"
    }
    assert found == {(pair["a"], pair["b"]): pair["verdict"] == "same" for pair in pairs if pair["verdict"] != "unsure"}


def test_no_other_two_works_are_merged(works: dict[str, str], pairs: list[dict[str, Any]]):
    same = {tuple(sorted((pair["a"], pair["b"]))) for pair in pairs if pair["verdict"] == "same"}
    merged = {
        tuple(sorted((record, kept)))
        for record, kept in works.items()
        if record.rpartition("/")[2] != kept.rpartition("/")[2]
    }
    assert merged == same | ONE_WORK


def test_every_page_of_a_work_stays_with_it_and_the_page_shows_the_clusters(release: Release):
    page = release.read("report.html").decode()
    assert "Closest pairs that were not merged" in page
    assert "recoloured" in page
