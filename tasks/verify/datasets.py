"""Datasets that a release is compared with: another release, a file of fingerprints, or a folder of images."""

import hashlib
import os
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from schemas.contract import numbers
from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, counted, error_line, listed, quoted
from schemas.relations import ViewName
from schemas.tables import FINGERPRINTS
from tasks.core import overlap
from tasks.core.columns import bools, whole
from tasks.core.dedup import views
from tasks.core.hash import uint64_from_bits
from tasks.io.files import inputs
from tasks.io.files.archives import archive_at
from tasks.io.files.folders import Folder
from tasks.io.images import thumbnails
from tasks.io.images.decode import UnreadableImage
from tasks.io.images.inspection import PHASH, Inspection, inspect
from tasks.io.store import release_tables
from tasks.io.store.release_images import each_image
from tasks.io.store.releases import Release

_MOST_BYTES, _MOST_PIXELS = 256 * 2**20, 100_000_000
"""Of an image or a row group that is read, and a picture that is decoded: they may come from anybody."""
_SHOWN = 3
_EXPECTED = "--against: expected a release, a file of fingerprints (.parquet) or a folder of images"
_PLAIN = ("image_id", "record_id", "split", "sha256", "phash", "phash_recipe")
_NEEDED = ("sha256", "phash", "phash_recipe")
_OF_ANYBODY = release_tables.ReleaseTable(FINGERPRINTS, frozenset(_NEEDED))
"""Fingerprints as anybody may have them: of a folder's images, which have no split."""
_SINCE = (3, 1)
_ALL_VIEWS: tuple[ViewName, ...] = tuple(name for name in views.VIEWS if name != "phash")

Pictures = Callable[[Collection[str]], dict[str, Inspection]]


class Dataset(NamedTuple):
    """Images of a dataset, and how they are told from others.

    rows: (image_id, record_id, split, sha256, phash), of a folder record_id is the file's path and split null.
    pictures: those of the images with these SHA-256 that can be read; None where the dataset has none at hand.
    notes: what of it can't be compared, in sentences.
    """

    name: str
    rows: pa.Table
    hashes: overlap.Fingerprints
    pictures: Pictures | None
    notes: tuple[str, ...]


def of_release(release: Release, name: str) -> Dataset:
    """A release, by its fingerprints; before contract 3.1 by its images alone."""
    is_old = numbers(release.manifest.contract_version) < _SINCE or "fingerprints.parquet" not in release.manifest.files
    if is_old:
        rows = release.rows("images", _PLAIN)
        found = _dataset(name, rows.append_column("views_recipe", pa.nulls(rows.num_rows, pa.string())), None)
    else:
        table = release.read_columns(path := "fingerprints.parquet", _PLAIN)
        try:
            _check_lists(table)
        except ValueError as problem:
            raise release.damage(path, "fingerprints as releases have them", problem) from problem
        found = _of_fingerprints(name, table)
    export = release.recipe().stage("export")
    has_images = export is None or export.media or (export.parquet is not None and export.parquet.images == "embedded")
    return found._replace(pictures=partial(_pictures_of_release, release)) if has_images else found


def open_dataset(url: str) -> Dataset:
    """The dataset at a path or URL. Raises BadInput where there is none, DamagedFile where a release does not hold."""
    if not url:
        raise BadInput(f"{_EXPECTED}, got an empty text")
    if url.endswith(".parquet"):
        return _of_fingerprints(url, _read_fingerprints(url))
    with inputs.reword_errors(_EXPECTED, url):
        is_archive = archive_at(url) is not None
        fs, root = fsspec.core.url_to_fs(url.rstrip("/"))
        is_release = not is_archive and (fs.exists(f"{root}/manifest.json") or fs.isfile(root))
        is_folder = is_archive or fs.isdir(root)
    if is_release:
        return of_release(Release(url), url)
    if not is_folder:
        raise BadInput(f"{_EXPECTED}, got {quoted(url, LONGEST_PLACE)}, where there is nothing")
    with inputs.reword_errors(_EXPECTED, url):
        return _of_folder(url)


def _read_fingerprints(url: str) -> pa.Table:
    expected = f"--against: expected fingerprints with {', '.join(_NEEDED)}"
    with inputs.reword_errors(expected, url), inputs.open_url(url) as file:
        try:
            parquet = pq.ParquetFile(file)
            rows, length = parquet.metadata.num_rows, file.seek(0, os.SEEK_END)
            if rows > length:  # each has a SHA-256 of its own; but one text, repeated, takes no room in a file
                raise ValueError(f"{rows:,} rows in {length:,} bytes")
            table = parquet.read(columns=[name for name in FINGERPRINTS.names if name in parquet.schema_arrow.names])
            table = release_tables.check_columns(table, _OF_ANYBODY, _NEEDED)
            sha256 = pc.utf8_lower(table["sha256"])
            is_hex = pc.match_substring_regex(sha256, "^[0-9a-f]{64}$")
            if not pc.all(is_hex, min_count=0).as_py():
                raise ValueError(f"a sha256 of {quoted(sha256.filter(pc.invert(is_hex))[0].as_py())}")
            _check_lists(table)
            return table.set_column(table.column_names.index("sha256"), "sha256", sha256)
        except (ValueError, pa.ArrowException, OSError) as problem:
            if isinstance(problem, OSError) and problem.errno is not None:
                raise
            raise BadInput(f"{expected}, got {quoted(url, LONGEST_PLACE)} ({error_line(problem)})") from problem


def _check_lists(table: pa.Table) -> None:
    """Raise ValueError where a row has other hashes of views than its recipe says."""
    if not {"views_recipe", "view_hashes"} <= {*table.column_names}:
        return
    lists, recipes = table["view_hashes"], table["views_recipe"]
    if pc.list_flatten(lists).null_count:
        raise ValueError("view_hashes with nulls")
    for recipe in pc.unique(recipes).drop_null().to_pylist():
        if names := overlap.names_of_recipe(recipe):
            width = sum(len(views.VIEWS[name]) for name in names)
            lengths = pc.fill_null(pc.list_value_length(lists.filter(pc.equal(recipes, recipe))), -1)
            if not pc.all(pc.equal(lengths, width), min_count=0).as_py():
                raise ValueError(f"other than {width} view_hashes by {quoted(recipe)}")


def _of_fingerprints(name: str, table: pa.Table) -> Dataset:
    for column in FINGERPRINTS.names:
        if column not in table.column_names:
            table = table.append_column(column, pa.nulls(table.num_rows, FINGERPRINTS.field(column).type))
    found = _dataset(name, table, None)
    recipes = pc.unique(table["views_recipe"]).drop_null().to_pylist()
    known = [recipe for recipe in recipes if overlap.names_of_recipe(recipe)]
    notes = [f"{name}: views by {quoted(recipe)} are not compared" for recipe in recipes if recipe not in known[:1]]
    found = found._replace(notes=(*found.notes, *notes))
    if not known:
        return found
    names = overlap.names_of_recipe(known[0])
    # neither another recipe's views, nor those of another program's pictures
    is_mine = bools(pc.and_(pc.equal(table["views_recipe"], known[0]), pc.equal(table["phash_recipe"], PHASH)))
    width = sum(len(views.VIEWS[view]) for view in names)
    flat = whole(pc.list_flatten(table["view_hashes"].filter(pa.array(is_mine)))).to_numpy()
    hashes = flat.astype(np.uint64).reshape(-1, width)
    if not is_mine.all():
        hashes = np.zeros((table.num_rows, width), np.uint64)
        hashes[is_mine] = flat.reshape(-1, width)
    return found._replace(hashes=found.hashes._replace(views=overlap.views_of(names, hashes)))


def _dataset(name: str, table: pa.Table, of_views: dict[ViewName, NDArray[np.uint64]] | None) -> Dataset:
    """Without hashes of another recipe than the program's, which would be 0: near nothing."""
    is_mine = pc.fill_null(pc.equal(table["phash_recipe"], PHASH), False)
    others = pc.unique(table["phash_recipe"].filter(pc.invert(is_mine))).to_pylist()
    phash = np.where(np.asarray(is_mine, np.bool_), table["phash"].to_numpy(), np.uint64(0)).astype(np.uint64)
    note = f"{name}: hashes by {quoted(others[0])} are not compared with those by {PHASH}" if others else ""
    rows = table.select(_PLAIN)
    return Dataset(name, rows, overlap.Fingerprints(phash, of_views or {}), None, tuple(filter(None, [note])))


def _pictures_of_release(release: Release, sha256s: Collection[str]) -> dict[str, Inspection]:
    found = ((sha256, _inspect(data)) for sha256, data in each_image(release, sha256s, _MOST_BYTES))
    return {sha256: picture for sha256, picture in found if picture is not None}


def _inspect(data: bytes) -> Inspection | None:
    try:
        return inspect(data, _MOST_PIXELS)
    except UnreadableImage:
        return None


class _File(NamedTuple):
    path: str
    sha256: str
    phash: np.uint64
    views: NDArray[np.uint64]
    problem: str


def _of_folder(url: str) -> Dataset:
    """All images of a folder, with the hashes of all views. Raises BadInput where it has none."""
    folder = Folder("--against", url)
    listed_paths = [path for path, _ in folder.listing()]
    paths = [path for path in listed_paths if not path.endswith("/")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        files = list(pool.map(partial(_file, folder), paths))
    odd = [f"{file.path} ({file.problem})" for file in files if file.problem]
    odd += [f"{path} (a link to a folder)" for path in listed_paths if path.endswith("/")]
    files = [file for file in files if not file.problem]
    note = f"{counted(len(odd), 'file')} of {len(listed_paths):,} can't be read as images: {listed(odd, _SHOWN, '; ')}"
    if not files:
        got = note if odd else "no file at all"
        raise BadInput(f"{_EXPECTED}, got {quoted(url, LONGEST_PLACE)} without any image ({got})")
    table = pa.table(
        {
            "image_id": pa.array(range(1, len(files) + 1), pa.int64()),
            "record_id": pa.array([file.path for file in files], pa.string()),
            "split": pa.nulls(len(files), pa.string()),
            "sha256": pa.array([file.sha256 for file in files], pa.string()),
            "phash": pa.array([file.phash for file in files], pa.uint64()),
            "phash_recipe": pa.repeat(PHASH, len(files)),
        }
    )
    found = _dataset(url, table, overlap.views_of(_ALL_VIEWS, np.stack([file.views for file in files])))
    path_of = {file.sha256: file.path for file in files}

    def pictures(sha256s: Collection[str]) -> dict[str, Inspection]:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            names = [sha256 for sha256 in sha256s if sha256 in path_of]
            looks = pool.map(lambda sha256: _inspect_file(folder, path_of[sha256]), names)
            return {sha256: look for sha256, look in zip(names, looks, strict=True) if look is not None}

    return found._replace(pictures=pictures, notes=(f"{url}: {note}",) if odd else ())


def _inspect_file(folder: Folder, path: str) -> Inspection | None:
    """None where the file can't be read any more, too."""
    try:
        return inspect(folder.read(path, _MOST_BYTES), _MOST_PIXELS)
    except UnreadableImage:
        return None


def _file(folder: Folder, path: str) -> _File:
    nothing = np.empty(0, np.uint64)
    try:
        data = folder.read(path, _MOST_BYTES)
        measured = inspect(data, _MOST_PIXELS)
    except UnreadableImage as problem:
        return _File(path, "", np.uint64(0), nothing, problem.reason)
    grey, phash = thumbnails.grey(measured.thumbnail), np.uint64(uint64_from_bits(measured.phash_bits))
    hashes = [views.view_hashes(grey, views.VIEWS[name]) for name in _ALL_VIEWS]
    return _File(path, hashlib.sha256(data).hexdigest(), phash, np.concatenate(hashes), "")
