"""Dealing: what is placed stays, what is new fills what is lacking. The laws of the whole are in test_decide.py."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.split import SPLITS, Split
from tasks.core.split.deal import balanced_columns, deal

METHODS = pa.list_(pa.string())


def settings(**written: Any) -> Split:
    return Split.model_validate({"label": "split", "seed": 1, "order": None, **written})


def viewed(size: int, **columns: pa.Array) -> pa.Table:
    return pa.table(
        {"record_id": [f"w:{number:03}" for number in range(size)], "figures": np.zeros(size, np.int64), **columns}
    )


def dealt(view: pa.Table, placed: list[int] | None = None, **written: Any) -> list[str]:
    size = view.num_rows
    split = np.array(placed if placed is not None else [-1] * size, np.int8)
    before = split.copy()
    found = deal(view, np.arange(size), split, settings(**written))
    assert (split == before).all()
    return [SPLITS[rank] for rank in found.tolist()]


def test_what_lies_somewhere_stays_and_the_rest_fills_what_is_lacking():
    found = dealt(viewed(10), [2, 2, *[-1] * 8], by=None)
    assert found[:2] == ["test", "test"]
    assert Counter(found) == {"train": 6, "val": 2, "test": 2}


def test_strata_by_an_attribute():
    view = viewed(20, **{"by.department": pa.array(["Prints"] * 10 + [None] * 10)})
    found = dealt(view, by="department")
    assert Counter(found[:10]) == Counter(found[10:]) == {"train": 6, "val": 2, "test": 2}


def test_each_value_of_a_list_balances_by_itself():
    methods = [["etching"], ["woodcut"], ["etching", "woodcut"], [], None] * 10
    view = viewed(50, **{"by.methods": pa.array(methods, METHODS)})
    found = dealt(view, by="methods", method="iterative")
    assert Counter(found) == {"train": 30, "val": 10, "test": 10}
    for method in ("etching", "woodcut"):
        mine = Counter(split for split, said in zip(found, methods, strict=True) if method in (said or ()))
        assert all(abs(mine[name] - wanted) <= 1 for name, wanted in {"train": 12, "val": 4, "test": 4}.items())
    unknown = Counter(split for split, said in zip(found, methods, strict=True) if not said)
    assert unknown == {"train": 12, "val": 4, "test": 4}


def test_columns_with_one_value_and_with_several():
    view = viewed(1, style=pa.array(["a"]), **{"by.methods": pa.array([["a"]], METHODS), "by.pages": pa.array(["7"])})
    by = settings(by=["methods", "style", "pages"], method="iterative")
    assert balanced_columns(view, by) == (["style", "by.pages"], ["by.methods"])


def test_a_split_without_seats_is_no_place():
    with pytest.raises(
        ValueError, match="expected what is published to lie in train, test, got some in splits without"
    ):
        dealt(viewed(2), [1, -1], by=None, ratios={"train": 1, "test": 1})
