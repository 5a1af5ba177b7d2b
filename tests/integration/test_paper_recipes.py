"""The recipes after PoPArt, the Picasso paper and SketchRef, each built whole: on painted works that a museum serves as
WikiArt does, on painted works in a folder, and on drawn pictures.
"""

import csv
import json
import shlex
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from examples.museum.serve.server import serving
from examples.museum.serve.works import FolderHall
from flows.build_dataset import plan, run_stages
from flows.recipes import recipe_from_file
from schemas.keypoints import shipped_schemes
from schemas.manifests import Context, Step
from schemas.sources.wikiart import WikiartSource
from tasks.core.names.styles import names_by_style, style_name
from tasks.io.store.releases import Release
from tasks.verify import verify
from tests.support.desk import WEIGHTS, by_label
from tests.support.documented import POPART
from tests.support.kept_release import CONTRACTS
from tests.support.prefect_server import BIN

SPLITS = ("train", "val", "test")
QUICK = (
    *("manners.rate_per_s=2000", "manners.connections=8"),
    *("stages.detect.model=plain", "stages.detect.least_score=0.05", "stages.sample.at_most=7"),
)
CATEGORIES = {"person": 1, "face": 2, "horse": 3}
SCHEMES = {"person": "coco-17", "face": "face-106", "horse": "animal-20"}
Row = dict[str, Any]


def built(name: str, store: Path, *changes: str, **bound: str) -> dict[str, Step]:
    context = Context(store=str(store), bindings=bound, run=f"{store} {name} {changes}")
    recipe = recipe_from_file(name, changes)
    plan(recipe, context)
    return by_label(run_stages(recipe, context))


def latest(store: Path, name: str) -> Release:
    release = Release(f"{store}/releases/{name}/latest")
    assert verify(release.url).problems == ()
    return release


def rows(release: Release, table: str = "images") -> list[Row]:
    return [row for batch in release.batches(table, columns=None) for row in batch.to_pylist()]


def reasons(release: Release) -> Counter[str]:
    return Counter(row["reason"] for row in release.ledger().to_pylist() if not row["kept"])


@pytest.fixture(scope="module")
def popart(tmp_path_factory: pytest.TempPathFactory, painted: Path) -> Iterator[Path]:
    """A store with the release of a museum that answers as WikiArt does."""
    store = tmp_path_factory.mktemp("popart")
    with serving(FolderHall(painted)) as museum:
        built("popart", store, *QUICK, weights=str(WEIGHTS), origins=f"*={museum.url}")
        yield store


def takes_the_unseen_for_empty(document: Row) -> bool:
    """Whether a truth lists images without a box at which nobody has looked: every reader takes them for negatives."""
    drawn = {box["image_id"] for box in document["annotations"]}
    return any(image["id"] not in drawn and not image["is_annotated"] for image in document["images"])


def test_what_nobody_has_looked_at_was_empty_by_contract_2_and_is_in_no_truth_today(popart: Path):
    """coco-2.3.1/test.json is of a release by `artbench`, as the program wrote it before contract 3."""
    assert takes_the_unseen_for_empty(json.loads((CONTRACTS / "coco-2.3.1/test.json").read_text(encoding="utf-8")))
    release = latest(popart, "popart")
    truths = [path for path in release.manifest.files if path.startswith("coco/") and path.count(".") == 1]
    assert not any(takes_the_unseen_for_empty(release.read_json(path)) for path in truths)
    assert release.read_json("coco/val.unannotated.json")["images"]


def styles_of(recipe: str) -> set[str | None]:
    read = recipe_from_file(recipe)
    (source,) = (source for source in read.sources if isinstance(source, WikiartSource))
    names = names_by_style(read.styles)
    return {style_name(style, names) for style in source.styles}


def are_divided_3_1_1(images: list[Row]) -> bool:
    """Whether of each style every five are divided so, and the last few as far as they go."""
    for style in {row["style"] for row in images}:
        counts = Counter(row["split"] for row in images if row["style"] == style)
        fives, rest = divmod(counts.total(), 5)
        least, most = (3 * fives, fives, fives), (3 * fives + min(rest, 3), fives + min(rest, 1), fives + min(rest, 1))
        if not all(low <= counts[split] <= high for split, low, high in zip(SPLITS, least, most, strict=True)):
            return False
    return True


def test_popart_keeps_works_with_a_figure_of_its_styles_and_at_most_so_many_of_each(popart: Path):
    release = latest(popart, "popart")
    images = rows(release)
    assert images
    assert {row["style"] for row in images} <= styles_of("popart")
    assert max(Counter(row["style"] for row in images).values()) <= 7
    found = rows(release, "detections")
    assert {row["image_id"] for row in found if row["score"] >= 0.5} == {row["image_id"] for row in images}
    assert {"too_few_figures", "not_drawn", "near_duplicate"} <= reasons(release).keys()
    assert are_divided_3_1_1(images)


@pytest.mark.live
def test_what_people_drew_comes_back_and_works_without_anybody_leave(painted: Path, tmp_path: Path) -> None:
    chosen, annotated = (block.commands for block in POPART)
    with serving(FolderHall(painted)) as museum:
        asked = ["--bind", f"origins=*={museum.url}", *(word for change in QUICK for word in ("--set", change))]
        _type(tmp_path, chosen[0].replace("yolox_nano.onnx", str(WEIGHTS)), *asked)
    for command in chosen[1:]:
        _type(tmp_path, command)
    looked_at = _annotate(tmp_path / "build/popart/train")
    _type(tmp_path, *annotated)
    release = latest(tmp_path / "store", "popart-annotated")
    images, before = rows(release), {row["source_url"]: row for row in rows(latest(tmp_path / "store", "popart"))}
    assert len(images) == looked_at - 1
    assert reasons(release) == {"too_few_figures": 2}  # one where people saw nobody, one at which nobody has looked
    assert are_divided_3_1_1(images)
    known = ("title", "artist", "style", "year", "rights_uri", "rights_text", "width_px", "height_px")
    for row in images:  # whose work it is came from works.json, since annotation tools forget
        assert [row[name] for name in known] == [before[row["source_url"]][name] for name in known]
    turned = [row for row in images if row["sha256"] != before[row["source_url"]]["sha256"]]
    assert len(turned) < len(images) / 10
    assert all((before[row["source_url"]]["format"], row["format"]) == ("JPEG", "PNG") for row in turned)
    assert any(row["rights_text"] for row in images)
    figures = Counter(row["image_id"] for row in rows(release, "annotations"))
    for style in {row["style"] for row in images}:  # by the people's figures, not by the detector's
        order = sorted((row for row in images if row["style"] == style), key=lambda row: -figures[row["image_id"]])
        for five in (order[start : start + 5] for start in range(0, len(order) - 4, 5)):
            ties = {figures[row["image_id"]] for row in five}
            assert len(ties) < 5 or Counter(row["split"] for row in five) == {"train": 3, "val": 1, "test": 1}


def _type(folder: Path, command: str, *more: str) -> None:
    program, *words = shlex.split(command)
    known = {"bilderatlas": str(BIN / "bilderatlas"), "cp": "cp"}
    done = subprocess.run([known[program], *words, *more], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def _annotate(works: Path) -> int:
    """Draw in all images but one as an annotation tool does, nothing in the first; how many were looked at."""
    catalogue = json.loads((works / "works.json").read_text(encoding="utf-8"))["images"]
    looked_at = catalogue[1:]
    drawn = [
        {"id": 10 * place + figure, "image_id": place, "category_id": 1, "bbox": [figure, 1, 20, 30]}
        for place in range(1, len(looked_at))
        for figure in range(1 + place % 4)
    ]
    named = [{"id": place, "file_name": entry["file_name"]} for place, entry in enumerate(looked_at)]
    answer = {"images": named, "annotations": drawn, "categories": [{"id": 1, "name": "person"}]}
    (works / "annotations.json").write_text(json.dumps(answer), encoding="utf-8")
    return len(looked_at)


def test_artbench_takes_its_ten_styles_alone_from_three_museums(painted: Path, tmp_path: Path):
    few = ("stages.sample.exactly=null", "stages.sample.at_most=5", "stages.shape.least_side_px=64")
    with serving(FolderHall(painted)) as museum:
        built("artbench", tmp_path, "manners.rate_per_s=2000", "manners.connections=8", *few, origins=f"*={museum.url}")
    release = latest(tmp_path, "artbench")
    images = rows(release)
    assert {row["source"] for row in release.ledger().to_pylist()} == {"wikiart", "ukiyoe", "surrealism"}
    assert {row["style"] for row in images} <= styles_of("artbench") | {"Surrealism", "Ukiyo-e"}
    assert max(Counter(row["style"] for row in images).values()) <= 5
    assert all(0.5 <= row["width_px"] / row["height_px"] <= 2 for row in images)
    assert {row["split"] for row in images} == {"train", "test"}


def test_picassos_people_are_in_the_titles_and_in_what_raters_marked(painted: Path, tmp_path: Path):
    titles = [
        "Femme assise",
        "Les Demoiselles d'Avignon",
        "GIRL before a mirror",
        "Guernica",
        "Womanhood",
        "Nu, feuilles",
    ]
    folder = tmp_path / "paintings"
    folder.mkdir()
    with (painted / "works.csv").open(encoding="utf-8", newline="") as lines:
        works = list(csv.DictReader(lines))[: len(titles)]
    truth = json.loads((painted / "truth" / "annotations.json").read_text(encoding="utf-8"))
    for work in works:
        target = folder / work["image"]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((painted / work["image"]).read_bytes())
    with (folder / "paintings.csv").open("w", encoding="utf-8", newline="") as lines:
        table = csv.writer(lines)
        table.writerow(["key", "image", "title", "artist", "year"])
        table.writerows(
            [at, work["image"], title, "Pablo Picasso", 1907] for at, (work, title) in _numbered(works, titles)
        )
    (folder / "consensus.json").write_text(json.dumps(truth), encoding="utf-8")
    store = tmp_path / "store"
    built("picasso", store, "sources.picasso.annotations=null", paintings=str(folder))  # before anybody has rated
    assert not any(row["is_annotated"] for row in rows(latest(store, "picasso")))
    built("picasso", store, paintings=str(folder))
    images = rows(latest(store, "picasso"))
    assert {row["title"] for row in images} == {titles[at] for at in (0, 1, 2, 5)}
    assert {row["split"] for row in images} == {"test"}
    assert all(row["is_annotated"] for row in images)
    assert reasons(latest(store, "picasso")) == {"where_not_met": 2}


def _numbered(works: list[Row], titles: list[str]) -> Iterator[tuple[int, tuple[Row, str]]]:
    yield from enumerate(zip(works, titles, strict=True))


def test_sketchrefs_photos_and_sketches_have_one_annotation_and_one_group(tmp_path: Path):
    folder, rng = tmp_path / "pictures", np.random.default_rng(7)
    folder.mkdir()
    kinds = {"body": "person", "face": "face", "animal": "horse", "things": None}
    methods = ("photo", "CLIPasso", "Anime", "UPDG1")
    written, images, figures = [], [], []
    for subset, category in kinds.items():
        for method in methods:
            name = f"{subset}-{method}.png"
            Image.fromarray(rng.integers(0, 256, (224, 224, 3), dtype=np.uint8)).save(folder / name)
            written.append([f"{subset}-{method}", name, method, f"{subset}-photo", subset, category or "kettle"])
            images.append({"id": len(images), "file_name": name, "width": 224, "height": 224})
            if category is not None:
                joints = _joints(category)
                box = {"bbox": [10, 10, 200, 200], "keypoints": [100, 100, 2] * joints, "num_keypoints": joints}
                figures.append(
                    {"id": len(figures), "image_id": images[-1]["id"], "category_id": CATEGORIES[category], **box}
                )
    Image.fromarray(np.zeros((200, 224, 3), np.uint8)).save(folder / "small.png")
    written += [["small", "small.png", "photo", "small", "things", "kettle"]]
    written += [["odd", "body-photo.png", "by hand", "body-photo", "body", "person"]]
    with (folder / "pictures.csv").open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows([["key", "image", "method", "photo", "subset", "class"], *written])
    categories = [
        {"id": number, "name": name, "keypoints": list(shipped_schemes()[SCHEMES[name]].joints)}
        for name, number in CATEGORIES.items()
    ]
    said = {"images": images, "annotations": figures, "categories": categories}
    (folder / "keypoints.json").write_text(json.dumps(said), encoding="utf-8")
    built("sketchref", tmp_path / "store", pictures=str(folder))
    release = latest(tmp_path / "store", "sketchref")
    kept = rows(release)
    assert Counter(row["method"] for row in kept) == dict.fromkeys(methods, len(kinds))
    assert len({row["group_id"] for row in kept}) == len(kinds)
    assert Counter(row["keypoint_scheme"] for row in rows(release, "annotations")) == dict.fromkeys(SCHEMES.values(), 4)
    assert reasons(release) == {"too_small": 1, "where_not_met": 1}


def _joints(category: str) -> int:
    return len(shipped_schemes()[SCHEMES[category]].joints)
