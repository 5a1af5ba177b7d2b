"""What a person starts to measure by the papers' protocols: one flow a file."""

PROTOCOLS = ("detector", "keypoints", "raters", "recognition", "sketches", "generation", "classification")
"""Each is `evaluate_<protocol>` of the file of its name."""
