"""How far what is published keeps the splits from their ratios, and what else a person should know of them."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.draw import Split
from schemas.errors import Refused
from tasks.core.strata import UNKNOWN, strata

_Ints = NDArray[np.int64]
_SHOWN = 5
_FEWEST = 20
"""Images of a stratum from which on its shares say something."""


def check(outcome: pa.Table, settings: Split) -> None:
    """Raise Refused where more images lie in another split than the ratios ask than max_drift allows.

    outcome: SPLIT, of the records that the ratios hold for (not of a gallery). What one batch or the largest group brings
    with it is no drift, nor is what chance may do to a dataset that is thinned out: two standard deviations.
    """
    kept = outcome.filter(pc.is_null(outcome["reason"]))
    held, seats = _held(kept, settings)
    whole, batch = int(held.sum()), int(seats.sum())
    if not whole:
        return
    largest = max(row["counts"] for row in pc.value_counts(kept["group_id"]).to_pylist())
    grain = (
        (largest - 1)
        + np.max(seats * (batch - seats)) / batch
        + 2 * np.sqrt(whole * np.max(seats * (batch - seats))) / batch
    )
    misplaced = float(np.maximum(held - seats / batch * whole, 0).sum() - grain)
    if misplaced > settings.max_drift * whole:
        raise Refused(
            f"{settings.label}: expected at most {settings.max_drift:.0%} of {whole} images in another split than the ratios ask, got "
            f"{_told(held, settings)}: what is published stays, and additions and removals have added up; give the split another seed, "
            f"which starts a new lineage and deals all afresh, or raise max_drift; nothing is published"
        )


def notes(view: pa.Table, outcome: pa.Table, settings: Split) -> list[str]:
    """Sentences on the shares, on strata far from them, on groups beyond the share of a split, and on what is unknown.

    view: record_id and the columns in `by` of the records that the ratios hold for, in the outcome's order.
    """
    is_kept = np.asarray(pc.is_null(outcome["reason"]))
    kept = outcome.filter(pa.array(is_kept))
    held, seats = _held(kept, settings)
    if not held.sum():
        return []
    said = [f"{settings.label}: {_told(held, settings)}"]
    by = [key for key in settings.by if key != "styles"]
    for names, of in [strata(view.filter(pa.array(is_kept)), by)]:
        counts = _counts(of, len(names), kept, settings)
        whole = counts.sum(axis=1)
        off = np.abs(counts / whole[:, None] - seats / seats.sum()).max(axis=1)
        far = [
            place
            for place in np.argsort(-off, kind="stable")
            if whole[place] >= _FEWEST and off[place] > settings.max_drift
        ]
        if far:
            few = ", ".join(f"{names[place]} ({_slashed(counts[place])})" for place in far[:_SHOWN])
            more = f" and {len(far) - _SHOWN} more" if len(far) > _SHOWN else ""
            said.append(
                f"{settings.label}: {len(far)} strata are more than {settings.max_drift:.0%} from their shares: {few}{more}"
            )
        said += [
            f"{settings.label}: {whole[place]} images are of the stratum {name}"
            for place, name in enumerate(names)
            if UNKNOWN in name.split(" / ")
        ]
    return said + _too_large(kept, seats, settings)


def _too_large(kept: pa.Table, seats: _Ints, settings: Split) -> list[str]:
    least = float(seats.min() / seats.sum() * kept.num_rows)
    counted = [row for row in pc.value_counts(kept["group_id"]).to_pylist() if row["counts"] > max(least, 1)]
    counted.sort(key=lambda row: (-row["counts"], row["values"]))
    return [
        f"{settings.label}: the group of {row['values']} has {row['counts']} of {kept.num_rows} images, more than the whole share "
        "of a split; it lies in one all the same"
        for row in counted[:_SHOWN]
    ]


def _held(kept: pa.Table, settings: Split) -> tuple[_Ints, _Ints]:
    """(S,) images in each split that has seats, and the seats."""
    return _counts(np.zeros(kept.num_rows, np.int64), 1, kept, settings)[0], np.array(list(settings.seats.values()))


def _counts(of: _Ints, size: int, kept: pa.Table, settings: Split) -> _Ints:
    """(K, S) images of each stratum in each split that has seats."""
    place = np.asarray(pc.fill_null(pc.index_in(kept["split"], value_set=pa.array(list(settings.seats))), -1), np.int64)
    width = len(settings.seats)
    there = place >= 0
    return np.bincount(of[there] * width + place[there], minlength=size * width).reshape(size, width)


def _told(held: _Ints, settings: Split) -> str:
    whole, seats = held.sum(), sum(settings.seats.values())
    shares = (
        f"{name} {count} ({count / whole:.1%} for {seat / seats:.1%})"
        for (name, seat), count in zip(settings.seats.items(), held, strict=True)
    )
    return ", ".join(shares)


def _slashed(counts: _Ints) -> str:
    return "/".join(map(str, counts))
