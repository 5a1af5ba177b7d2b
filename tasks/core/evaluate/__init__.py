"""How well a detector finds what people have drawn.

`scores` has COCO's twelve numbers, `matching` what is right and what is wrong in each image, `resampling` how far the
numbers would move with other images, `presence` how well a detector tells images with a figure from images without,
`comparison` all of it for several detectors, `words` and `drawings` the tables and plots of that.
"""

from tasks.core.evaluate.scores import NAMES, box_scores

__all__ = ["NAMES", "box_scores"]
