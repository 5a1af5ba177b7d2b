"""What a build leaves on Prefect's page: plan, tables of stages and of drops, the release. Without a flow, nothing."""

import base64
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote

import pyarrow.compute as pc
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from schemas.errors import DamagedFile
from schemas.manifests import Context, Step
from schemas.phrases import error_line
from schemas.reasons import MEANING, Reason
from schemas.split import SplitName
from tasks.core.markdown import as_text
from tasks.engine import runs, thumbnails
from tasks.engine.views import column_of
from tasks.io.images.previews import contact_sheet
from tasks.io.store.releases import Release
from tasks.orchestration import flow_runs, reports
from tasks.orchestration.progress import artifact_key
from tasks.page import terminal

_SAMPLES = 24
_SPLITS = get_args(SplitName)
_FILES = (
    ("report.html", "the report, a page to look at"),
    ("README.md", "the dataset's card"),
    ("ledger.parquet", "the ledger: one row for every record, with the reason where it was dropped"),
    ("recipe.yaml", "the recipe as it ran"),
    ("manifest.json", "digests, counts and versions"),
)


def create_plan(context: Context, steps: Sequence[Step]) -> None:
    """Leave what the build would do, stage by stage."""
    rows = [{"stage": step.label, "kind": step.kind, "what would be done": terminal.intention(step)} for step in steps]
    _leave(create_table_artifact, context.dataset, "plan", rows, "What this build is about to do")


def create_tables(context: Context, steps: Sequence[Step]) -> None:
    """Leave the tables of stages and drops."""
    rows = (*map(terminal.stage_cells, steps), *terminal.outside_cells(steps, context))
    stages = [dict(zip(terminal.STAGE_COLUMNS, cells, strict=True)) for cells in rows]
    drops = [
        {"stage": step.label, "dropped": count, "reason": reason, "meaning": MEANING[Reason(reason)]}
        for step in steps
        for reason, count in step.dropped.items()
    ]
    _leave(create_table_artifact, context.dataset, "stages", stages, "What each stage kept, dropped and computed")
    _leave(create_table_artifact, context.dataset, "dropped", drops, "What was dropped in which stage, and why")


def create_release(context: Context, steps: Sequence[Step], limit: int | None) -> None:
    """Leave the release: its digest and counts, links to its files, notes for people, and some of its images."""
    if not flow_runs.is_flow():
        return
    release = Release(steps[-1].release)
    manifest = release.manifest
    there = {*manifest.files, "manifest.json"}
    try:
        samples = _samples(context, steps)
    except (DamagedFile, OSError) as problem:  # the release stands all the same, and the next build mends
        samples = [f"No pictures: {as_text(error_line(problem))}"]
    before = f"the release before: {manifest.previous or 'none'}{terminal.trial(limit)}"
    lines = [f"# {manifest.name} {manifest.version}", f"content `sha256:{manifest.content_sha256}`; {before}", ""]
    lines += ["| what | how many |", "|---|---|"]
    lines += [f"| {name.replace('_', ' ')} | {_shown(count)} |" for name, count in manifest.counts.items()]
    lines += ["", f"In `{release.url}`:", ""]
    lines += [f"- [{name}]({link_to(release, name)}): {text}" for name, text in _FILES if name in there]
    lines += ["", *(f"- {as_text(note)}" for step in steps for note in step.notes), "", *samples]
    description = f"Release {manifest.version} of {manifest.name}: links, counts, some of its images"
    _leave(create_markdown_artifact, context.dataset, "release", "\n".join(lines), description)


def create_verification(name: str, version: str, text: str) -> None:
    """Leave what `verify` says of a release."""
    code = "\n".join(f"    {line}" for line in text.splitlines())
    _leave(create_markdown_artifact, name, "verify", code, f"What was checked of release {version} of {name}")


def _leave(create: Callable[..., object], dataset: str, word: str, content: Any, description: str) -> None:
    key = artifact_key(dataset, word)
    reports.report(key, lambda: create(content, key=key, description=description))


def _shown(count: int | dict[str, int]) -> str:
    if isinstance(count, int):
        return f"{count:,}"
    in_order = [*(name for name in _SPLITS if name in count), *sorted(count.keys() - {*_SPLITS})]
    return ", ".join(f"{name} {count[name]:,}" for name in in_order)


def _samples(context: Context, steps: Sequence[Step]) -> list[str]:
    """Some images of the release as one picture: those whose thumbnails lie in the first table, so that one is read."""
    store = runs.store_of(context)
    fetched = next((step.outcome for step in steps if step.stage == "fetch"), None)
    ids = store.read_table(steps[-1].outcome)["record_id"]
    if fetched is None:
        return []
    blobs = pc.unique(column_of(store, fetched, ids, "sha256").drop_null()).sort()
    shelf = thumbnails.stored_thumbnails(store, blobs)
    first = shelf.filter(pc.equal(shelf["path"], pc.min(shelf["path"]))).slice(0, _SAMPLES)
    if not (pictures := [jpeg for _, jpeg in thumbnails.jpegs(store, first)]):
        return []
    data = base64.b64encode(contact_sheet(pictures)).decode()
    return [f"![{len(pictures)} images of the release](data:image/jpeg;base64,{data})"]


SETTING = "BILDERATLAS_RELEASES_URL"
"""The variable with the address of a web server with this machine's releases: no browser follows a link to the disk."""


def link_to(release: Release, file: str) -> str:
    """The address of one of its files: on the web server of SETTING, else where the store has it."""
    url, base = f"{release.url}/{file}", os.environ.get(SETTING, "")
    if "://" in url:
        return url
    return f"{base.rstrip('/')}{quote(url)}" if base else Path(url).as_uri()
