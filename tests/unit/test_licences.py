"""Licences of what is installed with bilderatlas: known, allowed, or excepted with a reason."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.licences import (
    ROOT,
    UNKNOWN,
    Package,
    by_text,
    installed_packages,
    is_allowed,
    is_expression,
    problems,
    rules_in,
)

RULES: dict[str, Any] = {
    "allowed": {"MIT": "permissive", "Apache-2.0": "permissive"},
    "exceptions": {"nvidia-*": {"licence": "LicenseRef-X", "because": "x"}},
}


def test_all_run_time_packages_are_locked_installed_and_allowed():
    packages, wrong = installed_packages()
    assert wrong == []
    assert len(packages) > 100
    assert {"pyarrow", "prefect", "torch", "s3fs", "numpy"} <= {package.name for package in packages}
    assert "pytest" not in {package.name for package in packages}
    assert list(problems(packages, rules_in(ROOT / "licences.yaml"))) == []


@pytest.mark.parametrize(
    ("expression", "is_fine"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("GPL-3.0-only AND MIT OR Apache-2.0", True),
        ("GPL-3.0-only AND (MIT OR Apache-2.0)", False),
        ("(MIT OR GPL-3.0-only) AND Apache-2.0 WITH LLVM-exception", True),
        ("GPL-3.0-only WITH Classpath-exception-2.0", False),
    ],
)
def test_expressions(expression: str, is_fine: bool):
    assert is_allowed(expression, RULES["allowed"]) is is_fine


@pytest.mark.parametrize("text", ["", "MIT OR", "(MIT", "MIT Apache-2.0", "AND", "MIT)", "see the file"])
def test_what_is_no_expression_is_refused(text: str):
    with pytest.raises(ValueError, match="expected an SPDX expression"):
        is_allowed(text, RULES["allowed"])


@pytest.mark.parametrize(
    ("name", "licence", "message"),
    [
        ("a", "MIT", None),
        ("a", "GPL-3.0-only", "a 1: expected a licence that licences.yaml allows, got GPL-3.0-only"),
        ("a", UNKNOWN, "a 1: expected a licence that is known here, got none: look it up"),
        ("nvidia-x", "LicenseRef-X", None),
        ("nvidia-x", UNKNOWN, None),
        ("nvidia-x", "GPL-3.0-only", "nvidia-x 1: expected LicenseRef-X, as its exception says, got GPL-3.0-only"),
    ],
)
def test_problems(name: str, licence: str, message: str | None):
    assert list(problems([Package(name, "1", licence)], RULES)) == ([message] if message else [])


def test_licences_are_known_by_their_words():
    bsd = "Redistribution and use in source and binary forms, with or without\n modification"
    assert by_text(bsd) == "BSD-2-Clause"
    assert by_text(f"{bsd} ... Neither the name of the copyright holder") == "BSD-3-Clause"
    assert by_text("Apache License\n   Version 2.0, January 2004") == "Apache-2.0"
    assert by_text("All rights reserved") is None
    assert is_expression("MIT OR Apache-2.0")
    assert not is_expression("Dual License")


def test_a_licence_without_a_reason_is_refused(tmp_path: Path):
    path = tmp_path / "licences.yaml"
    path.write_text("allowed: {MIT: }\nexceptions: {}\n".replace("MIT: ", "MIT: ''"))
    with pytest.raises(ValueError, match="expected a reason for MIT"):
        rules_in(path)
