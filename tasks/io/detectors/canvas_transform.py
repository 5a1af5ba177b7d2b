"""Pictures onto a canvas, and the canvas into torchvision's models: what stands in for their own `transform`."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torchvision.models.detection.image_list import ImageList

from tasks.io.detectors.canvases import Canvases, Size


class CanvasBatch(list[Tensor]):
    """A batch on its canvas, as torchvision's models take it: a list of pictures of which they ask nothing but the
    shape.

    canvas: (B, 3, H, W), normalised, zeros where there is no picture. sizes: (height, width) of each picture on it; a
    place that is only filled up has 1 x 1. pictures: how many are no such place.
    """

    def __init__(self, canvas: Tensor, sizes: Sequence[Size], pictures: int) -> None:
        super().__init__(torch.empty((3, *size), device="meta") for size in sizes)
        self.canvas, self.sizes, self.pictures = canvas, list(sizes), pictures


class CanvasTransform(nn.Module):
    """Stands where a torchvision detector has its GeneralizedRCNNTransform; its boxes stay in px of the canvas."""

    mean: Tensor
    std: Tensor

    def __init__(self, transform: Any) -> None:
        """Of a model's own transform: its sides, its means and deviations."""
        super().__init__()
        fixed = Size(*reversed(transform.fixed_size)) if transform.fixed_size else None  # there it is (width, height)
        self.canvases = Canvases(int(transform.min_size[-1]), int(transform.max_size), fixed)
        self.register_buffer("mean", torch.tensor(transform.image_mean).view(3, 1, 1) * 255, persistent=False)
        self.register_buffer("deviation", torch.tensor(transform.image_std).view(3, 1, 1) * 255, persistent=False)

    def batch_of(self, pictures: Sequence[Tensor], canvas: Size, places: int) -> CanvasBatch:
        """Pictures, each (h, w, 3) uint8, as a batch of `places` on that canvas, on the device of this module.

        Scaled without anti-aliasing, as torchvision's detectors do it and were trained with.
        """
        device = self.mean.device
        laid = torch.empty((places, 3, *canvas), device=device, memory_format=torch.channels_last).zero_()
        sizes = [self.canvases.scaled_size(Size(*pixels.shape[:2])) for pixels in pictures]
        for place, (pixels, size) in enumerate(zip(pictures, sizes, strict=True)):
            here = pixels.to(device, non_blocking=True).permute(2, 0, 1)[None].float()
            scaled = functional.interpolate(here, size=tuple(size), mode="bilinear", align_corners=False)[0]
            laid[place, :, : size.height_px, : size.width_px] = (scaled - self.mean) / self.std
        return CanvasBatch(laid, sizes + [Size(1, 1)] * (places - len(sizes)), len(sizes))

    def forward(self, images: CanvasBatch, _targets: None = None) -> tuple[ImageList, None]:
        """What torchvision's models ask of their transform: the batch, and the size of each picture in it."""
        return ImageList(images.canvas, [(size.height_px, size.width_px) for size in images.sizes]), None

    def postprocess(self, found: list[dict[str, Tensor]], *_sizes: object) -> list[dict[str, Tensor]]:
        """As it is: scaling boxes back picture by picture would make the device wait for the host a dozen times."""
        return found
