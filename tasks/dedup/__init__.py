"""dedup (decide): which images show one work, which of them stays, and what must lie in one split.

Pairs are found by near hashes (`search`) and keypoints (`local_pairs`), compared (`relate`), and only then decided.
"""

import hashlib
from typing import NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.dedup import Dedup
from schemas.errors import BrokenPromise
from schemas.hash_kinds import HASHES, WorkHash
from schemas.manifests import Context, State, Step, TableRef
from schemas.recipe import Recipe
from schemas.relations import APART, VIEW_NAMES, ViewName
from schemas.tables import HASH, VERDICTS
from tasks.core import tables
from tasks.core.dedup import candidates, decide, preferences, verdicts, views
from tasks.dedup import local_pairs, relate, search
from tasks.engine import inspection, runs, steps, thumbnails
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.engine.measure import stored_measurements
from tasks.engine.views import column_of, columns_of, copy_preferences, kept_ids, metadata_counts, own_splits
from tasks.io.files.csv_files import rows_of_verdicts
from tasks.io.images.inspection import PHASH
from tasks.io.store.layout import decision_folder
from tasks.io.store.store import Store, parquet_bytes
from tasks.subjects import by_hand, library_hashes, previous, view_hashes
from tasks.subjects.roles import roles_of

CODE = code_digest(decide)


class Blobs(NamedTuple):
    """Distinct blobs by their SHA-256, ascending: hash, and size in px, (N, 2)."""

    sha256: pa.Array
    hashes: NDArray[np.uint64]
    sizes: NDArray[np.int64]


def dedup(settings: Dedup, state: State, recipe: Recipe, context: Context) -> Step:
    """Compare new pairs, then decide which records are copies and which are kept; anew only where anything changed."""
    store = runs.store_of(context)
    ids = kept_ids(store, state)
    met = copy_preferences(store, state, settings.prefer, ids)
    view = _view(store, state, preferences.preferences(met))
    known = store.read_table(state.records, ["record_id"])["record_id"]
    judged, (absent, lost) = read_verdicts(settings, context, known), _witnesses(store, state)
    blobs = _blobs(pa.concat_tables([view, absent.select(view.column_names)]))
    relations, notes, is_complete = _find_pairs(settings, blobs, pc.unique(absent["sha256"]).sort(), context)
    notes = (*notes, *lost, *preferences.unmet_notes(settings.label, met, settings.prefer))
    rows, absent = view.select(decide.COLUMNS), absent.select([*decide.COLUMNS, "detail"])
    if state.pending or not is_complete:
        outcome, _ = decide.decide_with_witnesses(rows, absent, relations, judged, settings)
        return steps.provisional_step(store, settings, state, outcome).model_copy(update={"notes": notes})
    outcome_ref, edges, is_new = _decide_once(store, settings, rows, absent, relations, judged)
    if (is_second_choice := _second_choices(store, state, recipe, store.read_table(outcome_ref))).any():
        rows = tables.with_columns(rows, {"is_second_choice": pa.array(is_second_choice)})
        outcome_ref, edges, is_new = _decide_once(store, settings, rows, absent, relations, judged)
    notes += _unused_verdict_notes(judged, ids)
    step = steps.step_of(store, settings, ids, outcome_ref, computed=int(is_new), notes=notes)
    return step.model_copy(update={"edges": edges})


def _second_choices(store: Store, state: State, recipe: Recipe, outcome: pa.Table) -> NDArray[np.bool_]:
    """(N,) records that may be kept only where none of their copies can be, now that the groups are known."""
    ids = outcome["record_id"]
    sha256 = column_of(store, state.outcome("fetch"), ids, "sha256")
    published = previous.published_splits(store, recipe, state.previous, ids, sha256)
    roles, keep = roles_of(store, recipe, state, ids), own_splits(store, recipe, state, ids)
    return preferences.is_second_choice(outcome["group_id"], published, roles, keep)


def check_verdicts(settings: Dedup, context: Context, recipe: Recipe) -> None:
    """Raise BadInput where the file with people's verdicts can't be read."""
    read_verdicts(settings, context)


def read_verdicts(settings: Dedup, context: Context, known: pa.ChunkedArray | None = None) -> pa.Table:
    """VERDICTS of the recipe's file, if any, in the spelling of known ids. Raises BadInput where it can't be read."""
    if (name := settings.verdicts) is None:
        return VERDICTS.empty_table()
    rows = rows_of_verdicts(name, context.bindings[name])
    if known is not None:
        rows = verdicts.with_known_ids(rows, known)
    return verdicts.parse_verdicts(f"binding '{name}'", rows)


def _view(store: Store, state: State, preference: NDArray[np.int64]) -> pa.Table:
    """The columns of the decision, and the hashes. Raises BrokenPromise where these are not all of one kind."""
    ids = kept_ids(store, state)
    records = columns_of(store, state.records, ids, ("rights_uri", "is_annotated"))
    fetched = columns_of(store, state.outcome("fetch"), ids, ("sha256", "bytes"))
    hashed = columns_of(store, state.outcome("hash"), ids, ("phash", "phash_recipe", "width_px", "height_px"))
    others = [name for name in pc.unique(hashed["phash_recipe"]).to_pylist() if name != PHASH]
    if others:
        raise BrokenPromise(
            f"dedup: expected perceptual hashes of the kind {PHASH}, got some of {others[0] or 'an unnamed kind'}: "
            "hashes of different kinds can't be compared; build again from the recipe's hash stage on"
        )
    return pa.table(
        {
            "record_id": ids,
            "metadata": metadata_counts(store, state, ids),
            "is_second_choice": np.zeros(len(ids), np.bool_),
            "preference": preference,
            **{name: table[name] for table in (records, fetched, hashed) for name in table.column_names},
        }
    )


def _witnesses(store: Store, state: State) -> tuple[pa.Table, tuple[str, ...]]:
    """Rows like the view's, and `detail`, of works that are taken down and still have a thumbnail; a note on others."""
    down = by_hand.taken_down(store, state)
    down = down.filter(pc.and_(down["is_work"], pc.is_valid(down["sha256"])))
    blobs = pc.unique(down["sha256"]).sort()
    hashed = stored_measurements(store, inspection.HASHES, blobs, HASH)
    hashed = hashed.filter(pc.fill_null(pc.equal(hashed["phash_recipe"], PHASH), False))
    at_hand = thumbnails.stored_thumbnails(store, hashed["sha256"].combine_chunks())["sha256"]
    with_thumbnail = down.filter(pc.is_in(down["sha256"], value_set=at_hand))
    looked = tables.lookup(hashed, "sha256", with_thumbnail["sha256"])
    table = pa.table(
        {
            **{name: with_thumbnail[name] for name in ("record_id", "sha256", "detail")},
            "rights_uri": pa.repeat("", with_thumbnail.num_rows),
            **{name: pa.repeat(0, with_thumbnail.num_rows) for name in ("metadata", "bytes", "preference")},
            **{name: pa.repeat(False, with_thumbnail.num_rows) for name in ("is_annotated", "is_second_choice")},
            **{name: looked[name] for name in ("phash", "phash_recipe", "width_px", "height_px")},
        }
    )
    lost = down.num_rows - with_thumbnail.num_rows
    note = (
        f"dedup: the store has no thumbnail of {lost} records that are taken down, so only copies with equal bytes "
        "are recognised"
    )
    return table, (note,) * bool(lost)


def _blobs(view: pa.Table) -> Blobs:
    sha256 = pc.unique(view["sha256"]).sort()
    rows = view.take(pc.index_in(sha256, value_set=view["sha256"]))
    sizes = np.stack([rows[name].to_numpy().astype(np.int64) for name in ("width_px", "height_px")], axis=1)
    return Blobs(sha256, rows["phash"].to_numpy().astype(np.uint64), sizes)


def _find_pairs(
    settings: Dedup, blobs: Blobs, witnessed: pa.Array, context: Context
) -> tuple[pa.Table, tuple[str, ...], bool]:
    """Search for near hashes and shared places, then compare the pairs; in a plan only what is in the store already.
    Relations (a, b, relation, distance_bits, score), notes, and whether no pair is still to be compared.

    witnessed: blobs for which all views are hashed, whatever `by` says.
    """
    label = settings.label
    pairs, to_hash = _near_pairs(settings, blobs, witnessed, context)
    if "local" in settings.by:
        shared = local_pairs.local_pairs(blobs.sha256, context, label)
        to_hash += shared is None
        if shared is not None:
            number = views.ALL_VIEWS.index(views.LOCAL)
            more = shared.a, shared.b, -shared.matches, number, blobs.hashes, candidates.MOST_BY_PLACES
            pairs = candidates.add_pairs(pairs, *more)
    alone, crowded = pairs, pairs.crowded
    for kind in (kind for kind in get_args(WorkHash) if kind in settings.by):
        by_hash = _near_by_library_hash(kind, blobs, context, label)
        to_hash += by_hash is None
        if by_hash is not None:
            ends, crowded = (by_hash.a, by_hash.b), max(crowded, by_hash.crowded)
            pairs = candidates.add_pairs(pairs, *ends, by_hash.distance_bits, 0, blobs.hashes)
    table = pa.table({"a": pairs.a, "b": pairs.b, "view": pairs.view, "distance_bits": pairs.distance_bits})
    measured = relate.ensure_relations(blobs.sha256, table, blobs.sizes, context, label)
    to_compare = measured["relation"].null_count
    relation = _without_doubts(measured["relation"], candidates.is_added(pairs, alone))
    conclusive = decide.conclusive_pairs(
        table.append_column("relation", relation).append_column("score", measured["score"])
    )
    for place, side in enumerate(("a", "b")):
        conclusive = conclusive.set_column(place, side, blobs.sha256.take(conclusive[side].combine_chunks()))
    return conclusive, _notes(crowded, to_compare, to_hash), not to_compare and not to_hash


def _near_pairs(
    settings: Dedup, blobs: Blobs, witnessed: pa.Array, context: Context
) -> tuple[candidates.Candidates, int]:
    """Pairs whose hashes, or whose views' hashes, are near; and how many names a plan does not know yet.

    The views' hashes, half a kilobyte an image, are forgotten with it.
    """
    of_views, to_hash = _view_hashes(settings, blobs, witnessed, context)
    wholes = _distinct_hashes(blobs.hashes)
    radii_bits = candidates.RadiiBits(settings.radius_bits, min(settings.radius_bits, settings.view_radius_bits))
    near = search.near_hashes(wholes, _distinct_hashes(*of_views.values()), radii_bits, context, settings.label)
    near_views, near_wholes = (
        _near_hashes(near.filter(mask)) for mask in (near["is_view"], pc.invert(near["is_view"]))
    )
    numbered = {name: np.array(views.view_numbers(name), np.int16) for name in of_views}
    known = [candidates.ViewHashes(hashes, numbered[name], near_views) for name, hashes in of_views.items()]
    return candidates.candidates(blobs.hashes, near_wholes, known), to_hash


def _view_hashes(
    settings: Dedup, blobs: Blobs, witnessed: pa.Array, context: Context
) -> tuple[dict[ViewName, NDArray[np.uint64]], int]:
    """(N, V) hashes of views by name, 0 for what is not asked; and how many names a plan does not know yet."""
    asked = [name for name in VIEW_NAMES if name in settings.by and name != "phash"]
    others = [name for name in VIEW_NAMES if name not in settings.by and len(witnessed)]
    known: dict[ViewName, NDArray[np.uint64]] = {}
    for names, few in ((asked, blobs.sha256), (others, witnessed)):
        for name, hashes in view_hashes.ensure_view_hashes(names, few, context, settings.label).items():
            if len(hashes) == len(blobs.hashes):
                known[name] = hashes
            elif len(hashes) == len(few):
                known[name] = np.zeros((len(blobs.hashes), hashes.shape[1]), np.uint64)
                known[name][pc.index_in(few, value_set=blobs.sha256).to_numpy()] = hashes
    return known, len(asked) + len(others) - len(known)


def _near_by_library_hash(kind: WorkHash, blobs: Blobs, context: Context, label: str) -> candidates.NearBlobs | None:
    """Pairs of blobs that one of imagehash's hashes finds; None in a plan where some are not hashed yet."""
    found = library_hashes.ensure_hashes(kind, blobs.sha256, context, label)
    if found.num_rows < len(blobs.hashes):
        return None
    spec = HASHES[kind]
    flat = found["keys"].combine_chunks().flatten().to_numpy().astype(np.uint64)
    words, radius_bits = flat.reshape(found.num_rows, spec.words), spec.radius_bits or 0
    radii_bits, no_views = candidates.RadiiBits(radius_bits // spec.words, 0), _distinct_hashes()
    near = [search.near_hashes(_distinct_hashes(word), no_views, radii_bits, context, label) for word in words.T]
    return candidates.near_by_words(words, [_near_hashes(table) for table in near], radius_bits)


def _without_doubts(relation: pa.ChunkedArray, is_by_other_hash: NDArray[np.bool_]) -> pa.ChunkedArray:
    """Null where a pair that only another hash has found is of two works: whole pictures that the program's own hash
    holds for far apart may be a picture and its detail, which no comparison of wholes shows.
    """
    is_apart = pc.is_in(relation, value_set=pa.array(sorted(APART), pa.string()))
    return pc.if_else(pc.and_(is_apart, pa.array(is_by_other_hash)), pa.scalar(None, pa.string()), relation)


def _distinct_hashes(*hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The distinct hashes, sorted, without degenerate ones."""
    found = candidates.distinct(np.concatenate([np.empty(0, np.uint64), *(values.ravel() for values in hashes)]))
    return found[~candidates.is_degenerate(found)]


def _near_hashes(table: pa.Table) -> candidates.NearHashes:
    values = np.stack([table["left"].to_numpy(), table["right"].to_numpy()], axis=1)
    return candidates.NearHashes(values, table["distance_bits"].to_numpy())


def _decide_once(
    store: Store, settings: Dedup, view: pa.Table, absent: pa.Table, relations: pa.Table, judged: pa.Table
) -> tuple[TableRef, TableRef, bool]:
    """Outcome and edges, and whether the decision had to be taken now."""
    digests = [hashlib.sha256(parquet_bytes(table)).hexdigest() for table in (view, absent, relations, judged)]
    key = cache_key(settings=settings, code=CODE, tables=digests)
    folders = decision_folder("dedup", key), decision_folder("edges", key)
    known = [next((ref for ref, _ in store.tables(folder)), None) for folder in folders]
    if known[0] is not None and known[1] is not None:
        return known[0], known[1], False
    outcome, edges = decide.decide_with_witnesses(view, absent, relations, judged, settings)
    edges_ref = store.write_table(folders[1], edges)
    return store.write_table(folders[0], outcome), edges_ref, True


def _notes(crowded: int, to_compare: int, to_hash: int) -> tuple[str, ...]:
    notes = []
    if crowded:
        notes.append(
            f"dedup: {crowded} images share a hash with {candidates.MOST_PER_HASH} others or more; most of them were "
            f"compared with only {candidates.LEADERS} of these"
        )
    if to_hash:
        notes.append("dedup: views of new images will be hashed, or their places in common searched for, first")
    if to_compare:
        notes.append(f"dedup: {to_compare} pairs will be compared first")
    return tuple(notes)


def _unused_verdict_notes(judged: pa.Table, ids: pa.ChunkedArray) -> tuple[str, ...]:
    """A note on verdicts about records that do not reach this stage, so that they have no effect."""
    is_here = pc.and_(*(pc.is_in(judged[side], value_set=ids) for side in ("a", "b")))
    lost = judged.num_rows - (pc.sum(is_here).as_py() or 0)
    note = f"dedup: {lost} of {judged.num_rows} verdicts name a record that does not reach this stage"
    return (note,) * bool(lost)
