"""Types of the flows' parameters: the ranges that Prefect's form shows, and that a run is refused for."""

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Annotated, Any

from pydantic import ConfigDict, Field, create_model

from flows.settings import settings_from_fields

_MOST = 2**53 - 1
"""The last whole number that Prefect's page can show; its server has no larger one than 2**63 - 1."""

Count = Annotated[int, Field(ge=1, le=_MOST)]
Whole = Annotated[int, Field(ge=0, le=_MOST)]
Seed = Whole
MOST_RESAMPLES = 100_000
"""More of them make no interval better, and take forever."""
Resamples = Annotated[int, Field(ge=0, le=MOST_RESAMPLES)]
Share = Annotated[float, Field(ge=0, le=1)]
Device = Annotated[str, Field(pattern=r"^(auto|cpu|cuda(:[0-9]+)?)$")]


def checked_parameters(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a flow's function, in its types, with its defaults. Raises BadInput, in one sentence, for names
    that it does not have, for what is missing, and for values of other types or outside their ranges.
    """
    fields: dict[str, Any] = {
        name: (parameter.annotation, ... if parameter.default is Parameter.empty else parameter.default)
        for name, parameter in signature(function).parameters.items()
    }
    model = create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)
    return dict(settings_from_fields(model, given))
