"""sample (decide): which records of each stratum are drawn."""

import pyarrow as pa
import pyarrow.compute as pc

from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from schemas.sample import Sample
from tasks.core import sample as core
from tasks.core import strata
from tasks.engine import runs
from tasks.engine.cache_keys import code_digest
from tasks.engine.steps import decide_step
from tasks.engine.views import figure_counts, grouping_values, kept_ids
from tasks.io.store.store import Store
from tasks.subjects import by_hand

CODE = code_digest(core)


def sample(settings: Sample, state: State, recipe: Recipe, context: Context) -> Step:
    """Draw anew if a stratum, an artist, a person's word, a setting or the rule is another."""
    store = runs.store_of(context)
    view = _view(store, settings, state, recipe, context)
    if state.pending and settings.exactly is not None:  # what is still to come may make up for what is lacking
        settings = settings.model_copy(update={"exactly": None, "at_most": settings.exactly})
    step = decide_step(store, settings, state, CODE, lambda: view, core.decide)
    return step.model_copy(update={"notes": tuple(core.notes(view, store.read_table(step.outcome), settings))})


def _view(store: Store, settings: Sample, state: State, recipe: Recipe, context: Context) -> pa.Table:
    """Only what these settings ask for, so that nothing else makes it draw again."""
    ids = kept_ids(store, state)
    capped, of_object = core.caps_of_values(settings), settings.at_most_per.object is not None
    fields = {"artist", "source", *settings.by, *capped, *(["object"] if of_object else [])}
    known = grouping_values(store, state, recipe, ids, fields)
    nobody = ids if recipe.artists.unknown == "apart" else known["source"]  # no name begins like this
    columns: dict[str, pa.ChunkedArray] = {
        "record_id": ids,
        **{strata.stratum_column(field): known[field] for field in settings.by},
        **{core.cap_column(name): known[name] for name in capped},
    }
    columns["weighs_as"] = pc.coalesce(known["artist"], pc.binary_join_element_wise("unknown\n", nobody, ""))
    if of_object:
        columns["object"] = known["object"]
    if settings.weight == "figures":
        columns["figures"] = pa.chunked_array([figure_counts(store, state, ids, settings.category, settings.score)])
    is_included, columns["replaced_because"] = by_hand.wishes(state, recipe, context, ids)
    columns["is_included"] = pa.chunked_array([is_included])
    return pa.table(columns)
