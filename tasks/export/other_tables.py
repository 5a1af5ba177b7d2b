"""The tables of a release beside its content: what was known, what is taken down, what the choice has done."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from schemas.manifests import State
from schemas.recipe import Recipe
from schemas.tables import EDGES, UNREAD
from tasks.core import tables
from tasks.core.attribute_statistics import attribute_statistics
from tasks.core.statistics import Statistics
from tasks.export import statistics
from tasks.io.store.releases import Release
from tasks.io.store.store import Store
from tasks.subjects import by_hand

_ROWS_PER_PIECE = 25_000


@dataclass(frozen=True)
class OtherTables:
    """Tables by the names of their contracts, but for `known_records`; statistics has the last three.

    attributes: without rows where the recipe declares none. unread: without rows where all was understood.
    """

    relations: pa.Table
    takedowns: pa.Table
    tombstones: pa.Table
    statistics: Statistics
    attributes: pa.Table
    unread: pa.Table


def other_tables(
    store: Store, state: State, recipe: Recipe, images: pa.Table, ledger: pa.Table, previous: Release | None
) -> OtherTables:
    """These tables of the release with this content: its images and its ledger."""
    return OtherTables(
        relations=edges(store, state),
        takedowns=by_hand.takedowns(store, state, ledger),
        tombstones=by_hand.all_tombstones(store, recipe, previous),
        statistics=statistics.statistics(store, state, recipe, images),
        attributes=attribute_statistics(images, list(recipe.attributes), recipe.split.splits),
        unread=_unread(store, state),
    )


def _unread(store: Store, state: State) -> pa.Table:
    """UNREAD of the records that are listed."""
    return UNREAD.empty_table() if state.unread is None else store.read_table(state.unread)


def known_records(store: Store, state: State, book: pa.Table) -> Iterator[pa.Table]:
    """RECORDS of the release, piece by piece: all that were listed, without what is said of those that are taken down.

    The widest table of all: it is never in memory as a whole beside the others.
    """
    for piece in store.read_pieces(state.records, _ROWS_PER_PIECE):
        yield by_hand.redact_taken_down(piece, book)


def edges(store: Store, state: State) -> pa.Table:
    """EDGES of all dedup stages, sorted; a pair that two have looked at stands as the later one left it."""
    found = [store.read_table(step.edges) for step in state.steps if step.edges is not None]
    table = pa.concat_tables([EDGES.empty_table(), *found])
    order = pc.sort_indices(table, [("a", "ascending"), ("b", "ascending")])
    names = pc.binary_join_element_wise(table["a"], table["b"], "\n").take(order)
    return tables.last_of_each(table.take(order).append_column("pair", names), "pair").drop_columns("pair")
