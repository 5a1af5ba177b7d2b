"""A model made ready: a copy on its device, whose limits are the recipe's, and the original as it was."""

import torch

from tasks.io.detectors.canvas_transform import CanvasTransform
from tasks.io.detectors.canvases import Size
from tasks.io.detectors.heads import Float32Anchors, Float32Layer
from tasks.io.detectors.loading import DEFAULT_OPTIONS, InferenceOptions, load_on_device
from tests.support.models import SETTINGS, small

CPU = torch.device("cpu")


def test_the_original_stays_as_it_was():
    master = small().train()
    before = {name: value.clone() for name, value in master.state_dict().items()}
    loaded = load_on_device(master, CPU, SETTINGS, DEFAULT_OPTIONS)
    with torch.inference_mode():
        loaded.model(loaded.transform.batch_of([torch.zeros(8, 8, 3, dtype=torch.uint8)], Size(160, 160), 1))
    assert master.training
    assert not isinstance(master.transform, CanvasTransform)
    assert {*master.state_dict()} == {*before}
    assert all(torch.equal(value, before[name]) for name, value in master.state_dict().items())
    assert all(value.requires_grad for value in master.parameters())


def test_what_is_loaded_is_ready_for_canvases():
    loaded = load_on_device(
        small(), CPU, SETTINGS.model_copy(update={"least_score": 0.3, "at_most": 5}), DEFAULT_OPTIONS
    )
    model = loaded.model
    assert not model.training
    assert not any(value.requires_grad for value in model.parameters())
    assert model.transform is loaded.transform
    assert (model.score_thresh, model.detections_per_img) == (0.3, 5)
    assert isinstance(model.anchor_generator, Float32Anchors)
    assert any(isinstance(module, Float32Layer) for module in model.modules())
    assert (loaded.device, loaded.copy_stream) == (CPU, None)


def test_options_are_the_devices_choice_unless_said_otherwise():
    assert InferenceOptions() == DEFAULT_OPTIONS
    assert (DEFAULT_OPTIONS.precision, DEFAULT_OPTIONS.batch_size, DEFAULT_OPTIONS.is_compiled) == (None, None, False)
