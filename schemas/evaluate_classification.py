"""evaluate: how classifiers are scored (ArtBench, Fig. 5)."""

from typing import Annotated, Self

import pyarrow as pa
from pydantic import Field, model_validator

from schemas.base import Frozen
from schemas.phrases import quoted

MOST_CLASSES = 20_000
"""Of all classifiers of an evaluation together."""

CLASS_SCORES = pa.schema(
    [
        ("classifier", pa.string()),
        ("class", pa.string()),
        ("precision", pa.float64()),  # null: the class is never predicted
        ("recall", pa.float64()),  # null: it has no images
        ("f1", pa.float64()),  # null: neither
        ("images", pa.int64()),
        ("predictions", pa.int64()),
    ]
)
"""How well each classifier names each class."""

CONFUSION = pa.schema(
    [
        ("classifier", pa.string()),
        ("true_class", pa.string()),
        ("predicted_class", pa.string()),
        ("images", pa.int64()),
    ]
)
"""How many images of a class each classifier takes for which, where there are any."""


class ClassificationSettings(Frozen):
    """The settings of an evaluation of classifiers."""

    top: tuple[Annotated[int, Field(ge=1, le=1000)], ...] = Field(
        (5,),
        max_length=20,
        description="For each number k: the share of images whose true class is among the k most probable ones. Needs "
        "probabilities",
    )
    classes: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        (),
        max_length=MOST_CLASSES,
        description="The names of all classes. With probabilities they are needed, in the order of the probabilities; "
        "without, classes that have neither an image nor a prediction can be added",
    )

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        for name, values in (("top", self.top), ("classes", self.classes)):
            if len(set(values)) < len(values):
                raise ValueError(f"{name}: expected each once, got {quoted(list(values))}")
        return self
