"""Killed five times while it downloads: no image is asked for again once its row was kept.

    python -m benchmarks.fetch_kills [--records 3000] [--kills 5]

After each SIGKILL, to the whole process group, what the store holds is read: rows of tables and of journals. Whatever
the museum's log shows afterwards of these addresses is a broken promise.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import yaml

from benchmarks.campaign import command, museum, release_of, table, visits
from benchmarks.results import ROOT, write
from schemas.tables import RETRIEVALS
from tasks.io.store import journal


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=3000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=5)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="kills-") as scratch:
        folder = Path(scratch)
        recipe, store, log = folder / "recipe.yaml", folder / "store", folder / "visits.jsonl"
        recipe.write_text(yaml.safe_dump(_recipe()), encoding="utf-8")
        options = [
            "--records",
            str(arguments.records),
            "--paintings",
            "60",
            "--cache",
            str(ROOT / "build/paintings-60"),
        ]
        with museum(log, *options) as url:
            rows = []
            while len(rows) < arguments.kills:
                rows.append(_killed(command("build", recipe, store, url, "--workers", "2"), store, log, chance))
                print(rows[-1], flush=True)
            subprocess.run(command("build", recipe, store, url), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            everything = visits(log)
        ledger = table(release_of(store, "kills"), "ledger", ["kept", "stage", "reason"])
        arrived = sum(row["stage"] is None for row in ledger)
    again = [_asked_after(everything, row.pop("settled"), row["visits"]) for row in rows]
    for row, count in zip(rows, again, strict=True):
        row["asked_again"] = count
    images = sum(visit["target"].endswith("default.jpg") and visit["method"] == "GET" for visit in everything)
    write(
        "fetch-kills",
        rows,
        {"asked_again": sum(again), "kills": len(rows), "arrived": arrived, "image_requests": images},
    )
    return 1 if sum(again) else 0


def _recipe() -> dict[str, Any]:
    return {
        "name": "kills",
        "manners": {"rate_per_s": 150, "connections": 16},
        "sources": [{"artic": {"name": "artic"}}],
        "stages": [
            "fetch",
            "hash",
            {"split": {"by": None, "order": None}},
            {"export": {"parquet": {"images": "none"}}},
        ],
    }


def _killed(words: list[str], store: Path, log: Path, chance: random.Random) -> dict[str, Any]:
    before = len(_settled(store))
    build = subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    # not before the downloads are well under way: what comes earlier is nobody's image
    while build.poll() is None and len(_settled(store)) <= before:
        time.sleep(0.2)
    time.sleep(chance.uniform(0.2, 2.5))
    was_running = build.poll() is None
    if was_running:
        os.killpg(build.pid, signal.SIGKILL)
    build.wait()
    time.sleep(0.5)  # what the museum has received by now was sent before
    settled = _settled(store)
    blobs = sum(1 for _ in store.glob("blobs/*/*"))
    return {
        "killed": was_running,
        "rows_kept": len(settled),
        "blobs": blobs,
        "visits": len(visits(log)),
        "settled": settled,
    }


def _settled(store: Path) -> set[str]:
    """Addresses whose rows the store holds, in tables and in journals of dead parts."""
    found: set[str] = set()
    for path in store.glob("retrievals/web-images/*"):
        try:
            if path.suffix == ".parquet":
                found.update(pq.read_table(path, columns=["locator"])["locator"].to_pylist())
            else:
                found.update(row["locator"] for row in journal.rows_of(path.read_bytes(), RETRIEVALS))
        except FileNotFoundError:
            continue
    return found


def _asked_after(everything: list[dict[str, Any]], settled: set[str], from_visit: int) -> int:
    known = {"".join(urlsplit(address)[1:3]) for address in settled}
    return sum(f"{visit['host']}{visit['target']}" in known for visit in everything[from_visit:])


if __name__ == "__main__":
    sys.exit(main())
