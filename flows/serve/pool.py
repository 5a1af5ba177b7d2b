"""The work pool: how a worker starts a run. Its template is ours, and whoever starts a run chooses no command by it.

In Prefect's own template the command, the environment and the folder of a run are variables, which whoever starts a run
may set. In ours the command is written down, the environment is the worker's, and the folder is one of those in which
`serve` or `deploy` were called: it is the `working_dir` of deployments, and of a lost run that is started again; the
pool lists them all, and Prefect's server refuses any other one. That is depth, no protection: the server does what it
is asked by whoever reaches it (`flows/wall.py`), and a deployment's pull steps are commands.
"""

import functools
import itertools
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.actions import DeploymentUpdate, WorkPoolCreate, WorkPoolUpdate
from prefect.client.schemas.filters import WorkPoolFilter
from prefect.client.schemas.responses import DeploymentResponse
from prefect.exceptions import ObjectNotFound

from schemas.phrases import quoted
from tasks.orchestration.prefect_innards import ENGINE

_COMMAND = f"{shlex.quote(sys.executable)} -P {ENGINE}"
"""-P: no module of the run's folder hides one of Prefect's."""

_TYPE = "process"
_PAGE = 200  # the most that a server lists at once
Entry = TypeVar("Entry")


def update_pool(client: SyncPrefectClient, name: str, folder: str, *, is_made: bool = False) -> list[str]:
    """Bring a pool's template and the job variables of its deployments up to date; a sentence for each that loses one.
    What else people have set stays. folder: of deployments that are written next. is_made: a missing pool is made.
    """
    of_pool = WorkPoolFilter.model_validate({"name": {"any_": [name]}})
    deployments = [*all_pages(functools.partial(client.read_deployments, work_pool_filter=of_pool))]
    folders = ((deployment.job_variables or {}).get("working_dir") for deployment in deployments)
    template = job_template([folder, *map(str, filter(None, folders))])
    try:
        pool = client.read_work_pool(name)
    except ObjectNotFound:
        if is_made:
            client.create_work_pool(WorkPoolCreate(name=name, type=_TYPE, base_job_template=template))
        return []
    if pool.type != _TYPE:
        return []
    template = keep_what_people_set(template, pool.base_job_template)
    if template != pool.base_job_template:
        client.update_work_pool(name, WorkPoolUpdate(base_job_template=template))
    allowed = template["variables"]["properties"]
    problems = [_remove_unknown_variables(client, deployment, allowed) for deployment in deployments]
    return [problem for problem in problems if problem is not None]


def job_template(folders: Iterable[str]) -> dict[str, Any]:
    """The template, with the folders from which a run may see its paths."""
    return {
        "job_configuration": {
            "command": _COMMAND,
            "stream_output": "{{ stream_output }}",
            "working_dir": "{{ working_dir }}",
        },
        "variables": {
            "type": "object",
            "properties": {
                "stream_output": {
                    "type": "boolean",
                    "title": "Stream Output",
                    "description": "Whether the worker's log has the lines of its runs.",
                    "default": True,
                },
                "working_dir": {
                    "type": "string",
                    "title": "Working Directory",
                    "description": "The folder from which a run sees its paths: one where serve or deploy was called.",
                    "enum": sorted(set(folders)),
                },
            },
            "additionalProperties": False,
        },
    }


def keep_what_people_set(template: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """The template with what a person has set of the pool: environment, command, whether its log has runs' lines."""
    command, env = _value(before, "command"), _value(before, "env")
    is_own = isinstance(command, str) and command and not command.endswith(ENGINE)
    kept = {**({"command": command} if is_own else {}), **({"env": env} if env and isinstance(env, dict) else {})}
    fields = dict(template["variables"]["properties"])
    is_streamed = _value(before, "stream_output")
    if isinstance(is_streamed, bool):
        fields["stream_output"] = {**fields["stream_output"], "default": is_streamed}
    return {
        "job_configuration": {**template["job_configuration"], **kept},
        "variables": {**template["variables"], "properties": fields},
    }


def _value(template: Mapping[str, Any], name: str) -> Any:
    """What a template has for all runs: as it is written down, or the default of the variable in its place."""
    value = (template.get("job_configuration") or {}).get(name)
    if not isinstance(value, str) or "{{" not in value:
        return value
    properties = (template.get("variables") or {}).get("properties") or {}
    return (properties.get(name) or {}).get("default")


def _remove_unknown_variables(
    client: SyncPrefectClient, deployment: DeploymentResponse, allowed: Mapping[str, Any]
) -> str | None:
    """Take away job variables that the pool does not know, for which runs are refused; a sentence on a person's."""
    before = deployment.job_variables or {}
    kept = {name: value for name, value in before.items() if name in allowed}
    if kept == before:
        return None
    client.update_deployment(deployment.id, DeploymentUpdate(job_variables=kept))
    gone = {name: value for name, value in before.items() if name not in kept}
    if str(gone.get("command")).endswith(ENGINE):
        del gone["command"]  # of an earlier version
    if not gone:
        return None
    return (
        f"deployment {quoted(deployment.name)}: expected no job variables but {', '.join(allowed)}, got "
        f"{', '.join(sorted(gone))}, taken away: set it where the worker runs, or in the pool's template"
    )


def all_pages(read: Callable[..., list[Entry]]) -> Iterator[Entry]:
    """All that a server lists, page by page. read: takes `limit` and `offset`."""
    for offset in itertools.count(0, _PAGE):
        page = read(limit=_PAGE, offset=offset)
        yield from page
        if len(page) < _PAGE:
            return
