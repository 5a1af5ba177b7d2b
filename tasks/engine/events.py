"""Events for whoever works with a dataset further on, sent where PREFECT_API_URL names a server: a release stands, a
build was refused, a source lists fewer works. They are sent after every build, also where all of it was in the store.
"""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from prefect.settings import PREFECT_API_URL

from schemas.manifests import Context, State, Step
from schemas.reasons import Reason
from schemas.recipe import Recipe
from tasks.core.shrinkage import shrunk_sources
from tasks.engine import flow_runs, previous, reports, runs
from tasks.engine.release_links import link_to
from tasks.io.store.releases import Release

PUBLISHED, REFUSED, SHRUNK = "dataset.published", "dataset.refused", "source.shrunk"


def is_heard() -> bool:
    """Whether there is a server that keeps events."""
    return bool(PREFECT_API_URL.value()) and flow_runs.is_flow()


def send_published(recipe: Recipe, steps: Sequence[Step]) -> None:
    """The release stands, whether it was written now or before."""
    release = Release(steps[-1].release)
    manifest = release.manifest
    payload = {
        "name": manifest.name,
        "version": manifest.version,
        "previous": manifest.previous,
        "content_sha256": manifest.content_sha256,
        "release": release.url,
        "report": link_to(release, "report.html"),
        "counts": manifest.counts,
        "limit": recipe.limit,  # a release with a limit is a trial, and never `latest`
        "is_new": bool(steps[-1].computed),
    }
    _send(PUBLISHED, recipe.name, payload)


def send_refused(recipe: Recipe, problem: Exception) -> None:
    """A gate refused, and nothing was published."""
    _send(REFUSED, recipe.name, {"name": recipe.name, "reason": str(problem), "limit": recipe.limit})


def send_shrunk(recipe: Recipe, context: Context, state: State) -> None:
    """One event for each source that lists fewer works than at the release before; none where there was none."""
    for source, before, now in _shrunk_sources(recipe, context, state):
        payload = {"name": recipe.name, "source": source, "before": before, "now": now}
        _send(SHRUNK, recipe.name, payload, source)


def _shrunk_sources(recipe: Recipe, context: Context, state: State) -> list[tuple[str, int, int]]:
    store = runs.store_of(context)
    release = previous.open_predecessor(store, recipe, state.previous)
    if release is None or recipe.limit is not None:
        return []
    before = release.ledger().select(["source", "reason"])
    was_listed = pc.invert(pc.fill_null(pc.equal(before["reason"], str(Reason.GONE)), False))
    now = store.read_table(state.records, ["source"])["source"]
    names = [entry.name for entry in recipe.sources]
    return shrunk_sources(names, _counts(before.filter(was_listed)["source"]), _counts(now))


def _counts(names: pa.ChunkedArray) -> dict[str, int]:
    return {str(entry["values"]): int(entry["counts"]) for entry in pc.value_counts(names).to_pylist()}


def _send(event: str, dataset: str, payload: dict[str, Any], source: str | None = None) -> None:
    """Send an event about a dataset, or one of its sources."""
    if not is_heard():
        return
    of_dataset = {"prefect.resource.id": f"bilderatlas.dataset.{dataset}", "prefect.resource.name": dataset}
    resource, related = of_dataset, []
    if source is not None:
        resource = {
            "prefect.resource.id": f"bilderatlas.source.{dataset}.{source}",
            "prefect.resource.name": f"{source} of {dataset}",
        }
        related = [{**of_dataset, "prefect.resource.role": "dataset"}]
    reports.send_event(event, resource, related, payload)
