"""Pictures on a canvas: values by hand, what stays empty, and the answers that torchvision's models expect."""

import numpy as np
import pytest
import torch
from torchvision.models.detection.transform import GeneralizedRCNNTransform

from tasks.io.detectors.canvases import Canvases, Size
from tasks.io.detectors.loading import CanvasBatch, CanvasTransform

HALF = [0.5] * 3
QUARTER = [0.25] * 3


def transform(
    least_px: int = 32, most_px: int = 64, fixed: tuple[int, int] | None = None, mean: list[float] = HALF
) -> CanvasTransform:
    return CanvasTransform(GeneralizedRCNNTransform(least_px, most_px, mean, QUARTER, fixed_size=fixed))


def flat(height: int, width: int, level: int) -> torch.Tensor:
    return torch.full((height, width, 3), level, dtype=torch.uint8)


# --- sides


def test_sides_and_colours_are_the_models_own():
    ours = transform(mean=[0.0, 0.2, 1.0])
    assert ours.canvases == Canvases(32, 64, None)
    assert ours.mean.flatten().tolist() == pytest.approx([0, 51, 255])
    assert ours.std.flatten().tolist() == [63.75] * 3


def test_the_size_of_a_fixed_model_is_width_then_height_in_torchvision():
    assert transform(fixed=(96, 64)).canvases.fixed == Size(height_px=64, width_px=96)


def test_of_several_least_sides_the_last_counts_as_when_torchvision_does_not_train():
    several = GeneralizedRCNNTransform((16, 24, 48), 64, HALF, QUARTER)
    assert CanvasTransform(several).canvases.least_side_px == 48


def test_nothing_of_it_is_in_a_state_dict():
    assert list(transform().state_dict()) == []


# --- batches


def test_no_picture_is_a_batch_of_padding():
    batch = transform().batch_of([], Size(32, 64), 2)
    assert batch.picture_count == 0
    assert batch.sizes == [Size(1, 1)] * 2
    assert torch.equal(batch.tensor, torch.zeros(2, 3, 32, 64))


@pytest.mark.parametrize(("level", "value"), [(0, -2.0), (255, 2.0), (51, -1.2)])
def test_levels_are_normalised_and_the_rest_of_the_canvas_is_zero(level, value):
    batch = transform().batch_of([flat(32, 40, level)], Size(32, 64), 2)
    assert batch.sizes == [Size(32, 40), Size(1, 1)]
    assert batch.picture_count == 1
    assert batch.tensor.shape == (2, 3, 32, 64)
    assert batch.tensor.dtype == torch.float32
    torch.testing.assert_close(batch.tensor[0, :, :, :40], torch.full((3, 32, 40), value))
    assert not batch.tensor[0, :, :, 40:].any()
    assert not batch.tensor[1].any()


def test_each_channel_has_its_own_mean():
    batch = transform(mean=[0.0, 0.5, 1.0]).batch_of([flat(32, 32, 255)], Size(32, 32), 1)
    assert batch.tensor[0, :, 0, 0].tolist() == [4.0, 2.0, 0.0]


def test_channels_and_places_are_not_mixed_up():
    pixels = torch.from_numpy(np.random.default_rng(3).integers(0, 256, (32, 40, 3), dtype=np.uint8))
    batch = transform().batch_of([pixels], Size(32, 64), 1)
    torch.testing.assert_close(batch.tensor[0, :, 5, 39], (pixels[5, 39] - 127.5) / 63.75)


def test_one_pixel_fills_the_least_sides():
    batch = transform().batch_of([flat(1, 1, 255)], Size(32, 32), 1)
    assert batch.sizes == [Size(32, 32)]
    torch.testing.assert_close(batch.tensor, torch.full((1, 3, 32, 32), 2.0))


def test_a_thread_keeps_one_pixel_of_height():
    batch = transform().batch_of([flat(1, 1000, 255)], Size(32, 64), 1)
    assert batch.sizes == [Size(1, 64)]
    assert batch.tensor[0, 0, 0].tolist() == [2.0] * 64
    assert not batch.tensor[0, :, 1:].any()


def test_pictures_are_scaled_without_anti_aliasing():
    """Of four columns, scaled to one, only the two in the middle count: 0, 255, 255, 0 is white and not grey."""
    columns = torch.tensor([0, 255, 255, 0], dtype=torch.uint8).repeat(32)
    batch = transform().batch_of([columns[None, :, None].expand(128, 128, 3)], Size(32, 32), 1)
    torch.testing.assert_close(batch.tensor, torch.full((1, 3, 32, 32), 2.0))


def test_scaled_values_are_torchvisions_to_the_last_pixel():
    pixels = torch.from_numpy(np.random.default_rng(5).integers(0, 256, (50, 70, 3), dtype=np.uint8))
    theirs = GeneralizedRCNNTransform(32, 64, HALF, QUARTER).eval()
    images, _ = theirs([pixels.permute(2, 0, 1).float() / 255])
    batch = CanvasTransform(theirs).batch_of([pixels], Size(32, 64), 1)
    assert images.image_sizes == [tuple(batch.sizes[0])]
    height, width = batch.sizes[0]
    torch.testing.assert_close(
        batch.tensor[0, :, :height, :width], images.tensors[0, :, :height, :width], atol=1e-5, rtol=0
    )


def test_pictures_keep_their_order_and_do_not_touch_each_other():
    ours = transform()
    pictures = [flat(32, 64, 10), flat(16, 16, 200), flat(64, 128, 90)]
    together = ours.batch_of(pictures, Size(32, 64), 4)
    for place, picture in enumerate(pictures):
        assert torch.equal(together.tensor[place], ours.batch_of([picture], Size(32, 64), 1).tensor[0])


def test_a_picture_is_read_and_not_changed():
    picture = flat(32, 32, 77)
    transform().batch_of([picture], Size(32, 32), 1)
    assert torch.equal(picture, flat(32, 32, 77))


def test_more_pictures_than_places_are_an_error():
    with pytest.raises(IndexError):
        transform().batch_of([flat(32, 32, 0)] * 2, Size(32, 32), 1)


def test_a_canvas_too_small_for_its_picture_is_an_error_and_cuts_nothing_off():
    with pytest.raises(RuntimeError, match="must match"):
        transform().batch_of([flat(32, 64, 0)], Size(32, 32), 1)


# --- as torchvision's models see it


def test_a_batch_is_a_list_of_shapes_without_memory_behind_them():
    batch = CanvasBatch(torch.zeros(2, 3, 32, 64), [Size(30, 50), Size(1, 1)], 1)
    assert [tuple(one.shape) for one in batch] == [(3, 30, 50), (3, 1, 1)]
    assert {one.device.type for one in batch} == {"meta"}


def test_a_model_gets_the_tensor_itself_and_plain_sizes():
    batch = transform().batch_of([flat(32, 40, 9)], Size(32, 64), 2)
    images, targets = transform()(batch)
    assert images.tensors is batch.tensor
    assert images.image_sizes == [(32, 40), (1, 1)]
    assert {type(size) for size in images.image_sizes} == {tuple}
    assert targets is None


def test_boxes_stay_in_px_of_the_canvas():
    outputs = [{"boxes": torch.tensor([[1.0, 2.0, 3.0, 4.0]])}]
    assert transform().postprocess(outputs, [(32, 40)], [(320, 400)]) is outputs
    assert outputs[0]["boxes"].tolist() == [[1, 2, 3, 4]]
