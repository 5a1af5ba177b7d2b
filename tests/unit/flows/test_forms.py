"""Forms: the parameter schemas of builds, narrowed to one recipe, as Prefect's server checks them."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from prefect.utilities.schema_tools.validation import validate

from flows.build_dataset import build_dataset
from flows.recipes import recipe_from_file
from flows.serve.deployments import check_name, recipe_deployment, shipped_deployments
from flows.serve.forms import recipe_form
from flows.serve.processes import address, free_port
from schemas.errors import BadInput
from tests.support.desk import RECIPE


def form(path: str) -> dict[str, Any]:
    return recipe_form(build_dataset, recipe_from_file(path), path, ["./store", "s3://bucket/store"])


def problems(path: str, **parameters: Any) -> list[str]:
    given = {"recipe": path, "store": "./store", **parameters}
    return [problem.message for problem in validate(given, form(path))]


def test_a_field_says_what_it_is_and_may_be_left_out():
    fields = form("museum")["properties"]
    assert all(field["description"] for field in fields.values())
    assert not any("<" in field["description"] for field in fields.values()), "the page takes it for HTML"
    assert fields["limit"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 2**53 - 1,
        "title": "limit",
        "description": fields["limit"]["description"],
        "position": 4,
    }
    assert fields["store"]["enum"] == ["./store", "s3://bucket/store"]
    assert fields["plan_only"]["type"] == "boolean"
    bind = {"images": "a", "weights": "b"}
    assert problems("museum", bind=bind) == []
    assert problems("museum", bind=bind, limit=None, seed=0, device="cuda:1", workers=1, plan_only=True) == []


@pytest.mark.parametrize("device", ["", "gpu", "cuda:", "cuda:x", "xcpu"])
def test_a_device_is_one_that_the_program_knows(device):
    assert problems("museum", bind={"images": "a", "weights": "b"}, device=device)


def test_a_contact_is_asked_for_where_hosts_on_the_web_are(tmp_path):
    fields = form("artbench")["properties"]["bind"]
    assert (fields["required"], list(fields["properties"])) == (["contact"], ["contact", "origins"])
    assert problems("artbench", bind={"contact": "me@example.org"}) == []
    assert problems("artbench", bind={"contact": ""})


def test_a_secret_is_named_by_its_place_and_never_given(tmp_path):
    fields = yaml.safe_load(RECIPE.read_text(encoding="utf-8"))
    flickr = {"name": "photos", "secret": "flickr_key", "text": "fresco"}
    fields |= {"sources": [*fields["sources"], {"flickr": flickr}]}
    fields["bindings"]["flickr_key"] = "the key of Flickr's API"
    path = tmp_path / "secret.yaml"
    path.write_text(yaml.safe_dump(fields), encoding="utf-8")
    bind = {"images": "a", "weights": "b", "contact": "me@example.org"}
    assert problems(str(path), bind={**bind, "flickr_key": "env:FLICKR_KEY"}) == []
    assert problems(str(path), bind={**bind, "flickr_key": "0123456789"})


def test_what_ships_fits_its_own_forms():
    deployments = shipped_deployments(["s3://bucket/store"])
    assert [entry.name for entry in deployments if "scheduled" in entry.tags] == ["museum-nightly"]
    for deployment in deployments:
        assert deployment.parameters.get("store") in {"s3://bucket/store", None}
        for name in ("truth", "release"):
            assert str(deployment.parameters.get(name, "s3://bucket/store/releases/")).startswith(
                "s3://bucket/store/rel"
            )
        lacking = validate({**deployment.parameters}, {**deployment.form}, ignore_required=True)
        assert lacking == [], deployment.name


@pytest.mark.parametrize(
    ("cron", "timezone", "option"),
    [
        *((cron, "UTC", "cron") for cron in ("", "0 3 * *", "* * * * * *", "99 4 * * 1", "0 0 31 2 *", "@never")),
        ("0 3 * * *", "Mars", "timezone"),
    ],
)
def test_a_schedule_that_cannot_be_read_is_told(cron, timezone, option):
    with pytest.raises(BadInput, match=f"--{option}: expected"):
        recipe_deployment("museum", ["./store"], cron=cron, timezone=timezone)


def test_a_server_is_asked_where_this_machine_reaches_it():
    assert address("::", 4200) == "http://[::1]:4200"
    assert address("127.0.0.1", 4200) == "http://127.0.0.1:4200"
    assert free_port("127.0.0.1", 0) > 0


@pytest.mark.parametrize(
    ("host", "port", "sentence"),
    [
        ("no-such-host.invalid", 4200, "--host: expected a name or an address of this machine"),
        ("münchen..", 4200, "--host: expected a name or an address of this machine"),
        ("", 4200, "--host: expected a name or an address of this machine"),
        ("127.0.0.1", 70_000, "--port: expected a port that is free on"),
    ],
)
def test_a_place_where_nobody_can_listen_is_refused(host, port, sentence):
    with pytest.raises(BadInput, match=sentence):
        free_port(host, port)


def test_a_recipe_is_found_by_the_path_that_was_given(tmp_path: Path):
    own = tmp_path / "own.yaml"
    own.write_text(
        RECIPE.read_text(encoding="utf-8").replace("name: museum\ntitle", "name: own\ntitle"), encoding="utf-8"
    )
    deployment = recipe_deployment(str(own), ["./store"], bindings={"images": "a"})
    assert (deployment.name, deployment.parameters["recipe"]) == ("own", str(own))
    assert deployment.form["properties"]["recipe"]["enum"] == [str(own)]


def test_the_name_of_a_deployment_that_ships_is_taken_for_another_recipe(tmp_path: Path):
    same, other = tmp_path / "same.yaml", tmp_path / "other.yaml"
    text = RECIPE.read_text(encoding="utf-8")
    same.write_text(text, encoding="utf-8")
    other.write_text(f"{text}\nmax_loss_fraction: 0.5\n", encoding="utf-8")
    check_name(recipe_deployment(str(same), ["store"]))
    check_name(recipe_deployment(str(other), ["store"], "mine"))
    with pytest.raises(BadInput, match="--name: expected another name, got 'museum'"):
        check_name(recipe_deployment(str(other), ["store"]))
