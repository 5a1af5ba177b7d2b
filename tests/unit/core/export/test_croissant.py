"""The metadata of a release for programs: its files, its record sets, and what no text in it may do."""

import fnmatch
import json
import re
from typing import Any

import pyarrow as pa
import pytest

from schemas.attributes import ARROW_TYPES
from schemas.contract import SPLIT_TABLES, ContractObject, part_path
from schemas.manifests import FileEntry, ReleaseManifest
from schemas.release import ReleaseAttribute, ReleaseRecipe
from schemas.tables import BY_CONTRACT
from tasks.core.export.croissant import (
    IMAGE,
    MOST_KEY_SETS,
    REFERENCES,
    Node,
    PromisedTable,
    croissant,
    croissant_text,
    croissant_type,
)
from tasks.core.export.responsible_ai import CollectionFacts
from tasks.io.files import contracts

HOSTILE = "</script><script>alert(1)</script> \u202eevil\u202c \x00\ud800 & <b>" + "x" * 10_000
RECIPE: dict[str, Any] = {
    "name": "small",
    "title": "A small set",
    "description": "  For tests.\n",
    "categories": [{"name": "person"}],
    "sources": [{"folder": {"name": "s", "pattern": "*", "annotations": None}}],
    "stages": [{"export": {"label": "export", "parquet": {"images": "embedded"}, "media": False}}],
}
FACTS = CollectionFacts({"s": 3}, {}, 2, 1, {"NOASSERTION": 1, "https://a.example/by": 1}, {}, {}, {}, {}, None)
FILES = {
    part_path("images", "val", 0, 1): FileEntry(sha256="a" * 64, bytes=10, rows=1),
    part_path("images", "train", 1, 2): FileEntry(sha256="b" * 64, bytes=20, rows=1),
    part_path("images", "train", 0, 2): FileEntry(sha256="c" * 64, bytes=30, rows=0),
    part_path("annotations", "val", 0, 1): FileEntry(sha256="d" * 64, bytes=40, rows=0),
    "ledger.parquet": FileEntry(sha256="e" * 64, bytes=50, rows=3),
    "statistics/shares.parquet": FileEntry(sha256="f" * 64, bytes=60, rows=2),
    "changes.parquet": FileEntry(sha256="1" * 64, bytes=70, rows=2),
    "README.md": FileEntry(sha256="2" * 64, bytes=80),
}


def promised(**attributes: ReleaseAttribute) -> dict[str, PromisedTable]:
    schemas = contracts.arrow_schemas(attributes)
    known = contracts.with_attributes(contracts.contracts(), attributes)
    return {name: PromisedTable(contract.table, schemas[name]) for name, contract in known.items()}


def document(
    recipe: dict[str, Any] | None = None,
    facts: CollectionFacts = FACTS,
    files: dict[str, FileEntry] | None = None,
    modified: str | None = None,
    tables: dict[str, PromisedTable] | None = None,
    **fields: Any,
) -> Node:
    manifest = ReleaseManifest(
        name="small",
        version="0123456789ab",
        previous=None,
        lineage=2,
        split_sha256="s",
        contract_version="3.2.0",
        content_sha256="c" * 64,
        recipe_sha256="r",
        counts={},
        content={},
        files=FILES if files is None else files,
        environment={},
    ).model_copy(update=fields)
    read = ReleaseRecipe.model_validate({**RECIPE, **(recipe or {})})
    return croissant(read, manifest, tables or promised(), facts, modified)


def sets_of(made: Node) -> dict[str, Node]:
    return {node["@id"]: node for node in made["recordSet"]}


def fields_of(made: Node, name: str) -> dict[str, Node]:
    return {node["name"]: node for node in sets_of(made)[name]["field"]}


@pytest.mark.parametrize("table", BY_CONTRACT)
def test_every_column_of_every_table_has_a_type(table: str):
    for column in BY_CONTRACT[table]:
        if not column.type.equals(IMAGE):
            assert croissant_type(column.type)["dataType"].startswith("sc:")


def test_every_attribute_has_a_type():
    assert [croissant_type(kind) for kind in ARROW_TYPES.values()] == [
        {"dataType": "sc:Text"},
        {"dataType": "sc:Integer"},
        {"dataType": "sc:Float"},
        {"dataType": "sc:Boolean"},
        {"dataType": "sc:Text", "isArray": True, "arrayShape": "-1"},
    ]


@pytest.mark.parametrize(
    "kind",
    [
        pa.binary(),
        pa.date32(),
        pa.decimal128(5, 2),
        pa.null(),
        pa.list_(pa.list_(pa.int32())),
        pa.list_(IMAGE),
        pa.struct([("bytes", pa.binary())]),
        pa.map_(pa.string(), pa.int32()),
    ],
    ids=str,
)
def test_a_type_that_no_release_has_is_an_error(kind: pa.DataType):
    with pytest.raises(ValueError, match=r"expected a (type|list)"):
        croissant_type(kind)


def test_what_the_dataset_is():
    made = document()
    assert made["@context"]["@vocab"] == made["@context"]["sc"] == "https://schema.org/"
    assert (made["name"], made["alternateName"], made["description"]) == ("A small set", "small", "For tests.")
    assert (made["version"], made["identifier"]) == ("2.0.0+0123456789ab", f"sha256:{'c' * 64}")
    assert made["keywords"] == ["person"]
    assert made["citeAs"].startswith("@misc{small-0123456789ab,")
    assert {"datePublished", "dateModified", "creator", "url", "inLanguage", "subjectOf"}.isdisjoint(made)


def test_what_people_say_of_it():
    about = {
        "authors": ["A", "B"],
        "homepage": "https://a.example/set",
        "paper": "https://a.example/paper",
        "citation": "@misc{own}",
        "languages": ["en"],
        "limitations": "Few.",
        "answers": {"harms": "None known.", "annotators": "Two students.", "people": "Sitters.", "funding": "Nobody."},
    }
    made = document({"about": about})
    assert made["creator"] == [{"@type": "sc:Person", "name": "A"}, {"@type": "sc:Person", "name": "B"}]
    assert (made["url"], made["subjectOf"], made["citeAs"]) == (about["homepage"], about["paper"], "@misc{own}")
    assert made["inLanguage"] == ["en"]
    assert (made["rai:dataSocialImpact"], made["rai:annotatorDemographics"]) == (["None known."], ["Two students."])
    assert made["rai:dataLimitations"][-1] == "Few."
    assert made["rai:personalSensitiveInformation"][-1] == "Sitters."
    assert "Nobody." not in str(made)


def test_a_release_without_words_of_its_own():
    made = document({"title": None, "description": " \n"})
    assert (made["name"], made["description"]) == ("small", "2 images.")


def test_the_day_of_a_purge():
    assert document(modified="2025-01-31")["dateModified"] == "2025-01-31"


def test_licences_are_uris_and_what_has_none_is_a_work():
    unknown, uri = document()["license"]
    assert (unknown["@type"], unknown["name"], uri) == ("sc:CreativeWork", "NOASSERTION", "https://a.example/by")
    assert document(facts=FACTS._replace(rights={}))["license"] == []


def test_each_parquet_file_of_a_contracts_table_that_has_rows_is_listed_with_its_digest():
    files = {node["@id"]: node for node in document()["distribution"] if node["@type"] == "cr:FileObject"}
    assert {path: (node["sha256"], node["contentSize"]) for path, node in files.items()} == {
        "images/train-00000-of-00002.parquet": ("c" * 64, "30 B"),
        "images/train-00001-of-00002.parquet": ("b" * 64, "20 B"),
        "images/val-00000-of-00001.parquet": ("a" * 64, "10 B"),
        "ledger.parquet": ("e" * 64, "50 B"),
        "statistics/shares.parquet": ("f" * 64, "60 B"),
    }
    assert {node["encodingFormat"] for node in document()["distribution"]} == {"application/x-parquet"}
    assert all(node["contentUrl"] == path for path, node in files.items())


def test_tables_without_rows_are_left_out():
    made = document()
    keys = [f"files/images/{name}" for name in ("train-00000-of-00002", "train-00001-of-00002", "val-00000-of-00001")]
    assert [*sets_of(made)] == ["splits", "images", "ledger", "shares", *keys]
    assert [node["@id"] for node in made["distribution"] if node["@type"] == "cr:FileSet"] == ["images-files"]


def test_a_release_without_files():
    made = document(files={}, facts=FACTS._replace(images=0, rights={}))
    assert (made["distribution"], made["recordSet"], made["license"]) == ([], [], [])


def test_fields_are_the_columns_in_their_order():
    schema = promised()["images"].schema
    assert [*fields_of(document(), "images")] == schema.names
    column = fields_of(document(), "ledger")["kept"]
    assert column["dataType"] == "sc:Boolean"
    assert column["source"] == {"fileObject": {"@id": "ledger.parquet"}, "extract": {"column": "kept"}}
    assert column["description"]


def test_an_attribute_is_a_field_with_its_description():
    declared = promised(place=ReleaseAttribute(type="strings", description="Where it hangs"))
    field = fields_of(document(tables=declared), "images")["place"]
    assert (field["description"], field["isArray"], field["arrayShape"]) == ("Where it hangs", True, "-1")


def test_keys_are_those_of_the_contract():
    made = sets_of(document(files={**FILES, "labels.parquet": FileEntry(sha256="3" * 64, bytes=1, rows=1)}))
    assert made["images"]["key"] == {"@id": "images/record_id"}
    assert made["labels"]["key"] == [{"@id": "labels/column"}, {"@id": "labels/label"}]
    assert "key" not in made["shares"]


@pytest.mark.parametrize(
    ("images", "media", "names"),
    [
        ("embedded", False, {"image": "sc:ImageObject"}),
        ("embedded", True, {"image": "sc:ImageObject", "image_path": "sc:Text"}),
        ("none", True, {"image_path": "sc:Text"}),
        ("none", False, {}),
    ],
)
def test_where_the_images_are(images: str, media: bool, names: dict[str, str]):
    export = {"label": "export", "parquet": {"images": images}, "media": media}
    fields = fields_of(document({"stages": [{"export": export}]}), "images")
    assert {name: fields[name]["dataType"] for name in ("image", "image_path") if name in fields} == names


def test_splits_come_by_rank_each_with_what_the_vocabulary_calls_it():
    files = {part_path("images", name, 0, 1): FileEntry(sha256="a" * 64, bytes=1, rows=1) for name in
             ("b", "ood", "val", "train", "a", "test")}  # fmt: skip
    splits = sets_of(document(files=files))["splits"]
    assert splits["dataType"] == "cr:Split"
    assert {row["splits/name"]: row["splits/url"] for row in splits["data"]} == {
        "train": "cr:TrainingSplit",
        "val": "cr:ValidationSplit",
        "test": "cr:TestSplit",
        "ood": None,
        "a": None,
        "b": None,
    }
    assert [row["splits/name"] for row in splits["data"]] == ["train", "val", "test", "ood", "a", "b"]


@pytest.mark.parametrize("name", ["train", "train-2", "a.b"])
def test_the_split_is_read_from_the_path_by_a_pattern_that_is_a_glob_too(name: str):
    """As mlcroissant makes a glob of it: the group gives way to the split, and a point loses its backslash."""
    files = {part_path("images", split, 0, 1): FileEntry(sha256="a" * 64, bytes=1, rows=1) for split in ("train", name)}
    regex = fields_of(document(files=files), "images")["split"]["source"]["transform"]["regex"]
    path = part_path("images", name, 0, 1)
    assert (re.match(regex, path) or [""])[1] == name
    assert re.match(regex, f"{path}.parquet") is None
    glob = re.sub(r"\(.*\)", lambda _: re.escape(name), regex).strip("^$").replace(r"\.", ".").replace(r"\-", "-")
    assert [each for each in files if fnmatch.fnmatch(each, glob)] == [path]


def test_what_a_column_refers_to_stands_beside_it():
    """Not in it: of a field with `references` mlcroissant 1.1.1 reads nothing the second time."""
    made = document(files={**FILES, part_path("annotations", "val", 0, 1): FileEntry(sha256="a", bytes=1, rows=1)})
    fields = fields_of(made, "annotations")
    assert fields["image_id"]["annotation"]["references"] == {"field": {"@id": "images/image_id"}}
    assert not any("references" in field for node in made["recordSet"] for field in node["field"])


def test_every_reference_is_from_a_column_to_a_column():
    columns = {(table, name) for table, schema in BY_CONTRACT.items() for name in schema.names} | {("splits", "name")}
    assert REFERENCES.keys() <= columns
    assert {tuple(target.split("/")) for target in REFERENCES.values()} <= columns


def test_a_file_of_many_has_a_record_set_of_its_keys_unless_they_are_too_many():
    def files(count: int) -> dict[str, FileEntry]:
        return {
            part_path("images", "train", number, count): FileEntry(sha256="a" * 64, bytes=1, rows=1)
            for number in range(count)
        }

    few, many = (document(files=files(count)) for count in (MOST_KEY_SETS, MOST_KEY_SETS + 1))
    assert [*sets_of(many)] == ["splits", "images"]
    assert len(sets_of(few)) == MOST_KEY_SETS + 2
    node = sets_of(few)["files/images/train-00000-of-00300"]
    (field,) = node["field"]
    assert field["source"]["fileObject"] == {"@id": "images/train-00000-of-00300.parquet"}
    assert len(many["distribution"]) == MOST_KEY_SETS + 2  # all files, and the set of them


def test_ids_are_unique():
    def ids(node: Any) -> list[str]:
        inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        mine = [node["@id"]] if isinstance(node, dict) and len(node) > 1 and "@id" in node else []
        return [*mine, *(name for value in inner for name in ids(value))]

    made = document(files={**FILES, part_path("annotations", "val", 0, 1): FileEntry(sha256="a", bytes=1, rows=1)})
    found = ids([made["distribution"], made["recordSet"]])
    assert len(found) == len({*found}) > 90


def test_hostile_texts_stay_texts():
    declared = promised(place=ReleaseAttribute(type="string", description=HOSTILE))
    made = document({"title": HOSTILE, "description": HOSTILE}, tables=declared)
    data = croissant_text(made)
    assert json.loads(data) == made
    assert made["name"] == HOSTILE
    assert re.fullmatch(rb"[ -%'-;=?-~]+\n", data)  # printable ASCII without <, > and &


def test_a_table_that_is_promised_without_its_key_is_told():
    bare = PromisedTable(ContractObject.model_validate({"name": "images", "properties": [
        {"name": "record_id", "physicalType": "string", "primaryKey": True}]}), pa.schema([]))  # fmt: skip
    with pytest.raises(KeyError, match="record_id"):
        document(tables={"images": bare})


def test_tables_by_split_are_sets_of_files():
    assert {*SPLIT_TABLES} <= BY_CONTRACT.keys()
