"""The contracts as they ship."""

import pyarrow as pa
import yaml

from schemas.contract import TABLES
from schemas.tables import ANNOTATIONS, IMAGES
from tasks.io.files import contracts


def test_there_is_a_contract_of_each_table_and_a_page_for_all():
    assert set(contracts.texts()) == {"contract/README.md", *(f"contract/{table}.odcs.yaml" for table in TABLES)}
    assert list(contracts.contracts()) == list(TABLES)


def test_all_contracts_have_one_version():
    assert {contract.version for contract in contracts.contracts().values()} == {contracts.version()}
    assert contracts.texts()["contract/README.md"].startswith(
        f"# What a release holds: contract {contracts.version()}\n"
    )


def test_fields_say_what_their_contract_says():
    schema = contracts.with_descriptions(IMAGES, "images")
    assert schema.equals(IMAGES)  # but for metadata
    assert schema.field("width_px").metadata == {
        b"description": b"Width of the upright image, px",
        b"unit": b"px",
        b"example": b"1024",
    }
    assert all(field.metadata[b"description"] for field in schema)
    assert b"unit" not in schema.field("title").metadata


def test_what_fields_and_the_schema_say_already_stays():
    given = pa.schema([pa.field("score", pa.float64(), metadata={"a": "b"}), ("odd", pa.int8())], {"c": "d"})
    got = contracts.with_descriptions(given, "annotations")
    assert got.metadata == {b"c": b"d"}
    assert got.field("score").metadata[b"a"] == b"b"
    assert got.field("odd").metadata is None
    assert got.names != ANNOTATIONS.names


def test_the_first_contract_is_kept_for_the_releases_that_carry_it():
    assert contracts.first_version().startswith("1.")
    assert yaml.safe_load(contracts.first_text())["version"] == contracts.first_version()
