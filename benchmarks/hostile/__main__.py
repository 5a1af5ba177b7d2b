"""The hostile campaign: thousands of odd inputs and damages, and for each the ending that is right.

    python -m benchmarks.hostile [--seed 1] [--workers 2] [--family NAME ...]
    python -m benchmarks.hostile --case FAMILY/NUMBER --seed SEED

A case is right if it ends in time, without a traceback, with the expected status and a true reason, and if nothing is
changed silently. What is wrong is printed with the command that repeats it alone.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

# before Prefect is imported, as flows.cli does
os.environ |= {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "DO_NOT_TRACK": "1",
}

from benchmarks.hostile import campaign
from benchmarks.hostile.families import FAMILIES
from benchmarks.hostile.workers import Run, verdicts_of
from benchmarks.results import markdown, write


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--family", action="append", choices=sorted(FAMILIES), help="only these; nothing is written")
    parser.add_argument("--share", type=float, default=1.0, help="of the cases of each family; nothing is written")
    parser.add_argument("--case", metavar="FAMILY/NUMBER", help="one case alone, here; what it leaves is kept")
    arguments = parser.parse_args()
    if arguments.case:
        return _one(arguments.case, arguments.seed)
    began = time.monotonic()
    chosen = {
        name: range(max(1, round(family.cases * arguments.share)))
        for name, family in FAMILIES.items()
        if name in (arguments.family or FAMILIES)
    }
    with tempfile.TemporaryDirectory(prefix="hostile-", ignore_cleanup_errors=True) as scratch:
        Path(scratch).chmod(0o755)  # some cases run as a user without rights
        scene = campaign.scene_in(Path(scratch), arguments.seed)
        found, seconds = campaign.run(scene, chosen, arguments.workers)
    rows = [campaign.row(name, found[name], seconds[name]) for name in chosen]
    sums = campaign.totals(rows)
    if arguments.family or arguments.share != 1.0:
        print(markdown(rows), sums, f"{time.monotonic() - began:.0f} s", sep="\n")
    else:
        write("hostile", rows, {**sums, "seconds": round(time.monotonic() - began)})
    return 1 if sums["wrong"] else 0


def _one(name: str, seed: int) -> int:
    family, _, number = name.partition("/")
    if family not in FAMILIES or not number.isdecimal():
        raise SystemExit(f"--case: expected FAMILY/NUMBER with one of {', '.join(FAMILIES)}, got '{name}'")
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    folder.chmod(0o755)
    scene = campaign.scene_in(folder, seed)
    own = scene._replace(folder=folder / "case")
    own.folder.mkdir()
    (verdict,) = verdicts_of(Run(FAMILIES[family], (int(number),)), own)
    print(f"{verdict.what}\n{campaign.sentence(FAMILIES[family], verdict, seed) if verdict.wrong else 'right'}")
    print(f"what it left: {own.folder}")
    return 1 if verdict.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
