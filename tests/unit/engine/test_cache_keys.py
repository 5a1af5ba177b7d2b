"""Keys: what an answer depends on. tasks/engine/cache_keys.py reads source files; here its sources are texts."""

import hashlib
from typing import Any

import pytest

from schemas.dedup import Dedup
from schemas.split import Split
from tasks.engine import cache_keys

# --- settings


def test_a_key_is_the_digest_of_its_parts_by_name():
    assert cache_keys.cache_key(b=1, a="x") == hashlib.sha256(b'{"a": "x", "b": 1}').hexdigest()
    assert cache_keys.cache_key() == hashlib.sha256(b"{}").hexdigest()


def test_the_order_in_which_parts_are_named_changes_nothing():
    assert cache_keys.cache_key(a={"x": 1, "y": 2}, b=3) == cache_keys.cache_key(b=3, a={"y": 2, "x": 1})


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({"a": 2}, id="another value"),
        pytest.param({"b": 1}, id="another name"),
        pytest.param({"a": 1, "b": None}, id="one more"),
        pytest.param({"a": "1"}, id="another type"),
        pytest.param({"a": [1]}, id="a list of it"),
    ],
)
def test_each_part_makes_another_key(parts: dict[str, Any]):
    assert cache_keys.cache_key(**parts) != cache_keys.cache_key(a=1)


def test_settings_are_their_values_defaults_among_them():
    assert cache_keys.cache_key(s=Dedup(label="d")) == cache_keys.cache_key(s=Dedup(label="d", radius_bits=12))
    assert cache_keys.cache_key(s=Dedup(label="d")) != cache_keys.cache_key(s=Dedup(label="d", radius_bits=5))


def test_what_is_no_json_can_be_no_part():
    with pytest.raises(TypeError):
        cache_keys.cache_key(a={1, 2})


# --- what a split is


def test_a_score_moves_nothing_that_is_published():
    """It may follow from a screen, and only orders what is new."""
    plain = Split(label="split", seed=3)
    assert cache_keys.split_sha256(plain.model_copy(update={"score": 0.3})) == cache_keys.split_sha256(plain)
    assert cache_keys.split_sha256(plain.model_copy(update={"seed": 4})) != cache_keys.split_sha256(plain)


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        pytest.param({}, True, id="nothing"),
        pytest.param({"score": 0.5}, False, id="another score than the one in an old digest"),
        pytest.param({"seed": 4}, False, id="another seed"),
    ],
)
def test_a_digest_that_holds_a_score_is_known_as_long_as_the_score_stays(change: dict[str, Any], is_same: bool):
    """As releases of contract 2.1 have it: seed 3, score 0.3."""
    old = cache_keys.cache_key(split={"seed": 3, "score": 0.3, "seats": {"train": 3, "val": 1, "test": 1}})
    settings = Split(label="split", seed=3, score=0.3).model_copy(update=change)
    assert cache_keys.is_same_split(settings, old) is is_same
    assert cache_keys.is_same_split(settings, cache_keys.split_sha256(settings))
