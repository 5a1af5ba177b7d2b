"""What `quality` measures and a screen limits: the declarations fit each other and the measure."""

import pytest

from schemas.scores import LIMIT_REASONS, SCORES, ScoreLimits
from schemas.tables import QUALITY
from tasks.core.quality import QualityScores


def test_each_limit_has_its_reason_and_its_score():
    assert [*ScoreLimits.model_fields] == [*LIMIT_REASONS]
    assert QualityScores._fields == SCORES
    assert tuple(QUALITY.names[3:]) == SCORES


def test_a_limit_of_none_is_refused():
    with pytest.raises(ValueError, match="expected at least one limit, got none"):
        ScoreLimits()
