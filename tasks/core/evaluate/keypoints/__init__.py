"""How well a pose estimator finds people's keypoints: COCO's average precision, with any scheme and any sigmas.

`poses` has what people and systems say as arrays, `similarity` how alike two poses are (OKS), `matches` which poses are
right in each image, and `scorer` COCO's ten numbers where images count several times.
"""
