"""Each page of the docs is typed from top to bottom, word for word, in a folder laid out as it says.

Only names in capitals, records, places and sizes are others: tests/support/documented.py says which.
"""

import contextlib
import csv
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml
from PIL import Image

from examples.museum.serve import commons
from examples.museum.serve.server import serving
from examples.museum.serve.works import CatalogueHall
from flows.cli import main
from tests.support.desk import ROOT, Desk, MadeOnce
from tests.support.documented import LATEST, MUSEUM_SERVE, PROTOCOLS, WEB, Block, rest, text_of, typed
from tests.support.prefect_server import BIN, QUIET
from tests.support.protocol_pages import section, type_files

BY_PAGE: dict[str, list[Block]] = {}
for _block in rest():
    BY_PAGE.setdefault(_block.page, []).append(_block)

STAGES = ["fetch", "hash", {"split": {"by": None}}, "export"]
LONG = re.compile(r"bilderatlas (build|train|scrape|museum|purge)|.*--detector|make |python -m |pip ")
"""Commands that take seconds, or need servers. Pages without any are typed in the tests' own process."""


def marks(page: str) -> list[pytest.MarkDecorator]:
    is_long = any(LONG.match(command) for block in BY_PAGE[page] for command in block.commands)
    return [pytest.mark.live] if is_long else []


@pytest.fixture(scope="session")
def releases(painted: Path, _built: Path, made_once: MadeOnce) -> Path:
    """A store with two releases of `museum`, of which the newer takes a work down, and one of two other names."""

    def make(store: Path) -> None:
        shutil.copytree(_built, store)
        desk = Desk(str(store), painted)
        table = store.parent / "by-hand.csv"
        table.write_text(f"action,scope,name,reason,date\ntakedown,,{kept(desk)[0]},asked for,2024-06-11\n")
        desk.bound["by_hand"] = str(table)
        desk.build("by_hand=by_hand", "bindings={images: works, weights: a detector, by_hand: a list}")
        desk.bound.clear()
        for number, name in enumerate(("popart", "peopleart")):
            desk.build(f"name={name}", f"seed={number}")

    return made_once("documented-store", make)


def kept(desk: Desk) -> list[str]:
    return sorted(str(name) for batch in desk.latest.batches("images") for name in batch["record_id"].to_pylist())


LINKED = (".venv", "Makefile", "pyproject.toml", "requirements.lock", "deployments", "data_contracts")


@pytest.fixture
def folder(tmp_path: Path, painted: Path, releases: Path) -> Path:
    """The project's folder after the README's first command, and the files that the pages speak of."""
    for name in LINKED:
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(releases, tmp_path / "store")
    for name in ("build", "coco", "data", "etc/systemd/system", "etc/caddy"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("build/museum", "paintings"):
        (tmp_path / name).symlink_to(painted)
    truth = json.loads((painted / "truth/annotations.json").read_text())
    with (painted / "works.csv").open(newline="") as file:
        styles = {row["key"]: row["style"] for row in csv.DictReader(file)}
    for image in truth["images"]:
        image["metadata"] = {"style": styles[image["record_key"]]}
    for name in ("annotations.json", "coco/train.unannotated.json"):
        (tmp_path / name).write_text(json.dumps(truth))
    boxes = truth["annotations"]
    results = [{**{name: box[name] for name in COLUMNS if name in box}, "score": 0.9} for box in boxes]
    (tmp_path / "found.json").write_text(json.dumps(results))
    (tmp_path / "poses.json").write_text(json.dumps([row for row in results if "keypoints" in row]))
    lay_out_pictures(tmp_path, painted)
    return tmp_path


COLUMNS = ("image_id", "category_id", "bbox", "keypoints")


def lay_out_pictures(folder: Path, painted: Path) -> None:
    """Folders of pictures, as docs/recipes.md and docs/roles.md describe theirs, and the recipe of the first."""
    pictures = [path for path in sorted(painted.glob("images/*/*.jpg")) if is_large(path)]
    for number, path in enumerate(pictures[:20]):
        place = folder / f"data/paintings/{('Baroque', 'Rococo')[number % 2]}/Work {number}.jpg"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    for name in ("paintings.yaml", "recipe.yaml"):
        (folder / name).write_text(first("yaml", "docs/recipes.md"))
    rows = [re.split(r" *\| *", line.strip("| \n")) for line in re.findall(r"^\| .*", text_of("docs/roles.md"), re.M)]
    begin = next(number for number, row in enumerate(rows) if row[0] == "key")
    (folder / "data/visitors").mkdir()
    with (folder / "data/visitors/queries.csv").open("w", newline="") as file:
        csv.writer(file).writerows([*row, ""][:5] for row in rows[begin : begin + 5])
    for path, row in zip(pictures[20:], rows[begin + 1 : begin + 5], strict=False):
        shutil.copy(path, folder / "data/visitors" / row[1])


def is_large(path: Path) -> bool:
    with contextlib.suppress(OSError), Image.open(path) as image:
        return min(image.size) >= 200
    return False


def first(language: str, page: str) -> str:
    return re.findall(rf"```{language}\n(.*?)```", text_of(page), re.DOTALL)[0]


@pytest.fixture(scope="session")
def web() -> Iterator[str]:
    """The address of a museum that answers for all museums."""
    with serving(CatalogueHall(7, 120, 6)) as museum:
        yield museum.url


def type_in(commands: list[str], folder: Path, **environment: str) -> str:
    """What a terminal prints in which one command is typed after the other, until one fails."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    done = subprocess.run(
        ["bash", "-exc", "\n".join([f"export PATH={ROOT}/.venv/bin:$PATH", *commands])],
        cwd=folder,
        env={**kept, **QUIET, "PREFECT_HOME": str(folder / "prefect"), **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}{done.stderr[-3000:]}"
    return done.stdout


def web_sources(page: str) -> Callable[[Path, Any], None]:
    """Lays out a recipe with the page's source: with the categories of the pretend museum, and a key for Flickr."""

    def lay_out(folder: Path, request: Any) -> None:
        found = yaml.safe_load(first("yaml", page))
        sources = found["sources"] if isinstance(found, dict) else found
        if "commons" in page:
            sources[0] |= {"categories": [commons.ROOT], "exclude": []}
        recipe = {"name": "web", "sources": sources, "stages": STAGES}
        if "flickr" in page:
            recipe["bindings"] = {"flickr": "the site's key"}
            request.getfixturevalue("monkeypatch").setenv("FLICKR_KEY", "a key")
        (folder / "recipe.yaml").write_text(yaml.safe_dump(recipe))

    return lay_out


def any_web_source(folder: Path, _: Any) -> None:
    recipe = {"name": "web", "sources": [{"wikiart": {"name": "museum", "copyright": "any"}}], "stages": STAGES}
    (folder / "recipe.yaml").write_text(yaml.safe_dump(recipe))


def catalogues(folder: Path, _: Any) -> None:
    for text in re.findall(r"```yaml\n(.*?)```", text_of("docs/catalogues.md"), re.DOTALL):
        if "stages:" in text:
            (folder / f"{yaml.safe_load(text)['name']}.yaml").write_text(text)


def results_of_a_detector(folder: Path, _: Any) -> None:
    recipe = yaml.safe_load((ROOT / "deployments/recipes/museum.yaml").read_text())
    recipe["bindings"] = {"images": "works", "found": "boxes", "listed": "their images"}
    stage = next(stage for stage in recipe["stages"] if "detect" in stage)
    stage["detect"] = {"model": "results", "weights": "found", "images": "listed", "classes": {"person": 1}}
    (folder / "recipe.yaml").write_text(yaml.safe_dump(recipe))
    shutil.rmtree(folder / "data/paintings")
    (folder / "data/paintings").symlink_to((folder / "build/museum").resolve())


def raters(folder: Path, _: Any) -> None:
    ratings(folder, _)
    assert main(shlex.split(PROTOCOLS["raters"].text)[1:]) == 0
    consensus = json.loads((folder / "build/raters/consensus.json").read_text())
    (folder / "pictures").mkdir()
    for image in consensus["images"]:
        Image.new("RGB", (400, 400)).save(folder / "pictures" / image["file_name"], "PNG")
    boxes = [{**{name: box[name] for name in COLUMNS[:3]}, "score": 0.9} for box in consensus["annotations"]]
    (folder / "dpm.json").write_text(json.dumps(boxes))


def shared_detectors(folder: Path, request: Any) -> None:
    for path in (request.getfixturevalue("shared_data") / "weights").glob("*/*.onnx"):
        (folder / path.name).symlink_to(path)


def start_weights(folder: Path, _: Any) -> None:
    """Of the shape of those trained on COCO, as none come with the program."""
    torch = pytest.importorskip("torch")
    from torchvision.models.detection import fasterrcnn_resnet50_fpn

    torch.save(fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None).state_dict(), folder / "coco.pth")


def ratings(folder: Path, _: Any) -> None:
    type_files(section(ROOT / "docs/evaluating/raters.md"), folder)


def others(folder: Path, _: Any) -> None:
    """A folder of pictures that no museum has."""
    (folder / "others").mkdir()
    for number in range(3):
        waves = [(37 * number + 11 * place * place) % 256 for place in range(96)]
        Image.frombytes("L", (12, 8), bytes(waves)).resize((480, 320)).save(folder / f"others/{number}.png")


LAY_OUT: dict[str, Callable[[Path, Any], None]] = {
    "README.md": ratings,
    **{page: web_sources(page) for page in BY_PAGE if page.startswith("docs/sources/")},
    "docs/sources.md": any_web_source,
    "docs/scraping.md": any_web_source,
    "docs/catalogues.md": catalogues,
    "docs/leaks.md": others,
    "docs/detectors.md": results_of_a_detector,
    "docs/evaluating/raters.md": raters,
    "docs/evaluating.md": shared_detectors,
    "docs/training.md": start_weights,
}


@pytest.mark.parametrize("page", [pytest.param(page, marks=marks(page)) for page in BY_PAGE])
def test_a_page_is_typed_from_top_to_bottom(page, folder, painted, web, monkeypatch, request):
    monkeypatch.chdir(folder)
    for name in ("popart", "peopleart"):
        if name not in " ".join(block.text for block in BY_PAGE[page]):
            shutil.rmtree(folder / "store/releases" / name)
    if page in LAY_OUT:
        LAY_OUT[page](folder, request)
    desk = Desk(str(folder / "store"), painted)
    latest = desk.latest.manifest.version
    (older,) = {path.name for path in (folder / "store/releases/museum").iterdir() if path.is_dir()} - {latest}
    names = {
        "OLDER": f"store/releases/museum/{older}",
        "NEWER": LATEST,
        r"(?:museum|flickr):[\d.]+": kept(desk)[0],
        "WEB": WEB.format(url=web),
    }
    commands = [typed(command, names) for block in BY_PAGE[page] for command in block.commands]
    if marks(page) or any(not command.startswith("bilderatlas ") or " > " in command for command in commands):
        type_in(commands, folder)
    else:
        for command in commands:
            assert main(shlex.split(command)[1:]) == 0, command


def test_the_museum_is_served_until_somebody_ends_it(folder):
    (block,) = MUSEUM_SERVE
    (command,) = block.commands
    words = shlex.split(typed(command, {"WEB": ""}))
    with subprocess.Popen([BIN / words[0], *words[1:]], cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            place = process.stdout.readline().removeprefix("museum: ").strip()
            assert requests.get(place, timeout=30).ok
        finally:
            process.terminate()
        assert process.wait(60) == 0
    assert (folder / "visits.jsonl").read_text().count("\n") == 1
