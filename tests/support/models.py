"""A detector of random weights that finds something in any picture, for tests of all that stands around a model."""

import torch
from torch import nn

from schemas.detect import Detect
from tasks.io.detectors import torchvision_models
from tasks.io.detectors.torchvision_models import WeightsMetadata

METADATA = WeightsMetadata("fcos_small", ("person",), 160, 160)
SETTINGS = Detect(model="fcos_small")


def small() -> nn.Module:
    """The smallest model; the same each time."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = torchvision_models.build("fcos_small", 1, 160, 160)
        scores = model.head.classification_head.cls_logits
        nn.init.normal_(scores.weight, std=0.2)
        nn.init.constant_(scores.bias, -1)
    return model.eval()


class Failing(nn.Module):
    """A backbone that raises an error from some batch on, or for batches of more than some pictures.

    Its copies count together.
    """

    def __init__(
        self, backbone: nn.Module, problem: Exception, *, at: int = 0, times: int = 1, most: int = 10**9
    ) -> None:
        super().__init__()
        self.backbone, self.problem, self.most = backbone, problem, most
        self.out_channels = backbone.out_channels
        self.left = {"before": at, "times": times}

    def __deepcopy__(self, _memo: object) -> "Failing":
        return self

    def forward(self, pictures: torch.Tensor) -> dict[str, torch.Tensor]:
        if len(pictures) > self.most:
            raise self.problem
        self.left["before"] -= 1
        if self.left["before"] < 0 < self.left["times"]:
            self.left["times"] -= 1
            raise self.problem
        return self.backbone(pictures)
