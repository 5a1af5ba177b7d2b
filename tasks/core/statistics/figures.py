"""What a truth holds, in numbers: images, figures, crowds, keypoints; how crowded pictures are, and how small figures.

PoPArt (Schneider & Vollmer, 2023), section 3.3: Table 3, Figs. 6 and 7. All numbers come from counts of each image, so
that those of a split or a style are sums over its images.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tasks.core.columns import bools, floats, whole

MANY = 6
"""PoPArt, Fig. 6, tells the share of images with so many figures."""
SMALL_PX2 = 16.0**2
"""PoPArt, section 3.3: small figures have an area in (0, 16^2] px."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class TruthContents(NamedTuple):
    """A release, a COCO file or a VOC folder as it is counted.

    images: TRUTH_IMAGES, all that the truth lists, annotated or not. figures: TRUTH_FIGURES, sorted by image.
    categories: names of all that count. groups: by attribute, the value of each image, (N,) text or null. exhibits:
    (N,) text or null, the class that each image shows; None where images have none. earlier: HISTOGRAMS of what a
    release was drawn from. notes: what was left out, in sentences.
    """

    name: str
    images: pa.Table
    figures: pa.Table
    categories: tuple[str, ...] = ()
    groups: Mapping[str, pa.Array] = {}
    exhibits: pa.Array | None = None
    earlier: pa.Table | None = None
    notes: tuple[str, ...] = ()


class ImageCounts(NamedTuple):
    """Counts of each image, (N,) each.

    figures: those that count. crowds: boxes of crowds, counted or not. keypoints: with v > 0. small, small_with_edges:
    figures of at most SMALL_PX2, and those that still are with both sides 1 px longer. overlapping, touching: figures
    that overlap another one by both readings of `count_overlaps`; the pairs of them. covered, proximity: `Crowding`.
    is_annotated: people have looked.
    is_positive: they drew a box, of a figure or a crowd.
    """

    figures: Ints
    crowds: Ints
    keypoints: Ints
    small: Ints
    small_with_edges: Ints
    overlapping: Ints
    touching: Ints
    overlapping_pairs: Ints
    touching_pairs: Ints
    covered: Floats
    proximity: Floats
    is_annotated: NDArray[np.bool_]
    is_positive: NDArray[np.bool_]

    def at(self, rows: Ints) -> "ImageCounts":
        """Those of these images."""
        taken: list[Any] = [column[rows] for column in self]
        return ImageCounts(*taken)


def count_images(truth: TruthContents, *, has_crowds: bool = True) -> ImageCounts:
    """What each image of a truth has. has_crowds: a crowd counts as a figure; else as none, and overlaps nothing."""
    # numba takes half a second to import
    from tasks.core.statistics.crowding import crowding
    from tasks.core.statistics.overlaps import count_overlaps

    size = truth.images.num_rows
    image = np.asarray(whole(truth.figures["image"]), np.int64)
    is_crowd, keypoints = bools(truth.figures["is_crowd"]), floats(truth.figures["keypoints"])
    xywh_px = np.asarray(pc.list_flatten(whole(truth.figures["xywh_px"])), np.float64).reshape(-1, 4)
    is_counted = ~is_crowd | has_crowds
    mine, sides_px = image[is_counted], xywh_px[is_counted, 2:]
    overlaps = count_overlaps(mine, xywh_px[is_counted])
    images_px = np.stack([floats(truth.images[name]) for name in ("width_px", "height_px")], axis=1)
    crowded = crowding(mine, xywh_px[is_counted], images_px)

    def summed(values: NDArray[np.bool_] | Ints | Floats, of: Ints = mine) -> Ints:
        return np.bincount(of, values, size).astype(np.int64)

    return ImageCounts(
        figures=np.bincount(mine, minlength=size).astype(np.int64),
        crowds=summed(is_crowd, image),
        keypoints=summed(keypoints[is_counted]),
        small=summed(_is_small(sides_px)),
        small_with_edges=summed(_is_small(sides_px + 1)),
        overlapping=summed(overlaps.mostly > 0),
        touching=summed(overlaps.touching > 0),
        overlapping_pairs=summed(overlaps.mostly) // 2,
        touching_pairs=summed(overlaps.touching) // 2,
        covered=crowded.covered,
        proximity=crowded.proximity,
        is_annotated=bools(truth.images["is_annotated"]),
        is_positive=np.bincount(image, minlength=size) > 0,
    )


def _is_small(sides_px: Floats) -> NDArray[np.bool_]:
    """(G,) whether the area of sides (G, 2) lies in (0, SMALL_PX2].

    >>> _is_small(np.array([[16, 16], [16, 17], [0, 5], [1, 256.0]])).tolist()
    [True, False, False, True]
    """
    area_px2: Floats = sides_px[:, 0] * sides_px[:, 1]
    return (area_px2 > 0) & (area_px2 <= SMALL_PX2)


def figure_numbers(counts: ImageCounts) -> dict[str, float | None]:
    """The numbers of some images; None where there is nothing to tell, such as the mean of no image.

    Means, medians and shares of images are over those with a figure, as PoPArt's are (Fig. 6: 11.28 % of People-Art's
    1,490 positive images); shares of figures are over all that count. An image that nobody annotated is neither with
    nor without figures.
    """
    images, with_figures = len(counts.figures), int(counts.is_positive.sum())
    per_image = counts.figures[counts.figures > 0]
    figures, annotated = int(per_image.sum()), int(counts.is_annotated.sum())

    covered, proximity = counts.covered[counts.figures > 0], counts.proximity[counts.figures > 1]

    def share(of_figures: Ints) -> float | None:
        return int(of_figures.sum()) / figures if figures else None

    return {
        "images": images,
        "with_figures": with_figures,
        "without_figures": annotated - with_figures,
        "not_annotated": images - annotated,
        "figures": figures,
        "crowds": int(counts.crowds.sum()),
        "keypoints": int(counts.keypoints.sum()),
        "mean_figures": figures / len(per_image) if figures else None,
        "median_figures": float(np.median(per_image)) if figures else None,
        "most_figures": int(per_image.max(initial=0)),
        "many_figures_share": int((per_image >= MANY).sum()) / len(per_image) if figures else None,
        "overlapping_share": share(counts.overlapping),
        "touching_share": share(counts.touching),
        "most_overlapping_pairs": int(counts.overlapping_pairs.max(initial=0)),
        "most_touching_pairs": int(counts.touching_pairs.max(initial=0)),
        "covered_share": _mean(covered),
        "mean_proximity": _mean(proximity),
        "small_share": share(counts.small),
        "small_with_edges_share": share(counts.small_with_edges),
    }


def _mean(values: Floats) -> float | None:
    """Of what is known; None where nothing is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None
