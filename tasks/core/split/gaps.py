"""Strata that have no image in some split: nothing can be chosen or scored by them there."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.phrases import listed, quoted_name
from schemas.split import SPLITS, Split
from tasks.core.split.deal import balanced_columns, list_labels
from tasks.core.strata import strata

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


def notes(view: pa.Table, split: pa.ChunkedArray, settings: Split) -> Iterator[str]:
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
