"""screen (decide): which records pass, by what was measured of them."""

from collections.abc import Iterator

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from schemas.screen import Screen
from tasks import by_hand, caching
from tasks.core import screen as core
from tasks.core.scrape import styles
from tasks.io.store import Store
from tasks.keys import code_of

CODE = code_of(core)


@task(task_run_name="{settings.label}", cache_policy=NO_CACHE, **caching.ONCE)
def screen(settings: Screen, state: State, recipe: Recipe, context: Context) -> Step:
    """Take the decision anew if a size, a score, a count, a setting, a word by hand or the rule is another."""
    store = caching.opened(context)

    def view() -> pa.Table:
        ids = caching.kept_ids(store, state)
        columns = {
            "record_id": ids,
            **dict(_said(store, settings, state, ids, recipe)),
            **dict(_measured(store, settings, state, ids)),
        }
        if recipe.by_hand is not None:
            columns["is_included"] = by_hand.marked(recipe, context, ids, "include")
        return pa.table(columns)

    return caching.decision(store, settings, state, CODE, view, core.decide)


def check_screens(recipe: Recipe) -> None:
    """Raise BadInput where a screen asks for a style that nobody knows, and that is likely a slip of the pen."""
    for stage in recipe.stages:
        if isinstance(stage, Screen):
            core.check_styles(stage, styles.known(recipe.styles))


# only what a screen asks for, so that nothing else makes it decide again


def _said(
    store: Store, settings: Screen, state: State, ids: pa.ChunkedArray, recipe: Recipe
) -> Iterator[tuple[str, pa.ChunkedArray | pa.Array]]:
    if settings.rights is not None:
        yield "rights_uri", caching.column(store, state.records, ids, "rights_uri")
    if settings.styles is not None:
        style = caching.column(store, state.records, ids, "style")
        yield "style", style
        yield "has_wanted_style", core.has_style(style, settings.styles, styles.known(recipe.styles))


def _measured(
    store: Store, settings: Screen, state: State, ids: pa.ChunkedArray
) -> Iterator[tuple[str, pa.ChunkedArray | pa.Array]]:
    for stage, names in (("fetch", ("bytes",)), ("hash", ("width_px", "height_px")), ("quality", core.SCORES)):
        if stage in settings.needs:
            for name in names:
                yield name, caching.column(store, state.outcome(stage), ids, name)
    if (wanted := settings.figures) is not None:
        is_by_detector = wanted.counted_by == "detector"
        counts = caching.figure_counts(store, state, ids, wanted.category, wanted.score, by_detector=is_by_detector)
        yield "figures", pa.array(counts)
