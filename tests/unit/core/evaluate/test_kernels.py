"""The inner loops of scoring by hand: which box takes which figure, and precision where images count several times."""

import numpy as np
import pytest

from tasks.core.evaluate.kernels import IGNORED, RIGHT, WRONG, match_boxes, precision_and_recall


def matched(
    overlaps: list[list[float]],
    ignored: tuple[int, ...] = (),
    crowd: tuple[int, ...] = (),
    outside: tuple[int, ...] = (),
    thresholds: tuple[float, ...] = (0.5,),
    figures: int = 0,
) -> list[list[int]]:
    """figures: how many there are, where there is no box to say so."""
    table = np.array(overlaps, float).reshape(len(overlaps), -1 if overlaps else figures)
    boxes, count = table.shape
    flags = [
        np.array([place in which for place in range(size)], np.bool_)
        for which, size in ((ignored, count), (crowd, count), (outside, boxes))
    ]
    return match_boxes(table, *flags, np.array(thresholds)).tolist()


@pytest.mark.parametrize(
    ("arguments", "verdicts"),
    [
        pytest.param({"overlaps": [], "figures": 2}, [[]], id="no box"),
        pytest.param({"overlaps": [[]]}, [[WRONG]], id="no figure"),
        pytest.param({"overlaps": [[]], "outside": (0,)}, [[IGNORED]], id="no figure, and a box of another size"),
        pytest.param({"overlaps": [[0.5]]}, [[RIGHT]], id="the threshold itself is enough"),
        pytest.param({"overlaps": [[0.49]]}, [[WRONG]], id="a little less"),
        pytest.param({"overlaps": [[0.9], [0.9]]}, [[RIGHT, WRONG]], id="a figure is taken once"),
        pytest.param({"overlaps": [[0.6, 0.7]]}, [[RIGHT]], id="the better of two figures"),
        pytest.param({"overlaps": [[0.6, 0.7], [0.0, 0.8]]}, [[RIGHT, WRONG]], id="which is then taken"),
        pytest.param({"overlaps": [[0.7, 0.7], [0.0, 0.8]]}, [[RIGHT, WRONG]], id="of two equal ones the later"),
        pytest.param({"overlaps": [[0.9], [0.9]], "crowd": (0,), "ignored": (0,)}, [[IGNORED] * 2], id="a crowd"),
        pytest.param({"overlaps": [[0.9], [0.9]], "ignored": (0,)}, [[IGNORED, WRONG]], id="ignored, but no crowd"),
        pytest.param({"overlaps": [[0.5, 0.9]], "ignored": (1,)}, [[RIGHT]], id="a figure before an ignored one"),
        pytest.param({"overlaps": [[0.4, 0.9]], "ignored": (1,)}, [[IGNORED]], id="where it overlaps no figure"),
        pytest.param(
            {"overlaps": [[0.6]], "thresholds": (0.5, 0.6, 0.65, 1.0)},
            [[RIGHT], [RIGHT], [WRONG], [WRONG]],
            id="each threshold for itself",
        ),
        pytest.param({"overlaps": [[1.0]], "thresholds": (1.0,)}, [[RIGHT]], id="the whole figure"),
    ],
)
def test_what_becomes_of_each_box(arguments, verdicts):
    assert matched(**arguments) == verdicts


def scored(verdicts: list[int], image: list[int], times: list[int], figures: int, recalls: list[float]):
    return precision_and_recall(
        np.array(verdicts, np.uint8),
        np.array(image, np.int32),
        np.array(times, np.int64),
        figures,
        np.array(recalls),
    )


@pytest.mark.parametrize(
    ("verdicts", "recalls", "precision", "recall"),
    [
        pytest.param([], [0.0, 1.0], 0.0, 0.0, id="no box"),
        pytest.param([WRONG], [0.0], 0.0, 0.0, id="a wrong one"),
        pytest.param([IGNORED], [0.0], 0.0, 0.0, id="one that does not count"),
        pytest.param([RIGHT], [0.0, 0.5, 1.0], 2 / 3, 0.5, id="one of two figures: 1, 1 and nothing"),
        pytest.param([RIGHT, RIGHT], [0.0, 1.0], 1.0, 1.0, id="both"),
        # precision 1/2 at recall 1/2, 2/3 at recall 1: the best at any higher recall counts, 2/3 everywhere
        pytest.param([WRONG, RIGHT, RIGHT], [0.0, 1.0], 2 / 3, 1.0, id="the best at any higher recall"),
        # 1 at recall 1/2, 2/3 at recall 1
        pytest.param([RIGHT, WRONG, RIGHT], [0.5, 1.0], (1 + 2 / 3) / 2, 1.0, id="falling"),
        pytest.param([RIGHT, IGNORED, RIGHT], [1.0], 1.0, 1.0, id="what is ignored costs nothing"),
    ],
)
def test_precision_and_recall_of_two_figures(verdicts, recalls, precision, recall):
    found = scored(verdicts, [0] * len(verdicts), [1], 2, recalls)
    assert found == (pytest.approx(precision), pytest.approx(recall))


def test_an_image_counts_as_often_as_it_was_drawn():
    """Image 0 twice, image 1 not at all: as two images of one figure each, both found, and no wrong box."""
    assert scored([WRONG, RIGHT], [1, 0], [2, 0], 2, [1.0]) == (pytest.approx(1.0), 1.0)
    # the wrong box of image 1 three times, the right one of image 0 once: 1 of 4
    assert scored([WRONG, RIGHT], [1, 0], [1, 3], 1, [1.0]) == (pytest.approx(1 / 4), 1.0)


def test_an_image_that_was_not_drawn_leaves_no_point():
    assert scored([RIGHT, RIGHT], [0, 1], [0, 1], 1, [0.0, 1.0]) == (pytest.approx(1.0), 1.0)
