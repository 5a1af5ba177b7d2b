"""What a choice has done to a collection: its artists and how evenly, years, shapes, figures, splits.

Each statistic is taken at three moments: `measured` (every image that could be read), `before` (what the draw chose
from) and `after` (what the release holds). Tables are sorted, strata by name with all of them together (null) first.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.tables import DIVERSITY, HISTOGRAMS, SHARES, schema
from tasks.core.columns import Column, floats
from tasks.core.strata import Strata, strata

VIEW = schema("record_id stratum artist year width_px height_px figures", figures=pa.int64())
"""What is known of each image at one moment; all but the record_id may be null (figures: nobody has looked)."""

_STEPS_PER_OCTAVE = 8
_OCTAVES = 3
ASPECT_EDGES = np.round(2.0 ** (np.arange(-_OCTAVES * _STEPS_PER_OCTAVE, _OCTAVES * _STEPS_PER_OCTAVE + 1) / 8), 4)
"""Bins of width / height: eight to the octave from 1:8 to 8:1, so that ArtBench-10's limits, 0.5 and 2, are edges."""
_EDGES = np.array([0.0, *ASPECT_EDGES, np.inf])
_DENSE = 1 << 24
"""Numbers that may be counted in one array, 128 MB of them."""

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]


class Statistics(NamedTuple):
    """DIVERSITY, HISTOGRAMS, SHARES, and from which score on a detector's box was a figure, if one has looked."""

    diversity: pa.Table
    histograms: pa.Table
    shares: pa.Table
    score: float | None = None


def statistics(views: Mapping[str, pa.Table], split: Column, wanted: Mapping[str, float | None]) -> Statistics:
    """All three tables. views: VIEW rows by moment; split: that of each row of `after`; wanted: see `shares`."""
    after = views["after"]
    return Statistics(
        pa.concat_tables([diversity(view["stratum"], view["artist"], moment) for moment, view in views.items()]),
        histograms(views),
        shares(after["stratum"], split, after["figures"], wanted),
    )


# --- diversity


def diversity(stratum: Column, artist: Column, moment: str = "after") -> pa.Table:
    """DIVERSITY rows of one moment: all together, then each stratum. stratum, artist: (N,) words, null where not known.

    Spellings of one name are one artist, or one stratum. Works without an artist count as one artist's, "unknown": they
    are no variety. Of artists with equally many works the largest is the first by name. Empty in, empty out.
    """
    of, by = _strata_of_names(stratum, "style"), _strata_of_names(artist, "artist")
    if not len(of.stratum_index):
        return DIVERSITY.empty_table()
    return pa.concat_tables([_diversity(one, by, moment) for one in (_single_stratum(len(of.stratum_index)), of)])


def _diversity(of: Strata, by: Strata, moment: str) -> pa.Table:
    group, artist, works = _count_pairs(of.stratum_index, by.stratum_index, len(by.names))
    images = np.bincount(of.stratum_index)
    size = len(images)
    first = np.unique(group, return_index=True)[1]  # cells are sorted by group, and so is what they are ordered into
    largest = np.lexsort((artist, -works, group))[first]
    is_unknown = np.isin(by.stratum_index, list(by.unknown))
    return pa.table(
        {
            "moment": [moment] * size,
            "stratum": _stratum_names(of, np.arange(size)),
            "images": images,
            "artists": np.bincount(group, minlength=size),
            "effective_artists": np.round(_effective(works, group, size), 6),
            "gini": np.round(_gini(works, group, size), 6),
            "largest_artist": [by.names[place] for place in artist[largest].tolist()],
            "largest_share": np.round(works[largest] / images, 6),
            "unknown_artist": np.bincount(of.stratum_index[is_unknown], minlength=size),
        },
        DIVERSITY,
    )


def _effective(works: _Ints, group: _Ints, size: int) -> _Floats:
    """(size,) how many equally frequent artists would be as diverse: exp of the Shannon entropy of works by artist.

    works: (N,) of each artist, all above 0; group: (N,) which of the groups, none of them empty. 1.0 for one artist, N
    for N equal ones. Source: the Hill number of order 1, Jost, "Entropy and diversity", Oikos 113 (2006).

    >>> _effective(np.array([1, 1, 1, 1, 97, 1, 1, 1]), np.repeat([0, 1], 4), 2).round(3).tolist()
    [4.0, 1.183]
    """
    total = np.bincount(group, works, size)
    return np.asarray(np.exp(np.log(total) - np.bincount(group, works * np.log(works), size) / total), np.float64)


def _gini(works: _Ints, group: _Ints, size: int) -> _Floats:
    """(size,) Gini coefficients, G = 2 sum(i x_i) / (n sum(x_i)) - (n + 1) / n with x ascending and i from 1.

    works, group: as for `_effective`, but an artist without works may be among them. 0.0 if all have equally many
    works, (N - 1) / N if one of N artists has all. Gini's coefficient of the population, uncorrected for small N.

    >>> _gini(np.array([5, 5, 0, 0, 0, 12]), np.array([0, 0, 1, 1, 1, 1]), 2).tolist()
    [0.0, 0.75]
    """
    order = np.lexsort((works, group))
    members = np.bincount(group, minlength=size)
    place = np.arange(len(works)) - (np.cumsum(members) - members)[group[order]] + 1
    summed = np.bincount(group[order], place * works[order].astype(np.float64), size)
    total = np.bincount(group, works, size)
    return np.asarray(np.maximum(0, 2 * summed / (members * total) - (members + 1) / members), np.float64)


# --- histograms


def histograms(views: Mapping[str, pa.Table]) -> pa.Table:
    """HISTOGRAMS of VIEW rows by moment, sorted by statistic, then in the order of the moments.

    works_per_artist counts artists, bins of one work; year counts images by decade, aspect_ratio by ASPECT_EDGES (and
    beyond), figures_per_image by the number itself. Empty bins have no row; what is not known has null bounds.
    """
    found = [rows for moment, view in views.items() if view.num_rows for rows in _histograms(view, moment)]
    return pa.concat_tables([HISTOGRAMS.empty_table(), *sorted(found, key=lambda rows: rows["statistic"][0].as_py())])


def _histograms(view: pa.Table, moment: str) -> Iterator[pa.Table]:
    """Of each statistic, first of all strata together, then of each."""
    of, by = _strata_of_names(view["stratum"], "style"), _strata_of_names(view["artist"], "artist")
    width_px, height_px = floats(view["width_px"]), floats(view["height_px"])
    ratio = np.divide(width_px, height_px, out=np.full(view.num_rows, np.nan), where=height_px > 0)
    place = np.searchsorted(_EDGES, np.nan_to_num(ratio), side="right") - 1
    places = {
        "year": np.floor(floats(view["year"]) / 10),
        "aspect_ratio": np.where(np.isnan(ratio), np.nan, place),
        "figures_per_image": floats(view["figures"]),
    }
    for one in (_single_stratum(len(of.stratum_index)), of):
        for name, values in places.items():
            yield _rows(name, moment, one, *_count_values(one.stratum_index, values))
        group, _, works = _count_pairs(one.stratum_index, by.stratum_index, len(by.names))
        yield _rows("works_per_artist", moment, one, *_count_values(group, works.astype(np.float64)))


def _count_values(group: _Ints, value: _Floats) -> tuple[_Ints, _Floats, _Ints]:
    """Group, value and number of rows of each pair that occurs, sorted. value: (N,) whole numbers, NaN: not known."""
    is_known = ~np.isnan(value)
    low, high = (value[is_known].min(), value[is_known].max()) if is_known.any() else (0, -1)
    span = int(high - low) + 1
    group, place, count = _count_pairs(group, np.where(is_known, value - low, span).astype(np.int64), span + 1)
    return group, np.where(place < span, place + low, np.nan), count


def _rows(statistic: str, moment: str, of: Strata, group: _Ints, value: _Floats, count: _Ints) -> pa.Table:
    """HISTOGRAMS rows of bins that are numbered by `value`."""
    if statistic == "aspect_ratio":
        place = np.nan_to_num(value).astype(np.int64)
        least, below = (np.where(np.isnan(value), np.nan, edges) for edges in (_EDGES[place], _EDGES[place + 1]))
    else:
        width = 10 if statistic == "year" else 1
        least, below = value * width, (value + 1) * width
    return pa.table(
        {
            "statistic": [statistic] * len(count),
            "moment": [moment] * len(count),
            "stratum": _stratum_names(of, group),
            "least": pa.array(least, from_pandas=True),
            "below": pa.array(below, from_pandas=True),
            "count": count,
        },
        HISTOGRAMS,
    )


def share_of_at_least(bins: Sequence[Mapping[str, Any]], least: float) -> float | None:
    """The share, 0..1, of what is known that lies in HISTOGRAMS rows from `least` on; None where nothing is known.

    >>> share_of_at_least([{"least": 5, "count": 3}, {"least": 6, "count": 1}, {"least": None, "count": 9}], 6)
    0.25
    """
    known = [row for row in bins if row["least"] is not None]
    total = sum(row["count"] for row in known)
    return sum(row["count"] for row in known if row["least"] >= least) / total if total else None


# --- shares


def shares(stratum: Column, split: Column, figures: Column, wanted: Mapping[str, float | None]) -> pa.Table:
    """SHARES: what each split got of each stratum's images and figures, beside what it should have.

    stratum, split, figures: (N,) of the release's images; figures that nobody has counted are none. wanted: the ratios
    of all splits in their order, of any sum above 0 (null: it is not dealt by ratio). Empty in, empty out.
    """
    of, names = _strata_of_names(stratum, "style"), [*wanted, *sorted(set(pc.unique(split).to_pylist()) - set(wanted))]
    if not len(of.stratum_index):
        return SHARES.empty_table()
    place = np.asarray(pc.index_in(split, value_set=pa.array(names, pa.string())), np.int64)
    key = of.stratum_index * len(names) + place
    size = len(of.names) * len(names)
    images = np.bincount(key, minlength=size).reshape(-1, len(names))
    counted = np.bincount(key, np.nan_to_num(floats(figures)), size).reshape(-1, len(names))
    images, counted = np.vstack([images.sum(0), images]), np.vstack([counted.sum(0), counted])
    total = sum(ratio or 0 for ratio in wanted.values())
    ratios = [None if wanted.get(name) is None else round((wanted[name] or 0) / total, 6) for name in names]
    return pa.table(
        {
            "stratum": [name for name in (None, *of.names) for _ in names],
            "split": names * len(images),
            "images": images.ravel(),
            "figures": counted.ravel().astype(np.int64),
            "wanted_share": ratios * len(images),
            "images_share": _shares(images),
            "figures_share": _shares(counted),
        },
        SHARES,
    )


def _shares(numbers: NDArray[Any]) -> pa.Array:
    total = numbers.sum(1, keepdims=True)
    share = np.divide(numbers, total, out=np.full(numbers.shape, np.nan), where=total > 0)
    return pa.array(np.round(share, 6).ravel(), from_pandas=True)


def _strata_of_names(names: Column, field: str) -> Strata:
    """Spellings of one name are one, as in the draw."""
    return strata(pa.table({field: names}), [field])


def _single_stratum(rows: int) -> Strata:
    """All rows in one stratum that has no name, since any name may be a style's."""
    return Strata([], np.zeros(rows, np.int64))


def _stratum_names(of: Strata, group: _Ints) -> list[str | None]:
    return [of.names[place] if of.names else None for place in group.tolist()]


def _count_pairs(group: _Ints, member: _Ints, members: int) -> tuple[_Ints, _Ints, _Ints]:
    """Group, member (below `members`) and number of rows of each pair of them that occurs, sorted."""
    key = group * members + member
    if len(key) and key.max() < max(_DENSE, len(key)):  # several times as quick as sorting
        dense = np.bincount(key)
        found = np.flatnonzero(dense)
        count = dense[found]
    else:
        found, count = np.unique(key, return_counts=True)
    return found // max(members, 1), found % max(members, 1), count.astype(np.int64)
