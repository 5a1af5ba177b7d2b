"""Pictures on one canvas: scaled as torchvision scales them, zeros around, an empty one for each that is lacking."""

import numpy as np
import torch
from torchvision.models.detection.transform import GeneralizedRCNNTransform

from tasks.io.detectors.canvas_transform import CanvasBatch, CanvasTransform
from tasks.io.detectors.canvases import Size


def transform() -> CanvasTransform:
    return CanvasTransform(GeneralizedRCNNTransform(8, 16, [0.5, 0.25, 0.0], [0.5, 0.5, 1.0]))


def grey(height: int, width: int, level: int = 255) -> torch.Tensor:
    return torch.full((height, width, 3), level, dtype=torch.uint8)


def test_no_pictures_are_a_canvas_of_padding():
    batch = transform().batch_of([], Size(8, 8), 2)
    assert (batch.picture_count, batch.sizes, batch.tensor.shape) == (0, [Size(1, 1)] * 2, (2, 3, 8, 8))
    assert not batch.tensor.any()


def test_a_picture_is_normalised_and_what_is_beside_it_is_zero():
    """255 is 1: (1 - 0.5) / 0.5 = 1, (1 - 0.25) / 0.5 = 1.5, (1 - 0) / 1 = 1."""
    batch = transform().batch_of([grey(8, 10)], Size(8, 16), 1)
    assert batch.sizes == [Size(8, 10)]
    torch.testing.assert_close(batch.tensor[0, :, :, :10], torch.tensor([1.0, 1.5, 1.0]).view(3, 1, 1).expand(3, 8, 10))
    assert not batch.tensor[0, :, :, 10:].any()


def test_pictures_are_as_torchvisions_own():
    own = GeneralizedRCNNTransform(8, 16, [0.5, 0.25, 0.0], [0.5, 0.5, 1.0]).eval()
    picture = torch.from_numpy(np.random.default_rng(3).integers(0, 256, (30, 24, 3), dtype=np.uint8))
    theirs, _ = own([picture.permute(2, 0, 1).float() / 255])
    height, width = theirs.image_sizes[0]
    ours = transform().batch_of([picture], Size(*theirs.tensors.shape[2:]), 1)
    assert ours.sizes == [Size(height, width)]
    torch.testing.assert_close(ours.tensor, theirs.tensors, atol=1e-5, rtol=1e-5)


def test_a_fixed_size_is_read_width_first():
    own = GeneralizedRCNNTransform(8, 16, [0.5] * 3, [0.5] * 3, fixed_size=(20, 10))
    assert CanvasTransform(own).canvases.fixed == Size(10, 20)


def test_a_models_own_code_reads_only_shapes():
    batch = transform().batch_of([grey(8, 8), grey(4, 8)], Size(8, 16), 3)
    assert isinstance(batch, CanvasBatch)
    assert [picture.shape for picture in batch] == [(3, 8, 8), (3, 8, 16), (3, 1, 1)]
    assert all(picture.device.type == "meta" for picture in batch)
    images, targets = transform()(batch)
    assert targets is None
    assert images.tensors is batch.tensor
    assert images.image_sizes == [(8, 8), (8, 16), (1, 1)]


def test_boxes_stay_on_the_canvas_and_no_state_is_added_to_the_weights():
    outputs = [{"boxes": torch.ones(1, 4)}]
    assert transform().postprocess(outputs, [(1, 1)], [(2, 2)]) is outputs
    assert transform().state_dict() == {}
