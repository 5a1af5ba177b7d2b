"""Sizes that compiled arithmetic and its callers share."""

from tasks.core.dedup.sizes import APART_SCORE, COPY_SCORE, LEVEL_SCALE, PATCH_PX, REACH_PX, STEP_PX


def test_patches_overlap_by_half_and_reach_less_far_than_the_next_one():
    assert PATCH_PX == 2 * STEP_PX
    assert REACH_PX < STEP_PX


def test_eight_sizes_of_keypoints_span_what_a_detail_may_be_smaller():
    assert 3.5 < LEVEL_SCALE**7 < 3.6


def test_there_is_room_for_doubt_between_two_works_and_copies():
    assert 0 < APART_SCORE < COPY_SCORE < 1
