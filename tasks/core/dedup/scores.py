"""From which score of the second look on two pictures are copies, and below which they are two works."""

COPY_SCORE = 0.6
"""Scores from here on are copies: of 106 paintings saved at quality 30 and a quarter of their size the least was 0.65
(docs/decisions/009-second-look.md has what led to it)."""
APART_SCORE = 0.35
"""Scores below are two works. Between the two lie painted works of one series, as if traced, and copies that are hardly
to be seen."""
