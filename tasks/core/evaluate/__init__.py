"""How well a detector finds what people have drawn.

`scores` computes COCO's twelve numbers, `matching` which boxes are right in each image, `resampling` how much the
numbers would vary with other images, `presence` how well a detector tells images with a figure from images without,
`comparison` all of this for several detectors; `markdown` and `charts` write it as tables and plots.
"""

from tasks.core.evaluate.scores import NAMES, Scores, box_scores, release_scores

__all__ = ["NAMES", "Scores", "box_scores", "release_scores"]
