"""evaluate: recognition of exhibits (The Met), sketches (SketchRef), classifiers (ArtBench, Fig. 5), and generators."""

from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from schemas.base import Filled, Frozen, Score, Some
from schemas.evaluate_figures import Sigma
from schemas.phrases import quoted
from schemas.tables import schema

QueryType = Literal["met", "other_art", "non_art"]
QUERY_TYPES: tuple[QueryType, ...] = get_args(QueryType)

Ties = Literal["log_odds", "official"]

K = Annotated[int, Field(ge=1, le=1000)]
Many = Annotated[int, Field(ge=1, le=100_000)]
Scale = Annotated[int, Field(ge=2, le=100)]
Temperature = Annotated[float, Field(gt=0, le=10_000)]
MET_K: tuple[int, ...] = (1, 2, 3, 5, 7, 10, 15, 20, 50)
MET_TEMPERATURES: tuple[float, ...] = (0.01, 0.1, 1, 5, 10, 15, 20, 25, 30, 50, 100, 500)

MOST_DIMENSIONS = 65_536
"""Of vectors that a whitening is learned from: its covariance is the square of this."""

PREDICTIONS = schema(
    "system",
    "id",  # of the query
    "class prediction confidence",  # class: null: a distractor
    "nearest",  # the gallery image by which it was predicted; null: another program's
    "is_right",
)
"""What each system says of each test query."""

GRID = schema("system k tau gap")
"""GAP on the validation queries of each pair that was tried; null where there were none."""

DISTRACTORS = schema(
    "system",
    "type",  # null: of all types
    "share distractors",  # share: of the distractors of this type
    "gap",  # null without a Met query
    "low high",  # of the 95 % interval; null where it has none
)
"""GAP of all Met queries and some of the distractors."""

SIZES = schema(
    "system images queries acc",  # images: of the class in the gallery
    "compared_with",  # the second system, in the rows of the first
    "points",  # acc less that of the other
    "relative",  # the same as a share of the other's acc; null where that is 0
)
"""ACC of the Met queries by how many images their class has in the gallery."""


class RecognitionSettings(Frozen):
    """The settings of an evaluation of instance recognition."""

    k: Some[K] = Field(
        MET_K,
        description="Numbers of nearest gallery images to try; with the temperatures, the pair with the highest GAP on "
        "the validation queries is used (The Met, A.1). A single number is used as it is",
    )
    tau: Some[Temperature] = Field(
        MET_TEMPERATURES,
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
    dimensions: Annotated[int, Field(ge=1, le=MOST_DIMENSIONS)] | None = Field(
        512,
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


Sigmas = Filled | Sigma | tuple[Sigma, ...]
"""Of a subset's joints: the name of a set, one sigma for all joints, or one for each."""


STROKES = schema(
    "method subset metric strokes",  # metric: mOKS or S_CLIP
    "mean",  # null: no photo has all numbers of strokes
    "rises falls",  # share of photos whose score is higher, or lower, than at the number before; null at the first
    "rises_throughout rho rho_photos photos",  # of the whole study
    "left_out",  # photos that lack some number of strokes
)
"""Scores by number of strokes, for each method, subset and metric."""


class SketchSettings(Frozen):
    """The settings of an evaluation of sketches. Defaults are SketchRef's where the paper gives a value."""

    alphas: tuple[Annotated[float, Field(ge=0, le=1e6)], ...] = Field(
        (0.75, 1.75),
        max_length=20,
        description="Simplicity ratios: mRS and mRC at alpha are means over the sketches with a larger one "
        "(SketchRef: 0.75 and 1.75)",
    )
    clip_scale: float = Field(
        2.5,
        gt=0,
        le=1000,
        description="S_CLIP is the cosine times this. The paper prints 63 to 73 % and names no factor; raw cosines are "
        "about 0.25 to 0.29, which fits CLIPScore's 2.5",
    )
    sigmas: dict[str, Sigmas] = Field(
        {"body": "coco-17", "animal": "animal-20-guessed", "face": 0.025},
        description="For each subset the sigmas of its joints, by which OKS judges distances: coco-17, "
        "animal-20-guessed, one number for all joints, or a list with one for each. The paper gives none: those of "
        "faces and animals are guesses",
    )
    highest_rating: Scale = Field(5, description="Recognisability is rated from 1 to this, the best (SketchRef: 5)")
    places: Scale = Field(
        5,
        description="Simplicity is ranked from 1, the simplest, to this; the first place weighs this much, the last 1 "
        "(SketchRef, Eq. 6: 5)",
    )

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        _check_each_once("alphas", self.alphas)
        return self


def _check_each_once(name: str, values: tuple[object, ...]) -> None:
    if len(set(values)) < len(values):
        raise ValueError(f"{name}: expected each once, got {quoted(list(values))}")


MOST_CLASSES = 20_000
"""Of all classifiers of an evaluation together."""

CLASS_SCORES = schema(
    "classifier class",
    "precision",  # null: the class is never predicted
    "recall",  # null: it has no images
    "f1",  # null: neither
    "images predictions",
)
"""How well each classifier names each class."""

CONFUSION = schema("classifier true_class predicted_class images")
"""How many images of a class each classifier takes for which, where there are any."""


class ClassificationSettings(Frozen):
    """The settings of an evaluation of classifiers."""

    top: tuple[K, ...] = Field(
        (5,),
        max_length=20,
        description="For each number k: the share of images whose true class is among the k most probable ones. Needs "
        "probabilities",
    )
    classes: tuple[Filled, ...] = Field(
        (),
        max_length=MOST_CLASSES,
        description="The names of all classes. With probabilities they are needed, in the order of the probabilities; "
        "without, classes that have neither an image nor a prediction can be added",
    )

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        _check_each_once("top", self.top)
        _check_each_once("classes", self.classes)
        return self


LARGEST_SEED = 2**32 - 1
"""Of numpy's RandomState, whose draws torch-fidelity uses too."""

GENERATION_SCORES = schema(
    "system",
    "class",  # null: all classes together
    "metric",
    "value",  # null: not defined for so few images
    "sd",  # over subsets (KID) or parts (Inception score); null for all others
    "low high",  # the 95 % interval of a mean over samples
    "ahead_of",  # null: the generator's own value; else that it is compared with
    "samples",
    "reference",  # how many images; null where a metric does not look at them
)
NEIGHBOURS = schema("system sample_id rank training_id similarity")
"""The training images that are nearest to each sample, rank 1 first."""


class GenerationSettings(Frozen):
    """The settings of a comparison of generators with a reference set."""

    kid_subsets: Many = Field(100, description="KID is the mean over so many random subsets")
    kid_subset_size: Annotated[int, Field(ge=2, le=100_000)] = Field(
        1000, description="How many images of each set a subset has; of fewer there is no KID"
    )
    parts: Many = Field(10, description="The Inception score is the mean over so many parts of the samples")
    shuffle: bool = Field(
        True,
        description="Shuffle the samples before they are cut into parts. If not, samples that are sorted by class have "
        "a score that is too low",
    )
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)] = Field(
        2020, description="Seed of KID's subsets and of the shuffle; 2020 draws as torch-fidelity does by default"
    )
    neighbours: K = Field(3, description="k of precision and recall: a ball reaches to the k-th nearest neighbour")
    density_neighbours: K = Field(5, description="k of density and coverage")
    training_neighbours: K = Field(
        7,
        description="How many of the nearest training images stand beside each sample (ArtBench, 4.4)",
    )
    copy_similarity: Score = Field(
        0.95, description="A sample counts as a copy if a training image has a cosine similarity of at least this"
    )
