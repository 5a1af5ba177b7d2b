"""`bilderatlas serve` and `deploy`: Prefect's server, a worker, deployments on this machine; a recipe beside them."""

import argparse
import os
import re
import sys
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from flows.cli.arguments import add_bind, add_command, whole
from schemas.errors import BadInput
from schemas.phrases import quoted

if TYPE_CHECKING:
    from flows.cli.arguments import Commands
    from flows.serve.deployments import Deployment

_STORE = "./store"
_OPEN = "everybody who reaches this machine can start programs on it; for a team, see docs/operate-team.md"
_NAME = re.compile(r"(?!\.{1,2}$)[^\s/%&<>?#]+( +[^\s/%&<>?#]+)*")
"""What Prefect takes as the name of a deployment, and finds again: it puts it into addresses as it is."""


def add(commands: "Commands") -> None:
    """Add both commands."""
    parser = add_command(
        commands, "serve", serve, "run Prefect's server, its web page, a worker and all deployments, until Ctrl-C"
    )
    parser.add_argument(
        "--host",
        default=os.environ.get("PREFECT_SERVER_API_HOST", "127.0.0.1"),
        metavar="HOST",
        help="address to listen at (default: %(default)s)",
    )
    parser.add_argument(
        "--port",
        type=whole,
        default=os.environ.get("PREFECT_SERVER_API_PORT", "4200"),
        metavar="PORT",
        help="port to listen at; 0: any (default: %(default)s)",
    )
    parser.add_argument(
        "--allowed-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name by which browsers and programs reach this machine, beside localhost and its addresses; may be "
        "repeated",
    )
    _add_stores(parser)
    parser.add_argument(
        "--recipes", type=Path, metavar="FOLDER", help="folder of recipes of one's own, each of which is deployed, too"
    )
    parser = add_command(
        commands,
        "deploy",
        deploy,
        "put a recipe on the Prefect server that runs, by schedule if asked",
    )
    parser.add_argument(
        "recipe",
        nargs="?",
        metavar="RECIPE",
        help="path of a recipe's YAML file, or the name of one that ships (default: all deployments that ship)",
    )
    parser.add_argument("--name", metavar="NAME", help="the deployment's name (default: the recipe's)")
    parser.add_argument("--cron", metavar="CRON", help="when to build, such as '0 3 * * *' (default: when asked)")
    parser.add_argument(
        "--timezone", metavar="ZONE", help="the schedule's time zone, such as Europe/Berlin (default: UTC)"
    )
    _add_stores(parser)
    add_bind(parser, "a folder, file or address that the recipe names and this machine provides")


def _add_stores(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store",
        action="append",
        default=[],
        metavar="URL",
        help=f"a store that the form offers, the first as default; may be repeated (default: {_STORE})",
    )


def serve(arguments: argparse.Namespace) -> int:
    """Run server and worker until one of them ends, or a signal comes."""
    from flows.serve.processes import is_open_to_others
    from flows.serve.service import running_service

    stores = _stores(arguments)
    home = _home()
    with running_service(
        arguments.host,
        arguments.port,
        home,
        stores,
        arguments.recipes,
        are_stores_given=bool(arguments.store),
        allowed_hosts=arguments.allowed_host,
    ) as service:
        for problem in service.problems:
            print(f"bilderatlas: {problem}", file=sys.stderr)
        if is_open_to_others(arguments.host) and not os.environ.get("PREFECT_SERVER_API_AUTH_STRING"):
            print(f"bilderatlas: --host {arguments.host}: {_OPEN}", file=sys.stderr)
        if service.restarted:
            print(f"started again: {', '.join(service.restarted)}")
        print(f"deployments: {', '.join(deployment.name for deployment in service.deployments)}")
        print(f"logs: {service.server.log}, {service.worker.log}")
        print(f"web page: {service.url} (Ctrl-C ends server, worker and runs)", flush=True)
        service.watch()
    return 0


def _stores(arguments: argparse.Namespace) -> list[str]:
    """The stores that forms offer. Raises BadInput."""
    if "" in arguments.store:
        raise BadInput("--store: expected a folder or a URL, got ''")
    # a folder by its whole path: the next `serve` may be started in another one
    return [store if "://" in store else str(Path(store).absolute()) for store in arguments.store or [_STORE]]


def _home() -> Path:
    """Prefect's home, as Prefect finds it. Raises BadInput."""
    given = os.environ.get("PREFECT_HOME") or "~/.prefect"
    try:
        home = Path(given).expanduser().resolve()
    except RuntimeError as problem:  # nobody's home, or links in a circle
        raise BadInput(f"PREFECT_HOME: expected a folder, got {given!r} ({problem})") from problem
    if "?" in str(home):
        raise BadInput(f"PREFECT_HOME: expected a name without ?, which SQLite takes for the end of it, got {given!r}")
    return home


def deploy(arguments: argparse.Namespace) -> int:
    """Write one deployment, or all that ship with what follows from their events, to the server that runs."""
    from prefect.client.orchestration import get_client
    from prefect.settings import PREFECT_API_URL, temporary_settings

    from flows.runner import check_server
    from flows.serve.automations import create_automations
    from flows.serve.deployments import keep_what_people_changed, shipped_deployments, write_deployment
    from flows.serve.pool import update_pool
    from flows.serve.processes import POOL
    from flows.serve.service import notify_url

    stores = _stores(arguments)
    if not arguments.recipe and (arguments.name or arguments.cron is not None or arguments.timezone or arguments.bind):
        raise BadInput("RECIPE: expected a recipe beside --name, --cron, --timezone and --bind, got none")
    if arguments.name is not None and not (_NAME.fullmatch(arguments.name) and arguments.name.isprintable()):
        raise BadInput(f"--name: expected words without /, %, &, <, >, ? and #, got {quoted(arguments.name)}")
    notices = notify_url()
    deployments = [_own(arguments, stores)] if arguments.recipe else shipped_deployments(stores)
    is_all = not arguments.recipe
    port = os.environ.get("PREFECT_SERVER_API_PORT", "4200")
    api = PREFECT_API_URL.value() or f"http://127.0.0.1:{port}/api"
    with temporary_settings({PREFECT_API_URL: api}):
        check_server(api, "start one with `bilderatlas serve`")
        with get_client(sync_client=True) as client:
            kept = [
                keep_what_people_changed(client, deployment, with_store=not arguments.store)
                for deployment in deployments
            ]
            for pool in sorted({POOL, *(deployment.pool for deployment in kept)}):
                for problem in update_pool(client, pool, str(Path.cwd()), is_made=pool == POOL):
                    print(f"bilderatlas: {problem}", file=sys.stderr)
            for deployment, changed in zip(deployments, kept, strict=True):
                write_deployment(client, changed if is_all else deployment._replace(pool=changed.pool))
                print(f"deployed: {deployment.name}")
        if is_all:
            create_automations(notices, are_kept=notices is None)
    return 0


def _own(arguments: argparse.Namespace, stores: list[str]) -> "Deployment":
    """The deployment of one recipe. Raises BadInput, also for what a run by schedule would be refused for."""
    from flows.build_dataset import check
    from flows.recipes import bindings_from_pairs, check_bindings, recipe_from_file
    from flows.serve.deployments import check_name, recipe_deployment
    from schemas.manifests import Context

    if arguments.cron is None and arguments.timezone is not None:
        raise BadInput(f"--timezone: expected --cron beside it, got {arguments.timezone!r} alone")
    bindings = bindings_from_pairs(arguments.bind)
    recipe = recipe_from_file(arguments.recipe)
    if arguments.cron is None:
        check_bindings(recipe, {**dict.fromkeys(recipe.bindings, "given later"), **bindings})
    else:
        context = Context(store=stores[0], bindings=bindings, workers=1, run=uuid.uuid4().hex, began_s=time.time())
        check(recipe, context)
    deployment = recipe_deployment(
        arguments.recipe, stores, arguments.name, bindings, arguments.cron, arguments.timezone or "UTC"
    )
    check_name(deployment)
    return deployment
