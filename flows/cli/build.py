"""`bilderatlas build`, `plan` and `scrape`: a recipe, built, planned, or only listed; `evaluate ...`, `train ...`."""

import os
import sys
import time
from collections.abc import Sequence
from typing import Annotated, Any

from bilderatlas import Bindings, Changes, Recipe, Url
from flows.evaluate import evaluate_by
from flows.parameters import Count, Option, documented
from flows.train import check_libraries
from schemas.errors import BadInput


def build(given: dict[str, Any], words: Sequence[str]) -> None:
    """Build a release, and print where it is."""
    began_s = time.time()  # before the imports, which take seconds
    from flows.local_build import build_here

    dask = given.pop("dask")
    built = build_here(_parameters(given), dask, began_s, ("bilderatlas", *words))
    print(f"release: {built.release}", flush=True)
    if not built.is_told:
        os._exit(0)  # else Prefect would try to send each event that it still has, for seconds each


def plan(given: dict[str, Any], words: Sequence[str]) -> None:
    """Print what a build would do."""
    from flows import build_dataset
    from tasks.page import terminal

    del given["dask"]
    request = build_dataset.request(_parameters(given), command=("bilderatlas", *words))
    print(terminal.plan_summary(build_dataset.plan(*request)), end="")


@documented
def scrape(
    recipe: Recipe,
    store: Url = "./store",
    bind: Bindings | None = None,
    changes: Changes | None = None,
    limit: Count | None = None,
    source: Annotated[str, Option("NAME")] | None = None,
    show: Count = 10,
) -> None:
    """List the records of a recipe's sources; no image is fetched.

    Args:
        store: Folder or fsspec URL that keeps what the sources answer.
        changes: Settings for this run, such as stages.sample.at_most.
        limit: Number of records to take of each source.
        source: List only this source.
        show: Number of records to print.

    """
    from flows.build_dataset import list_records, request
    from tasks.page import terminal

    given = {"recipe": recipe, "store": store, "bind": bind, "changes": changes, "limit": limit, "workers": 1}
    read, context = request(_parameters(given), command=("bilderatlas",))
    step, lines = list_records(read, source, show, context)
    print("\n".join(lines))
    for line in (*step.notes, terminal.step_line(step)):
        print(line, file=sys.stderr)


def _parameters(given: dict[str, Any]) -> dict[str, Any]:
    from flows.local_build import parameters_of

    if given.get("previous") == "":
        raise BadInput("--previous: expected a version, or `none`, got ''")
    return parameters_of(given)


def evaluate(protocol: str, given: dict[str, Any], _: Sequence[str]) -> None:
    """Print the tables as Markdown."""
    print(evaluate_by(protocol, given))


def train(given: dict[str, Any], _: Sequence[str]) -> None:
    """Train; the flow prints the scores and where the weights are."""
    check_libraries()
    from flows import prefect_flows
    from flows.runner import shared_server

    with shared_server(None):
        prefect_flows.train_detector(**given)
