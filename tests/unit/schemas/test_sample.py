"""The settings of sample: what is refused, and what is written is read again."""

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.sample import Sample
from schemas.split import Split


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        pytest.param(
            {"at_most": 2, "exactly": 2},
            "expected one of at_most, exactly and total, got at_most and exactly",
            id="two sizes",
        ),
        pytest.param({"at_most": 2, "exactly": 2, "total": 9}, "got at_most and exactly and total", id="three sizes"),
        pytest.param({"at_most": 0}, "greater than or equal to 1", id="none of each"),
        pytest.param({"top": 0}, "greater than or equal to 1", id="no strata"),
        pytest.param({"at_most_per": {"artist": 0}}, "greater than or equal to 1", id="none of an artist"),
        pytest.param({"at_most_per": {"department": 0}}, "greater than or equal to 1", id="none of a department"),
        pytest.param({"at_most_per": {"department": True}}, "valid integer", id="a truth value of a department"),
        pytest.param({"by": "Styles"}, "'style'", id="no name of a field"),
        pytest.param({"weight": "artist"}, "'inverse_artist', 'uniform' or 'figures'", id="no such weight"),
        pytest.param({"score": 1.5}, "less than or equal to 1", id="no such score"),
    ],
)
def test_samples_that_are_refused(settings: dict[str, Any], said: str):
    with pytest.raises(ValidationError) as refused:
        Sample.model_validate(settings)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("written", "read"), [(None, ()), ("style", ("style",)), ([], ()), (["style", "source"], ("style", "source"))]
)
def test_one_key_several_or_none(written: Any, read: tuple[str, ...]):
    assert Sample.model_validate({"by": written}).by == read
    assert Split.model_validate({"by": written}).by == read


@pytest.mark.parametrize("kind", [Sample, Split])
def test_what_is_written_is_read_again(kind: type[Sample] | type[Split]):
    settings = kind.model_validate({"label": "mine", "by": ["style", "source"], "seed": 7})
    assert kind.model_validate_json(settings.model_dump_json()) == settings
