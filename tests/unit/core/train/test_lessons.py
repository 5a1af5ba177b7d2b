"""Rules of training: rates by hand, orders and draws that nothing but seed, epoch and image decide, boxes at their
edges.
"""

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.tables import ANNOTATED, ANNOTATED_FIGURES
from schemas.train import Augment, Progress, TrainDetector
from tasks.core.train import lessons as core


def settings(**more: object) -> TrainDetector:
    return TrainDetector.model_validate({"warm_up_steps": 0, **more})


RATES = [
    pytest.param(settings(), 0, 2e-4, id="the first step"),
    pytest.param(settings(), 8 * 10 - 1, 2e-4, id="the last step of epoch 8"),
    pytest.param(settings(), 8 * 10, 2e-5, id="the first of epoch 9: a tenth"),
    pytest.param(settings(), 11 * 10, 2e-6, id="the first of epoch 12: a tenth of that"),
    pytest.param(settings(warm_up_steps=4), 0, 2e-7, id="warm-up begins at a thousandth"),
    pytest.param(settings(warm_up_steps=4), 2, 2e-4 * (0.001 + 0.999 / 2), id="and goes up in a straight line"),
    pytest.param(settings(warm_up_steps=4), 4, 2e-4, id="to the whole"),
    pytest.param(settings(schedule="cosine"), 60, 1e-4, id="half of a cosine"),
    pytest.param(settings(schedule="one_cycle"), 0, 2e-4 / 25, id="one cycle begins low"),
    pytest.param(settings(schedule="one_cycle"), 17, 2e-4, id="is highest after 15 % of 120 steps"),
    pytest.param(settings(schedule="one_cycle"), 119, 2e-4 / 250_000, id="and ends near nothing"),
]


@pytest.mark.parametrize(("given_settings", "step", "expected"), RATES)
def test_the_rate_of_a_step_in_12_epochs_of_10(given_settings, step, expected):
    assert core.rate(given_settings, step, 10) == pytest.approx(expected, rel=1e-9)


@given(st.sampled_from(["steps", "cosine", "one_cycle"]), st.integers(1, 5), st.integers(1, 20), st.integers(0, 50))
def test_every_rate_is_above_nothing_and_at_most_the_highest(schedule, epochs, per_epoch, warm):
    given_settings = settings(schedule=schedule, epochs=epochs, warm_up_steps=warm)
    for step in range(epochs * per_epoch):
        assert 0 < core.rate(given_settings, step, per_epoch) <= given_settings.learning_rate * (1 + 1e-12)


def test_one_cycle_is_the_one_of_pytorch():
    torch = pytest.importorskip("torch")
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    theirs = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=60, pct_start=0.15)
    rates = []
    for _ in range(60):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if len(rates) < 60:
            theirs.step()
    ours = [core.rate(settings(schedule="one_cycle", learning_rate=1, epochs=3), step, 20) for step in range(60)]
    assert ours == pytest.approx(rates, abs=1e-9)


def test_an_epoch_sees_each_image_once_in_an_order_of_its_own():
    ids = list(range(100, 150))
    first, second = core.order(ids, 7, 0), core.order(ids, 7, 1)
    assert sorted(first) == sorted(second) == list(range(50))
    assert first != second != core.order(ids, 8, 1)
    assert core.order(ids, 7, 0) == first


@pytest.mark.parametrize(("images", "steps"), [(1, 1), (16, 1), (17, 2), (32, 2)])
def test_steps_of_16_images(images, steps):
    assert core.steps_per_epoch(images, TrainDetector()) == steps


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((1, 1), (1, 1)),
        ((20_000, 200), (1333, 13)),
        ((1600, 1600), (800, 800)),
        ((1333, 800), (1333, 800)),
        ((2, 9000), (1, 1333)),
    ],
)
def test_pictures_are_reduced_within_both_sides_and_never_enlarged(size, expected):
    assert core.reduced_size(*size, 800, 1333) == expected


def test_the_five_groups_come_as_often_as_popart_says_and_both_members_of_each():
    drawn = Counter(change.name for n in range(4000) for change in core.changes(Augment(), np.random.default_rng(n)))
    expected = {
        "brightness_contrast": 0.1,
        "clahe": 0.1,
        "rgb_shift": 0.05,
        "hue_saturation_value": 0.05,
        "jpeg": 0.2,
        "channel_shuffle": 0.1,
        "blur": 0.05,
        "median_blur": 0.05,
    }
    assert set(drawn) == set(expected)
    for name, share in expected.items():
        assert abs(drawn[name] / 4000 - share) < 4 * math.sqrt(share / 4000), name


def test_nothing_is_drawn_at_odds_of_0_and_everything_at_odds_of_1():
    rng = np.random.default_rng(0)
    never = dict.fromkeys(Augment.model_fields, 0.0)
    assert core.changes(Augment(**never), rng) == ()
    assert len(core.changes(Augment(**dict.fromkeys(never, 1.0)), rng)) == 6


def test_lessons_keep_crowds_apart_and_cut_boxes_at_the_edges():
    images = pa.Table.from_pylist(
        [{"image_id": n, "sha256": "ab", "width_px": 50, "height_px": 40} for n in (1, 2)], schema=ANNOTATED
    )
    figures = pa.Table.from_pylist(
        [
            {"image_id": 1, "xywh_px": [-5, 10, 20, 20], "is_crowd": False, "area_px2": 400.0},
            {"image_id": 1, "xywh_px": [30, 30, 40, 40], "is_crowd": True, "area_px2": 1600.0},
            {"image_id": 1, "xywh_px": [60, 0, 4, 4], "is_crowd": False, "area_px2": 16.0},
        ],
        schema=ANNOTATED_FIGURES,
    )
    one, two = core.lessons(images, figures)
    assert one.figures_xyxy_px.tolist() == [[0, 10, 15, 30]]
    assert one.crowds_xyxy_px.tolist() == [[30, 30, 50, 40]]
    assert two.figures_xyxy_px.shape == two.crowds_xyxy_px.shape == (0, 4)
    document = core.truth_document(images, figures, "person")
    assert [box["iscrowd"] for box in document["annotations"]] == [0, 1, 0]


def test_a_crowd_hides_what_is_in_nobodys_own_box():
    hidden = core.only_in_crowds(np.array([[1, 1, 4, 3]], np.float32), np.array([[0, 0, 2, 9]], np.float32), (5, 4))
    assert hidden.astype(int).tolist() == [[0] * 5, [0, 0, 1, 1, 0], [0, 0, 1, 1, 0], [0] * 5]


def test_what_is_found_in_a_blob_is_found_in_each_image_that_has_it():
    images = pa.table({"image_id": [9, 4], "sha256": ["ab", "ab"]})
    figure = {"category": "person", "xywh_px": [0.0, 0.5, 8.0, 8.0], "score": 0.877}
    told = {"category_id": 1, "score": 0.877, "bbox": [0.0, 0.5, 8.0, 8.0]}
    assert core.detection_results(images, {"ab": [figure]}) == [{"image_id": 9, **told}, {"image_id": 4, **told}]
    assert core.detection_results(images, {"ab": []}) == []


def test_a_curves_points_are_means_and_survive_a_checkpoint():
    progress = Progress()
    for value in (2.0, 4.0):
        progress.add({"a": value, "b": 1.0})
    progress = Progress.model_validate(progress.model_dump(mode="json"))
    progress.close(0.5)
    progress.close(0.5)
    assert {row["name"]: row["value"] for row in progress.rows} == {
        "loss": 4.0,
        "loss/a": 3.0,
        "loss/b": 1.0,
        "learning_rate": 0.5,
        "s": 0.0,
    }
    assert progress.mean("loss", 1) == 4.0
    with pytest.raises(ValueError, match="expected a value of AP after step 0, got none"):
        progress.mean("AP", 0)


WRONG = [
    ({"model": "yolo"}, "expected one of"),
    ({"model": "maskrcnn_resnet50_fpn"}, "outlines or keypoints"),
    ({"least_side_px": 900, "most_side_px": 800}, "expected least_side_px"),
    ({"learning_rate": float("nan")}, "finite"),
    ({"augment": {"jpeg": 1.5}}, "less than or equal to 1"),
    ({"epoch": 3}, "Extra inputs"),
]


@pytest.mark.parametrize(("said", "problem"), WRONG)
def test_settings_that_can_not_be_are_refused(said, problem):
    with pytest.raises(ValueError, match=problem):
        TrainDetector.model_validate(said)


def test_every_setting_says_what_it_is():
    for model in (TrainDetector, Augment):
        assert all(field.description for field in model.model_fields.values())
