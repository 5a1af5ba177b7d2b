"""All statistics of a truth as one table, a number a row: of the whole, of each split, of each value of an attribute.

PoPArt's Table 3 and Figs. 6 and 7; of the Met dataset (Ypsilantis et al., 2021) Figs. 4, 5 and 11, where a class is an
exhibit; of ArtBench-10 (Liao et al., 2022) what Figs. 4 and 5 show, as numbers.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import quoted
from schemas.split import SPLITS
from schemas.tables import CLASS_SIZES, TRUTH_STATISTICS
from tasks.core.columns import Column, floats, whole
from tasks.core.evaluate.categories import CATEGORY
from tasks.core.evaluate.systems import MOST_VALUES
from tasks.core.statistics.choice import diversity
from tasks.core.statistics.figures import ImageCounts, TruthContents, figure_numbers
from tasks.core.strata import UNKNOWN, strata

MODERATE = (0.5, 2.0)
"""ArtBench-10, Fig. 5 (right): width / height of what is kept."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = dict[str, float | None]


class Part(NamedTuple):
    """Some images of a truth: rows of its images. split, attribute, group: as of TRUTH_STATISTICS."""

    split: str | None
    attribute: str | None
    group: str | None
    rows: Ints


def statistics_table(truth: TruthContents, counts: ImageCounts) -> pa.Table:
    """TRUTH_STATISTICS of a truth. counts: those of its images. Values that can't be told are null; sizes, artists and
    years are those of the whole and of splits alone. Raises BadInput for an attribute of too many values.
    """
    if len(truth.categories) > 1 and CATEGORY in truth.groups:
        raise BadInput(f"--by: expected another attribute than {quoted(CATEGORY)}, by which several are given anyway")
    codes = _codes(truth)
    found: dict[str, list[object]] = {name: [] for name in TRUTH_STATISTICS.names}
    parts = [(part, _numbers(truth, counts, codes, part)) for part in parts_of(truth)]
    for part, numbers in [*parts, *_of_categories(truth)]:
        for statistic, value in numbers.items():
            row = (truth.name, part.split, part.attribute, part.group, statistic, value)
            for name, cell in zip(found, row, strict=True):
                found[name].append(cell)
    return pa.table(found, TRUTH_STATISTICS)


def _of_categories(truth: TruthContents) -> Iterator[tuple[Part, Numbers]]:
    """Of several categories, how many images have a box of each, and how many boxes, crowds included, there are."""
    for category in truth.categories if len(truth.categories) > 1 else ():
        image = truth.figures["image"].filter(pc.equal(truth.figures["category"], category))
        rows = np.unique(np.asarray(whole(image), np.int64))
        images = {"images": len(rows), "with_figures": len(rows), "figures": len(image)}
        yield Part(None, CATEGORY, category, rows), dict(images)


def parts_of(truth: TruthContents) -> Iterator[Part]:
    """All images; those of each split, if any image has one; those of each value of each attribute."""
    everything = np.arange(truth.images.num_rows)
    yield Part(None, None, None, everything)
    split = truth.images["split"]
    if split.null_count < len(split):
        for name, rows in _rows_by_value(split, split_order(split)):
            yield Part(name, None, None, rows)
    for attribute, values in truth.groups.items():
        names = sorted({*pc.unique(pc.fill_null(values, UNKNOWN)).to_pylist()})
        if len(names) > MOST_VALUES:
            expected = f"expected an attribute of at most {MOST_VALUES:,} values"
            raise BadInput(f"--by: {expected}, got {quoted(attribute)} with {len(names):,} in {truth.name}")
        for name, rows in _rows_by_value(values, names):
            yield Part(None, attribute, name, rows)


def split_order(split: Column) -> list[str]:
    """The splits that occur, in their order; what has none is `unknown`.

    >>> split_order(pa.array(["extra", "test", None, "train"]))
    ['train', 'test', 'extra', 'unknown']
    """
    names = {*pc.unique(pc.fill_null(split, UNKNOWN)).to_pylist()}
    known = [name for name in SPLITS if name in names]
    return [*known, *sorted(names - {*SPLITS, UNKNOWN}), *({UNKNOWN} & names)]


def _rows_by_value(column: Column, names: list[str]) -> Iterator[tuple[str, Ints]]:
    """Each name with the rows of the column that have it, ascending."""
    place = np.asarray(pc.index_in(whole(pc.fill_null(column, UNKNOWN)), value_set=pa.array(names)), np.int64)
    order = np.argsort(place, kind="stable")
    ends = np.cumsum(np.bincount(place, minlength=len(names)))
    yield from zip(names, np.split(order, ends[:-1]), strict=True)


class _Codes(NamedTuple):
    """(N,) numbers for the style and for the class of each image, -1 where it has none."""

    style: Ints
    exhibit: Ints | None


def _codes(truth: TruthContents) -> _Codes:
    found = strata(truth.images, ["style"])
    is_unknown = np.isin(found.stratum_index, list(found.unknown))
    exhibit = None
    if truth.exhibits is not None:
        encoded = pc.fill_null(truth.exhibits.dictionary_encode().indices, -1)
        exhibit = np.asarray(encoded, np.int64)
    return _Codes(np.where(is_unknown, -1, found.stratum_index), exhibit)


def _numbers(truth: TruthContents, counts: ImageCounts, codes: _Codes, part: Part) -> Numbers:
    numbers = figure_numbers(counts.at(part.rows))
    style = np.unique(codes.style[part.rows])
    numbers["styles"] = int((style >= 0).sum())
    if codes.exhibit is not None:
        numbers |= _class_numbers(codes.exhibit[part.rows])
    if part.attribute is None:
        images = truth.images.take(pa.array(part.rows))
        numbers |= size_numbers("image", floats(images["width_px"]), floats(images["height_px"]))
        numbers |= size_numbers("figure", *_box_sides(truth, part.rows))
        numbers |= _aspect_numbers(floats(images["width_px"]), floats(images["height_px"]))
        numbers |= _year_numbers(floats(images["year"]))
        numbers |= _artist_numbers(images)
    return numbers


def _class_numbers(exhibit: Ints) -> Numbers:
    """Of the Met's Figs. 4 and 5: classes, and images a class. exhibit: (N,) a number for each class, -1: none."""
    images = np.unique(exhibit[exhibit >= 0], return_counts=True)[1]
    return {
        "classes": len(images),
        "mean_images_of_class": float(images.mean()) if len(images) else None,
        "most_images_of_class": int(images.max(initial=0)),
        "single_image_classes_share": float((images == 1).mean()) if len(images) else None,
    }


def class_sizes(truth: TruthContents) -> pa.Table:
    """CLASS_SIZES: of the Met's Fig. 5 (images of an exhibit, by split); empty where images have no class."""
    exhibit = _codes(truth).exhibit
    found = [CLASS_SIZES.empty_table()]
    if exhibit is None:
        return found[0]
    for part in parts_of(truth._replace(groups={})):
        sizes = np.unique(exhibit[part.rows][exhibit[part.rows] >= 0], return_counts=True)[1]
        images, classes = np.unique(sizes, return_counts=True)
        names = [pa.repeat(pa.scalar(name, pa.string()), len(images)) for name in (truth.name, part.split)]
        found.append(pa.table([*names, images, classes], schema=CLASS_SIZES))
    return pa.concat_tables(found)


def size_numbers(what: str, width_px: Floats, height_px: Floats) -> Numbers:
    """Both sides of the widest and of the highest (PoPArt, section 3.3: 6,298 x 3,049 and 4,524 x 6,018 px).

    (N,) each, NaN: not known. Of equally wide ones the highest counts, of equally high ones the widest.

    >>> size_numbers("image", np.array([2, 3, np.nan]), np.array([9.0, 1, 50]))["widest_image_height_px"]
    1.0
    """
    is_known = ~(np.isnan(width_px) | np.isnan(height_px))
    sides = {"width": width_px[is_known], "height": height_px[is_known]}
    found: Numbers = {}
    for word, first, second in (("widest", "width", "height"), ("highest", "height", "width")):
        place = np.lexsort((sides[second], sides[first]))[-1:]
        for side, values in sides.items():
            found[f"{word}_{what}_{side}_px"] = float(values[place[0]]) if len(place) else None
    return found


def _box_sides(truth: TruthContents, rows: Ints) -> tuple[Floats, Floats]:
    image, size = np.asarray(whole(truth.figures["image"]), np.int64), truth.images.num_rows
    xywh_px = np.asarray(pc.list_flatten(whole(truth.figures["xywh_px"])), np.float64).reshape(-1, 4)
    is_mine = np.zeros(size, np.bool_)
    is_mine[rows] = True
    own = xywh_px[is_mine[image]]
    return own[:, 2], own[:, 3]


def _aspect_numbers(width_px: Floats, height_px: Floats) -> Numbers:
    aspect = np.divide(width_px, height_px, out=np.full(len(width_px), np.nan), where=height_px > 0)
    known = aspect[~np.isnan(aspect)]
    is_moderate = (known >= MODERATE[0]) & (known <= MODERATE[1])
    return {
        "least_aspect": float(known.min()) if len(known) else None,
        "most_aspect": float(known.max()) if len(known) else None,
        "moderate_aspect_share": float(is_moderate.mean()) if len(known) else None,
    }


def _year_numbers(year: Floats) -> Numbers:
    known = year[~np.isnan(year)]
    return {
        "first_year": float(known.min()) if len(known) else None,
        "median_year": float(np.median(known)) if len(known) else None,
        "last_year": float(known.max()) if len(known) else None,
        "known_years_share": len(known) / len(year) if len(known) else None,
    }


def _artist_numbers(images: pa.Table) -> Numbers:
    """Of `diversity`: how many artists, and how evenly their works are spread; null where no artist is known."""
    names: Mapping[str, str] = {
        "artists": "artists",
        "effective_artists": "effective_artists",
        "gini": "artists_gini",
        "largest_share": "largest_artist_share",
        "unknown_artist": "unknown_artist",
    }
    known = len(images) - images["artist"].null_count
    row = diversity(pa.nulls(len(images), pa.string()), images["artist"]).to_pylist()[0] if known else {}
    return {name: None if (value := row.get(column)) is None else float(value) for column, name in names.items()}
