"""screen (decide): which records pass, by their fields and measures."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from schemas.scores import SCORES
from schemas.screen import Screen
from tasks.core import screen as core
from tasks.core.names import styles
from tasks.engine import runs
from tasks.engine.cache_keys import code_digest
from tasks.engine.steps import decide_step
from tasks.engine.views import column_of, figure_counts, kept_ids
from tasks.io.store.store import Store
from tasks.subjects import by_hand

CODE = code_digest(core)


def screen(settings: Screen, state: State, recipe: Recipe, context: Context) -> Step:
    """Which records pass; decided anew only if a size, score, count, setting, row by hand or the code changes."""
    store = runs.store_of(context)
    ids = kept_ids(store, state)
    counts = _figure_counts(store, settings, state, ids, recipe)
    columns = {"record_id": ids, **dict(_columns(store, settings, state, ids, recipe))}
    if settings.figures is not None:
        columns["figures"] = counts
    if recipe.by_hand is not None:
        columns["is_included"], _ = by_hand.wishes(state, recipe, context, ids)
    view = pa.table(columns)
    # what a plan has yet to see may be annotated, and may meet all conditions
    counted = counts.filter(pa.array(core.applies_to(view, settings))) if settings.figures is not None else counts
    notes = () if state.pending else (*core.uncounted_notes(counted, settings), *core.where_notes(view, settings))
    step = decide_step(store, settings, state, CODE, lambda: view, core.decide)
    return step.model_copy(update={"notes": notes})


def check_styles(settings: Screen, context: Context, recipe: Recipe) -> None:
    """Raise BadInput where the screen asks for a style that is unknown and probably misspelled."""
    core.check_styles(settings, styles.names_by_style(recipe.styles))


def _columns(
    store: Store, settings: Screen, state: State, ids: pa.ChunkedArray, recipe: Recipe
) -> Iterator[tuple[str, pa.ChunkedArray | pa.Array]]:
    """Only those that the screen needs, so that nothing else makes it decide again."""
    if settings.rights is not None:
        yield "rights_uri", column_of(store, state.records, ids, "rights_uri")
    if settings.styles is not None:
        style = column_of(store, state.records, ids, "style")
        yield "style", style
        yield "has_wanted_style", core.has_style(style, settings.styles, styles.names_by_style(recipe.styles))
    for name in dict.fromkeys((*settings.applies_to, *settings.where)):
        yield core.where_column(name), column_of(store, state.records, ids, name)
    measured = {"fetch": ("bytes",), "hash": ("width_px", "height_px"), "quality": SCORES}
    for stage, name in ((stage, name) for stage, names in measured.items() for name in names):
        if stage in settings.needs:
            yield name, column_of(store, state.outcome(stage), ids, name)


def _figure_counts(
    store: Store, settings: Screen, state: State, ids: pa.ChunkedArray, recipe: Recipe
) -> pa.ChunkedArray:
    """(N,) figures of each record, null where neither people nor a detector have counted; empty without a limit."""
    if (wanted := settings.figures) is None:
        return pa.chunked_array([], pa.int64())
    by_detector = wanted.counted_by == "detector"
    counts = pa.array(figure_counts(store, state, ids, wanted.category, wanted.score, by_detector=by_detector))
    is_known = pa.chunked_array([pa.repeat(False, len(ids))])
    if (found := state.outcome("detect")) is not None and wanted.category in recipe.looked_for:
        is_known = pc.is_valid(column_of(store, found, ids, "figures"))
    if not by_detector:
        is_known = pc.or_(is_known, pc.fill_null(column_of(store, state.records, ids, "is_annotated"), False))
    return pc.if_else(is_known, counts, pa.scalar(None, pa.int64()))
