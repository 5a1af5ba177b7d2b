"""What the report says of the release's detector: what each threshold would keep, on images that people have
annotated.
"""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tasks.core.coco.truth import truth_of_release
from tasks.core.drawing import escape
from tasks.core.evaluate import charts
from tasks.core.evaluate.detector.presence import compute_presence, threshold_table
from tasks.core.evaluate.detector.results import detections_of_release
from tasks.core.evaluate.matching import figures_of


def section(images: pa.Table, annotations: pa.Table, categories: Sequence[str]) -> str:
    """HTML of the calibration view for the first category; nothing without a detector, or where people drew no figure.

    images, annotations: both tables of a release, images without their bytes.
    """
    first = categories[0]
    looked, drawn, category_ids = truth_of_release(images, annotations, categories, [first])
    several = detections_of_release(looked, annotations, category_ids)
    if not several or not drawn.num_rows:
        return ""
    figures = figures_of(looked, drawn)
    seen = {name: {first: compute_presence(figures, own[first])} for name, own in several.items()}
    thresholds = threshold_table(seen, {})
    at_half = thresholds.filter(pc.equal(thresholds["threshold"], 0.5)).to_pylist()
    sentences = "; ".join(
        f"{escape(row['system'])} at 0.5 keeps {row['kept']:,} of {row['images']:,} images, among them "
        f"{row['kept_with_figure']:,} of "
        f"{row['with_figure']:,} with a figure"
        for row in at_half
    )
    return (
        "<h2>What the detector would keep</h2>"
        f"<p>On the images that people have annotated ({escape(first)}): {sentences}. Images "
        "that the recipe has dropped are not among them.</p>"
        f"<div>{charts.plot_thresholds(thresholds, sorted(several))}</div>"
    )
