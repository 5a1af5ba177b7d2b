"""The benchmark of comparisons: its made-up releases are such as releases are now."""

from pathlib import Path

import pyarrow.compute as pc

from benchmarks.release_diff import write
from tasks.diff import diff


def test_each_change_of_the_made_up_releases_is_found_and_explained(tmp_path: Path):
    older, newer = (write(tmp_path / name, 1000, is_newer=name == "newer") for name in ("older", "newer"))
    assert diff(older, older).facts["is_equal"]
    found = diff(older, newer)
    assert {*pc.unique(found.changes["kind"]).to_pylist()} >= {
        "came",
        "went",
        "annotation",
        "rights",
        "attribute",
        "bytes",
    }
    assert "unknown" not in pc.unique(found.changes["reason"]).to_pylist()
