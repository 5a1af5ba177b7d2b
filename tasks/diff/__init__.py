"""diff: two releases side by side, each change with its reason; tables, a page and the list of opt-outs."""

import json
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import DamagedFile
from schemas.phrases import error_line, quoted_name
from schemas.tables import EDGES
from tasks.core.diff import comparison, page
from tasks.core.diff.sides import LEDGER_COLUMNS, ReleasePair, Side
from tasks.core.report.thumbnails import Thumbnail, jpeg_thumbnail
from tasks.io.files import outputs
from tasks.io.images.decode import UnreadableImage
from tasks.io.images.inspection import inspect
from tasks.io.store.release_images import image_bytes
from tasks.io.store.releases import Release
from tasks.io.store.store import parquet_bytes

_MOST_BYTES, _MOST_PIXELS = 256 * 2**20, 100_000_000
"""Of a row group or an image that is read, and a picture that is decoded: a release may come from anybody."""


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


def diff(before_url: str, after_url: str) -> Comparison:
    """Compare two releases. Raises BadInput where one is missing, DamagedFile where a file is unlike a release's."""
    releases = (Release(before_url), Release(after_url))
    pair = ReleasePair(*map(_side, releases))
    try:
        changes = comparison.compare(pair)
        opted_out = comparison.opt_outs(pair)
    except (ValueError, pa.ArrowException) as problem:
        versions = " and ".join(quoted_name(release.manifest.version) for release in releases)
        got = f"got in {versions}: {error_line(problem)}"
        raise DamagedFile(f"expected releases whose tables hold together, {got}") from problem
    return Comparison(*releases, changes, opted_out, comparison.facts(pair, changes, opted_out.num_rows))


def write(found: Comparison, folder: str) -> None:
    """Write tables, lists and page. Raises BadInput if it can't, DamagedFile where images are unlike a release's."""
    releases = (found.before, found.after)
    shown = page.sample(found.changes, found.opted_out["record_id"])  # without what somebody wants gone
    pictures = (_pictures(release, pc.unique(shown["record_id"])) for release in releases)
    lines = comparison.opt_out_lines(found.opted_out, *(release.manifest.version for release in releases))
    files = {
        "changes.parquet": parquet_bytes(found.changes),
        "opt-outs.parquet": parquet_bytes(found.opted_out),
        "opt-outs.txt": lines.encode(),
        "summary.json": f"{found.json}\n".encode(),
        "diff.html": page.page(found.facts, found.text, shown, *pictures).encode(),
    }
    outputs.write("--out", folder, files)


def _pictures(release: Release, record_ids: pa.Array) -> dict[str, Thumbnail]:
    """Thumbnails of those of the records whose images the release holds itself, and that can be read."""
    book = release.rows("ledger", ("record_id", "kept", "sha256"))
    book = book.filter(pc.and_(book["kept"], pc.is_in(book["record_id"], value_set=record_ids)))
    files = image_bytes(release, {*book["sha256"].drop_null().to_pylist()}, _MOST_BYTES)
    pictures = {sha256: picture for sha256, data in files.items() if (picture := _thumbnail(data))}
    return {row["record_id"]: pictures[row["sha256"]] for row in book.to_pylist() if row["sha256"] in pictures}


def _thumbnail(data: bytes) -> Thumbnail | None:
    try:
        found = inspect(data, _MOST_PIXELS)
    except UnreadableImage:
        return None
    return jpeg_thumbnail(found.thumbnail, found.width_px, found.height_px)


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
