"""Prefect's own cost: a build as task runs beside the same core and io functions called directly, one after the other.

    python -m benchmarks.overhead [--records 10000] [--rounds 2]

The bound is the plain calls' time. Both sides run alternately, each in a process of its own, with one worker and an
empty store; measured is the loop over the stages, from the first listing to the release, without imports and without
the start of Prefect's server. A third row shows two workers, which is how people run it on two cores.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.results import ROOT, write

RECIPE = "deployments/recipes/museum.yaml"
WEIGHTS = "examples/museum/weights/figures.onnx"
SEED = 4711


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--one", choices=["plain", "prefect"], help=argparse.SUPPRESS)
    parser.add_argument("--workers", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--museum", help="a museum of so many records that is painted already")
    parser.add_argument("--store", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(_one(arguments)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        museum = arguments.museum or f"{folder}/museum"
        if arguments.museum is None:
            paint = ["museum", "paint", museum, "--records", str(arguments.records), "--seed", str(SEED)]
            subprocess.run([sys.executable, "-m", "flows.cli", *paint], cwd=ROOT, check=True)
        sides = [("plain", 1), ("prefect", 1), ("prefect", 2)]
        found: dict[tuple[str, int], list[dict[str, Any]]] = {side: [] for side in sides}
        for number in range(arguments.rounds):
            for mode, workers in sides:
                found[mode, workers].append(_measured(mode, workers, museum, f"{folder}/{mode}-{workers}-{number}"))
                print(mode, workers, found[mode, workers][-1], flush=True)
    rows = [
        {
            "build": f"{mode}, {workers} worker{'s' * (workers > 1)}",
            "records": arguments.records,
            **{name: round(statistics.median(run[name] for run in runs), 2) for name in runs[0] if name != "content"},
        }
        for (mode, workers), runs in found.items()
    ]
    assert len({run["content"] for runs in found.values() for run in runs}) == 1, "expected one content digest"
    pairs = [
        with_it["total_s"] / without["total_s"]
        for with_it, without in zip(found["prefect", 1], found["plain", 1], strict=True)
    ]
    write("overhead", rows, {"prefect_fraction": round(statistics.median(pairs) - 1, 4), "records": arguments.records})
    return 0


def _measured(mode: str, workers: int, museum: str, store: str) -> dict[str, Any]:
    words = ["--one", mode, "--workers", str(workers), "--museum", museum, "--store", store]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.overhead", *words], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _one(arguments: argparse.Namespace) -> dict[str, Any]:
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    from prefect import flow

    from flows.build_dataset import run_stages
    from flows.recipes import recipe_from_file
    from flows.runner import runner
    from schemas.manifests import Context

    recipe = recipe_from_file(str(ROOT / RECIPE))
    bound = {"images": arguments.museum, "weights": str(ROOT / WEIGHTS)}
    context = Context(store=arguments.store, bindings=bound, workers=arguments.workers)

    def built() -> dict[str, Any]:
        began_s = time.monotonic()
        steps = run_stages(recipe, context)
        total_s = time.monotonic() - began_s
        manifest = json.loads((Path(steps[-1].release) / "manifest.json").read_text())
        return {
            "total_s": total_s,
            **{f"{step.label}_s": step.seconds for step in steps},
            "content": manifest["content_sha256"],
        }

    if arguments.one == "plain":
        return built()
    return dict(flow(name="overhead", task_runner=runner(None), persist_result=False)(built)())


if __name__ == "__main__":
    sys.exit(main())
