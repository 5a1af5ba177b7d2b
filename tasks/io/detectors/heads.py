"""The heads of torchvision's detectors: how many boxes they return, from which score on, and in which precision."""

from typing import Any

import torch
from torch import Tensor, nn
from torchvision.models.detection.ssd import SSDScoringHead
from torchvision.ops import MultiScaleRoIAlign

from schemas.detect import Detect


def set_limits(model: Any, settings: Detect) -> None:
    """Set least score, suppression and number of boxes as in the recipe.

    A model of several classes returns more boxes, since those of other classes are removed later.
    """
    heads = getattr(model, "roi_heads", model)
    heads.score_thresh, heads.nms_thresh = settings.least_score, settings.nms_iou
    heads.detections_per_img = settings.at_most if count_classes(model) <= 2 else 1000 * settings.at_most
    if heads is not model:
        # without masks, which would be pasted into whole pictures: has_mask() reads this attribute
        heads.mask_predictor = None


def count_classes(model: Any) -> int:
    """Number of classes of a torchvision detector, the background included."""
    if hasattr(model, "roi_heads"):
        return int(model.roi_heads.box_predictor.cls_score.out_features)
    head = model.head.classification_head
    return int(head.num_columns if hasattr(head, "num_columns") else head.num_classes)


class Float32Layer(nn.Module):
    """A layer computed in float32, whatever the precision around it: bfloat16 has 8 bits, and scores are stored to
    0.001.
    """

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, values: Tensor) -> Tensor:
        """The layer's output."""
        with torch.autocast(values.device.type, enabled=False):
            output: Tensor = self.layer(values.float())
            return output


class Float32Anchors(nn.Module):
    """A generator of anchors that returns float32 anchors, whatever the type of the feature maps.

    From bfloat16 maps torchvision makes bfloat16 anchors, whose corners beyond 512 px lie on a grid of 4 px.
    """

    def __init__(self, anchors: nn.Module) -> None:
        super().__init__()
        self.anchors = anchors

    def forward(self, images: Any, maps: list[Tensor]) -> Any:
        """As the generator's own, which reads only shape, type and device of the maps."""
        return self.anchors(images, [one.new_empty((), dtype=torch.float32).expand(one.shape) for one in maps])


_ANY_SIDE_PX = 256
"""A multiple of every stride."""

OUTPUT_LAYERS = frozenset({"cls_logits", "bbox_pred", "cls_score", "bbox_reg", "bbox_ctrness", "kps_score_lowres"})
"""Names of the layers that return scores, boxes and joints."""


def compute_outputs_in_float32(model: nn.Module) -> None:
    """For detection: have the layers that return scores and boxes, and the anchors, computed in float32.

    The layers are wrapped, which changes their names in a state dict.
    """
    _use_float32_anchors(model)
    for module in list(model.modules()):
        for name, layer in list(module.named_children()):
            if name in OUTPUT_LAYERS and not isinstance(layer, Float32Layer):
                setattr(module, name, Float32Layer(layer))
        if isinstance(module, SSDScoringHead):
            module.module_list = nn.ModuleList(Float32Layer(layer) for layer in module.module_list)


def cast_outputs_to_float32(model: nn.Module) -> None:
    """For training: have scores and boxes cast to float32, so that losses are computed in it, and float32 anchors.

    The layers themselves keep their precision, and their names in a state dict.
    """
    _use_float32_anchors(model)
    for module in list(model.modules()):
        for name, layer in list(module.named_children()):
            if name in OUTPUT_LAYERS or isinstance(layer, SSDScoringHead):
                layer.register_forward_hook(_to_float32)


def _to_float32(_layer: nn.Module, _inputs: Any, output: Tensor) -> Tensor:
    return output.float()


def _use_float32_anchors(model: nn.Module) -> None:
    for module in list(model.modules()):
        for name, layer in list(module.named_children()):
            if name == "anchor_generator" and not isinstance(layer, Float32Anchors):
                setattr(module, name, Float32Anchors(layer))


def fix_pooling_scales(model: Any) -> None:
    """Set the scales of the box pooling before the first picture.

    torchvision derives them from the sizes of the first pictures and keeps them: after a first picture much lower than
    its canvas, it would pool the boxes of all others at the wrong places.
    """
    pools = [module for module in model.modules() if isinstance(module, MultiScaleRoIAlign)]
    if not pools:
        return
    with torch.inference_mode():
        maps = model.backbone(torch.zeros(1, 3, _ANY_SIDE_PX, _ANY_SIDE_PX))
        for pool in pools:
            pool(maps, [torch.zeros(1, 4)], [(_ANY_SIDE_PX, _ANY_SIDE_PX)])
