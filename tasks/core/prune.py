"""What may leave a store: releases beyond those to keep, and what no kept release and no last build needs."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from schemas.phrases import counted


class ReleaseAge(NamedTuple):
    """What the choice of releases goes by. is_trial: it was built with a limit, and never was the newest."""

    version: str
    previous: str | None
    is_trial: bool
    written: datetime


class StoredFile(NamedTuple):
    """A file of a store: its path below it, its length, and when it was written, in seconds since 1970."""

    path: str
    bytes: int
    written_s: float


def reasons_to_stay(
    releases: Collection[ReleaseAge], latest: Collection[str], keep: int, since: date | None, grace_from: datetime
) -> dict[str, str | None]:
    """Why each release of a dataset stays, newest first; None: it goes.

    latest: versions that are, or are being published as, the newest. keep: so many of the newest stay, trials apart.
    since: what was written on that day or later stays. grace_from: what was written later than that stays, too.

    The newest are the latest one and those before it, each the `previous` of the one before: that order needs no clock.
    Releases that are no such ancestors follow, by their time. A release is whole without its `previous`, which may go.
    """
    order = _newest_first(releases, latest)
    newest = [release for release in order if not release.is_trial][:keep]

    def reason(release: ReleaseAge) -> str | None:
        if release.version in latest:
            return "latest"
        if release in newest:
            return f"one of the newest {keep}"
        if since is not None and release.written.astimezone(UTC).date() >= since:
            return f"written since {since}"
        return "within the time of grace" if release.written >= grace_from else None

    return {release.version: reason(release) for release in order}


def _newest_first(releases: Collection[ReleaseAge], latest: Collection[str]) -> list[ReleaseAge]:
    by_version = {release.version: release for release in releases}
    order: dict[str, ReleaseAge] = {}
    for version in sorted(latest):
        following: str | None = version
        while following in by_version and following not in order:
            order[following] = by_version[following]
            following = by_version[following].previous
    others = by_version.keys() - order.keys()
    by_time = sorted(others, key=lambda version: (by_version[version].written, version), reverse=True)
    return [*order.values(), *(by_version[version] for version in by_time)]


def seen_files(ledgers: Iterable[pa.Table]) -> set[str]:
    """SHA-256 of all images that these ledgers name, of kept and of dropped records."""
    return {sha256 for ledger in ledgers for sha256 in pc.unique(ledger["sha256"]).drop_null().to_pylist()}


def newest_answers(answers: pa.Table) -> set[str]:
    """SHA-256 of the newest answer to each request that has one: it may stand in for later ones that failed."""
    whole = answers.filter(pc.is_valid(answers["sha256"])).sort_by("retrieved_at")
    newest = dict(zip(whole["request"].to_pylist(), whole["sha256"].to_pylist(), strict=True))
    return {*newest.values()}


def unused_files(
    files: Mapping[str, Collection[StoredFile]], uses: Collection[str], grace_from_s: float
) -> Iterator[StoredFile]:
    """Files of caches, by key, of which the last builds have used none (uses: paths), and nothing was written since."""
    words = {word for path in uses for word in (path, *path.split("/"))}
    for key, its_files in files.items():
        if key not in words and all(file.written_s < grace_from_s for file in its_files):
            yield from its_files


def report(
    reasons: Mapping[str, Mapping[str, str | None]],
    bytes_by_release: Mapping[tuple[str, str], int],
    freed: Mapping[str, tuple[int, int]],
    notes: Collection[str],
    *,
    is_dry: bool,
) -> Iterator[str]:
    """What a prune tells. reasons: `reasons_to_stay` by dataset. freed: files and bytes by what goes besides."""
    gone = 0
    for name, its_reasons in reasons.items():
        yield f"{name}: {counted(len(its_reasons), 'release')}"
        for version, reason in its_reasons.items():
            size = bytes_by_release[name, version]
            gone += 0 if reason else size
            yield f"  {version}  {f'stays: {reason}' if reason else 'goes'} ({readable_bytes(size)})"
    for what, (count, size) in freed.items():
        gone += size
        yield f"store: {counted(count, 'file')} of {what} {'to go' if is_dry else 'gone'} ({readable_bytes(size)})"
    yield from notes
    total = readable_bytes(gone)
    yield f"this is a dry run: nothing is removed; with --do, {total} would be" if is_dry else f"removed: {total}"


def readable_bytes(count: int) -> str:
    """Bytes as people read them.

    >>> readable_bytes(999), readable_bytes(1_500), readable_bytes(2_340_000_000)
    ('999 bytes', '1.5 kB', '2.3 GB')
    """
    for scale, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count} bytes"
