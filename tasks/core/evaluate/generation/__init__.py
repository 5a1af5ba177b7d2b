"""How close the images of a generator are to a reference set, from features and class probabilities of both.

`frechet` (FID) and `kernel` (KID) compare the two distributions, `inception_score` looks at the samples alone,
`manifold` tells quality from variety (precision and recall, density and coverage), `memorisation` finds the training
images that are nearest to each sample. `extracts` has what networks have computed of the images, `tables` the scores of
several generators, overall and by class, `scorer` those that are means over samples, `page` what a reader sees of them.
"""
