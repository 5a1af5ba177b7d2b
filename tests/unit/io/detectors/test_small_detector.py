"""fcos_small: one feature map of stride 8, as many weights as it says, and no published ones."""

import pytest
import torch

from tasks.io.detectors.small_detector import STRIDE_PX, Residual, fcos_small, layer


@pytest.mark.parametrize("asked", [{"weights": "DEFAULT"}, {"weights_backbone": "DEFAULT"}])
def test_there_are_no_published_weights(asked):
    with pytest.raises(ValueError, match="expected no weights"):
        fcos_small(**asked)


def test_it_is_as_small_as_it_says():
    weights = sum(value.numel() for value in fcos_small().parameters())
    assert 0.85e6 < weights < 0.95e6


@pytest.mark.parametrize(("side_px", "cells"), [(16, 2), (160, 20), (176, 22)])
def test_a_map_has_one_cell_for_each_stride(side_px, cells):
    model = fcos_small().eval()
    with torch.inference_mode():
        (found,) = model.backbone(torch.zeros(1, 3, side_px, 2 * side_px)).values()
    assert found.shape == (1, 64, cells, 2 * cells)
    assert side_px // cells == STRIDE_PX


@pytest.mark.parametrize("classes", [2, 3])
def test_heads_give_float32_of_each_class_whatever_is_around_them(classes):
    model = fcos_small(num_classes=classes).eval()
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        found = model.head([torch.zeros(1, 64, 2, 3)])
    assert {name: tuple(value.shape) for name, value in found.items()} == {
        "cls_logits": (1, 6, classes),
        "bbox_regression": (1, 6, 4),
        "bbox_ctrness": (1, 6, 1),
    }
    assert {value.dtype for value in found.values()} == {torch.float32}


def test_settings_may_be_given_as_torchvision_takes_them():
    model = fcos_small(min_size=96, max_size=128, score_thresh=0.4)
    assert (model.transform.min_size, model.transform.max_size, model.score_thresh) == ((96,), 128, 0.4)


def test_blocks_keep_or_divide_the_shape():
    maps = torch.zeros(2, 4, 8, 8)
    assert layer(4, 6, stride=2)(maps).shape == (2, 6, 4, 4)
    assert Residual(4)(maps).shape == maps.shape
    residual = Residual(4).eval()
    torch.nn.init.zeros_(residual.second[0].weight)
    assert torch.equal(residual(maps + 1), maps + 1), "the shortcut alone"
