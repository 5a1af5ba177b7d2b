"""The settings of a team's set-up, as deployments/team/ has them."""

import shlex

from tests.support.desk import ROOT

TEAM = ROOT / "deployments/team"


def settings_of(name: str) -> dict[str, str]:
    """The variables of a file for the environment."""
    words = shlex.split((TEAM / name).read_text(encoding="utf-8"), comments=True)
    return dict(word.split("=", 1) for word in words)
