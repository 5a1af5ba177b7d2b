"""`verify --against` on People-Art's release: copies of its images as others may have them, found or not.

    python -m benchmarks.overlap_copies PEOPLEART --weights WEIGHTS [--each 300] [--seed 2033]

PEOPLEART: its folder (JPEGImages, Annotations). The release is built by the recipe that ships. Then a folder is laid
out with three lots: `saved`: images of the release saved again as JPEG of quality 40 to 90 and resized to 40 to 90 % of
their sides; `changed`: cropped (up to 15 % of each axis), mirrored, and in other tones, a third each; `others`: those
paintings of People-Art that are neither in the release nor dropped as copies, and painted works. The release is
compared with the folder, with a second look, and by its fingerprints alone with a file of the folder's hashes.
"""

import argparse
import io
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image, ImageOps

from benchmarks import dedup_variants, results
from examples.museum.folder import write_museum
from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context
from tasks.io.store.releases import Release
from tasks.verify import verify
from tasks.verify.datasets import open_dataset

LEAST_SAVED = 0.99
_COPY = {"exact_duplicate", "near_duplicate"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peopleart", type=Path)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--each", type=int, default=300, help="images in each lot")
    parser.add_argument("--seed", type=int, default=2033)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        release = _built(arguments.peopleart, arguments.weights, f"{scratch}/store")
        folder = Path(scratch, "theirs")
        laid = _lay_out(folder, release, arguments)
        by_look = verify(release.url, against=[str(folder)]).overlaps
        theirs = Path(scratch, "theirs.parquet")
        pq.write_table(open_dataset(str(folder)).rows, theirs)
        by_hash = verify(release.url, against=[str(theirs)]).overlaps
        rows = [_row("with a second look", laid, by_look, release), _row("by hashes alone", laid, by_hash, release)]
    looked = rows[0]
    found = {name: round(looked[name] / max(1, laid[name]), 4) for name in ("saved", "changed")}
    results.write("overlap-copies", rows, {**found, "others": looked["others"], "wrong": looked["wrong"]})
    return int(found["saved"] < LEAST_SAVED or looked["others"] > 0)


def _built(peopleart: Path, weights: str, store: str) -> Release:
    recipe = recipe_from_file(str(results.ROOT / "deployments/recipes/peopleart.yaml"))
    run_stages(recipe, Context(store=store, bindings={"images": str(peopleart), "weights": weights}))
    return Release(f"{store}/releases/peopleart/latest")


def _lay_out(folder: Path, release: Release, arguments: argparse.Namespace) -> Counter[str]:
    """Write the lots; how many images each has. A file is named by its lot, kind, and the SHA-256 that it is of."""
    folder.mkdir()
    rng, laid = np.random.default_rng(arguments.seed), Counter[str]()
    images = [*release.embedded_images()]
    order = rng.permutation(len(images))
    lots = {"saved": order[: arguments.each], "changed": order[::-1][: arguments.each]}
    for lot, places in lots.items():
        for number, place in enumerate(places):
            sha256, data = images[place]
            kind, picture = _changed(lot, number, dedup_variants.opened(data), rng)
            quality = int(rng.integers(40, 91)) if lot == "saved" else 85
            (folder / f"{lot}-{kind}-{sha256}.jpg").write_bytes(_jpeg(picture, quality))
            laid[lot] += 1
    others = [*_left_out(arguments.peopleart, release), *_painted(folder.parent, arguments)]
    for number, data in enumerate(others[: arguments.each]):
        (folder / f"others-{number}.jpg").write_bytes(data)
        laid["others"] += 1
    return laid


def _changed(lot: str, number: int, picture: Image.Image, rng: np.random.Generator) -> tuple[str, Image.Image]:
    if lot == "saved":
        return "resized", dedup_variants.scaled(picture, float(rng.uniform(0.4, 0.9)))
    kind = ("cropped", "mirrored", "recoloured")[number % 3]
    if kind == "cropped":
        left, right, top, bottom = (float(share) for share in rng.uniform(0, 0.075, 4))
        return kind, dedup_variants.cropped(picture, left, top, right, bottom)
    if kind == "mirrored":
        return kind, ImageOps.mirror(picture)
    return kind, dedup_variants.with_gamma(picture, float(rng.choice([0.6, 0.75, 1.3, 1.6])))


def _jpeg(picture: Image.Image, quality: int) -> bytes:
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=quality)
    return file.getvalue()


def _left_out(peopleart: Path, release: Release) -> Iterator[bytes]:
    """Paintings of the folder that the release does not have, and that are no copies of what it has."""
    book = {row["record_id"].partition(":")[2]: row for row in release.ledger().to_pylist()}
    for path in sorted((peopleart / "JPEGImages").rglob("*.jpg")):
        row = book.get(str(path.relative_to(peopleart)))
        if row is not None and not row["kept"] and row["reason"] not in _COPY:
            yield path.read_bytes()


def _painted(scratch: Path, arguments: argparse.Namespace) -> Iterator[bytes]:
    museum = scratch / "museum"
    write_museum(museum, arguments.each, arguments.seed)
    yield from (path.read_bytes() for path in sorted(museum.glob("images/*/*.jpg")))


def _row(how: str, laid: Counter[str], found: pa.Table, release: Release) -> dict[str, Any]:
    """How many files of each lot are found. wrong: pairs of a file with another image than that which it shows."""
    sha256 = {row["record_id"]: row["sha256"] for row in release.rows("images", ["record_id", "sha256"]).to_pylist()}
    pairs = [(sha256[row["record_id"]], row["other_image"], row["relation"]) for row in found.to_pylist()]
    right = {name: relation for mine, name, relation in pairs if mine in name}
    kinds = Counter(name.split("-")[1] for name in right if name.startswith("changed"))
    wrong = Counter(relation or "near" for mine, name, relation in pairs if mine not in name)
    return {
        "how": how,
        "images": len(sha256),
        **{f"{lot}_of": count for lot, count in laid.items()},
        "saved": sum(name.startswith("saved") for name in right),
        "changed": sum(name.startswith("changed") for name in right),
        **{kind: kinds[kind] for kind in ("cropped", "mirrored", "recoloured")},
        "others": len({name for _, name, _ in pairs if name.startswith("others")}),
        "wrong": sum(wrong.values()),
        "wrong_as": json.dumps(wrong),
    }


if __name__ == "__main__":
    sys.exit(main())
