"""Chance by hashes: known numbers, even odds, and keys that sort like waiting times."""

import math

import numpy as np
import pytest
from scipy import stats

from tasks.core.draws import ticket, weighted_key


@pytest.mark.parametrize(
    ("seed", "purpose", "name", "expected"),
    [
        # printf '7\tsplit\twikiart:1' | sha256sum | head -c 16
        pytest.param(7, "split", "wikiart:1", 0x0310b50d30ab9cb6, id="plain"),
        pytest.param(0, "", "", 0x556d9c73b641c1f6, id="nothing to go by but two tabs"),
        pytest.param(2**64, "sample", "met:Käthe ✓", 0xaf45861a0bcf5f3e, id="a seed above 64 bits, and UTF-8"),
    ],
)  # fmt: skip
def test_a_ticket_is_the_first_eight_bytes_of_a_sha256(seed: int, purpose: str, name: str, expected: int):
    assert ticket(seed, purpose, name) == expected


@pytest.mark.parametrize(
    "other",
    [
        pytest.param((8, "split", "a"), id="another seed"),
        pytest.param((7, "sample", "a"), id="another purpose"),
        pytest.param((7, "split", "b"), id="another name"),
    ],
)
def test_each_part_makes_another_ticket(other: tuple[int, str, str]):
    assert ticket(7, "split", "a") != ticket(*other)


def test_tickets_are_spread_evenly():
    drawn = [ticket(1, "p", str(number)) / 2**64 for number in range(4000)]
    assert stats.kstest(drawn, "uniform").pvalue > 0.01


@pytest.mark.parametrize(
    ("drawn", "weight", "expected"),
    [
        pytest.param(2**63, 1.0, math.log(2), id="the middle waits log 2"),
        pytest.param(2**63, 4.0, math.log(2) / 4, id="four times the weight, a quarter of the wait"),
        pytest.param(0, 1.0, 65 * math.log(2), id="the smallest ticket waits longest, and is no log of 0"),
        pytest.param(2**64 - 1, 1.0, 0.0, id="the largest ticket does not wait"),
    ],
)
def test_a_key_is_a_waiting_time(drawn: int, weight: float, expected: float):
    assert weighted_key(drawn, weight) == pytest.approx(expected, abs=1e-12)


def test_keys_are_exponential_with_the_weight_as_their_rate():
    keys = np.array([weighted_key(ticket(2, "p", str(number)), 5.0) for number in range(4000)])
    assert stats.kstest(keys, "expon", args=(0, 1 / 5)).pvalue > 0.01
