"""Images that people have annotated, out of a release or a COCO file: what detectors are measured on, and learn
from.
"""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import yaml

from schemas.errors import BadInput, DamagedFile
from schemas.manifests import Context
from schemas.tables import ANNOTATED, HASH
from tasks.core import tables
from tasks.core.coco import truth as core
from tasks.core.coco.document import media_path
from tasks.engine import inspection, runs
from tasks.engine.measure import stored_measurements
from tasks.engine.parts import run_in_parts
from tasks.io.files import inputs
from tasks.io.files.folders import Folder
from tasks.io.images import headers
from tasks.io.images.decode import UnreadableImage
from tasks.io.store.releases import Release
from tasks.io.store.store import Store, parquet_bytes

MAX_FILE_BYTES = 2**30
"""Of a COCO file. COCO's own largest, with outlines, has 450 MB."""
MAX_IMAGE_BYTES = 2**28
MAX_PIXELS = 150_000_000
"""As of a recipe's fetch, by default."""

Row = dict[str, Any]


class Annotated(NamedTuple):
    """Images that people have looked at, and the figures they drew; their bytes are blobs of the store.

    name: what tables call it. images: ANNOTATED, sorted by image_id. figures: ANNOTATED_FIGURES of these images.
    sha256: digest of both tables, for keys. notes: what was left out, in sentences. category_id: the category's, in the
    truth. others: ids of the truth's other images, such as those that nobody has looked at.
    """

    name: str
    images: pa.Table
    figures: pa.Table
    sha256: str
    notes: tuple[str, ...] = ()
    category_id: int = 1
    others: frozenset[int] = frozenset()


def annotated(
    truth: str, folder: str | None, context: Context, *, category: str = "person", split: str | None = None
) -> Annotated:
    """What people drew, by a release (its folder, its URL, or `.../latest`) or a COCO JSON file (path or URL).

    folder: where a COCO file's `file_name`s are found; by default where the file itself lies. Their bytes become blobs
    of the store. An image that can't be read, or whose upright sides are not those that the file says (its boxes would
    lie elsewhere), is left out and told in `notes`. split: only its images; a COCO file says one at `images[].split`.

    Raises BadInput where there is no such thing, where no image was looked at by people, and where they drew no figure.
    """
    of = _of_file(truth, folder, category) if truth.lower().endswith(".json") else _of_release(truth, category)
    images, notes = of.images, of.notes
    if split is not None:
        images = images.filter(pc.fill_null(pc.equal(images["split"], split), False))
        known = sorted(filter(None, pc.unique(of.images["split"]).to_pylist()))
        if not images.num_rows:
            raise BadInput(
                f"{of.name}: expected images of split '{split}', got "
                f"{f'splits {known}' if known else 'images without one'}"
            )
    images, lost = of.stored(images, context)
    figures = of.figures.filter(pc.is_in(of.figures["image_id"], value_set=images["image_id"]))
    left = f" ({'; '.join((*notes, *lost))})" if notes or lost else ""
    if not images.num_rows:
        raise BadInput(f"{of.name}: expected images that people have looked at, got none{left}")
    if not figures.num_rows:
        raise BadInput(f"{of.name}: expected figures of '{category}', got none in {images.num_rows} images{left}")
    images, figures = images.combine_chunks(), figures.combine_chunks()
    digest = hashlib.sha256(parquet_bytes(images) + parquet_bytes(figures)).hexdigest()
    others = of.ids - frozenset(images["image_id"].to_pylist())
    name = of.name if split is None else f"{of.name} {split}"
    return Annotated(name, images, figures, digest, (*notes, *lost), of.category_id, others)


class _Truth(NamedTuple):
    """What a truth says. images: ANNOTATED, of a file still without what only its pictures say.

    Stored: makes blobs of them.
    """

    name: str
    images: pa.Table
    figures: pa.Table
    notes: tuple[str, ...]
    category_id: int
    ids: frozenset[int]
    stored: Callable[[pa.Table, Context], tuple[pa.Table, tuple[str, ...]]]


def _of_file(truth: str, folder: str | None, category: str) -> _Truth:
    name = PurePosixPath(truth).stem
    said = core.listed(name, inputs.read("truth", truth, MAX_FILE_BYTES), category)
    place = Folder("images", folder or inputs.folder_of(truth))

    def stored(wanted: pa.Table, context: Context) -> tuple[pa.Table, tuple[str, ...]]:
        ids = {*wanted["image_id"].to_pylist()}
        return _from_folder([row for row in said.images if row["image_id"] in ids], place, context)

    images = pa.Table.from_pylist(said.images, schema=ANNOTATED)
    return _Truth(name, images, core.figure_table(said.figures), said.notes, said.category_id, said.ids, stored)


def _from_folder(images: list[Row], folder: Folder, context: Context) -> tuple[pa.Table, tuple[str, ...]]:
    """ANNOTATED of the images that are there and as large as the file says, now blobs; and what was left out."""
    shas, left = _stored(images, folder, runs.store_of(context))
    kept, disagreeing = _agreeing(images, shas, _looked_at(shas, context))
    left |= disagreeing
    paths = {row["image_id"]: row["file_name"] for row in images}
    notes = tuple(
        f"left out as {reason}: "
        f"{core.counted([paths[number] for number in paths if left.get(number) == reason], 'image')}"
        for reason in sorted({*left.values()})
    )
    return pa.Table.from_pylist(kept, schema=ANNOTATED), notes


def _stored(images: list[Row], folder: Folder, store: Store) -> tuple[dict[int, str], dict[int, str]]:
    """By image id, the SHA-256 of what is now a blob, and why there is none."""
    shas: dict[int, str] = {}
    unread: dict[int, str] = {}
    for row in images:
        try:
            data = folder.read(row["file_name"], MAX_IMAGE_BYTES)
            headers.check_pixels(data, MAX_PIXELS)
            shas[row["image_id"]] = store.write_blob(data)
        except UnreadableImage as problem:
            unread[row["image_id"]] = problem.reason
    return shas, unread


def _looked_at(shas: Mapping[int, str], context: Context) -> dict[str, Row]:
    """HASH row of each blob; only what nobody has looked at yet is decoded."""
    store, blobs = runs.store_of(context), pa.array(sorted({*shas.values()}), pa.string())
    have = stored_measurements(store, inspection.HASHES, blobs, HASH)
    todo = tables.missing(blobs, have["sha256"])
    run_in_parts(inspection.inspect_part, pa.table({"sha256": todo}), (None, inspection.HASHES), context, "images")
    have = stored_measurements(store, inspection.HASHES, blobs, HASH)
    names = ["sha256", "reason", "width_px", "height_px"]
    return {row["sha256"]: row for row in have.select(names).to_pylist()}


def _agreeing(images: list[Row], shas: Mapping[int, str], looks: Mapping[str, Row]) -> tuple[list[Row], dict[int, str]]:
    """ANNOTATED rows of what was read and is as large as the file says; of what is not, the reason by id."""
    kept: list[Row] = []
    left: dict[int, str] = {}
    for row in images:
        if row["image_id"] not in shas:
            continue
        look = looks[shas[row["image_id"]]]
        is_as_said = all(row[side] in {None, look[side]} for side in ("width_px", "height_px"))
        if look["reason"] or not is_as_said:
            left[row["image_id"]] = look["reason"] or "of another size than the file says"
            continue
        kept.append({**row, **look})
    return kept, left


def _of_release(truth: str, category: str) -> _Truth:
    release = Release(truth)
    name = f"{release.manifest.name} {release.manifest.version}"
    shown, boxes, names = table_of(release, "images"), table_of(release, "annotations"), categories(release)
    try:
        images, figures = core.of_release(shown, boxes, names, category)
    except (KeyError, pa.ArrowException) as problem:  # a column that is missing, or of another kind
        said = " ".join(str(problem).split())[:120]
        raise DamagedFile(f"expected the tables of a release in {name}, got others ({said})") from problem

    def stored(wanted: pa.Table, context: Context) -> tuple[pa.Table, tuple[str, ...]]:
        formats = tables.lookup(shown, "sha256", pc.unique(wanted["sha256"])).select(["sha256", "format"]).to_pylist()
        lost = _lost(release, {row["sha256"]: row["format"] for row in formats}, runs.store_of(context))
        if not lost:
            return wanted, ()
        notes = (f"left out as their bytes are neither in the store nor in the release: {core.counted(lost, 'image')}",)
        return wanted.filter(pc.invert(pc.is_in(wanted["sha256"], value_set=pa.array(lost)))), notes

    ids = frozenset(shown["image_id"].to_pylist())
    return _Truth(name, images, figures, (), names.index(category) + 1, ids, stored)


def categories(release: Release) -> list[str]:
    """Names of a release's categories; ids count from 1 in this order.

    Raises DamagedFile where its recipe says none.
    """
    recipe = yaml.safe_load(release.read("recipe.yaml"))
    found = recipe.get("categories") if isinstance(recipe, dict) else None
    if not isinstance(found, list):
        raise DamagedFile(f"expected categories in recipe.yaml of release {release.manifest.version}, got none")
    return [str(name) for name in found]


def table_of(release: Release, name: str) -> pa.Table:
    """All rows of a release's table, without image bytes.

    Raises DamagedFile where a file of it is gone or is no Parquet.
    """
    try:
        return pa.concat_tables([_plain(release.table(path, but="image")) for path in release.parts(name)])
    except (OSError, pa.ArrowException) as problem:
        said = " ".join(str(problem).split())[:120]
        raise DamagedFile(f"expected the table {name} of release {release.manifest.version}, got '{said}'") from problem


def _plain(table: pa.Table) -> pa.Table:
    """Text where the writer of files below `split=<split>/` made it a dictionary."""
    place = table.schema.get_field_index("split")
    return table.set_column(place, "split", table["split"].cast(pa.string()))


def _lost(release: Release, formats: Mapping[str, str], store: Store) -> list[str]:
    """Make blobs of all images that are none yet, from the release's tables or its media.

    The SHA-256 of those not to be had.
    """
    there = store.blob_sizes()
    missing = {sha256 for sha256 in formats if sha256 not in there}
    for batch in release.batches("images") if missing else ():
        wanted = batch.filter(pc.is_in(batch["sha256"], value_set=pa.array(sorted(missing), pa.string())))
        for sha256, image in zip(wanted["sha256"].to_pylist(), wanted["image"].to_pylist(), strict=True):
            if image and image["bytes"] is not None:
                _adopted(store, sha256, image["bytes"])
                missing.discard(sha256)
    for sha256 in sorted(missing):
        path = media_path(sha256, formats[sha256])
        if path in release.manifest.files:
            _adopted(store, sha256, release.read(path))
            missing.discard(sha256)
    return sorted(missing)


def _adopted(store: Store, sha256: str, data: bytes) -> None:
    if hashlib.sha256(data).hexdigest() != sha256:
        raise DamagedFile(f"expected the image {sha256} in the release, got other bytes")
    store.write_blob(data)
