"""A zip or tar in the place of a folder gives the very release that the folder gives."""

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context, Step
from tasks.io.store.releases import Release
from tests.support.desk import by_label
from tests.support.images import encoded

RECIPE = """
name: works
bindings: {images: A folder}
sources:
  - folder: {name: art, at: images, pattern: "{style}/{title}.jpg"}
stages:
  - fetch: {}
  - hash: {}
  - split: {}
  - export: {}
"""


def picture(number: int) -> bytes:
    """A JPEG that is no copy of one of another number."""
    pixels = np.random.default_rng(number).integers(0, 256, (6, 8, 3), np.uint8)
    return encoded(Image.fromarray(pixels).resize((64, 48)), "JPEG")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    for number in range(12):
        place = folder / f"Style {number % 2}" / f"é {number}.jpg"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(picture(number))
    (folder / "notes.txt").write_text("no image")
    return folder


def built(tmp_path: Path, images: str, name: str) -> dict[str, Step]:
    (tmp_path / "works.yaml").write_text(RECIPE)
    context = Context(store=str(tmp_path / name), bindings={"images": images})
    return by_label(run_stages(recipe_from_file(str(tmp_path / "works.yaml")), context))


@pytest.mark.parametrize("form", ["zip", "tar"])
def test_an_archive_gives_the_folders_release(folder: Path, tmp_path: Path, form: str):
    archive = shutil.make_archive(str(tmp_path / "art"), form, folder)
    of_folder, of_archive = built(tmp_path, str(folder), "one"), built(tmp_path, archive, "other")
    assert of_archive["export"].kept == 12
    assert of_archive["scrape"].notes == of_folder["scrape"].notes
    releases = [Release(steps["export"].release).manifest for steps in (of_folder, of_archive)]
    assert releases[0].version == releases[1].version
    again = built(tmp_path, archive, "other")
    assert {label: step.computed for label, step in again.items() if step.computed} == {}


def test_a_picture_that_changed_in_the_archive_is_read_anew(folder: Path, tmp_path: Path):
    archive = shutil.make_archive(str(tmp_path / "art"), "zip", folder)
    built(tmp_path, archive, "store")
    (folder / "Style 0/é 0.jpg").write_bytes(picture(99))
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(folder.rglob("*.jpg")):
            file.write(path, path.relative_to(folder))
    assert built(tmp_path, archive, "store")["fetch"].computed == 1
