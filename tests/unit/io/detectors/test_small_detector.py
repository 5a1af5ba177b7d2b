"""fcos_small: its shapes and its size, its first boxes by hand, and what it refuses."""

import pytest
import torch
from torch import nn

from tasks.io.detectors.small_detector import STRIDE_PX, Residual, fcos_small, layer


@pytest.fixture(autouse=True)
def _same_weights():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield


@pytest.mark.parametrize(
    ("stride", "side", "expected"),
    [(1, 16, 16), (2, 16, 8), (4, 16, 4), (4, 1, 1)],
    ids=["same", "half", "4", "one px"],
)
def test_a_layer_divides_sides_by_its_stride(stride, side, expected):
    maps = layer(3, 5, 3, stride).eval()(torch.randn(2, 3, side, 2 * side))
    assert maps.shape == (2, 5, expected, -(-2 * side // stride))
    assert maps.min() >= 0


def test_a_block_whose_layers_give_zero_passes_on_what_is_positive():
    block = Residual(4).eval()
    nn.init.zeros_(block.second[0].weight)
    maps = torch.randn(1, 4, 3, 3)
    assert torch.equal(block(maps), maps.clamp(min=0))


def test_a_block_adds_its_layers_to_its_input():
    block = Residual(1).eval()
    for convolution in (block.first[0], block.second[0]):
        nn.init.zeros_(convolution.weight)
        convolution.weight.data[0, 0, 1, 1] = 3.0
    scale = 3.0 / (1 + 1e-5) ** 0.5  # batch norms of mean 0 and variance 1
    torch.testing.assert_close(block(torch.full((1, 1, 2, 2), 2.0)), torch.full((1, 1, 2, 2), 2 + 2 * scale**2))


@pytest.mark.parametrize("sides", [(16, 16), (32, 160), (160, 128)])
def test_the_map_has_an_eighth_of_the_sides(sides):
    (maps,) = fcos_small().eval().backbone(torch.randn(1, 3, *sides)).values()
    assert maps.shape == (1, 64, sides[0] // STRIDE_PX, sides[1] // STRIDE_PX)


def test_sides_that_are_no_multiples_of_16_do_not_go_through():
    with pytest.raises(RuntimeError, match="must match"):
        fcos_small().eval().backbone(torch.randn(1, 3, 24, 32))


def test_it_has_0_9_million_weights():
    assert 850_000 <= sum(weights.numel() for weights in fcos_small().parameters()) < 950_000


@pytest.mark.parametrize("classes", [2, 91])
def test_a_cell_has_a_score_for_each_class_one_box_and_one_centre_ness(classes):
    model = fcos_small(num_classes=classes).eval()
    outputs = model.head([torch.randn(2, 64, 3, 5)])
    assert {name: tuple(output.shape) for name, output in outputs.items()} == {
        "cls_logits": (2, 15, classes),
        "bbox_regression": (2, 15, 4),
        "bbox_ctrness": (2, 15, 1),
    }


def test_outputs_are_float32_though_the_layers_are_bfloat16():
    head = fcos_small().head.bfloat16()
    outputs = head([torch.randn(1, 64, 2, 2).bfloat16()])
    assert {output.dtype for output in outputs.values()} == {torch.float32}


def test_before_training_a_side_is_two_and_a_half_strides_from_its_cell():
    head = fcos_small().head.eval()
    nn.init.zeros_(head.regression_head.bbox_reg.weight)
    assert (head([torch.randn(1, 64, 2, 2)])["bbox_regression"] == 2.5).all()


def test_a_blank_picture_has_boxes_inside_it_and_scores_of_shares():
    with torch.inference_mode():
        (output,) = fcos_small(score_thresh=0.0).eval()([torch.zeros(3, 160, 120)])
    boxes, scores = output["boxes"], output["scores"]
    assert 0 < len(boxes) <= 100
    assert boxes.min() >= 0
    assert (boxes.max(0).values <= torch.tensor([120.0, 160.0, 120.0, 160.0])).all()
    assert ((scores > 0) & (scores < 1)).all()
    assert set(output["labels"].tolist()) <= {0, 1}  # torchvision's FCOS scores the background too


def test_settings_of_torchvision_outrank_those_of_this_model():
    usual, other = fcos_small(), fcos_small(min_size=64, max_size=96, score_thresh=0.5, topk_candidates=7)
    assert (usual.transform.min_size, usual.transform.max_size) == ((160,), 160)
    assert (usual.score_thresh, usual.topk_candidates) == (0.01, 200)
    assert (other.transform.min_size, other.transform.max_size) == ((64,), 96)
    assert (other.score_thresh, other.topk_candidates) == (0.5, 7)


@pytest.mark.parametrize("given", [{"weights": "DEFAULT"}, {"weights_backbone": "DEFAULT"}], ids=str)
def test_weights_by_name_are_refused(given):
    with pytest.raises(ValueError, match="expected no weights: fcos_small has none of its own"):
        fcos_small(**given)


def test_every_weight_has_a_share_in_the_loss():
    model = fcos_small(min_size=64, max_size=64).train()
    targets = [{"boxes": torch.tensor([[8.0, 8.0, 40.0, 48.0]]), "labels": torch.tensor([1])}]
    sum(model([torch.rand(3, 64, 64)], targets).values()).backward()
    idle = [name for name, weights in model.named_parameters() if weights.grad is None or not weights.grad.any()]
    assert idle == []
