"""fcos_small: torchvision's FCOS, small enough to be trained on a CPU. There are no published weights."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torchvision.models.detection import FCOS
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.fcos import FCOSClassificationHead, FCOSHead, FCOSRegressionHead

STRIDE_PX = 8
_WIDTHS = (32, 64, 128)
_CHANNELS = 64
_INITIAL_DISTANCE = 2.5
"""Strides from a cell's centre to each side of its box before training: a typical figure in a picture of 160 px."""


def layer(channels: int, out: int, kernel: int = 3, stride: int = 1) -> nn.Sequential:
    """A convolution with batch statistics, maps (B, channels, H, W) to (B, out, H / stride, W / stride)."""
    convolution = nn.Conv2d(channels, out, kernel, stride, kernel // 2, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(out), nn.ReLU(inplace=True))


class Residual(nn.Module):
    """Two layers with a shortcut around them."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = layer(channels, channels)
        self.second = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, maps: Tensor) -> Tensor:
        """Same shape in and out."""
        return torch.relu(maps + self.second(self.first(maps)))


class _Backbone(nn.Module):
    """Pictures (B, 3, H, W), sides multiples of 16, to a map (B, 64, H / 8, W / 8), one of half its sides in it."""

    def __init__(self) -> None:
        super().__init__()
        self.out_channels = _CHANNELS
        first, middle, last = _WIDTHS
        # a first layer of stride 4: a CPU would spend most of its time on larger maps
        self.stem = layer(3, first, 7, 4)
        self.fine = nn.Sequential(layer(first, middle, 3, 2), Residual(middle))
        self.coarse = nn.Sequential(layer(middle, last, 3, 2), Residual(last), Residual(last))
        self.from_fine, self.from_coarse = nn.Conv2d(middle, _CHANNELS, 1), nn.Conv2d(last, _CHANNELS, 1)
        self.join = layer(_CHANNELS, _CHANNELS)

    def forward(self, images: Tensor) -> dict[str, Tensor]:
        """The feature map by its name, as torchvision expects it."""
        fine = self.fine(self.stem(images.contiguous(memory_format=torch.channels_last)))
        coarse = functional.interpolate(self.from_coarse(self.coarse(fine)), scale_factor=2.0, mode="nearest")
        return {"0": self.join(self.from_fine(fine) + coarse)}


class _Head(FCOSHead):  # type: ignore[misc]  # torchvision has no types
    """torchvision's head with one layer a tower and batch norms; losses and boxes are computed in float32."""

    def __init__(self, classes: int) -> None:
        super().__init__(_CHANNELS, 1, classes, 1)
        self.classification_head = FCOSClassificationHead(_CHANNELS, 1, classes, 1, norm_layer=nn.BatchNorm2d)
        self.regression_head = FCOSRegressionHead(_CHANNELS, 1, 1, norm_layer=nn.BatchNorm2d)
        nn.init.constant_(self.regression_head.bbox_reg.bias, _INITIAL_DISTANCE)
        for tower in (self.classification_head, self.regression_head):
            nn.init.kaiming_normal_(tower.conv[0].weight)

    def forward(self, maps: list[Tensor]) -> dict[str, Tensor]:
        """Class logits, distances to the sides of a box, and centre-ness."""
        return {name: output.float() for name, output in super().forward(maps).items()}


def fcos_small(*, weights: None = None, weights_backbone: None = None, num_classes: int = 2, **more: Any) -> FCOS:
    """FCOS (Tian et al. 2019) with one feature map of stride 8, which is enough for figures 15 to 150 px high, as in
    most paintings whose longer side has 160 px, and 0.9 million weights; classes as torchvision counts them.
    """
    if weights is not None or weights_backbone is not None:
        raise ValueError("expected no weights: fcos_small has none of its own")
    ours = {
        "anchor_generator": AnchorGenerator(((STRIDE_PX,),), ((1.0,),)),
        "image_mean": [0.5] * 3,
        "image_std": [0.25] * 3,
        "topk_candidates": 200,
        "score_thresh": 0.01,
        **dict.fromkeys(("min_size", "max_size"), 160),
    }
    return FCOS(_Backbone(), num_classes, head=_Head(num_classes), **{**ours, **more})
