"""Simulated raters: their answers depend on seed, rater and work alone, and their skill shows."""

import numpy as np
import pyarrow.compute as pc
import pytest

from examples.museum.figures import Figure
from examples.museum.paint import paint
from examples.museum.raters import (
    Appearance,
    RatedWork,
    Skill,
    appearance_of,
    draw_figures,
    figures_of_work,
    rate,
    rated_works,
    simulate_raters,
    skill_of,
)
from examples.museum.seeds import generator
from tasks.core.evaluate.raters.ratings import check_ratings

NOBODY = ((0.0, 0.0, 0),) * 17
JOINTS = (*((50.0 + joint, 60.0 + joint, 2) for joint in range(16)), (0.0, 0.0, 0))
LARGE = Figure((20.0, 10.0, 100.0, 180.0), JOINTS, False)
BESIDE = Figure((100.0, 10.0, 100.0, 180.0), NOBODY, False)
SMALL = Figure((250.0, 100.0, 8.0, 12.0), NOBODY, False)
OUTLINES = ((20.0, 10.0, 120.0, 190.0), (100.0, 10.0, 200.0, 190.0), (250.0, 100.0, 258.0, 112.0))
EVIDENT = tuple(Appearance(1.0, outline) for outline in OUTLINES)
WORK = RatedWork("one", 300, 200, (LARGE, BESIDE, SMALL), 3.0, EVIDENT)
EXACT = Skill(0, 0, 0, 0, 0, 0, 0, 0)


def drawn(skill: Skill, work: RatedWork = WORK, number: int = 0) -> list:
    return draw_figures(generator(1, "test", number), skill, work)


@pytest.fixture(scope="module")
def works() -> list[RatedWork]:
    return list(rated_works(77, 12))


def test_figures_are_those_of_the_painted_work():
    for number in range(3):
        width, height, figures = figures_of_work(77, number)
        work = paint(77, number)
        assert (work.figures, work.pixels.shape[:2]) == (figures, (height, width))


def test_works_have_figures_and_stated_deformations(works: list[RatedWork]):
    assert all(work.figures and 1 <= work.deformation <= 5 for work in works)
    assert len({work.name for work in works}) == 12
    assert list(rated_works(77, 5)) == works[:5]


def test_an_exact_rater_draws_the_truth():
    got = drawn(EXACT)
    assert [one.xyxy_px.tolist() for one in got] == [
        [20, 10, 120, 190],
        [100, 10, 200, 190],
        [250, 100, 258, 112],
    ]
    assert got[0].joints.tolist() == [[*joint] for joint in JOINTS]


def test_small_figures_are_missed_more_often():
    counts = np.zeros(2)
    for number in range(400):
        boxes = {one.xyxy_px[0] for one in drawn(EXACT._replace(miss=0.5), number=number)}
        counts += (20 not in boxes, 250 not in boxes)
    assert counts[0] / 400 == pytest.approx(1.1 * 0.5 / (1 + 0.9 / 0.15), abs=0.05)
    assert counts[1] / 400 == pytest.approx(1.1 * 0.5 / (1 + 0.06 / 0.15), abs=0.07)


def test_what_is_hard_is_missed_by_nearly_everybody_but_by_no_exact_rater():
    hard = WORK._replace(appearances=(Appearance(1e9, OUTLINES[0]), *EVIDENT[1:]))
    assert len(drawn(EXACT, hard)) == 3
    missed = [len(drawn(EXACT._replace(miss=1e-6), hard, number)) == 2 for number in range(200)]
    assert 0.9 < sum(missed) / 200 < 1


def test_appearances_are_near_the_figures_and_in_the_picture(works: list[RatedWork]):
    for work in works:
        for figure, seen_as in zip(work.figures, work.appearances, strict=True):
            x, y, width, height = figure.xywh_px
            off = np.array(seen_as.outline_px) - (x, y, x + width, y + height)
            assert (np.abs(off) < 0.15 * np.array([width, height, width, height])).all()
            assert min(seen_as.outline_px) >= 0
            assert seen_as.outline_px[2] <= work.width_px
            assert seen_as.outline_px[3] <= work.height_px
    many = np.array([appearance_of(generator(1, "test", n), LARGE, 300, 200).hardness for n in range(500)])
    assert 0.05 < (many > 3).mean() < 0.2


def test_neighbours_get_one_box():
    got = drawn(EXACT._replace(join=1))
    assert [one.xyxy_px.tolist() for one in got] == [[20, 10, 200, 190], [250, 100, 258, 112]]


def test_left_and_right_are_swapped():
    joints = drawn(EXACT._replace(swap=1))[0].joints
    assert joints[1].tolist() == [*JOINTS[2]]
    assert joints[0].tolist() == [*JOINTS[0]]
    assert (joints[15].tolist(), joints[16].tolist()) == ([0, 0, 0], [*JOINTS[15]])


def test_boxes_are_shifted_by_their_size_and_stay_in_the_picture():
    boxes = np.array([one.xyxy_px for number in range(100) for one in drawn(EXACT._replace(shift=0.5), number=number)])
    assert (boxes[:, :2] >= 0).all()
    assert (boxes[:, 2:] <= [300, 200]).all()
    assert (boxes[:, 2:] - boxes[:, :2] >= 3.9).all()
    assert boxes[:, 0].std() > 5


def test_boxes_around_nobody_have_no_joints():
    got = drawn(EXACT._replace(extra=3))
    assert len(got) > 3
    assert not got[-1].joints.any()


def test_ratings_are_near_the_stated_deformation():
    assert rate(generator(1, "test", 0), EXACT, WORK) == 3
    assert rate(generator(1, "test", 0), EXACT, WORK._replace(deformation=2.5)) == 3
    assert rate(generator(1, "test", 0), EXACT._replace(strict=9), WORK) == 5
    assert rate(generator(1, "test", 0), EXACT._replace(strict=-9), WORK) == 1


def test_a_table_of_raters_is_one_and_the_same_every_time(works: list[RatedWork]):
    got = simulate_raters(7, works, 4, 8)
    check_ratings(got)
    assert got.equals(simulate_raters(7, works, 4, 8))
    seen = got.group_by(["rater"]).aggregate([("image", "count_distinct")])
    assert seen["image_count_distinct"].to_pylist() == [8] * 4
    assert simulate_raters(8, works, 4, 8)["x_min"].to_pylist() != got["x_min"].to_pylist()


def test_more_raters_change_no_other(works: list[RatedWork]):
    many = simulate_raters(7, works, 4, 8)
    first = many.filter(pc.is_in(many["rater"], value_set=simulate_raters(7, works, 2, 8)["rater"].combine_chunks()))
    assert first.to_pylist() == simulate_raters(7, works, 2, 8).to_pylist()


def test_more_works_than_there_are_can_not_be_seen(works: list[RatedWork]):
    with pytest.raises(ValueError, match="expected at least 13 works, got 12"):
        simulate_raters(7, works, 2, 13)


def test_a_few_raters_are_careless():
    misses = np.array([skill_of(3, rater).miss for rater in range(200)])
    assert 0.04 < (misses > 0.3).mean() < 0.2
    assert skill_of(3, 1, 0.5).miss == pytest.approx(skill_of(3, 1).miss / 2)
