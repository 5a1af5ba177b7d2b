"""What a release says of how it came about: only what its tables and its recipe say."""

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest

from schemas.manifests import ReleaseManifest
from schemas.release import ReleaseRecipe
from schemas.tables import ANNOTATIONS, DETECTIONS, IMAGES, LEDGER
from tasks.core.export.responsible_ai import (
    FACTS_FROM,
    CollectionFacts,
    Spread,
    collection_facts,
    responsible_ai,
)

TIMES = [datetime(2024, 5, day, 12, tzinfo=UTC) for day in (3, 1, 2)]
ROWS: dict[str, list[dict[str, Any]]] = {
    "images": [
        {"source": "a", "rights_uri": "NOASSERTION", "title": "t", "style": "x", "is_annotated": True},
        {"source": "a", "rights_uri": "https://r.example/1", "title": None, "style": "x", "is_annotated": False},
        {"source": "b", "rights_uri": "NOASSERTION", "title": "t", "style": "y", "is_annotated": True, "year": 1900},
    ],
    "annotations": [{"origin": "person"}, {"origin": "source"}, {"origin": "person"}],
    "detections": [{"model": "m@1"}],
    "ledger": [
        {"source": "a", "kept": True},
        {"source": "a", "kept": True},
        {"source": "b", "kept": True},
        {"source": "b", "kept": False, "stage": "near", "reason": "near_duplicate"},
        {"source": "b", "kept": False, "stage": "near", "reason": "near_duplicate"},
        {"source": "b", "kept": False, "stage": "scrape", "reason": "bad_record"},
    ],
}
SCHEMAS = {"images": IMAGES, "annotations": ANNOTATIONS, "detections": DETECTIONS, "ledger": LEDGER}
EMPTY = {name: schema.empty_table() for name, schema in SCHEMAS.items()}
RECIPE = ReleaseRecipe.model_validate(
    {
        "name": "small",
        "categories": [{"name": "person"}],
        "sources": [
            {"table": {"name": "a", "annotations": {"format": "cvat", "path": "x"}}},
            {"met": {"name": "b"}},
            {"ukiyoe": {"name": "c"}},
            {"of_tomorrow": {"name": "d"}},
        ],
        "stages": [{"dedup": {"label": "near"}}, {"export": {"label": "export"}}],
    }
)
MANIFEST = ReleaseManifest(
    name="small",
    version="0123456789ab",
    previous=None,
    lineage=1,
    split_sha256="s",
    contract_version="3.2.0",
    content_sha256="c" * 64,
    recipe_sha256="r",
    counts={},
    content={},
    files={},
    environment={},
)


def with_column(table: pa.Table, name: str, values: pa.Array | pa.ChunkedArray) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, values)


def tables() -> dict[str, pa.Table]:
    found = {name: pa.Table.from_pylist(rows, SCHEMAS[name]) for name, rows in ROWS.items()}
    times = pa.array(TIMES, pa.timestamp("us", "UTC"))
    return {**found, "images": with_column(found["images"], "retrieved_at", times)}


def said(facts: CollectionFacts | None = None, recipe: ReleaseRecipe = RECIPE, **fields: Any) -> dict[str, Any]:
    found = facts or collection_facts(tables())
    return responsible_ai(recipe, MANIFEST.model_copy(update=fields), found)


def test_facts_counted_by_hand():
    assert collection_facts(tables()) == CollectionFacts(
        listed={"a": 2, "b": 4},
        dropped={("near", "near_duplicate"): 2, ("scrape", "bad_record"): 1},
        images=3,
        annotated=2,
        rights={"NOASSERTION": 2, "https://r.example/1": 1},
        without={"title": 1, "artist": 3, "style": 0, "year": 2},
        spread={"source": Spread(2, 2), "style": Spread(2, 2)},  # no image has an artist
        figures={"person": 2, "source": 1},
        found={"m@1": 1},
        retrieved=("2024-05-01T12:00:00Z", "2024-05-03T12:00:00Z"),
    )


def test_facts_need_no_other_columns_and_no_plain_ones():
    narrow = {name: table.select(list(FACTS_FROM[name])) for name, table in tables().items()}
    whole = narrow["images"]["source"].combine_chunks()
    pieces = [whole.slice(start, 1).dictionary_encode() for start in range(len(whole))]
    narrow["images"] = with_column(narrow["images"], "source", pa.chunked_array(pieces))
    assert collection_facts(narrow) == collection_facts(tables())


def test_a_release_without_rows_says_next_to_nothing():
    facts = collection_facts(EMPTY)
    assert (facts.images, facts.retrieved, facts.spread) == (0, None, {})
    found = said(facts)
    assert {
        "rai:dataBiases",
        "rai:dataLimitations",
        "rai:dataCollectionTimeframe",
        "rai:dataAnnotationProtocol",
        "rai:machineAnnotationTools",
        "rai:personalSensitiveInformation",
        "rai:dataPreprocessingProtocol",
    }.isdisjoint(found)


def test_what_only_people_know_is_left_out():
    assert {
        *("rai:dataUseCases", "rai:dataSocialImpact", "rai:annotatorDemographics", "rai:annotationsPerItem"),
        *("rai:dataAnnotationAnalysis", "rai:dataImputationProtocol"),
    }.isdisjoint(said())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dataCollectionType", ["Web API", "Web Scraping"]),
        (
            "dataCollectionRawData",
            "a (source of the kind table): 2 records; b (source of the kind met): 4 records; c (source of the kind "
            "ukiyoe): 0 records; d (source of the kind of_tomorrow): 0 records",
        ),
        ("dataCollectionTimeframe", ["2024-05-01T12:00:00Z", "2024-05-03T12:00:00Z"]),
        ("dataCollectionMissingData", "Of 3 images, 1 have no title, 3 have no artist, 2 have no year."),
        ("dataAnnotationPlatform", ["CVAT (source a)"]),
        ("machineAnnotationTools", ["m@1: 1 box in detections, none in annotations"]),
        (
            "dataBiases",
            [
                "source: 2 values; 2 of 3 images have the most frequent one",
                "style: 2 values; 2 of 3 images have the most frequent one",
            ],
        ),
        (
            "dataLimitations",
            [
                "The rights of 2 images are not known (rights_uri is NOASSERTION).",
                "Nobody has annotated 1 image: these are no negatives.",
                "detections is what a model found, and no truth.",
            ],
        ),
    ],
)
def test_the_words_of_each_property(name: str, value: Any):
    assert said()[f"rai:{name}"] == value


def test_stages_stand_in_the_recipes_order_with_the_meaning_of_each_reason():
    facts = collection_facts(tables())._replace(
        dropped={("zz", "of_tomorrow"): 1, ("near", "near_duplicate"): 2, ("scrape", "bad_record"): 1}
    )
    first, second, third = said(facts)["rai:dataPreprocessingProtocol"]
    assert first == "scrape dropped 1 record: 1 bad_record (The source's row can't be read as a record)"
    assert second.startswith("near (dedup) dropped 2 records: 2 near_duplicate (A second look")
    assert third == "zz (a stage) dropped 1 record: 1 of_tomorrow (a reason of another version)"


def test_one_moment_is_one_date():
    facts = collection_facts(tables())._replace(retrieved=("2024-05-01T12:00:00Z",) * 2)
    assert said(facts)["rai:dataCollectionTimeframe"] == ["2024-05-01T12:00:00Z"]


def test_a_trial_and_a_release_before():
    trial = RECIPE.model_copy(update={"limit": 9})
    assert "This is a trial: at most 9 records of each source were taken." in said(recipe=trial)["rai:dataLimitations"]
    assert "It follows version abc; CHANGES.md" in said(previous="abc")["rai:dataReleaseMaintenancePlan"]
    assert "follows" not in said()["rai:dataReleaseMaintenancePlan"]


def test_no_value_of_an_image_is_quoted():
    """Names may have to go: counts alone are told."""
    hidden = tables()
    hidden["images"] = with_column(hidden["images"], "artist", pa.array(["Somebody's name"] * 3))
    assert "Somebody" not in str(said(collection_facts(hidden)))
