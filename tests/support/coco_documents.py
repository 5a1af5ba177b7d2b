"""COCO documents compared whatever their order and formatting."""

import json
import math
from typing import Any

from tasks.core.coco.source_file import LISTS


def plain(value: Any) -> Any:
    """A value in which whole numbers have no point, and those that JSON does not have are text."""
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value == int(value) else repr(value)
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    return [*map(plain, value)] if isinstance(value, list) else value


def in_order(document: dict[str, Any]) -> str:
    """A document's text, the same whatever its order and formatting."""
    lists = {name: sorted(json.dumps(plain(row), sort_keys=True) for row in document[name]) for name in LISTS}
    return json.dumps(plain({**document, **lists}), sort_keys=True)
