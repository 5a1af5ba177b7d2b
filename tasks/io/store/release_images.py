"""Single images of a release, wherever it has them: in the images table, or as files."""

import re
from collections.abc import Collection

from tasks.io.files.parquet_files import leaf_paths
from tasks.io.store.releases import Release

_MEDIA = re.compile(r"media/[0-9a-f]{2}/([0-9a-f]{64})\.\w+")


def image_bytes(release: Release, sha256s: Collection[str], most_bytes: int) -> dict[str, bytes]:
    """Bytes by SHA-256 (as the table says it) of those of the images that the release holds itself.

    Only the row groups with these images are read, and none that would unpack to more than `most_bytes`. Raises
    DamagedFile as `Release.rows` does.
    """
    found: dict[str, bytes] = {}
    for path, entry in release.manifest.files.items():
        match = _MEDIA.fullmatch(path)
        if match and match[1] in sha256s and entry.bytes <= most_bytes:
            found[match[1]] = release.read(path)
    for path in release.parts("images"):
        if wanted := {*sha256s} - found.keys():
            found |= _embedded(release, path, wanted, most_bytes)
    return found


def _embedded(release: Release, path: str, wanted: Collection[str], most_bytes: int) -> dict[str, bytes]:
    names = release.read_columns(path, ("sha256",), ("sha256",))["sha256"].to_pylist()
    found: dict[str, bytes] = {}
    with release.open_parquet(path) as parquet:
        leaves = leaf_paths(parquet)
        if "image.bytes" not in leaves:
            return found
        start = 0
        for group in range(parquet.num_row_groups):
            metadata = parquet.metadata.row_group(group)
            stop = start + metadata.num_rows
            places = [place for place in range(start, stop) if names[place] in wanted]
            if places and metadata.column(leaves.index("image.bytes")).total_uncompressed_size <= most_bytes:
                rows = parquet.read_row_group(group, columns=["image.bytes"])["image"]
                for place in places:
                    if isinstance(data := (rows[place - start].as_py() or {}).get("bytes"), bytes):
                        found[names[place]] = data
            start = stop
    return found
