"""Events on a dataset for others, sent after each build where PREFECT_API_URL names a server."""

from collections.abc import Sequence
from typing import Any

from prefect.settings import PREFECT_API_URL

from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from tasks.core.shifts import MEANING
from tasks.engine import runs
from tasks.io.store.releases import Release
from tasks.orchestration import flow_runs, reports
from tasks.page.artifacts import link_to
from tasks.subjects import source_changes

PUBLISHED, REFUSED = "dataset.published", "dataset.refused"
SHRUNK, CHANGED = "source.shrunk", "source.changed"


def is_heard() -> bool:
    """Whether there is a server that keeps events."""
    return bool(PREFECT_API_URL.value()) and flow_runs.is_flow()


def send_published(recipe: Recipe, steps: Sequence[Step]) -> None:
    """The release stands, whether it was written now or before."""
    release = Release(steps[-1].release)
    manifest = release.manifest
    payload = {
        **{name: getattr(manifest, name) for name in ("name", "version", "previous", "content_sha256", "counts")},
        "release": release.url,
        "report": link_to(release, "report.html"),
        "limit": recipe.limit,  # a release with a limit is a trial, and never `latest`
        "is_new": bool(steps[-1].computed),
    }
    _send(PUBLISHED, recipe.name, payload)


def send_refused(recipe: Recipe, problem: Exception) -> None:
    """A gate refused, and nothing was published."""
    _send(REFUSED, recipe.name, {"name": recipe.name, "reason": str(problem), "limit": recipe.limit})


def send_source_changes(recipe: Recipe, context: Context, state: State) -> None:
    """One event for each source with fewer works than at the release before, and for each clearly changed share."""
    store = runs.store_of(context)
    for source, before, now in source_changes.find_shrunk(store, recipe, state.previous, state.records):
        payload = {"name": recipe.name, "source": source, "before": before, "now": now}
        _send(SHRUNK, recipe.name, payload, source)
    if state.unread is None:
        return
    for shift in source_changes.find_shifts(store, recipe, state.previous, state.records, state.unread):
        shares = {"before": round(shift.before.share, 4), "now": round(shift.now.share, 4)}
        payload = {"name": recipe.name, "source": shift.source, "what": MEANING[shift.what], **shares}
        _send(CHANGED, recipe.name, {**payload, "sentence": shift.sentence()}, shift.source)


def _send(event: str, dataset: str, payload: dict[str, Any], source: str | None = None) -> None:
    if not is_heard():
        return
    of_dataset = {"prefect.resource.id": f"bilderatlas.dataset.{dataset}", "prefect.resource.name": dataset}
    if source is None:
        reports.send_event(event, of_dataset, (), payload)
        return
    place, name = f"bilderatlas.source.{dataset}.{source}", f"{source} of {dataset}"
    resource = {"prefect.resource.id": place, "prefect.resource.name": name}
    reports.send_event(event, resource, [{**of_dataset, "prefect.resource.role": "dataset"}], payload)
