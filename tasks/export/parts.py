"""The files of the two tables that lie by split, and the images as files."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.contract import part_path
from schemas.errors import DamagedFile
from schemas.export import Export, Parquet
from schemas.tables import ANNOTATIONS, IMAGES
from tasks.core.export import row_groups
from tasks.core.export.images import stored_schema, with_features
from tasks.io.store import release_parquet
from tasks.io.store.drafts import Draft
from tasks.io.store.release_parquet import ParquetRows
from tasks.io.store.store import Store

_ROWS_PER_FILE = 1_000_000
_ROWS_PER_GROUP = 25_000
_ROWS_TAKEN = 5_000
_PLACE_OF_IMAGE = IMAGES.get_field_index("image")


def write_images(
    draft: Draft, store: Store, blob_sizes: Mapping[str, int], settings: Export, splits: Sequence[str], images: pa.Table
) -> None:
    """The images of all splits (IMAGES_BY_DIGEST), and their files where the recipe asks for them.

    blob_sizes: bytes of every blob of the store. Raises DamagedFile where a blob is gone.
    """
    files: dict[str, ParquetRows] = {}
    for split in splits:
        places = row_groups.places_in_order(images, "images", split)
        shas = images["sha256"].take(places).combine_chunks().dictionary_encode()  # many rows may show one image
        if lost := [sha256 for sha256 in shas.dictionary.to_pylist() if sha256 not in blob_sizes]:
            raise DamagedFile(f"expected blob {lost[0]} in the store {store.url}, got nothing there")
        if settings.media:
            paths = pc.struct_field(images["image"], "path").take(places)
            for sha256, path in zip(shas.to_pylist(), paths.to_pylist(), strict=True):
                draft.write(path, store.read_blob(sha256))
        if settings.parquet.images == "embedded":
            of_each = np.array([blob_sizes[sha256] for sha256 in shas.dictionary.to_pylist()], np.int64)
            files |= _embedded(store, settings.parquet, split, images, places, of_each[shas.indices.to_numpy()])
        else:
            _write_rows(draft, "images", split, images, places, stored_schema(images))
    draft.write_parquet_files(files)


def write_annotations(draft: Draft, split: str, annotations: pa.Table) -> None:
    """A split's annotations, of ANNOTATIONS of all splits."""
    places = row_groups.places_in_order(annotations, "annotations", split)
    _write_rows(draft, "annotations", split, annotations, places, ANNOTATIONS)


def _embedded(
    store: Store, settings: Parquet, split: str, images: pa.Table, places: pa.Array, sizes_bytes: NDArray[np.int64]
) -> dict[str, ParquetRows]:
    """Files of images with their bytes, by path. places, sizes_bytes: of the split's images."""
    other = images.nbytes // max(1, images.num_rows)
    limits = row_groups.GroupLimits(settings.row_group_rows, settings.row_group_bytes, settings.part_bytes)
    files = row_groups.files(sizes_bytes + other, row_groups.ends_of_runs(images["style"].take(places)), limits)
    schema, order = with_features(stored_schema(images)), row_groups.ORDER["images"]
    return {
        part_path("images", split, number, len(files)): ParquetRows(
            _groups(store, images, places, sizes_bytes, groups), schema, order
        )
        for number, groups in enumerate(files)
    }


def _write_rows(draft: Draft, table: str, split: str, rows: pa.Table, places: pa.Array, schema: pa.Schema) -> None:
    """The rows at these places, without image bytes: one file after the other, which takes less memory."""
    starts = range(0, max(len(places), 1), _ROWS_PER_FILE)
    for number, start in enumerate(starts):
        path, mine = part_path(table, split, number, len(starts)), places.slice(start, _ROWS_PER_FILE)
        groups = (
            rows.take(mine.slice(first, _ROWS_PER_GROUP)).combine_chunks().cast(schema)
            for first in range(0, len(mine), _ROWS_PER_GROUP)
        )
        draft.write_parquet(path, groups, schema, row_groups.ORDER[table])


def _groups(
    store: Store, images: pa.Table, places: pa.Array, sizes_bytes: NDArray[np.int64], ranges: Sequence[tuple[int, int]]
) -> Iterator[pa.Table]:
    """Row groups with the bytes filled in: each good until the next is asked for (`image_bytes`).

    sizes_bytes: (N,) of the blobs of the rows at these places. ranges: of the groups, (start, stop) among the places.
    """
    shas = images["sha256"].take(places)
    wanted = (
        release_parquet.ImageGroup(shas.slice(start, stop - start).to_pylist(), sizes_bytes[start:stop])
        for start, stop in ranges
    )
    kind = IMAGES.field("image").type
    first, rows = 0, images.slice(0, 0)
    for (start, stop), data in zip(ranges, release_parquet.image_bytes(store, wanted), strict=True):
        if stop > first + rows.num_rows:
            # rows of many groups at once: to take those of one group of 100 takes as long
            first, rows = start, images.take(places.slice(start, max(_ROWS_TAKEN, stop - start))).combine_chunks()
        group = rows.slice(start - first, stop - start)
        paths = pc.struct_field(group["image"], "path").combine_chunks()
        image = pa.StructArray.from_arrays([data, paths], fields=list(kind))
        yield group.set_column(_PLACE_OF_IMAGE, IMAGES.field("image"), image)
