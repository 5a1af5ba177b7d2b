"""Parts of a rebuild in a fresh process import nothing once they have begun."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.desk import ROOT

BUILD = """
import sys
from pathlib import Path

from tasks.engine import parts
from tasks.orchestration import late_imports

late, run = set(), parts.run_in_parts

def run_and_look(part, rows, arguments, context, label):
    late_imports.import_one_by_one(getattr(part.fn, "late_imports", ()))
    before = set(sys.modules)
    run(part, rows, arguments, context, label)
    late.update(f"{part.name}: {name}" for name in set(sys.modules) - before)
    if rows.num_rows:
        print(part.name)

parts.run_in_parts = run_and_look
from tests.support.desk import Desk  # now: the shells take the function by its name
from tasks.dedup import local_pairs

local_pairs._FEW_PICTURES = 32  # else so small a collection is searched at once, without parts

store, museum, limit = sys.argv[1:]
Desk(store, Path(museum)).build(limit=int(limit))
sys.exit("\\n".join(sorted(late)) or 0)
"""


def _build(store: Path, museum: Path, records: int) -> set[str]:
    """Names of the parts that have run, among other words."""
    words = [sys.executable, "-c", BUILD, str(store), str(museum), str(records)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.live
def test_parts_of_a_rebuild_import_nothing_more(tmp_path: Path, painted: Path) -> None:
    assert {"detect_part", "find_keypoints_part"} <= _build(tmp_path / "store", painted, 60)
    # new images with each other and with those before: in parts, each of which came to the compiler its own way
    assert {"sift_part", "count_part", "compare_part"} <= _build(tmp_path / "store", painted, 90)
