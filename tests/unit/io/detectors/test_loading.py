"""A model on its device: a copy that is ready, and a master that is as it was."""

import pytest
import torch
from torch import nn
from torchvision.models.detection.transform import GeneralizedRCNNTransform

from schemas.detect import Detect
from tasks.io.detectors import loading
from tasks.io.detectors.canvases import Canvases, Size
from tasks.io.detectors.loading import DEFAULT_OPTIONS, InferenceOptions, LoadedModel
from tests.support.models import SETTINGS, small

CPU = torch.device("cpu")


def load(master: nn.Module, settings: Detect = SETTINGS, options: InferenceOptions = DEFAULT_OPTIONS) -> LoadedModel:
    return loading.load_on_device(master, CPU, settings, options)


def test_the_copy_is_ready_for_canvases():
    loaded = load(small(), Detect(model="fcos_small", at_most=7, least_score=0.2))
    assert loaded.model.transform is loaded.transform
    assert loaded.transform.canvases == Canvases(160, 160)
    assert (loaded.model.detections_per_img, loaded.model.score_thresh) == (7, 0.2)
    assert isinstance(loaded.model.head.classification_head.cls_logits, loading.Float32Layer)
    assert isinstance(loaded.model.anchor_generator, loading.Float32Anchors)


def test_on_a_cpu_there_is_no_stream_for_copies():
    loaded = load(small())
    assert (loaded.device, loaded.copy_stream) == (CPU, None)


def test_the_copy_learns_nothing_even_if_the_master_was_being_trained():
    master = small().train()
    loaded = load(master)
    assert not loaded.model.training
    assert not any(module.training for module in loaded.model.modules() if isinstance(module, nn.BatchNorm2d))
    assert not any(weights.requires_grad for weights in loaded.model.parameters())
    assert master.training
    assert all(weights.requires_grad for weights in master.parameters())


def test_the_master_stays_as_it_was():
    master = small()
    before = {name: value.clone() for name, value in master.state_dict().items()}
    limits = (master.detections_per_img, master.score_thresh, master.nms_thresh)
    loaded = load(master, Detect(model="fcos_small", at_most=7, nms_iou=0.1, least_score=0.9))
    with torch.no_grad():
        for weights in loaded.model.parameters():
            weights.zero_()
    assert list(master.state_dict()) == list(before)
    assert all(torch.equal(value, before[name]) for name, value in master.state_dict().items())
    assert (master.detections_per_img, master.score_thresh, master.nms_thresh) == limits
    assert isinstance(master.transform, GeneralizedRCNNTransform)


def test_a_master_is_loaded_any_number_of_times_to_the_same():
    master = small()
    one, other = load(master).model, load(master).model
    assert list(one.state_dict()) == list(other.state_dict())
    assert all(torch.equal(value, other.state_dict()[name]) for name, value in one.state_dict().items())


def test_a_loaded_model_returns_an_output_for_every_place_of_a_batch():
    loaded = load(small())
    batch = loaded.transform.batch_of([torch.full((90, 120, 3), 99, dtype=torch.uint8)], Size(160, 160), 2)
    with torch.inference_mode():
        outputs = loaded.model(batch)
    assert len(outputs) == 2
    assert len(outputs[0]["scores"]) > 0
    assert outputs[0]["boxes"][:, 3].max() <= 120  # of the picture on the canvas, not of the canvas


def test_loading_leaves_torchs_threads_as_they_were():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        load(small())
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_only_what_was_asked_for_is_compiled(monkeypatch):
    compiled = []

    def compile_backbone(backbone: nn.Module, *, dynamic: bool) -> nn.Module:
        compiled.append((type(backbone).__name__, dynamic))
        return backbone

    monkeypatch.setattr(torch, "compile", compile_backbone)
    load(small())
    assert compiled == []
    load(small(), options=InferenceOptions(is_compiled=True))
    assert compiled == [("_Backbone", False)]


def test_a_device_without_room_is_an_error_and_threads_are_given_back(monkeypatch):
    def full(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    before = torch.get_num_threads()
    monkeypatch.setattr(nn.Module, "to", full)
    with pytest.raises(torch.OutOfMemoryError):
        load(small())
    assert torch.get_num_threads() == before


def test_a_model_without_a_transform_is_none_of_torchvisions():
    with pytest.raises(AttributeError, match="transform"):
        load(nn.Linear(1, 1))
