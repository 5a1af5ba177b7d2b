"""Roles by value: of the gallery, a query, or neither."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import BadInput
from schemas.split import RolesByValue
from tasks.core.roles import check_roles, roles


def settings(**written: Any) -> RolesByValue:
    return RolesByValue.model_validate({"by": "kind", **written})


@pytest.mark.parametrize(
    ("written", "values", "kind", "expected"),
    [
        pytest.param(
            {"gallery": "exhibit"}, ["Exhibit", "b", "", None], pa.string(), "gqqq", id="all else are queries"
        ),
        pytest.param(
            {"gallery": "exhibit", "query": ["visitor", "web"]},
            ["exhibit", "VISITOR", "web", "b", None],
            pa.string(),
            "gqq--",
            id="queries by name",
        ),
        pytest.param({"gallery": True}, [True, False, None], pa.bool_(), "gqq", id="truth values"),
        pytest.param({"gallery": [1, 2], "query": 3}, [1, 2, 3, 4], pa.int64(), "ggq-", id="numbers"),
        pytest.param({"gallery": {"is_known": True}}, ["a", "", None], pa.string(), "gqq", id="whoever has a value"),
        pytest.param({"gallery": {"least": 5}, "query": {"most": 3}}, [5, 4, 3], pa.int64(), "g-q", id="limits"),
        pytest.param({"gallery": "a"}, [["a", "b"], ["b"], None], pa.list_(pa.string()), "gqq", id="one of several"),
        pytest.param({"gallery": "a"}, [], pa.string(), "", id="nobody"),
    ],
)
def test_roles(written: Any, values: list[Any], kind: pa.DataType, expected: str):
    found = roles(pa.chunked_array([values], kind), settings(**written))
    assert [(role or "-")[0] for role in found.to_pylist()] == list(expected)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        pytest.param(
            ["exhibit", "exibit", None],
            "stages (split).roles: expected each record to be of the gallery or a query by its 'kind', got 'exibit' in "
            "m:1 and 1 more: say what it is",
            id="a slip",
        ),
        pytest.param([None], "got None in m:0: ", id="nothing"),
        pytest.param(["\x1b[2J"], "got '\\x1b[2J' in m:0", id="what a terminal would obey"),
    ],
)
def test_where_queries_are_listed_another_value_is_refused(values: list[Any], said: str):
    names = pa.chunked_array([[f"m:{number}" for number in range(len(values))]])
    given = pa.chunked_array([values], pa.string())
    with pytest.raises(BadInput) as refused:
        check_roles("split", names, given, settings(gallery="exhibit", query="visitor"))
    assert said in str(refused.value)
    check_roles("split", names, given, settings(gallery="exhibit"))


@pytest.mark.parametrize(
    ("values", "kind", "written", "got"),
    [
        ([1, 2, 3], pa.int64(), {"gallery": {"least": 2}, "query": {"most": 2}}, "2 in m:1"),
        ([["a", "b"], ["b"], ["a"]], pa.list_(pa.string()), {"gallery": "a", "query": "b"}, "['a', 'b'] in m:0"),
        (["x", "y"], pa.string(), {"gallery": {"is_known": True}, "query": {"is": "y"}}, "'y' in m:1"),
    ],
)
def test_who_is_of_the_gallery_and_a_query_is_refused(values: list[Any], kind: pa.DataType, written: Any, got: str):
    names = pa.chunked_array([[f"m:{number}" for number in range(len(values))]])
    with pytest.raises(BadInput) as refused:
        check_roles("split", names, pa.chunked_array([values], kind), settings(**written))
    assert f"expected each record to have one role by its 'kind', got both for {got}: " in str(refused.value)
