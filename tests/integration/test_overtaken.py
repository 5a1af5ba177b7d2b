"""Two builds that go on from the same release: the later one begins again from what the first has published."""

import csv
from pathlib import Path

import pytest

from schemas.errors import Overtaken
from schemas.manifests import Context
from tasks import export
from tasks.io.store.releases import Release
from tests.support.shelf import Shelf


@pytest.fixture
def shelf(tmp_path: Path, painted: Path) -> Shelf:
    return Shelf(tmp_path, painted)


def splits(release: Release) -> dict[str, str]:
    rows = release.ledger().to_pylist()
    return {row["record_id"]: row["last_split"] for row in rows if row["kept"]}


def without_rows(shelf: Shelf, count: int) -> str:
    """The folder's table without its first rows; the text as it was."""
    table = shelf.images / "works.csv"
    whole = table.read_text(encoding="utf-8")
    rows = list(csv.reader(whole.splitlines()))
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([rows[0], *rows[1 + count :]])
    return whole


@pytest.fixture
def overtaking(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Whenever a build is about to publish for the first time, another one publishes before it: its version."""
    published: list[str] = []
    check_gates = export._check_gates

    def publish_first(*arguments: object) -> None:
        check_gates(*arguments)  # type: ignore[arg-type]
        if not published:
            published.append("")
            whole = without_rows(shelf, 1)
            shelf.build(max_loss_fraction=0.9)
            published[0] = shelf.latest.manifest.version
            (shelf.images / "works.csv").write_text(whole, encoding="utf-8")

    monkeypatch.setattr(export, "_check_gates", publish_first)
    return published


def test_the_later_build_goes_on_from_what_the_first_has_published(
    shelf: Shelf, overtaking: list[str], capsys: pytest.CaptureFixture[str]
):
    first = shelf.latest.manifest.version
    steps = shelf.build(max_loss_fraction=0.5)
    (other,) = overtaking
    assert other not in {"", first}
    manifest = shelf.latest.manifest
    assert (manifest.previous, manifest.lineage) == (other, 1)
    before = splits(Release(f"{shelf.store}/releases/shelf/{other}"))
    assert {name: split for name, split in splits(shelf.latest).items() if name in before} == before
    note = f"begun again: export: expected releases/shelf/latest to name {first} still, got '{other}', which another"
    assert any(line.startswith(note) for line in steps["export"].notes)
    assert note in capsys.readouterr().err


def test_a_build_from_a_release_that_a_person_named_is_refused(shelf: Shelf, overtaking: list[str]):
    version = shelf.latest.manifest.version
    asked: Context = shelf.context.model_copy(update={"previous": version})
    with pytest.raises(Overtaken, match="which another build has published meanwhile; nothing is published"):
        shelf.build_with(asked, max_loss_fraction=0.5)
    assert shelf.latest.manifest.version == overtaking[0]
