"""A million records of metadata, from the museum's CSV and APIs: bounded memory, and a rerun costs what is new.

    python -m benchmarks.million [--records 530000]

The Met's table, an answer for each of its objects, and the Art Institute's pages: about two records for each work of
the museum. Then the museum grows by 1 %, and they are listed again.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from benchmarks.campaign import command, museum, visits, watched
from benchmarks.results import write


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=530_000, help="works of the museum")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="million-") as scratch:
        folder = Path(scratch)
        recipe, store = folder / "recipe.yaml", folder / "store"
        recipe.write_text(yaml.safe_dump(_recipe()), encoding="utf-8")
        rows: list[dict[str, Any]] = []
        for name, works in (("first", arguments.records), ("1 % more", arguments.records * 101 // 100)):
            log = folder / f"{works}.jsonl"
            with museum(log, "--records", str(works), "--paintings", "1", "--cache", str(folder / "cache")) as url:
                status, seconds, peak_mb, said = watched(command("scrape", recipe, store, url, "--show", "1"))
            if status:
                raise SystemExit(f"expected a listing, got status {status}: {said}")
            found = visits(log)
            objects = sum("/objects/" in visit["target"] for visit in found)
            newest = max(store.glob("outcomes/scrape/*.parquet"), key=lambda path: path.stat().st_mtime)
            rows.append(
                {
                    "run": name,
                    "records": pq.read_metadata(newest).num_rows,
                    "seconds": round(seconds),
                    "peak_mb": round(peak_mb),
                    "requests": len(found),
                    "works_asked": objects,
                    "listings_asked": len(found) - objects,
                }
            )
            print(rows[-1], flush=True)
    first, more = rows
    share = more["works_asked"] / first["works_asked"]
    write(
        "million",
        rows,
        {"peak_mb": max(first["peak_mb"], more["peak_mb"]), "rerun_share_of_works_asked": round(share, 4)},
    )
    return 0 if max(first["peak_mb"], more["peak_mb"]) < 2000 and share < 0.02 else 1


def _recipe() -> dict[str, Any]:
    return {
        "name": "million",
        "manners": {"rate_per_s": 100_000, "connections": 16},
        "sources": [{"met": {"name": "met"}}, {"artic": {"name": "artic"}}],
        "stages": ["fetch", "hash", {"split": {"by": None, "order": None}}, "export"],
    }


if __name__ == "__main__":
    sys.exit(main())
