"""How close the images of a generator are to a reference set, from features and class probabilities of both.

`features` has what networks have computed of the images. `set_scores` compares whole sets (FID, KID, Inception score),
`manifold` tells quality from variety (precision and recall, density and coverage; `balls` are its inner loops),
`memorisation` finds the training images that are nearest to each sample. `tables` has the scores of several generators,
overall and by class, `page` what a reader sees of them.
"""
