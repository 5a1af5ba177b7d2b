"""dedup (decide): which images show one work, which of them stays, and what must lie in one split.

Pairs are found by near hashes (`neighbours`), looked at a second time (`looks`), and only then is anything decided.
"""

import hashlib
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BrokenPromise
from schemas.manifests import Context, State, Step, TableRef
from schemas.recipe import Recipe
from schemas.relations import VIEW_NAMES, ViewName
from schemas.stages import Dedup
from schemas.tables import HASH, VERDICTS
from tasks.core import tables
from tasks.core.dedup import candidates, decide, verdicts, views, witnesses
from tasks.dedup import relate, search, view_hashes
from tasks.engine import by_hand, inspection, previous, runs, steps, thumbnails
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.engine.measure import stored_measurements
from tasks.engine.views import column_of, columns_of, kept_ids, metadata_counts
from tasks.io.files import verdicts as files
from tasks.io.images.inspection import PHASH
from tasks.io.store.layout import decision_folder
from tasks.io.store.store import Store, parquet_bytes

CODE = code_digest(decide, witnesses)


class Blobs(NamedTuple):
    """Distinct blobs by their SHA-256, ascending: hash, and size in px, (N, 2)."""

    sha256: pa.Array
    hashes: NDArray[np.uint64]
    sizes: NDArray[np.int64]


class PairEvidence(NamedTuple):
    """What pairs are to each other (a, b, relation, distance_bits, score); what a person should know.

    In a plan: is all known.
    """

    relations: pa.Table
    notes: tuple[str, ...]
    is_complete: bool


def dedup(settings: Dedup, state: State, recipe: Recipe, context: Context) -> Step:
    """Look at new pairs a second time.

    Decide anew if a pair, what preference looks at, a verdict, a setting or the rule is another.
    """
    store = runs.store_of(context)
    ids, view = kept_ids(store, state), _view(store, state)
    said, (absent, lost) = read_verdicts(settings, context), _witnesses(store, state)
    blobs = _blobs(pa.concat_tables([view, absent.select(view.column_names)]))
    found = _find_pairs(settings, blobs, pc.unique(absent["sha256"]).sort(), context)
    found = found._replace(notes=(*found.notes, *lost))
    seen, absent = view.select(decide.COLUMNS), absent.select([*decide.COLUMNS, "detail"])
    if state.pending or not found.is_complete:
        outcome, _ = witnesses.decide(seen, absent, found.relations, said, settings)
        return steps.provisional_step(store, settings, state, outcome).model_copy(update={"notes": found.notes})
    outcome_ref, edges, is_new = _decide_once(store, settings, seen, absent, found.relations, said)
    if (is_second_choice := _second_choices(store, state, recipe, store.read_table(outcome_ref))).any():
        place = seen.schema.get_field_index("is_second_choice")
        seen = seen.set_column(place, "is_second_choice", pa.array(is_second_choice))
        outcome_ref, edges, is_new = _decide_once(store, settings, seen, absent, found.relations, said)
    step = steps.step_of(
        store,
        "decide",
        settings.label,
        "dedup",
        ids,
        outcome_ref,
        computed=int(is_new),
        notes=(*found.notes, *_unused_verdict_notes(said, ids)),
    )
    return step.model_copy(update={"edges": edges})


def _second_choices(store: Store, state: State, recipe: Recipe, outcome: pa.Table) -> NDArray[np.bool_]:
    """Records that must not stay in place of a copy of theirs, now that the groups are known."""
    ids = outcome["record_id"]
    source = column_of(store, state.records, ids, "source")
    sha256 = column_of(store, state.outcome("fetch"), ids, "sha256")
    published = previous.published_splits(store, recipe, ids, sha256)
    return decide.is_second_choice(outcome["group_id"], published, previous.roles(recipe, source))


def read_verdicts(settings: Dedup, context: Context) -> pa.Table:
    """VERDICTS that the recipe names. Raises BadInput where the file is none."""
    if settings.verdicts is None:
        return VERDICTS.empty_table()
    name, url = settings.verdicts, context.bindings[settings.verdicts]
    return verdicts.parse_verdicts(f"binding '{name}'", files.rows_of_csv(name, url))


def _view(store: Store, state: State) -> pa.Table:
    """What the decision is taken from, and the hashes. Raises BrokenPromise where these are of several recipes."""
    ids = kept_ids(store, state)
    records = columns_of(store, state.records, ids, ("rights_uri", "is_annotated"))
    fetched = columns_of(store, state.outcome("fetch"), ids, ("sha256", "bytes"))
    hashed = columns_of(store, state.outcome("hash"), ids, ("phash", "phash_recipe", "width_px", "height_px"))
    others = [name for name in pc.unique(hashed["phash_recipe"]).to_pylist() if name != PHASH]
    if others:
        raise BrokenPromise(
            f"dedup: expected hashes of the recipe {PHASH}, got some of "
            f"{others[0] or 'none that is named'}: hashes of "
            "different recipes can't be compared; build again from the recipe's hash stage on"
        )
    return pa.table(
        {
            "record_id": ids,
            "rights_uri": records["rights_uri"],
            "is_annotated": records["is_annotated"],
            "metadata": metadata_counts(store, state, ids),
            "is_second_choice": np.zeros(len(ids), np.bool_),
            **{name: fetched[name] for name in fetched.column_names},
            **{name: hashed[name] for name in hashed.column_names},
        }
    )


def _witnesses(store: Store, state: State) -> tuple[pa.Table, tuple[str, ...]]:
    """Rows like the view's, and `detail`, of works that are taken down and whose looks the store still knows.

    A note on others.
    """
    down = by_hand.taken_down(store, state)
    down = down.filter(pc.and_(down["is_work"], pc.is_valid(down["sha256"])))
    blobs = pc.unique(down["sha256"]).sort()
    hashed = stored_measurements(store, inspection.HASHES, blobs, HASH)
    hashed = hashed.filter(pc.fill_null(pc.equal(hashed["phash_recipe"], PHASH), False))
    at_hand = thumbnails.stored_thumbnails(store, hashed["sha256"].combine_chunks())["sha256"]
    seen = down.filter(pc.is_in(down["sha256"], value_set=at_hand))
    looked = tables.lookup(hashed, "sha256", seen["sha256"])
    zeros = pa.array(np.zeros(seen.num_rows, np.int64))
    table = pa.table(
        {
            "record_id": seen["record_id"],
            "sha256": seen["sha256"],
            "detail": seen["detail"],
            "rights_uri": pa.array([""] * seen.num_rows, pa.string()),
            "is_annotated": pa.array([False] * seen.num_rows, pa.bool_()),
            "metadata": zeros,
            "bytes": zeros,
            "is_second_choice": pa.array([False] * seen.num_rows, pa.bool_()),
            **{name: looked[name] for name in ("phash", "phash_recipe", "width_px", "height_px")},
        }
    )
    lost = down.num_rows - seen.num_rows
    note = (
        f"dedup: of {lost} records that are taken down the store has no picture: of their copies only equal "
        "bytes are known"
    )
    return table, (note,) * bool(lost)


def _blobs(view: pa.Table) -> Blobs:
    sha256 = pc.unique(view["sha256"]).sort()
    rows = view.take(pc.index_in(sha256, value_set=view["sha256"]))
    sizes = np.stack([rows[name].to_numpy().astype(np.int64) for name in ("width_px", "height_px")], axis=1)
    return Blobs(sha256, rows["phash"].to_numpy().astype(np.uint64), sizes)


def _find_pairs(settings: Dedup, blobs: Blobs, witnessed: pa.Array, context: Context) -> PairEvidence:
    """Search, then look: in a plan only at what is in the store already. witnessed: blobs that are seen through all
    views, whatever `by` says.
    """
    hashed = {
        key: view_hashes.ensure_view_hashes(key, blobs.sha256, context, settings.label)
        for key in settings.by
        if key != "phash"
    }
    # in a plan some may not be known yet
    whole: dict[ViewName, NDArray[np.uint64]] = {
        key: seen for key, seen in hashed.items() if len(seen) == len(blobs.hashes)
    }
    to_hash = len(hashed) - len(whole)
    for key in [key for key in VIEW_NAMES if key not in settings.by and len(witnessed)]:
        few = _spread_over_blobs(
            view_hashes.ensure_view_hashes(key, witnessed, context, settings.label), witnessed, key, blobs
        )
        to_hash += not few
        whole |= few
    near = search.near_hashes(
        _distinct_hashes(blobs.hashes),
        _distinct_hashes(*(seen for seen in whole.values())),
        settings.radius_bits,
        context,
        settings.label,
    )
    of_views = _near_hashes(near.filter(near["is_view"]))
    pairs = candidates.candidates(
        blobs.hashes,
        _near_hashes(near.filter(pc.invert(near["is_view"]))),
        [candidates.Views(seen, np.array(views.view_numbers(key), np.int16), of_views) for key, seen in whole.items()],
    )
    table = pa.table({"a": pairs.a, "b": pairs.b, "view": pairs.view, "distance_bits": pairs.distance_bits})
    measured = relate.ensure_relations(blobs.sha256, table, blobs.sizes, context, settings.label)
    notes = _notes(pairs.crowded, measured["relation"].null_count, to_hash)
    told = decide.conclusive_pairs(
        pa.table(
            {
                **{name: table[name] for name in ("a", "b", "view")},
                "relation": measured["relation"],
                "distance_bits": table["distance_bits"].cast(pa.int16()),
                "score": measured["score"],
            }
        )
    )
    for place, side in enumerate(("a", "b")):
        told = told.set_column(place, side, blobs.sha256.take(told[side].combine_chunks()))
    return PairEvidence(told, tuple(notes), is_complete=not measured["relation"].null_count and not to_hash)


def _spread_over_blobs(
    seen: NDArray[np.uint64], few: pa.Array, key: ViewName, blobs: Blobs
) -> dict[ViewName, NDArray[np.uint64]]:
    """(N, V) hashes of the key's views, 0, which says nothing, for all blobs but the few.

    Nothing where some are not known yet.
    """
    if len(seen) < len(few):
        return {}
    everyone = np.zeros((len(blobs.hashes), seen.shape[1]), np.uint64)
    everyone[pc.index_in(few, value_set=blobs.sha256).to_numpy()] = seen
    return {key: everyone}


def _distinct_hashes(*hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Sorted, and without those that say nothing."""
    found = np.unique(np.concatenate([np.empty(0, np.uint64), *(values.ravel() for values in hashes)]))
    return found[~candidates.is_degenerate(found)]


def _near_hashes(table: pa.Table) -> candidates.NearHashes:
    values = np.stack([table["left"].to_numpy(), table["right"].to_numpy()], axis=1)
    return candidates.NearHashes(values, table["distance_bits"].to_numpy())


def _decide_once(
    store: Store, settings: Dedup, view: pa.Table, absent: pa.Table, relations: pa.Table, said: pa.Table
) -> tuple[TableRef, TableRef, bool]:
    """Outcome and edges, and whether the decision had to be taken now."""
    seen = [hashlib.sha256(parquet_bytes(table)).hexdigest() for table in (view, absent, relations, said)]
    key = cache_key(settings=settings, code=CODE, seen=seen)
    folders = decision_folder("dedup", key), decision_folder("edges", key)
    known = [next((ref for ref, _ in store.tables(folder)), None) for folder in folders]
    if known[0] is not None and known[1] is not None:
        return known[0], known[1], False
    outcome, edges = witnesses.decide(view, absent, relations, said, settings)
    edges_ref = store.write_table(folders[1], edges)
    return store.write_table(folders[0], outcome), edges_ref, True


def _notes(crowded: int, to_look_at: int, to_hash: int) -> list[str]:
    notes = []
    if crowded:
        notes.append(
            f"dedup: {crowded} images share a hash with more than {candidates.MOST_PER_HASH} others; of "
            "these, each was "
            "compared with "
            f"{candidates.LEADERS} only"
        )
    if to_hash:
        notes.append("views of new images will be hashed first")
    if to_look_at:
        notes.append(f"{to_look_at} pairs will be looked at a second time first")
    return notes


def _unused_verdict_notes(said: pa.Table, ids: pa.ChunkedArray) -> list[str]:
    """A note on verdicts about records that are not here; these are obeyed by not being needed."""
    is_here = pc.and_(*(pc.is_in(said[side], value_set=ids) for side in ("a", "b")))
    lost = said.num_rows - (pc.sum(is_here).as_py() or 0)
    return [f"dedup: {lost} of {said.num_rows} verdicts name a record that does not reach this stage"] if lost else []
