"""The heads of torchvision's detectors: limits, classes, and which layers are computed in float32."""

import copy
import functools

import pytest
import torch
from torch import nn
from torchvision.models import detection
from torchvision.models.detection.image_list import ImageList
from torchvision.ops import MultiScaleRoIAlign

from schemas.detect import Detect
from tasks.io.detectors import loading, torchvision_models
from tests.support.models import small

pytestmark = pytest.mark.slow

FASTER, LITE = "fasterrcnn_mobilenet_v3_large_320_fpn", "ssdlite320_mobilenet_v3_large"


@functools.cache
def _built(name: str, classes: int) -> nn.Module:
    return torchvision_models.build(name, classes, 64, 64)


def built(name: str, classes: int = 2) -> nn.Module:
    """A model for this test alone; building some takes seconds."""
    return copy.deepcopy(_built(name, classes))


def names_of(model: nn.Module, kind: type) -> set[str]:
    return {name for name, module in model.named_modules() if isinstance(module, kind)}


# --- limits and classes


def test_a_model_of_one_class_returns_as_many_boxes_as_the_recipe_keeps():
    model = small()
    loading.set_limits(model, Detect(model="fcos_small", at_most=7, nms_iou=0.3, least_score=0.2))
    assert (model.detections_per_img, model.nms_thresh, model.score_thresh) == (7, 0.3, 0.2)


@pytest.mark.parametrize(("classes", "expected"), [(1, 7), (2, 7000), (5, 7000)])
def test_a_model_of_other_classes_too_does_not_spend_its_boxes_on_them(classes, expected):
    model = built("fcos_small", classes)
    loading.set_limits(model, Detect(model="fcos_small", at_most=7))
    assert model.detections_per_img == expected


def test_limits_of_a_model_of_two_stages_are_set_in_its_second_and_it_draws_no_masks():
    model = built(FASTER)
    model.roi_heads.mask_roi_pool = model.roi_heads.mask_head = model.roi_heads.mask_predictor = nn.Identity()
    assert model.roi_heads.has_mask()
    loading.set_limits(model, Detect(model=FASTER, at_most=3, nms_iou=1, least_score=0))
    second = model.roi_heads
    assert (second.detections_per_img, second.nms_thresh, second.score_thresh) == (3000, 1, 0)
    assert not second.has_mask()
    assert model.rpn.nms_thresh == 0.7  # torchvision's own


@pytest.mark.parametrize("name", [FASTER, LITE, "fcos_small", "retinanet_resnet50_fpn"])
def test_every_kind_of_head_tells_its_classes(name):
    assert loading.count_classes(built(name)) == 3


def test_a_head_of_one_class_has_two_with_the_background():
    assert loading.count_classes(small()) == 2


# --- float32 layers


def test_a_float32_layer_is_exact_whatever_stands_around_it():
    layer = nn.Linear(1, 1, bias=False)
    nn.init.constant_(layer.weight, 1.001)  # in bfloat16 this is 1
    values = torch.ones(1, 1)
    with torch.autocast("cpu", torch.bfloat16):
        rough, exact = layer(values), loading.Float32Layer(layer)(values.bfloat16())
        assert torch.is_autocast_enabled("cpu")
    assert (rough.dtype, rough.item()) == (torch.bfloat16, 1.0)
    assert exact.dtype == torch.float32
    assert exact.item() == pytest.approx(1.001, abs=1e-6)


def test_anchors_lie_where_they_should_whatever_the_precision_of_the_maps():
    generator = detection.anchor_utils.AnchorGenerator(((8,),), ((1.0,),))
    images, maps = ImageList(torch.empty((1, 3, 800, 1344)), [(800, 1344)]), torch.zeros((1, 4, 100, 168))
    (exact,), (rough,) = generator(images, [maps]), generator(images, [maps.bfloat16()])
    assert (exact - rough).abs().max() == 4  # why: px, at the far end of the canvas
    (ours,) = loading.Float32Anchors(generator)(images, [maps.bfloat16()])
    assert torch.equal(ours, exact)


def test_an_anchor_of_one_cell_is_centred_on_its_corner():
    generator = loading.Float32Anchors(detection.anchor_utils.AnchorGenerator(((8,),), ((1.0,),)))
    images = ImageList(torch.empty((1, 3, 16, 16)), [(16, 16)])
    (anchors,) = generator(images, [torch.zeros((1, 4, 1, 2)).bfloat16()])
    assert anchors.tolist() == [[-4, -4, 4, 4], [4, -4, 12, 4]]
    assert anchors.dtype == torch.float32


@pytest.mark.parametrize(
    ("name", "layers"),
    [
        pytest.param(
            "fcos_small",
            {
                "head.classification_head.cls_logits",
                "head.regression_head.bbox_reg",
                "head.regression_head.bbox_ctrness",
            },
            id="fcos",
        ),
        pytest.param(
            "retinanet_resnet50_fpn",
            {"head.classification_head.cls_logits", "head.regression_head.bbox_reg"},
            id="retinanet",
        ),
        pytest.param(
            FASTER,
            {
                "rpn.head.cls_logits",
                "rpn.head.bbox_pred",
                "roi_heads.box_predictor.cls_score",
                "roi_heads.box_predictor.bbox_pred",
            },
            id="faster r-cnn: both stages",
        ),
        pytest.param(
            LITE,
            {
                f"head.{which}_head.module_list.{place}"
                for which in ("classification", "regression")
                for place in range(6)
            },
            id="ssd: a layer for each map",
        ),
    ],
)
def test_layers_that_return_scores_and_boxes_are_wrapped_once_and_no_others(name, layers):
    model = built(name)
    loading.compute_outputs_in_float32(model)
    assert names_of(model, loading.Float32Layer) == layers
    assert len(names_of(model, loading.Float32Anchors)) == 1


def test_wrapped_twice_is_wrapped_once():
    once, twice = small(), small()
    loading.compute_outputs_in_float32(once)
    for _ in range(2):
        loading.compute_outputs_in_float32(twice)
    assert list(once.state_dict()) == list(twice.state_dict())
    assert names_of(twice, loading.Float32Anchors) == {"anchor_generator"}


def test_a_model_without_such_layers_stays_as_it_is():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    loading.compute_outputs_in_float32(model)
    loading.cast_outputs_to_float32(model)
    loading.fix_pooling_scales(model)
    assert [type(layer) for layer in model] == [nn.Linear, nn.ReLU]


def test_in_float32_wrapped_layers_change_no_bit():
    plain, wrapped = small(), small()
    loading.compute_outputs_in_float32(wrapped)
    picture = torch.rand(3, 64, 64, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        (one,), (other,) = plain([picture]), wrapped([picture])
    assert len(one["scores"]) > 0
    assert all(torch.equal(one[name], other[name]) for name in ("boxes", "scores", "labels"))


# --- for training


@pytest.mark.parametrize("name", ["fcos_small", FASTER, LITE])
def test_for_training_weights_keep_their_names_and_only_anchors_are_wrapped(name):
    model = built(name)
    before = list(model.state_dict())
    loading.cast_outputs_to_float32(model)
    assert list(model.state_dict()) == before
    assert names_of(model, loading.Float32Layer) == set()
    assert len(names_of(model, loading.Float32Anchors)) == 1


def test_for_training_outputs_are_cast_and_layers_keep_their_precision():
    model = small()
    loading.cast_outputs_to_float32(model)
    seen = {}
    layers = {"cls_logits": model.head.classification_head, "bbox_reg": model.head.regression_head}
    for name, head in layers.items():
        getattr(head, name).register_forward_hook(lambda _layer, _given, output, name=name: seen.update({name: output}))
    with torch.autocast("cpu", torch.bfloat16):
        model.head([torch.randn(1, 64, 2, 2)])
    assert {name: output.dtype for name, output in seen.items()} == dict.fromkeys(layers, torch.float32)
    # float32 by their type, bfloat16 by their values
    assert torch.equal(seen["cls_logits"], seen["cls_logits"].bfloat16().float())


# --- pooling


def test_scales_of_the_pooling_are_those_of_the_strides_and_stay():
    model = built(FASTER).eval()
    assert model.roi_heads.box_roi_pool.scales is None
    loading.fix_pooling_scales(model)
    assert model.roi_heads.box_roi_pool.scales == [1 / 32, 1 / 32]
    with torch.inference_mode():
        model([torch.zeros(3, 4, 64)])  # much lower than its canvas
    assert model.roi_heads.box_roi_pool.scales == [1 / 32, 1 / 32]


def test_without_that_the_first_picture_decides_on_the_scales():
    """Why it is done: if this fails, torchvision has mended it."""
    model = built(FASTER).eval()
    with torch.inference_mode():
        model([torch.zeros(3, 4, 64)])
    assert model.roi_heads.box_roi_pool.scales != [1 / 32, 1 / 32]


def test_every_pooling_of_a_model_is_fixed():
    model = built(FASTER).eval()
    model.roi_heads.keypoint_roi_pool = MultiScaleRoIAlign(["0", "1"], 14, 2)
    loading.fix_pooling_scales(model)
    assert model.roi_heads.keypoint_roi_pool.scales == [1 / 32, 1 / 32]
