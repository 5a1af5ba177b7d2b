"""How well sketches show what their photos show (Lin et al., "SketchRef", 2024).

`table` reads the sketches, `poses` what a pose estimator saw in photos and sketches, `answers` what people say of
sketches, `metric` any other number for each sketch. `mean_oks` scores the structure of one sketch, `simplicity` says
how simple it is, `scores` computes mRS and mRC of a method. `strokes` compares sketches of more and more strokes,
`agreement` a metric with people, by the rank correlations of `correlation`.
"""
