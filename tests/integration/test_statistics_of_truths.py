"""`bilderatlas statistics`: a release, its COCO files and its VOC folder agree; People-Art has PoPArt's numbers."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bilderatlas
from flows.cli import main
from tests.support.desk import Desk

BOX = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "iscrowd": 0}
PERSON = {"id": 1, "name": "person"}


def write(folder: Path, name: str, **document: Any) -> str:
    path = folder / name
    path.write_text(json.dumps({"images": [], "annotations": [], "categories": [], **document}))
    return str(path)


def numbers(*truths: str, **options: Any) -> dict[tuple[str, str | None], dict[str, float | None]]:
    """The numbers by truth and split."""
    found: dict[tuple[str, str | None], dict[str, float | None]] = {}
    for row in bilderatlas.statistics(*truths, **options).table().to_pylist():
        if row["attribute"] is None:
            found.setdefault((row["truth"], row["split"]), {})[row["statistic"]] = row["value"]
    return found


def test_a_release_and_its_coco_files_say_the_same(built: Desk):
    release, splits = built.latest.url, built.latest.manifest.counts["by_split"]
    told = numbers(release, *(f"{release}/coco/{split}.json" for split in splits))
    name = f"museum {built.latest.manifest.version}"
    assert told[name, None]["images"] == built.latest.manifest.counts["kept"]
    for split, images in splits.items():
        mine = told[name, split]
        assert mine["images"] == images
        assert mine == pytest.approx(told[split, None], nan_ok=True)
    assert told[name, None]["crowds"]
    assert told[name, None]["keypoints"]


def test_crowds_may_be_left_out(built: Desk):
    (with_crowds, *_), (without, *_) = (
        [*numbers(built.latest.url, without_crowds=is_left_out).values()] for is_left_out in (False, True)
    )
    assert with_crowds["figures"] == without["figures"] + with_crowds["crowds"]
    assert with_crowds["with_figures"] == without["with_figures"]


def test_artists_are_as_even_as_the_releases_own_statistics_say(built: Desk):
    told = next(iter(numbers(built.latest.url).values()))
    rows = built.latest.table("statistics/diversity.parquet").to_pylist()
    (own,) = [row for row in rows if row["stratum"] is None and row["moment"] == "after"]
    assert (told["artists"], told["effective_artists"]) == (own["artists"], own["effective_artists"])
    moments = {row["moment"] for row in bilderatlas.statistics(built.latest.url).table("histograms").to_pylist()}
    assert moments == {"measured", "before", "after"}


def test_a_voc_folder_has_the_same_figures_from_corner_to_corner(built: Desk, tmp_path: Path):
    bilderatlas.unpack(built.latest.url, tmp_path / "voc", layout="voc")
    truth = next(path.parent for path in sorted((tmp_path / "voc").rglob("Annotations")))
    told, own = (next(iter(numbers(url).values())) for url in (str(truth), built.latest.url))
    assert told["figures"] == own["figures"]
    assert told["most_figures"] == own["most_figures"]
    assert told["widest_figure_width_px"] == pytest.approx(own["widest_figure_width_px"] - 1)


def test_the_command_prints_the_page_and_writes_it_with_tables_and_plots(built: Desk, tmp_path: Path, capsys: Any):
    file = write(tmp_path, "people.json", images=[{"id": 1, "file_name": "a"}], annotations=[BOX], categories=[PERSON])
    out = tmp_path / "out"
    assert main(["statistics", built.latest.url, file, "--by", "style", "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert (out / "statistics.md").read_text(encoding="utf-8") == text
    assert "| people | total | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 0 |" in text
    assert "## By style" in text
    tables, plots = {"statistics", "histograms", "splits"}, {"figures", "overlaps", "works", "years", "aspects"}
    written = {path.name for path in out.iterdir()}
    assert written == {"statistics.md", *(f"{name}.parquet" for name in tables), *(f"{name}.svg" for name in plots)}
    assert text.rstrip("\n") == str(bilderatlas.statistics(built.latest.url, file, by="style")).rstrip("\n")


def test_truths_of_one_name_are_told_apart(tmp_path: Path):
    (tmp_path / "b").mkdir()
    files = [write(folder, "people.json") for folder in (tmp_path, tmp_path / "b")]
    assert {truth for truth, _ in numbers(*files)} == {"people", "people (2)"}


@pytest.mark.parametrize(
    ("images", "annotations", "categories", "expected"),
    [
        pytest.param([], [], [], (0, 0, 0), id="an empty file"),
        pytest.param([], [], [PERSON], (0, 0, 0), id="a category without a box"),
        pytest.param([{"id": 1, "file_name": "a"}], [], [PERSON], (1, 1, 0), id="no figure"),
        pytest.param([{"id": 1, "file_name": "a", "is_annotated": False}], [], [PERSON], (1, 0, 0), id="not annotated"),
        pytest.param([{"id": 1, "file_name": "a"}], [BOX, BOX], [PERSON], (1, 0, 2), id="equal boxes"),
    ],
)
def test_odd_files_are_counted(tmp_path: Path, images: Any, annotations: Any, categories: Any, expected: Any):
    file = write(tmp_path, "odd.json", images=images, annotations=annotations, categories=categories)
    told = numbers(file)["odd", None]
    assert (told["images"], told["without_figures"], told["figures"]) == expected


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "release: expected a folder with a manifest.json"),
        (["nowhere.json"], "truth: expected a file"),
        (["cut.json"], "cut: expected JSON"),
        (["people.json", "--by", "mood"], "people: expected an attribute that annotated images have"),
        (["people.json", "--category", "dog"], "people: expected a category 'dog'"),
        (["found.json"], "found: expected boxes by people, got a file whose boxes are a detector's"),
        (["voc", "--by", "artist"], "--by: expected style, all that VOC's files say of an image"),
        (["twice"], "lists of images: expected each image in one split, got 'a' in 'train' and 'val'"),
        (["people.json", "--out", "people.json"], "--out: expected a folder that can be written"),
    ],
)
def test_bad_input_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, arguments: list[str], sentence: str
):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "people.json", images=[{"id": 1, "file_name": "a"}], annotations=[BOX], categories=[PERSON])
    write(tmp_path, "found.json", info={"annotation_origin": "detector"})
    Path("cut.json").write_text('{"images": [')
    for folder, splits in (("voc", ["train"]), ("twice", ["train", "val"])):
        Path(folder, "Annotations").mkdir(parents=True)
        for split in splits:
            Path(folder, f"Annotations/person_{split}.txt").write_text("a -1\n")
    assert main(["statistics", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"bilderatlas: {sentence}")


def test_the_command_needs_no_prefect(tmp_path: Path):
    file = write(tmp_path, "people.json", categories=[PERSON])
    program = f"import sys; from flows.cli import main; main(['statistics', {file!r}]); print('prefect' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


# --- People-Art


@pytest.fixture(scope="module")
def people_art(shared_data: Path) -> dict[str | None, dict[str, float | None]]:
    """The numbers by split. The split test is not at hand."""
    folder = shared_data / "peopleart"
    if not (folder / "Annotations").is_dir():
        pytest.skip(f"real data: no People-Art at {folder}")
    return {split: values for (_, split), values in numbers(str(folder)).items()}


@pytest.mark.parametrize(
    ("split", "expected"),
    [("train", [1623, 525, 1098, 1512]), ("val", [1384, 443, 941, 1221]), (None, [3007, 968, 2039, 2733])],
)
def test_people_arts_rows_of_table_3(people_art: Any, split: str | None, expected: list[int]):
    told = people_art[split]
    assert [told[name] for name in ("images", "with_figures", "without_figures", "figures")] == expected
    assert [told[name] for name in ("not_annotated", "crowds", "keypoints", "styles")] == [0, 0, 0, 43]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("most_figures", 22),
        ("many_figures_share", 138 / 968),  # 14.26 %
        ("small_share", 19 / 2733),  # .70 %
        ("small_with_edges_share", 12 / 2733),  # .44 %, VOC's own reading
        ("most_overlapping_pairs", 11),  # PoPArt, Fig. 7
        ("overlapping_share", 759 / 2733),  # 27.77 %
        ("touching_share", 1690 / 2733),  # 61.84 %
    ],
)
def test_how_crowded_people_art_is(people_art: Any, name: str, value: float):
    assert people_art[None][name] == pytest.approx(value, abs=1e-12)
