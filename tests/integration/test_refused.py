"""A build that a gate refuses: the table of what was dropped and why, one sentence, status 3, and `why --last`."""

import csv
import errno
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.build_dataset import list_records, run_stages
from flows.cli import main
from flows.recipes import recipe_from_file
from schemas.errors import Refusal
from schemas.manifests import Context
from tasks.io.store import datasets
from tasks.io.store.datasets import read_refusal
from tasks.io.store.layout import refusal_path
from tasks.io.store.store import Store
from tasks.purge import purge
from tests.support.shelf import Shelf

RECIPE: dict[str, Any] = {
    "name": "few",
    "bindings": {"images": "pictures"},
    "sources": [{"folder": {"name": "s", "at": "images", "pattern": "{title}.jpg"}}],
    "stages": ["fetch", "hash", "split", "export"],
}


@pytest.fixture
def shelf(tmp_path: Path, painted: Path) -> Shelf:
    return Shelf(tmp_path, painted)


@pytest.fixture
def few(tmp_path: Path) -> list[str]:
    """The arguments of a build in which no image is left."""
    (tmp_path / "few").mkdir()
    (tmp_path / "few/page.jpg").write_text("<html>not found</html>")
    (tmp_path / "few/empty.jpg").write_bytes(b"")
    (tmp_path / "few.yaml").write_text(yaml.safe_dump(RECIPE), encoding="utf-8")
    return [str(tmp_path / "few.yaml"), "--store", str(tmp_path / "few-store"), "--bind", f"images={tmp_path / 'few'}"]


@pytest.mark.server
def test_a_build_in_which_nothing_is_left_says_why(few: list[str], capfd: pytest.CaptureFixture[str], prefect_server):
    assert main(["build", *few]) == 3
    out, err = capfd.readouterr()
    assert "not_an_image" in out
    assert "empty_file" in out
    assert "export: expected at least one image to publish, got none" in err.splitlines()[-1]
    assert "release:" not in out


def test_a_plan_of_it_shows_its_table_too_and_leaves_no_trace(
    few: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    assert main(["plan", *few]) == 3  # it looks at how local files begin
    assert not (tmp_path / "few-store").exists()
    with pytest.raises(Refusal):
        run_stages(recipe_from_file(few[0]), Context(store=few[2], bindings={"images": few[4].partition("=")[2]}))
    (tmp_path / "few-store/refusals/few.parquet").unlink()
    capsys.readouterr()
    assert main(["plan", *few]) == 3
    out = capsys.readouterr().out
    assert "plan: nothing was done" in out
    assert "not_an_image" in out
    assert not (tmp_path / "few-store/refusals/few.parquet").exists()


def lose(shelf: Shelf, count: int) -> list[str]:
    """Remove the pictures of so many records; their record_ids."""
    with (shelf.images / "works.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[:count]
    for row in rows:
        (shelf.images / row["image"]).unlink()
    return [f"s:{row['key']}" for row in rows]


def test_a_refused_build_can_be_asked(shelf: Shelf, capsys: pytest.CaptureFixture[str]):
    lost = lose(shelf, 6)
    with pytest.raises(Refusal):
        shelf.build()
    said = capsys.readouterr()
    assert "not_found" in said.out  # the table, as at the end of a good build
    ask = ["why", "--last", "--store", str(shelf.store)]
    assert main([*ask, lost[0]]) == 0
    out = capsys.readouterr().out
    assert "shelf: refused on 2" in out
    assert "expected at least 95%" in out
    assert "dropped: not_found" in out
    kept = next(
        row["record_id"] for row in read_refusal(Store(str(shelf.store)), "shelf").ledger.to_pylist() if row["kept"]
    )
    assert main([*ask, kept]) == 0
    assert "not published: the build was refused" in capsys.readouterr().out
    assert main(ask) == 0
    out = capsys.readouterr().out
    assert f"6 not_found: {sorted(lost)[0]}, " in out
    assert " and 3 more" in out
    assert main([*ask, "s:nobody"]) == 2
    assert "expected one of the 12 record_ids in the ledger of the refused build of shelf" in capsys.readouterr().err


def test_once_a_release_is_published_it_answers(shelf: Shelf, capsys: pytest.CaptureFixture[str]):
    lost = lose(shelf, 6)
    with pytest.raises(Refusal):
        shelf.build()
    shelf.plan(max_loss_fraction=1)
    assert Store(str(shelf.store)).exists(refusal_path("shelf"))
    shelf.build(max_loss_fraction=1)
    assert not Store(str(shelf.store)).exists(refusal_path("shelf"))
    ask = ["why", "--last", "--store", str(shelf.store)]
    capsys.readouterr()
    assert main([*ask, lost[0]]) == 0
    assert f"shelf: no build was refused since release {shelf.latest.manifest.version}" in capsys.readouterr().out
    assert main(ask) == 0
    assert "6 not_found" in capsys.readouterr().out


def test_a_limited_release_ends_a_refusal_too(shelf: Shelf, capsys: pytest.CaptureFixture[str]):
    lose(shelf, 6)
    with pytest.raises(Refusal):
        shelf.build()
    shelf.build(max_loss_fraction=1, limit=3)
    assert not Store(str(shelf.store)).exists(refusal_path("shelf"))


def test_a_build_that_has_lost_its_predecessor_is_kept_as_refused(shelf: Shelf, capsys: pytest.CaptureFixture[str]):
    (shelf.store / "releases/shelf/latest").unlink()
    with pytest.raises(Refusal):
        run_stages(shelf.recipe(), shelf.context)
    assert main(["why", "--last", "--store", str(shelf.store)]) == 0
    assert "refused on 2" in (out := capsys.readouterr().out)
    assert "expected releases/shelf/latest to name the release to go on from" in out
    step, lines = list_records(shelf.recipe(), None, 2, shelf.context)
    assert (step.stage, len(lines)) == ("scrape", 2)  # only a build must know what it goes on from


def test_a_refusal_is_heard_where_its_ledger_cannot_be_kept(
    shelf: Shelf, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    lose(shelf, 6)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(datasets, "write_refusal", full)
    with pytest.raises(Refusal, match="expected at least 95%"):
        shelf.build()
    assert "could not be kept: [Errno 28] No space left" in capsys.readouterr().err


def test_a_takedown_reaches_the_ledger_of_a_refused_build(shelf: Shelf):
    kept = [row["record_id"] for row in shelf.latest.ledger().to_pylist() if row["kept"]]
    lose(shelf, 6)
    with pytest.raises(Refusal):
        shelf.build()
    path = shelf.store / refusal_path("shelf")
    before = path.read_bytes()
    assert "1 ledgers of refused builds" in purge("shelf", str(shelf.store), kept[:1], "withdrawn", is_dry=True)
    assert path.read_bytes() == before
    purge("shelf", str(shelf.store), kept[:1], "withdrawn")
    assert not path.exists()


Change = Callable[[Shelf], None]


@pytest.mark.parametrize(
    ("change", "given", "message"),
    [
        pytest.param(lambda _: None, ["why"], "why: expected RELEASE RECORD_ID, or --last", id="nothing"),
        pytest.param(lambda _: None, ["why", "x"], "why: expected RELEASE RECORD_ID", id="no record"),
        pytest.param(lambda _: None, ["why", "--last", "a", "b"], "at most a RECORD_ID", id="a release too"),
        pytest.param(lambda _: None, ["why", "a", "b", "--dataset", "x"], "expected --last with it", id="no --last"),
        pytest.param(lambda _: None, ["why", "--last", "--dataset", "x"], "expected one of those", id="no dataset"),
        pytest.param(
            lambda shelf: shutil.rmtree(shelf.store), ["why", "--last"], "none: nothing was built", id="no store"
        ),
        pytest.param(
            lambda shelf: shutil.copytree(shelf.store / "releases/shelf", shelf.store / "releases/other"),
            ["why", "--last"],
            "(other, shelf), got nothing",
            id="several datasets",
        ),
        pytest.param(
            lambda shelf: Store(str(shelf.store)).write_bytes(refusal_path("shelf"), b"?"),
            ["why", "--last"],
            "got a file that can't be read: build again",
            id="a damaged ledger",
        ),
    ],
)
def test_what_can_not_be_answered_is_one_sentence(
    shelf: Shelf, change: Change, given: list[str], message: str, capsys: pytest.CaptureFixture[str]
):
    change(shelf)
    capsys.readouterr()
    options = ["--store", str(shelf.store)] if "--last" in given else []
    assert main([*given, *options]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1
