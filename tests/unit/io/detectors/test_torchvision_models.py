"""Files of weights: read back as they were written, torchvision's own in their older words, and nothing that is not
one.
"""

import io
import pickle
import sys

import pytest
import safetensors.torch
import torch

from schemas.detect import TORCHVISION
from schemas.errors import BadInput
from tasks.io.detectors import torchvision_models as models
from tasks.io.detectors.torchvision_models import WeightsMetadata
from tests.support.models import METADATA, small

MOBILE = "fasterrcnn_mobilenet_v3_large_320_fpn"


def as_pth(state: object) -> bytes:
    file = io.BytesIO()
    torch.save(state, file)
    return file.getvalue()


def test_every_model_that_a_recipe_can_name_is_there():
    assert set(models.MODELS) == set(TORCHVISION)


def test_what_is_written_is_read_back_and_the_same_weights_give_the_same_bytes():
    model = small()
    data = models.weights_bytes(model, METADATA)
    assert models.weights_bytes(model, METADATA) == data
    read, told = models.load("fcos_small", data, "x", 800, 1333)
    assert told == METADATA  # its sides outrank those given
    assert all(torch.equal(value, read.state_dict()[name]) for name, value in model.state_dict().items())
    assert (read.transform.min_size, read.transform.max_size) == ((160,), 160)


@pytest.mark.parametrize("wrapped", [lambda state: state, lambda state: {"model": state, "epoch": 3}])
def test_a_state_dict_as_torch_writes_it_is_read(wrapped):
    model = models.build("fcos_small", 4)
    read, told = models.load("fcos_small", as_pth(wrapped(model.state_dict())), "x", 96, 160)
    assert told == WeightsMetadata("fcos_small", (), 96, 160)
    assert torch.equal(
        read.head.classification_head.cls_logits.weight, model.head.classification_head.cls_logits.weight
    )


@pytest.mark.parametrize(("name", "classes"), [(MOBILE, 3), ("retinanet_resnet50_fpn", 2), ("fcos_small", 6)])
def test_the_number_of_classes_is_that_of_the_weights(name, classes):
    state = models.build(name, classes).state_dict()
    assert models._classes_of(name, state) == classes + 1


def test_a_state_dict_does_not_say_of_what_its_one_class_is():
    assert models.load("fcos_small", as_pth(models.build("fcos_small", 1).state_dict()), "x")[1].categories == ()


def test_frozen_norms_and_names_of_earlier_versions_are_understood():
    state = models.build(MOBILE, 90).state_dict()
    published = {
        name.replace("rpn.head.conv.0.0.", "rpn.head.conv.").replace("_blocks.0.0.", "_blocks.0."): value
        for name, value in state.items()
        if not name.endswith("num_batches_tracked")
    }
    assert published.keys() - state.keys()
    read, _ = models.load(MOBILE, as_pth(published), "x")
    assert all(torch.equal(value, state[name]) for name, value in read.state_dict().items() if "tracked" not in name)


@pytest.mark.slow
def test_published_weights_of_some_models_have_norms_that_add_nothing():
    state = models.build("retinanet_resnet50_fpn", 90).state_dict()
    frozen = {name: value for name, value in state.items() if not name.endswith("num_batches_tracked")}
    epsilons = [
        {
            module.eps
            for module in models.load("retinanet_resnet50_fpn", safetensors.torch.save(some), "x")[0].modules()
            if isinstance(module, torch.nn.BatchNorm2d)
        }
        for some in (frozen, state)
    ]
    assert epsilons == [{0.0}, {1e-5}]


class Bomb:
    def __reduce__(self) -> tuple[object, ...]:
        return (pytest.fail, ("a file of weights was run",))


GOOD = models.weights_bytes(small(), METADATA)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b"", "expected a file of weights, got 0 bytes of something else", id="empty"),
        pytest.param(b"weights" * 99, "expected a file of weights, got 693 bytes of something else$", id="text"),
        pytest.param(GOOD[:-100], "expected a file of weights, got a safetensors file that is damaged", id="cut off"),
        pytest.param(b"\xff" * 8 + GOOD[8:], "expected a file of weights", id="a header of 2^64 bytes"),
        pytest.param(pickle.dumps(Bomb()), "expected a file of weights", id="a pickle that runs"),
        pytest.param(
            as_pth(Bomb()),
            "expected a file of weights, got a torch file that is damaged or holds more",
            id="torch's file that runs",
        ),
        pytest.param(as_pth([1, 2]), "expected a state dict, got list", id="a list"),
        pytest.param(as_pth({"model": {"a": 3}}), "expected a state dict, got dict", id="numbers"),
        pytest.param(as_pth({3: torch.ones(1)}), "expected a state dict", id="names that are numbers"),
        pytest.param(as_pth({}), "expected weights that fit the model, got no backbone", id="no tensors"),
        pytest.param(
            models.weights_bytes(small(), METADATA._replace(model="ssd300_vgg16")),
            "expected weights of fcos_small, got ssd300_vgg16's",
            id="another model's",
        ),
        pytest.param(
            models.weights_bytes(small(), METADATA._replace(categories=("a", "b"))),
            "expected weights that fit the model, got head.classification_head.cls_logits.weight of shape",
            id="more categories than rows",
        ),
        pytest.param(
            models.weights_bytes(small(), METADATA._replace(most_side_px=10**9)),
            "expected a file of weights",
            id="vast sides",
        ),
        pytest.param(
            safetensors.torch.save({"x": torch.ones(3)}), "expected weights that fit the model", id="a stranger's"
        ),
        pytest.param(
            safetensors.torch.save({"x": torch.ones(3)}, {"bilderatlas": "{}"}),
            "expected a file of weights",
            id="no words",
        ),
        pytest.param(
            safetensors.torch.save({"x": torch.ones(3)}, {"bilderatlas": "[1"}),
            "expected a file of weights",
            id="no JSON",
        ),
        pytest.param(
            as_pth({"head.classification_head.cls_logits.weight": torch.ones(())}),
            "expected weights that fit",
            id="scalar",
        ),
    ],
)
def test_what_is_no_file_of_this_models_weights_is_bad_input(data, said):
    with pytest.raises(BadInput, match=f"^binding 'w': {said}"):
        models.load("fcos_small", data, "binding 'w'")


def test_an_unknown_model_is_bad_input():
    with pytest.raises(BadInput, match=r"model: expected one of fasterrcnn_mobilenet_v3_large_320_fpn, .*, got 'yolo'"):
        models.build("yolo", 1)


def test_a_machine_without_safetensors_reads_state_dicts_and_says_what_it_cannot(monkeypatch):
    data, state = models.weights_bytes(small(), METADATA), as_pth(small().state_dict())
    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    assert models.load("fcos_small", state, "x", 160, 160)[1].model == "fcos_small"
    with pytest.raises(BadInput, match="x: expected the library safetensors for a safetensors file"):
        models.read_weights(data, "x")
