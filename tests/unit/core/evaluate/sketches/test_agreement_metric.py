"""A metric's values, in the order of the sketches."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.sketches.agreement import check_metric, refuse_own_names
from tasks.core.evaluate.sketches.table import check_sketches
from tests.support.sketches import table

SKETCHES = check_sketches("t", table({}, {"method": "b"}, {"method": "c"}))


def read(*rows: tuple[Any, Any]) -> list[float]:
    values = pa.table({"sketch": [row[0] for row in rows], "value": [row[1] for row in rows]})
    return check_metric("m", values, SKETCHES).tolist()


def test_values_by_sketch():
    assert read(("s3", -1e308), ("s1", 2)) == pytest.approx([2, np.nan, -1e308], nan_ok=True)


def test_a_null_and_no_rows_are_no_values():
    assert np.isnan(read(("s1", None))).all()
    assert np.isnan(read()).all()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("s1", 1.0), ("s9", 1.0)], "m[1]: expected a sketch of the table of sketches, got 's9'"),
        ([("s1", 1.0), ("s1", 1.0)], "m[1]: expected each sketch once, got 's1' again, as in row 0"),
    ],
)
def test_what_is_refused(rows: list[tuple], message: str):
    with pytest.raises(BadInput) as problem:
        read(*rows)
    assert str(problem.value) == message


def test_names_of_our_own_metrics():
    refuse_own_names(["moks", "mine"])
    with pytest.raises(BadInput, match=r"^--metric: expected another name .* mOKS, S_CLIP, SR, got 'SR'$"):
        refuse_own_names(["mine", "SR"])


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_value_that_is_no_number(value: float):
    with pytest.raises(BadInput, match=r"m\[0\]: expected a number from -1.79769e\+308 to 1.79769e\+308 in value, got"):
        read(("s1", value))
