"""What is deployed: flows that ship, as `deployments/prefect.yaml` declares them, and recipes of one's own."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib import import_module, resources
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from prefect import Flow
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.actions import DeploymentScheduleCreate, DeploymentUpdate
from prefect.client.schemas.objects import ConcurrencyOptions
from prefect.client.schemas.responses import DeploymentResponse
from prefect.client.schemas.schedules import CronSchedule
from prefect.exceptions import ObjectNotFound
from prefect.utilities.schema_tools.validation import validate
from pydantic import ValidationError

from flows.collisions import describe, strategy_for
from flows.recipes import recipe_from_file
from flows.serve.forms import flow_form, recipe_form
from flows.serve.processes import POOL
from schemas.errors import BadInput
from schemas.phrases import quoted
from tasks.orchestration.prefect_innards import next_time

_BUILD = "flows.build_dataset.build_dataset"
_CRON_FIELDS = 5


class Deployment(NamedTuple):
    """A flow with defaults for its parameters. entrypoint: its module and name. is_alone: its runs go one by one.
    of_store: parameters that are places in the store. digest: of what was written last, where people have changed it.
    """

    name: str
    entrypoint: str
    description: str
    parameters: Mapping[str, Any]
    form: Mapping[str, Any]
    tags: Sequence[str] = ()
    schedules: Sequence[DeploymentScheduleCreate] = ()
    is_alone: bool = False
    pool: str = POOL
    of_store: frozenset[str] = frozenset()
    digest: str = ""


def shipped_deployments(stores: Sequence[str]) -> list[Deployment]:
    """The deployments that ship, for these stores: the first is the default."""
    text = (resources.files("deployments") / "prefect.yaml").read_text(encoding="utf-8")
    return [_read_entry(entry, stores) for entry in yaml.safe_load(text)["deployments"]]


def _read_entry(entry: Mapping[str, Any], stores: Sequence[str]) -> Deployment:
    file, _, function = entry["entrypoint"].partition(":")
    entrypoint = f"{file.removesuffix('.py').replace('/', '.')}.{function}"
    given = entry.get("parameters", {})
    # `store` is the store, `store/...` a place in it
    of_store = frozenset(name for name, value in given.items() if str(value).partition("/")[0] == "store")
    places = {name: stores[0] + given[name].removeprefix("store") for name in of_store}
    if (recipe := given.get("recipe")) is None:
        form = flow_form(_flow(entrypoint), stores)
    else:
        form = recipe_form(_flow(entrypoint), recipe_from_file(recipe), recipe, stores)
    schedules = [
        _schedule(schedule["cron"], schedule["timezone"]).model_copy(update={"active": schedule.get("active", True)})
        for schedule in entry.get("schedules", ())
    ]
    name, description, tags = entry["name"], " ".join(entry["description"].split()), entry.get("tags", ())
    parameters, is_alone = {**given, **places}, "concurrency_limit" in entry
    return Deployment(name, entrypoint, description, parameters, form, tags, schedules, is_alone, of_store=of_store)


def recipe_deployment(
    path: str,
    stores: Sequence[str],
    name: str | None = None,
    bindings: Mapping[str, str] | None = None,
    cron: str | None = None,
    timezone: str = "UTC",
) -> Deployment:
    """The builds of a recipe: a file, or the name of one that ships. Raises BadInput, also for its schedule."""
    recipe = recipe_from_file(path)
    path = str(Path(path).absolute()) if Path(path).is_file() else path  # whatever folder `serve` is started in later
    description = " ".join((recipe.description or recipe.title or f"The recipe {recipe.name}").split())
    parameters = {"recipe": path, "store": stores[0], **({"bind": dict(bindings)} if bindings else {})}
    form, tags = recipe_form(_flow(_BUILD), recipe, path, stores), [recipe.name]
    made = Deployment(name or recipe.name, _BUILD, description, parameters, form, tags, is_alone=True)
    made = made._replace(of_store=frozenset({"store"}))
    if cron is None:
        return made
    return made._replace(tags=[*tags, "scheduled"], schedules=[_schedule(cron, timezone)])


def check_name(deployment: Deployment) -> None:
    """Raise BadInput for the name of a deployment that ships, unless it is of the same recipe."""
    taken = next((other for other in shipped_deployments(["store"]) if other.name == deployment.name), deployment)
    path = taken.parameters.get("recipe")
    if path is None or recipe_from_file(path) != recipe_from_file(deployment.parameters["recipe"]):
        raise BadInput(f"--name: expected another name, got {quoted(taken.name)}, which a deployment that ships has")


def all_deployments(stores: Sequence[str], recipes: Path | None) -> tuple[list[Deployment], list[str]]:
    """What ships and what is in a folder, and a sentence for each recipe there that can't be deployed."""
    deployments = {deployment.name: deployment for deployment in shipped_deployments(stores)}
    problems = []
    for file in sorted(recipes.glob("*.yaml")) if recipes else ():
        try:
            str(file).encode()
            deployment = recipe_deployment(str(file), stores)
            if deployment.name in deployments:
                raise BadInput(f"{file}: expected a name that no other recipe has, got '{deployment.name}'")
            deployments[deployment.name] = deployment
        except UnicodeEncodeError:
            problems.append(f"expected a name of a file in UTF-8, got {str(file)!a}")
        except BadInput as problem:
            problems.append(str(problem))
    return [*deployments.values()], problems


def write_deployment(client: SyncPrefectClient, deployment: Deployment) -> None:
    """Create or update the deployment. People's schedules on the web page stay, unless it has some of its own."""
    name = _flow(deployment.entrypoint).name
    schedules = [*deployment.schedules] or _schedules(_deployment_before(client, deployment))
    strategy = strategy_for(schedules) if deployment.is_alone else None
    deployment_id = client.create_deployment(
        client.create_flow_from_name(name),
        deployment.name,
        version=version("bilderatlas"),
        schedules=schedules,
        parameters={**deployment.parameters},
        description=describe(deployment.description, strategy) if strategy else deployment.description,
        work_pool_name=deployment.pool,
        tags=[*deployment.tags],
        entrypoint=deployment.entrypoint,
        parameter_openapi_schema={**deployment.form},
        enforce_parameter_schema=True,
        job_variables={"working_dir": str(Path.cwd())},  # the pool has the command
        concurrency_limit=1 if strategy else None,
        concurrency_options=ConcurrencyOptions(collision_strategy=strategy) if strategy else None,
    )
    written = client.read_deployment(deployment_id)
    digest = deployment.digest or _digest_of(written)
    client.update_deployment(deployment_id, DeploymentUpdate(version=f"{version('bilderatlas')}+{digest}"))


def _digest_of(deployment: DeploymentResponse) -> str:
    """Of what people may change. It stands in the deployment's version, after a plus: what differs is a person's."""
    schedules = [schedule.model_dump(mode="json") for schedule in _schedules(deployment)]
    text = json.dumps([deployment.parameters, schedules], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def keep_what_people_changed(client: SyncPrefectClient, deployment: Deployment, *, with_store: bool) -> Deployment:
    """The deployment with pool, schedules and parameters as people have changed them; with_store: its store, too."""
    if (before := _deployment_before(client, deployment)) is None:
        return deployment
    form = {**deployment.form}
    store = before.parameters.get("store")
    if with_store and isinstance(store, str):
        field = form["properties"]["store"]
        field = {**field, "enum": list(dict.fromkeys([*field["enum"], store]))}
        form["properties"] = {**form["properties"], "store": field}
    digest = (before.version or "").partition("+")[2] or "unknown"
    is_changed = digest != _digest_of(before)
    kept = {
        name: value
        for name, value in before.parameters.items()
        if (with_store if name in deployment.of_store else is_changed)
        and name != "recipe"
        and not validate({name: value}, {**form}, ignore_required=True)
    }
    return deployment._replace(
        form=form,
        parameters={**deployment.parameters, **kept},
        schedules=_schedules(before) if is_changed else deployment.schedules,
        pool=before.work_pool_name or deployment.pool,
        digest=digest if is_changed else "",
    )


def folder_before(client: SyncPrefectClient, deployments: Sequence[Deployment]) -> str | None:
    """The folder from which the first of these that the server has sees its paths."""
    for deployment in deployments:
        if (before := _deployment_before(client, deployment)) is not None:
            return str(before.job_variables.get("working_dir") or "") or None
    return None


def _deployment_before(client: SyncPrefectClient, deployment: Deployment) -> DeploymentResponse | None:
    try:
        return client.read_deployment_by_name(f"{_flow(deployment.entrypoint).name}/{deployment.name}")
    except ObjectNotFound:
        return None


def _schedules(deployment: DeploymentResponse | None) -> list[DeploymentScheduleCreate]:
    fields = set(DeploymentScheduleCreate.model_fields) - {"replaces"}
    return [
        DeploymentScheduleCreate.model_validate({name: getattr(schedule, name) for name in fields})
        for schedule in (deployment.schedules if deployment else ())
    ]


def _schedule(cron: str, timezone: str) -> DeploymentScheduleCreate:
    try:
        # Prefect takes a sixth field for the second, which is the first field in other programs
        if len(cron.split()) != _CRON_FIELDS and not cron.startswith("@"):
            raise ValueError("not five fields")
        schedule = DeploymentScheduleCreate(schedule=CronSchedule(cron=cron, timezone=timezone))
        next_time(cron)
        return schedule
    except ValueError as problem:  # also a time that never comes, such as 31 February
        if isinstance(problem, ValidationError) and problem.errors()[0]["loc"][0] == "timezone":
            expected = "a time zone, such as Europe/Berlin"
            raise BadInput(f"--timezone: expected {expected}, got {quoted(timezone)}") from problem
        expected = "minute, hour, day, month and weekday of a time that comes, such as '0 3 * * *'"
        raise BadInput(f"--cron: expected {expected}, got {quoted(cron)}") from problem


def _flow(entrypoint: str) -> Flow[Any, Any]:
    module, _, name = entrypoint.rpartition(".")
    flow: Flow[Any, Any] = getattr(import_module(module), name)
    return flow
