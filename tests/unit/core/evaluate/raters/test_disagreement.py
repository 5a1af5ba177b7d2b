"""Who differs most, and where, first."""

from schemas.evaluate_figures import RaterSettings
from tasks.core.evaluate.raters.disagreement import disagreement_table
from tasks.core.evaluate.raters.leave_one_out import leave_one_out
from tests.support.raters import FIRST, SECOND, ratings

FAR, AWAY = (200, 200, 240, 260), (400, 0, 420, 20)


def test_most_missed_and_extra_boxes_first_then_the_worst_fit():
    both = [FIRST, FAR]
    whole = ratings(
        {
            "a": {"1": [AWAY], "2": [SECOND], "3": []},
            "b": {"1": both, "2": [FIRST], "3": []},
            "c": {"1": both, "2": [FIRST], "3": []},
            "d": {"1": both, "2": [FIRST], "3": []},
        }
    )
    got = disagreement_table(whole, leave_one_out(whole, RaterSettings())).to_pylist()
    assert [(row["rater"], row["image"]) for row in got] == [
        *(("a", "1"), ("a", "2")),  # misses two figures; fits worst
        *(("b", "1"), ("c", "1"), ("d", "1")),
        *(("b", "2"), ("c", "2"), ("d", "2")),
        *(("a", "3"), ("b", "3"), ("c", "3"), ("d", "3")),
    ]
    assert got[0] == {"rater": "a", "image": "1", "right": 0, "missed": 2, "extra": 1, "worst_iou": 0}
    assert 0.5 < got[1]["worst_iou"] < 1
    assert [row["worst_iou"] for row in got[2:]] == [1] * 6 + [None] * 4


def test_what_has_no_truth_has_no_row():
    whole = ratings({"a": {"1": [FIRST]}, "b": {"2": [FIRST]}})
    assert disagreement_table(whole, leave_one_out(whole, RaterSettings())).num_rows == 0
