"""why: what it says of a record that is in, one that was dropped as a copy, one that was lost on the way, and a
stranger.
"""

from pathlib import Path

import pytest

from flows.cli import main
from schemas.errors import BadInput
from tasks.verify import verify
from tasks.why import why


def test_each_records_way_is_told_to_its_end(built):
    rows = built.latest.ledger().to_pylist()
    kept = next(row for row in rows if row["kept"])
    copy = next(row for row in rows if row["kept_record_id"])
    lost = next(row for row in rows if row["stage"] == "fetch")
    url = f"{built.store}/releases/museum/latest"
    assert why(url, kept["record_id"]).splitlines()[-1].startswith(f"  in the release: split {kept['last_split']}")
    told = why(url, copy["record_id"])
    assert f"dedup            dropped: {copy['reason']}" in told
    assert f"the copy that was kept: {copy['kept_record_id']}" in told
    assert why(url, lost["record_id"]).splitlines()[1:3] == [
        "  scrape           kept",
        f"  fetch            dropped: {lost['reason']} ({lost['detail']})",
    ]
    with pytest.raises(BadInput, match="expected one of the 160 record_ids in the ledger"):
        why(url, "museum:nobody")


def test_verify_names_the_file_that_is_not_what_it_was(built, capsys):
    url = f"{built.store}/releases/museum/latest"
    assert main(["verify", url, "--deep"]) == 0
    path = next(path for path in built.latest.manifest.files if path.endswith(".parquet"))
    with (Path(built.latest.root) / path).open("ab") as file:
        file.write(b"x")
    assert main(["verify", url]) == 1
    assert f"FAILED  files\n        {path}: expected" in capsys.readouterr().out
    assert not verify(url).is_good
