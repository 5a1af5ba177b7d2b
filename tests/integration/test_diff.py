"""diff: ten releases of one museum, each compared with the next, with the last, and with itself."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from flows.cli import main
from schemas.diff import CHANGES, OPT_OUTS
from tasks.diff import diff
from tests.support.desk import MadeOnce
from tests.support.history import write_as_contract_2_1, write_history

pytestmark = pytest.mark.live


@pytest.fixture(scope="session")
def history(made_once: MadeOnce) -> Path:
    """Releases 01 to 10, and 09-purged, which no test may change."""
    return made_once("history", write_history) / "releases"


def reasons(found: Any) -> set[tuple[str, str]]:
    rows = found.changes.select(["kind", "reason"]).to_pylist()
    return {(row["kind"], row["reason"]) for row in rows}


EXPECTED = {
    ("01", "02"): {("came", "new_at_source"), ("came", "place_free"), ("went", "newcomers"), ("attribute", "copies")},
    ("02", "03"): {("went", "gone_from_source"), ("rights", "source_metadata"), ("attribute", "source_metadata")},
    ("03", "04"): {("returned", "back_at_source"), ("went", "copy_came")},
    ("04", "05"): {("went", "taken_down"), ("went", "excluded"), ("went", "replaced")},
    ("05", "06"): {("went", "verdict")},
    ("06", "07"): {("went", "settings"), ("came", "place_free")},
    ("07", "08"): {("returned", "by_hand"), ("returned", "settings"), ("annotation", "settings")},
    ("08", "09"): {("annotation", "settings"), ("split", "splits_drawn_afresh")},
    ("04", "09-purged"): {("went", "purged")},
    ("09-purged", "10"): {("went", "settings")},
}


@pytest.mark.parametrize(("before", "after"), EXPECTED, ids="-".join)
def test_what_happened_is_found_and_explained(history, before, after):
    found = diff(str(history / before), str(history / after))
    assert EXPECTED[before, after] <= reasons(found)
    assert "unknown" not in {reason for _, reason in reasons(found)}


def test_each_release_has_what_changed_since_the_one_before(history):
    by_version = {json.loads((path / "manifest.json").read_text())["version"]: path for path in history.iterdir()}
    seen = 0
    for path in sorted(by_version.values()):
        manifest = json.loads((path / "manifest.json").read_text())
        if manifest["previous"] is None:
            assert not (path / "CHANGES.md").exists()
            continue
        page = (path / "CHANGES.md").read_text(encoding="utf-8")
        assert page.startswith(f"# Changes since {manifest['previous']}\n")
        before = by_version.get(manifest["previous"])
        if before is None or "purged" in path.name:
            continue
        found = diff(str(before), str(path))
        assert pq.read_table(path / "changes.parquet", schema=CHANGES).equals(found.changes)
        assert pq.read_table(path / "opt-outs.parquet", schema=OPT_OUTS).equals(found.opted_out)
        assert found.text.splitlines()[0] in page
        seen += 1
    assert seen >= 5


@pytest.mark.parametrize(
    ("before", "after"),
    [*((after, before) for before, after in EXPECTED), ("01", "10"), ("10", "01"), ("03", "08"), ("05", "09")],
    ids="-".join,
)
def test_also_backwards_and_over_several_releases_every_change_has_a_reason(history, before, after):
    found = diff(str(history / before), str(history / after))
    assert found.changes.num_rows
    assert "unknown" not in {reason for _, reason in reasons(found)}


def test_the_command_writes_what_it_found(history, tmp_path, capsys):
    before, after = str(history / "04"), str(history / "05")
    assert main(["diff", before, after, "--out", str(tmp_path / "out")]) == 0
    assert "taken_down" in capsys.readouterr().out
    assert pq.read_schema(tmp_path / "out/changes.parquet").equals(CHANGES)
    opted = pq.read_table(tmp_path / "out/opt-outs.parquet")
    assert opted.schema.equals(OPT_OUTS)
    assert {row["reason"]: row["date"] for row in opted.to_pylist()} == {
        "taken_down": "2024-05-01",
        "excluded": "2024-05-02",
    }
    assert len((tmp_path / "out/opt-outs.txt").read_text(encoding="utf-8").splitlines()) == 3
    page = (tmp_path / "out/diff.html").read_text(encoding="utf-8")
    assert "no picture" in page  # of what was replaced there is none in the newer release
    assert page.count("data:image/jpeg") == 1  # and what was taken down or excluded is not shown
    assert main(["diff", before, after, "--exit-code", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["kinds"]["went"]["by_reason"]["excluded"] == 1
    assert main(["diff", after, after, "--exit-code"]) == 0
    assert "no record has changed" in capsys.readouterr().out


def test_of_what_was_purged_the_list_says_no_more_than_the_tombstone(history):
    found = diff(str(history / "04"), str(history / "09-purged"))
    stones = {row["record_id"]: row for row in found.after.tombstones().to_pylist()}
    rows = [row for row in found.opted_out.to_pylist() if row["record_id"] in stones]
    assert rows
    for row in rows:
        stone = stones[row["record_id"]]
        assert (row["sha256"], row["detail"], row["date"]) == (stone["sha256"], stone["reason"], stone["date"])


def test_a_release_of_an_older_contract_is_compared_as_well(history, tmp_path):
    now = diff(str(history / "01"), str(history / "02"))
    older = write_as_contract_2_1(now.before, tmp_path / "older")
    found = diff(older.url, str(history / "02"))
    assert "artist_text" in found.facts["columns"]["only_after"]
    assert any(text.startswith("contract 2.1.0 -> ") for text in found.facts["programs"])
    assert found.changes.num_rows
    names = [(row["record_id"], row["kind"], row["field"]) for row in now.changes.to_pylist()]
    assert [(row["record_id"], row["kind"], row["field"]) for row in found.changes.to_pylist()] == [
        name for name in names if name[2] != "artist_text"
    ]
    assert "unknown" not in {reason for _, reason in reasons(found)}


def damaged(release: Path, file: str, data: bytes) -> None:
    (release / file).write_bytes(data)


@pytest.mark.parametrize(
    ("file", "data", "status"),
    [
        ("manifest.json", b"{}", 2),
        ("recipe.yaml", b"sources: 3\n", 1),
        ("recipe.yaml", b"[", 1),
        ("ledger.parquet", b"PAR1", 1),
        ("records.parquet", b"PAR1", 1),
    ],
)
def test_a_damaged_release_is_one_sentence(history, tmp_path, capsys, file, data, status):
    copy = Path(shutil.copytree(history / "02", tmp_path / "copy"))
    damaged(copy, file, data)
    assert main(["diff", str(history / "01"), str(copy)]) == status
    said = capsys.readouterr().err
    assert said.startswith("bilderatlas: ")
    assert said.count("\n") == 1
