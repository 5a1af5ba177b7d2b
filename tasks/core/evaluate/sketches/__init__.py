"""How well sketches show what their photos show (Lin et al., "SketchRef", 2024).

`table` reads the sketches, `poses` what a pose estimator saw in photos and sketches, and scores how well poses are kept
(mOKS). `scores` computes mRS and mRC of a method, and compares sketches of more and more strokes; `agreement` compares
metrics with what people say, by the rank correlations of `correlation`.
"""
