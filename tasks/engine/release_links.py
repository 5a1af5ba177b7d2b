"""Where a browser finds the files of a release."""

import os
from pathlib import Path
from urllib.parse import quote

from tasks.io.store.releases import Release

SETTING = "BILDERATLAS_RELEASES_URL"
"""The environment variable with the address under which a web server shows the store's `releases` folder, if one does:
no browser follows a link from a web page to a file on the disk."""


def link_to(release: Release, file: str) -> str:
    """The address of one of its files: of the web server of SETTING, else where the store has it."""
    manifest = release.manifest
    if base := os.environ.get(SETTING):
        return f"{base.rstrip('/')}/{quote(f'{manifest.name}/{manifest.version}/{file}')}"
    url = f"{release.url}/{file}"
    return url if "://" in url else Path(url).as_uri()
