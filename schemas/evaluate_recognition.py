"""evaluate recognition: how photographs of artworks are recognised among a museum's exhibits (The Met dataset)."""

from typing import Annotated, Literal, get_args

import pyarrow as pa
from pydantic import Field

from schemas.base import Frozen, Score

QueryType = Literal["met", "other_art", "non_art"]
QUERY_TYPES: tuple[QueryType, ...] = get_args(QueryType)

Ties = Literal["log_odds", "official"]

K = Annotated[int, Field(ge=1, le=1000)]
Temperature = Annotated[float, Field(gt=0, le=10_000)]
MET_K: tuple[int, ...] = (1, 2, 3, 5, 7, 10, 15, 20, 50)
MET_TEMPERATURES: tuple[float, ...] = (0.01, 0.1, 1, 5, 10, 15, 20, 25, 30, 50, 100, 500)

MOST_DIMENSIONS = 65_536
"""Of vectors that a whitening is learned from: its covariance is the square of this."""

PREDICTIONS = pa.schema(
    [
        ("system", pa.string()),
        ("id", pa.string()),  # of the query
        ("class", pa.string()),  # null: a distractor
        ("prediction", pa.string()),
        ("confidence", pa.float64()),
        ("nearest", pa.string()),  # the gallery image by which it was predicted; null: another program's
        ("is_right", pa.bool_()),
    ]
)
"""What each system says of each test query."""

GRID = pa.schema([("system", pa.string()), ("k", pa.int64()), ("tau", pa.float64()), ("gap", pa.float64())])
"""GAP on the validation queries of each pair that was tried; null where there were none."""


DISTRACTORS = pa.schema(
    [
        ("system", pa.string()),
        ("type", pa.string()),  # null: of all types
        ("share", pa.float64()),  # of the distractors of this type
        ("distractors", pa.int64()),
        ("gap", pa.float64()),  # null without a Met query
        ("low", pa.float64()),  # of the 95 % interval; null where it has none
        ("high", pa.float64()),
    ]
)
"""GAP of all Met queries and some of the distractors."""

SIZES = pa.schema(
    [
        ("system", pa.string()),
        ("images", pa.int64()),  # of the class in the gallery
        ("queries", pa.int64()),
        ("acc", pa.float64()),
        ("compared_with", pa.string()),  # the second system, in the rows of the first
        ("points", pa.float64()),  # acc less that of the other
        ("relative", pa.float64()),  # the same as a share of the other's acc; null where that is 0
    ]
)
"""ACC of the Met queries by how many images their class has in the gallery."""


class RecognitionSettings(Frozen):
    """The settings of an evaluation of instance recognition."""

    k: tuple[K, ...] = Field(
        MET_K,
        min_length=1,
        description="Numbers of nearest gallery images to try; with the temperatures, the pair with the highest GAP on "
        "the validation queries is used (The Met, A.1). A single number is used as it is",
    )
    tau: tuple[Temperature, ...] = Field(
        MET_TEMPERATURES,
        min_length=1,
        description="Temperatures of the softmax to try (The Met, A.1): the higher, the more the nearest class counts",
    )
    tune_distractors: Score = Field(
        1.0,
        description="Share of the validation set's distractors that are used to choose k and the temperature. 0: none, "
        "as in the last row of The Met's Table 4",
    )
    distractors: tuple[Score, ...] = Field(
        (0.0, 0.05, 0.1, 0.5, 1.0),
        description="Shares of the test set's distractors for which GAP is computed (The Met, Table 7); a larger share "
        "contains the smaller ones",
    )
    whiten: bool = Field(
        True,
        description="Whether to whiten the vectors by the principal components of the gallery's (The Met, section 3). "
        "False: they are only divided by their lengths, for vectors that are whitened already",
    )
    dimensions: int | None = Field(
        512,
        ge=1,
        le=MOST_DIMENSIONS,
        description="At most how many principal components are kept (The Met: 512); null: all. A gallery of few images "
        "has fewer",
    )
    ties: Ties = Field(
        "log_odds",
        description="How queries are ranked whose confidences are alike in 64 bits, as with a high temperature. "
        "log_odds: by the logarithm of their odds, which still differs; wrong predictions first where that is equal, "
        "too. official: by the confidence alone, as the authors' code does, equal ones in the order of their ids",
    )
    seed: int = Field(0, ge=0, description="Seed of the draw of distractors")
