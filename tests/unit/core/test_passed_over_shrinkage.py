import pytest

from tasks.core.passed_over import shrunk_sources


@pytest.mark.parametrize(
    ("before", "now", "shrunk"),
    [
        pytest.param({}, {}, [], id="no release before, and nothing listed"),
        pytest.param({}, {"met": 5}, [], id="a new source"),
        pytest.param({"flickr": 50}, {}, [], id="taken out of the recipe"),
        pytest.param({"met": 1}, {}, [("met", 1, 0)], id="its last work"),
        pytest.param({"met": 100}, {"met": 99}, [], id="a hundredth"),
        pytest.param({"met": 101}, {"met": 99}, [("met", 101, 99)], id="two of 101"),
        pytest.param({"met": 100}, {"met": 500}, [], id="grown"),
        pytest.param({"artic": 10, "met": 10}, {}, [("met", 10, 0), ("artic", 10, 0)], id="in the recipe's order"),
    ],
)
def test_a_source_has_shrunk_that_lost_more_than_a_hundredth(before, now, shrunk):
    assert shrunk_sources(["met", "artic"], before, now) == shrunk
