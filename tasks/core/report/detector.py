"""What the report says of the release's detector: what each threshold would keep, on images that people have
annotated.
"""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tasks.core.coco.truth import truth_of_release
from tasks.core.evaluate import charts, comparison, matching, results
from tasks.core.plots import escape


def section(images: pa.Table, annotations: pa.Table, categories: Sequence[str]) -> str:
    """HTML of the calibration view for the first category; nothing without a detector, or where people drew no figure.

    images, annotations: both tables of a release, images without their bytes.
    """
    first = categories[0]
    looked, drawn, category_ids = truth_of_release(images, annotations, categories, [first])
    several = results.detections_of_release(looked, annotations, category_ids)
    if not several or not drawn.num_rows:
        return ""
    calibration = comparison.calibrate_detectors({first: matching.figures_of(looked, drawn)}, several, {})
    at_half = calibration.filter(pc.equal(calibration["threshold"], 0.5)).to_pylist()
    sentences = "; ".join(
        f"{escape(row['detector'])} at 0.5 keeps {row['kept']:,} of {row['images']:,} images, among them "
        f"{row['kept_with_figure']:,} of "
        f"{row['with_figure']:,} with a figure"
        for row in at_half
    )
    return (
        "<h2>What the detector would keep</h2>"
        f"<p>On the images that people have annotated ({escape(first)}): {sentences}. Images "
        "that the recipe has dropped are not among them.</p>"
        f"<div>{charts.plot_calibration(calibration, sorted(several))}</div>"
    )
