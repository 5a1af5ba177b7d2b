"""The tables of a release beside its content: what was known, what is taken down, what the choice has done."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.manifests import State
from schemas.recipe import Recipe
from schemas.split import HELD_OUT, Split
from schemas.tables import ATTRIBUTES, DIVERSITY, EDGES, HISTOGRAMS, SHARES, UNREAD
from tasks.core import tables
from tasks.core.attribute_statistics import attribute_statistics
from tasks.core.by_hand import redact_taken_down, takedowns
from tasks.core.statistics.choice import VIEW, Statistics, statistics
from tasks.engine.views import column_of, columns_of, figure_counts
from tasks.io.store.drafts import Draft
from tasks.io.store.releases import Release
from tasks.io.store.store import Store
from tasks.subjects import by_hand

_ROWS_PER_PIECE = 25_000


@dataclass(frozen=True)
class OtherTables:
    """Tables by the names of their contracts, but for `known_records`; statistics has three."""

    relations: pa.Table
    takedowns: pa.Table
    tombstones: pa.Table
    statistics: Statistics
    attributes: pa.Table  # without rows where the recipe declares none
    unread: pa.Table  # without rows where all was understood


def other_tables(
    store: Store, state: State, recipe: Recipe, images: pa.Table, ledger: pa.Table, previous: Release | None
) -> OtherTables:
    """These tables of the release with this content: its images and its ledger."""
    return OtherTables(
        relations=edges(store, state),
        takedowns=takedowns(ledger, by_hand.taken_down(store, state)),
        tombstones=by_hand.all_tombstones(store, recipe, previous),
        statistics=_statistics(store, state, recipe, images),
        attributes=attribute_statistics(images, list(recipe.attributes), recipe.split.splits),
        unread=UNREAD.empty_table() if state.unread is None else store.read_table(state.unread),
    )


def known_records(store: Store, state: State, book: pa.Table) -> Iterator[pa.Table]:
    """RECORDS, without what is said of those that are taken down; piece by piece, as it is the widest table of all."""
    for piece in store.read_pieces(state.records, _ROWS_PER_PIECE):
        yield redact_taken_down(piece, book)


def edges(store: Store, state: State) -> pa.Table:
    """EDGES of all dedup stages, sorted; a pair that two have looked at stands as the later one left it."""
    found = [store.read_table(step.edges) for step in state.steps if step.edges is not None]
    table = pa.concat_tables([EDGES.empty_table(), *found])
    order = pc.sort_indices(table, [("a", "ascending"), ("b", "ascending")])
    names = pc.binary_join_element_wise(table["a"], table["b"], "\n").take(order)
    return tables.last_of_each(table.take(order).append_column("pair", names), "pair").drop_columns("pair")


def _statistics(store: Store, state: State, recipe: Recipe, images: pa.Table) -> Statistics:
    """Of the release with these images (record_id, split), by style; figures are those that the split counts."""
    split = recipe.split
    measured = next(step for step in state.steps if step.stage == "hash").outcome
    moments = {
        "measured": tables.kept_rows(store.read_table(measured, ["record_id", "reason"]))["record_id"],
        "before": ids_before_the_draw(store, state),
        "after": images["record_id"],
    }
    everyone = pc.unique(pa.chunked_array([chunk for ids in moments.values() for chunk in ids.chunks], pa.string()))
    known = _view(store, state, split, pa.chunked_array([everyone]))
    views = {moment: tables.lookup(known, "record_id", ids) for moment, ids in moments.items()}
    # where roles, or the sources' own splits, decide too, no ratio is wanted
    wanted = {
        name: None if split.roles or split.keep or name == HELD_OUT else split.seats.get(name, 0)
        for name in split.splits
    }
    score = split.score if state.outcome("detect") else None
    return statistics(views, images["split"], wanted)._replace(score=score)


def write_statistics(draft: Draft, others: OtherTables) -> None:
    """The tables as files of the release; ATTRIBUTES and UNREAD only if there are rows."""
    draft.write_table("statistics/diversity.parquet", others.statistics.diversity, DIVERSITY)
    draft.write_table("statistics/histograms.parquet", others.statistics.histograms, HISTOGRAMS)
    draft.write_table("statistics/shares.parquet", others.statistics.shares, SHARES)
    for name, table, schema in (("attributes", others.attributes, ATTRIBUTES), ("unread", others.unread, UNREAD)):
        if table.num_rows:
            draft.write_table(f"statistics/{name}.parquet", table, schema)


def ids_before_the_draw(store: Store, state: State) -> pa.ChunkedArray:
    """The records that the first sample chooses from, or, where the recipe has none, the first decision."""
    decisions = [step for step in state.steps if step.kind == "decide"]
    draw = next((step for step in decisions if step.stage == "sample"), decisions[0])
    return store.read_table(draw.outcome, ["record_id"])["record_id"]


def _view(store: Store, state: State, split: Split, ids: pa.ChunkedArray) -> pa.Table:
    fields = columns_of(store, state.records, ids, ("style", "artist", "year", "is_annotated"))
    size = columns_of(store, state.outcome("hash"), ids, ("width_px", "height_px"))
    figures = figure_counts(store, state, ids, split.category, split.score)
    is_looked_at = pc.fill_null(fields["is_annotated"], False)
    if found := state.outcome("detect"):
        is_looked_at = pc.or_(is_looked_at, pc.is_valid(column_of(store, found, ids, "figures")))
    return pa.table(
        {
            "record_id": ids,
            "stratum": fields["style"],
            "artist": fields["artist"],
            "year": fields["year"],
            "width_px": size["width_px"],
            "height_px": size["height_px"],
            "figures": pa.array(figures, mask=~np.asarray(is_looked_at, np.bool_)),
        },
        VIEW,
    )
