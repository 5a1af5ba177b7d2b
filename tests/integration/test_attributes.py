"""A recipe's attributes on their whole way: table, records, images, COCO, contract, and what changes between builds."""

import copy
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from PIL import Image

from flows.build_dataset import plan, run_stages
from flows.cli import main
from flows.recipes import recipe_from_file
from schemas.contract import DataContract
from schemas.errors import BadInput
from schemas.manifests import Context
from tasks.contract import compare
from tasks.diff import diff
from tasks.io.files import contracts
from tasks.io.store.releases import Release
from tasks.purge import purge
from tasks.verify import verify
from tasks.why import why
from tests.support.manifests import rewrite_manifest

ROOT = Path(__file__).resolve().parents[2]
TYPES = {
    "room": pa.string(),
    "shelf": pa.int64(),
    "height_cm": pa.float64(),
    "on_display": pa.bool_(),
    "methods": pa.list_(pa.string()),
}
RECIPE: dict[str, Any] = {
    "name": "cabinet",
    "bindings": {"images": "a folder"},
    "attributes": {
        "room": {"type": "string", "description": "The room's name: \"A|1\" or 'B'"},
        "shelf": {"type": "integer", "from": {"works": "place.shelf", "walls": "shelf"}},
        "height_cm": {"type": "number", "from": {"works": "size"}},
        "on_display": {"type": "boolean", "from": {"works": "shown"}},
        "methods": {"type": "strings", "from": {"works": "methods[].name"}, "description": "By which it was made"},
    },
    "sources": [
        {"table": {"name": "works", "table": "works.jsonl", "columns": {"key": "id", "image": "file"}}},
        {"folder": {"name": "walls", "pattern": "walls/{room}-{shelf}.png"}},
    ],
    "stages": ["fetch", "hash", {"split": {"by": None}}, "export"],
}
WORKS = [
    {"room": " N\u006f\u0308rd ", "place": {"shelf": 7}, "size": 30.5, "shown": True, "methods": [{"name": "oil"}]},
    {"room": 'say "hi"\n', "place": {"shelf": "8"}, "size": "12", "shown": "no", "methods": [{"name": "a"}, {}]},
    {"room": None, "place": None, "size": 3},
    {"room": "N\u00f6rd", "place": {"shelf": "top"}},
    {"room": "", "place": {"shelf": 2**63 - 1}, "size": float("nan"), "shown": 1, "methods": []},
]


def painting(seed: int) -> Image.Image:
    small = np.random.default_rng(seed).integers(0, 255, (6, 6, 3), np.uint8)
    return Image.fromarray(small).resize((80, 60), Image.Resampling.BICUBIC)


class Cabinet:
    """A folder with five works of a table and two of a pattern, and a store to build in."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.images = folder, folder / "images"
        (self.images / "walls").mkdir(parents=True)
        for number in range(5):
            painting(number).save(self.images / f"{number}.png")
        for number, name in enumerate(("east-1", "west-x"), 5):
            painting(number).save(self.images / f"walls/{name}.png")
        self.say(WORKS)

    def say(self, works: list[dict[str, Any]]) -> None:
        """Write the table."""
        rows = [{"id": number, "file": f"{number}.png", **work} for number, work in enumerate(works)]
        (self.images / "works.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")

    def recipe(self, recipe: dict[str, Any]) -> str:
        """Its path."""
        path = self.folder / "recipe.yaml"
        path.write_text(yaml.safe_dump(recipe, allow_unicode=True, sort_keys=False), encoding="utf-8")
        return str(path)

    @property
    def context(self) -> Context:
        return Context(store=str(self.folder / "store"), bindings={"images": str(self.images)})

    def build(self, recipe: dict[str, Any] = RECIPE, **means: Any) -> Release:
        """Of the recipe, with means (fields of the context) of its own."""
        context = self.context.model_copy(update=means)
        return Release(run_stages(recipe_from_file(self.recipe(recipe)), context)[-1].release)


def rows_of(release: Release, table: str) -> dict[str, dict[str, Any]]:
    return {row["record_id"]: row for batch in release.batches(table) for row in batch.to_pylist()}


def values(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in TYPES)


EXPECTED = {
    "walls:walls/east-1.png": ("east", 1, None, None, None),
    "works:0": ("N\u00f6rd", 7, 30.5, True, ["oil"]),
    "works:1": ('say "hi"', 8, 12.0, False, ["a"]),
    "works:2": (None, None, 3.0, None, None),
    "works:4": (None, 2**63 - 1, None, True, None),
}


def changed(**attributes: dict[str, Any] | None) -> dict[str, Any]:
    """The recipe with other attributes; None: without it."""
    recipe = copy.deepcopy(RECIPE)
    for name, settings in attributes.items():
        recipe["attributes"].pop(name, None)
        if settings is not None:
            recipe["attributes"][name] = settings
    return recipe


def test_attributes_of_all_types_through_a_whole_build(tmp_path, capsys):
    release = Cabinet(tmp_path).build()
    assert not verify(release.url, is_deep=True).problems
    book = rows_of(release, "ledger")
    assert {name: row["reason"] for name, row in book.items() if not row["kept"]} == {
        "walls:walls/west-x.png": "bad_attribute",
        "works:3": "bad_attribute",
    }
    assert book["works:3"]["detail"] == "attribute 'shelf': expected a whole number of at most 63 bits, got 'top'"
    assert {name: values(row) for name, row in rows_of(release, "images").items()} == EXPECTED
    known = rows_of(release, "records")
    assert {name: values(known[name]) for name in EXPECTED} == EXPECTED
    assert values(known["works:3"]) == ("N\u00f6rd", None, None, None, None)
    for table in ("images", "records"):
        for path in release.parts(table):
            schema = release.schema(path)
            assert schema.names[-5:] == list(TYPES), table
            assert schema.types[-5:] == [*TYPES.values()] or str(schema.types[-1]) == "list<element: string>"
            assert schema.field("methods").metadata == {b"description": b"By which it was made"}
    assert main(["diff", release.url, release.url]) == 0
    capsys.readouterr()


def test_parts_workers_and_the_order_of_rows_change_nothing(tmp_path):
    cabinet = Cabinet(tmp_path)
    wanted = cabinet.build()
    (cabinet.images / "works.jsonl").write_text(
        "".join(sorted((cabinet.images / "works.jsonl").read_text().splitlines(keepends=True), reverse=True))
    )
    for part_rows, workers in ((1, 4), (3, 1)):
        store = str(tmp_path / f"store of {part_rows}")
        other = cabinet.build(part_rows=part_rows, workers=workers, store=store)
        assert other.manifest.content == wanted.manifest.content
        assert rows_of(other, "records") == rows_of(wanted, "records")


def test_cocos_metadata_and_the_contract_have_them(tmp_path):
    release = Cabinet(tmp_path).build()
    images = [
        image
        for path in release.manifest.files
        if path.endswith(".unannotated.json")
        for image in release.read_json(path)["images"]
    ]
    said = {image["metadata"]["record_id"]: values(image["metadata"]) for image in images}
    assert said == EXPECTED
    assert {name: list(map(type, row)) for name, row in said.items()} == {
        name: list(map(type, row)) for name, row in EXPECTED.items()
    }
    for table, is_content in (("images", True), ("records", False)):
        text = release.read(f"contract/{table}.odcs.yaml").decode()
        columns = DataContract.model_validate(yaml.safe_load(text)).table.properties[-5:]
        assert [(column.name, column.arrow_type) for column in columns] == [
            ("room", "string"),
            ("shelf", "int64"),
            ("height_cm", "double"),
            ("on_display", "bool"),
            ("methods", "list<string>"),
        ]
        assert {(column.is_content, column.custom_value("attribute")) for column in columns} == {(is_content, True)}
        assert columns[0].description == "The room's name: \"A|1\" or 'B'"


def test_verify_finds_what_says_something_else_of_an_attribute(tmp_path):
    release = Cabinet(tmp_path).build()
    (path,) = [
        path for path in release.parts("images") if "works:0" in str(release.table(path, but="image").to_pydict())
    ]
    file = Path(release.root) / path
    table = pq.read_table(file)
    place = table.schema.get_field_index("shelf")
    other = pa.array([9] * table.num_rows, pa.int64())
    pq.write_table(table.set_column(place, table.schema.field(place), other), file)
    assert any("content" in problem or path in problem for problem in verify(release.url).problems)


def test_a_changed_value_is_told_with_its_reason(tmp_path):
    cabinet = Cabinet(tmp_path)
    first = cabinet.build()
    cabinet.say([{**WORKS[0], "size": 31}, *WORKS[1:]])
    second = cabinet.build()
    found = [
        (row["record_id"], row["kind"], row["field"], row["before"], row["after"], row["reason"])
        for row in diff(first.url, second.url).changes.to_pylist()
    ]
    assert found == [("works:0", "attribute", "height_cm", "30.5", "31", "source_metadata")]


def test_a_changed_declaration_is_told_as_settings(tmp_path):
    cabinet = Cabinet(tmp_path)
    first = cabinet.build(changed(height_cm={"type": "string", "from": {"works": "size"}}))
    second = cabinet.build(changed(height_cm={"type": "number", "from": {"works": "place.shelf"}}, shelf=None))
    comparison = diff(first.url, second.url)
    by_field = {(row["record_id"], row["field"]): row for row in comparison.changes.to_pylist() if row["field"]}
    assert by_field["works:0", "height_cm"]["reason"] == "settings"
    assert "attributes.height_cm.type: 'string' -> 'number'" in by_field["works:0", "height_cm"]["detail"]
    assert {row["reason"] for row in by_field.values()} == {"settings"}
    assert "columns of images that only the older release has: shelf" in comparison.text


def test_another_attribute_parses_again_and_changes_nothing_else(tmp_path):
    cabinet = Cabinet(tmp_path)
    first = cabinet.build(changed(methods=None))
    second = cabinet.build()
    comparison = diff(first.url, second.url)
    assert comparison.changes.num_rows == 0
    assert "columns of images that only the newer release has: methods" in comparison.text
    assert [second.table(path, but="image")["split"].to_pylist() for path in second.parts("images")] == [
        first.table(path, but="image")["split"].to_pylist() for path in first.parts("images")
    ]


def test_why_shows_what_a_record_says(tmp_path):
    release = Cabinet(tmp_path).build()
    assert '  attribute        room: say "hi"' in why(release.url, "works:1").splitlines()
    assert not [line for line in why(release.url, "works:2").splitlines() if "room" in line]


def test_taken_down_records_say_nothing(tmp_path):
    cabinet = Cabinet(tmp_path)
    (tmp_path / "hand.csv").write_text(
        "action,scope,name,reason,date\ntakedown,record,works:0,asked,2024-12-31\n", encoding="utf-8"
    )
    recipe = {**RECIPE, "by_hand": "hand", "bindings": {**RECIPE["bindings"], "hand": "a list"}}
    context = cabinet.context.model_copy(
        update={"bindings": {**cabinet.context.bindings, "hand": str(tmp_path / "hand.csv")}}
    )
    release = Release(run_stages(recipe_from_file(cabinet.recipe(recipe)), context)[-1].release)
    assert values(rows_of(release, "records")["works:0"]) == (None,) * 5
    assert "works:0" not in rows_of(release, "images")
    assert not verify(release.url).problems


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        pytest.param(
            {"type": "integer", "from": {"works": "room"}},
            "source 'works': attribute 'room': expected a whole number of at most 63 bits, got ' Nörd ' in 'works:0', "
            "and the like in 2 records",
            id="a type that no value has",
        ),
        pytest.param(
            {"type": "string", "from": {"works": "chamber"}},
            "source 'works': expected a column 'chamber' (for the attribute room) in works.jsonl, got ['file', 'id', ",
            id="a column that there is not",
        ),
    ],
)
def test_a_wrong_declaration_is_one_sentence(tmp_path, attribute: dict[str, Any], message: str):
    cabinet = Cabinet(tmp_path)
    cabinet.say([{**work, "room": (work.get("room") or "").replace("\u006f\u0308", "\u00f6")} for work in WORKS])
    recipe = recipe_from_file(cabinet.recipe(changed(room=attribute)))
    with pytest.raises(BadInput) as problem:
        plan(recipe, cabinet.context)
    assert str(problem.value).startswith(message)


def test_statistics_count_values_and_the_card_lists_them(tmp_path):
    cabinet = Cabinet(tmp_path)
    release = cabinet.build()
    found = release.table("statistics/attributes.parquet").to_pylist()
    shelves = [(row["kind"], row["least"], row["images"]) for row in found if row["attribute"] == "shelf"]
    assert ("bin", 7.0, 1) in shelves
    assert [
        (row["value"], row["images"]) for row in found if row["attribute"] == "on_display" and not row["split"]
    ] == [
        ("true", 2),
        ("false", 1),
        (None, 2),
    ]
    card = release.read("README.md").decode()
    assert "| `shelf` | integer | 4 | 1 to 9.22337e+18 |  |" in card
    assert "| `room` | string | 3 | 3 different values | The room's name: \"A\\|1\" or 'B' |" in card
    assert "<h2>Attributes</h2>" in release.read("report.html").decode()
    plain = cabinet.build({name: value for name, value in RECIPE.items() if name != "attributes"})
    assert "statistics/attributes.parquet" not in plain.manifest.files
    assert "## Attributes" not in plain.read("README.md").decode()
    assert "<h2>Attributes</h2>" not in plain.read("report.html").decode()


def test_a_purge_takes_what_only_the_purged_records_say(tmp_path):
    cabinet = Cabinet(tmp_path)
    cabinet.say([{**work, "room": "Anna's" if number < 2 else "hall"} for number, work in enumerate(WORKS)])
    release = cabinet.build()
    assert "Anna's" in release.read("README.md").decode()
    purge("cabinet", str(tmp_path / "store"), ["works:0", "works:1"], "asked", "2024-12-31", is_alone=True)
    after = Release(release.url)
    assert not verify(after.url).problems
    assert after.manifest.amended is not None
    for path in after.paths():
        data = after.read(path)
        text = (
            str(after.table(path, but="image").to_pydict())
            if path.endswith(".parquet")
            else data.decode(errors="replace")
        )
        assert "Anna" not in text, path
    values_left = {row["value"] for row in after.table("statistics/attributes.parquet").to_pylist()}
    assert "hall" in values_left


def test_the_page_on_attributes_shows_what_happens(tmp_path):
    page = (ROOT / "docs/attributes.md").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (table,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    (drop,) = re.findall(r"```text\n(.*?)\n```", page, re.DOTALL)
    cabinet = Cabinet(tmp_path)
    (cabinet.images / "works.jsonl").write_text(table, encoding="utf-8")
    for number, name in enumerate("abc"):
        painting(number).save(cabinet.images / f"{name}.png")
    release = cabinet.build(yaml.safe_load(recipe))
    names = ["record_id", *yaml.safe_load(recipe)["attributes"]]
    shown = [f"| {' | '.join(cell(row[name]) for name in names)} |" for row in rows_of(release, "images").values()]
    assert f"| {' | '.join(names)} |" in page
    assert len(shown) == 2
    assert all(line in page.splitlines() for line in shown)
    (dropped,) = [row for row in rows_of(release, "ledger").values() if not row["kept"]]
    assert drop == f"{dropped['record_id']}  {dropped['reason']}  {dropped['detail']}"


def cell(value: Any) -> str:
    """A value as a page shows it."""
    return ", ".join(value) if isinstance(value, list) else value if isinstance(value, str) else json.dumps(value)


def resealed(release: Release, path: str, data: bytes) -> list[str]:
    """What verify says of the release with another file, whose digest the manifest knows."""
    (Path(release.root) / path).write_bytes(data)

    def change(fields: dict[str, Any]) -> None:
        fields["files"][path].update(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))

    rewrite_manifest(Path(release.root), change)
    return list(verify(release.url).problems)


def test_a_contract_that_differs_in_anything_but_the_declared_attributes_is_refused(tmp_path):
    release = Cabinet(tmp_path).build()
    path = "contract/images.odcs.yaml"
    text = release.read(path).decode()
    assert resealed(release, path, text.encode()) == []
    told = [f"{path}: expected the text of contract {release.manifest.contract_version}, got another"]
    extra = text[text.index("  - name: methods\n") :].replace("methods", "methods_two")
    for other in (
        text.replace("By which it was made", "By which it is made"),
        text.replace("{property: attribute, value: true}", "{property: attribute, value: false}"),
        text[: text.index("  - name: methods\n")],
        text + extra,
        text.replace("Title as the source gives it", "Title"),
    ):
        assert other != text
        assert set(told) <= set(resealed(release, path, other.encode()))


def test_metadata_that_lacks_an_attribute_or_has_it_in_another_type_is_a_problem(tmp_path):
    release = Cabinet(tmp_path).build()
    path = next(path for path in release.manifest.files if path.endswith(".unannotated.json"))
    document = release.read_json(path)
    kept = dict(document["images"][0]["metadata"])
    for change in ({"shelf": 99}, {"methods": ["x"]}, {"shelf": None} if kept["shelf"] else {"room": "x"}):
        document["images"][0]["metadata"] = {**kept, **change}
        assert any(
            "expected what the table says" in said for said in resealed(release, path, json.dumps(document).encode())
        )
    document["images"][0]["metadata"] = {name: value for name, value in kept.items() if name != "on_display"}
    assert any(
        "expected what the table says" in said for said in resealed(release, path, json.dumps(document).encode())
    )


def test_contract_diff_tells_attributes_as_columns(tmp_path):
    cabinet = Cabinet(tmp_path)
    first, second = cabinet.build(changed(room=None)), cabinet.build(changed(methods=None))
    found = compare(first.url, second.url)
    assert "images.room: a new column" in found.text
    assert "images.methods: the column is gone" in found.text
    assert not found.is_allowed


def test_an_outsider_computes_the_digest_with_attributes(tmp_path):
    release = Cabinet(tmp_path).build()
    script = [sys.executable, "-I", str(ROOT / "tests/support/outsiders_digest.py"), release.root]
    got = subprocess.run(script, capture_output=True, text=True, check=True).stdout.split()
    assert got == [release.manifest.content_sha256, release.manifest.version]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param({"sha256": {"type": "integer"}}, id="a name of a column"),
        pytest.param({"room": {"type": "colour"}}, id="a type that there is not"),
        pytest.param([], id="no mapping"),
        pytest.param({f"a{number}": {"type": "string"} for number in range(200)}, id="200 of them"),
        pytest.param({"nowhere": {"type": "string"}}, id="a column that no file has"),
        pytest.param({"room": {"type": "integer"}}, id="another type than the column's"),
    ],
)
def test_a_strangers_release_with_odd_attributes_is_told_in_sentences(tmp_path, said: Any):
    release = Cabinet(tmp_path).build()
    recipe = yaml.safe_load(release.read("recipe.yaml"))
    problems = resealed(release, "recipe.yaml", yaml.safe_dump({**recipe, "attributes": said}).encode())
    assert problems
    assert all("\n" not in problem and "Traceback" not in problem for problem in problems)


def test_hugging_face_would_read_the_schema_as_it_is(tmp_path):
    release = Cabinet(tmp_path).build()
    schema = release.schema(release.parts("images")[0])
    features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    assert features == {"image": {"_type": "Image"}}


def test_a_recipe_without_attributes_is_as_it_was_before_there_were_any(tmp_path):
    plain = {name: value for name, value in RECIPE.items() if name != "attributes"}
    cabinet = Cabinet(tmp_path)
    release = cabinet.build(plain)
    assert "attributes" not in yaml.safe_load(release.read("recipe.yaml"))
    with_none = cabinet.build({**plain, "attributes": {}})
    assert with_none.manifest.version == release.manifest.version
    for path, text in contracts.texts().items():
        assert release.read(path).decode() == text
