"""verify --against: a release beside a folder of images, a file of fingerprints, and another release."""

import io
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image, ImageOps

from flows.cli import main
from schemas.errors import BadInput
from schemas.tables import OVERLAPS
from tasks.io.store.releases import Release
from tasks.verify import verify, write
from tasks.verify.datasets import open_dataset

COPIES = ("same", "saved", "small", "recoloured", "cropped", "mirrored")


@pytest.fixture(scope="module")
def release(_built: Path) -> Release:
    return Release(f"{_built}/releases/museum/latest")


def saved(picture: Image.Image, quality: int) -> bytes:
    data = io.BytesIO()
    picture.save(data, "JPEG", quality=quality)
    return data.getvalue()


def changed(kind: str, data: bytes) -> bytes:
    """The picture as others may have it."""
    if kind == "same":
        return data
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    width, height = picture.size
    if kind == "small":
        picture = picture.resize((width * 3 // 5, height * 3 // 5))
    if kind == "recoloured":
        picture = picture.point(lambda level: int(255 * (level / 255) ** 0.8))
    if kind == "cropped":
        picture = picture.crop((width // 12, height // 12, width - width // 12, height - height // 12))
    return saved(ImageOps.mirror(picture) if kind == "mirrored" else picture, 70)


@pytest.fixture(scope="module")
def folder(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four pictures of each kind, named by the SHA-256 of the release's, four others, and two files that are none."""
    folder, images = tmp_path_factory.mktemp("theirs"), [*release.embedded_images()]
    for number, (sha256, data) in enumerate(images[: 4 * len(COPIES)]):
        kind = COPIES[number % len(COPIES)]
        (folder / f"{kind}-{sha256}.jpg").write_bytes(changed(kind, data))
    rng = np.random.default_rng(7)
    for number in range(4):
        waves = rng.integers(0, 256, (6, 8, 3), dtype=np.uint8)
        (folder / f"other-{number}.png").write_bytes(saved(Image.fromarray(waves).resize((400, 300)), 90))
    (folder / "notes.txt").write_text("not a picture")
    (folder / "empty.jpg").write_bytes(b"")
    return folder


def test_a_folder_of_copies(release: Release, folder: Path):
    found = verify(release.url, against=[str(folder)])
    sha256 = {row["record_id"]: row["sha256"] for row in release.rows("images", ["record_id", "sha256"]).to_pylist()}
    pairs = {(row["other_image"], row["relation"]) for row in found.overlaps.to_pylist()}
    same = {name for name, relation in pairs if relation == "same_file"}
    assert same == {path.name for path in folder.glob("same-*")}
    copies = {path.name for path in folder.iterdir() if path.name.partition("-")[0] in COPIES}
    assert {name for name, _ in pairs} == copies
    for row in found.overlaps.to_pylist():
        if row["relation"] not in {"look_alike", "uncertain", "detail"}:
            assert sha256[row["record_id"]] in row["other_image"]
    assert found.overlaps.schema == OVERLAPS
    (problem,) = found.problems
    assert problem.startswith(f"against {folder}: 24 images of this release are like 24 there (")
    for said in (
        "  train here, no split there: ",
        "2 files of 30 can't be read as images: ",
        "hashes of whole pictures within 12 of 64 bits, or those of views (",
        "by chance alone, about ",
        "the pictures were looked at: ",
    ):
        assert said in found.text


def test_a_file_of_fingerprints_knows_equal_files_and_near_hashes(release: Release, tmp_path: Path):
    table = pq.read_table(f"{release.url}/fingerprints.parquet")
    rows = table.to_pylist()
    for row in rows[10:]:
        row["sha256"] = "0" * 64
    theirs = tmp_path / "fingerprints.parquet"
    pq.write_table(pa.Table.from_pylist(rows, table.schema), theirs)
    found = verify(release.url, against=[str(theirs)])
    mine = [row for row in found.overlaps.to_pylist() if row["record_id"] == row["other_image"]]
    assert len(mine) == len(rows)
    assert sorted(row["relation"] or "near" for row in mine) == ["near"] * (len(rows) - 10) + ["same_file"] * 10
    assert all(row["split"] == row["other_split"] for row in mine)
    assert "nobody has looked" in found.text
    assert "within 8 of 64 bits" in found.text
    none = verify(release.url, against=[str(theirs)], radius_bits=0)
    assert {row["distance_bits"] for row in none.overlaps.to_pylist()} == {0}


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("phash_recipe", "phash64/another", "hashes by 'phash64/another' are not compared with those by"),
        ("views_recipe", "waves64/v0: crops (0)", "views by 'waves64/v0: crops (0)' are not compared"),
    ],
)
def test_hashes_of_another_recipe_are_said_and_not_compared(
    release: Release, tmp_path: Path, column: str, value: str, said: str
):
    table = pq.read_table(f"{release.url}/fingerprints.parquet")
    place = table.schema.get_field_index(column)
    theirs = tmp_path / "fingerprints.parquet"
    pq.write_table(table.set_column(place, table.schema.field(place), pa.array([value] * table.num_rows)), theirs)
    found = verify(release.url, against=[str(theirs)])
    assert said in found.text
    equal = [row for row in found.overlaps.to_pylist() if row["relation"] == "same_file"]
    assert len(equal) == table.num_rows
    if column == "phash_recipe":
        assert found.overlaps.num_rows == len(equal)


def test_few_columns_are_enough(release: Release, tmp_path: Path):
    """As somebody may write them who has no program of ours."""
    table = pq.read_table(f"{release.url}/fingerprints.parquet", columns=["sha256", "phash", "phash_recipe"])
    pq.write_table(table, tmp_path / "few.parquet")
    found = verify(release.url, against=[str(tmp_path / "few.parquet")])
    assert {row["sha256"] for row in table.to_pylist()} <= {row["other_image"] for row in found.overlaps.to_pylist()}


def test_a_folders_fingerprints_have_no_split(release: Release, folder: Path, tmp_path: Path):
    rows = open_dataset(str(folder)).rows
    assert rows["split"].null_count == rows.num_rows
    pq.write_table(rows, tmp_path / "theirs.parquet")
    by_hash = verify(release.url, against=[str(tmp_path / "theirs.parquet")]).overlaps
    assert {row["relation"] for row in by_hash.to_pylist()} >= {"same_file", None}


def test_another_release_whose_pictures_are_at_hand(release: Release):
    found = verify(release.url, against=[release.url])
    equal = [row for row in found.overlaps.to_pylist() if row["relation"] == "same_file"]
    assert len(equal) == release.rows("images", ["image_id"]).num_rows
    assert "the pictures were looked at" in found.text


def test_nothing_in_common_is_good(release: Release, folder: Path, tmp_path: Path):
    for path in folder.glob("other-*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    found = verify(release.url, against=[str(tmp_path)])
    assert found.is_good
    assert "    ok  against " in found.text
    assert "no image in common (57 images here, 4 images there)" in found.text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere", "--against: expected a release, a file of fingerprints (.parquet) or a folder of images, got "),
        ("odd.parquet", "--against: expected fingerprints with sha256, phash, phash_recipe, got "),
        ("none.parquet", "--against: expected fingerprints with sha256, phash, phash_recipe, got "),
        ("short.parquet", "--against: expected fingerprints with sha256, phash, phash_recipe, got "),
        ("nulls.parquet", "--against: expected fingerprints with sha256, phash, phash_recipe, got "),
        ("names.parquet", "--against: expected fingerprints with sha256, phash, phash_recipe, got "),
        ("long.parquet", "--against: expected fingerprints with sha256, phash, phash_recipe, got "),
        ("texts", "--against: expected a release, a file of fingerprints (.parquet) or a folder of images, got "),
        ("linked", "--against: expected a release, a file of fingerprints (.parquet) or a folder of images, got "),
        ("bare", "--against: expected a release, a file of fingerprints (.parquet) or a folder of images, got "),
    ],
)
def test_what_is_no_dataset_is_told_in_a_sentence(release: Release, tmp_path: Path, name: str, said: str):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "odd.parquet")
    table = pq.read_table(f"{release.url}/fingerprints.parquet")
    for odd, column, value in (
        ("short", "view_hashes", [1, 2]),
        ("nulls", "view_hashes", [None] * 60),
        ("names", "sha256", "A" * 63),
    ):
        rows = [{**row, column: value if place else row[column]} for place, row in enumerate(table.to_pylist())]
        pq.write_table(pa.Table.from_pylist(rows, table.schema), tmp_path / f"{odd}.parquet")
    few = table.slice(0, 1).select(["sha256", "phash", "phash_recipe"])
    pq.write_table(few.take(pa.array([0] * 200_000)), tmp_path / "long.parquet")
    for folder in ("texts", "linked", "bare"):
        (tmp_path / folder).mkdir()
    (tmp_path / "texts/a.txt").write_text("no picture")
    (tmp_path / "linked/images").symlink_to(tmp_path / "texts")
    with pytest.raises(BadInput) as refused:
        verify(release.url, against=[str(tmp_path / name)])
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)


def test_no_name_is_no_folder(release: Release):
    with pytest.raises(BadInput, match="got an empty text"):
        verify(release.url, against=[""])


def test_of_many_equal_files_each_is_listed(release: Release, tmp_path: Path):
    """With the first of the other side; a SHA-256 in capitals is one."""
    first = pq.read_table(f"{release.url}/fingerprints.parquet").slice(0, 1)
    rows = [{**first.to_pylist()[0], "sha256": first["sha256"][0].as_py().upper()}] * 12
    pq.write_table(pa.Table.from_pylist(rows, first.schema), tmp_path / "twelve.parquet")
    found = verify(release.url, against=[str(tmp_path / "twelve.parquet")])
    same = [row for row in found.overlaps.to_pylist() if row["relation"] == "same_file"]
    assert len(same) == 12
    assert {row["record_id"] for row in same} == {first["record_id"][0].as_py()}


def test_a_release_without_its_fingerprints_is_told_beside_all_other_checks(
    release: Release, folder: Path, tmp_path: Path
):
    broken = Path(shutil.copytree(release.root, tmp_path / "broken"))
    (broken / "fingerprints.parquet").write_bytes(b"PAR1")
    found = verify(str(broken), against=[str(folder)])
    assert "FAILED  files" in found.text
    assert "FAILED  against " in found.text
    assert "Traceback" not in found.text
    assert found.overlaps.num_rows == 0


def test_the_page_shows_both_pictures_side_by_side(release: Release, folder: Path, tmp_path: Path, capsys: Any):
    out = tmp_path / "out"
    assert main(["verify", release.url, "--against", str(folder), "--out", str(out)]) == 1
    assert "FAILED  against " in capsys.readouterr().out
    table, html = pq.read_table(out / "overlaps.parquet"), (out / "overlaps.html").read_text()
    assert table.schema.equals(OVERLAPS)
    assert html.count("<article>") == table.num_rows
    assert html.count("<image href='data:image/jpeg;base64,") == 2 * table.num_rows
    assert "script-src 'none'" in html


@pytest.mark.parametrize("options", [["--out", "x"], ["--radius-bits", "3"]])
def test_options_of_against_need_it(release: Release, options: list[str], capsys: Any):
    assert main(["verify", release.url, *options]) == 2
    assert f"verify {options[0]}: expected --against with it, got none" in capsys.readouterr().err


def test_written_without_anything_in_common(release: Release, tmp_path: Path):
    write(verify(release.url), str(tmp_path / "out"))
    assert pq.read_table(tmp_path / "out/overlaps.parquet").num_rows == 0
