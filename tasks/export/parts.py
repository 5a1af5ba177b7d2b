"""The files of the two tables that lie by split, and the images as files."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import DamagedFile
from schemas.part_names import part_path
from schemas.stages import Export
from schemas.tables import ANNOTATIONS, IMAGES
from tasks.core.export import row_groups
from tasks.core.export.features import with_features
from tasks.io.store import image_bytes
from tasks.io.store.drafts import Draft
from tasks.io.store.store import Store

_ROWS_PER_FILE = 1_000_000
_ROWS_PER_GROUP = 25_000
_PLACE_OF_IMAGE = IMAGES.get_field_index("image")


def write_images(
    draft: Draft, store: Store, blob_sizes: Mapping[str, int], settings: Export, split: str, images: pa.Table
) -> None:
    """A split's images, and their files where the recipe asks for them.

    blob_sizes: bytes of every blob of the store. images: IMAGES_BY_DIGEST of all splits. Raises DamagedFile where a
    blob is gone.
    """
    places = row_groups.places_in_order(images, "images", split)
    shas = images["sha256"].take(places).combine_chunks().dictionary_encode()  # many rows may show one image
    if lost := [sha256 for sha256 in shas.dictionary.to_pylist() if sha256 not in blob_sizes]:
        raise DamagedFile(f"expected blob {lost[0]} in the store {store.url}, got nothing there")
    if settings.media:
        paths = pc.struct_field(images["image"], "path").take(places)
        for sha256, path in zip(shas.to_pylist(), paths.to_pylist(), strict=True):
            draft.write(path, store.read_blob(sha256))
    if settings.parquet.images != "embedded":
        _write_rows(draft, "images", split, images, places, IMAGES)
        return
    other = images.nbytes // max(1, images.num_rows)
    of_each = np.array([blob_sizes[sha256] for sha256 in shas.dictionary.to_pylist()], np.int64)
    sizes = of_each[shas.indices.to_numpy()] + other
    limits = row_groups.Limits(
        settings.parquet.row_group_rows, settings.parquet.row_group_bytes, settings.parquet.part_bytes
    )
    files = row_groups.files(sizes, row_groups.ends_of_runs(images["style"].take(places)), limits)
    for number, groups in enumerate(files):
        path, tables = (
            part_path("images", split, number, len(files)),
            _groups(store, images, places, blob_sizes, groups),
        )
        draft.write_parquet(path, tables, with_features(IMAGES), row_groups.ORDER["images"])


def write_annotations(draft: Draft, split: str, annotations: pa.Table) -> None:
    """A split's annotations. annotations: ANNOTATIONS of all splits."""
    places = row_groups.places_in_order(annotations, "annotations", split)
    _write_rows(draft, "annotations", split, annotations, places, ANNOTATIONS)


def _write_rows(draft: Draft, table: str, split: str, rows: pa.Table, places: pa.Array, schema: pa.Schema) -> None:
    """The rows at these places, without image bytes."""
    starts = range(0, max(len(places), 1), _ROWS_PER_FILE)
    for number, start in enumerate(starts):
        path, mine = part_path(table, split, number, len(starts)), places.slice(start, _ROWS_PER_FILE)
        groups = (
            rows.take(mine.slice(first, _ROWS_PER_GROUP)).combine_chunks().cast(schema)
            for first in range(0, len(mine), _ROWS_PER_GROUP)
        )
        draft.write_parquet(path, groups, schema, row_groups.ORDER[table])


def _groups(
    store: Store, images: pa.Table, places: pa.Array, blob_sizes: Mapping[str, int], ranges: Sequence[tuple[int, int]]
) -> Iterator[pa.Table]:
    """Row groups with the bytes filled in: each good until the next is asked for (`image_bytes`)."""
    shas = images["sha256"].take(places)
    wanted = (_image_group(shas.slice(start, stop - start).to_pylist(), blob_sizes) for start, stop in ranges)
    kind = IMAGES.field("image").type
    for (start, stop), data in zip(ranges, image_bytes.image_bytes(store, wanted), strict=True):
        group = images.take(places.slice(start, stop - start)).combine_chunks()
        paths = pc.struct_field(group["image"], "path").combine_chunks()
        image = pa.StructArray.from_arrays([data, paths], fields=list(kind))
        yield group.set_column(_PLACE_OF_IMAGE, IMAGES.field("image"), image)


def _image_group(sha256s: list[str], blob_sizes: Mapping[str, int]) -> image_bytes.ImageGroup:
    return image_bytes.ImageGroup(sha256s, np.array([blob_sizes[sha256] for sha256 in sha256s], np.int64))
