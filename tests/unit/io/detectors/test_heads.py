"""The heads of torchvision's models: limits by the recipe, and scores in float32 whatever is around them."""

import pytest
import torch
from torch import nn
from torchvision.models import detection
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.image_list import ImageList

from schemas.detect import Detect
from tasks.io.detectors import heads
from tests.support.models import small

TINY = {"weights": None, "weights_backbone": None, "min_size": 64, "max_size": 96}


def fasterrcnn(classes: int = 2) -> nn.Module:
    return detection.fasterrcnn_mobilenet_v3_large_320_fpn(num_classes=classes, **TINY).eval()


def ssdlite() -> nn.Module:
    return detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=4).eval()


@pytest.mark.parametrize(("make", "classes"), [(small, 2), (fasterrcnn, 2), (ssdlite, 4)])
def test_classes_are_counted_with_the_background(make, classes):
    assert heads.count_classes(make()) == classes


@pytest.mark.parametrize(("classes", "boxes"), [(2, 7), (3, 7000)])
def test_a_model_of_several_classes_returns_more_boxes_since_others_are_left_out(classes, boxes):
    model = fasterrcnn(classes)
    heads.set_limits(model, Detect(model="fasterrcnn_resnet50_fpn_v2", at_most=7, nms_iou=0.3, least_score=0.2))
    found = model.roi_heads
    assert (found.score_thresh, found.nms_thresh, found.detections_per_img) == (0.2, 0.3, boxes)
    assert found.mask_predictor is None


def test_a_layer_computes_in_float32_inside_of_autocast():
    layer = nn.Linear(2, 1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert layer(torch.ones(1, 2)).dtype == torch.bfloat16
        assert heads.Float32Layer(layer)(torch.ones(1, 2, dtype=torch.bfloat16)).dtype == torch.float32


def test_anchors_of_bfloat16_maps_are_float32():
    own = AnchorGenerator(((601,),), ((1.0,),))
    images = ImageList(torch.zeros(1, 3, 1200, 1200), [(1200, 1200)])
    maps = [torch.zeros(1, 1, 2, 2, dtype=torch.bfloat16)]
    (found,) = heads.Float32Anchors(own)(images, maps)
    assert found.dtype == torch.float32
    (wanted,) = own(images, [maps[0].float()])
    torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("make", [small, fasterrcnn, ssdlite])
def test_layers_are_wrapped_once_however_often_one_asks(make):
    model = make()
    heads.compute_outputs_in_float32(model)
    wrapped = [name for name, module in model.named_modules() if isinstance(module, heads.Float32Layer)]
    assert wrapped
    heads.compute_outputs_in_float32(model)
    again = [name for name, module in model.named_modules() if isinstance(module, heads.Float32Layer)]
    if make is not ssdlite:
        assert again == wrapped
    assert len([1 for module in model.modules() if isinstance(module, heads.Float32Anchors)]) <= 1


def test_for_training_names_stay_and_outputs_are_float32():
    model = small().train()
    names = [*model.state_dict()]
    heads.cast_outputs_to_float32(model)
    assert [*model.state_dict()] == names
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model.head.classification_head.cls_logits(torch.ones(1, 64, 2, 2))
    assert logits.dtype == torch.float32


def test_scales_of_pooling_are_the_strides_whatever_picture_comes_first():
    model = fasterrcnn()
    assert model.roi_heads.box_roi_pool.scales is None
    heads.fix_pooling_scales(model)
    fixed = list(model.roi_heads.box_roi_pool.scales)
    assert fixed == [1 / 32, 1 / 32] or all((1 / scale).is_integer() for scale in fixed)
    heads.fix_pooling_scales(model)
    assert list(model.roi_heads.box_roi_pool.scales) == fixed


def test_a_model_that_pools_nothing_is_left_alone():
    model = small()
    heads.fix_pooling_scales(model)
    assert not any(hasattr(module, "scales") for module in model.modules())
