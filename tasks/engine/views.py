"""Columns that earlier stages have given the records that are still kept: what the view of each stage is made of."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.manifests import State, TableRef
from schemas.preferences import Preference
from schemas.recipe import Recipe
from schemas.split import HELD_OUT
from schemas.tables import SOURCE_FIGURES
from tasks.core import strata, tables, where
from tasks.core.dedup import preferences
from tasks.core.detect import counts
from tasks.core.split import units
from tasks.io.store.store import Store


def kept_ids(store: Store, state: State) -> pa.ChunkedArray:
    """record_ids that no stage has dropped so far, sorted."""
    latest = store.read_table(state.steps[-1].outcome if state.steps else state.records, ["record_id", "reason"])
    return tables.kept_rows(latest)["record_id"]


def columns_of(store: Store, ref: TableRef | None, record_ids: pa.ChunkedArray, names: Sequence[str]) -> pa.Table:
    """Columns for these records, out of a table that is unique in record_id; a row of nulls where it has none."""
    if ref is None:
        raise AssertionError(f"expected a stage before this one that gives {', '.join(names)}, got none")
    # one column at a time: a whole table beside its copy is what a build's memory would peak at
    place = pc.index_in(record_ids, value_set=store.read_table(ref, ["record_id"])["record_id"])
    return pa.table({name: store.read_table(ref, [name])[name].take(place) for name in names})


def column_of(store: Store, ref: TableRef | None, record_ids: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """One such column."""
    return columns_of(store, ref, record_ids, [name])[name]


_PARTS: Mapping[str, tuple[str, ...]] = {
    "object": ("source", "declared_group"),
    "century": ("year", "year_first"),
    "series": ("artist", "series"),
}
"""Columns of records of which a field is made, where that is not the column of its name."""


def grouping_values(
    store: Store, state: State, recipe: Recipe, record_ids: pa.ChunkedArray, fields: Collection[str]
) -> dict[str, pa.ChunkedArray]:
    """(N,) texts, or lists of texts, of each field to group records by; the recipe's attributes are some, too."""
    parts = sorted({part for field in fields for part in _PARTS.get(field, (field,))})
    said = columns_of(store, state.records, record_ids, parts)
    found = {}
    for field in fields:
        if field == "object":  # sources' words are their own
            found[field] = pc.binary_join_element_wise(said["source"], said["declared_group"], ":")
        elif field == "century":
            found[field] = strata.century(pc.coalesce(said["year"], said["year_first"]))
        elif field == "series":
            found[field] = strata.series_of_artist(said["artist"], said["series"])
        else:
            found[field] = strata.as_words(said[field]) if field in recipe.attributes else said[field]
    return found


_METADATA = ("source_url", "title", "artist", "style", "date_text", "year", "rights_text")


def metadata_counts(store: Store, state: State, record_ids: pa.ChunkedArray) -> NDArray[np.int64]:
    """(N,) how many descriptive fields of each record are filled in: dedup prefers the copy with more of them."""
    known = columns_of(store, state.records, record_ids, _METADATA)
    return np.asarray(np.sum([np.asarray(pc.is_valid(known[name])) for name in _METADATA], axis=0), np.int64)


def copy_preferences(
    store: Store, state: State, rules: Sequence[Preference], record_ids: pa.ChunkedArray
) -> NDArray[np.bool_]:
    """(R, N) which records meet each rule by which the recipe prefers one copy to others."""
    if not rules:
        return np.zeros((0, len(record_ids)), np.bool_)
    asked = columns_of(store, state.records, record_ids, preferences.columns_needed(rules))
    return preferences.meets_all(asked, rules)


def figure_counts(
    store: Store, state: State, record_ids: pa.ChunkedArray, category: str, score: float, *, by_detector: bool = False
) -> NDArray[np.int64]:
    """(N,) figures of each record: by people where they annotated it (unless `by_detector`), else by the detector."""
    found = state.outcome("detect")
    detected = pa.chunked_array([pa.nulls(len(record_ids), SOURCE_FIGURES.field("figures").type)])
    if found:
        detected = column_of(store, found, record_ids, "figures")
    by_machine = counts.count_figures(detected, category, score)
    if by_detector:
        return by_machine
    by_people = counts.count_figures(column_of(store, state.figures, record_ids, "figures"), category, score)
    is_annotated = np.asarray(column_of(store, state.records, record_ids, "is_annotated").to_numpy(), dtype=np.bool_)
    return counts.prefer_people_counts(is_annotated, by_people, by_machine)


def own_splits(store: Store, recipe: Recipe, state: State, record_ids: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """(N,) each record's split by its source, and by `hold_out`; None where the recipe has neither. Raises BadInput for
    a source's word that names none.
    """
    settings = recipe.split
    if settings.keep is None and not settings.hold_out:
        return None
    own = pa.nulls(len(record_ids), pa.string())
    if settings.keep is not None:
        words = column_of(store, state.records, record_ids, settings.keep)
        own = units.own_splits(settings.label, record_ids, words, settings.keep)
    if settings.hold_out:
        said = {name: column_of(store, state.records, record_ids, name) for name in settings.hold_out}
        is_held_out = np.all([where.meets(said[name], asked) for name, asked in settings.hold_out.items()], axis=0)
        own = pc.if_else(pa.array(is_held_out), HELD_OUT, own)
    return pa.chunked_array([own])
