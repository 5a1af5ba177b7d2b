"""How long a person waits at Prefect's web page: from a run's request to its start, and to its end.

    python -m benchmarks.serve [--rounds 5]

`bilderatlas serve` with its server, worker and museum of 2000 records; medians, by the server's own times of the
states. The first build is beside them, so that nothing is left for the others.
"""

import argparse
import statistics
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

from benchmarks.release_growth import museum_of
from benchmarks.results import ROOT, write
from tests.support.serve import Serve

MOST_START_S, MOST_CACHED_S = 10.0, 8.0
_WEIGHTS = ROOT / "examples/museum/weights/figures.onnx"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--museum", type=Path, help="a museum of 2000 records that is painted already")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="serve-") as scratch:
        museum = museum_of(arguments.museum, Path(scratch))
        began_s = time.monotonic()
        serve = Serve(Path(scratch) / "prefect", "--store", f"{scratch}/store")
        try:
            serve.until_ready()
            ready_s = time.monotonic() - began_s
            parameters = {"bind": {"images": str(museum), "weights": str(_WEIGHTS)}}
            first, *again = [_waits(serve, parameters) for _ in range(arguments.rounds + 1)]
            _, ended_s = serve.interrupt()
        finally:
            serve.stop()
    start_s, cached_s = (round(statistics.median(side), 2) for side in zip(*again, strict=True))
    rows = [
        {"what": "serve, until the web page is there", "seconds": round(ready_s, 2)},
        {"what": "the first build, from request to end", "seconds": round(first[1], 2)},
        {"what": "a run, from request to start", "seconds": start_s},
        {"what": "a run that has nothing to do, from request to end", "seconds": cached_s},
        {"what": "Ctrl-C, until all has ended", "seconds": round(ended_s, 2)},
    ]
    write("serve", rows, {"submit_to_start_s": start_s, "cached_run_s": cached_s})
    return 0 if start_s < MOST_START_S and cached_s < MOST_CACHED_S else 1


def _waits(serve: Serve, parameters: dict[str, object]) -> tuple[float, float]:
    """Seconds from the request of a run to its start and to its end."""
    run = serve.ended(serve.run_of("museum", parameters)["id"])
    if run["state"]["type"] != "COMPLETED":
        raise SystemExit(f"expected that the run ends well, got {run['state']}")
    asked, began, ended = (datetime.fromisoformat(run[name]) for name in ("created", "start_time", "end_time"))
    return (began - asked).total_seconds(), (ended - asked).total_seconds()


if __name__ == "__main__":
    sys.exit(main())
