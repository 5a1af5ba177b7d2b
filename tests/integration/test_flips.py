"""No byte of a release, nor of `latest`, can change without that verify names the file."""

from pathlib import Path

import pytest

from schemas.errors import BadInput
from tasks.core.verify import manifest_problems, manifest_text_problems
from tasks.io.store.releases import Release
from tasks.verify import verify
from tests.support.desk import Desk


@pytest.fixture
def releases(built: Desk) -> Path:
    """A folder with one release, and `latest`."""
    return Path(built.latest.url).parent


def flip(path: Path, place: int) -> bytes:
    """Flip one bit of a byte, each time another one; the bytes that were there."""
    data = path.read_bytes()
    changed = bytearray(data)
    changed[place] ^= 1 << place % 8
    path.write_bytes(changed)
    return data


def problems_of(url: Path) -> str:
    """All that verify says."""
    try:
        return "\n".join(verify(str(url)).problems)
    except BadInput as problem:  # there is nothing to check against
        return str(problem)


def places(length: int) -> list[int]:
    """First, last, and some between them."""
    return sorted({0, length // 3, length // 2, length * 4 // 5, length - 1})


def test_a_flipped_byte_of_any_listed_file_is_told(releases: Path):
    release = Release(str(releases / "latest"))
    for name, entry in release.manifest.files.items():
        path = Path(release.url, name)
        for place in places(entry.bytes):
            before = flip(path, place)
            assert f"{name}: expected {entry.bytes} bytes of SHA-256" in problems_of(Path(release.url)), place
            path.write_bytes(before)
    assert problems_of(Path(release.url)).count("SHA-256") == 0


def test_a_flipped_byte_of_the_manifest_is_told(releases: Path):
    release = Release(str(releases / "latest"))
    path = Path(release.url, "manifest.json")
    length = path.stat().st_size
    for place in places(length):
        before = flip(path, place)
        assert "manifest.json" in problems_of(Path(release.url)), place
        path.write_bytes(before)
    for place in range(length):  # by those checks alone that read the manifest: a whole verify takes longer
        before = flip(path, place)
        assert "manifest.json" in _manifest_problems(Path(release.url)), place
        path.write_bytes(before)


def _manifest_problems(folder: Path) -> str:
    try:
        release = Release(str(folder))
    except BadInput as problem:
        return str(problem)
    found = manifest_text_problems(release.manifest_text, release.manifest)
    return "\n".join([*found, *manifest_problems(release.manifest_fields, release.manifest, folder.name, {})])


def test_a_flipped_bit_of_latest_is_told(releases: Path):
    latest = releases / "latest"
    text = latest.read_bytes()
    for place in range(len(text)):
        for bit in range(8):
            latest.write_bytes(text[:place] + bytes([text[place] ^ 1 << bit]) + text[place + 1 :])
            assert "latest" in problems_of(latest), latest.read_bytes()
