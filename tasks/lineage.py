"""What a build inherits: the splits of the release before it, as long as the recipe's split is the same."""

import pyarrow as pa
import pyarrow.compute as pc

from schemas.draw import Split
from schemas.errors import Refused
from schemas.recipe import Recipe
from tasks.core import tables
from tasks.io import releases
from tasks.io.store import Store
from tasks.keys import split_sha256


def published(store: Store, recipe: Recipe, ids: pa.ChunkedArray) -> pa.ChunkedArray:
    """The split in which each record was last published; null where it was in none, or the split's settings are others now.

    Raises Refused where the release before this one is of another dataset: it has no source in common with the recipe.
    """
    settings = next(stage for stage in recipe.stages if isinstance(stage, Split))
    previous = releases.predecessor(store, recipe.name)
    if previous is None or previous.manifest.split_sha256 != split_sha256(settings):
        return pa.chunked_array([pa.nulls(len(ids), pa.string())])
    ledger = previous.ledger()
    sources = pc.unique(ledger["source"]).drop_null().to_pylist()
    if not set(sources) & {source.name for source in recipe.sources}:
        raise Refused(
            f"{settings.label}: expected the release before this one, {previous.manifest.version}, to be of the same dataset, got one of "
            f"other sources ({', '.join(sorted(sources))}): give the recipe a name of its own; nothing is published"
        )
    return tables.looked_up(ledger, "record_id", ids)["last_split"]
