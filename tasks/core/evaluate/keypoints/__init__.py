"""How well a pose estimator finds people's keypoints: COCO's average precision, with any scheme and any sigmas.

`poses` has what people and systems say as arrays, `schemes` which joints are compared, `scorer` which poses are right
and COCO's ten numbers where images count several times, and `distances` PCK and NME.
"""
