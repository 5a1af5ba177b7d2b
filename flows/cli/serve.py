"""`bilderatlas serve` and `deploy`: Prefect's server, a worker, deployments on this machine; a recipe beside them."""

import os
import re
import sys
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from flows.parameters import BINDINGS, Argument, Doc, Folder, Option, Port, documented
from schemas.errors import BadInput
from schemas.phrases import quoted

if TYPE_CHECKING:
    from flows.serve.deployments import Deployment

_OPEN = "everybody who reaches this machine can start programs on it; for a team, see docs/operate-team.md"
_NAME = re.compile(r"(?!\.{1,2}$)[^\s/%&<>?#]+( +[^\s/%&<>?#]+)*")
"""What Prefect takes as the name of a deployment, and finds again: it puts it into addresses as it is."""
Stores = Annotated[
    list[str], Option("URL", "--store"), Doc("A store that the form offers, the first as default; by default ./store.")
]


@documented
def serve(
    host: Annotated[str, Option("HOST")] | None = None,
    port: Port | None = None,
    allowed_hosts: Annotated[list[str], Option("NAME", "--allowed-host")] | None = None,
    stores: Stores | None = None,
    recipes: Folder | None = None,
) -> None:
    """Run Prefect's server, its web page, a worker and all deployments, until Ctrl-C.

    Args:
        host: Address to listen at; by default PREFECT_SERVER_API_HOST, else 127.0.0.1.
        port: Port to listen at, 0 for any; by default PREFECT_SERVER_API_PORT, else 4200.
        allowed_hosts: A name by which browsers and programs reach this machine, beside localhost and its addresses.
        recipes: Folder of recipes of one's own, each of which is deployed, too.

    """
    from flows.serve.processes import is_open_to_others
    from flows.serve.service import running_service

    host = host or os.environ.get("PREFECT_SERVER_API_HOST", "127.0.0.1")
    port, folder = _default_port() if port is None else port, None if recipes is None else Path(recipes)
    given, allowed = bool(stores), allowed_hosts or []
    home, places = _home(), _places(stores)
    with running_service(host, port, home, places, folder, are_stores_given=given, allowed_hosts=allowed) as service:
        for problem in service.problems:
            print(f"bilderatlas: {problem}", file=sys.stderr)
        if is_open_to_others(host) and not os.environ.get("PREFECT_SERVER_API_AUTH_STRING"):
            print(f"bilderatlas: --host {host}: {_OPEN}", file=sys.stderr)
        if service.restarted:
            print(f"started again: {', '.join(service.restarted)}")
        print(f"deployments: {', '.join(deployment.name for deployment in service.deployments)}")
        print(f"logs: {service.server.log}, {service.worker.log}")
        print(f"web page: {service.url} (Ctrl-C ends server, worker and runs)", flush=True)
        service.watch()


def _default_port() -> int:
    given = os.environ.get("PREFECT_SERVER_API_PORT", "4200")
    if not (given.isascii() and given.isdigit()):
        raise BadInput(f"PREFECT_SERVER_API_PORT: expected a port, got {quoted(given)}")
    return int(given)


def _places(stores: list[str] | None) -> list[str]:
    if "" in (stores or ()):
        raise BadInput("--store: expected a folder or a URL, got ''")
    # a folder by its whole path: the next `serve` may be started in another one
    return [store if "://" in store else str(Path(store).absolute()) for store in stores or ["./store"]]


def _home() -> Path:
    given = os.environ.get("PREFECT_HOME") or "~/.prefect"
    try:
        home = Path(given).expanduser().resolve()
    except RuntimeError as problem:  # nobody's home, or links in a circle
        raise BadInput(f"PREFECT_HOME: expected a folder, got {given!r} ({problem})") from problem
    if "?" in str(home):
        raise BadInput(f"PREFECT_HOME: expected a name without ?, which SQLite takes for the end of it, got {given!r}")
    return home


@documented
def deploy(
    recipe: Annotated[str, Argument("RECIPE")] | None = None,
    name: Annotated[str, Option("NAME")] | None = None,
    cron: Annotated[str, Option("CRON")] | None = None,
    timezone: Annotated[str, Option("ZONE")] | None = None,
    stores: Stores | None = None,
    bind: Annotated[dict[str, str], Option("NAME=VALUE"), BINDINGS] | None = None,
) -> None:
    """Put a recipe on the Prefect server that runs, by schedule if asked.

    Args:
        recipe: Path of a recipe's YAML file, or the name of one that ships; by default all deployments that ship.
        name: The deployment's name; by default the recipe's.
        cron: When to build, such as '0 3 * * *'; by default when asked.
        timezone: The schedule's time zone, such as Europe/Berlin; by default UTC.

    """
    from prefect.client.orchestration import get_client
    from prefect.settings import PREFECT_API_URL, temporary_settings

    from flows.runner import check_server
    from flows.serve.automations import create_automations
    from flows.serve.deployments import keep_what_people_changed, shipped_deployments, write_deployment
    from flows.serve.pool import update_pool
    from flows.serve.processes import POOL
    from flows.serve.service import notify_url

    places = _places(stores)
    if recipe is None and (name or cron is not None or timezone or bind):
        raise BadInput("RECIPE: expected a recipe beside --name, --cron, --timezone and --bind, got none")
    if name is not None and not (_NAME.fullmatch(name) and name.isprintable()):
        raise BadInput(f"--name: expected words without /, %, &, <, >, ? and #, got {quoted(name)}")
    notices, is_all = notify_url(), not recipe
    deployments = [_own(recipe, places, name, cron, timezone, bind or {})] if recipe else shipped_deployments(places)
    api = PREFECT_API_URL.value() or f"http://127.0.0.1:{_default_port()}/api"
    with temporary_settings({PREFECT_API_URL: api}):
        check_server(api, "start one with `bilderatlas serve`")
        with get_client(sync_client=True) as client:
            kept = [keep_what_people_changed(client, deployment, with_store=not stores) for deployment in deployments]
            for pool in sorted({POOL, *(deployment.pool for deployment in kept)}):
                for problem in update_pool(client, pool, str(Path.cwd()), is_made=pool == POOL):
                    print(f"bilderatlas: {problem}", file=sys.stderr)
            for deployment, changed in zip(deployments, kept, strict=True):
                write_deployment(client, changed if is_all else deployment._replace(pool=changed.pool))
                print(f"deployed: {deployment.name}")
        if is_all:
            create_automations(notices, are_kept=notices is None)


def _own(
    path: str, stores: list[str], name: str | None, cron: str | None, timezone: str | None, bindings: dict[str, str]
) -> "Deployment":
    """The deployment of one recipe. Raises BadInput, also for what a run by schedule would be refused for."""
    from flows.build_dataset import check
    from flows.recipes import check_bindings, recipe_from_file
    from flows.serve.deployments import check_name, recipe_deployment
    from schemas.manifests import Context

    if cron is None and timezone is not None:
        raise BadInput(f"--timezone: expected --cron beside it, got {timezone!r} alone")
    recipe = recipe_from_file(path)
    if cron is None:
        check_bindings(recipe, {**dict.fromkeys(recipe.bindings, "given later"), **bindings})
    else:
        context = Context(store=stores[0], bindings=bindings, workers=1, run=uuid.uuid4().hex, began_s=time.time())
        check(recipe, context)
    deployment = recipe_deployment(path, stores, name, bindings, cron, timezone or "UTC")
    check_name(deployment)
    return deployment
