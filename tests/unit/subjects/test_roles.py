"""The role of a record: by its source, which its record_id names, or by what it says, now or when it was published."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import BadInput
from schemas.manifests import State
from schemas.recipe import Recipe
from tasks.io.store.store import Store
from tasks.subjects import previous, roles

SOURCES = [{"folder": {"name": name, "at": "images", "pattern": "{subject}/{key}.jpg"}} for name in ("met", "visitors")]
BY_VALUE = {"by": "subject", "gallery": "exhibit"}
RECORDS = pa.table(
    {
        "record_id": ["met:1", "met:2", "met:3", "visitors:1"],
        "subject": ["Exhibit", "visitor", None, "exhibit"],
    }
)


def recipe(given: Any, **settings: Any) -> Recipe:
    stages = ["fetch", "hash", {"split": {**({"roles": given} if given else {}), **settings}}, "export"]
    return Recipe.model_validate(
        {
            "name": "m",
            "bindings": {"images": "a folder"},
            "sources": SOURCES,
            "stages": stages,
            "attributes": {"subject": {"type": "string"}},
        }
    )


@pytest.fixture
def built(tmp_path: Path) -> tuple[Store, State]:
    store = Store(str(tmp_path))
    ref = store.write_table("outcomes/scrape", RECORDS)
    return store, State(records=ref, figures=ref)


def names(*ids: str) -> pa.ChunkedArray:
    return pa.chunked_array([list(ids)], pa.string())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({}, [None] * 4, id="no roles"),
        pytest.param({"met": "gallery", "visitors": "query"}, ["gallery", "gallery", "gallery", "query"], id="sources"),
        pytest.param({"visitors": "gallery"}, ["query", "query", "query", "gallery"], id="one is not named"),
        pytest.param(BY_VALUE, ["gallery", "query", "query", "gallery"], id="by value"),
        pytest.param({**BY_VALUE, "query": "visitor"}, ["gallery", "query", "query", "gallery"], id="queries named"),
    ],
)
def test_roles_of_the_records_of_a_build(built: tuple[Store, State], given: Any, expected: list[str | None]):
    store, state = built
    everyone = names(*RECORDS["record_id"].to_pylist())
    assert roles.roles_of(store, recipe(given), state, everyone).to_pylist() == expected
    by_id = roles.roles_by_id(store, recipe(given), state)
    assert (by_id(everyone).to_pylist() if by_id else [None] * 4) == expected


def test_a_record_id_begins_with_the_name_of_its_source(built: tuple[Store, State]):
    store, state = built
    found = roles.roles_of(store, recipe({"met": "gallery"}), state, names("met:1", "visitors:met:1", "met:a\nb"))
    assert found.to_pylist() == ["gallery", "query", "gallery"]
    assert roles.roles_of(store, recipe({"met": "gallery"}), state, names()).to_pylist() == []
    assert roles.roles_of(store, recipe(BY_VALUE), state, names()).to_pylist() == []


def test_only_where_queries_are_named_is_another_value_refused(built: tuple[Store, State]):
    store, state = built
    everyone = names(*RECORDS["record_id"].to_pylist())
    for given in ({}, {"met": "gallery"}, BY_VALUE):
        roles.check_roles(store, recipe(given), state, everyone)
    with pytest.raises(BadInput, match=r"stages \(split\).roles: .* got None in met:3"):
        roles.check_roles(store, recipe({**BY_VALUE, "query": "visitor"}), state, everyone)


@pytest.mark.parametrize(
    ("before", "settings", "expected"),
    [
        # met:1 and met:2 are known now; the others were in the release before, or nobody knows them any more
        pytest.param(
            {"met:8": "exhibit", "met:9": "visitor"},
            {"ratios": {"train": 1, "test": 1}},
            ["gallery", "query", "gallery", "query", "query", "query"],
            id="what the release before says",
        ),
        pytest.param(
            {},
            {"ratios": {"val": 1, "test": 1}},
            ["gallery", "query", "gallery", "gallery", "gallery", "query"],
            id="train is no split of queries, so who was there was of the gallery",
        ),
        pytest.param(
            {},
            {"ratios": {"train": 1, "test": 1}},
            ["gallery", "query", "query", "query", "query", "query"],
            id="train is one of queries too",
        ),
        pytest.param(
            {},
            {"keep": "subject"},
            ["gallery", "query", "query", "query", "query", "query"],
            id="with splits of sources",
        ),
    ],
)
def test_roles_of_what_only_the_memory_has(
    built: tuple[Store, State],
    monkeypatch: pytest.MonkeyPatch,
    before: dict[str, str],
    settings: Any,
    expected: list[str],
):
    store, state = built
    monkeypatch.setattr(
        previous,
        "known_column",
        lambda store, recipe, chosen, ids, name, kind: pa.chunked_array(
            [[before.get(one) for one in ids.to_pylist()]], kind
        ),
    )
    ids = ["met:1", "met:2", "met:8", "met:9", "gone:1", "gone:2"]
    renamed = pa.table({"record_id": ids, "published": ["train"] * 5 + ["test"]})
    found = roles.roles_of_renamed(store, recipe(BY_VALUE, **settings), state, renamed)
    assert found.to_pylist() == expected
