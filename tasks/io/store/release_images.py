"""Single images of a release, wherever it has them: in the images table, or as files."""

import re
from collections.abc import Collection, Iterator

from tasks.io.files.parquet_files import leaf_paths
from tasks.io.store.releases import Release

_MEDIA = re.compile(r"media/[0-9a-f]{2}/([0-9a-f]{64})\.\w+")


def image_bytes(release: Release, sha256s: Collection[str], most_bytes: int) -> dict[str, bytes]:
    """Bytes by SHA-256 (as the table says it) of those of the images that the release holds itself. Raises as
    `each_image` does.
    """
    return dict(each_image(release, sha256s, most_bytes))


def each_image(release: Release, sha256s: Collection[str], most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """SHA-256 (as the table says it) and bytes of each of those images that the release holds itself, in no order.

    Only the row groups with these images are read, one after the other, and none that would unpack to more than
    `most_bytes`. Raises DamagedFile as `Release.rows` does.
    """
    wanted = {*sha256s}
    for path, entry in release.manifest.files.items():
        match = _MEDIA.fullmatch(path)
        if match and match[1] in wanted and entry.bytes <= most_bytes:
            wanted.remove(match[1])
            yield match[1], release.read(path)
    for path in release.parts("images"):
        for sha256, data in _embedded(release, path, wanted, most_bytes) if wanted else ():
            wanted.discard(sha256)
            yield sha256, data


def _embedded(release: Release, path: str, wanted: set[str], most_bytes: int) -> Iterator[tuple[str, bytes]]:
    names = release.read_columns(path, ("sha256",), ("sha256",))["sha256"].to_pylist()
    with release.open_parquet(path) as parquet:
        leaves = leaf_paths(parquet)
        if "image.bytes" not in leaves:
            return
        start = 0
        for group in range(parquet.num_row_groups):
            metadata = parquet.metadata.row_group(group)
            stop = start + metadata.num_rows
            places = [place for place in range(start, stop) if names[place] in wanted]
            if places and metadata.column(leaves.index("image.bytes")).total_uncompressed_size <= most_bytes:
                rows = parquet.read_row_group(group, columns=["image.bytes"])["image"]
                for place in places:
                    if isinstance(data := (rows[place - start].as_py() or {}).get("bytes"), bytes):
                        yield names[place], data
            start = stop
