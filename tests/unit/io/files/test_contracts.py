"""The contracts as they ship."""

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.attributes import ARROW_TYPES, Attribute
from schemas.contract import TABLES, ContractProperty
from schemas.errors import BadInput
from schemas.tables import DETECTIONS, IMAGES
from schemas.yaml_text import parse_yaml
from tasks.core.verify import type_name
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
    got = contracts.with_descriptions(given, "detections")
    assert got.metadata == {b"c": b"d"}
    assert got.field("score").metadata[b"a"] == b"b"
    assert got.field("odd").metadata is None
    assert got.names != DETECTIONS.names


def test_the_texts_of_each_version_are_known():
    assert contracts.known_texts(contracts.version(), {}) == contracts.texts()
    known = contracts.known_texts("2.1.0", {})
    assert "version: 2.1.0\n" in known["contract/images.odcs.yaml"]
    later = {f"contract/{table}.odcs.yaml" for table in ("detections", "fingerprints", "labels", "unread")}
    assert contracts.texts().keys() - known.keys() == {*later, "contract/README.md"}
    assert [contracts.known_texts(version, {}) for version in ("9.0.0", "..", "", "2.1.0/../2.1.0")] == [{}] * 4


def test_the_newest_version_of_a_major_is_known():
    assert contracts.newest(3) == contracts.contracts()
    assert {contract.version for contract in contracts.newest(2).values()} == {"2.3.1"}
    assert contracts.newest(9) == {}


def test_what_was_published_is_read_by_version_and_table():
    assert set(contracts.published("release")[contracts.version()]) == set(TABLES)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """The folder of a release, as far as contracts go."""
    for path, text in contracts.texts().items():
        (tmp_path / "0123456789ab" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "0123456789ab" / path).write_text(text, encoding="utf-8")
    (tmp_path / "latest").write_text("0123456789ab\n")
    return tmp_path / "0123456789ab"


def test_contracts_are_read_from_a_file_a_folder_and_a_release(release: Path):
    whole = contracts.contracts()
    assert contracts.read(str(release)) == contracts.read(f"{release}/contract/") == whole
    assert contracts.read(str(release.with_name("latest"))) == whole
    assert contracts.read(str(release / "contract/ledger.odcs.yaml")) == {"ledger": whole["ledger"]}
    assert contracts.read(f"file://{release}") == whole


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("nowhere", None, "expected a file or a folder of contracts, got"),
        ("", None, "expected files <table>.odcs.yaml, got none in"),
        ("a.yaml", b"[1]", "expected a contract of one table in the Open Data Contract Standard, got"),
        ("a.yaml", b"version: 1.4.1", "apiVersion: Field required"),
        ("a.yaml", b"\xff", "codec can't decode"),
        ("a.yaml", b"a: &a [*a]", "that does not hold itself"),
        ("a.yaml", b"x" * (1 << 20) + b"x", "expected YAML of at most 1,048,576 bytes, got more"),
        ("latest", b"../elsewhere", "expected a version in `latest`, got '../elsewhere'"),
    ],
)
def test_what_is_no_contract_is_told_in_one_line(tmp_path: Path, name: str, text: bytes | None, said: str):
    if text is not None:
        (tmp_path / name).write_bytes(text)
    with pytest.raises(BadInput) as told:
        contracts.read(str(tmp_path / name))
    assert str(told.value).startswith("contract: ")
    assert said in str(told.value)
    assert "\n" not in str(told.value)


DESCRIPTIONS = st.one_of(
    st.text(max_size=60), st.text(": '\"\\\n#{}[]&*!|>%@`-?,\u2028\ufeff\x85\x00\x7f", max_size=20)
)


@given(
    st.dictionaries(
        st.from_regex(r"[a-z][a-z0-9_]{0,62}", fullmatch=True),
        st.builds(Attribute, type=st.sampled_from(sorted(ARROW_TYPES)), description=DESCRIPTIONS),
        max_size=4,
    )
)
def test_attributes_are_further_columns_of_images_and_records_and_nothing_else_changes(
    attributes: dict[str, Attribute],
):
    plain, found = contracts.texts(), contracts.texts(attributes)
    changed = {path for path in plain if plain[path] != found[path]}
    assert changed == ({"contract/images.odcs.yaml", "contract/records.odcs.yaml"} if attributes else set())
    promised = contracts.with_attributes(contracts.contracts(), attributes)
    for table in ("images", "records"):
        path = f"contract/{table}.odcs.yaml"
        assert found[path].startswith(plain[path])
        lines = found[path].removeprefix(plain[path])
        columns = [ContractProperty.model_validate(entry) for entry in (parse_yaml(lines) if lines else ())]
        assert promised[table].table.properties == [*contracts.contracts()[table].table.properties, *columns]
        assert [column.name for column in columns] == list(attributes)
        for column in columns:
            attribute = attributes[column.name]
            assert column.arrow_type == type_name(ARROW_TYPES[attribute.type])
            assert column.custom_value("attribute") is True
            assert column.description
            assert column.description.isascii() or not attribute.description.isascii()


def test_words_of_a_description_stand_in_the_contract_as_they_are_in_one_line():
    attributes = {"room": Attribute(type="string", description=" The  room\n('A|1': \u201eAula\u201c) \x07")}
    contract = contracts.with_attributes(contracts.contracts(), attributes)["images"]
    assert contract.table.properties[-1].description == "The room ('A|1': \u201eAula\u201c) ?"
