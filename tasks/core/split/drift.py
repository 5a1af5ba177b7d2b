"""How far the splits are from their ratios as published images keep theirs, strata without an image in some split."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import Refusal
from schemas.phrases import listed, quoted_name
from schemas.split import HELD_OUT, SPLITS, Split
from tasks.core.split.deal import balanced_columns, groupings
from tasks.core.strata import Strata, strata

_Ints = NDArray[np.int64]
_SHOWN = 5
_FEWEST = 20
"""Strata with fewer images are not reported: their shares mean little."""


def check(outcome: pa.Table, settings: Split, afresh: Callable[[], pa.Table], reasons: Sequence[str] = ()) -> None:
    """Raise Refusal where assigning all images anew would bring more of them into place than max_drift allows.

    outcome: SPLIT of the records that the ratios apply to; afresh: gives the same for a build that inherits nothing, if
    it is needed; reasons: sentences on what was dropped. One standard deviation of chance removals is no drift.
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
        "removals have added up. Nothing is published: give the split another seed, which starts a new lineage and "
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
    by, _ = balanced_columns(view, settings)
    for columns in [[column] for column in by] if settings.method == "iterative" else [by]:
        texts += _stratum_notes(strata(view, columns), kept, settings)
    return [f"{settings.label}: {text}" for text in (*texts, *_large_group_notes(kept, settings))]


def _figure_notes(view: pa.Table, kept: pa.Table, settings: Split) -> Iterator[str]:
    place = _places(kept, settings)
    counts = np.bincount(place[place >= 0], view["figures"].to_numpy()[place >= 0], len(settings.seats))
    if settings.order == "figures" and counts.sum():
        shares = [f"{name} {share:.1%}" for name, share in zip(settings.seats, counts / counts.sum(), strict=True)]
        yield f"of {int(counts.sum())} figures {', '.join(shares)}"


def _stratum_notes(found: Strata, kept: pa.Table, settings: Split) -> Iterator[str]:
    names, counts = found.names, _counts(found.stratum_index, len(found.names), kept, settings)
    whole, seats = counts.sum(axis=1), np.array(list(settings.seats.values()))
    deviation = np.abs(counts / np.maximum(whole, 1)[:, None] - seats / seats.sum()).max(axis=1)
    is_far = (whole >= _FEWEST) & (deviation > settings.max_drift)
    far = [place for place in np.argsort(-deviation, kind="stable") if is_far[place]]
    if far:
        few = listed([f"{names[place]} ({'/'.join(map(str, counts[place]))})" for place in far], _SHOWN)
        strata_are = "strata are" if len(far) > 1 else "stratum is"
        yield f"{len(far)} {strata_are} more than {settings.max_drift:.0%} away from the ratios: {few}"
    for place in sorted(found.unknown):
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
    place = _places(outcome, settings)
    return np.asarray(np.bincount(place[place >= 0], minlength=len(settings.seats)))


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
    shares, wanted = by_split / by_split.sum(), sum(settings.seats.values())
    return ", ".join(
        f"{name} {count} ({share:.1%}, wanted {seat / wanted:.1%})"
        for (name, seat), count, share in zip(settings.seats.items(), by_split, shares, strict=True)
    )


_MOST_LISTED = 20


class Gap(NamedTuple):
    """A stratum with an empty split. images: in each of the splits, 0 in some of them."""

    stratum: str
    images: Mapping[str, int]


def gaps(view: pa.Table, split: pa.ChunkedArray, settings: Split) -> tuple[list[Gap], int]:
    """The strata of the split's `by` with an empty split, the largest first; and how many strata there are.

    view: the columns of `by` of records that are no gallery; split: (N,) of each, null where it is dropped. The splits
    are those that have a seat or any image, but for what is held out, which no ratio deals. Strata are as in
    `groupings`. Empty in, empty out.
    """
    there = pc.fill_null(pc.not_equal(split, HELD_OUT), False)
    view, split = view.filter(there), split.filter(there)
    there_are = {*settings.seats, *pc.unique(split).to_pylist()}
    splits = [name for name in SPLITS if name in there_are]
    place = np.asarray(pc.index_in(split, value_set=pa.array(splits, pa.string())), np.int64)
    found: list[Gap] = []
    size = 0
    for rows, parted in groupings(view, settings) if view.num_rows else ():
        codes = parted.stratum_index * len(splits) + place[rows]
        counts = np.bincount(codes, minlength=len(parted.names) * len(splits)).reshape(-1, len(splits))
        for name, images in zip(parted.names, counts.tolist(), strict=True):
            if 0 in images:
                found.append(Gap(name, dict(zip(splits, images, strict=True))))
        size += len(parted.names)
    return sorted(found, key=lambda gap: (-sum(gap.images.values()), gap.stratum)), size


def gap_notes(view: pa.Table, split: pa.ChunkedArray, settings: Split) -> Iterator[str]:
    """A sentence on all strata with an empty split; none where there are none. view, split: as in `gaps`."""
    found, size = gaps(view, split, settings)
    if found:
        numbers = ["/".join(map(str, gap.images.values())) for gap in found]
        named = [f"{quoted_name(gap.stratum)} ({each})" for gap, each in zip(found, numbers, strict=True)]
        have = f"{len(found)} of {size} strata have" if size > 1 else "the only stratum has"
        elsewhere = "; report.html lists all" if len(found) > _MOST_LISTED else ""
        splits, shown = "/".join(found[0].images), listed(named, _MOST_LISTED)
        yield f"{settings.label}: {have} no image in some split ({splits}): {shown}{elsewhere}"
