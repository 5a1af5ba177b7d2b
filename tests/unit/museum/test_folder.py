"""What `write_museum` promises: counts, copies, faults, and the same bytes whoever paints."""

import contextlib
import io
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pytest
from PIL import Image, ImageOps
from pycocotools.coco import COCO

from examples.museum.folder import COLUMNS, FolderTakenError, write_museum
from examples.museum.holdings import Relation, holding, key_of_row
from examples.museum.paint import paint
from examples.museum.repaint import work_of

PLAIN = ("exact", "reencoded", "resized")
_ORIENTATION = 0x0112


def _bytes_by_path(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _upright(path: Path) -> Image.Image:
    with Image.open(path) as picture:
        return ImageOps.exif_transpose(picture)


def test_the_table_has_exactly_the_rows_asked_for(museum: SimpleNamespace) -> None:
    assert len(museum.rows) == museum.records
    assert list(museum.rows) == [key_of_row(museum.seed, row) for row in range(museum.records)]
    assert all(tuple(row) == COLUMNS for row in museum.rows.values())


def test_the_table_says_what_was_painted(museum: SimpleNamespace) -> None:
    row, work = museum.rows[key_of_row(museum.seed, 0)], paint(museum.seed, 0)
    assert (row["title"], row["artist"], row["style"], row["date_text"]) == (
        work.title,
        work.artist,
        work.style,
        work.date_text,
    )
    assert row["year"] == ("" if work.year is None else str(work.year))
    assert row["source_url"] == f"https://museum.example/works/{row['key']}"
    assert row["image"].startswith(f"images/{row['key'][:2]}/{row['key']}.")


def test_rights_are_mostly_cc0_and_sometimes_missing(museum: SimpleNamespace) -> None:
    counts = Counter(row["rights_uri"] for row in museum.rows.values())
    assert counts["https://creativecommons.org/publicdomain/zero/1.0/"] > 0.75 * museum.records
    assert counts["https://rightsstatements.org/vocab/NoC-US/1.0/"] > 0.05 * museum.records
    assert 0 < counts[""] < 0.1 * museum.records


def test_progress_ends_with_everything_done(museum: SimpleNamespace) -> None:
    assert museum.progress[-1] == (museum.records, museum.records)
    assert museum.progress == sorted(museum.progress)


def test_formats_are_mixed_and_some_pictures_lie_on_a_side(museum: SimpleNamespace) -> None:
    suffixes = Counter(path.suffix for path in museum.files.values())
    assert suffixes[".jpg"] > 0.75 * museum.records
    assert suffixes[".png"] > 0.03 * museum.records
    assert suffixes[".webp"] > 0.015 * museum.records
    tags, modes = set(), set()
    for key in list(museum.files)[:500]:
        if key not in museum.faults:
            with Image.open(museum.files[key]) as picture:
                tags.add(picture.getexif().get(_ORIENTATION))
                modes.add(picture.mode)
    assert tags == {None, 3, 6, 8}
    assert modes == {"RGB", "L"}


def test_a_lying_picture_stands_up_when_its_tag_is_applied(museum: SimpleNamespace) -> None:
    checked = 0
    for row, path in enumerate(list(museum.files.values())[:500]):
        if path.suffix != ".jpg" or path.stem in museum.faults or not path.stat().st_size:
            continue
        with Image.open(path) as picture:
            is_lying = _ORIENTATION in picture.getexif()
        if is_lying and path.stem not in {copy["copy_key"] for copy in museum.copies}:
            work = work_of(museum.seed, holding(museum.seed, row))
            painted = np.asarray(Image.fromarray(work.pixels).convert("L"), dtype=np.float64)
            shown = np.asarray(_upright(path).convert("L"), dtype=np.float64)
            assert np.abs(shown - painted).mean() < 12
            checked += 1
    assert checked > 3


def test_annotations_are_a_coco_file_of_every_readable_row(museum: SimpleNamespace) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO(museum.folder / "truth" / "annotations.json")
    images, annotations = museum.coco["images"], museum.coco["annotations"]
    assert len(coco.imgs) == museum.records - len(museum.faults)
    assert [image["id"] for image in images] == list(range(1, len(images) + 1))
    assert [annotation["id"] for annotation in annotations] == list(range(1, len(annotations) + 1))
    assert {image["record_key"] for image in images} == set(museum.rows) - set(museum.faults)
    assert museum.coco["categories"][0]["id"] == 1
    for image in images:
        assert _upright(museum.folder / image["file_name"]).size == (image["width"], image["height"])


def test_annotated_boxes_and_joints_lie_inside_their_image(museum: SimpleNamespace) -> None:
    sizes = {image["id"]: (image["width"], image["height"]) for image in museum.coco["images"]}
    for annotation in museum.coco["annotations"]:
        x, y, width, height = annotation["bbox"]
        joints = np.array(annotation["keypoints"]).reshape(17, 3)
        seen = joints[joints[:, 2] > 0, :2]
        assert min(x, y) >= 0
        assert x + width <= sizes[annotation["image_id"]][0] + 0.02
        assert y + height <= sizes[annotation["image_id"]][1] + 0.02
        assert annotation["area"] == pytest.approx(width * height, abs=0.02)
        assert annotation["num_keypoints"] == len(seen)
        assert ((seen >= [x - 0.02, y - 0.02]) & (seen <= [x + width + 0.02, y + height + 0.02])).all()


def test_about_an_eighth_are_copies_of_works(museum: SimpleNamespace) -> None:
    copies = {copy["copy_key"] for copy in museum.copies}
    originals = {copy["original_key"] for copy in museum.copies}
    assert 0.09 < len(copies) / museum.records < 0.15
    assert len(copies) == len(museum.copies)
    assert not copies & originals
    assert not (copies | originals) & set(museum.faults)
    counts = Counter(copy["relation"] for copy in museum.copies)
    assert set(counts) == set(get_args(Relation))
    assert 0.4 < sum(counts[relation] for relation in PLAIN) / len(copies) < 0.6


def test_copies_are_what_their_relation_says(museum: SimpleNamespace) -> None:
    for copy in museum.copies:
        original, other = museum.files[copy["original_key"]], museum.files[copy["copy_key"]]
        is_same_file = original.read_bytes() == other.read_bytes()
        size, other_size = _upright(original).size, _upright(other).size
        assert is_same_file == (copy["relation"] == "exact")
        if copy["relation"] in ("exact", "reencoded"):
            assert size == other_size
        if copy["relation"] == "resized":
            assert 0.33 < max(other_size) / max(size) < 0.92
        assert museum.rows[copy["copy_key"]]["title"] != museum.rows[copy["original_key"]]["title"]
        assert museum.rows[copy["copy_key"]]["artist"] == museum.rows[copy["original_key"]]["artist"]


def _boxes(museum: SimpleNamespace) -> dict[str, list[list[float]]]:
    keys = {image["id"]: image["record_key"] for image in museum.coco["images"]}
    boxes: dict[str, list[list[float]]] = {key: [] for key in keys.values()}
    for annotation in museum.coco["annotations"]:
        boxes[keys[annotation["image_id"]]].append(annotation["bbox"])
    return boxes


def test_plain_copies_have_the_truth_of_their_original(museum: SimpleNamespace) -> None:
    ids, boxes = {image["record_key"]: image for image in museum.coco["images"]}, _boxes(museum)
    for copy in museum.copies:
        if copy["relation"] in (*PLAIN, "recoloured"):
            original, other = ids[copy["original_key"]], ids[copy["copy_key"]]
            scale = np.array([other["width"] / original["width"], other["height"] / original["height"]] * 2)
            wanted = np.array(boxes[original["record_key"]]).reshape(-1, 4) * scale
            np.testing.assert_allclose(np.array(boxes[other["record_key"]]).reshape(-1, 4), wanted, atol=0.02)


def test_only_what_cuts_rims_off_loses_figures(museum: SimpleNamespace) -> None:
    boxes, lost = _boxes(museum), Counter[str]()
    for copy in museum.copies:
        lost[copy["relation"]] += len(boxes[copy["original_key"]]) - len(boxes[copy["copy_key"]])
    assert {relation for relation, count in lost.items() if count} <= {"cropped", "rephotographed"}
    assert all(count >= 0 for count in lost.values())


def test_works_of_a_series_follow_a_work_by_the_same_hand(museum: SimpleNamespace) -> None:
    places = {key: place for place, key in enumerate(museum.rows)}
    taken = {copy["copy_key"] for copy in museum.copies} | set(museum.faults)
    assert 0.04 < len(museum.series) / museum.records < 0.08
    assert max(Counter(museum.series.values()).values()) > 2
    assert not set(museum.series) & set(museum.series.values())
    assert not (set(museum.series) | set(museum.series.values())) & taken
    assert set(museum.series) & {copy["original_key"] for copy in museum.copies}
    for key, first_key in museum.series.items():
        row, first = museum.rows[key], museum.rows[first_key]
        assert places[first_key] < places[key]
        assert (row["artist"], row["style"]) == (first["artist"], first["style"])
        assert museum.files[key].read_bytes() != museum.files[first_key].read_bytes()


def test_faults_are_what_their_list_says(museum: SimpleNamespace) -> None:
    assert 0.001 < len(museum.faults) / museum.records < 0.008
    assert set(museum.faults.values()) <= {"truncated", "html", "missing", "empty"}
    for key, fault in museum.faults.items():
        path = museum.files[key]
        assert path.suffix == ".jpg"
        if fault == "missing":
            assert not path.exists()
        elif fault == "empty":
            assert path.read_bytes() == b""
        elif fault == "html":
            assert path.read_bytes().startswith(b"<!DOCTYPE html>")
        else:
            with pytest.raises(OSError, match=r"(?i)truncated|cannot|broken"), Image.open(path) as picture:
                picture.load()


def test_every_file_of_the_folder_is_accounted_for(museum: SimpleNamespace) -> None:
    painted = {path for path in (museum.folder / "images").rglob("*") if path.is_file()}
    assert painted == {path for key, path in museum.files.items() if museum.faults.get(key) != "missing"}


def test_bytes_are_the_same_for_any_number_of_processes_and_painted_again(tmp_path: Path) -> None:
    write_museum(tmp_path / "alone", 70, 9, processes=1)
    write_museum(tmp_path / "together", 70, 9, processes=2)
    once = _bytes_by_path(tmp_path / "alone")
    assert once == _bytes_by_path(tmp_path / "together")
    some = next((tmp_path / "alone" / "images").rglob("*.jpg"))
    some.write_bytes(b"damaged")
    write_museum(tmp_path / "alone", 70, 9, processes=1)
    assert once == _bytes_by_path(tmp_path / "alone")


def test_a_larger_museum_begins_with_the_rows_of_a_smaller_one(tmp_path: Path, museum: SimpleNamespace) -> None:
    write_museum(tmp_path / "small", 30, museum.seed, processes=1)
    lines = (tmp_path / "small" / "works.csv").read_text(encoding="utf-8").splitlines()
    assert lines == (museum.folder / "works.csv").read_text(encoding="utf-8").splitlines()[: len(lines)]


@pytest.mark.parametrize(
    ("records", "processes", "said"),
    [
        (0, None, "expected at least 1 record, got 0"),
        (-3, None, "expected at least 1 record, got -3"),
        (5, 0, "expected at least 1 process, got 0"),
    ],
)
def test_numbers_below_one_are_refused(records: int, processes: int | None, said: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=said):
        write_museum(tmp_path / "none", records, 1, processes)
    assert not (tmp_path / "none").exists()


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "works.csv").write_text("mine")
    with pytest.raises(FolderTakenError, match="other files"):
        write_museum(tmp_path, 3, 1)
    assert (tmp_path / "works.csv").read_text() == "mine"


def test_another_museum_is_left_alone(tmp_path: Path) -> None:
    write_museum(tmp_path, 3, 1, processes=1)
    with pytest.raises(FolderTakenError, match="another museum"):
        write_museum(tmp_path, 4, 1, processes=1)
