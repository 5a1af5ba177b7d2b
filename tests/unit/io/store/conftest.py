"""Stores that hold nothing yet."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.io.store.store import Store


@pytest.fixture(params=["local", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store where nothing is yet; drafts of a store in memory are written to tmp_path/drafts."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "drafts"))
    if request.param == "local":
        yield Store(str(tmp_path / "store"))
        return
    found = Store(f"memory://{uuid.uuid4().hex}/store")
    yield found
    if found.fs.exists(found.root):
        found.fs.rm(found.root, recursive=True)
