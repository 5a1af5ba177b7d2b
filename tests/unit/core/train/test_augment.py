"""Changes come as often as their odds say; sizes and masks at their edges."""

import math
from collections import Counter

import numpy as np
import pytest

from schemas.train import Augment
from tasks.core.train import augment


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
    assert augment.reduced_size(*size, 800, 1333) == expected


def test_the_five_groups_come_as_often_as_popart_says_and_both_members_of_each():
    drawn = Counter(
        change.name for n in range(4000) for change in augment.draw_changes(Augment(), np.random.default_rng(n))
    )
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
    assert augment.draw_changes(Augment(**never), rng) == ()
    assert len(augment.draw_changes(Augment(**dict.fromkeys(never, 1.0)), rng)) == 6


def test_a_crowd_hides_what_is_in_nobodys_own_box():
    hidden = augment.crowd_mask(np.array([[1, 1, 4, 3]], np.float32), np.array([[0, 0, 2, 9]], np.float32), (5, 4))
    assert hidden.astype(int).tolist() == [[0] * 5, [0, 0, 1, 1, 0], [0, 0, 1, 1, 0], [0] * 5]
