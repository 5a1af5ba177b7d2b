"""All that `bilderatlas serve` runs: it begins together and ends together."""

import contextlib
import functools
import os
import time
import urllib.parse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from flows.prefect_home import locked_home
from flows.serve.processes import (
    POOL,
    Child,
    address,
    child_environment,
    free_port,
    start_server,
    start_worker,
    wait_for,
)
from flows.wall import allowed_names
from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, quoted

if TYPE_CHECKING:
    from flows.serve.deployments import Deployment

NOTIFY = "BILDERATLAS_NOTIFY_URL"
"""The environment variable with the address that notices are posted to, which is a secret."""

_WATCH_S = 0.5


class Service(NamedTuple):
    """A server, its page's url, a worker. problems: sentences. restarted: names of runs that a stop had interrupted."""

    url: str
    server: Child
    worker: Child
    deployments: Sequence["Deployment"]
    problems: Sequence[str]
    restarted: Sequence[str]

    def watch(self) -> None:
        """Wait until one of them ends, and raise BrokenPromise."""
        while True:
            self.server.check()
            self.worker.check()
            time.sleep(_WATCH_S)


@contextlib.contextmanager
def running_service(
    host: str,
    port: int,
    home: Path,
    stores: Sequence[str],
    recipes: Path | None,
    *,
    are_stores_given: bool,
    allowed_hosts: Sequence[str] = (),
) -> Iterator[Service]:
    """The service, while the block runs; before Prefect is imported, as this sets its server. Raises BadInput."""
    notices = notify_url()
    if recipes is not None and not recipes.is_dir():
        raise BadInput(f"--recipes: expected a folder with recipes (*.yaml), got {quoted(str(recipes), LONGEST_PLACE)}")
    with contextlib.ExitStack() as stack:
        lock = stack.enter_context(locked_home(home))
        port = free_port(host, port)
        names = allowed_names(*allowed_hosts) | allowed_names(host, named_by="--host")
        os.environ["PREFECT_API_URL"] = api = f"{address(host, port)}/api"
        environment = child_environment(api, home)
        environment.pop(NOTIFY, None)  # a secret that no run needs
        server = start_server(host, port, allowed_hosts, home, environment, lock)
        stack.callback(server.stop)
        # what follows is imported while the server starts
        from prefect.client.orchestration import get_client

        from flows.runner import check_server
        from flows.serve import deployments as calendar
        from flows.serve.automations import create_automations
        from flows.serve.lost_runs import restart_lost_runs, watch_for_lost_runs
        from flows.serve.pages import release_pages
        from flows.serve.pool import update_pool
        from tasks.page.artifacts import SETTING

        deployments, problems = calendar.all_deployments(stores, recipes)
        wait_for(server, api)
        check_server(api, f"see {server.log}")
        with get_client(sync_client=True) as client:
            here, before = str(Path.cwd()), calendar.folder_before(client, deployments)
            if before not in {None, here}:
                places = f"are seen from {here}, no longer from {before}"
                problems.append(f"another folder than before: paths such as those of bindings {places}")
            keep = functools.partial(calendar.keep_what_people_changed, client, with_store=not are_stores_given)
            deployments = [*map(keep, deployments)]
            for pool in sorted({POOL, *(deployment.pool for deployment in deployments)}):
                problems += update_pool(client, pool, here, is_made=pool == POOL)
            restarted = [run.name for run in restart_lost_runs(client, POOL)]
            for deployment in deployments:
                calendar.write_deployment(client, deployment)
            watch_for_lost_runs(client)
            create_automations(notices)
        fields = [field for deployment in deployments if (field := deployment.form["properties"].get("store"))]
        shown = list(dict.fromkeys(store for field in fields for store in field["enum"]))
        # on this machine alone where the server asks for a password, since they ask for none
        host_of_pages = "127.0.0.1" if os.environ.get("PREFECT_SERVER_API_AUTH_STRING") else host
        pages = release_pages(shown, host_of_pages, port + 1, names)
        environment.setdefault(SETTING, stack.enter_context(pages))
        worker = start_worker(home, environment, lock)
        stack.callback(worker.stop)
        yield Service(api.removesuffix("/api"), server, worker, deployments, problems, restarted)


def notify_url() -> str | None:
    """The address that notices are posted to, a secret. Raises BadInput, without quoting it, if it can be none."""
    url = os.environ.get(NOTIFY, "")
    try:
        parts = urllib.parse.urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        is_address = False
    if url and not is_address:
        raise BadInput(f"{NOTIFY}: expected an address that begins with https:// or http://, got another one")
    return url or None
