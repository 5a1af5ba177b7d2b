"""fingerprints.parquet: what tells each image of a release from those of other datasets."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.dedup import Dedup
from schemas.recipe import Recipe
from schemas.relations import ViewName
from schemas.tables import FINGERPRINTS
from tasks.core import overlap
from tasks.core.columns import whole
from tasks.core.dedup import views

HashesOf = Callable[[Sequence[ViewName], pa.Array], dict[ViewName, NDArray[np.uint64]]]
"""(N, V) hashes of the views of these names of blobs, sorted by SHA-256."""
_ROWS_PER_PIECE = 25_000
_OF_IMAGES = [name for name in FINGERPRINTS.names if name not in {"views_recipe", "view_hashes"}]


def fingerprints(recipe: Recipe, images: pa.Table, hashes_of: HashesOf) -> Iterator[pa.Table]:
    """FINGERPRINTS of a release's images, in pieces; the hashes are those of the views that its recipe looks for."""
    rows = images.select(_OF_IMAGES).sort_by("image_id")
    names = _view_names(recipe)
    if not names:
        yield _completed(rows, pa.nulls(rows.num_rows, pa.string()), pa.nulls(rows.num_rows, pa.list_(pa.uint64())))
        return
    blobs = whole(rows["sha256"]).unique().sort()
    of_views = hashes_of(names, blobs)
    hashes = [of_views[name] for name in names]
    of_which, width = overlap.recipe_of(names), sum(of.shape[1] for of in hashes)
    for start in range(0, rows.num_rows, _ROWS_PER_PIECE):
        piece = rows.slice(start, _ROWS_PER_PIECE)
        places = pc.index_in(whole(piece["sha256"]), value_set=blobs).to_numpy()
        flat = np.concatenate([of[places] for of in hashes], axis=1).ravel()
        offsets = pa.array(np.arange(piece.num_rows + 1, dtype=np.int32) * width)
        lists = pa.ListArray.from_arrays(offsets, pa.array(flat))
        yield _completed(piece, pa.repeat(of_which, piece.num_rows), lists)


def _completed(rows: pa.Table, views_recipe: pa.Array, view_hashes: pa.Array) -> pa.Table:
    more = {"views_recipe": views_recipe, "view_hashes": view_hashes}
    return pa.table({**{name: rows[name] for name in _OF_IMAGES}, **more}).select(FINGERPRINTS.names).cast(FINGERPRINTS)


def _view_names(recipe: Recipe) -> list[ViewName]:
    """The views that any dedup stage of the recipe looks for, in the order of their hashes."""
    asked = {name for stage in recipe.stages_of(Dedup) for name in stage.by} - {"phash"}
    return [name for name in views.VIEWS if name in asked]
