"""What compiled arithmetic and its callers share: the compiler is imported late, and neither imports the other."""

LEVEL_SCALE = 1.2
"""Sizes of keypoints: each so many times the one before."""

PATCH_PX = 8
STEP_PX = 4
"""Patches overlap by half: what differs in a small place fills some of them whole, wherever it lies."""
REACH_PX = 1
"""A copy in perspective, or on warped paper, lies a px off in places."""
AGREES = 0.5
"""Correlation of a patch from which on it agrees."""
