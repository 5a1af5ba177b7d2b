"""quality (measure): scores of each blob's stored thumbnail. No image is decoded again."""

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.manifests import Context, State, Step
from schemas.quality import Quality
from schemas.recipe import Recipe
from schemas.tables import QUALITY
from tasks.core import quality as core
from tasks.engine import inspection, runs, thumbnails
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.engine.measure import measure_step
from tasks.io.images import colour_thumbnails
from tasks.io.store.layout import measure_folder
from tasks.orchestration import retries

CODE = code_digest(core, colour_thumbnails)
FOLDER = measure_folder("quality", cache_key(code=CODE, of=inspection.CODE))


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
def quality_part(blobs: pa.Table, _settings: None, into: str, context: Context) -> None:
    """Score one batch of thumbnails (sha256, path) and store the scores."""
    store = runs.store_of(context)
    rows = [
        {"sha256": sha256, **core.scores(colour_thumbnails.rgb(jpeg))._asdict()}
        for sha256, jpeg in thumbnails.jpegs(store, blobs)
    ]
    store.write_table(into, pa.Table.from_pylist(rows, schema=QUALITY))


def quality(settings: Quality, state: State, recipe: Recipe, context: Context) -> Step:
    """The scores of each kept record; only thumbnails without stored scores are read."""

    def thumbnail_paths(blobs: pa.Array) -> pa.Table:
        paths = thumbnails.ensure_thumbnails(blobs, context, settings.label)
        return paths.sort_by([("path", "ascending"), ("sha256", "ascending")])

    return measure_step(quality_part, settings, state, context, FOLDER, QUALITY, rows=thumbnail_paths)
