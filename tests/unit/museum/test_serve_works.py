"""Halls: labels that agree with the painted folder, lists that agree with the labels, and images that agree with
both.
"""

import hashlib
import io
import json
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from examples.museum.holdings import holding
from examples.museum.seeds import generator
from examples.museum.serve import images as pictures
from examples.museum.serve import register as registers
from examples.museum.serve.draws import Draws
from examples.museum.serve.images import FewImages, FileImages, PaintedImages, content_type, images_of_hall, paintings
from examples.museum.serve.works import CatalogueHall, FolderHall, ImagesHall, Works, hall_from_folder
from examples.museum.styles import STYLE_NAMES

pytestmark = pytest.mark.slow


@given(st.integers(0, 2**63 - 1), st.integers(0, 10**9), st.lists(st.integers(1, 2**32 - 1), min_size=1, max_size=6))
def test_arrays_draw_what_numpy_draws(seed: int, first: int, counts: list[int]) -> None:
    rows = np.arange(first, first + 5)
    everyone = np.ones(5, dtype=bool)
    draws = Draws(seed, "work", rows)
    drawn = [(draws.uniform(everyone), draws.below(np.full(5, count), everyone)) for count in counts]
    for place, row in enumerate(rows.tolist()):
        rng = generator(seed, "work", row)
        said = [(rng.uniform(), int(rng.integers(count))) for count in counts]
        if draws.is_sure[place]:
            assert said == [(float(part[place]), int(whole[place])) for part, whole in drawn]


def test_who_is_not_meant_stays_as_it_is() -> None:
    rows = np.arange(40)
    draws = Draws(3, "work", rows)
    assert (draws.below(np.full(40, 9), rows % 2 == 0)[1::2] == 0).all()
    later = draws.below(np.full(40, 9), np.ones(40, dtype=bool))
    for row in rows.tolist():
        rng = generator(3, "work", row)
        if row % 2 == 0:
            rng.integers(9)
        assert int(rng.integers(9)) == later[row]


@pytest.fixture(scope="module")
def hall(museum: SimpleNamespace) -> CatalogueHall:
    return CatalogueHall(museum.seed, museum.records)


def test_labels_agree_with_the_painted_folder(museum: SimpleNamespace, hall: CatalogueHall) -> None:
    alike = 0
    for row, cells in enumerate(museum.rows.values()):
        said = hall.entry(row)
        year = "" if said.year is None else str(said.year)
        assert (said.row, said.key, said.artist, said.style, said.date_text, year, said.extension) == (
            row,
            cells["key"],
            cells["artist"],
            cells["style"],
            cells["date_text"],
            cells["year"],
            Path(cells["image"]).suffix,
        )
        alike += said.title == cells["title"]
    assert alike > museum.records / 10


def test_sizes_agree_with_the_painted_files(museum: SimpleNamespace, hall: CatalogueHall) -> None:
    sizes = {image["record_key"]: (image["width"], image["height"]) for image in museum.coco["images"]}
    for row in range(museum.records):
        said = hall.entry(row)
        assert sizes.get(said.key, (said.width_px, said.height_px)) == (said.width_px, said.height_px)


def _assert_lists_agree(hall: Works) -> None:
    labels = [hall.entry(row) for row in range(hall.size)]
    assert list(hall.artists()) == sorted({said.artist for said in labels})
    assert list(hall.styles()) == sorted({said.style for said in labels})
    for artist in hall.artists():
        assert list(hall.rows_of_artist(artist)) == [said.row for said in labels if said.artist == artist]
    for style in hall.styles():
        assert list(hall.rows_of_style(style)) == [said.row for said in labels if said.style == style]
    assert [hall.row_of_key(said.key) for said in labels] == list(range(hall.size))


def test_lists_agree_with_the_labels(museum: SimpleNamespace, hall: CatalogueHall) -> None:
    _assert_lists_agree(hall)
    painted = FolderHall(museum.folder)
    for artist in hall.artists():
        assert list(painted.rows_of_artist(artist)) == list(hall.rows_of_artist(artist))


def test_rows_behave_as_a_list_that_json_can_write(hall: CatalogueHall) -> None:
    rows = hall.rows_of_style("Cubism")
    assert json.loads(json.dumps(rows[:5])) == list(rows)[:5]
    assert (type(rows[0]), rows[-1], len(rows[3:])) == (int, list(rows)[-1], len(rows) - 3)
    assert rows[1] in rows
    assert rows.index(rows[7]) == 7


@pytest.mark.parametrize("key", ["", "1870.1", "1870.1.1.1", "x.1.1", "1870.0.0", "99999.1.1", "1870.1.-1", "1870.1.²"])
def test_strangers_have_nothing_here(key: str, hall: CatalogueHall) -> None:
    found = hall.row_of_key(key)
    assert found is None or hall.entry(found).key == key
    assert list(hall.rows_of_artist(key)) == list(hall.rows_of_style(key)) == []


@pytest.mark.parametrize("row", [-1, 1200])
def test_a_row_outside_is_an_error(row: int, hall: CatalogueHall) -> None:
    with pytest.raises(IndexError, match=f"expected a row from 0 to 1199, got {row}"):
        hall.entry(row)


@pytest.mark.parametrize(("size", "few"), [(0, None), (1_000_001, None), (5, 0)])
def test_sizes_out_of_range_are_refused(size: int, few: int | None) -> None:
    with pytest.raises(ValueError, match="expected"):
        CatalogueHall(1, size, few)


def test_a_large_hall_has_its_lists_soon() -> None:
    start = time.process_time()
    hall = CatalogueHall(9, 200_000)
    hall.make_lists()
    assert time.process_time() - start < 30
    assert sum(len(hall.rows_of_style(style)) for style in hall.styles()) == 200_000
    last = hall.entry(199_999)
    assert last.row in hall.rows_of_artist(last.artist)


def test_another_way_of_drawing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registers, "_UNKNOWN_FRACTION", 0.9)
    with pytest.raises(RuntimeError, match="expected row"):
        CatalogueHall(2, 300).make_lists()


def test_painted_on_demand_is_what_the_folder_has(museum: SimpleNamespace) -> None:
    images, files = PaintedImages(museum.seed), list(museum.files.values())
    held = [holding(museum.seed, row) for row in range(museum.records)]
    faults = [one.row for one in held if one.fault][:8]
    series = [one.row for one in held if one.first is not None][:8]
    copies = {one.relation: one.row for one in held if one.relation}
    assert len(copies) == 8
    for row in [*range(25), *faults, *series, *copies.values()]:
        picture = images.painted(row)
        assert picture == FileImages(files).ready(row)
        assert images.ready(row) == picture


def test_painted_images_are_kept_within_bounds() -> None:
    images = PaintedImages(7, cache_bytes=60_000)
    sizes = {row: len(images.painted(row).data or b"") for row in range(12)}
    kept = [row for row in sizes if images.ready(row)]
    assert kept == list(range(kept[0], 12))
    assert sum(sizes[row] for row in kept) <= 60_000


def test_few_paintings_make_many_files_that_look_alike(tmp_path: Path) -> None:
    hall = CatalogueHall(7, 500, paintings=5)
    images = images_of_hall(hall, tmp_path)
    data = [images.ready(row).data for row in range(hall.size)]
    assert len({hashlib.sha256(one).digest() for one in data}) == hall.size
    for row in (0, 4, 5, 499):
        said = hall.entry(row)
        with Image.open(io.BytesIO(data[row])) as picture, Image.open(io.BytesIO(data[row % 5])) as same:
            assert (said.extension, picture.format) == (".jpg", "JPEG")
            assert ImageOps.exif_transpose(picture).size == (said.width_px, said.height_px)
            assert picture.info["comment"] == b"row %d" % row
            assert picture.tobytes() == same.tobytes()
    assert sorted(path.name for path in (tmp_path / "museum-7").iterdir()) == [f"{number}.jpg" for number in range(5)]
    (tmp_path / "museum-7" / "3.jpg").write_bytes(b"\xff\xd8 from the cache")
    assert b" from the cache" in images_of_hall(hall, tmp_path).ready(3).data


def test_paintings_do_not_depend_on_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_PAINTINGS_WORTH_A_PROCESS", 20)
    assert paintings(7, 60, processes=2) == paintings(7, 60, processes=1)  # the pool takes 50 at a time


def test_a_comment_follows_whatever_header_there_is() -> None:
    assert FewImages([b"\xff\xd8\xff\xdb rest"]).ready(3).data == b"\xff\xd8\xff\xfe\x00\x07row 3\xff\xdb rest"


def test_a_painted_folder_is_a_hall(museum: SimpleNamespace) -> None:
    hall = hall_from_folder(museum.folder)
    assert isinstance(hall, FolderHall)
    images = images_of_hall(hall)
    for row, (key, cells) in enumerate(list(museum.rows.items())[:60]):
        said = hall.entry(row)
        assert (said.key, said.title, said.artist, said.style) == (key, cells["title"], cells["artist"], cells["style"])
        with Image.open(io.BytesIO(images.ready(row).data)) as picture:
            assert ImageOps.exif_transpose(picture).size == (said.width_px, said.height_px)


def test_a_lost_file_has_no_bytes_and_a_usual_size(tmp_path: Path) -> None:
    (tmp_path / "works.csv").write_text("key,image,title,artist,style,date_text,year\n1870.1.1,a.jpg,T,A,Cubism,,\n")
    hall = FolderHall(tmp_path)
    assert hall.entry(0) == (0, "1870.1.1", "T", "A", "Cubism", "", None, 400, 300, ".jpg")
    assert images_of_hall(hall).ready(0) == (None, "image/jpeg")


def test_any_folder_of_images_is_a_hall(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    Image.new("RGB", (30, 20)).save(tmp_path / "deep" / "Sea_at Dusk.JPG", format="JPEG")
    Image.new("L", (5, 9)).save(tmp_path / "b.png")
    (tmp_path / "c.webp").write_bytes(b"no image")
    (tmp_path / "notes.txt").write_text("nothing to see")
    hall = hall_from_folder(tmp_path, seed=4)
    assert isinstance(hall, ImagesHall)
    said = [hall.entry(row) for row in range(hall.size)]
    assert [(one.title, one.extension, one.width_px, one.height_px) for one in said] == [
        ("b", ".png", 5, 9),
        ("c", ".webp", 400, 300),
        ("Sea at Dusk", ".jpg", 30, 20),
    ]
    assert {one.style for one in said} <= set(STYLE_NAMES)
    assert images_of_hall(hall).ready(2) == ((tmp_path / "deep" / "Sea_at Dusk.JPG").read_bytes(), "image/jpeg")
    _assert_lists_agree(hall)


def test_folders_that_hold_nothing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected images below"):
        hall_from_folder(tmp_path)
    (tmp_path / "works.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="expected a table of works"):
        hall_from_folder(tmp_path)


def test_types_of_content() -> None:
    assert [content_type(one) for one in (".jpg", ".JPEG", ".webp", "")] == [
        "image/jpeg",
        "image/jpeg",
        "image/webp",
        "application/octet-stream",
    ]


def test_real_images_can_be_served(shared_data: Path) -> None:
    hall = ImagesHall(shared_data / "odd_images")
    assert hall.size > 3
    assert all(hall.entry(row).width_px > 0 for row in range(hall.size))
