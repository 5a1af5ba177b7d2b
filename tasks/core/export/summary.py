"""What a release's rows come to, in numbers, for its card and its datasheet."""

from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tasks.core.export.opt_outs import opt_outs_by_signal

OF_IMAGES = (
    *("source", "title", "artist", "style", "year", "rights_uri", "format", "is_annotated", "split"),
    *("retrieved_at", "sha256"),
)
OF_ANNOTATIONS, OF_LEDGER = ("origin", "keypoints_xyv"), ("kept", "reason", "detail", "kept_record_id")
"""The columns that summary are taken from."""
_MISSING = ("title", "artist", "style", "year")
_MOST_WORKS = 10
_MOST_STYLES = 5


class ReleaseSummary(NamedTuple):
    """Counts of a release. missing: images without a title, an artist ...; origins: annotations by who drew them."""

    images: int
    sources: Mapping[str, int]
    rights: Mapping[str, int]
    missing: Mapping[str, int]
    annotated: int
    origins: Mapping[str, int]
    with_keypoints: int
    detections: int
    artists: int
    of_busiest_artists: int
    """Images by the ten artists who have the most."""
    styles: int
    commonest_styles: Mapping[str, int]
    years: tuple[int, int, int, int] | None
    """The first, the last, and those between which half of the dated images lie; None: none is dated."""
    retrieved: tuple[str, str] | None
    """The first and the last day, as YYYY-MM-DD; None where nothing says when."""
    copies: int
    """Records dropped for another that shows the same."""
    reasons: Mapping[str, int]
    """Dropped records by reason."""
    opt_outs: Mapping[str, int]
    """Those that opted out, by signal."""


def summarized(images: pa.Table, annotations: pa.Table, detections: int, ledger: pa.Table) -> ReleaseSummary:
    """images: OF_IMAGES; annotations: OF_ANNOTATIONS; ledger: OF_LEDGER; detections: how many rows. Without rows all
    counts are 0.
    """
    artists, styles = counts(images["artist"]), counts(images["style"])
    return ReleaseSummary(
        images=images.num_rows,
        sources=counts(images["source"]),
        rights=counts(images["rights_uri"]),
        missing={name: images[name].null_count for name in _MISSING},
        annotated=pc.sum(images["is_annotated"], min_count=0).as_py(),
        origins=counts(annotations["origin"]),
        with_keypoints=annotations.num_rows - annotations["keypoints_xyv"].null_count,
        detections=detections,
        artists=len(artists),
        of_busiest_artists=sum([*artists.values()][:_MOST_WORKS]),
        styles=len(styles),
        commonest_styles=dict([*styles.items()][:_MOST_STYLES]),
        years=_years(images["year"]),
        retrieved=_days(images["retrieved_at"]),
        copies=len(ledger) - ledger["kept_record_id"].null_count,
        reasons=counts(ledger.filter(pc.invert(ledger["kept"]))["reason"]),
        opt_outs=opt_outs_by_signal(ledger),
    )


def counts(column: pa.ChunkedArray) -> dict[str, int]:
    """How often each word is in a column: the most frequent first, then by the word; nulls are not counted.

    >>> counts(pa.chunked_array([["b", "a", None, "b", "c"]]))
    {'b': 2, 'a': 1, 'c': 1}
    """
    found = pc.value_counts(column.drop_null().cast(pa.string())).to_pylist()
    rows = sorted((-entry["counts"], entry["values"]) for entry in found)
    return {word: -count for count, word in rows}


def _years(column: pa.ChunkedArray) -> tuple[int, int, int, int] | None:
    dated = column.drop_null()
    if not len(dated):
        return None
    first, low, high, last = pc.quantile(dated, [0, 0.25, 0.75, 1], interpolation="lower").to_pylist()
    return first, last, low, high


def _days(column: pa.ChunkedArray) -> tuple[str, str] | None:
    found = pc.min_max(column).as_py()
    return None if found["min"] is None else (found["min"].date().isoformat(), found["max"].date().isoformat())
