"""What a build inherits: the splits of the release before it, as long as the recipe's split is the same."""

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from schemas.draw import Split
from schemas.errors import Refusal
from schemas.recipe import Recipe
from tasks.core import tables
from tasks.engine.cache_keys import split_sha256
from tasks.io.store import releases
from tasks.io.store.store import Store

_LEDGER = pa.schema([(name, pa.string()) for name in ("record_id", "source", "sha256", "kept_record_id", "last_split")])


def published_splits(store: Store, recipe: Recipe, ids: pa.ChunkedArray, sha256: pa.ChunkedArray) -> pa.ChunkedArray:
    """The split in which each record was last published.

    Null where it was in none, or the split's settings are others now.

    sha256: (N,) of its file now. A copy that was dropped has the split of the one that stayed, but only as long as it
    is that very file.

    Raises Refusal where the release before this one is of another dataset.
    """
    was = tables.lookup(_inherited_ledger(store, recipe), "record_id", ids)
    is_other_file = pc.and_(pc.is_valid(was["kept_record_id"]), pc.fill_null(pc.not_equal(was["sha256"], sha256), True))
    return pc.if_else(is_other_file, pa.scalar(None, pa.string()), was["last_split"])


def renamed_records(store: Store, recipe: Recipe, ids: pa.ChunkedArray, sha256: pa.ChunkedArray) -> pa.Table:
    """record_id, source, sha256, published of records that are not among these, but had one of their files when they
    were published.

    A source that numbers its works anew, or another copy that is drawn, must not take a file into another split.
    """
    ledger = _inherited_ledger(store, recipe)
    is_same = pc.and_(pc.is_in(ledger["sha256"], value_set=pc.unique(sha256)), pc.is_valid(ledger["sha256"]))
    is_absent = pc.invert(pc.is_in(ledger["record_id"], value_set=ids))
    rows = ledger.filter(pc.and_(pc.and_(is_same, is_absent), pc.is_valid(ledger["last_split"])))
    return rows.select(["record_id", "source", "sha256", "last_split"]).rename_columns(
        ["record_id", "source", "sha256", "published"]
    )


def lineage_notes(store: Store, recipe: Recipe) -> tuple[str, ...]:
    """A sentence where a release is there, but its splits are not inherited."""
    settings, previous = of_recipe(recipe), releases.predecessor(store, recipe.name)
    if previous is None or previous.manifest.split_sha256 == split_sha256(settings):
        return ()
    return (
        f"{settings.label}: its settings are not those of release {previous.manifest.version}: all is dealt "
        "afresh, as lineage "
        f"{previous.manifest.lineage + 1}",
    )


def roles(recipe: Recipe, source: pa.ChunkedArray) -> pa.ChunkedArray:
    """The role of each record, by its source; null where the recipe has no roles."""
    names = pc.unique(source).drop_null()
    of = pa.array([of_recipe(recipe).role(name) for name in names.to_pylist()], pa.string())
    return pa.chunked_array([of.take(pc.index_in(source, value_set=names).combine_chunks())])


def role_of(recipe: Recipe) -> Callable[[str], str | None]:
    """The role of a record by its record_id, which begins with its source's name."""
    settings = of_recipe(recipe)
    return lambda record_id: settings.role(record_id.partition(":")[0])


def of_recipe(recipe: Recipe) -> Split:
    """The recipe's split."""
    return next(stage for stage in recipe.stages if isinstance(stage, Split))


def _inherited_ledger(store: Store, recipe: Recipe) -> pa.Table:
    """What a build may inherit from the ledger before it.

    Empty where there is none, or the split's settings are others now.
    """
    settings = of_recipe(recipe)
    previous = releases.predecessor(store, recipe.name)
    if previous is None or previous.manifest.split_sha256 != split_sha256(settings):
        return _LEDGER.empty_table()
    ledger = previous.ledger()
    sources = pc.unique(ledger["source"]).drop_null().to_pylist()
    if not set(sources) & {source.name for source in recipe.sources}:
        raise Refusal(
            f"{settings.label}: expected the release before this one, {previous.manifest.version}, to be of the same "
            "dataset, got one of "
            f"other sources ({', '.join(sorted(sources))}): give the recipe a name of its own; nothing is published"
        )
    return ledger.select(_LEDGER.names)
