"""What an evaluation of raters writes: agreement, where raters differ most, and how F is spread over them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.evaluate_figures import RaterSettings
from tasks.core.evaluate import charts
from tasks.core.evaluate.deformation import UNRATED
from tasks.core.evaluate.picture_page import picture_page
from tasks.core.evaluate.raters.leave_one_out import NAMES, BoxCounts, leave_one_out_truths, score_raters
from tasks.core.evaluate.raters.ratings import Ratings
from tasks.core.evaluate.systems import Ranking
from tasks.core.evaluate.systems_page import Headings, summary_lines
from tasks.core.markdown import cell, number, table

Row = dict[str, Any]
Box = tuple[float, float, float, float]
Drawer = Callable[[str, Sequence[tuple[Box, str]]], bytes | None]
"""A small JPEG of the file of this name with these boxes and their colours; None where it can't be shown."""

RANKING = Ranking("f1", has_leads=False)
BY_ALPHA = Ranking("alpha_ordinal", has_leads=False)
_SHOWN = {"f1": "F", "precision": "precision", "recall": "recall", "mean_iou": "mean IoU"}
HEADINGS = Headings("Raters, each against the consensus of the others", "rater", "image", "images", _SHOWN)
_OF_ALL = {f"alpha_{name}": f"alpha, {name}" for name in ("ordinal", "interval", "nominal")}
_OF_PAIRS = {"pairwise_f1": "F of pairs", "pairwise_oks": "OKS of pairs"}
_AGREEMENT = Headings("Agreement", "of", "image", "images", {**_OF_ALL, **_OF_PAIRS})
GRID = np.linspace(0.0, 1.0, 201)
"""Where densities are drawn."""

_MOST_SHOWN, _MOST_PICTURES = 10, 40
_RATER_COLOUR, _CONSENSUS_COLOUR = "#e0601e", "#1f5a8a"


def page_lines(agreement: pa.Table, differences: pa.Table) -> list[str]:
    """Lines of Markdown: how far all raters agree, SYSTEM_SCORES, and the first rows of DISAGREEMENT."""
    lines = [
        [cell(f"{row['rater']}, {row['image']}"), str(row["missed"]), str(row["extra"]), number(row["worst_iou"])]
        for row in differences.slice(0, _MOST_SHOWN).to_pylist()
        if row["missed"] + row["extra"]
    ]
    most = ["No rater misses a figure or has an extra box."]
    if lines:
        most = ["Where a rater differs most:", "", *table(["rater, image", "missed", "extra", "worst IoU"], lines)]
    return [*summary_lines(agreement, _AGREEMENT, BY_ALPHA), "", *most]


def notes(figures: pa.Table, settings: RaterSettings) -> list[str]:
    """How the consensus was made, and what counts as right. figures: FIGURES."""
    twice, few = (sum(figures[name].to_pylist()) for name in ("has_rater_twice", "is_minority"))
    return [
        f"consensus by {settings.consensus}: {figures.num_rows:,} figures; in {twice:,} of them a rater has two boxes, "
        f"{few:,} have fewer than half of the raters",
        f"a box is right from an IoU of {settings.iou:g} with a figure of the other raters' consensus on, one to one",
    ]


def disagreement_page(
    drawn: Ratings, settings: RaterSettings, differences: pa.Table, pictures: pa.Table | None, draw: Drawer
) -> str:
    """The 40 images in which raters differ most, with the rater's boxes above the consensus of the others.

    settings: by which the differences (DISAGREEMENT) were found. pictures: PICTURES; an image that it gives no file is
    a file of its own name.
    """
    files = {} if pictures is None else {row["image"]: row["file_name"] for row in pictures.to_pylist()}
    rows, shown = [], differences.slice(0, _MOST_PICTURES).to_pylist()
    images = {drawn.images.index(row["image"]) for row in shown}
    truths = {(rater, image): truth.xyxy_px for image, rater, truth in leave_one_out_truths(drawn, settings, images)}
    for row in shown:
        rater, image = drawn.raters.index(row["rater"]), drawn.images.index(row["image"])
        mine = drawn.xyxy_px[(drawn.image == image) & (drawn.rater == rater)]
        boxes: list[tuple[Box, str]] = [(tuple(box), _CONSENSUS_COLOUR) for box in truths[rater, image].tolist()]
        boxes += [(tuple(box), _RATER_COLOUR) for box in mine.tolist()]
        jpeg = draw(files.get(row["image"]) or row["image"], boxes)
        caption = f"{row['missed']} missed, {row['extra']} extra"
        rows.append((f"{row['rater']}, {row['image']}", [(jpeg, caption)]))
    explanation = "Orange: the rater's boxes. Blue: the consensus of the others, with which they are compared."
    return picture_page("Where raters differ most", explanation, rows)


def distribution_chart(counts: BoxCounts, buckets: Sequence[int], bandwidth: float) -> str:
    """The density of F over raters, over all images and in each of their buckets (Fig. 3 and 8); empty where no rater
    has an F.
    """
    of = np.array(buckets)
    times = {"all": None, **{f"deformation {one}": (of == one) * 1 for one in sorted({*buckets} - {UNRATED})}}
    lines = {name: score_raters(counts, each)[:, NAMES.index("f1")] for name, each in times.items()}
    drawn = {
        name: np.stack([GRID, density(values, bandwidth)], axis=1)
        for name, values in lines.items()
        if not np.isnan(values).all()
    }
    return charts.plot_densities("F of raters", drawn)


def density(values: NDArray[np.float64], bandwidth: float, at: NDArray[np.float64] = GRID) -> NDArray[np.float64]:
    """The density of values in 0..1 at some points: the mean of one bell curve for each value but NaN; 0 of none.

    bandwidth: the curves' standard deviation, above 0 and at most 0.2. What a curve would have beyond 0 or 1 is folded
    back, so that the area is 1 (Silverman, "Density estimation", 1986, section 2.10).

    >>> density(np.array([0.5]), 0.1, np.array([0.4, 0.5])).round(3).tolist()
    [2.42, 3.989]
    """
    defined = values[~np.isnan(values)]
    if not len(defined):
        return np.zeros(len(at))
    folded = np.concatenate([defined, -defined, 2 - defined])
    bells = np.exp(-(((at[:, None] - folded) / bandwidth) ** 2) / 2) / (bandwidth * np.sqrt(2 * np.pi))
    return np.asarray(bells.sum(axis=1) / len(defined))
