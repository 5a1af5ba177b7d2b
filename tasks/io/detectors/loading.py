"""A torchvision model made ready to detect: its limits and precision, pictures on a canvas as one batch, its device."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from torchvision.models.detection.image_list import ImageList
from torchvision.models.detection.ssd import SSDScoringHead
from torchvision.ops import MultiScaleRoIAlign

from schemas.detect import Detect
from tasks.io.detectors import devices
from tasks.io.detectors.canvases import Canvases, Size


def set_limits(model: Any, settings: Detect) -> None:
    """Set least score, suppression and number of boxes; more of several classes, of which others are removed later."""
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
    """A layer in float32, whatever the precision around it: bfloat16 has 8 bits, and scores are stored to 0.001."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, values: Tensor) -> Tensor:
        """The layer's output."""
        with torch.autocast(values.device.type, enabled=False):
            output: Tensor = self.layer(values.float())
            return output


class Float32Anchors(nn.Module):
    """A generator of float32 anchors for any maps: torchvision's in bfloat16 lie on a grid of 4 px beyond 512 px."""

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
    """For detection: compute scores, boxes and anchors in float32. Wraps layers, which renames them in a state dict."""
    _use_float32_anchors(model)
    for module, name, layer in _children(model):
        if name in OUTPUT_LAYERS and not isinstance(layer, Float32Layer):
            setattr(module, name, Float32Layer(layer))
    for module in list(model.modules()):
        if isinstance(module, SSDScoringHead):
            module.module_list = nn.ModuleList(Float32Layer(layer) for layer in module.module_list)


def cast_outputs_to_float32(model: nn.Module) -> None:
    """For training: float32 anchors, and scores and boxes cast to float32; layers keep their precision and names."""
    _use_float32_anchors(model)
    for _, name, layer in _children(model):
        if name in OUTPUT_LAYERS or isinstance(layer, SSDScoringHead):
            layer.register_forward_hook(lambda _layer, _inputs, output: output.float())


def _use_float32_anchors(model: nn.Module) -> None:
    for module, name, layer in _children(model):
        if name == "anchor_generator" and not isinstance(layer, Float32Anchors):
            setattr(module, name, Float32Anchors(layer))


def _children(model: nn.Module) -> list[tuple[nn.Module, str, nn.Module]]:
    """Each module of the model, with each of its layers by name."""
    return [(module, *child) for module in model.modules() for child in module.named_children()]


def fix_pooling_scales(model: Any) -> None:
    """Set the box pooling's scales, which torchvision gets wrong if its first picture is much lower than its canvas."""
    if not (pools := [module for module in model.modules() if isinstance(module, MultiScaleRoIAlign)]):
        return
    with torch.inference_mode():
        maps = model.backbone(torch.zeros(1, 3, _ANY_SIDE_PX, _ANY_SIDE_PX))
        for pool in pools:
            pool(maps, [torch.zeros(1, 4)], [(_ANY_SIDE_PX, _ANY_SIDE_PX)])


class CanvasBatch(list[Tensor]):
    """A batch on its canvas, as torchvision's models accept it: a list of pictures of which they read only the shape.

    tensor: (B, 3, H, W), normalised, zeros where there is no picture. sizes: B sizes on the canvas, 1 x 1 for the empty
    pictures that pad the batch. picture_count: of the others.
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
        """Pictures, each (h, w, 3) uint8, scaled without anti-aliasing, as a batch padded to `batch_size`."""
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


@dataclass(frozen=True)
class InferenceOptions:
    """How a model runs: by default in bfloat16 with decoder threads on a GPU, else in float32 without threads."""

    precision: torch.dtype | None = None
    # pictures of every batch; None: on a GPU found while it runs, 1 on a CPU
    batch_size: int | None = None
    is_compiled: bool = False
    # pixels of nvJPEG and libjpeg differ by a few of 255 levels
    decodes_on_gpu: bool = False
    decoder_threads: int | None = None


DEFAULT_OPTIONS = InferenceOptions()


class LoadedModel(NamedTuple):
    """The model on its device."""

    model: nn.Module
    transform: CanvasTransform
    device: torch.device
    copy_stream: "torch.cuda.Stream | None"


def load_on_device(master: nn.Module, device: torch.device, settings: Detect, options: InferenceOptions) -> LoadedModel:
    """A copy of the model on the device, ready for `CanvasBatch`; `master` itself stays unchanged on the CPU.
    cudnn.benchmark stays off: for each of a box head's batches, of another size each time, it would try every kernel.
    """
    model: Any = copy.deepcopy(master).eval().requires_grad_(False)
    transform = CanvasTransform(model.transform)
    model.transform = transform
    set_limits(model, settings)
    compute_outputs_in_float32(model)
    with devices.use_device(torch.device("cpu")):
        fix_pooling_scales(model)
    with devices.use_device(device):
        model = model.to(device).to(memory_format=torch.channels_last)
        if options.is_compiled:
            model.backbone = torch.compile(model.backbone, dynamic=False)
        copy_stream = torch.cuda.Stream(device) if device.type == "cuda" else None  # type: ignore[no-untyped-call]
        return LoadedModel(model, transform, device, copy_stream)
