"""The categories table of a release: what its recipe says of them, with their keypoint schemes written out."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa

from schemas.keypoints import CocoCategory
from schemas.phrases import quoted
from schemas.tables import CATEGORIES


def category_table(categories: Sequence[CocoCategory]) -> pa.Table:
    """CATEGORIES, whose ids count from 1.

    >>> from schemas.keypoints import Category, resolve_categories
    >>> category_table(resolve_categories([Category(name="person")]))["flip_pairs"][0].as_py()[:4]
    [2, 3, 4, 5]
    """
    return pa.Table.from_pylist([_row(*entry) for entry in enumerate(categories, 1)], schema=CATEGORIES)


def category_table_problems(table: pa.Table, categories: Sequence[CocoCategory]) -> Iterator[str]:
    """Rows of a release's table that do not follow from its recipe, whose categories these are."""
    expected, got = category_table(categories).to_pylist(), table.to_pylist()
    if len(expected) != len(got):
        yield f"categories: expected {len(expected)} rows, as recipe.yaml has categories, got {len(got)}"
        return
    for wanted, row in zip(expected, got, strict=True):
        for name, value in wanted.items():
            if row.get(name) != value:
                place = f"categories.{name} of {quoted(wanted['name'])}"
                yield f"{place}: expected {quoted(value)}, as recipe.yaml says, got {quoted(row.get(name))}"


def _row(number: int, category: CocoCategory) -> dict[str, Any]:
    plain = {"category_id": number, "name": category.name, "supercategory": category.supercategory}
    scheme = category.scheme
    if scheme is None:
        return plain
    return {
        **plain,
        "keypoint_scheme": scheme.name,
        "keypoints": scheme.joints,
        "skeleton": [*chain.from_iterable(scheme.skeleton_numbers)],
        "flip_pairs": [*chain.from_iterable(scheme.flip_pair_numbers)],
        "sigmas": scheme.sigmas,
    }
