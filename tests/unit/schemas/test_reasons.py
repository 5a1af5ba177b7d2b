"""Reasons: each is one word for the ledger and one sentence for people."""

import pytest

from schemas.reasons import MEANING, PASSING, Reason


@pytest.mark.parametrize("reason", list(Reason), ids=str)
def test_every_reason_has_one_sentence_for_people(reason: Reason):
    said = MEANING[reason]
    assert said.endswith(".")
    assert said[0].isupper()
    assert "\n" not in said
    assert "|" not in said  # it stands in a Markdown table


def test_no_two_reasons_mean_the_same():
    assert len(set(MEANING.values())) == len(MEANING) == len(Reason)


@pytest.mark.parametrize("reason", list(Reason), ids=str)
def test_the_ledgers_word_is_the_reasons_name(reason: Reason):
    assert reason.value == reason.name.lower() == f"{reason}"


def test_failures_in_passing_are_reasons_of_the_network_alone():
    assert {str(reason) for reason in PASSING} == {
        "unreachable",
        "server_error",
        "throttled",
        "cut_short",
        "over_budget",
    }
