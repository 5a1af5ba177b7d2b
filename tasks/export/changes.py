"""What a release says of the one before: what came, went and changed, and what whoever has copies should remove."""

from schemas.diff import CHANGES, OPT_OUTS
from schemas.errors import DamagedFile
from tasks.core.diff import comparison
from tasks.export.content import ReleaseBuild
from tasks.io.store import releases
from tasks.io.store.drafts import Draft
from tasks.io.store.releases import Release
from tasks.subjects.comparison import compared

PAGE = "CHANGES.md"


def write_changes(draft: Draft, build: ReleaseBuild, release: Release) -> None:
    """Write the page and tables of changes, where there is a release before. release: the draft's other files."""
    version = release.manifest.previous
    if version is None:
        return
    before = build.previous
    if before is None or before.manifest.version != version:  # a release is written again in its place
        before = releases.find_release(build.store, release.manifest.name, version)
    try:
        found = None if before is None else compared(before, release)
    except DamagedFile:  # a build does not depend on images of the one before
        found = None
    draft.write(PAGE, comparison.changes_page(version, None if found is None else found.facts).encode())
    if found is not None:
        draft.write_table("changes.parquet", found.changes, CHANGES, ["record_id", "kind", "field"])
        draft.write_table("opt-outs.parquet", found.opted_out, OPT_OUTS, ["record_id"])
        lines = comparison.opt_out_lines(found.opted_out, version, release.manifest.version)
        draft.write("opt-outs.txt", lines.encode())
