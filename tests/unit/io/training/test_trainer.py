"""A trainer: the same bits again, also from a checkpoint in the middle; weights that do not fit.

Losses that are no numbers.
"""

import io

import numpy as np
import pytest
import torch
from torch import nn

from schemas.detect import Detect
from schemas.errors import BadInput, DamagedFile
from schemas.train import TrainDetector
from tasks.io.detectors.torchvision_models import WeightsMetadata, build, read_weights, weights_bytes
from tasks.io.training import trainer as training
from tasks.io.training.samples import TrainingSample

pytestmark = pytest.mark.slow

CPU = torch.device("cpu")
SMALL = {
    "model": "fcos_small",
    "batch": 2,
    "accumulate": 2,
    "optimizer": "adamw",
    "learning_rate": 1e-3,
    "least_side_px": 64,
    "most_side_px": 64,
    "threads": 1,
}


def settings(**more: object) -> TrainDetector:
    return TrainDetector.model_validate({**SMALL, **more})


def some_samples(count: int = 4, seed: int = 0) -> list[TrainingSample]:
    """Bright boxes on noise; every third picture has none."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(count):
        pixels = rng.integers(0, 90, (48 + 8 * number, 64, 3), np.uint8)
        pixels[10:40, 20:44] = 230
        boxes = np.array([[20, 10, 44, 40]], np.float32)[: 0 if number % 3 == 2 else 1]
        found.append(TrainingSample(pixels, boxes))
    return found


def trainer(given: TrainDetector | None = None, seed: int = 1) -> training.Trainer:
    given = given or settings()
    return training.Trainer(training.initial_model(given, None, seed), given, CPU, is_frozen=False)


def weights(of: training.Trainer) -> list[torch.Tensor]:
    return list(of.model.state_dict().values())


def are_equal(one: training.Trainer, two: training.Trainer) -> bool:
    return all(torch.equal(a, b) for a, b in zip(weights(one), weights(two), strict=True))


@pytest.mark.parametrize("more", [{}, {"optimizer": "sgd"}, {"optimizer": "adam"}, {"precision": "bfloat16"}], ids=str)
def test_a_checkpoint_in_the_middle_changes_no_bit(more):
    given = settings(**more)
    with training.deterministic(1, CPU):
        straight = trainer(given)
        for step in range(4):
            straight.step(some_samples(seed=step), 1e-3, step)
        broken = trainer(given)
        for step in range(2):
            broken.step(some_samples(seed=step), 1e-3, step)
        data = broken.state({"step": 2, "sums": {"loss": 0.1}})
        again = trainer(given, seed=99)
        assert again.restore(data) == {"step": 2, "sums": {"loss": 0.1}}
        torch.manual_seed(1234)  # what chance did meanwhile is nothing to a step
        for step in range(2, 4):
            again.step(some_samples(seed=step), 1e-3, step)
    assert are_equal(straight, again)
    assert not are_equal(straight, trainer(given))


@pytest.mark.live
@pytest.mark.parametrize("model", ["fasterrcnn_mobilenet_v3_large_320_fpn", "ssdlite320_mobilenet_v3_large"])
def test_torchvisions_own_go_on_in_the_same_bits_from_weights_of_90_classes(model):
    given = settings(model=model, optimizer="sgd")
    start = weights_bytes(build(model, 90, 64, 64), WeightsMetadata(model, tuple(map(str, range(90))), 64, 64))
    with training.deterministic(1, CPU):
        one = training.Trainer(training.initial_model(given, start, 3), given, CPU, is_frozen=True)
        one.step(some_samples(), 1e-3, 0)
        data = one.state({})
        two = training.Trainer(training.initial_model(given, start, 9), given, CPU, is_frozen=True)
        two.restore(data)
        for each in (one, two):
            each.step(some_samples(), 1e-3, 1)
    assert are_equal(one, two)


def test_what_is_seen_again_and_again_is_learnt_and_found():
    with training.deterministic(1, CPU):
        one = trainer()
        losses = [sum(one.step(some_samples(), 3e-3, step).values()) for step in range(40)]
        with training.detector_of(one.model, Detect(model="fcos_small"), (64, 64), CPU) as detector:
            found = detector.detect([some_samples()[0].pixels])[0]
    assert losses[-1] < losses[0] / 2
    assert np.abs(found.xyxy_px[found.scores.argmax()] - [20, 10, 44, 40]).max() < 6


def test_pictures_without_any_figure_are_learnt_from_too():
    empty = [one._replace(xyxy_px=np.zeros((0, 4), np.float32)) for one in some_samples()]
    parts = trainer().step(empty, 1e-3, 0)
    assert parts["bbox_regression"] == 0.0 < parts["classification"]


def test_a_loss_that_is_no_number_is_told_and_changes_no_weight():
    one = trainer()
    before = [value.clone() for value in weights(one) if value.is_floating_point()]
    one.step(some_samples(), 1e30, 0)
    with pytest.raises(BadInput, match=r"training: expected a finite loss, got .*: lower learning_rate"):
        one.step(some_samples(), 1e30, 1)
    assert not all(torch.equal(a, b) for a, b in zip(before, weights(one), strict=False))


@pytest.mark.live
def test_boxes_are_counted_in_float32_whatever_the_precision():
    model = "fasterrcnn_mobilenet_v3_large_320_fpn"
    one = trainer(settings(model=model, precision="bfloat16", optimizer="sgd"))
    seen = []
    for name, layer in one.model.named_modules():
        if name.rpartition(".")[2] in {"anchor_generator", "bbox_pred", "cls_score", "cls_logits"}:
            layer.register_forward_hook(lambda _layer, _given, found, name=name: seen.append((name, found)))
    one.step(some_samples(), 1e-3, 0)
    assert {name.rpartition(".")[2] for name, _ in seen} == {"anchor_generator", "bbox_pred", "cls_score", "cls_logits"}
    assert {(found[0] if isinstance(found, list) else found).dtype for _, found in seen} == {torch.float32}


@pytest.mark.live
def test_the_first_batch_does_not_settle_where_boxes_are_looked_for():
    one = trainer(settings(model="fasterrcnn_mobilenet_v3_large_320_fpn", optimizer="sgd"))
    before = one.model.roi_heads.box_roi_pool.scales
    flat = TrainingSample(np.zeros((4, 64, 3), np.uint8), np.array([[0, 0, 30, 4]], np.float32))
    one.step([flat], 1e-3, 0)
    assert one.model.roi_heads.box_roi_pool.scales == before == [1 / 32, 1 / 32]


class Lost(nn.Module):
    """A model whose GPU has gone."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))

    def forward(self, images, targets):
        raise torch.AcceleratorError("CUDA error: an illegal memory access was encountered\nmore lines")


def test_a_gpu_that_fails_is_one_sentence():
    with pytest.raises(
        BadInput, match=r"device: expected cpu to answer, got CUDA error: an illegal.*the same command continues"
    ):
        training.Trainer(Lost(), settings(), CPU, is_frozen=False).step(some_samples(), 1e-3, 0)


def test_a_state_of_something_else_is_damaged():
    one = trainer()
    other = trainer(settings(model="ssdlite320_mobilenet_v3_large", optimizer="sgd"))
    for data in (
        b"",
        b"half",
        other.state({"step": 1}),
        weights_bytes(one.model, WeightsMetadata("fcos_small", ("person",), 64, 64)),
    ):
        with pytest.raises(DamagedFile, match="expected a checkpoint of this training"):
            one.restore(data)


@pytest.mark.live
def test_frozen_statistics_and_scales_stay_while_the_rest_learns():
    given = settings()
    one = training.Trainer(training.initial_model(given, None, 1), given, CPU, is_frozen=True)
    before = {name: value.clone() for name, value in one.model.state_dict().items()}
    one.step(some_samples(), 1e-2, 0)
    changed = {name for name, value in one.model.state_dict().items() if not torch.equal(value, before[name])}
    norms = {name for name, layer in one.model.named_modules() if isinstance(layer, nn.BatchNorm2d)}
    assert changed
    assert not {name for name in changed if name.rpartition(".")[0] in norms}


class Narrow(nn.Module):
    """A model with room for so many pictures."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room, self.weight, self.seen = room, nn.Parameter(torch.ones(1)), []

    def forward(self, images, targets):
        if len(images) > self.room:
            raise torch.OutOfMemoryError
        self.seen.append(len(images))
        return {"part": self.weight.sum() * len(images)}


def test_a_batch_that_does_not_fit_is_halved_until_it_does():
    model = Narrow(1)
    one = training.Trainer(model, settings(batch=4), CPU, is_frozen=False)
    parts = one.step(some_samples(3), 1e-3, 0)
    assert (one.batch, model.seen) == (1, [1, 1, 1])
    assert parts == {"part": pytest.approx(1.0)}


def test_where_not_even_one_fits_the_setting_is_named():
    with pytest.raises(BadInput, match="expected memory for one image on cpu, got too little; lower most_side_px"):
        training.Trainer(Narrow(0), settings(), CPU, is_frozen=False).step(some_samples(), 1e-3, 0)


def started_from(data: bytes, **more: object) -> nn.Module:
    return training.initial_model(settings(**more), data, 5)


def test_a_start_gives_all_but_the_head():
    before = build("fcos_small", 3, 64, 64)
    model = started_from(weights_bytes(before, WeightsMetadata("fcos_small", ("a", "b", "c"), 64, 64)))
    mine, theirs = model.state_dict(), before.state_dict()
    same = {name for name in mine if mine[name].shape == theirs[name].shape and torch.equal(mine[name], theirs[name])}
    assert {name for name in mine if name.startswith("backbone.")} <= same
    assert "head.classification_head.cls_logits.weight" not in same


def test_with_its_head_a_start_is_taken_as_it_is_but_for_its_sides():
    before = build("fcos_small", 1, 32, 32)
    model = started_from(weights_bytes(before, WeightsMetadata("fcos_small", ("person",), 32, 32)), new_head=False)
    assert all(
        torch.equal(a, b) for a, b in zip(before.state_dict().values(), model.state_dict().values(), strict=True)
    )
    assert model.transform.max_size == 64


@pytest.mark.live
def test_a_fresh_head_knows_no_class_but_where_boxes_are_is_kept():
    before = build("retinanet_resnet50_fpn_v2", 3)
    data = weights_bytes(before, WeightsMetadata("retinanet_resnet50_fpn_v2", ("a", "b", "c"), 64, 64))
    mine, theirs = started_from(data, model="retinanet_resnet50_fpn_v2").state_dict(), before.state_dict()
    assert {
        name for name in mine if mine[name].shape == theirs[name].shape and torch.equal(mine[name], theirs[name])
    } >= {name for name in mine if not name.startswith("head.classification_head.")}
    layer = "head.classification_head.conv.0.0.weight"
    assert not torch.equal(mine[layer], theirs[layer])


def test_norms_of_torchvisions_own_weights_give_the_same_with_the_usual_epsilon():
    before = build("fasterrcnn_resnet50_fpn", 90)
    for layer in before.modules():
        if isinstance(layer, nn.BatchNorm2d):
            nn.init.uniform_(layer.running_var, 1e-5, 1e-3)
    torch.save(
        {name: value for name, value in before.state_dict().items() if "tracked" not in name}, file := io.BytesIO()
    )
    model = started_from(file.getvalue(), model="fasterrcnn_resnet50_fpn")
    given = torch.rand(1, 64, 4, 4)
    mine, norm = model.backbone.body.bn1.eval(), before.backbone.body.bn1.eval()
    wanted = (given - norm.running_mean.view(1, -1, 1, 1)) / norm.running_var.view(1, -1, 1, 1).sqrt()
    assert mine.eps == 1e-5
    assert torch.allclose(mine(given), wanted, rtol=1e-4)


WRONG = [
    pytest.param(lambda: b"not weights", {}, "expected a file of weights", id="no weights"),
    pytest.param(
        lambda: weights_bytes(build("fcos_small", 1), WeightsMetadata("fcos_small", ("person",), 64, 64)),
        {"model": "ssdlite320_mobilenet_v3_large"},
        "expected weights of ssdlite320_mobilenet_v3_large, got fcos_small's",
        id="another model's, which says so",
    ),
    pytest.param(
        lambda: weights_bytes(build("fcos_small", 1), WeightsMetadata("fcos_small", ("horse",), 64, 64)),
        {"new_head": False},
        "expected a head of 'person' alone, got horse",
        id="a head for something else",
    ),
    pytest.param(
        lambda: weights_bytes(build("fcos_small", 90), WeightsMetadata("fcos_small", (), 64, 64)),
        {"new_head": False},
        "start: expected weights",
        id="a head of 90 classes",
    ),
]


@pytest.mark.parametrize(("data", "more", "problem"), WRONG)
def test_a_start_that_does_not_fit_is_refused(data, more, problem):
    with pytest.raises(BadInput, match=problem):
        started_from(data(), **more)


def test_weights_say_whose_they_are():
    _, told = read_weights(
        weights_bytes(build("fcos_small", 1), WeightsMetadata("fcos_small", ("person",), 160, 160)), "weights"
    )
    assert told == WeightsMetadata("fcos_small", ("person",), 160, 160)


def test_threads_and_switches_are_what_they_were_afterwards():
    before = torch.get_num_threads()
    with training.deterministic(1, CPU):
        assert torch.are_deterministic_algorithms_enabled()
    assert (torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()) == (before, False)
