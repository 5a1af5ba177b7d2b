"""The settings of a team's set-up, as deployments/team/ has them."""

import shlex

from tests.support.desk import ROOT
from tests.support.prefect_server import BIN

TEAM = ROOT / "deployments/team"


def settings_of(name: str) -> dict[str, str]:
    """The variables of a file for the environment."""
    words = shlex.split((TEAM / name).read_text(encoding="utf-8"), comments=True)
    return dict(word.split("=", 1) for word in words)


def service_commands(name: str) -> list[list[str]]:
    """What a service runs, in order, with the programs of this environment."""
    lines = (TEAM / name).read_text(encoding="utf-8").splitlines()
    commands = [line.partition("=")[2] for line in lines if line.startswith(("ExecStartPre=", "ExecStart="))]
    return [shlex.split(command.replace("/opt/bilderatlas/.venv/bin", str(BIN))) for command in commands]
