"""What a build inherits from the previous release: its splits, as long as the recipe's split settings are the same."""

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import Refusal
from schemas.recipe import Recipe
from tasks.core import tables
from tasks.engine.cache_keys import split_sha256
from tasks.io.store import releases
from tasks.io.store.store import Store

_LEDGER = pa.schema([(name, pa.string()) for name in ("record_id", "source", "sha256", "kept_record_id", "last_split")])


def published_splits(store: Store, recipe: Recipe, ids: pa.ChunkedArray, sha256: pa.ChunkedArray) -> pa.ChunkedArray:
    """(N,) the split in which each record was last published; null where it was in none, or the settings have changed.

    sha256: (N,) of its file now. A dropped copy has the split of the record that was kept, as long as it still has the
    same file.

    Raises Refusal where the previous release is of another dataset.
    """
    was = tables.lookup(_inherited_ledger(store, recipe), "record_id", ids)
    is_other_file = pc.and_(pc.is_valid(was["kept_record_id"]), pc.fill_null(pc.not_equal(was["sha256"], sha256), True))
    return pc.if_else(is_other_file, pa.scalar(None, pa.string()), was["last_split"])


def renamed_records(store: Store, recipe: Recipe, ids: pa.ChunkedArray, sha256: pa.ChunkedArray) -> pa.Table:
    """record_id, source, sha256, published of records that are not among these, but were published with their files.

    A source may number its works anew, or another copy may be drawn: the file must not change its split by that.
    """
    ledger = _inherited_ledger(store, recipe)
    is_same = pc.and_(pc.is_in(ledger["sha256"], value_set=pc.unique(sha256)), pc.is_valid(ledger["sha256"]))
    is_absent = pc.invert(pc.is_in(ledger["record_id"], value_set=ids))
    rows = ledger.filter(pc.and_(pc.and_(is_same, is_absent), pc.is_valid(ledger["last_split"])))
    return rows.select(["record_id", "source", "sha256", "last_split"]).rename_columns(
        ["record_id", "source", "sha256", "published"]
    )


def lineage_notes(store: Store, recipe: Recipe) -> tuple[str, ...]:
    """A sentence where there is a previous release, but its splits are not inherited."""
    settings, previous = recipe.split, releases.predecessor(store, recipe.name)
    if previous is None or previous.manifest.split_sha256 == split_sha256(settings):
        return ()
    return (
        f"{settings.label}: its settings differ from those of release {previous.manifest.version}, so all images are "
        f"assigned anew, as lineage {previous.manifest.lineage + 1}",
    )


def roles(recipe: Recipe, source: pa.ChunkedArray) -> pa.ChunkedArray:
    """The role of each record, by its source; null where the recipe has no roles."""
    names = pc.unique(source).drop_null()
    of = pa.array([recipe.split.role(name) for name in names.to_pylist()], pa.string())
    return pa.chunked_array([of.take(pc.index_in(source, value_set=names).combine_chunks())])


def role_of(recipe: Recipe) -> Callable[[str], str | None]:
    """The role of a record by its record_id, which begins with its source's name."""
    settings = recipe.split
    return lambda record_id: settings.role(record_id.partition(":")[0])


def _inherited_ledger(store: Store, recipe: Recipe) -> pa.Table:
    """The columns that a build may inherit from the previous ledger.

    Empty where there is none, or where the split's settings have changed.
    """
    settings = recipe.split
    previous = releases.predecessor(store, recipe.name)
    if previous is None or previous.manifest.split_sha256 != split_sha256(settings):
        return _LEDGER.empty_table()
    ledger = previous.ledger()
    sources = pc.unique(ledger["source"]).drop_null().to_pylist()
    if not set(sources) & {source.name for source in recipe.sources}:
        raise Refusal(
            f"{settings.label}: expected the previous release, {previous.manifest.version}, to be of the same dataset, "
            f"got one with other sources ({', '.join(sorted(sources))}); nothing is published: give the recipe another "
            "name"
        )
    return ledger.select(_LEDGER.names)
