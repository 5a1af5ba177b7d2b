"""Numbers of figures, by hand: how many images have many, what is small, what a crowd is, and who has not looked."""

from typing import Any

import pytest

from tasks.core.statistics.figures import count_images, figure_numbers
from tests.support.truths import apart, box, contents, image


def numbers(images: list[Any], boxes: list[Any], *, has_crowds: bool = True) -> dict[str, float | None]:
    return figure_numbers(count_images(contents(images, boxes), has_crowds=has_crowds))


@pytest.mark.parametrize("images", [[], [image(), image(is_annotated=False)]], ids=["no image", "no figure"])
def test_where_there_is_no_figure_there_is_no_mean_and_no_share(images: list[Any]):
    found = numbers(images, [])
    undefined = {name for name, value in found.items() if value is None}
    shares = {"many_figures_share", "overlapping_share", "touching_share", "small_share", "small_with_edges_share"}
    assert undefined == {"mean_figures", "median_figures", "covered_share", "mean_proximity", *shares}
    assert (found["most_figures"], found["most_overlapping_pairs"]) == (0, 0)


def test_who_has_not_looked_has_seen_nobody_and_nothing():
    found = numbers([image(), image(is_annotated=False), image()], [box(0)])
    assert [found[name] for name in ("images", "with_figures", "without_figures", "not_annotated")] == [3, 1, 1, 1]


def test_images_with_1_1_5_6_and_7_figures():
    boxes = [one for row, count in enumerate((1, 1, 5, 6, 7)) for one in apart(row, count)]
    found = numbers([image()] * 6, boxes)
    assert found["many_figures_share"] == 0.4
    assert (found["mean_figures"], found["median_figures"], found["most_figures"]) == (4, 5, 7)


@pytest.mark.parametrize(
    ("width_px", "height_px", "small", "with_edges"),
    [
        pytest.param(0, 5, 0, 1, id="no area, as of corners that are equal"),
        pytest.param(16, 16, 1, 0, id="just 256"),
        pytest.param(257, 1, 0, 0, id="257"),
        pytest.param(15, 15, 1, 1, id="256 with + 1"),
    ],
)
def test_small_figures_by_both_readings(width_px: float, height_px: float, small: float, with_edges: float):
    found = numbers([image()], [box(0, (-5, 3, width_px, height_px))])
    assert (found["small_share"], found["small_with_edges_share"]) == (small, with_edges)


def test_a_box_inside_another_overlaps_it_by_both_readings():
    found = numbers([image()], [box(0, (0, 0, 10, 10)), box(0, (2, 2, 4, 4)), box(0, (50, 0, 10, 10))])
    assert found["overlapping_share"] == found["touching_share"] == pytest.approx(2 / 3)
    assert found["most_overlapping_pairs"] == found["most_touching_pairs"] == 1


@pytest.mark.parametrize(
    ("has_crowds", "figures", "overlapping", "mean"), [(True, 3, 2 / 3, 1.5), (False, 1, 0.0, 1.0)]
)
def test_crowds_count_as_figures_or_not(has_crowds: bool, figures: int, overlapping: float, mean: float):
    boxes = [box(0, (0, 0, 90, 90), is_crowd=True), box(0, (0, 0, 9, 9), keypoints=17), box(1, is_crowd=True)]
    found = numbers([image(), image()], boxes, has_crowds=has_crowds)
    assert (found["figures"], found["crowds"], found["keypoints"]) == (figures, 2, 17)
    assert found["overlapping_share"] == pytest.approx(overlapping)
    assert found["mean_figures"] == mean
    assert found["with_figures"] == 2  # an image of a crowd alone is no empty one
