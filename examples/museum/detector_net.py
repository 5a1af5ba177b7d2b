"""A small figure detector: one map of figures' centres, one of their boxes."""

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from tasks.io.detectors.small_detector import Residual, layer

INPUT_PX = 160
STRIDE_PX = 4
CELLS = INPUT_PX // STRIDE_PX
DETECTIONS = 50

# a reach of exp(0) is this many pixels: about half a usual figure
_REACH_PX = 16.0


class FigureNet(nn.Module):
    """Pictures (B, 3, 160, 160), RGB 0..1, to centre logits (B, 40, 40) and boxes (B, 4, 40, 40).

    A box is x_min, y_min, x_max, y_max in input pixels, as the cell in that place sees it.
    """

    def __init__(self) -> None:
        """A net of random weights."""
        super().__init__()
        self.fine = nn.Sequential(layer(3, 24, stride=2), layer(24, 40, stride=2))
        self.middle = nn.Sequential(layer(40, 64, stride=2), Residual(64))
        self.coarse = nn.Sequential(layer(64, 68, stride=2), Residual(68), Residual(68))
        self.from_coarse, self.from_middle, self.from_fine = (nn.Conv2d(channels, 48, 1) for channels in (68, 64, 40))
        self.join_middle, self.join_fine = layer(48, 48), layer(48, 48)
        self.centres, self.reaches = nn.Conv2d(48, 1, 1), nn.Conv2d(48, 4, 1)
        middles = (torch.arange(CELLS) + 0.5) * STRIDE_PX
        grid = torch.stack([middles[None, :].expand(CELLS, CELLS), middles[:, None].expand(CELLS, CELLS)])
        self.register_buffer("grid", grid, persistent=False)
        self._calm()

    def _calm(self) -> None:
        """Starts from "hardly anybody anywhere", so that the first steps are not spent on saying so."""
        nn.init.constant_(cast(Tensor, self.centres.bias), -4.0)
        for head in (self.centres, self.reaches):
            nn.init.normal_(head.weight, std=0.01)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Centre logits and boxes, see the class."""
        fine = self.fine(images - 0.5)
        middle = self.middle(fine)
        coarse = self.coarse(middle)
        middle = self.join_middle(self.from_middle(middle) + _twice(self.from_coarse(coarse)))
        fine = self.join_fine(self.from_fine(fine) + _twice(middle))
        reach = torch.exp(self.reaches(fine).float().clamp(-4.0, 3.0)) * _REACH_PX
        grid = cast(Tensor, self.grid)
        boxes = torch.cat([grid - reach[:, :2], grid + reach[:, 2:]], dim=1)
        return self.centres(fine)[:, 0].float(), boxes


def _twice(maps: Tensor) -> Tensor:
    return functional.interpolate(maps, scale_factor=2.0, mode="nearest")


class Detector(nn.Module):
    """The net with its answers read out: (B, 50, 6) of x_min, y_min, x_max, y_max (input pixels), score, class 0."""

    def __init__(self, net: FigureNet) -> None:
        """A detector around the net, which it shares."""
        super().__init__()
        self.net = net

    def forward(self, images: Tensor) -> Tensor:
        """Detections, the surest first: the cells that no neighbour outdoes."""
        logits, boxes = self.net(images)
        scores = torch.sigmoid(logits)
        peaks = functional.max_pool2d(scores[:, None], 3, 1, 1)[:, 0]
        scores = torch.where(scores == peaks, scores, torch.zeros_like(scores))
        best, cells = torch.topk(scores.flatten(1), DETECTIONS, dim=1)
        chosen = torch.gather(boxes.flatten(2), 2, cells[:, None, :].expand(-1, 4, -1)).transpose(1, 2)
        chosen = chosen.clamp(0.0, float(INPUT_PX))
        return torch.cat([chosen, best[:, :, None], torch.zeros_like(best)[:, :, None]], dim=2)
