"""The checks that read many rows of a release: images, COCO files, what lies together, and the contract's rules."""

import hashlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import TypeAdapter

from schemas.contract import DataContract, major, numbers
from schemas.fetch import HIGHEST_MAX_PIXELS
from schemas.phrases import quoted
from schemas.release import RecipeStage
from schemas.split import Roles, RolesByValue
from tasks.core import roles as core_roles
from tasks.core import verify as core
from tasks.core import verify_coco
from tasks.core.coco.document import IMAGE_COLUMNS, keypoint_categories, release_info, with_crowd_outlines
from tasks.core.contract import completed, foretold
from tasks.core.hash import uint64_from_bits
from tasks.core.split.decide import bond_column
from tasks.core.strata import as_words, series_of_artist
from tasks.core.verify_rows import SPELLINGS_SINCE, together_problems
from tasks.io.files import contracts
from tasks.io.images.decode import UnreadableImage
from tasks.io.images.inspection import PHASH, inspect
from tasks.io.store.release_tables import split_of_path, to_plain_types
from tasks.io.store.releases import Release
from tasks.subjects.promises import broken_promises
from tasks.subjects.roles import of_sources

_OF_THE_DAY = frozenset({"diversity", "histograms", "shares", "attributes", "unread"})
"""What a release says of itself as it was published: a purge leaves these numbers."""

_ANNOTATION_COLUMNS = [
    *("annotation_id", "image_id", "split", "category_id", "xywh_px", "area_px2", "is_crowd", "keypoints_xyv"),
    *("source_area_px2", "segmentation"),
]
_DETECTION_COLUMNS = ["image_id", "split", "category_id", "xywh_px", "keypoints_xyv", "score"]
_IMAGE_COLUMNS = ["record_id", "sha256", "phash", "phash_recipe", "width_px", "height_px", "format", "image"]
_ROLES: TypeAdapter[Mapping[str, str] | RolesByValue] = TypeAdapter(Roles)


def columns_of(release: Release, table: str, names: list[str]) -> pa.Table:
    """Some columns of a table, whole, in plain types: its files may hold dictionaries or not."""
    read = release.column_reader(table)
    return pa.table({name: read(name) for name in names})


def rows_of(release: Release, table: str, columns: Collection[str] | None = None) -> Iterator[dict[str, Any]]:
    """Rows of a table without image bytes, with the `split_of_file` that the name of their file says, and of images the
    `path` of theirs. columns: by default all.
    """
    for path in release.parts(table):
        split = split_of_path(path)
        whole = release.table(path, but="image.bytes")
        shown = whole if columns is None else whole.select([name for name in whole.column_names if name in columns])
        for batch in shown.to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                yield {**row, "split_of_file": split, "path": (row.get("image") or {}).get("path")}


def splits_of(release: Release) -> list[str]:
    """Splits that the release has, with images or without: those of the recipe, and of the files of its images."""
    split = release.recipe().stage("split")
    of_files = (split_of_path(path) for path in release.parts("images"))
    return sorted({*((split and split.ratios) or ()), *(name for name in of_files if name)})


def coco_files(release: Release) -> Iterator[str]:
    """Problems of all COCO files."""
    manifest, recipe = release.manifest, release.recipe()
    detect, export, is_amended = recipe.stage("detect"), recipe.stage("export"), manifest.amended is not None
    boxes = {
        "annotations": with_crowd_outlines(
            columns_of(release, "annotations", _ANNOTATION_COLUMNS),
            columns_of(release, "images", ["image_id", "width_px", "height_px"]),
        ),
        "detections": columns_of(release, "detections", _DETECTION_COLUMNS),
    }
    facts = verify_coco.CocoFacts(
        release_info(recipe.title or manifest.name, manifest.version),
        recipe.coco_categories,
        keypoint_categories(boxes["annotations"]),
        is_amended,
    )
    attributes = [*release.attributes]
    known = {*release.column_names("images")}
    shown = columns_of(release, "images", [name for name in (*IMAGE_COLUMNS, "split", *attributes) if name in known])
    kinds = {split: pc.unique(_of_split(shown, split)["is_annotated"]).to_pylist() for split in splits_of(release)}
    yield from verify_coco.file_problems(manifest.files, kinds, has_detector=detect is not None, is_amended=is_amended)
    for split in kinds:
        paths = verify_coco.paths_of(split)
        drawn, detected = (_of_split(table, split).to_pylist() for table in boxes.values())
        rows = _of_split(shown, split)
        for path in manifest.files.keys() & {*paths}:
            found = release.read_json(path)
            if path == paths.detections:
                least = export.coco.score if export and export.coco else 0.0
                yield from verify_coco.results_problems(path, found, detected, least)
                continue
            images = rows.filter(pc.equal(rows["is_annotated"], path == paths.annotated))
            if path == paths.annotated:
                yield from verify_coco.document_problems(path, found, images, drawn, facts, attributes)
            else:
                yield from verify_coco.unannotated_problems(path, found, images, facts, attributes)


def _of_split(table: pa.Table, split: str) -> pa.Table:
    return table.filter(pc.equal(table["split"], split))


def kept_together(release: Release, split: RecipeStage) -> Iterator[str]:
    """Works of one artist, series or attribute in two splits, where the recipe keeps these together."""
    if not split.together:
        return
    images = columns_of(release, "images", ["record_id", "split"])
    ids = images["record_id"]
    found = {bond_column(field): _values(release, field, ids) for field in split.together}
    role = _roles(release, split.roles, ids)
    bonds = {name: words for name, words in found.items() if words is not None}
    rows = pa.table({"split": images["split"], "role": role, **bonds})
    is_by_name = numbers(release.manifest.contract_version) >= SPELLINGS_SINCE
    yield from together_problems(rows, is_by_name=is_by_name)


def _values(release: Release, field: str, ids: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """The field of these records; None where no table has it, which another check tells."""
    found = _column(release, field, ids)
    artist = _column(release, "artist", ids) if field == "series" else None
    if found is None or (artist is None and field == "series"):
        return None
    return as_words(found) if artist is None else series_of_artist(artist, found)


def _roles(release: Release, settings: dict[str, Any] | None, ids: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """(N,) the role of each record; null without roles."""
    roles = _ROLES.validate_python(settings) if settings else None
    if roles is not None and not isinstance(roles, RolesByValue):
        return of_sources(roles, ids)
    said = None if roles is None else _column(release, roles.by, ids)
    if roles is None or said is None:
        return pa.nulls(len(ids), pa.string())
    return pc.fill_null(core_roles.roles(said, roles), "query")


def _column(release: Release, name: str, ids: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """What the images table, or else the one of records, says of these records."""
    for table in ("images", "records"):
        if name in release.column_names(table):
            read = release.column_reader(table)
            return read(name).take(pc.index_in(ids, value_set=read("record_id").combine_chunks()))
    return None


def stored_bytes(release: Release) -> Iterator[str]:
    """Images that are not where the recipe wants them, or in the table with other bytes than `sha256` stands for; those
    beside it are held against their digests as all files are.
    """
    export = release.recipe().stage("export")
    for row in _image_rows(release, ["record_id", "sha256", "image"]):
        data, path = row["image"]["bytes"], row["image"]["path"]
        if export:
            has_bytes, has_path = data is not None, path is not None
            yield from core.place_problems(row["record_id"], has_bytes=has_bytes, has_path=has_path, export=export)
        if data is not None and (sha256 := hashlib.sha256(data).hexdigest()) != row["sha256"]:
            yield f"{row['record_id']}: expected bytes of SHA-256 {quoted(row['sha256'])}, got {sha256}"


def images(release: Release) -> Iterator[str]:
    """Problems of all images that have the bytes that they should; of others `stored_bytes` tells."""
    for row in _image_rows(release, _IMAGE_COLUMNS):
        data, path = row["image"]["bytes"], row["image"]["path"]
        if data is None and path:
            data = release.read(path)
        if data is not None and hashlib.sha256(data).hexdigest() == row["sha256"]:
            yield from _image_problems(row, data)


def _image_rows(release: Release, columns: list[str]) -> Iterator[dict[str, Any]]:
    for batch in release.batches("images", rows=16, columns=columns):
        yield from batch.select([name for name in columns if name in batch.schema.names]).to_pylist()


def _image_problems(row: dict[str, Any], data: bytes) -> Iterator[str]:
    try:
        look = inspect(data, HIGHEST_MAX_PIXELS)
    except UnreadableImage as problem:
        yield f"{row['record_id']}: expected an image that decodes, got {problem}"
        return
    if (recipe := row["phash_recipe"]) != PHASH:
        yield f"{row['record_id']}: expected a hash by {PHASH}, as this version measures, got one by {quoted(recipe)}"
    measured = (look.width_px, look.height_px, look.format, uint64_from_bits(look.phash_bits))
    if measured != (row["width_px"], row["height_px"], row["format"], row["phash"]):
        expected = f"{row['width_px']} x {row['height_px']} px, {row['format']}, pHash {row['phash']:016x}"
        yield f"{row['record_id']}: expected {expected}, got {measured}"


def schemas(release: Release, *, but: Collection[str]) -> Iterator[str]:
    """Promised columns that files lack or have in another type, by contracts that the program has. but: tables."""
    for name, contract in _known_contracts(release).items():
        for path in _parts(release, contract) if name not in but else ():
            yield from core.schema_problems(name, release.schema(path), contract.table.properties)


def promises(release: Release) -> Iterator[str]:
    """A problem for each rule that is broken.

    The rules are those of the program's own copy of that contract, never what the release brings with it: SQL of a
    stranger is not run. Those of an earlier one are completed by what its releases kept before it was written down; of
    a later one of the same major, which takes nothing away, the program's own rules are asked.
    """
    tables = {}
    known = _known_contracts(release) or _foretold_contracts(release)
    for name, contract in known.items():
        parts = _parts(release, contract)
        if parts and not (release.manifest.amended and name in _OF_THE_DAY):
            files = [release.table(path, but="image") for path in parts]
            if any(file.schema != files[0].schema for file in files):  # some hold dictionaries where others do not
                files = [to_plain_types(file) for file in files]
            tables[name] = pa.concat_tables(files, promote_options="default")
    if {"images", "annotations", "ledger"} <= tables.keys():  # else another check says so
        yield from broken_promises(tables, known)


def _known_contracts(release: Release) -> Mapping[str, DataContract]:
    """The program's own copy of the release's contract, by table, with its attributes; empty where it has none."""
    version = release.manifest.contract_version
    own = contracts.newest(major(version))
    if version != contracts.version():
        kept = contracts.published("release").get(version, {})
        own = {table: completed(contract, own[table]) for table, contract in kept.items()}
    return contracts.with_attributes(own, release.attributes)


def _foretold_contracts(release: Release) -> Mapping[str, DataContract]:
    own = contracts.contracts()
    if major(release.manifest.contract_version) != major(contracts.version()):
        return {}
    return {table: foretold(later, own[table]) for table, later in release.contract_files(own).items()}


def _parts(release: Release, contract: DataContract) -> list[str]:
    return release.parts(contract.path.removesuffix("/*.parquet").removesuffix(".parquet"))
