"""diff: two releases side by side, each change with its reason; tables, a page and the list of opt-outs."""

import pyarrow as pa
import pyarrow.compute as pc

from tasks.core.diff import comparison, page
from tasks.core.report.thumbnails import Thumbnail, jpeg_thumbnail
from tasks.io.files import outputs
from tasks.io.images.decode import UnreadableImage
from tasks.io.images.inspection import inspect
from tasks.io.store.release_images import image_bytes
from tasks.io.store.releases import Release
from tasks.io.store.store import parquet_bytes
from tasks.subjects.comparison import Comparison, compared

_MOST_BYTES, _MOST_PIXELS = 256 * 2**20, 100_000_000
"""Of a row group or an image that is read, and a picture that is decoded: a release may come from anybody."""


def diff(before_url: str, after_url: str) -> Comparison:
    """Compare two releases. Raises BadInput where one is missing, DamagedFile where a file is unlike a release's."""
    return compared(Release(before_url), Release(after_url))


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
