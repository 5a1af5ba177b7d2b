import subprocess
import sys
from pathlib import Path

import pytest

from flows import prefect_home
from flows.prefect_home import locked_home
from schemas.errors import BadInput


def test_a_home_has_one_serve_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(prefect_home, "_OTHERS_END_S", 0.1)
    home = tmp_path / "a/home"
    expected = "expected a folder that no other `bilderatlas serve` uses"
    with locked_home(home), pytest.raises(BadInput, match=expected), locked_home(home):
        pass
    assert home.stat().st_mode & 0o777 == 0o700
    with locked_home(home):
        pass
    assert [path.name for path in home.iterdir()] == ["serve.lock"]


def test_what_another_serve_has_started_keeps_the_home_until_it_has_ended(tmp_path: Path):
    """As after `kill -9`: the next one waits for a moment."""
    words = [sys.executable, "-c", "input()"]
    with locked_home(tmp_path) as lock:
        left = subprocess.Popen(words, stdin=subprocess.PIPE, pass_fds=[lock.fileno()])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefect_home, "_OTHERS_END_S", 0.1)
        with pytest.raises(BadInput, match="no other `bilderatlas serve`"), locked_home(tmp_path):
            pass
    left.communicate(b"\n")
    with locked_home(tmp_path):
        pass


def test_a_home_that_cannot_be_written_is_told(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="PREFECT_HOME: expected a folder with room"), locked_home(tmp_path / "file"):
        pass
