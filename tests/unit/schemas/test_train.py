"""Settings of a training, and the progress that its checkpoints keep."""

import pytest

from schemas.train import Augment, TrainDetector, TrainingProgress


def test_a_curves_points_are_means_and_survive_a_checkpoint():
    progress = TrainingProgress()
    for value in (2.0, 4.0):
        progress = progress.with_step({"a": value, "b": 1.0}, 0.25)
    progress = TrainingProgress.model_validate(progress.model_dump(mode="json"))
    progress = progress.with_point(0.5)
    assert progress.with_point(0.5) is progress
    assert {row["name"]: row["value"] for row in progress.rows} == {
        "loss": 4.0,
        "loss/a": 3.0,
        "loss/b": 1.0,
        "learning_rate": 0.5,
        "s": 0.5,
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
