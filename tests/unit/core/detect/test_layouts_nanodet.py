"""NanoDet's raw outputs as boxes: distances worked out by hand, both exports, and a sentence for any other."""

import math

import numpy as np
import pytest

from tasks.core.detect.layouts import boxes_from_nanodet, check_outputs, read_boxes

F = np.float32
HEIGHT, WIDTH = 64, 128
CELLS = {8: (8, 16), 16: (4, 8), 32: (2, 4), 64: (1, 2)}
THREE, FOUR = (8, 16, 32), (8, 16, 32, 64)


def levels(strides: tuple[int, ...] = THREE, classes: int = 2, bins: int = 8) -> dict[int, tuple[np.ndarray, ...]]:
    """Scores of 0 and even distributions, by stride."""
    counts = {stride: math.prod(CELLS[stride]) for stride in strides}
    return {stride: (np.zeros((count, classes), F), np.zeros((count, 4 * bins), F)) for stride, count in counts.items()}


def joined(of: dict[int, tuple[np.ndarray, ...]]) -> list[np.ndarray]:
    return [np.concatenate([np.concatenate(pair, axis=1) for pair in of.values()])]


def interleaved(of: dict[int, tuple[np.ndarray, ...]]) -> list[np.ndarray]:
    return [output for pair in of.values() for output in pair]


def grouped(of: dict[int, tuple[np.ndarray, ...]]) -> list[np.ndarray]:
    return [pair[part] for part in (0, 1) for pair in of.values()]


def set_box(of: dict[int, tuple[np.ndarray, ...]], stride: int, cell: int, sides: list[int], score: float) -> None:
    """A box whose distances are whole strides: nearly all of a distribution lies in one place."""
    scores, numbers = of[stride]
    scores[cell, 1] = score
    numbers[cell] = 0
    numbers.reshape(len(numbers), 4, -1)[cell, range(4), sides] = 60


@pytest.mark.parametrize("export", [joined, interleaved, grouped], ids=lambda export: export.__name__)
@pytest.mark.parametrize(
    ("strides", "stride", "cell", "start"),
    [
        pytest.param(THREE, 8, 0, (4, 4), id="NanoDet: from the middle of the first cell"),
        pytest.param(THREE, 8, 17, (12, 12), id="x runs first"),
        pytest.param(THREE, 16, 8, (8, 24), id="stride 16"),
        pytest.param(THREE, 32, 7, (112, 48), id="the last cell"),
        pytest.param(FOUR, 8, 17, (8, 8), id="NanoDet-Plus: from the corner of a cell"),
        pytest.param(FOUR, 64, 1, (64, 0), id="stride 64"),
    ],
)
def test_a_row_is_a_cell_and_its_distances_to_the_four_sides(export, strides, stride, cell, start):
    of = levels(strides)
    set_box(of, stride, cell, [1, 2, 3, 0], 0.75)
    xyxy, scores = boxes_from_nanodet(export(of), HEIGHT, WIDTH, [1, 0], 0.5)
    x, y = start
    assert xyxy.tolist() == [pytest.approx([x - stride, y - 2 * stride, x + 3 * stride, y], abs=1e-3)]
    assert scores.tolist() == [[0.75, 0]]
    assert (xyxy.dtype, scores.dtype) == (F, F)


@pytest.mark.parametrize("bins", [2, 8, 11, 17])
def test_an_even_distribution_reaches_half_as_far_as_it_could(bins: int):
    of = levels(bins=bins)
    of[32][0][0, 0] = 0.9
    xyxy, _ = boxes_from_nanodet(interleaved(of), HEIGHT, WIDTH, [0], 0.5)
    reach = (bins - 1) / 2 * 32
    assert xyxy.tolist() == [pytest.approx([16 - reach, 16 - reach, 16 + reach, 16 + reach])]


def test_as_many_classes_as_numbers_are_told_apart_by_their_order():
    of = levels(classes=32)
    set_box(of, 16, 3, [1, 1, 1, 1], 0.5)
    for export in (interleaved, grouped):
        xyxy, scores = boxes_from_nanodet(export(of), HEIGHT, WIDTH, [1], 0.4)
        assert xyxy.tolist() == [pytest.approx([40, -8, 72, 24], abs=1e-3)]
        assert scores.tolist() == [[0.5]]


def test_sides_of_an_input_that_strides_do_not_divide_end_in_a_part_of_a_cell():
    """A picture of 416 px has 7 cells of 64."""
    count = sum(math.ceil(416 / stride) ** 2 for stride in FOUR)
    assert count == 52 * 52 + 26 * 26 + 13 * 13 + 7 * 7
    raw = np.zeros((count, 112), F)
    raw[-1, 0] = 0.9
    ((x_min, _, x_max, _),), _ = boxes_from_nanodet([raw], 416, 416, [0], 0.5)
    assert (x_min + x_max) / 2 == 6 * 64


def test_numbers_that_would_overflow_are_held():
    of = levels()
    of[8][0][0, 0] = 1
    of[8][1][0] = 1e30
    xyxy, _ = boxes_from_nanodet(joined(of), HEIGHT, WIDTH, [0], 0.5)
    assert np.isfinite(xyxy).all()


def test_scores_that_are_no_numbers_reach_no_floor_and_no_box_is_no_box():
    of = levels()
    of[8][0][:] = np.nan
    xyxy, scores = boxes_from_nanodet(joined(of), HEIGHT, WIDTH, [0], 0.0)
    assert len(xyxy) == len(scores) == math.prod(CELLS[16]) + math.prod(CELLS[32])
    xyxy, scores = boxes_from_nanodet(joined(levels()), HEIGHT, WIDTH, [0, 1], 0.5)
    assert (xyxy.shape, scores.shape) == ((0, 4), (0, 2))


def test_a_class_that_the_model_does_not_have_is_refused():
    with pytest.raises(ValueError, match=r"expected class 2, got a model of 2 classes 0\.\.1"):
        boxes_from_nanodet(joined(levels()), HEIGHT, WIDTH, [2], 0.5)


def check(layout: str, outputs: list[np.ndarray], height: int = HEIGHT, width: int = WIDTH) -> None:
    read = outputs if layout == "nanodet" else outputs[:1]
    check_outputs(layout, read, [output.shape for output in outputs], height, width)


def is_accepted(layout: str, outputs: list[np.ndarray]) -> bool:
    try:
        check(layout, outputs)
        read_boxes(layout, outputs, HEIGHT, WIDTH, [0], 0.01)
    except ValueError as problem:
        assert "expected " in str(problem)  # noqa: PT017
        return False
    return True


@pytest.mark.parametrize("strides", [THREE, FOUR])
@pytest.mark.parametrize("export", [joined, interleaved, grouped], ids=lambda export: export.__name__)
def test_every_export_has_the_shapes_of_its_layout_and_of_no_other(export, strides):
    of = levels(strides, classes=80)
    for _, numbers in of.values():
        numbers[:] = np.random.default_rng(3).normal(size=numbers.shape)
    others = ("yolox", "yolov5", "yolov8", "fastestdet", "plain")
    assert [layout for layout in ("nanodet", *others) if is_accepted(layout, export(of))] == ["nanodet"]


@pytest.mark.parametrize(
    "outputs",
    [
        pytest.param([joined(levels())[0][None]], id="with a batch"),
        pytest.param([joined(levels())[0][:, :32]], id="without a class"),
        pytest.param([joined(levels())[0][:-1]], id="a row too few"),
        pytest.param(interleaved(levels())[:-1], id="five outputs"),
        pytest.param(interleaved(levels(bins=1)), id="one number for a side"),
        pytest.param(interleaved(levels(bins=99)), id="99 numbers for a side"),
        pytest.param([output[:, :-1] for output in interleaved(levels())], id="31 numbers"),
        pytest.param([*interleaved(levels())[:4], *interleaved(levels(classes=3))[4:]], id="classes that differ"),
        pytest.param([np.zeros(6, F)] * 6, id="rows alone"),
        pytest.param([np.float32(1)] * 6, id="numbers"),
        pytest.param([], id="nothing"),
    ],
)
def test_other_shapes_are_refused_in_one_sentence(outputs):
    with pytest.raises(ValueError, match=r"^expected one output of 168 or 170 rows of class scores and 32 numbers, or"):
        check("nanodet", [np.asarray(output) for output in outputs])


def test_scores_without_their_sigmoid_are_refused():
    of = levels()
    of[16][0][:] = -4.6
    with pytest.raises(
        ValueError, match=r"expected class scores of 0 to 1, got -4\.6 to 0: a model without its sigmoid"
    ):
        check("nanodet", interleaved(of))


# --- how other layouts are told apart


def rows(count: int, columns: int, centre: float = 30) -> np.ndarray:
    return np.full((count, columns), centre, F)


CELLS_OF_THREE = 128 + 32 + 8


@pytest.mark.parametrize(
    ("layout", "outputs"),
    [
        pytest.param("yolov5", [rows(3 * CELLS_OF_THREE, 85)], id="v5 and v7: three for each cell"),
        pytest.param("yolov5", [rows(CELLS_OF_THREE, 85)], id="v6: one"),
        pytest.param("yolov5", [rows(3 * (CELLS_OF_THREE + 2), 85)], id="with stride 64"),
        pytest.param("yolov5", [rows(3 * (32 + 8), 85)], id="of two heads"),
        pytest.param("yolov5", [rows(3 * CELLS_OF_THREE, 85), np.zeros((3, 8, 16, 85))], id="with its raw heads"),
        pytest.param("yolov8", [rows(CELLS_OF_THREE, 84).T], id="v8"),
        pytest.param("yolov8", [rows(CELLS_OF_THREE, 116).T, np.zeros((32, 16, 32))], id="v8 with masks"),
    ],
)
def test_yolos_own_exports_pass(layout: str, outputs: list[np.ndarray]):
    check(layout, outputs)


@pytest.mark.parametrize(
    ("layout", "outputs", "message"),
    [
        pytest.param("yolov5", [rows(128, 80)], "128 x 64 px, 168 or three times as many, got 128", id="one of six"),
        pytest.param("yolov5", [rows(100, 7)], "168 or three times as many, got 100", id="suppressed boxes"),
        pytest.param("yolov8", [rows(100, 84).T], "168 or three times as many, got 100", id="another number"),
        pytest.param(
            "yolov5", [rows(168, 85, 0.5)], "expected centres of boxes in px of the input, got none", id="0..1"
        ),
        pytest.param("yolov8", [rows(168, 84, 0.5).T], "expected centres of boxes in px of the input", id="0..1, v8"),
        pytest.param("yolox", [rows(168, 85)] * 2, "expected one output for a picture, got 2 (168 x 85, 168", id="two"),
        pytest.param("plain", [rows(9, 6)] * 8, "got 8 (9 x 6, 9 x 6, 9 x 6, 9 x 6, 9 x 6, 9 x 6, ...)", id="eight"),
        pytest.param("fastestdet", [np.zeros((85, 4, 8))] * 2, "got 2 (85 x 4 x 8, 85 x 4 x 8)", id="two grids"),
    ],
)
def test_other_exports_are_refused_before_the_first_picture(layout: str, outputs: list[np.ndarray], message: str):
    with pytest.raises(ValueError, match=r"^expected ") as caught:
        check(layout, outputs)
    assert message in str(caught.value)
