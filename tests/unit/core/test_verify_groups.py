"""What a recipe keeps together lies in one split."""

import time
from typing import Any

import pyarrow as pa
import pytest

from tasks.core.verify_groups import together_problems


def problems(texts: list[Any], splits: list[str], roles: list[str | None] | None = None, **how: Any) -> list[str]:
    column = how.pop("column", "together.artist")
    kind = pa.list_(pa.string()) if any(isinstance(text, list) for text in texts) else pa.string()
    rows = pa.table(
        {
            "split": pa.array(splits, pa.string()),
            "role": pa.array(roles or [None] * len(splits), pa.string()),
            column: pa.array(texts, kind),
        }
    )
    return list(together_problems(rows, **{"is_by_name": True, **how}))


@pytest.mark.parametrize(
    ("texts", "splits", "how", "count"),
    [
        pytest.param([], [], {}, 0, id="nothing"),
        pytest.param(["A", "A"], ["train", "train"], {}, 0, id="one split"),
        pytest.param(["A", "B"], ["train", "val"], {}, 0, id="two artists"),
        pytest.param([None, None], ["train", "val"], {}, 0, id="nobody is no artist"),
        pytest.param(["A", "A"], ["train", "val"], {}, 1, id="one artist in two splits"),
        pytest.param(["A", "a."], ["train", "val"], {}, 1, id="in two spellings"),
        pytest.param(["A", "a."], ["train", "val"], {"is_by_name": False}, 0, id="which an older contract allows"),
        pytest.param(["A", "A"], ["train", "val"], {"is_by_name": False}, 1, id="but not one spelling"),
        pytest.param(["A", "a"], ["train", "val"], {"roles": ["gallery", "query"]}, 0, id="of two roles"),
        pytest.param(["A", "a"], ["test", "val"], {"roles": ["query", "query"]}, 1, id="of one role"),
        pytest.param(["1-a", "1-A"], ["test", "val"], {"column": "together.number"}, 0, id="identifiers"),
        pytest.param([["a", "b"], ["B"]], ["test", "val"], {"column": "together.methods"}, 1, id="of a list any"),
        pytest.param([["a", "b"], None], ["test", "val"], {"column": "together.methods"}, 0, id="of a list none"),
    ],
)
def test_together(texts: list[Any], splits: list[str], how: dict[str, Any], count: int):
    assert len(problems(texts, splits, **how)) == count


def test_the_spellings_are_named():
    assert problems(["HENRI MARTIN", "Henri Martin"], ["val", "train"]) == [
        "leak: expected artist 'HENRI MARTIN', 'Henri Martin' in one split, got ['train', 'val']"
    ]


def test_groups_of_many_rows_are_found_without_looking_at_each():
    artists = [f"artist {number // 2}" for number in range(200_000)]
    splits = ["train"] * 199_999 + ["val"]
    began_s = time.process_time()
    assert problems(artists, splits) == ["leak: expected artist 'artist 99999' in one split, got ['train', 'val']"]
    assert time.process_time() - began_s < 3
