"""detect in a recipe: what is filled in for each model, and what holds together."""

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.detect import COCO_IDS, FAMILIES, INDEX_OF_80, INDEX_OF_91, Detect


def said(model: str) -> dict[str, Any]:
    return {"model": model, **({"images": "listed"} if model == "results" else {})}


@pytest.mark.parametrize(
    ("model", "person", "nms_iou", "weights"),
    [
        ("yolox", 0, 0.65, "weights"),
        ("fastestdet", 0, 0.45, "weights"),
        ("yolov5", 0, 0.45, "weights"),
        ("yolov8", 0, 0.7, "weights"),
        ("plain", 0, 0.65, "weights"),
        ("hog", 0, 0.5, None),
        ("results", 1, 1.0, "weights"),
        ("fasterrcnn_resnet50_fpn_v2", 1, 0.5, "weights"),
        ("fcos_small", 1, 0.6, "weights"),
    ],
)
def test_what_is_not_said_is_the_models_own(model: str, person: int, nms_iou: float, weights: str | None):
    settings = Detect.model_validate(said(model))
    assert (settings.classes, settings.nms_iou, settings.weights) == ({"person": person}, nms_iou, weights)


@pytest.mark.parametrize("model", FAMILIES)
def test_written_out_and_read_again_it_is_the_same(model: str):
    settings = Detect.model_validate({**said(model), "label": "detect"})
    assert Detect.model_validate_json(settings.model_dump_json()) == settings


@pytest.mark.parametrize(
    ("model", "names", "expected"),
    [
        ("yolox", ["person"], {"person": 0}),
        ("yolox", ["dog", "person"], {"dog": 16, "person": 0}),
        ("fastestdet", ["toothbrush"], {"toothbrush": 79}),
        ("results", ["dog"], {"dog": 18}),
        ("fcos_resnet50_fpn", ["toothbrush", "person"], {"toothbrush": 90, "person": 1}),
        ("hog", ["person"], {"person": 0}),
    ],
)
def test_classes_may_be_names_and_are_written_out_with_their_index(
    model: str, names: list[str], expected: dict[str, int]
):
    assert Detect.model_validate({**said(model), "classes": names}).classes == expected


def test_cocos_names_are_eighty_of_ninety():
    assert len(COCO_IDS) == len(INDEX_OF_80) == len(INDEX_OF_91) == 80
    assert (min(COCO_IDS), max(COCO_IDS)) == (1, 90)
    assert sorted({*range(1, 91)} - {*COCO_IDS}) == [12, 26, 29, 30, 45, 66, 68, 69, 71, 83]
    assert list(INDEX_OF_80.values()) == list(range(80))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"model": "yolo"},
            "expected one of yolox, yolov5, yolov8, fastestdet, nanodet, plain, hog, results, .*, got 'yolo'",
        ),
        (
            {"model": "yolox", "classes": ["angel"]},
            "expected the names of COCO's 80 classes in classes of yolox, got 'angel'",
        ),
        ({"model": "yolox", "classes": [0]}, "in classes of yolox, got 0"),
        (
            {"model": "plain", "classes": ["person"]},
            "expected classes as name: index, since plain models give no names",
        ),
        ({"model": "hog", "classes": ["dog"]}, "expected person in classes of hog, got 'dog'"),
        ({"model": "yolox", "classes": []}, "at least 1 item"),
        (
            {"model": "yolox", "classes": {"a": 1, "b": 1}},
            "expected each class index under one name, got {'a': 1, 'b': 1}",
        ),
        ({"model": "hog", "weights": "w"}, "expected no weights for hog"),
        ({"model": "hog", "classes": {"person": 0, "dog": 1}}, "expected one class for hog, got 2"),
        ({"model": "yolox", "weights": None}, "expected weights for yolox"),
        ({"model": "results"}, "expected images for results and for nothing else, got images=None for results"),
        ({"model": "yolox", "images": "x"}, "expected images for results and for nothing else, got images=x for yolox"),
        ({"model": "fcos_small", "least_side_px": 900, "most_side_px": 800}, "expected least_side_px <= most_side_px"),
    ],
    ids=str,
)
def test_what_does_not_hold_together_is_refused(changes: dict[str, Any], sentence: str):
    with pytest.raises(ValidationError, match=sentence):
        Detect.model_validate(changes)
