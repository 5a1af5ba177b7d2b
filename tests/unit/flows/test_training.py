"""What a training is asked for: truths, their folders and splits, as a person types them."""

import pytest

from flows.training import parse_truth, settings_of, summary, training_data
from schemas.errors import BadInput
from schemas.train import TrainingTruth


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("s/releases/x/latest", TrainingTruth("s/releases/x/latest", None, "train")),  # of a release, train
        ("s/releases/x/latest,split=val", TrainingTruth("s/releases/x/latest", None, "val")),  # another split
        ("t.json", TrainingTruth("t.json", None, None)),  # of a COCO file, all
        ("t.JSON,split=train,images=a=b", TrainingTruth("t.JSON", "a=b", "train")),  # in any order, with a sign
        ("s3://a/t.json,images=s3://a", TrainingTruth("s3://a/t.json", "s3://a", None)),  # URLs
    ],
)
def test_a_truth_is_read_with_its_folder_and_split(text: str, truth: TrainingTruth):
    assert parse_truth(text) == truth
    assert training_data("r", None, None, None, None, None, [text]).truths == (TrainingTruth("r", None, "train"), truth)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", r"expected TRUTH\[,images=FOLDER\]\[,split=SPLIT\], got ''"),  # nothing
        (",split=val", r"expected TRUTH\[,images=FOLDER\]\[,split=SPLIT\], got ',split=val'"),  # no truth
        ("t.json,", "expected images=FOLDER or split=SPLIT after a comma, got ''"),  # a comma at the end
        ("t.json,split=", "expected images=FOLDER or split=SPLIT after a comma, got 'split='"),  # no value
        ("t.json,val", "after a comma, got 'val'"),  # no name
        ("t.json,model=x", "after a comma, got 'model=x'"),  # another name
        ("t.json,split=a,split=b", "after a comma, got 'split=b'"),  # twice
        ("r,images=i", "expected images=FOLDER with a COCO file only, got it with 'r'"),  # a folder for a release
    ],
)
def test_a_truth_that_cannot_be_read_is_told_in_a_sentence(text: str, problem: str):
    with pytest.raises(BadInput, match=f"^--also: .*{problem}$"):
        parse_truth(text)


@pytest.mark.parametrize("also", [(), ("u.json",)])
def test_further_truths_change_nothing_of_the_evaluation(also: tuple[str, ...]):
    file = training_data("t.json", "i", None, None, None, None, also)
    assert file.evaluation is None
    assert training_data("t.json", "i", None, None, None, "b", also).evaluation == ("t.json", "i", "b")
    assert training_data("r", None, None, None, None, "test", also).evaluation == ("r", None, "test")


def test_the_summary_says_what_each_truth_gave():
    from tasks.train import TrainingResult

    metrics = {"model": "m", "steps": 3, "images": 9, "figures": 8, "loss": 0.5, "evaluations": []}
    shares = [
        {"name": "a", "images": 5, "figures": 4, "left_out": 0},
        {"name": "b", "images": 4, "figures": 4, "left_out": 2},
    ]
    first = "trained: m, 3 steps, 9 images, 8 figures, loss 0.500"
    assert summary(TrainingResult(metrics, "w", (), True), "w").splitlines() == [first, "weights: w"]
    assert summary(TrainingResult({**metrics, "truths": shares}, "w", (), True), "w").splitlines() == [
        first,
        "of a: 5 images, 4 figures; 0 images left out",
        "of b: 4 images, 4 figures; 2 images left out",
        "weights: w",
    ]


@pytest.mark.parametrize(
    ("model", "change", "problem"),
    [
        (None, "model=[[]]", "model: expected"),
        (None, "model={}", "model: expected"),
        ("fcos_small", "model=[[]]", "expected one model, got --model fcos_small too"),
    ],
)
def test_a_model_that_is_no_name_is_told_in_a_sentence(model: str | None, change: str, problem: str):
    with pytest.raises(BadInput, match=problem):
        settings_of(model, [change])
