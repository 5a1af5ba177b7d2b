"""torchvision's detectors on canvases: the same boxes as torchvision's own way, and a way out of each fault of a
device.
"""

import contextlib
import gc
import io
import logging
import weakref

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn
from torchvision.models import detection
from torchvision.models.detection.backbone_utils import mobilenet_backbone

from schemas.detect import Detect
from schemas.errors import BadInput
from tasks.io.detectors import decoding, devices, loading, torchvision_models
from tasks.io.detectors.canvases import Canvases, Size
from tasks.io.detectors.loading import InferenceOptions
from tasks.io.detectors.stream import PictureDetections
from tasks.io.detectors.torchvision_detector import TorchvisionDetector
from tests.support.models import SETTINGS, Failing, small

pytestmark = pytest.mark.slow

CPU = torch.device("cpu")
LOST = RuntimeError("CUDA error: an illegal memory access was encountered")


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def pictures(count: int, height: int = 90, width: int = 120) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    return [rng.integers(0, 256, (height, width, 3), dtype=np.uint8) for _ in range(count)]


def same(one: PictureDetections, other: PictureDetections, px: float = 0.0, score: float = 0.0) -> None:
    assert len(one.scores) == len(other.scores) > 0
    np.testing.assert_allclose(one.xyxy_px, other.xyxy_px, atol=px, rtol=0)
    np.testing.assert_allclose(one.scores, other.scores, atol=score, rtol=0)


# --- torchvision's own way


class Padded(Canvases):
    """As torchvision pads a picture that comes alone."""

    def canvas_for(self, picture: Size) -> Size:
        scaled = self.scaled_size(picture)
        return self.fixed or Size(-(-scaled.height_px // 32) * 32, -(-scaled.width_px // 32) * 32)


def keypoints() -> nn.Module:
    backbone = mobilenet_backbone(backbone_name="mobilenet_v3_large", weights=None, fpn=True, trainable_layers=6)
    anchors = detection.anchor_utils.AnchorGenerator(((32, 64),) * 3, ((1.0,),) * 3)
    return detection.KeypointRCNN(
        backbone, 2, rpn_anchor_generator=anchors, min_size=96, max_size=160, box_detections_per_img=9
    )


MODELS = {
    "fasterrcnn_mobilenet_v3_large_320_fpn": None,
    "ssdlite320_mobilenet_v3_large": None,
    "retinanet_resnet50_fpn": None,
    "fcos_small": small,
    "keypointrcnn_resnet50_fpn": keypoints,
}


@pytest.mark.parametrize("name", MODELS)
def test_on_torchvisions_own_canvas_the_boxes_are_torchvisions(name):
    torch.manual_seed(1)
    model = (MODELS[name] or (lambda: torchvision_models.build(name, 2, 96, 160)))().eval()
    settings = Detect(model=name, least_score=0, at_most=9 if "keypoint" in name else 100)
    ours = TorchvisionDetector(model, settings, CPU)
    ours._load().transform.canvases = Padded(*ours._load().transform.canvases)
    loading.set_limits(model, settings)
    picture = pictures(1, 130, 200)[0]
    with torch.inference_mode():
        (theirs,) = model([torch.from_numpy(picture).permute(2, 0, 1).float() / 255])
    people = theirs["labels"] == 1

    (found,) = ours.detect([picture])

    same(
        found,
        PictureDetections(theirs["boxes"][people].numpy(), theirs["scores"][people].numpy(), np.ones(0)),
        1e-3,
        1e-4,
    )
    assert set(found.labels) == {1}
    if "keypoint" in name:
        np.testing.assert_allclose(found.keypoints_xyv[:, :, :2], theirs["keypoints"][people][:, :, :2], atol=1e-2)
        assert found.keypoints_xyv.shape == (len(found.scores), 17, 3)
    else:
        assert found.keypoints_xyv is None


def loud(name: str) -> nn.Module:
    """A model of random weights whose scores differ, though its maps are near 0."""
    torch.manual_seed(1)
    model = torchvision_models.build(name, 2, 96, 160)
    head = model.roi_heads if hasattr(model, "roi_heads") else model.head
    with torch.no_grad():
        for weights in head.parameters():
            weights.mul_(10)
    return model


@pytest.mark.parametrize("name", ["fasterrcnn_mobilenet_v3_large_320_fpn", "ssdlite320_mobilenet_v3_large"])
def test_bfloat16_goes_through_each_kind_of_head_and_its_scores_are_float32(name):
    settings = Detect(model=name, least_score=0)
    (found,) = TorchvisionDetector(loud(name), settings, CPU, InferenceOptions(torch.bfloat16)).detect(pictures(1))
    assert len(found.scores)
    assert (torch.from_numpy(found.scores).bfloat16().float().numpy() != found.scores).any()


# --- odd pictures, neighbours


def test_a_first_picture_that_is_far_lower_than_its_canvas_leaves_the_others_as_they_are():
    name = "fasterrcnn_mobilenet_v3_large_320_fpn"
    model, settings = loud(name), Detect(model=name, least_score=0)
    alone, after = TorchvisionDetector(model, settings, CPU), TorchvisionDetector(model, settings, CPU)
    (picture,) = pictures(1)
    after.detect(pictures(1, 20, 2000))
    same(after.detect([picture])[0], alone.detect([picture])[0])


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (200, 20_000), (20_000, 200), (160, 160), (31, 33)])
def test_odd_pictures_have_boxes_inside_them(size):
    (found,) = TorchvisionDetector(small(), SETTINGS, CPU).detect(pictures(1, *size))
    assert len(found.scores)
    assert found.xyxy_px.min() >= 0
    assert (found.xyxy_px.max(0) <= np.array([size[1], size[0]] * 2) * (1 + 1e-6)).all()


def test_what_is_found_does_not_depend_on_neighbours_or_on_threads_before():
    detector, some = TorchvisionDetector(small(), SETTINGS, CPU, InferenceOptions(batch_size=4)), pictures(4)
    canvas = detector.canvas_for(Size(90, 120))
    held = [detector.decode(_png(one)) for one in some]
    whole = detector.start(detector.stage(held, canvas))()
    others = detector.start(detector.stage([held[2], held[0]], canvas))()
    same(whole[2], others[0], 1e-3, 1e-5)  # another shape of batch, other kernels: the last bits differ
    swapped = detector.start(detector.stage([held[2], held[3], held[1], held[0]], canvas))()
    same(whole[2], swapped[0])
    same(whole[0], swapped[3])


def _png(pixels: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def test_bfloat16_moves_scores_by_little_and_not_beyond_its_precision():
    full, half = (
        TorchvisionDetector(small(), SETTINGS, CPU, InferenceOptions(precision))
        for precision in (torch.float32, torch.bfloat16)
    )
    (one,), (other,) = full.detect(pictures(1)), half.detect(pictures(1))
    assert 0 < abs(one.scores.max() - other.scores.max()) < 0.01
    assert other.scores.dtype == np.float32


def test_torch_has_its_threads_back():
    torch.set_num_threads(2)
    TorchvisionDetector(small(), SETTINGS, CPU).detect(pictures(1))
    assert torch.get_num_threads() == 2


# --- memory, devices


def failing(problem: Exception, **when: int) -> nn.Module:
    model = small()
    model.backbone = Failing(model.backbone, problem, **when)
    return model


@pytest.mark.parametrize(
    "problem",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
        RuntimeError("GET was unable to find an engine to execute this computation"),
    ],
)
def test_a_batch_that_does_not_fit_is_halved_until_it_does(problem):
    narrow = TorchvisionDetector(failing(problem, most=3, times=0), SETTINGS, CPU, InferenceOptions(batch_size=11))
    some = [narrow.decode(_png(one)) for one in pictures(11)]
    canvas = narrow.canvas_for(some[0].size)
    found = narrow.start(narrow.stage(some, canvas))()
    alone = TorchvisionDetector(small(), SETTINGS, CPU).detect(pictures(11))
    for one, other in zip(found, alone, strict=True):
        same(one, other, 1e-3, 1e-5)
    assert narrow.batch_size(canvas) <= 3


class Hungry(Failing):
    """Takes one picture at a time, and knows how much of what it held when it failed is still there when it is asked
    again.
    """

    def forward(self, pictures: torch.Tensor) -> dict[str, torch.Tensor]:
        held = pictures.clone()
        if len(held) > 1:
            self.left["held"] = [weakref.ref(held), weakref.ref(pictures)]
            raise torch.OutOfMemoryError("CUDA out of memory")
        self.left["alive"] = sum(one() is not None for one in self.left["held"])
        return self.backbone(held)


def test_a_batch_that_did_not_fit_holds_no_memory_while_its_halves_go_through():
    model = small()
    model.backbone = Hungry(model.backbone, LOST)
    detector = TorchvisionDetector(model, SETTINGS, CPU, InferenceOptions(batch_size=2))
    some = [detector.decode(_png(one)) for one in pictures(2)]
    staged = detector.stage(some, detector.canvas_for(some[0].size))
    gc.disable()
    try:
        assert len(detector.start(staged)()) == 2
    finally:
        gc.enable()
    assert model.backbone.left["alive"] == 0


def test_an_error_for_want_of_memory_keeps_none_of_it_for_as_long_as_it_is_kept():
    held: list[weakref.ref[torch.Tensor]] = []

    def work() -> None:
        values = torch.ones(9)
        held.append(weakref.ref(values))
        raise torch.OutOfMemoryError("CUDA out of memory")

    detector = TorchvisionDetector(small(), SETTINGS, CPU)
    with pytest.raises(torch.OutOfMemoryError) as kept, detector._translate_errors():
        work()
    assert held[0]() is None
    assert kept.value.__context__.__traceback__


def test_one_picture_that_does_not_fit_is_bad_input():
    with pytest.raises(BadInput, match="expected cpu to have memory for one picture of 160 x 128 px, got too little"):
        TorchvisionDetector(failing(torch.OutOfMemoryError("no"), most=0), SETTINGS, CPU).detect(pictures(1))


def test_a_device_without_room_for_the_model_is_bad_input(monkeypatch):
    def full(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    monkeypatch.setattr(loading, "load_on_device", full)
    with pytest.raises(BadInput, match="expected cpu to have memory for the model, got too little"):
        TorchvisionDetector(small(), SETTINGS, CPU)


def test_a_lost_device_is_a_fault_that_may_pass_and_the_next_try_finds_the_same():
    detector = TorchvisionDetector(failing(LOST, at=1), SETTINGS, CPU)
    (before,) = detector.detect(pictures(1))
    with pytest.raises(OSError, match="expected cpu to answer, got CUDA error: an illegal memory access"):
        detector.detect(pictures(1))
    (after,) = detector.detect(pictures(1))
    same(before, after)


def test_what_is_on_its_way_to_a_device_that_fails_is_never_freed():
    detector = TorchvisionDetector(failing(LOST), SETTINGS, CPU)
    picture = detector.decode(_png(pictures(1)[0]))
    staged = detector.stage([picture], detector.canvas_for(picture.size))
    with contextlib.suppress(OSError):
        detector.start(staged)
    held = weakref.ref(staged)
    del staged
    gc.collect()
    assert held() is not None


def test_a_machine_that_lets_no_page_be_pinned_decodes_all_the_same(monkeypatch):
    detector, usual = TorchvisionDetector(small(), SETTINGS, CPU), decoding.decode_on_cpu

    def unpinned(data: bytes, *, is_pinned: bool = False) -> decoding.PicturePixels:
        if is_pinned:
            raise RuntimeError("CUDA error: out of memory")
        return usual(data)

    monkeypatch.setattr(decoding, "decode_on_cpu", unpinned)
    monkeypatch.setattr(detector, "_loaded", detector._loaded._replace(device=torch.device("cuda", 0)))
    monkeypatch.setattr(devices, "use_device", lambda _: contextlib.nullcontext())
    assert detector.decode(_png(pictures(1)[0])).size == Size(90, 120)


def test_a_gpu_that_does_not_answer_is_replaced_by_the_cpu_and_said_once(caplog):
    if torch.cuda.is_available():
        pytest.skip("here is a GPU that answers")
    with caplog.at_level(logging.WARNING):
        detector = TorchvisionDetector(small(), SETTINGS, torch.device("cuda", 0))
        (found,) = detector.detect(pictures(1))
    assert detector.device == CPU
    assert [record.message for record in caplog.records] == [
        "cuda:0 does not respond any more in this process: continuing on the CPU"
    ]
    same(found, TorchvisionDetector(small(), SETTINGS, CPU).detect(pictures(1))[0])


def test_after_a_gpu_is_lost_pictures_are_decoded_without_it(monkeypatch):
    """Decoding comes first: were it to ask the lost GPU for pinned memory, no try would ever reach the CPU."""
    if torch.cuda.is_available():
        pytest.skip("here is a GPU that answers")
    detector = TorchvisionDetector(small(), SETTINGS, CPU)
    monkeypatch.setattr(detector, "_device", torch.device("cuda", 0))
    monkeypatch.setattr(detector, "_loaded", None)
    assert detector.decode(_png(pictures(1)[0])).size == Size(90, 120)
    assert detector.device == CPU


def test_an_error_of_the_program_stays_one():
    with pytest.raises(RuntimeError, match="shapes do not match"):
        TorchvisionDetector(failing(RuntimeError("shapes do not match")), SETTINGS, CPU).detect(pictures(1))
