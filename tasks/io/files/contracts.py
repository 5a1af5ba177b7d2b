"""The data contract that comes with the program."""

from importlib import resources
from typing import Any

import yaml

FILE = "release.v1.yaml"


def text() -> str:
    """The contract's own text."""
    return (resources.files("data_contracts") / FILE).read_text(encoding="utf-8")


def contract() -> dict[str, Any]:
    """The contract as a mapping."""
    return dict(yaml.safe_load(text()))
