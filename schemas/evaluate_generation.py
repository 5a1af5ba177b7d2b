"""evaluate generation: how the images of a generator are compared with a reference set, and the tables of it."""

import pyarrow as pa
from pydantic import Field

from schemas.base import Frozen, Score

LARGEST_SEED = 2**32 - 1
"""Of numpy's RandomState, whose draws torch-fidelity uses too."""

GENERATION_SCORES = pa.schema(
    [
        ("system", pa.string()),
        ("class", pa.string()),  # null: all classes together
        ("metric", pa.string()),
        ("value", pa.float64()),  # null: not defined for so few images
        ("sd", pa.float64()),  # over subsets (KID) or parts (Inception score); null for all others
        ("low", pa.float64()),  # the 95 % interval of a mean over samples
        ("high", pa.float64()),
        ("ahead_of", pa.string()),  # null: the generator's own value; else that it is compared with
        ("samples", pa.int64()),
        ("reference", pa.int64()),  # how many images; null where a metric does not look at them
    ]
)
NEIGHBOURS = pa.schema(
    [
        ("system", pa.string()),
        ("sample_id", pa.string()),
        ("rank", pa.int32()),
        ("training_id", pa.string()),
        ("similarity", pa.float32()),
    ]
)
"""The training images that are nearest to each sample, rank 1 first."""


class GenerationSettings(Frozen):
    """The settings of a comparison of generators with a reference set."""

    kid_subsets: int = Field(100, ge=1, le=100_000, description="KID is the mean over so many random subsets")
    kid_subset_size: int = Field(
        1000,
        ge=2,
        le=100_000,
        description="How many images of each set a subset has; of fewer there is no KID",
    )
    parts: int = Field(
        10, ge=1, le=100_000, description="The Inception score is the mean over so many parts of the samples"
    )
    shuffle: bool = Field(
        True,
        description="Shuffle the samples before they are cut into parts. If not, samples that are sorted by class have "
        "a score that is too low",
    )
    seed: int = Field(
        2020,
        ge=0,
        le=LARGEST_SEED,
        description="Seed of KID's subsets and of the shuffle; 2020 draws as torch-fidelity does by default",
    )
    neighbours: int = Field(
        3, ge=1, le=1000, description="k of precision and recall: a ball reaches to the k-th nearest neighbour"
    )
    density_neighbours: int = Field(5, ge=1, le=1000, description="k of density and coverage")
    training_neighbours: int = Field(
        7,
        ge=1,
        le=1000,
        description="How many of the nearest training images stand beside each sample (ArtBench, 4.4)",
    )
    copy_similarity: Score = Field(
        0.95, description="A sample counts as a copy if a training image has a cosine similarity of at least this"
    )
