"""What stages may refer to: each wrong use of an attribute or source is one sentence that says what is known."""

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.fetch import Scrape
from schemas.reasons import BY_HAND, Reason
from schemas.recipe import Recipe
from schemas.screen import Screen
from schemas.split import Split
from schemas.stages import STAGES
from tasks.engine.cache_keys import split_sha256

ATTRIBUTES = {
    "department": {"type": "string"},
    "accession": {"type": "integer"},
    "height_cm": {"type": "number"},
    "is_open": {"type": "boolean"},
    "methods": {"type": "strings"},
}


def recipe(*stages: Any, attributes: Any = ATTRIBUTES) -> Recipe:
    has_split = any("split" in stage for stage in stages if isinstance(stage, dict))
    return Recipe.model_validate(
        {
            "name": "small",
            "bindings": {"works": "a table"},
            "sources": [
                {
                    "table": {
                        "name": "works",
                        "at": "works",
                        "table": "works.csv",
                        "columns": {"key": "id", "image": "file"},
                    }
                }
            ],
            "stages": ["fetch", "hash", *stages, *([] if has_split else ["split"]), "export"],
            "attributes": attributes,
        }
    )


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        pytest.param(
            {"screen": {"where": {"departement": "Prints"}}},
            "stages[2] (screen).where: expected an attribute or a column of records, ['accession', 'artist',",
            id="where: no such column",
        ),
        pytest.param({"screen": {"where": {"departement": "P"}}}, "did you mean 'department'?", id="where: a slip"),
        pytest.param({"screen": {"where": {"locator": "a"}}}, "got 'locator'", id="where: a column of ours"),
        pytest.param(
            {"screen": {"where": {"accession": "1850"}}},
            "stages[2] (screen).where.accession: expected a whole number, got '1850'",
            id="where: a text for a number",
        ),
        pytest.param(
            {"screen": {"where": {"year": {"least": 1850.5}}}},
            "where.year: expected a whole number, got 1850.5",
            id="where: half a year",
        ),
        pytest.param(
            {"sample": {"by": "colour"}},
            "stages[2] (sample).by: expected style, source, artist, object, century, an attribute of the recipe "
            "(['accession', 'department', 'height_cm', 'is_open', 'methods']), got 'colour'",
            id="sample: no such stratum",
        ),
        pytest.param(
            {"sample": {"by": "height_cm"}},
            "an attribute of the type string or integer or boolean, got 'height_cm', which is of the type number",
            id="sample: real numbers make no strata",
        ),
        pytest.param(
            {"sample": {"by": "methods"}}, "of the type strings", id="sample: a record is drawn in one stratum"
        ),
        pytest.param({"sample": {"by": "styles"}}, "got 'styles'; did you mean 'style'?", id="sample: nor by styles"),
        pytest.param(
            {"sample": {"at_most_per": {"museum": 3}}},
            "(sample).at_most_per: expected artist, object, an attribute",
            id="sample: no such cap",
        ),
        pytest.param({"sample": {"at_most_per": {"methods": 3}}}, "of the type strings", id="sample: a cap on lists"),
        pytest.param({"split": {"by": "genre"}}, "got 'genre'", id="split: no such stratum"),
        pytest.param(
            {"split": {"by": "methods"}},
            "expected method: iterative with 'methods', of which a record may have several values, got batches",
            id="split: several values in batches",
        ),
        pytest.param({"split": {"by": "height_cm", "method": "iterative"}}, "of the type number", id="split: a number"),
        pytest.param(
            {"split": {"together": "style"}}, "expected artist, series, an attribute", id="split: no such bond"
        ),
        pytest.param({"split": {"together": "is_open"}}, "of the type boolean", id="split: two groups of all"),
        pytest.param({"split": {"together": "height_cm"}}, "of the type number", id="split: bound by a real number"),
        pytest.param({"split": {"keep": "subset"}}, "(split).keep: expected an attribute", id="split: keep what"),
        pytest.param(
            {"split": {"keep": "accession"}}, "of the type string, got 'accession'", id="split: keep a number"
        ),
        pytest.param(
            {"split": {"roles": {"by": "kind", "gallery": "a"}}}, "(split).roles.by: expected", id="roles: by what"
        ),
        pytest.param(
            {"split": {"roles": {"by": "methods", "gallery": {"least": 1}}}},
            "numbers alone",
            id="roles: a limit on texts",
        ),
        pytest.param(
            {"split": {"roles": {"by": "is_open", "gallery": "true"}}},
            "(split).roles.gallery: expected true or false, got 'true'",
            id="roles: a text for a truth value",
        ),
        pytest.param(
            {"split": {"roles": {"by": "department", "gallery": "a", "query": ["b", "A"]}}},
            "expected each value in one role, got 'a' in both",
            id="roles: in both, whatever the case",
        ),
    ],
)
def test_uses_that_are_refused(stage: Any, said: str):
    with pytest.raises(ValidationError) as refused:
        recipe(stage)
    assert said in str(refused.value)


def test_a_recipe_without_attributes_says_so():
    with pytest.raises(ValidationError, match=r"an attribute of the recipe \(it has none\), got 'colour'"):
        recipe({"sample": {"by": "colour"}}, attributes={})


@pytest.mark.parametrize(
    "stage",
    [
        pytest.param({"screen": {"where": {"department": ["Prints"], "year": {"least": 1850}}}}, id="where"),
        pytest.param(
            {"screen": {"where": {"methods": "etching", "is_open": True, "height_cm": {"most": 9}}}}, id="types"
        ),
        pytest.param({"sample": {"by": ["department", "century"], "at_most_per": {"accession": 1}}}, id="sample"),
        pytest.param({"split": {"by": ["accession", "is_open"], "together": ["methods", "department"]}}, id="split"),
        pytest.param({"split": {"by": ["methods", "styles"], "method": "iterative"}}, id="lists, each value by itself"),
        pytest.param({"split": {"keep": "department", "ratios": None}}, id="keep"),
        pytest.param({"split": {"roles": {"by": "accession", "gallery": [1, 2], "query": 3}}}, id="roles"),
        pytest.param({"split": {"roles": {"by": "source", "gallery": "works"}}}, id="roles by a column of records"),
    ],
)
def test_what_is_allowed_is_written_and_read_again(stage: Any):
    first = recipe(stage)
    assert Recipe.model_validate(first.model_dump(mode="json")) == first


def test_settings_that_no_recipe_uses_are_not_written_out():
    dumped = recipe("screen", {"sample": {"at_most_per": {"artist": 3}}}).model_dump(mode="json")
    assert dumped["stages"][3]["sample"]["at_most_per"] == {"artist": 3, "object": None}
    assert not {"where", "keep"} & {name for stage in dumped["stages"] for of in stage.values() for name in of}


@pytest.mark.parametrize(
    "change",
    [
        {"keep": "subset"},
        {"keep": "subset", "ratios": None},
        {"together": ["photographer"]},
        {"by": ["department"]},
        {"roles": {"by": "kind", "gallery": "exhibit"}},
        {"roles": {"by": "kind", "gallery": "exhibit", "query": "visitor"}},
    ],
    ids=str,
)
def test_what_a_split_is_changes_with_each_of_them_and_with_nothing_else(change: Any):
    plain = Split.model_validate({"label": "split"})
    changed = Split.model_validate({"label": "split", **change})
    assert split_sha256(changed) != split_sha256(plain)
    assert split_sha256(changed.model_copy(update={"max_drift": 1.0, "label": "other"})) == split_sha256(changed)


@pytest.mark.parametrize(
    ("written", "digest"),
    [
        ({"seed": 2023}, "d70a544da95c45b67422f5ae340455d274f3312ab61bccf8eea455ae77bf403c"),
        (
            {
                "seed": 1,
                "roles": {"met": "gallery"},
                "ratios": {"val": 1, "test": 9},
                "by": None,
                "order": None,
                "together": ["artist"],
            },
            "bfd2594c9f2ab0c6d4717b361f9a1c788c903eb542fbb838c3a71329f608bf16",
        ),
    ],
)
def test_the_digest_of_a_split_that_uses_no_attribute_stays(written: Any, digest: str):
    """As releases that are published have it: another one would draw all their splits afresh."""
    assert split_sha256(Split.model_validate({"label": "split", **written})) == digest


def test_every_reason_is_one_of_a_stage_or_of_people():
    declared = {reason for kind in (Scrape, *STAGES.values()) for reason in kind.reasons}
    assert declared | BY_HAND == {*Reason}
    assert not declared & BY_HAND


def test_a_stage_drops_for_its_own_reasons_and_for_what_people_decide():
    screen = Screen(label="screen")
    assert screen.may_drop_for(Reason.TOO_SMALL)
    assert screen.may_drop_for(Reason.EXCLUDED)
    assert not screen.may_drop_for(Reason.NOT_DRAWN)
