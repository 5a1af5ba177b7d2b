"""Sources of whose works clearly more, or fewer, are of unknown artists, undated, unread or without rights."""

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from schemas.sources.common import NOASSERTION

_YEARS = ("year", "year_first", "year_last")
_LEAST_SHARE, _LEAST_WORKS = 0.05, 5
"""A shift is told from here on: both of them."""

MEANING = {
    "unknown_artist": "works of unknown artists",
    "undated": "works without a year",
    "unread_artist": "works whose artist's name can't be read with certainty",
    "without_rights": "works without rights",
}


class SourceShare(NamedTuple):
    """Of how many works of a source something holds."""

    works: int
    number: int

    @property
    def share(self) -> float:
        """0 to 1; 0 of nothing."""
        return self.number / self.works if self.works else 0.0


class Shift(NamedTuple):
    """A share of a source that is clearly another one now. what: a key of MEANING."""

    source: str
    what: str
    before: SourceShare
    now: SourceShare

    def sentence(self) -> str:
        """For a note."""
        return (
            f"source '{self.source}': {self.now.number:,} of {self.now.works:,} are {MEANING[self.what]} "
            f"({self.now.share:.0%}); at the last release it was {self.before.share:.0%}: does the source use other "
            "words now, or does the program read them anew?"
        )


Shares = Mapping[tuple[str, str], SourceShare]
"""By source and what it is a share of."""


def shares(records: pa.Table, unread: pa.Table | None) -> Shares:
    """The shares of each source. records: RECORDS, or a release's with fewer years. unread: UNREAD, if known."""
    kept = records.filter(pc.is_null(records["reason"]))
    is_it = {
        "unknown_artist": pc.is_null(kept["artist"]),
        "undated": functools.reduce(pc.and_, [pc.is_null(kept[name]) for name in _YEARS if name in kept.column_names]),
        "without_rights": pc.equal(kept["rights_uri"], NOASSERTION),
    }
    works = _counts(kept["source"])
    found = {what: _counts(kept["source"].filter(mask)) for what, mask in is_it.items()}
    if unread is not None:
        mine = unread.filter(pc.equal(unread["field"], "artist"))
        by_source = mine.group_by("source").aggregate([("records", "sum")]).to_pylist()
        found["unread_artist"] = {row["source"]: row["records_sum"] for row in by_source}
    return {
        (source, what): SourceShare(listed, counts.get(source, 0))
        for what, counts in found.items()
        for source, listed in works.items()
    }


def shifts(sources: Sequence[str], before: Shares, now: Shares) -> Iterator[Shift]:
    """The shares that are clearly others now, of sources that both have; more or less of something."""
    for key in itertools.product(sources, MEANING):
        if key in before and key in now:
            share = round(abs(now[key].share - before[key].share), 6)
            if share >= _LEAST_SHARE and share * now[key].works >= _LEAST_WORKS:
                yield Shift(*key, before[key], now[key])


def _counts(names: pa.ChunkedArray) -> dict[str, int]:
    return {row["values"]: row["counts"] for row in pc.value_counts(names).to_pylist()}
