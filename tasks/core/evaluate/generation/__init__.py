"""How close the images of a generator are to a reference set, from features and class probabilities of both: whole sets
(`set_scores`), quality apart from variety (`manifold`), and copies of training images (`memorisation`).
"""
