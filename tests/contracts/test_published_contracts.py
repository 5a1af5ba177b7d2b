"""What was once promised stays: contracts as they are against those that were published."""

import itertools
import shutil
from pathlib import Path

import pytest

from schemas.contract import numbers
from tasks.core.contract import changes
from tasks.io.files import contracts
from tests.support.freeze_contracts import CONTRACTS, PRODUCTS, raise_version

PUBLISHED = CONTRACTS / "published"
HOW = "`python -m tests.support.freeze_contracts VERSION` writes a new version and keeps it"


@pytest.mark.parametrize(("product", "folder"), PRODUCTS.items())
def test_the_text_of_a_version_does_not_change(product: str, folder: Path):
    (version,) = {contract.version for contract in contracts.read(str(folder)).values()}
    for path in sorted(folder.glob("*.odcs.yaml")):
        frozen = PUBLISHED / product / version / path.name
        assert frozen.is_file(), f"{path.name} {version} was not published: {HOW}"
        assert frozen.read_bytes() == path.read_bytes(), f"{path.name} differs from {version} as published: {HOW}"
    assert {path.name for path in (PUBLISHED / product / version).iterdir()} == {
        path.name for path in folder.glob("*.odcs.yaml")
    }


@pytest.mark.parametrize(("product", "folder"), PRODUCTS.items())
def test_no_version_breaks_readers_of_those_before_it(product: str, folder: Path):
    """From version to version, and from the newest to what is there now; a new major version may."""
    published = contracts.published(product)
    versions = sorted(published, key=numbers)
    assert versions
    now = contracts.read(str(folder))
    history = [*(published[version] for version in versions), now]
    for old, new in itertools.pairwise(history):
        before, after = (numbers(next(iter(of.values())).version) for of in (old, new))
        broken = [change.sentence for change in changes(old, new) if change.is_breaking]
        assert after[0] > before[0] or broken == [], f"{before} to {after}"


@pytest.mark.parametrize("folder", PRODUCTS.values())
def test_a_new_version_is_written_into_every_file_and_changes_nothing_else(folder: Path, tmp_path: Path):
    raised = Path(shutil.copytree(folder, tmp_path / folder.name))
    raise_version(raised, "9.8.7")
    assert {contract.version for contract in contracts.read(str(raised)).values()} == {"9.8.7"}
    for path in folder.iterdir():
        lines = zip(path.read_text().splitlines(), (raised / path.name).read_text().splitlines(), strict=True)
        (changed,) = [new for old, new in lines if old != new]
        assert changed.endswith("9.8.7"), path.name
