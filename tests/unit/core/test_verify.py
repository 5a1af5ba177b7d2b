"""verify: a release that is right has no problem; each thing that is tampered with is one, and is named."""

import json
import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from schemas import tables
from schemas.contract import ContractProperty
from schemas.manifests import FileEntry, ReleaseManifest
from schemas.release import RecipeStage
from schemas.tables import EDGES, LEDGER
from tasks.core import verify
from tasks.core.export import digest
from tasks.io.files import contracts


def columns(table: str) -> list[ContractProperty]:
    """Those that the contract promises."""
    return contracts.contracts()[table].table.properties


SCHEMAS = {name: tables.BY_CONTRACT[name] for name in ("images", "annotations", "detections", "ledger")}


# --- the manifest

CONTENT = {"annotations": "a" * 64, "images": "b" * 64, "ledger": "c" * 64}


def manifest_of(**changes: Any) -> ReleaseManifest:
    """A manifest that holds, as releases have it, but for the changes, which are made before it is sealed."""
    whole = digest.content_digest(CONTENT)
    contract = changes.get("contract_version", "2.1.0")
    needed = (*verify.needed_files(contract), *verify.promised_files(contract))
    files = {path: FileEntry(sha256="d" * 64, bytes=1) for path in needed}
    fields: dict[str, Any] = {
        "name": "art",
        "previous": None,
        "lineage": 1,
        "split_sha256": "e" * 64,
        "contract_version": "2.1.0",
        "content_sha256": whole,
        "recipe_sha256": "f" * 64,
        "counts": {},
        "content": CONTENT,
        "files": files,
        "environment": {},
    } | changes
    version = digest.version(fields["content_sha256"], fields["recipe_sha256"], fields["contract_version"])
    return digest.sealed(ReleaseManifest(**{"version": version, **fields}))


def manifest_problems(
    manifest: ReleaseManifest, folder: str | None = None, *siblings: ReleaseManifest, **forged: Any
) -> list[str]:
    """Problems of a manifest in which a person has changed fields by hand."""
    fields = {**manifest.model_dump(mode="json"), **forged}
    known = {sibling.version: sibling for sibling in siblings}
    changed = ReleaseManifest.model_validate(fields)
    return list(verify.manifest_problems(fields, changed, folder or manifest.version, known))


BEFORE = manifest_of(recipe_sha256="0" * 64)
AFTER = manifest_of(previous=BEFORE.version)


@pytest.mark.parametrize("manifest", [BEFORE, AFTER, manifest_of(lineage=7)])
def test_a_manifest_that_holds_has_no_problem(manifest: ReleaseManifest):
    assert manifest_problems(manifest, None, BEFORE) == []
    assert manifest_problems(manifest, "copied-elsewhere") == []


@pytest.mark.parametrize(
    ("forged", "expected"),
    [
        pytest.param({"content_sha256": "0" * 64}, "content_sha256", id="a zeroed content"),
        pytest.param({"content": {**CONTENT, "images": "0" * 64}}, "content_sha256", id="a zeroed table"),
        pytest.param({"recipe_sha256": "0" * 64}, "expected version", id="another recipe"),
        pytest.param({"version": "0" * 12}, "expected version", id="another version"),
        pytest.param({"lineage": 0}, "expected a lineage of at least 1", id="no lineage"),
        pytest.param({"lineage": -1}, "expected a lineage of at least 1", id="a negative lineage"),
        pytest.param({"lineage": 2}, "lineage|fields of SHA-256", id="another lineage"),
        pytest.param({"previous": "latest"}, "previous", id="a previous that is no version"),
        pytest.param({"files": {}}, r"expected ledger\.parquet among its files", id="no files"),
    ],
)
def test_a_forged_manifest_has_one(forged: dict[str, Any], expected: str):
    assert any(re.search(expected, problem) for problem in manifest_problems(AFTER, None, BEFORE, **forged))


def test_files_that_a_contract_promises_are_missed():
    """But for those of which there is none where there is nothing to say."""
    whole = manifest_of()
    for path in ("records.parquet", "relations.parquet", "statistics/shares.parquet", "README.md", "report.html"):
        files = {name: entry for name, entry in whole.files.items() if name != path}
        assert manifest_problems(manifest_of(files=files)) == [
            f"manifest.json: expected {path} among its files, got none"
        ]
    assert not {"takedowns.parquet", "tombstones.parquet"} & whole.files.keys()


@pytest.mark.parametrize(("version", "is_needed"), [("2.1.0", False), ("2.2.0", True), ("2.10", True)])
def test_the_contract_of_a_table_is_needed_since_there_is_such_a_table(version: str, is_needed: bool):
    assert ("contract/unread.odcs.yaml" in verify.needed_files(version)) is is_needed


@pytest.mark.parametrize("field", sorted(ReleaseManifest.model_fields.keys() - {"manifest_sha256"}))
def test_no_field_of_a_sealed_manifest_can_be_changed(field: str):
    other: dict[str, Any] = {
        "lineage": 2,
        "counts": {"kept": 1},
        "content": {},
        "files": {},
        "environment": {"python": "4"},
        "amended": {"date": "2026-01-01", "tombstones": 0, "content": {}},
    }
    assert any(
        problem.startswith("manifest.json: expected fields of SHA-256")
        for problem in manifest_problems(AFTER, None, BEFORE, **{field: other.get(field, "0" * 12)})
    )


def test_a_seal_that_is_taken_off_is_missed():
    problems = manifest_problems(AFTER, None, BEFORE, manifest_sha256=None)
    assert problems == ["manifest.json: expected manifest_sha256, got none"]


@pytest.mark.parametrize(
    ("split_sha256", "lineage", "expected"),
    [
        pytest.param("e" * 64, 1, [], id="the same settings, the same lineage"),
        pytest.param("e" * 64, 2, ["expected lineage 1, as its predecessor"], id="the same settings, another lineage"),
        pytest.param("0" * 64, 2, [], id="other settings, the next lineage"),
        pytest.param("0" * 64, 5, [], id="other settings, a later one: others were between"),
        pytest.param("0" * 64, 1, ["expected a lineage above 1"], id="other settings, the same lineage"),
    ],
)
def test_the_lineage_follows_from_the_predecessor(split_sha256: str, lineage: int, expected: list[str]):
    manifest = manifest_of(previous=BEFORE.version, split_sha256=split_sha256, lineage=lineage)
    assert manifest_problems(manifest) == []  # alone, nothing can be said
    problems = manifest_problems(manifest, None, BEFORE)
    assert len(problems) == len(expected)
    assert all(text in problem for text, problem in zip(expected, problems, strict=True))


# --- its spelling

SPELLED = manifest_of(environment={"phash": "phash64/look-v3", "place": 'Zürich "x"'})
TEXT = SPELLED.model_dump_json(indent=1).encode()


def text_problems(text: bytes) -> list[str]:
    """What verify says of a manifest of this text; none that can be read is a problem, too."""
    try:
        manifest = ReleaseManifest.model_validate_json(text)
        fields = json.loads(text)
    except ValueError as problem:
        return [f"manifest.json: {problem}"]
    found = verify.manifest_text_problems(text, manifest)
    return [*found, *verify.manifest_problems(fields, manifest, SPELLED.version, {})]


def test_a_manifest_as_it_is_written_has_no_problem():
    assert text_problems(TEXT) == []


@pytest.mark.slow
@pytest.mark.parametrize("mask", [1, 2, 4, 32, 255])
def test_each_flipped_byte_of_a_manifest_is_told(mask: int):
    for place, byte in enumerate(TEXT):
        text = TEXT[:place] + bytes([byte ^ mask]) + TEXT[place + 1 :]
        assert text_problems(text), text[max(0, place - 20) : place + 20]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param(TEXT + b"\n", len(TEXT), id="a line feed behind it"),
        pytest.param(b" " + TEXT, 0, id="a space before it"),
        pytest.param(json.dumps(json.loads(TEXT)).encode(), 1, id="on one line"),
        pytest.param(TEXT.replace("ü".encode(), b"\\u00fc"), TEXT.index("ü".encode()), id="a letter as an escape"),
        pytest.param(TEXT.replace(b'"lineage"', b'"lineage": 1,\n "lineage"'), None, id="a key twice"),
        pytest.param(TEXT.replace(b'"lineage": 1', b'"lineage": 1.0'), None, id="a whole number with a fraction"),
    ],
)
def test_a_manifest_in_another_spelling_is_told_from_where_on(text: bytes, place: int | None):
    (problem,) = text_problems(text)
    expected = "manifest.json: expected its fields as releases write them, got another spelling from byte "
    assert problem.startswith(expected)
    assert place is None or problem == f"{expected}{place} on"


def test_a_field_of_a_later_program_is_not_missed():
    fields = SPELLED.model_dump(mode="json")
    del fields["amended"]  # as if the program of that time had not known it
    fields["manifest_sha256"] = digest.manifest_digest(fields)
    assert text_problems(json.dumps(fields, indent=1, ensure_ascii=False).encode()) == []


@pytest.mark.parametrize(
    "text", [b"0123456789ab", b"0123456789ab\n\n", b"0123456789ab \n", b"0123456789AB\n", b"", b"\xff"]
)
def test_latest_is_one_version_and_a_line_feed(text: bytes):
    assert list(verify.latest_problems(b"0123456789ab\n")) == []
    (problem,) = verify.latest_problems(text)
    assert problem.startswith("latest: expected 12 hex digits and a line feed, got ")


# --- the contract


def schema_problems(table: str, schema: pa.Schema) -> list[str]:
    return list(verify.schema_problems(table, schema, columns(table)))


@pytest.mark.parametrize("table", sorted(SCHEMAS))
def test_tables_as_they_are_written_keep_the_contract(table: str):
    assert schema_problems(table, SCHEMAS[table]) == []


@pytest.mark.parametrize(
    ("table", "name", "field", "said"),
    [
        pytest.param(
            "images", "title", None, "images.title: expected the column, got none", id="a column that is missing"
        ),
        pytest.param(
            "images",
            "phash",
            pa.field("phash", pa.int64()),
            "images.phash: expected uint64, got int64",
            id="a column of another type",
        ),
        pytest.param(
            "images",
            "retrieved_at",
            pa.field("retrieved_at", pa.timestamp("us")),
            "images.retrieved_at: expected timestamp[us, tz=UTC], got timestamp[us]",
            id="a time without a zone",
        ),
        pytest.param(
            "images",
            "styles",
            pa.field("styles", pa.list_(pa.int8())),
            "images.styles: expected list<string>, got list<int8>",
            id="a list of something else",
        ),
        pytest.param(
            "images",
            "image",
            pa.field("image", pa.struct([("bytes", pa.binary())])),
            "images.image: expected struct<bytes: binary, path: string>, got struct<bytes: binary>",
            id="a part of a column",
        ),
        pytest.param(
            "annotations",
            "xywh_px",
            pa.field("xywh_px", pa.list_(pa.float64(), 3)),
            "annotations.xywh_px: expected fixed_size_list<double>[4], got fixed_size_list<double>[3]",
            id="a list of another length",
        ),
        pytest.param(
            "ledger",
            "kept",
            pa.field("kept", pa.string()),
            "ledger.kept: expected bool, got string",
            id="text for a truth value",
        ),
    ],
)
def test_a_schema_that_breaks_the_contract(table: str, name: str, field: pa.Field | None, said: str):
    schema = SCHEMAS[table]
    place = schema.get_field_index(name)
    assert schema_problems(table, schema.set(place, field) if field else schema.remove(place)) == [said]


def test_more_columns_and_another_order_keep_the_contract():
    wider = pa.schema([pa.field("more", pa.int8()), *reversed(list(tables.LEDGER))])
    assert schema_problems("ledger", wider) == []


def test_no_column_at_all_is_as_many_problems_as_columns():
    assert len(schema_problems("ledger", pa.schema([]))) == len(tables.LEDGER)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        pytest.param(
            pa.list_(pa.field("element", pa.string())), "list<string>", id="what Parquet calls a list's element"
        ),
        pytest.param(
            pa.list_(pa.field("child", pa.float64()), 4), "fixed_size_list<double>[4]", id="what others call it"
        ),
        pytest.param(pa.dictionary(pa.int32(), pa.string()), "string", id="a dictionary is its values"),
        pytest.param(
            pa.struct([("bytes", pa.binary()), ("path", pa.string())]),
            "struct<bytes: binary, path: string>",
            id="fields keep their names",
        ),
    ],
)
def test_types_by_the_names_that_contracts_use(kind: pa.DataType, name: str):
    assert verify.type_name(kind) == name


def null_problems(table: str, **values: list[Any]) -> list[str]:
    schema = pa.schema([SCHEMAS[table].field(name) for name in values])
    return list(verify.null_problems(table, pa.RecordBatch.from_pydict(values, schema=schema), columns(table)))


@pytest.mark.parametrize(
    ("table", "values", "said"),
    [
        pytest.param("images", {"record_id": ["a"], "title": [None]}, [], id="a title may be null"),
        pytest.param(
            "images",
            {"record_id": ["a", None], "phash": [None, None]},
            ["images.record_id: expected no nulls, got 1", "images.phash: expected no nulls, got 2"],
            id="an id may not, nor a hash",
        ),
        pytest.param(
            "images",
            {"rights_uri": [None]},
            ["images.rights_uri: expected no nulls, got 1"],
            id="rights are never null",
        ),
        pytest.param("annotations", {"keypoints_xyv": [None]}, [], id="boxes without keypoints"),
        pytest.param("ledger", {"record_id": []}, [], id="no rows"),
    ],
)
def test_nulls_where_none_may_be(table: str, values: dict[str, list[Any]], said: list[str]):
    assert null_problems(table, **values) == said


# --- a small release: three images in two splits; two records dropped


class Small:
    """What verify looks at, to be tampered with."""

    def __init__(self) -> None:
        self.images = [
            {"image_id": 1, "split": "train"},
            {"image_id": 2, "split": "train"},
            {"image_id": 3, "split": "val"},
        ]
        self.is_kept = [True, True, True, False, False]
        self.counts: dict[str, Any] = {"records": 5, "kept": 3, "dropped": 2, "by_split": {"val": 1, "train": 2}}

    def problems(self) -> list[str]:
        images = pa.Table.from_pylist(self.images, schema=pa.schema([("image_id", pa.int64()), ("split", pa.string())]))
        is_kept = pa.chunked_array([pa.array(self.is_kept, pa.bool_())])
        return list(verify.count_problems(self.counts, is_kept, images["split"]))


def test_a_release_that_is_right_has_no_problem():
    assert Small().problems() == []


def test_a_release_of_nothing_has_no_problem():
    small = Small()
    small.images, small.is_kept = [], []
    small.counts = {"records": 0, "kept": 0, "dropped": 0, "by_split": {}}
    assert small.problems() == []


Tamper = Callable[[Small], Any]


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        pytest.param(
            lambda s: s.counts.update(records=6),
            ["counts.records: expected 5 as in the tables, got 6"],
            id="a record too many in the counts",
        ),
        pytest.param(
            lambda s: s.counts.update(kept=2),
            ["counts.kept: expected 3 as in the tables, got 2"],
            id="a kept one too few",
        ),
        pytest.param(
            lambda s: s.counts.update(dropped=3),
            ["counts.dropped: expected 2 as in the tables, got 3"],
            id="a dropped one too many",
        ),
        pytest.param(
            lambda s: s.counts["by_split"].update(val=2),
            ["counts.by_split: expected {'train': 2, 'val': 1} as in the tables, got {'train': 2, 'val': 2}"],
            id="a split too large",
        ),
        pytest.param(
            lambda s: s.counts["by_split"].update(test=0),
            [
                "counts.by_split: expected {'train': 2, 'val': 1} as in the tables, got {'test': 0, 'train': "
                "2, 'val': 1}"
            ],
            id="a split of nothing",
        ),
        pytest.param(
            lambda s: s.is_kept.pop(4),
            [
                "counts.records: expected 4 as in the tables, got 5",
                "counts.dropped: expected 1 as in the tables, got 2",
            ],
            id="a row of the ledger is gone",
        ),
    ],
)
def test_each_thing_that_is_tampered_with_is_named(tamper: Tamper, said: list[str]):
    small = Small()
    tamper(small)
    assert small.problems() == said


# --- what the manifest, the recipe and the files say of each other


def recipe_with(**settings: Any) -> dict[str, Any]:
    return {
        "name": "art",
        "manners": {"tries": 1},
        "by_hand": None,
        "stages": [{"dedup": {"label": "dedup", **settings}}],
    }


@pytest.mark.parametrize(
    ("recipe", "is_told"),
    [
        pytest.param(recipe_with(verdicts=None), True, id="by the recipe alone"),
        pytest.param(recipe_with(), True, id="of a stage without verdicts"),
        pytest.param(recipe_with(verdicts="said"), False, id="by a file of verdicts, too"),
        pytest.param({**recipe_with(), "by_hand": "list"}, False, id="by a list by hand, too"),
        pytest.param({"stages": "none"}, True, id="no recipe"),
        pytest.param({"stages": ["hash", {"dedup": None}]}, True, id="stages without settings"),
    ],
)
def test_a_recipe_of_another_digest(recipe: dict[str, Any], is_told: bool):
    told = [problem.partition(", got")[0] for problem in verify.recipe_problems(recipe, "0" * 64)]
    assert told == [f"recipe.yaml: expected settings of digest {'0' * 64}"] * is_told


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("art", [], id="its own"),
        pytest.param("kitsch", ["manifest.json: expected name 'kitsch', as in recipe.yaml, got 'art'"], id="another"),
        pytest.param(None, ["manifest.json: expected name None, as in recipe.yaml, got 'art'"], id="none"),
    ],
)
def test_a_manifest_is_called_as_its_recipe(name: str | None, said: list[str]):
    assert list(verify.name_problems(name, "art")) == said


@pytest.mark.parametrize(
    ("listed", "rows", "said"),
    [
        pytest.param(5, 5, [], id="as many"),
        pytest.param(None, None, [], id="no table"),
        pytest.param(5, 6, ["x: expected 6 rows in manifest.json, got 5"], id="one too few"),
        pytest.param(None, 0, ["x: expected 0 rows in manifest.json, got None"], id="not said"),
        pytest.param(0, None, ["x: expected no rows in manifest.json, got 0"], id="of no table"),
    ],
)
def test_rows_that_the_manifest_lists(listed: int | None, rows: int | None, said: list[str]):
    assert list(verify.row_count_problems("x", listed, rows)) == said


def test_each_split_has_a_file_of_each_table():
    tables_of = {version: verify.split_tables(version) for version in ("2.1.0", "3.0.0")}
    assert tables_of == {"2.1.0": ["images", "annotations"], "3.0.0": ["images", "annotations", "detections"]}
    for names in tables_of.values():
        files = [f"{table}/train-00000-of-00001.parquet" for table in names]
        assert list(verify.part_problems(files, ["train"], names)) == []
        assert list(verify.part_problems(files[:-1], ["train"], names)) == [
            f"manifest.json: expected a file of {names[-1]} for split train, got none"
        ]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        pytest.param(["a-00000-of-00002", "a-00001-of-00002"], [], id="all"),
        pytest.param(["a-00000-of-00002"], ["expected files 0 to 1 of images for split a, got 1 files"], id="one lost"),
        pytest.param(["a-00001-of-00001"], ["expected files 0 to 0 of images for split a, got 1 files"], id="another"),
        pytest.param(
            ["a-00000-of-00001", "a-00000-of-00002"],
            ["expected files 0 to 1 of images for split a, got 2 files"],
            id="of two releases",
        ),
        pytest.param(
            ["a-00000-of-99999"], ["expected files 0 to 99998 of images for split a, got 1 files"], id="many lost"
        ),
        pytest.param(["a-00000-of-00000"], ["expected files 0 to -1 of images for split a, got 1 files"], id="of none"),
    ],
)
def test_the_files_of_a_split_are_as_many_as_their_names_say(names: list[str], said: list[str]):
    whole = ["annotations/a-00000-of-00001.parquet"]
    files = [*whole, *(f"images/{name}.parquet" for name in names)]
    found = list(verify.part_problems(files, ["a"], ("images", "annotations")))
    assert found == [f"manifest.json: {text}" for text in said]


def test_a_file_among_the_parts_that_is_called_otherwise_is_told():
    (problem,) = verify.part_problems(["images/a.parquet"], [], ("images",))
    assert problem == "images/a.parquet: expected a name such as images/train-00000-of-00001.parquet, got this one"


@pytest.mark.parametrize(
    ("settings", "has_bytes", "has_path", "said"),
    [
        pytest.param({"parquet": {"images": "embedded"}, "media": True}, True, True, [], id="both"),
        pytest.param({"parquet": {"images": "none"}, "media": False}, False, False, [], id="neither"),
        pytest.param({}, True, False, [], id="the recipe doesn't say"),
        pytest.param(
            {"parquet": {"images": "embedded"}}, False, True, ["the image's bytes in the table"], id="no bytes"
        ),
        pytest.param({"parquet": {"images": "none"}}, True, True, ["no bytes in the table"], id="bytes"),
        pytest.param({"media": True}, True, False, ["the image's file"], id="no file"),
        pytest.param({"media": False}, False, True, ["no file of it"], id="a file"),
    ],
)
def test_where_the_recipe_puts_images(settings: dict[str, Any], has_bytes: bool, has_path: bool, said: list[str]):
    export = RecipeStage.model_validate({"label": "export", **settings})
    found = list(verify.place_problems("m:1", has_bytes=has_bytes, has_path=has_path, export=export))
    assert [problem.partition(", as the recipe")[0] for problem in found] == [f"m:1: expected {text}" for text in said]


# --- tombstones


def test_a_picture_of_what_has_a_tombstone_is_found_unless_another_image_uses_it():
    stones = pa.Table.from_pylist(
        [{"record_id": "s:1", "sha256": "aa"}, {"record_id": "s:2", "sha256": "bb"}, {"record_id": "s:3"}],
        schema=tables.TOMBSTONES,
    )
    images = pa.table({"record_id": ["s:1", "s:9"], "sha256": ["aa", "bb"]})
    paths = ["media/aa/aa.jpg", "media/bb/bb.jpg", "media/cc/cc.jpg", "README.md", "images/aa.parquet"]
    assert list(verify.leftover_files(paths, stones, images)) == [
        "media/aa/aa.jpg: expected no image of a record with a tombstone, got one"
    ]
    assert list(verify.leftover_files([], stones, images.slice(0, 0))) == []


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        pytest.param(
            {}, ["leak: expected a and b, which relations.parquet joins as one work, in one split"], id="kept"
        ),
        pytest.param({"is_joined": False}, [], id="not joined"),
        pytest.param({"is_joined": None}, [], id="nobody says"),
        pytest.param({"b": "c"}, [], id="in one split"),
        pytest.param({"b": "dropped"}, [], id="one is dropped"),
        pytest.param({"b": "strange"}, [], id="one is not there"),
    ],
)
def test_joined_pairs_lie_in_one_split(pair: dict[str, Any], said: list[str]):
    rows = [("a", True, "train"), ("b", True, "test"), ("c", True, "train"), ("dropped", False, "test")]
    known = [{"record_id": name, "kept": kept, "last_split": split} for name, kept, split in rows]
    edge = {"a": "a", "b": "b", "relation": "resized", "is_joined": True, **pair}
    found = verify.joined_problems(
        pa.Table.from_pylist([edge], schema=EDGES), pa.Table.from_pylist(known, schema=LEDGER)
    )
    assert [problem.partition(", got")[0] for problem in found] == said
