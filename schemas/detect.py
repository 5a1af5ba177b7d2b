"""detect: the model, its weights and its classes. What depends on the model is filled in when a recipe is read."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from schemas.base import Name, Overlap, Score
from schemas.keypoints import DEFAULT
from schemas.phrases import quoted
from schemas.reasons import FAILURES_IN_BYTES
from schemas.stage import Stage, Surroundings

# the classes of COCO, by which most detectors are trained (Lin et al., 2014)
COCO_IDS = {
    1: "person", 2: "bicycle", 3: "car", 4: "motorcycle", 5: "airplane", 6: "bus", 7: "train", 8: "truck", 9: "boat",
    10: "traffic light", 11: "fire hydrant", 13: "stop sign", 14: "parking meter", 15: "bench", 16: "bird", 17: "cat",
    18: "dog", 19: "horse", 20: "sheep", 21: "cow", 22: "elephant", 23: "bear", 24: "zebra", 25: "giraffe",
    27: "backpack", 28: "umbrella", 31: "handbag", 32: "tie", 33: "suitcase", 34: "frisbee", 35: "skis",
    36: "snowboard", 37: "sports ball", 38: "kite", 39: "baseball bat", 40: "baseball glove", 41: "skateboard",
    42: "surfboard", 43: "tennis racket", 44: "bottle", 46: "wine glass", 47: "cup", 48: "fork", 49: "knife",
    50: "spoon", 51: "bowl", 52: "banana", 53: "apple", 54: "sandwich", 55: "orange", 56: "broccoli", 57: "carrot",
    58: "hot dog", 59: "pizza", 60: "donut", 61: "cake", 62: "chair", 63: "couch", 64: "potted plant", 65: "bed",
    67: "dining table", 70: "toilet", 72: "tv", 73: "laptop", 74: "mouse", 75: "remote", 76: "keyboard",
    77: "cell phone", 78: "microwave", 79: "oven", 80: "toaster", 81: "sink", 82: "refrigerator", 84: "book",
    85: "clock", 86: "vase", 87: "scissors", 88: "teddy bear", 89: "hair drier", 90: "toothbrush",
}  # fmt: skip
"""Category id of COCO's own files, and class index of torchvision's COCO models (0 is the background): 80 of 1..90."""

INDEX_OF_80 = {name: place for place, name in enumerate(COCO_IDS.values())}
"""Class index of models that number the 80 classes without gaps, from 0: YOLOX, FastestDet."""

INDEX_OF_91 = {name: number for number, name in COCO_IDS.items()}
"""Class index of models that number them as COCO does."""


Family = Literal["onnx", "torchvision", "hog", "results"]
TORCHVISION = (
    *("fasterrcnn_resnet50_fpn", "fasterrcnn_resnet50_fpn_v2"),
    *("fasterrcnn_mobilenet_v3_large_fpn", "fasterrcnn_mobilenet_v3_large_320_fpn"),
    *("retinanet_resnet50_fpn", "retinanet_resnet50_fpn_v2", "fcos_resnet50_fpn"),
    *("ssd300_vgg16", "ssdlite320_mobilenet_v3_large"),
    *("maskrcnn_resnet50_fpn", "maskrcnn_resnet50_fpn_v2", "keypointrcnn_resnet50_fpn", "fcos_small"),
)
WITH_KEYPOINTS = frozenset({"keypointrcnn_resnet50_fpn"})
"""Models that give COCO's 17 keypoints with each box."""
FAMILIES: dict[str, Family] = {
    **dict.fromkeys(("yolox", "yolov5", "yolov8", "fastestdet", "nanodet", "plain"), "onnx"),
    "hog": "hog",
    "results": "results",
    **dict.fromkeys(TORCHVISION, "torchvision"),
}
"""Every model that a recipe can name, and what runs it: its family."""

_INDEX: dict[str, dict[str, int]] = {
    **dict.fromkeys(("yolox", "yolov5", "yolov8", "fastestdet", "nanodet"), INDEX_OF_80),
    "plain": {},
    "hog": {"person": 0},
    "results": INDEX_OF_91,
}
"""Class index of each class name of a model; torchvision's are INDEX_OF_91. A plain model's classes have no names."""
_NMS_IOU = {
    **dict.fromkeys(("yolov5", "fastestdet", "ssd300_vgg16"), 0.45),
    **dict.fromkeys(("nanodet", "fcos_resnet50_fpn", "fcos_small"), 0.6),
    **dict.fromkeys(("yolox", "plain"), 0.65),
    "ssdlite320_mobilenet_v3_large": 0.55,
    "yolov8": 0.7,
    "results": 1.0,
}
"""Each model's own default; 0.5 for the others."""


def _or_names(schema: dict[str, Any]) -> None:
    """Allow a list of names in the place of a mapping, as `_fill_in` does."""
    mapping = {name: schema.pop(name) for name in ("type", "additionalProperties", "minProperties") if name in schema}
    schema["anyOf"] = [mapping, {"type": "array", "items": {"type": "string"}, "minItems": 1}]


class Detect(Stage):
    """Measure each blob with a detector; all boxes above a low score are stored, and nothing is dropped for them."""

    step_kind = "measure"
    after = ("fetch",)
    is_single = True
    reasons = FAILURES_IN_BYTES

    stage: Literal["detect"] = "detect"
    model: str = Field(
        description="An ONNX file by its layout (yolox, yolov5, yolov8, fastestdet, nanodet, plain), a detector of "
        "torchvision by its name, hog, or results: boxes that another program has found, in COCO's results format "
        "(docs/detectors.md)",
        json_schema_extra={"enum": [*FAMILIES]},
    )
    weights: Name | None = Field(
        "weights", description="The binding that gives the file, whose SHA-256 is part of the cache key. hog has none"
    )
    weights_sha256: str | None = Field(
        None, pattern=r"^[0-9a-f]{64}$", description="If given, a file with other bytes is refused"
    )
    images: Name | None = Field(
        None, description="For results: the binding of the COCO file that its image ids refer to"
    )
    classes: dict[str, Annotated[int, Field(ge=0)]] = Field(
        default_factory=dict,
        min_length=1,
        validate_default=False,
        description="Category: the model's class index, or a list of COCO's names; by default person",
        json_schema_extra=_or_names,
    )
    least_score: Score = Field(
        0.01, description="Boxes below are not stored: they only lengthen the tail of a precision-recall curve"
    )
    nms_iou: Overlap = Field(
        0.5,
        description="Of two boxes of a class whose IoU is higher, the one with the lower score is removed; by default "
        "the model's own",
    )
    at_most: int = Field(100, ge=1, le=10_000, description="Boxes stored per image, best first (COCO's maxDets)")
    least_side_px: int = Field(
        800, ge=32, le=4096, description="torchvision: a picture is scaled until its shorter side has so many px ..."
    )
    most_side_px: int = Field(
        1333, ge=32, le=8192, description="... or its longer side so many (PoPArt, section 3.1: 1,333 x 800)"
    )

    @field_validator("model")
    @classmethod
    def _check_model(cls, model: str) -> str:
        if model not in FAMILIES:
            raise ValueError(f"expected one of {', '.join(FAMILIES)}, got {quoted(model)}")
        return model

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, settings: Any) -> Any:
        """Missing settings get the model's own defaults; classes by name get their indices."""
        model = settings.get("model") if isinstance(settings, dict) else None
        if not isinstance(model, str) or model not in FAMILIES:
            return settings
        family = FAMILIES[model]
        index = _INDEX.get(model, INDEX_OF_91)
        own = {"classes": {"person": index.get("person", 0)}, "nms_iou": _NMS_IOU.get(model, 0.5)}
        filled = {**own, **({"weights": None} if family == "hog" else {}), **settings}
        if isinstance(filled["classes"], list | tuple):
            filled["classes"] = _indices(filled["classes"], model, index)
        return filled

    @model_validator(mode="after")
    def _check_combinations(self) -> "Detect":
        if len({*self.classes.values()}) < len(self.classes):
            raise ValueError(f"expected each class index under one name, got {quoted(self.classes)}")
        if (self.weights is None) != (self.family == "hog"):
            raise ValueError(f"expected {'no weights' if self.family == 'hog' else 'weights'} for {self.model}")
        if self.family == "hog" and len(self.classes) > 1:
            raise ValueError(f"expected one class for hog, got {len(self.classes)}")
        if (self.images is None) == (self.family == "results"):
            raise ValueError(
                f"expected images for results and for nothing else, got images={self.images} for {self.model}"
            )
        if self.least_side_px > self.most_side_px:
            raise ValueError(f"expected least_side_px <= most_side_px, got {self.least_side_px} > {self.most_side_px}")
        return self

    @property
    def uses(self) -> tuple[str, ...]:
        """The bindings of its weights and images."""
        return tuple(name for name in (self.weights, self.images) if name)

    @property
    def looked_for(self) -> tuple[str, ...]:
        """Its classes."""
        return tuple(self.classes)

    def problems(self, where: str, around: Surroundings) -> Iterator[str]:
        """Categories with other keypoints than the detector finds."""
        for entry in around.categories if self.model in WITH_KEYPOINTS else ():
            if entry.name in self.classes and entry.keypoints != DEFAULT:
                yield (
                    f"{where}: expected categories with the keypoints {DEFAULT}, which {self.model} finds, got "
                    f"{quoted(entry.name)} with {quoted(entry.keypoints)}"
                )

    @property
    def family(self) -> Family:
        """What runs the model."""
        return FAMILIES[self.model]


def _indices(names: list[Any] | tuple[Any, ...], model: str, index: dict[str, int]) -> dict[str, int]:
    unknown = [name for name in names if not isinstance(name, str) or name not in index]
    if unknown and not index:
        given = quoted(list(names))
        raise ValueError(f"expected classes as name: index, since {model} models give no names, got {given}")
    if unknown:
        known = ", ".join(index) if len(index) < 5 else "the names of COCO's 80 classes"
        raise ValueError(f"expected {known} in classes of {model}, got {quoted(unknown[0])}")
    return {name: index[name] for name in names}
