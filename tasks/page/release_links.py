"""Where a browser finds the files of a release."""

import os
from pathlib import Path
from urllib.parse import quote

from tasks.io.store.releases import Release

SETTING = "BILDERATLAS_RELEASES_URL"
"""The environment variable with the address of a web server that shows the releases of this machine, each at its path,
if there is one: no browser follows a link from a web page to a file on the disk."""


def link_to(release: Release, file: str) -> str:
    """The address of one of its files: on the web server of SETTING, else where the store has it."""
    url = f"{release.url}/{file}"
    if "://" in url:
        return url
    base = os.environ.get(SETTING, "")
    return f"{base.rstrip('/')}{quote(url)}" if base else Path(url).as_uri()
