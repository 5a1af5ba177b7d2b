"""Where the readers of releases are, and what they read: lines of docs/reading.md are run there."""

import sys
from pathlib import Path
from typing import NamedTuple

from tasks.io.store.releases import Release
from tasks.unpack import unpack
from tests.support.desk import ROOT

PYTHON = {
    "ours": Path(sys.executable),
    **{name: ROOT / f".venv/{name}/bin/python" for name in ("readers", "datumaro")},
}
"""Of the program's own environment, and of those with readers that it does without (`make test-readers`)."""


class Place(NamedTuple):
    """Where the lines are run: a folder with a store, and images as files."""

    folder: Path
    release: Release


def lay_out(folder: Path, releases: Path) -> None:
    """A folder in which the page's lines find what they name. releases: of one dataset, and `latest`."""
    (folder / "store/releases").mkdir(parents=True)
    (folder / "store/releases/museum").symlink_to(releases)
    unpack(str(releases / "latest"), str(folder / "unpacked"))
