"""The shipped detector: its layout, its steadiness, and how well it finds figures it never saw."""

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from examples.museum import detector_score
from examples.museum.detector_score import average_precision_50, letterbox
from examples.museum.figures import Figure
from examples.museum.paint import Work, paint

SIDE_PX = 160
# neither the museum's usual seed, nor one that the detector was trained or chosen by
UNSEEN_SEED = 424_243
WEIGHTS = Path(detector_score.__file__).parent / "weights" / "figures.onnx"


@pytest.fixture(scope="module")
def session() -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(WEIGHTS, options, providers=["CPUExecutionProvider"])


@pytest.fixture(scope="module")
def works() -> list[Work]:
    return [paint(UNSEEN_SEED, number) for number in range(150)]


def _images(works: list[Work]) -> NDArray[np.float32]:
    squares = np.stack([letterbox(work.pixels, SIDE_PX)[0] for work in works])
    return np.ascontiguousarray(squares.transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255))


def _work(figures: tuple[Figure, ...]) -> Work:
    return Work(np.zeros((320, 160, 3), dtype=np.uint8), "", "", "", "", None, figures, is_grey=False)


def test_the_file_is_small_and_alone() -> None:
    assert WEIGHTS.stat().st_size <= 1_500_000
    assert {path.name for path in WEIGHTS.parent.iterdir()} == {"README.md", "figures.onnx"}


def test_the_layout_is_the_promised_one(session: onnxruntime.InferenceSession, works: list[Work]) -> None:
    (given,), (found,) = session.get_inputs(), session.get_outputs()
    assert (given.name, given.type, given.shape[1:]) == ("images", "tensor(float)", [3, SIDE_PX, SIDE_PX])
    assert (found.name, found.type, found.shape[1:]) == ("detections", "tensor(float)", [50, 6])
    detections = session.run(["detections"], {"images": _images(works[:5])})[0]
    assert detections.shape == (5, 50, 6)
    assert (detections[:, :, :4] >= 0).all()
    assert (detections[:, :, :4] <= SIDE_PX).all()
    assert (detections[:, :, 2:4] >= detections[:, :, :2]).all()
    assert (np.diff(detections[:, :, 4], axis=1) <= 0).all()
    assert ((detections[:, :, 4] >= 0) & (detections[:, :, 4] <= 1)).all()
    assert (detections[:, :, 5] == 0).all()


def test_an_image_gets_the_same_answer_in_any_company(session: onnxruntime.InferenceSession, works: list[Work]) -> None:
    images = _images(works[:8])
    together = session.run(None, {"images": images})[0]
    turned = session.run(None, {"images": images[::-1].copy()})[0]
    np.testing.assert_array_equal(turned[::-1], together)
    for number in range(8):
        np.testing.assert_array_equal(
            session.run(None, {"images": images[number : number + 1]})[0], together[number : number + 1]
        )


def test_it_finds_figures_it_never_saw(session: onnxruntime.InferenceSession, works: list[Work]) -> None:
    images = _images(works)
    found = np.concatenate(
        [session.run(None, {"images": images[first : first + 50]})[0] for first in range(0, 150, 50)]
    )
    assert average_precision_50(works, found, SIDE_PX) >= 0.8


@pytest.mark.parametrize(
    ("box", "score"),
    [
        ((10.0, 20.0, 30.0, 60.0), 1.0),  # the truth, halved by the letterbox
        ((10.0, 20.0, 18.0, 60.0), 0.0),  # too narrow to count
    ],
)
def test_average_precision_of_one_figure(box: tuple[float, ...], score: float) -> None:
    figure = Figure((20.0, 40.0, 40.0, 80.0), ((0.0, 0.0, 0),) * 17, is_crowd=False)
    found = np.zeros((1, 50, 6), dtype=np.float32)
    found[0, 0] = [*box, 0.9, 0.0]
    assert average_precision_50([_work((figure,))], found, SIDE_PX) == pytest.approx(score)


def test_a_letterbox_is_top_left_and_grey() -> None:
    square, scale = letterbox(np.full((320, 160, 3), 7, dtype=np.uint8), SIDE_PX)
    assert scale == 0.5
    assert (square[:, :80] == 7).all()
    assert (square[:, 80:] == 114).all()
