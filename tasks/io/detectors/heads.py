"""The heads of torchvision's detectors: how many boxes they give, of which scores, and how exactly they count."""

from typing import Any

import torch
from torch import Tensor, nn
from torchvision.models.detection.ssd import SSDScoringHead
from torchvision.ops import MultiScaleRoIAlign

from schemas.detect import Detect


def set_limits(model: Any, settings: Detect) -> None:
    """Scores, suppression and number as the recipe says.

    A model that knows other classes too must not spend the number on them.
    """
    heads = getattr(model, "roi_heads", model)
    heads.score_thresh, heads.nms_thresh = settings.least_score, settings.nms_iou
    heads.detections_per_img = settings.at_most if count_classes(model) <= 2 else 1000 * settings.at_most
    if heads is not model:
        heads.mask_predictor = (
            None  # has_mask() goes by it: nobody asks for masks, which would be pasted into whole pictures
        )


def count_classes(model: Any) -> int:
    """Classes that a torchvision detector tells apart, the background among them."""
    if hasattr(model, "roi_heads"):
        return int(model.roi_heads.box_predictor.cls_score.out_features)
    head = model.head.classification_head
    return int(head.num_columns if hasattr(head, "num_columns") else head.num_classes)


class Float32Layer(nn.Module):
    """A layer counted in float32, whatever the precision around it: bfloat16 has 8 bits, and scores are stored to
    0.001.
    """

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, values: Tensor) -> Tensor:
        """The layer's output."""
        with torch.autocast(values.device.type, enabled=False):
            counted: Tensor = self.layer(values.float())
            return counted


class Float32Anchors(nn.Module):
    """A generator of anchors that takes their type from maps of float32.

    From bfloat16 maps torchvision makes bfloat16 anchors, whose corners beyond 512 px lie on a grid of 4 px.
    """

    def __init__(self, anchors: nn.Module) -> None:
        super().__init__()
        self.anchors = anchors

    def forward(self, images: Any, maps: list[Tensor]) -> Any:
        """As the generator's own; of the maps it asks nothing but shape, type and device."""
        return self.anchors(images, [one.new_empty((), dtype=torch.float32).expand(one.shape) for one in maps])


_SIDE_PX = 256
"""A multiple of every stride."""

OUTPUT_LAYERS = frozenset({"cls_logits", "bbox_pred", "cls_score", "bbox_reg", "bbox_ctrness", "kps_score_lowres"})
"""Layers that give scores, boxes and joints, by their names."""


def compute_outputs_in_float32(model: nn.Module) -> None:
    """Have the layers that give scores and boxes count in float32, and their anchors lie where they should, in any
    torchvision detector.
    """
    for module in list(model.modules()):
        for name, layer in list(module.named_children()):
            if name in OUTPUT_LAYERS and not isinstance(layer, Float32Layer):
                setattr(module, name, Float32Layer(layer))
            if name == "anchor_generator":
                setattr(module, name, Float32Anchors(layer))
        if isinstance(module, SSDScoringHead):
            module.module_list = nn.ModuleList(Float32Layer(layer) for layer in module.module_list)


def fix_pooling_scales(model: Any) -> None:
    """Have the pooling of boxes know the scales of its maps before any picture comes.

    torchvision's takes them from the sizes of the first pictures that it sees, and keeps them: after a first picture
    that is far lower than its canvas it would look for all others' boxes in the wrong places.
    """
    pools = [module for module in model.modules() if isinstance(module, MultiScaleRoIAlign)]
    if not pools:
        return
    with torch.inference_mode():
        maps = model.backbone(torch.zeros(1, 3, _SIDE_PX, _SIDE_PX))
        for pool in pools:
            pool(maps, [torch.zeros(1, 4)], [(_SIDE_PX, _SIDE_PX)])
