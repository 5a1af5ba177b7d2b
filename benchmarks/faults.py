"""The fault campaign: every fault that the museum knows, at 5 % each, against 20,000 records from the real sources'
formats.

    python -m benchmarks.faults [--records 1100] [--fraction 0.05] [--rate 50]

No more than twenty kinds fit at 5 % each, and where a fifth of all answers asks for a pause, a host does little else
but pause. So the kinds are dealt into four builds of some 5,000 records of six sources. Each build is then run again,
at once: nothing is asked for but what failed in passing, and each listing once, conditionally.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from benchmarks.campaign import broken_pauses, busiest, command, museum, release_of, table, visits, watched
from benchmarks.results import ROOT, write
from examples.museum.serve import commons
from examples.museum.serve.faults import ARRIVES, KINDS, Faults

_SECRETS = ("--bind", "flickr=env:FLICKR_OF_THE_MUSEUM", "--bind", "wikiart=env:WIKIART_OF_THE_MUSEUM")
_PASSING = {"unreachable", "server_error", "throttled", "cut_short", "over_budget"}
_GRACE_S = 0.5
_BUILDS = 4
_MB = 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1100, help="works that each source shows")
    parser.add_argument("--fraction", type=float, default=0.05)
    parser.add_argument("--rate", type=float, default=50, help="requests a second and host")
    parser.add_argument("--seed", type=int, default=77)
    parser.add_argument("--only", type=int, choices=range(_BUILDS), help="one of the builds alone")
    arguments = parser.parse_args()
    os.environ |= {"FLICKR_OF_THE_MUSEUM": "a-key", "WIKIART_OF_THE_MUSEUM": "access:secret-code"}
    kinds = list(KINDS)
    dealt = [kinds[number::_BUILDS] for number in range(_BUILDS)]
    chosen = dealt if arguments.only is None else [dealt[arguments.only]]
    with ThreadPoolExecutor(len(chosen)) as side_by_side:  # each mostly waits
        rows = [row for found in side_by_side.map(lambda some: _campaign(arguments, some), chosen) for row in found]
    falls_short = {
        name: sum(row[name] for row in rows) for name in ("untrue", "broken_pauses", "over_budget", "needless")
    }
    most_mb = max(row["peak_mb"] for row in rows)
    write(
        "faults",
        rows,
        {**falls_short, "peak_mb": most_mb, "records": sum(row["records"] for row in rows if row["build"] == "first")},
    )
    return 0 if not any(falls_short.values()) and most_mb < _MB else 1


def _campaign(arguments: argparse.Namespace, kinds: list[str]) -> list[dict[str, Any]]:
    faults = Faults(arguments.fraction, arguments.seed, tuple(kinds), tuple(kinds))
    with tempfile.TemporaryDirectory(prefix="faults-") as scratch:
        folder = Path(scratch)
        recipe, store, log = folder / "recipe.yaml", folder / "store", folder / "visits.jsonl"
        recipe.write_text(yaml.safe_dump(_recipe(arguments.rate)), encoding="utf-8")
        options = [
            "--records",
            str(arguments.records),
            "--seed",
            str(arguments.seed),
            "--paintings",
            "120",
            "--cache",
            str(ROOT / "build/paintings"),
            "--faults",
            str(arguments.fraction),
            "--fault-kinds",
            ",".join(kinds),
            "--fault-seed",
            str(arguments.seed),
        ]
        rows, seen = [], 0
        with museum(log, *options) as url:
            for build in ("first", "again"):
                status, seconds, peak_mb, said = watched(
                    command("build", recipe, store, url, "--workers", "2", *_SECRETS)
                )
                if status:
                    raise SystemExit(f"expected a release, got status {status}: {said}")
                found = visits(log, seen)
                seen += len(found)
                before = rows[-1]["ledger"] if rows else None
                rows.append(_judged(build, store, found, faults, arguments.rate, before))
                rows[-1] |= {"kinds": len(kinds), "seconds": round(seconds), "peak_mb": round(peak_mb)}
                print({name: value for name, value in rows[-1].items() if name != "ledger"}, flush=True)
        return [{name: value for name, value in row.items() if name != "ledger"} for row in rows]


def _recipe(rate: float) -> dict[str, Any]:
    return {
        "name": "faults",
        "max_transient_fraction": 1.0,
        "manners": {"rate_per_s": rate, "connections": 16, "tries": 4, "longest_wait_s": 60},
        "bindings": {"flickr": "where Flickr's key is kept", "wikiart": "where WikiArt's codes are kept"},
        "sources": [
            {"artic": {"name": "artic"}},
            {"commons": {"name": "commons", "categories": [commons.ROOT], "depth": 1}},
            {"flickr": {"name": "flickr", "group_id": "34427469792@N01", "secret": "flickr"}},
            {"met": {"name": "met"}},
            {"ukiyoe": {"name": "ukiyoe"}},
            {"wikiart": {"name": "wikiart", "by": "api2", "copyright": "any", "secret": "wikiart"}},
        ],
        "stages": [
            {"fetch": {"max_bytes": 20_000_000, "max_pixels": 50_000_000, "timeout_s": 2}},
            "hash",
            {"split": {"by": None, "order": None}},
            {"export": {"parquet": {"images": "none"}}},
        ],
    }


def _judged(
    build: str, store: Path, found: list[dict[str, Any]], faults: Faults, rate: float, before: dict[str, Any] | None
) -> dict[str, Any]:
    """One build, held against what the museum knows."""
    release = release_of(store, "faults")
    ledger = {
        row["record_id"]: row for row in table(release, "ledger", ["record_id", "kept", "stage", "reason", "detail"])
    }
    places = {row["record_id"]: row["locator"] for row in table(release, "records", ["record_id", "locator"])}
    untrue = [
        (name, row["reason"], _ends(faults, places[name]), row["detail"])
        for name, row in ledger.items()
        if row["stage"] != "scrape" and (row["reason"] or ARRIVES) not in _ends(faults, places[name])
    ]
    for example in untrue[:8]:
        print("untrue:", example, flush=True)
    lost_answers = sum(row["stage"] == "scrape" and row["reason"] != "bad_record" for row in ledger.values())
    refused = {visit["target"].split("&authSessionKey")[0] for visit in found if _is_lasting_answer(visit)}
    if before is None and lost_answers != len(refused):
        untrue.append(("works", f"{lost_answers} lost", (f"{len(refused)} refused",), None))
        print("untrue:", untrue[-1], flush=True)
    most = busiest(found, 10.0)
    over = {host: count for host, count in most.items() if count > rate * 10 + 1}
    lost = Counter(row["reason"] for row in ledger.values() if row["reason"])
    return {
        "build": build,
        "records": len(ledger),
        "kept": sum(row["kept"] for row in ledger.values()),
        "reasons": json.dumps(dict(sorted(lost.items()))),
        "requests": len(found),
        "hosts": len(most),
        "untrue": len(untrue),
        "busiest_10_s": max(most.values()),
        "over_budget": len(over),
        "broken_pauses": broken_pauses(found, "throttle_seconds", 1.0, _GRACE_S),
        "needless": _needless(found, before, places) if before else 0,
        "ledger": ledger,
    }


def _is_lasting_answer(visit: dict[str, Any]) -> bool:
    is_image = visit["target"].rsplit(".", 1)[-1].lower() in {"jpg", "png", "webp"}
    return visit["fault"] in {"not_found", "server_error_lasting"} and not is_image


def _ends(faults: Faults, locator: str | None) -> tuple[str, ...]:
    parts = urlsplit(locator or "")
    fault = faults.of(f"{parts.netloc}{parts.path}{'?' if parts.query else ''}{parts.query}", "image")
    return fault.kind.ends if fault else (ARRIVES,)


def _needless(found: list[dict[str, Any]], before: dict[str, Any], places: dict[str, str | None]) -> int:
    """Requests for images that had arrived, or had failed for good, in the build before."""
    settled = {
        "".join(urlsplit(place)[1:3])
        for name, place in places.items()
        if place and before.get(name) and before[name]["reason"] not in _PASSING
    }
    return sum(f"{visit['host']}{visit['target']}" in settled for visit in found)


if __name__ == "__main__":
    sys.exit(main())
