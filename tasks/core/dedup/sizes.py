"""Numbers of compiled functions and their callers: the compiler is imported late, and neither imports the other."""

LEVEL_SCALE = 1.2
"""Sizes of keypoints: each so many times the one before."""
MOST_TURN = 15
"""Of a keypoint to its match, in steps of 2 degrees: copies stand upright, and others are found by hashes."""

PATCH_PX = 8
STEP_PX = 4
"""Patches overlap by half: what differs in a small place fills some of them whole, wherever it lies."""
REACH_PX = 1
"""A copy in perspective, or on warped paper, lies a px off in places."""
AGREES = 0.5
"""Correlation of a patch from which on it agrees."""


COPY_SCORE = 0.6
"""Scores from here on are copies: of 106 paintings saved at quality 30 and a quarter of their size the least was 0.65
(docs/decisions/009-second-look.md has what led to it)."""
APART_SCORE = 0.35
"""Scores below are two works. Between the two lie works of one series, as if traced, and copies that show little."""
