"""How well a pose estimator finds people's keypoints: COCO's average precision, with any scheme and any sigmas.

`poses` has what people and systems say as arrays, `similarity` how alike two poses are (OKS), `scores` computes COCO's
ten numbers, `matches` which poses are right in each image, and `scorer` the same numbers where images count several
times.
"""
