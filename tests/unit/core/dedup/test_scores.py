"""The scores by which copies and works are told."""

from tasks.core.dedup.scores import APART_SCORE, COPY_SCORE


def test_there_is_room_for_doubt_between_two_works_and_copies():
    assert 0 < APART_SCORE < COPY_SCORE < 1
