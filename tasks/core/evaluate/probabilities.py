"""Class probabilities, as classifiers write them down: how far from 1 their sum may be."""

TOLERANCE = 0.01
"""How far from 1 the probabilities of an image may add up to: those of 16-bit floats do not come nearer."""
