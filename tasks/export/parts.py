"""The files of the tables that lie by split, and the images as files."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.contract import part_path
from schemas.errors import DamagedFile
from schemas.export import Export
from schemas.tables import IMAGES
from tasks.core.columns import whole
from tasks.core.export import row_groups
from tasks.core.export.images import stored_schema, with_features
from tasks.io.store import release_parquet
from tasks.io.store.drafts import Draft
from tasks.io.store.release_parquet import ParquetRows
from tasks.io.store.store import Store

_ROWS_PER_GROUP = 25_000
_ROWS_TAKEN = 5_000
_NO_LIMIT = 2**62
_PLACE_OF_IMAGE = IMAGES.get_field_index("image")
Ranges = Sequence[Sequence[tuple[int, int]]]
"""(start, stop) of the row groups of each file."""


def write_images(
    draft: Draft,
    store: Store,
    blob_sizes: Mapping[str, int],
    settings: Export,
    splits: Sequence[str],
    images: pa.Table,
    names: Mapping[str, Sequence[str]],
) -> dict[str, int]:
    """The images of all splits (IMAGES_BY_DIGEST), and their files where the recipe asks for them; how many shards each
    split has, by its name.

    blob_sizes: bytes of every blob of the store. names: of the classes in columns of labels. Raises DamagedFile where a
    blob is gone.
    """
    schema = with_features(stored_schema(images), names, is_image=settings.parquet.images == "embedded")
    files: dict[str, ParquetRows] = {}
    shard_counts = {}
    is_embedded = settings.parquet.images == "embedded"
    for split in splits:
        places = row_groups.places_in_order(images, row_groups.ORDER["images"], split)
        shas = images["sha256"].take(places).combine_chunks().dictionary_encode()  # many rows may show one image
        if lost := [sha256 for sha256 in shas.dictionary.to_pylist() if sha256 not in blob_sizes]:
            raise DamagedFile(f"expected blob {lost[0]} in the store {store.url}, got nothing there")
        if settings.media:
            paths = pc.struct_field(images["image"], "path").take(places)
            for sha256, path in zip(shas.to_pylist(), paths.to_pylist(), strict=True):
                draft.write(path, store.read_blob(sha256))
        of_each = np.array([blob_sizes[sha256] for sha256 in shas.dictionary.to_pylist()], np.int64)
        sizes_bytes = of_each[shas.indices.to_numpy()] if is_embedded else np.zeros(len(places), np.int64)
        # in the files a row has other columns, too
        rows_bytes = sizes_bytes + images.nbytes // max(1, images.num_rows)
        ids = images["image_id"].take(places).to_numpy()
        shard_counts[split] = row_groups.shard_count(ids, rows_bytes, settings.parquet.part_bytes)
        ranges = row_groups.shards(rows_bytes, row_groups.shard_ends(ids, shard_counts[split]), _limits(settings))
        if settings.parquet.order == "style":
            bytes_at = np.zeros(images.num_rows, np.int64)
            bytes_at[places.to_numpy()] = rows_bytes
            places, ranges = _by_style(images, split, bytes_at, settings)
        files |= _image_files(store, settings, split, images, schema, places, ranges, blob_sizes)
    draft.write_parquet_files(files)
    return shard_counts


def write_boxes(draft: Draft, table: str, split: str, boxes: pa.Table, shards: int, categories: Sequence[str]) -> None:
    """A split's part of ANNOTATIONS or DETECTIONS of all splits, in as many shards as its images have. categories:
    their names, from id 1 on.
    """
    schema = with_features(boxes.schema, {"category_label": categories}, is_image=False)
    order = row_groups.ORDER[table]
    places = row_groups.places_in_order(boxes, order, split)
    ids = boxes["image_id"].take(places).to_numpy()
    limits = row_groups.GroupLimits(_ROWS_PER_GROUP, _NO_LIMIT, _NO_LIMIT)
    ranges = row_groups.shards(np.ones(len(places), np.int64), row_groups.shard_ends(ids, shards), limits)
    for number, groups in enumerate(ranges):  # one file after the other, which takes less memory
        rows = _taken(boxes, places, groups, schema)
        draft.write_parquet(part_path(table, split, number, shards), rows, schema, order)


def _limits(settings: Export) -> row_groups.GroupLimits:
    parquet = settings.parquet
    if parquet.images == "embedded":
        return row_groups.GroupLimits(parquet.row_group_rows, parquet.row_group_bytes, parquet.part_bytes)
    return row_groups.GroupLimits(_ROWS_PER_GROUP, _NO_LIMIT, parquet.part_bytes)


def _by_style(
    images: pa.Table, split: str, bytes_at: NDArray[np.int64], settings: Export
) -> tuple[pa.Array, list[list[tuple[int, int]]]]:
    """Places of the split's images in that order, and the row groups of its files. bytes_at: (N,) of all images."""
    places = row_groups.places_in_order(images, row_groups.BY_STYLE, split)
    is_embedded = settings.parquet.images == "embedded"
    # without bytes, rows are small: groups of one style alone would be many
    ends = row_groups.ends_of_runs(images["style"].take(places)) if is_embedded else np.array([len(places)])
    return places, row_groups.files(bytes_at[places.to_numpy()], ends, _limits(settings))


def _image_files(
    store: Store,
    settings: Export,
    split: str,
    images: pa.Table,
    schema: pa.Schema,
    places: pa.Array,
    ranges: Ranges,
    blob_sizes: Mapping[str, int],
) -> dict[str, ParquetRows]:
    """Files of the split's images, by path. places: of the rows in their order; ranges: among these."""
    order = row_groups.BY_STYLE if settings.parquet.order == "style" else row_groups.ORDER["images"]
    shas, found = whole(images["sha256"].take(places)), {}
    for number, groups in enumerate(ranges):
        if settings.parquet.images == "embedded":
            rows = _embedded(store, images, places, shas, groups, blob_sizes)
        else:
            rows = _taken(images, places, groups, schema)
        found[part_path("images", split, number, len(ranges))] = ParquetRows(rows, schema, order)
    return found


def _taken(
    table: pa.Table, places: pa.Array, ranges: Sequence[tuple[int, int]], schema: pa.Schema
) -> Iterator[pa.Table]:
    for start, stop in ranges:
        yield table.take(places.slice(start, stop - start)).combine_chunks().cast(schema)


def _embedded(
    store: Store,
    images: pa.Table,
    places: pa.Array,
    shas: pa.Array,
    ranges: Sequence[tuple[int, int]],
    blob_sizes: Mapping[str, int],
) -> Iterator[pa.Table]:
    """Row groups with the bytes filled in: each good until the next is asked for (`image_bytes`).

    shas: SHA-256 of the rows at these places. ranges: of the groups, (start, stop) among the places.
    """

    def wanted() -> Iterator[release_parquet.ImageGroup]:
        for start, stop in ranges:
            mine = shas.slice(start, stop - start).to_pylist()
            sizes: NDArray[np.int64] = np.array([blob_sizes[sha256] for sha256 in mine], np.int64)
            yield release_parquet.ImageGroup(mine, sizes)

    kind = IMAGES.field("image").type
    first, rows = 0, images.slice(0, 0)
    for (start, stop), data in zip(ranges, release_parquet.image_bytes(store, wanted()), strict=True):
        if stop > first + rows.num_rows:
            # rows of many groups at once: to take those of one group of 100 takes as long
            first, rows = start, images.take(places.slice(start, max(_ROWS_TAKEN, stop - start))).combine_chunks()
        group = rows.slice(start - first, stop - start)
        paths = pc.struct_field(group["image"], "path").combine_chunks()
        image = pa.StructArray.from_arrays([data, paths], fields=list(kind))
        yield group.set_column(_PLACE_OF_IMAGE, IMAGES.field("image"), image)
