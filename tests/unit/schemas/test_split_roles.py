"""Roles by source and by value: which form is meant, and what is refused."""

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.split import RolesByValue, Split
from schemas.where import Condition


def split(roles: Any) -> Split:
    return Split.model_validate({"label": "split", "roles": roles})


def values(condition: Condition | None) -> Any:
    return None if condition is None else condition.any_of or condition


@pytest.mark.parametrize(
    ("written", "read"),
    [
        pytest.param({}, {}, id="no roles"),
        pytest.param({"met": "gallery"}, {"met": "gallery"}, id="by source"),
        pytest.param({"by": "gallery"}, {"by": "gallery"}, id="a source called by"),
        pytest.param({"by": "gallery", "gallery": "query"}, {"by": "gallery", "gallery": "query"}, id="and gallery"),
        pytest.param({"by": "kind", "gallery": "a"}, ("kind", ("a",), None), id="by value"),
        pytest.param({"by": "kind", "gallery": ["a"], "query": "b"}, ("kind", ("a",), ("b",)), id="one, or a list"),
        pytest.param(
            {"by": "kind", "gallery": "gallery", "query": "query"},
            ("kind", ("gallery",), ("query",)),
            id="values that are called like roles",
        ),
        pytest.param({"by": "query", "gallery": [True]}, ("query", (True,), None), id="an attribute called query"),
        pytest.param(
            {"by": "department", "gallery": {"is_known": True}},
            ("department", Condition(is_known=True), None),
            id="by a condition",
        ),
    ],
)
def test_forms(written: Any, read: Any):
    settings = split(written)
    found = settings.roles
    assert (
        (found.by, values(found.gallery), values(found.query)) if isinstance(found, RolesByValue) else found
    ) == read
    assert Split.model_validate(settings.model_dump(mode="json")) == settings


@pytest.mark.parametrize(
    ("written", "said"),
    [
        pytest.param({"met": "wall"}, "'gallery' or 'query'", id="no such role"),
        pytest.param({"by": "kind"}, "gallery\n  Field required", id="no gallery"),
        pytest.param({"gallery": ["a"]}, "by\n  Field required", id="of what"),
        pytest.param({"by": "kind", "gallery": []}, "at least 1 item", id="an empty gallery"),
        pytest.param({"by": "Kind", "gallery": "a"}, "should match pattern", id="no name of a column"),
        pytest.param({"by": "kind", "gallery": "a", "rest": "query"}, "Extra inputs", id="another role"),
        pytest.param(["met"], "valid dictionary", id="a list"),
    ],
)
def test_roles_that_are_refused(written: Any, said: str):
    with pytest.raises(ValidationError) as refused:
        split(written)
    assert said in str(refused.value)


def test_where_values_give_the_roles_a_release_has_train():
    assert split({"by": "kind", "gallery": "a"}).model_copy(update={"ratios": {"val": 1}}).splits == ("train", "val")
