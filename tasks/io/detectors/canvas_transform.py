"""Pictures placed on a canvas as one batch, and the module that replaces the `transform` of torchvision's models."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torchvision.models.detection.image_list import ImageList

from tasks.io.detectors.canvases import Canvases, Size


class CanvasBatch(list[Tensor]):
    """A batch on its canvas, in the form that torchvision's models accept: a list of pictures of which they read only
    the shape.

    tensor: (B, 3, H, W), normalised, zeros where there is no picture. sizes: B sizes on the canvas, 1 x 1 for the empty
    pictures that pad the batch. picture_count: those that are not padding.
    """

    def __init__(self, tensor: Tensor, sizes: Sequence[Size], picture_count: int) -> None:
        super().__init__(torch.empty((3, *size), device="meta") for size in sizes)
        self.tensor, self.sizes, self.picture_count = tensor, list(sizes), picture_count


class CanvasTransform(nn.Module):
    """Replaces a torchvision detector's GeneralizedRCNNTransform; boxes stay in px of the canvas."""

    mean: Tensor
    std: Tensor

    def __init__(self, transform: Any) -> None:
        """transform: the model's own, which gives sides, means and standard deviations."""
        super().__init__()
        fixed = Size(*reversed(transform.fixed_size)) if transform.fixed_size else None  # there it is (width, height)
        self.canvases = Canvases(int(transform.min_size[-1]), int(transform.max_size), fixed)
        self.register_buffer("mean", torch.tensor(transform.image_mean).view(3, 1, 1) * 255, persistent=False)
        self.register_buffer("std", torch.tensor(transform.image_std).view(3, 1, 1) * 255, persistent=False)

    def batch_of(self, pictures: Sequence[Tensor], canvas: Size, batch_size: int) -> CanvasBatch:
        """Pictures, each (h, w, 3) uint8, as a batch padded to `batch_size`, on the device of this module.

        Scaled without anti-aliasing, as torchvision does in training and inference.
        """
        device = self.mean.device
        tensor = torch.empty((batch_size, 3, *canvas), device=device, memory_format=torch.channels_last).zero_()
        sizes = [self.canvases.scaled_size(Size(*pixels.shape[:2])) for pixels in pictures]
        for place, (pixels, size) in enumerate(zip(pictures, sizes, strict=True)):
            picture = pixels.to(device, non_blocking=True).permute(2, 0, 1)[None].float()
            scaled = functional.interpolate(picture, size=tuple(size), mode="bilinear", align_corners=False)[0]
            tensor[place, :, : size.height_px, : size.width_px] = (scaled - self.mean) / self.std
        return CanvasBatch(tensor, sizes + [Size(1, 1)] * (batch_size - len(sizes)), len(sizes))

    def forward(self, images: CanvasBatch, _targets: None = None) -> tuple[ImageList, None]:
        """What torchvision's models expect of their transform: the batch, and the size of each picture in it."""
        return ImageList(images.tensor, [(size.height_px, size.width_px) for size in images.sizes]), None

    def postprocess(self, outputs: list[dict[str, Tensor]], *_sizes: object) -> list[dict[str, Tensor]]:
        """The outputs unchanged: scaling boxes picture by picture would make the device wait for the host each time."""
        return outputs
