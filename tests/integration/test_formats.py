"""Formats of a release: written by a build, as `unpack` writes them, each picture drawn once for all who ask."""

import csv
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image

from flows.cli import main
from schemas.errors import BadInput, Refusal
from schemas.formats import Format
from schemas.layouts import LAYOUTS
from schemas.manifests import Step
from tasks.core.rights import passes
from tasks.engine import rendition_parts, renditions
from tasks.io.store.releases import Release
from tasks.purge import purge
from tasks.unpack import unpack
from tasks.verify import verify
from tests.support.desk import MadeOnce
from tests.support.wall import Wall

SQUARES: dict[str, Any] = {"imagefolder": {"side_px": 48}}
FREE: dict[str, Any] = {"cifar": {"name": "cifar-public", "rights": "public_domain"}}
SHARP: dict[str, Any] = {"imagefolder": {"name": "sharp", "side_px": 48, "filter": "robidoux_sharp"}}
FORMATS = ["cifar", FREE, SQUARES, "webdataset", "lsun", "imagenet"]
FOLDERS = {"cifar", "cifar-public", "imagefolder-48px", "webdataset", "lsun", "imagenet"}


def hang(folder: Path, formats: list[Any]) -> Wall:
    """A wall of which half the pictures are in the public domain, in rooms that are styles, and these formats."""
    wall = Wall(folder)
    paths = sorted((folder / "images").glob("*.jpg"))
    with (folder / "works.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["key", "image", "style", "rights_uri"])
        for place, path in enumerate(paths):
            uri = "https://creativecommons.org/publicdomain/zero/1.0/" if place % 2 else "NOASSERTION"
            table.writerow([path.stem, path.name, ("Cubism", "Pop Art", "Ukiyo-e")[place % 3], uri])
    (folder / "works.csv").rename(folder / "images/works.csv")
    columns = {name: name for name in ("key", "image", "style", "rights_uri")}
    wall.fields["sources"] = [{"table": {"name": "m", "at": "images", "table": "works.csv", "columns": columns}}]
    wall.stages = ["fetch", "hash", {"split": {"by": "style"}}, {"export": {"formats": formats}}]
    return wall


@pytest.fixture(scope="session")
def _framed(made_once: MadeOnce) -> Path:
    def make(folder: Path) -> None:
        folder.mkdir()
        hang(folder, FORMATS).build()

    return made_once("wall-formats", make)


@pytest.fixture
def framed(_framed: Path, tmp_path: Path) -> Wall:
    """A wall of its own of which a release with formats has been built."""
    shutil.copytree(_framed, tmp_path / "wall")
    wall = Wall.__new__(Wall)
    wall.folder, wall.store, wall.pattern, wall.source = tmp_path / "wall", str(tmp_path / "wall/store"), "", {}
    recipe = yaml.safe_load((wall.folder / "recipe.yaml").read_text(encoding="utf-8"))
    wall.fields, wall.stages = {"sources": recipe["sources"]}, recipe["stages"]
    return wall


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def export_of(steps: tuple[Step, ...]) -> Step:
    return next(step for step in steps if step.stage == "export")


def with_formats(wall: Wall, *formats: Any) -> None:
    wall.stages[-1] = {"export": {"formats": [*formats]}}


def test_a_release_has_its_formats_with_a_digest_of_each_file(framed: Wall):
    release = framed.latest
    below = Path(release.root) / "formats"
    assert {path.name for path in below.iterdir()} == {*FOLDERS, "README.md"}
    listed = {path for path in release.manifest.files if path.startswith("formats/")}
    assert listed == {f"formats/{name}" for name in files_below(below)}
    assert verify(release.url).problems == ()
    assert "`formats/<name>/`" in release.read("README.md").decode()
    about = (below / "README.md").read_text(encoding="utf-8")
    assert all(f"| `{name}/` |" in about for name in FOLDERS)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("cifar", {"layout": "cifar"}),
        ("cifar-public", {"layout": "cifar", "rights": ("public_domain",)}),
        ("imagefolder-48px", {"layout": "imagefolder", "side_px": 48}),
        ("webdataset", {"layout": "webdataset"}),
        ("lsun", {"layout": "lsun"}),
        ("imagenet", {"layout": "imagenet"}),
    ],
)
def test_a_format_is_what_unpack_writes(name: str, settings: dict[str, Any], framed: Wall, tmp_path: Path):
    unpack(framed.latest.url, str(tmp_path / "out"), layout=Format(**settings))
    (tmp_path / "out/unpacked.json").unlink()
    assert files_below(tmp_path / "out") == files_below(Path(framed.latest.root) / "formats" / name)


def test_a_format_of_some_rights_has_these_alone_and_the_same_labels(framed: Wall):
    release = framed.latest
    rows = release.rows("images", ["image_id", "rights_uri"]).to_pylist()
    free = {row["image_id"] for row in rows if passes(row["rights_uri"], ["public_domain"])}
    assert 0 < len(free) < len(rows)

    def listed(folder: str) -> dict[int, dict[str, str]]:
        (path,) = (Path(release.root) / "formats" / folder).glob("*.csv")
        with path.open(encoding="utf-8", newline="") as file:
            return {int(row["image_id"]): row for row in csv.DictReader(file)}

    every, some = listed("cifar"), listed("cifar-public")
    assert (every.keys(), some.keys()) == ({row["image_id"] for row in rows}, free)
    assert {row["is_public_domain"] for row in some.values()} == {"True"}
    assert all(some[number]["label"] == every[number]["label"] for number in free)


@pytest.mark.parametrize("layout", ["release", "webdataset", "lsun", "imagenet", "imagefolder"])
def test_unpack_by_rights_leaves_no_other_image(layout: Any, framed: Wall, tmp_path: Path):
    rows = framed.latest.rows("images", ["image_id", "rights_uri"]).to_pylist()
    free = {row["image_id"] for row in rows if passes(row["rights_uri"], ["public_domain"])}
    told = unpack(framed.latest.url, str(tmp_path / "out"), layout=Format(layout=layout, rights="public_domain"))
    counts = [int(line.split(": ")[1].split()[0]) for line in told.splitlines() if " in " in line]
    assert sum(counts) == len(free)


def test_a_picture_is_drawn_once_for_all_formats_and_builds(framed: Wall, monkeypatch: pytest.MonkeyPatch):
    drawn, draw = list[Any](), renditions.drawn_anew
    for module in (renditions, rendition_parts):
        monkeypatch.setattr(module, "drawn_anew", lambda data, of: drawn.append(of) or draw(data, of))
    with_formats(framed, "cifar", SQUARES)
    export_of(framed.build())
    assert drawn == []  # another release, of renditions that are there
    with_formats(framed, "cifar", SQUARES, SHARP)
    framed.build()
    blobs = {*framed.latest.rows("images", ["sha256"])["sha256"].to_pylist()}
    assert [(of.filter, of.side_px) for of in drawn] == [("robidoux_sharp", 48)] * len(blobs)
    drawn.clear()
    assert export_of(framed.build()).computed == 0
    assert drawn == []


def test_a_rendition_that_is_damaged_or_gone_is_drawn_again(framed: Wall, tmp_path: Path):
    before = files_below(Path(framed.latest.root) / "formats")
    kept = [path for path in (Path(framed.store) / "renditions").rglob("*") if path.is_file()]
    kept[0].write_bytes(b"another picture")
    kept[1].unlink()
    kept[2].write_bytes(kept[3].read_bytes())
    with_formats(framed, *FORMATS, SHARP)
    framed.build()
    after = files_below(Path(framed.latest.root) / "formats")
    assert {name: data for name, data in before.items() if name != "README.md"}.items() <= after.items()


def test_squares_by_other_filters(framed: Wall):
    with_formats(
        framed,
        SQUARES,
        SHARP,
        {"imagefolder": {"name": "lanczos", "side_px": 48, "filter": "lanczos"}},
        {"imagefolder": {"name": "light", "side_px": 48, "light": "linear"}},
    )
    framed.build()
    below = Path(framed.latest.root) / "formats"
    name = next(str(path.relative_to(below / "sharp")) for path in (below / "sharp").rglob("*.png"))
    drawn = []
    for folder in ("imagefolder-48px", "sharp", "lanczos", "light"):
        with Image.open(below / folder / name) as picture:
            assert picture.size == (48, 48)
            drawn.append(np.asarray(picture).astype(int))
    first, *others = drawn
    assert all(0 < np.abs(first - other).mean() < 12 for other in others)


def test_what_was_taken_down_is_in_no_format_and_no_rendition(framed: Wall):
    release = framed.latest
    row = release.rows("images", ["record_id", "sha256"]).to_pylist()[0]
    places = [path for path in (Path(framed.store) / "renditions").rglob(row["sha256"]) if path.is_file()]
    assert len(places) == 2  # of 32 and 48 px
    purge("wall", framed.store, [row["record_id"]], "asked", "2026-01-31")
    assert not any(path.exists() for path in places)
    assert not (Path(release.root) / "formats").exists() or not files_below(Path(release.root) / "formats")
    amended = Release(release.url)
    assert not [path for path in amended.manifest.files if path.startswith("formats/")]
    assert "`formats/` was removed" in amended.read("README.md").decode()
    assert verify(release.url).problems == ()


@pytest.mark.parametrize("layout", [*LAYOUTS])
def test_a_split_without_images_and_then_without_a_style(layout: Any, framed: Wall, tmp_path: Path):
    """A layout of the whole, and of what is left when all images of one split, and of one style, are purged."""
    framed.stages[-1] = {"export": {}}
    framed.build()
    try:
        unpack(framed.latest.url, str(tmp_path / "out"), layout=layout)
    except BadInput as problem:
        assert "expected a release" in str(problem) and layout in {"source", "popart", "yolo", "voc", "met"}  # noqa: PT017, PT018
        return
    rows = framed.latest.rows("images", ["record_id", "image_id", "split", "style"]).to_pylist()
    split, style = "test", rows[0]["style"]
    gone = {row["image_id"]: row["record_id"] for row in rows if split == row["split"] or style == row["style"]}
    assert 0 < len(gone) < len(rows)
    purge("wall", framed.store, [*gone.values()], "asked", "2026-01-31", is_alone=True)
    unpack(framed.latest.url, str(tmp_path / "out"), layout=layout)
    unpack(framed.latest.url, str(tmp_path / "anew"), layout=layout)
    there, anew = (files_below(tmp_path / name) for name in ("out", "anew"))
    assert there.keys() == anew.keys()
    assert all(there[name] == data for name, data in anew.items() if name != "unpacked.json")
    folders = {path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*") if path.is_dir()}
    assert folders <= {path.relative_to(tmp_path / "anew") for path in (tmp_path / "anew").rglob("*") if path.is_dir()}


def test_batches_are_mixed_however_the_release_lies(framed: Wall, tmp_path: Path):
    framed.stages[-1] = {"export": {"parquet": {"order": "style"}, "formats": ["cifar"]}}
    unpack(framed.latest.url, str(tmp_path / "by-id"), layout="cifar")
    framed.build()
    assert framed.latest.recipe().stage("export").parquet.order == "style"  # type: ignore[union-attr]
    (tmp_path / "by-id/unpacked.json").unlink()
    assert files_below(tmp_path / "by-id") == files_below(Path(framed.latest.root) / "formats/cifar")


def test_what_unpack_was_asked_for_before_is_told(framed: Wall, tmp_path: Path):
    unpack(framed.latest.url, str(tmp_path / "out"), layout=Format(layout="cifar", filter="box"))
    with pytest.raises(BadInput, match="as 'cifar' has it, pictures upright, filter 'box'"):
        unpack(framed.latest.url, str(tmp_path / "out"), layout="cifar")


def test_rights_that_no_image_has(framed: Wall, tmp_path: Path):
    by = "https://creativecommons.org/licenses/by/"
    with pytest.raises(BadInput, match="--rights: expected images with rights https"):
        unpack(framed.latest.url, str(tmp_path / "out"), layout=Format(layout="webdataset", rights=by))
    with_formats(framed, {"webdataset": {"rights": by}})
    with pytest.raises(Refusal, match=r"export: formats \(webdataset\): --rights: expected images with rights https"):
        framed.build()


def test_a_layout_that_the_release_can_not_have_publishes_nothing(framed: Wall):
    before = framed.latest.manifest.version
    with_formats(framed, "yolo")
    with pytest.raises(Refusal, match=r"export: formats \(yolo\): expected a release with images that people have"):
        framed.build()
    assert framed.latest.manifest.version == before


@pytest.mark.parametrize(
    ("formats", "said"),
    [
        (["cifar", "cifar"], "expected a name for each, got 'cifar' 2 times"),
        (["met"], "formats (met): expected an attribute of the recipe"),
        ([{"yolo": {"side_px": 9}}], "side_px: expected the layout imagefolder, got yolo"),
        ([{"cifar": {"filter": "box", "light": "linear"}}], "light: expected linear only with the filter robidoux"),
        ([{"cifar": {"layout": "yolo"}}], "expected the settings of cifar indented below it"),
        ([{"cifar": None, "name": "x"}], "expected the settings of cifar indented below it"),
        (["cyfar"], "expected 'release', 'source'"),
        ([{"cifar": {"name": "../x"}}], "name: expected lower-case letters, digits, - and _"),
    ],
)
def test_formats_that_can_not_be_are_refused_before_a_build(
    formats: list[Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    hang(tmp_path, formats)
    recipe = {
        "name": "wall",
        "bindings": {"images": "pictures"},
        "sources": [{"folder": {"name": "m", "at": "images", "pattern": "{title}.jpg"}}],
        "stages": ["fetch", "hash", {"split": {"by": None}}, {"export": {"formats": formats}}],
    }
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(recipe), encoding="utf-8")
    arguments = ["--store", str(tmp_path / "store"), "--bind", f"images={tmp_path / 'images'}"]
    assert main(["plan", str(tmp_path / "recipe.yaml"), *arguments]) == 2
    assert said in capsys.readouterr().err
