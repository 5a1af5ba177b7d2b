"""How far the splits are from their ratios because published images keep their split, strata without an image in some
split (nothing can be chosen or scored by them there), and notes on both for people.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import Refusal
from schemas.phrases import listed, quoted_name
from schemas.split import SPLITS, Split
from tasks.core.split.deal import balanced_columns, list_labels
from tasks.core.strata import columns_by, strata

_Ints = NDArray[np.int64]
_SHOWN = 5
_FEWEST = 20
"""Strata with fewer images are not reported: their shares mean little."""


def check(outcome: pa.Table, settings: Split, afresh: Callable[[], pa.Table], reasons: Sequence[str] = ()) -> None:
    """Raise Refusal where assigning all images anew would bring more of them into place than max_drift allows.

    outcome: SPLIT of the records that the ratios apply to (not of a gallery); afresh: gives the same for a build that
    inherits nothing, called only where it is needed; reasons: sentences on what was dropped. A deviation that chance
    may cause where records are removed, one standard deviation, is no drift.
    """
    by_split, seats = _images_by_split(outcome, settings), np.array(list(settings.seats.values()))
    whole, batch = int(by_split.sum()), int(seats.sum())
    max_deviation = settings.max_drift * whole + np.sqrt(whole * np.max(seats * (batch - seats))) / batch
    if (
        _misplaced(by_split, seats) <= max_deviation
        or _misplaced(by_split, seats) - _misplaced(_images_by_split(afresh(), settings), seats) <= max_deviation
    ):
        return
    raise Refusal(
        f"{settings.label}: expected at most {settings.max_drift:.0%} of {whole} images in another split than the "
        f"ratios ask for, got {_shares_text(by_split, settings)}: published images keep their split, and additions and "
        "removals have added up. Nothing is published: "
        "give the split another seed, which starts a new lineage and "
        "assigns all images anew, or raise max_drift" + "".join(f"\n{reason}" for reason in reasons)
    )


def notes(view: pa.Table, outcome: pa.Table, settings: Split) -> list[str]:
    """Sentences on the shares, on strata far from the ratios, on very large groups, and on unknown strata.

    view: record_id, figures and the columns of `by` of the records that the ratios apply to, in the outcome's order.
    """
    kept = outcome
    if outcome["reason"].null_count < outcome.num_rows:
        is_kept = pc.is_null(outcome["reason"])
        kept, view = outcome.filter(is_kept), view.filter(is_kept)
    by_split = _images_by_split(kept, settings)
    if not by_split.sum():
        return []
    texts = [_shares_text(by_split, settings), *_figure_notes(view, kept, settings)]
    by = [name for name in columns_by(settings.by) if not pa.types.is_list(view[name].type)]
    for columns in [[column] for column in by] if settings.method == "iterative" else [by]:
        texts += _stratum_notes(view, kept, columns, settings)
    return [f"{settings.label}: {text}" for text in (*texts, *_large_group_notes(kept, settings))]


def _figure_notes(view: pa.Table, kept: pa.Table, settings: Split) -> Iterator[str]:
    place, width = _places(kept, settings), len(settings.seats)
    figures_by_split = np.bincount(place[place >= 0], view["figures"].to_numpy()[place >= 0], width)
    if settings.order == "figures" and figures_by_split.sum():
        shares = (
            f"{name} {count / figures_by_split.sum():.1%}"
            for name, count in zip(settings.seats, figures_by_split, strict=True)
        )
        yield f"of {int(figures_by_split.sum())} figures {', '.join(shares)}"


def _stratum_notes(view: pa.Table, kept: pa.Table, columns: Sequence[str], settings: Split) -> Iterator[str]:
    names, of, unknown = strata(view, columns)
    counts = _counts(of, len(names), kept, settings)
    whole, seats = counts.sum(axis=1), np.array(list(settings.seats.values()))
    deviation = np.abs(counts / np.maximum(whole, 1)[:, None] - seats / seats.sum()).max(axis=1)
    far = [
        place
        for place in np.argsort(-deviation, kind="stable")
        if whole[place] >= _FEWEST and deviation[place] > settings.max_drift
    ]
    if far:
        few = listed([f"{names[place]} ({'/'.join(map(str, counts[place]))})" for place in far], _SHOWN)
        strata_are = "strata are" if len(far) > 1 else "stratum is"
        yield f"{len(far)} {strata_are} more than {settings.max_drift:.0%} away from the ratios: {few}"
    for place in sorted(unknown):
        yield f"{whole[place]} images are in the stratum {names[place]}"


def _large_group_notes(kept: pa.Table, settings: Split) -> Iterator[str]:
    seats = np.array(list(settings.seats.values()))
    least = max(float(seats.min() / seats.sum() * kept.num_rows), 1)
    further = pc.value_counts(kept["group_id"].filter(pc.not_equal(kept["group_id"], kept["record_id"])))
    large = further.filter(pc.greater_equal(pc.struct_field(further, "counts"), least - 1)).to_pylist()
    names = pa.array([row["values"] for row in large], pa.string())
    found = pc.value_counts(kept["group_id"].filter(pc.is_in(kept["group_id"], value_set=names))).to_pylist()
    large = [row for row in found if row["counts"] > least]
    for row in sorted(large, key=lambda row: (-row["counts"], row["values"]))[:_SHOWN]:
        yield (
            f"the group of {row['values']} has {row['counts']} of {kept.num_rows} images, more than the whole share "
            "of a split; it lies in one split nevertheless"
        )


def _misplaced(by_split: _Ints, seats: _Ints) -> float:
    """Images that would have to lie in another split."""
    return float(np.maximum(by_split - seats / seats.sum() * by_split.sum(), 0).sum())


def _images_by_split(outcome: pa.Table, settings: Split) -> _Ints:
    """(S,) images in each split that has seats."""
    return np.asarray(_counts(np.zeros(outcome.num_rows, np.int64), 1, outcome, settings)[0], np.int64)


def _counts(of: _Ints, size: int, outcome: pa.Table, settings: Split) -> _Ints:
    """(K, S) images of each stratum in each split that has seats; what is dropped lies in none."""
    place, width = _places(outcome, settings), len(settings.seats)
    there = place >= 0
    by_split: _Ints = np.bincount(of[there] * width + place[there], minlength=size * width).reshape(size, width)
    return by_split


def _places(outcome: pa.Table, settings: Split) -> _Ints:
    found = pc.index_in(outcome["split"], value_set=pa.array(list(settings.seats)))
    return np.asarray(pc.fill_null(found, -1), np.int64)


def _shares_text(by_split: _Ints, settings: Split) -> str:
    whole, seats = by_split.sum(), sum(settings.seats.values())
    shares = (
        f"{name} {count} ({count / whole:.1%}, wanted {seat / seats:.1%})"
        for (name, seat), count in zip(settings.seats.items(), by_split, strict=True)
    )
    return ", ".join(shares)


_MOST_LISTED = 20


class Gap(NamedTuple):
    """A stratum with an empty split. images: in each of the splits, 0 in some of them."""

    stratum: str
    images: Mapping[str, int]


def gaps(view: pa.Table, split: pa.ChunkedArray, settings: Split) -> tuple[list[Gap], int]:
    """The strata of the split's `by` with an empty split, the largest first; and how many strata there are.

    view: the columns of `by` of records that are no gallery; split: (N,) of each, null where it is dropped. The splits
    are those that have a seat or any image. With the method `iterative` each column has strata of its own; of a list
    each text is one. Empty in, empty out; with nothing in `by` all are one stratum.
    """
    there = pc.is_valid(split)
    view, split = view.filter(there), split.filter(there)
    there_are = {*settings.seats, *pc.unique(split).to_pylist()}
    splits = [name for name in SPLITS if name in there_are]
    place = np.asarray(pc.index_in(split, value_set=pa.array(splits, pa.string())), np.int64)
    found: list[Gap] = []
    size = 0
    for names, rows, stratum_index in _groupings(view, settings):
        counts = np.bincount(stratum_index * len(splits) + place[rows], minlength=len(names) * len(splits))
        by_stratum = counts.reshape(-1, max(len(splits), 1)).tolist()
        found += [
            Gap(name, dict(zip(splits, images, strict=True)))
            for name, images in zip(names, by_stratum, strict=True)
            if 0 in images
        ]
        size += len(names)
    return sorted(found, key=lambda gap: (-sum(gap.images.values()), gap.stratum)), size


def gap_notes(view: pa.Table, split: pa.ChunkedArray, settings: Split) -> Iterator[str]:
    """A sentence on all strata with an empty split; none where there are none. view, split: as in `gaps`."""
    found, size = gaps(view, split, settings)
    if found:
        shown = listed([f"{quoted_name(gap.stratum)} ({_numbers(gap)})" for gap in found], _MOST_LISTED)
        have = f"{len(found)} of {size} strata have" if size > 1 else "the only stratum has"
        elsewhere = "; report.html lists all" if len(found) > _MOST_LISTED else ""
        yield f"{settings.label}: {have} no image in some split ({'/'.join(found[0].images)}): {shown}{elsewhere}"


def _numbers(gap: Gap) -> str:
    return "/".join(map(str, gap.images.values()))


def _groupings(view: pa.Table, settings: Split) -> Iterator[tuple[list[str], np.ndarray, np.ndarray]]:
    """Names of strata, rows, and the stratum of each of these, for each way in which the split parts its images."""
    if not view.num_rows:
        return
    columns, lists = balanced_columns(view, settings)
    is_each = settings.method == "iterative" and settings.by
    for together in [[column] for column in columns] if is_each else [columns]:
        found = strata(view, together)
        yield found.names, np.arange(view.num_rows), found.stratum_index
    for column in lists:
        rows, labels = list_labels(view[column], column)
        yield labels.names, rows, labels.stratum_index
