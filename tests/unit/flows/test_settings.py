"""Settings that people give: `--set`, YAML, and one sentence for whatever is wrong."""

from typing import Any, Literal

import pytest
from pydantic import Field

from flows.settings import parse_change, set_field, settings_from_fields, yaml_mapping, yaml_value
from schemas.base import Frozen, Name
from schemas.errors import BadInput
from schemas.train import TrainDetector


@pytest.mark.parametrize(
    ("change", "names", "value"),
    [
        ("epochs=3", ["epochs"], 3),
        ("augment.flip=0.5", ["augment", "flip"], 0.5),
        ("start=null", ["start"], None),
        ("title=a=b", ["title"], "a=b"),
        ("title=", ["title"], None),
        ("list=[1, two]", ["list"], [1, "two"]),
    ],
)
def test_a_change_is_names_and_a_yaml_value(change: str, names: list[str], value: Any):
    assert parse_change(change) == (names, value)


@pytest.mark.parametrize("change", ["epochs", "=3", ""])
def test_a_change_without_a_field_or_a_value_names_the_form(change: str):
    with pytest.raises(BadInput, match=r"^--set: expected field=VALUE, got '"):
        parse_change(change)


@pytest.mark.parametrize("text", ["[", "a: b: c", "2020-13-45", "[" * 5000, "!!python/name:os.system"])
def test_what_is_not_yaml_is_bad_input(text: str):
    with pytest.raises(BadInput, match=r"^--detector a: expected a YAML value, got '"):
        yaml_value(text, "--detector a")
    with pytest.raises(BadInput, match=r"^r.yaml: expected .*, got "):
        yaml_mapping(text, "r.yaml", "fields")


def test_a_field_is_written_into_groups_that_are_made_where_they_are_missing():
    fields: dict[str, Any] = {"a": {"b": 1}}
    set_field(fields, ["a", "c"], 2)
    set_field(fields, ["d", "e", "f"], 3)
    assert fields == {"a": {"b": 1, "c": 2}, "d": {"e": {"f": 3}}}
    with pytest.raises(BadInput, match=r"^--set: expected 'b' in 'a\.b\.x' to hold fields, got 1$"):
        set_field(fields, ["a", "b", "x"], 4)


class _Inner(Frozen):
    share: float = Field(0.5, gt=0, lt=1)


class _Model(Frozen):
    name: Name = "x"
    one_of: Literal["a", "b"] = "a"
    artists: Literal["all"] | tuple[str, ...] = "all"
    least: int | None = Field(None, ge=1, le=9)
    is_open: bool = True
    inner: _Inner = Field(default_factory=_Inner)
    ratios: dict[Literal["train", "val"], float] = Field(default_factory=dict)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"nam": "y"}, "nam: expected a known field, got 'nam'; did you mean 'name'?"),
        (
            {"zzz": 1},
            "zzz: expected a known field, got 'zzz'; known here: name, one_of, artists, least, is_open, inner, ratios",
        ),
        ({"inner": {"nam": "y"}}, "inner.nam: expected a known field, got 'nam'; known here: share"),
        ({"name": 1, "leest": 0}, "leest: expected a known field, got 'leest'; did you mean 'least'? (and 1 more)"),
        ({"inner": {"shere": 1}}, "inner.shere: expected a known field, got 'shere'; did you mean 'share'?"),
        (
            {"name": "A b"},
            "name: expected lower-case letters, digits, - and _ (at most 63, the first a letter or a digit), got 'A b'",
        ),
        ({"one_of": "c"}, "one_of: expected 'a' or 'b', got 'c'"),
        ({"artists": 5}, "artists: expected 'all' or a list, got 5"),
        ({"least": 0}, "least: expected 1 or more, got 0"),
        ({"least": 10}, "least: expected 9 or less, got 10"),
        ({"least": "few"}, "least: expected a whole number, got 'few'"),
        ({"least": 1.5}, "least: expected a whole number, got 1.5"),
        ({"is_open": "perhaps"}, "is_open: expected true or false, got 'perhaps'"),
        ({"inner": 3}, "inner: expected a mapping, got 3"),
        ({"inner": {"share": 0}}, "inner.share: expected more than 0, got 0"),
        ({"inner": {"share": 1}}, "inner.share: expected less than 1, got 1"),
        ({"inner": {"share": float("nan")}}, "inner.share: expected a finite number, got nan"),
        ({"ratios": {"tren": 1}}, "ratios.tren: expected 'train' or 'val', got 'tren'"),
        ({"ratios": []}, "ratios: expected a mapping, got []"),
        ({"name": 1, "least": 0}, "name: expected text, got 1 (and 1 more)"),
    ],
)
def test_the_first_error_is_one_sentence(fields: dict[str, Any], sentence: str):
    with pytest.raises(BadInput) as caught:
        settings_from_fields(_Model, fields)
    assert str(caught.value) == sentence


def test_an_error_of_the_models_own_keeps_its_words_and_says_where():
    with pytest.raises(BadInput, match=r"^train: expected least_side_px <= most_side_px, got 900 > 800$"):
        settings_from_fields(TrainDetector, {"least_side_px": 900, "most_side_px": 800}, "train")
