"""Two releases side by side: what `diff` tells, and what a release says of the one before."""

import json
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import DamagedFile
from schemas.phrases import error_line, quoted_name
from schemas.tables import EDGES
from tasks.core.diff import comparison
from tasks.core.diff.sides import LEDGER_COLUMNS, ReleasePair, Side
from tasks.io.store.releases import Release


@dataclass(frozen=True)
class Comparison:
    """What `diff` has found."""

    before: Release
    after: Release
    changes: pa.Table  # CHANGES
    opted_out: pa.Table  # OPT_OUTS
    facts: dict[str, Any]

    @property
    def text(self) -> str:
        """The summary for the terminal."""
        return comparison.summary(self.facts)

    @property
    def json(self) -> str:
        """The summary for programs."""
        return json.dumps(self.facts, ensure_ascii=False, indent=2)


def compared(before: Release, after: Release) -> Comparison:
    """Compare two releases. Raises DamagedFile where a file is unlike a release's."""
    releases = (before, after)
    pair = ReleasePair(*map(_side, releases))
    try:
        changes = comparison.compare(pair)
        opted_out = comparison.opt_outs(pair)
    except (ValueError, pa.ArrowException) as problem:
        versions = " and ".join(quoted_name(release.manifest.version) for release in releases)
        got = f"got in {versions}: {error_line(problem)}"
        raise DamagedFile(f"expected releases whose tables hold together, {got}") from problem
    return Comparison(*releases, changes, opted_out, comparison.facts(pair, changes, opted_out.num_rows))


def _side(release: Release) -> Side:
    recipe, ledger = release.read_mapping("recipe.yaml"), release.rows("ledger", LEDGER_COLUMNS)
    if len(pc.unique(ledger["record_id"])) != ledger.num_rows:
        raise release.damage("ledger.parquet", "a ledger as releases have it", ValueError("a record_id twice"))
    return Side(
        manifest=release.manifest,
        recipe=recipe,
        ledger=ledger,
        tombstones=release.tombstones(),
        scopes=release.takedowns().select(["record_id", "scope"]),
        image_columns=_columns(release, "images"),
        images=partial(release.rows, "images"),
        box_columns=release.box_columns(),
        boxes=release.boxes,
        records=partial(_records, release),
        relations=partial(_relations, release),
        coco_files=release.coco_files(),
    )


def _columns(release: Release, table: str) -> list[str]:
    schemas = [set(release.schema(path).names) for path in release.parts(table)]
    return [name for name in release.release_table(table).schema.names if all(name in names for names in schemas)]


def _records(release: Release, record_ids: pa.Array) -> pa.Table:
    """RECORDS of these records with their attributes, as far as the release knows them."""
    schema = release.release_table("records").schema
    found = [schema.empty_table()]
    for path in release.parts("records") if len(record_ids) else ():
        table = release.read_columns(path, ("record_id", "source"))
        found.append(table.filter(pc.is_in(table["record_id"], value_set=record_ids)))
    common = [name for name in schema.names if all(name in table.column_names for table in found)]
    return pa.concat_tables(found, promote_options="default").select(common)


def _relations(release: Release) -> pa.Table:
    if not release.parts("relations"):
        return EDGES.empty_table()
    return release.rows("relations", ("a", "b", "relation", "verdict"))
