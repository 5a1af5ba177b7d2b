"""Settings of classifiers, and what is refused."""

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.evaluate_images import ClassificationSettings


def test_defaults():
    assert ClassificationSettings().model_dump() == {"top": (5,), "classes": ()}


@pytest.mark.parametrize(
    ("field", "value"), [("top", [0]), ("top", [5, 5]), ("top", [True]), ("classes", ["a", "a"]), ("classes", [""])]
)
def test_what_is_refused(field: str, value: Any):
    with pytest.raises(ValidationError):
        ClassificationSettings.model_validate({field: value})
