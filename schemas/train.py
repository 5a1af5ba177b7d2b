"""Training a detector: every setting with its unit, range and reason. Defaults are PoPArt's where it gives a value."""

from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field, field_validator, model_validator

from schemas.base import Filled, Frozen, Name, Positive, Score
from schemas.detect import TORCHVISION
from schemas.manifests import Manifest
from schemas.phrases import quoted

Probability = Score


class Augment(Frozen):
    """The probability of each augmentation of a picture.

    PoPArt (3.1) gives the groups and their probabilities, nothing else. Of a group with two members one is chosen, both
    equally often. docs/training.md gives the strengths.
    """

    brightness_or_clahe: Probability = Field(
        0.2, description="Brightness and contrast, or contrast equalised tile by tile (CLAHE)"
    )
    shift_or_hue: Probability = Field(0.1, description="Each colour channel shifted, or hue, saturation and value")
    jpeg: Probability = Field(0.2, description="Compressed once more as JPEG")
    channel_shuffle: Probability = Field(0.1, description="The three channels in another order")
    blur: Probability = Field(0.1, description="A mean or a median over 3 x 3 px")
    flip: Probability = Field(0.0, description="Mirrored; not in PoPArt. 0.5 helps from random weights")


class TrainDetector(Frozen):
    """Training of one of torchvision's detectors on annotated figures."""

    model: str = Field("fasterrcnn_resnet50_fpn", description="A detector of torchvision by its name, or fcos_small")
    category: Filled = Field("person", description="The category of the figures to learn; all others are background")
    start: Name | None = Field(
        None, description="Binding of the start weights (trained on COCO, in PoPArt); none: random weights"
    )
    new_head: bool = Field(True, description="With start: replace the layers that score classes, as PoPArt does")
    batch_norm: Literal["auto", "train", "frozen"] = Field(
        "auto", description="frozen: keep those of `start`; auto: frozen if there is a start"
    )
    epochs: int = Field(12, ge=1, le=10_000, description="How often every image is used (PoPArt: 12)")
    batch: int = Field(4, ge=1, le=4096, description="Images in memory at once; halved if they do not fit on a GPU")
    accumulate: int = Field(
        4, ge=1, le=4096, description="Batches of one step: 4 x 4 = 16 images, as COCO's schedules assume"
    )
    optimizer: Literal["sgd", "adam", "adamw"] = Field(
        "sgd", description="PoPArt: sgd for ResNet-50, adam for transformers; adamw: weight_decay beside the gradient"
    )
    learning_rate: Annotated[float, Field(gt=0, le=1e30)] = Field(
        2e-4, description="The highest; PoPArt: 2e-4, and 2e-2 for its training on COCO before"
    )
    momentum: float = Field(0.9, ge=0, lt=1, description="Of SGD (PoPArt)")
    weight_decay: float = Field(1e-4, ge=0, le=1, description="PoPArt: 1e-4")
    schedule: Literal["steps", "cosine", "one_cycle"] = Field(
        "steps",
        description="steps: x 0.1 after each of decay_epochs; cosine: down as a cosine; one_cycle: up for "
        "15 % of the steps, then down as a cosine",
    )
    decay_epochs: tuple[Positive, ...] = Field(
        (8, 11), description="Epochs after which the rate falls to a tenth (PoPArt: 8 and 11)"
    )
    warm_up_steps: int = Field(
        500,
        ge=0,
        description="Steps in which the rate rises from a thousandth, for the sake of a new head; not for one_cycle",
    )
    clip: float = Field(10.0, gt=0, description="Largest norm of the gradient; a larger one is scaled down to it")
    least_side_px: int = Field(
        800, ge=32, le=4096, description="A picture is reduced until its shorter side has at most so many px ..."
    )
    most_side_px: int = Field(1333, ge=32, le=8192, description="... and its longer side so many (PoPArt: 1,333 x 800)")
    detect_scale: float = Field(
        1.0, ge=0.5, le=2, description="Sides of pictures in detection, as a multiple of those in training"
    )
    augment: Augment = Field(default_factory=Augment, description="Probabilities of augmentations")
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        "auto", description="Number format of the model's products; auto: bfloat16 on a GPU, float32 on a CPU"
    )
    threads: int = Field(
        2, ge=1, le=256, description="Threads on a CPU; part of the cache key, as they change the last bits"
    )
    evaluate_every: Positive = Field(
        1, description="Epochs from one evaluation to the next; the last is always evaluated"
    )
    checkpoint_every_steps: Positive = Field(
        500, description="Steps from checkpoint to checkpoint, the most that an interruption costs"
    )
    seed: int = Field(
        0, ge=0, lt=2**63, description="Seed of the random weights, of the order of images and of all random draws"
    )

    @field_validator("model")
    @classmethod
    def _check_model(cls, model: str) -> str:
        if model not in TORCHVISION:
            raise ValueError(f"expected one of {', '.join(TORCHVISION)}, got {quoted(model)}")
        return model

    @model_validator(mode="after")
    def _check_combinations(self) -> Self:
        if self.least_side_px > self.most_side_px:
            raise ValueError(f"expected least_side_px <= most_side_px, got {self.least_side_px} > {self.most_side_px}")
        if self.model.startswith(("mask", "keypoint")):
            raise ValueError(f"expected a detector of boxes, got {self.model}, which learns from outlines or keypoints")
        return self

    @property
    def detect_sides_px(self) -> tuple[int, int]:
        """Shorter and longer side of pictures in detection."""
        least, most = (min(8192, round(side * self.detect_scale)) for side in (self.least_side_px, self.most_side_px))
        return least, most


class TrainingTruth(NamedTuple):
    """One truth to train or to evaluate on: a release or a COCO file."""

    truth: str
    images: str | None
    """Folder of a COCO file's images; None: the file's own folder."""
    split: str | None
    """Only the images of this split; None: all."""


class TrainingData(NamedTuple):
    """The truths to train on, whose order changes nothing, and the one to evaluate on, if any."""

    truths: tuple[TrainingTruth, ...]
    evaluation: TrainingTruth | None


class TrainingProgress(Manifest):
    """Where a training stands: what a checkpoint holds beside the weights. Its rows are those of CURVES."""

    step: int = 0
    seconds: float = 0.0  # of all steps so far; in the curves, in no digest
    sums: dict[str, float] = Field(default_factory=dict)  # of each part of the loss since the last point of the curve
    count: int = 0
    rows: tuple[dict[str, Any], ...] = ()
    scores: tuple[dict[str, Any], ...] = ()

    def with_step(self, parts: dict[str, float], seconds: float) -> "TrainingProgress":
        """After one more step: its loss, part by part, and how long it took."""
        losses = {"loss": sum(parts.values()), **{f"loss/{name}": value for name, value in parts.items()}}
        sums = self.sums | {name: self.sums.get(name, 0.0) + value for name, value in losses.items()}
        changes = {"step": self.step + 1, "count": self.count + 1, "sums": sums, "seconds": self.seconds + seconds}
        return self.model_copy(update=changes)

    def with_point(self, rate: float) -> "TrainingProgress":
        """With a point of the curve: the means since the last one. The same if there was no step since."""
        if not self.count:
            return self
        means = {name: value / self.count for name, value in self.sums.items()}
        values = {**means, "learning_rate": rate, "s": self.seconds}
        return self.with_values(values).model_copy(update={"sums": {}, "count": 0})

    def with_values(self, values: dict[str, float]) -> "TrainingProgress":
        """With values of this step for the curves."""
        rows = [{"step": self.step, "name": name, "value": value} for name, value in values.items()]
        return self.model_copy(update={"rows": (*self.rows, *rows)})

    def mean(self, name: str, since_step: int) -> float:
        """Mean of the values of that name at the points after a step. Raises ValueError if there is none."""
        values = [float(row["value"]) for row in self.rows if row["name"] == name and row["step"] > since_step]
        if not values:
            raise ValueError(f"expected a value of {name} after step {since_step}, got none")
        return sum(values) / len(values)
