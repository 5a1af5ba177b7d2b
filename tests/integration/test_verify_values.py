"""verify and the contract: a release in which one rule is broken, and all digests are right, has that one problem."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from schemas.contract import CROISSANT, SUMS
from tasks.core.export import digest
from tasks.core.export.attribution import attribution_page, attributions
from tasks.core.export.hub import FileSize, head_after_purge, head_and_text, with_head
from tasks.io.store.releases import Release
from tasks.subjects.promises import table_digest
from tasks.verify import verify
from tests.support.broken_rules import CASES, Case
from tests.support.desk import Desk
from tests.support.manifests import rewrite_manifest

Change = Callable[[list[dict[str, Any]]], Any]


@pytest.fixture
def release(built: Desk, tmp_path: Path) -> Path:
    """A release that a test may break."""
    return Path(shutil.copytree(built.latest.url, tmp_path / "broken"))


def largest_part(folder: Path, table: str) -> Path:
    paths = [folder / path for path in Release(str(folder)).parts(table)]
    return max(paths, key=lambda path: int(pq.read_metadata(path).num_rows))


def rewrite(folder: Path, table: str, change: Change) -> None:
    """Change the rows of a table's largest file, and write all digests anew."""
    path = largest_part(folder, table)
    whole = pq.ParquetFile(path).read()
    rows = whole.to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=whole.schema), path)
    seal(folder)


def rewrite_json(folder: Path, path: str, change: Callable[[Any], Any]) -> None:
    value = json.loads((folder / path).read_text())
    change(value)
    (folder / path).write_text(json.dumps(value))
    seal(folder)


def seal(folder: Path, *, but: str = "") -> None:
    """The digests of files, content and version, SHA256SUMS and croissant.json, as they are now; counts stay.
    but: one of the two that stays as it is.
    """
    derived = {"with_sums": but != SUMS, "with_croissant": but != CROISSANT}

    def change_files(fields: dict[str, Any]) -> None:
        for path, entry in fields["files"].items():
            data = (folder / path).read_bytes()
            entry.update(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))

    rewrite_manifest(folder, change_files, **derived)
    now = Release(str(folder))
    try:
        content = {table: table_digest(now, table) for table in digest.content_tables(now.manifest.files)}
    except ValueError:  # a number that has no digest
        return
    whole = digest.content_digest(content)
    version = digest.version(whole, now.manifest.recipe_sha256, now.manifest.contract_version)
    now_said = {"content": content, "content_sha256": whole, "version": version}
    rewrite_manifest(folder, lambda fields: fields.update(now_said), **derived)


def put(column: str, value: Any, where: Callable[[dict[str, Any]], Any] = lambda _: True) -> Change:
    """Set a column of the first row that fits."""

    def change(rows: list[dict[str, Any]]) -> None:
        row = next(row for row in rows if where(row))
        row[column] = value(row) if callable(value) else value

    return change


MOST_ROWS = 20
"""Of a round: the first file of the images has a few more."""


def rounds(cases: list[Case]) -> list[list[Case]]:
    """Cases that can be broken together, each in a row of its own: of one rule, a problem shows the first row only."""
    found: list[list[Case]] = []
    for case in cases:
        rule = case[3].partition(", got")[0]
        free = (
            one
            for one in found
            if len(one) < MOST_ROWS and rule not in {other[3].partition(", got")[0] for other in one}
        )
        place = next(free, None)
        if place is None:
            found.append(place := [])
        place.append(case)
    return found


def break_rows(cases: list[Case]) -> Change:
    def change(rows: list[dict[str, Any]]) -> None:
        used: set[int] = set()
        for column, value, where, _ in cases:
            place, row = next(
                (place, row) for place, row in enumerate(rows) if place not in used and (where is None or where(row))
            )
            used.add(place)
            row[column] = value(row) if callable(value) else value

    return change


@pytest.mark.parametrize(("table", "cases"), [pytest.param(*item, id=item[0]) for item in CASES.items()])
def test_every_rule_about_values_is_checked(release: Path, table: str, cases: list[Case]):
    assert verify(str(release)).is_good
    original = {path: path.read_bytes() for path in release.rglob("*") if path.is_file()}
    for several in rounds(cases):
        rewrite(release, table, break_rows(several))
        problems = verify(str(release)).problems
        rules = [said.partition(", got")[0] for *_, said in several]
        assert [rule for rule in rules if not any(problem.startswith(rule) for problem in problems)] == []
        for path, data in original.items():
            path.write_bytes(data)


def test_annotations_lie_in_images_that_people_have_annotated(release: Path):
    rewrite(release, "images", put("is_annotated", False, lambda row: row["is_annotated"]))
    rewrite(release, "images", lambda rows: [row.update(is_annotated=False) for row in rows])
    assert any(
        problem.startswith("annotations: expected annotated images alone, got ") and "(image_id " in problem
        for problem in verify(str(release)).problems
    )


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("annotations", "area_px2", float("nan")),
        ("annotations", "area_px2", float("inf")),
    ],
)
def test_a_number_that_has_no_digest_is_told_and_no_traceback(release: Path, table: str, column: str, value: Any):
    rewrite(release, table, put(column, value))
    problems = verify(str(release)).problems
    assert any(
        problem.startswith(f"{table}: expected numbers that a digest can be computed of") for problem in problems
    )


@pytest.mark.parametrize(("table", "column"), [("images", "record_id"), ("ledger", "kept"), ("annotations", "xywh_px")])
def test_a_null_where_none_may_be_is_told_and_no_traceback(release: Path, table: str, column: str):
    path = largest_part(release, table)
    whole = pq.ParquetFile(path).read()
    rows = whole.to_pylist()
    rows[0][column] = None
    pq.write_table(pa.Table.from_pylist(rows, schema=whole.schema), path)
    entry = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "bytes": path.stat().st_size}
    rewrite_manifest(release, lambda fields: fields["files"][str(path.relative_to(release))].update(entry))
    found = verify(str(release))
    assert found.problems == (f"{table}.{column}: expected no nulls, got 1",)
    assert found.text.endswith("the other checks need tables that keep the contract and were skipped")


def test_a_release_in_the_place_of_another_is_told_by_the_digest_that_was_noted(release: Path):
    noted = verify(str(release))
    assert noted.sha256 == hashlib.sha256((release / "manifest.json").read_bytes()).hexdigest()
    assert f"manifest sha256:{noted.sha256}" in noted.text
    assert verify(str(release), expected_sha256=noted.sha256).is_good
    (release / "report.html").write_text("<p>Forged</p>")
    seal(release)
    now = verify(str(release))
    assert now.is_good
    (problem,) = verify(str(release), expected_sha256=f"sha256:{noted.sha256}").problems
    expected = f"manifest.json: expected SHA-256 {noted.sha256}, got {now.sha256}: this is another release"
    assert problem == expected


def with_text(path: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        text = (folder / path).read_text(encoding="utf-8")
        assert old in text
        (folder / path).write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def with_rows(table: str, change: Change) -> Callable[[Path], None]:
    return lambda folder: rewrite(folder, table, change)


def with_columns(path: str, change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], None]:
    return lambda folder: pq.write_table(change(pq.read_table(folder / path)), folder / path)


def with_scores(folder: Path) -> None:
    said = json.loads((folder / "evaluation.json").read_text())
    (folder / "evaluation.json").write_text(json.dumps({**said, "AP": 0.999}))


def with_other_titles(folder: Path) -> None:
    """Wherever a title or the version stands that follows from the titles."""
    before = Release(str(folder)).manifest
    for path in [*(folder / "images").glob("*.parquet"), folder / "records.parquet"]:
        table = pq.ParquetFile(path).read()
        place, nothing = table.schema.get_field_index("title"), pa.nulls(table.num_rows, pa.string())
        table = table.set_column(place, table.schema.field(place), nothing)
        if "attribution" in table.column_names:
            place = table.schema.get_field_index("attribution")
            table = table.set_column(place, table.schema.field(place), attributions(table))
        pq.write_table(table, path)
    images = pa.concat_tables([pq.ParquetFile(path).read() for path in sorted((folder / "images").glob("*.parquet"))])
    (folder / "ATTRIBUTION.md").write_bytes(b"".join(attribution_page(images)))
    seal(folder)
    after = Release(str(folder)).manifest
    for path in [folder / "README.md", folder / "DATASHEET.md", *(folder / "coco").glob("*.json")]:
        text = path.read_text(encoding="utf-8")
        for name in ("version", "content_sha256"):
            text = text.replace(getattr(before, name), getattr(after, name))
        if path.suffix == ".json" and isinstance(document := json.loads(text), dict):
            for image in document["images"]:
                image["metadata"]["title"] = None
            text = json.dumps(document)
        if path.suffix == ".md":
            text = text.replace("0 have no title", f"{images.num_rows} have no title")
        path.write_text(text, encoding="utf-8")
    head, text = head_and_text((folder / "README.md").read_text(encoding="utf-8"))
    sizes = {path: FileSize(entry.rows or 0, entry.bytes) for path, entry in after.files.items()}
    (folder / "README.md").write_text(with_head(head_after_purge(head or {}, sizes), text), encoding="utf-8")


FORGERIES: list[Any] = [
    pytest.param(
        with_rows("images", put("title", "The Forger at Work")),
        "images.title: expected what records.parquet",
        id="a title",
    ),
    pytest.param(
        with_rows("images", put("rights_uri", "https://creativecommons.org/licenses/by/4.0/")),
        "images.rights_uri: expected",
        id="rights",
    ),
    pytest.param(
        with_text("README.md", "# The", "# Not the"),
        "README.md: expected the part that begins with",
        id="a card's title",
    ),
    pytest.param(
        with_text("README.md", "NOASSERTION |", "CC0 |"),
        "README.md: expected the part that begins with '## R",
        id="a card's rights",
    ),
    pytest.param(
        with_text("README.md", "No record was left out", "One record was left out"),
        "README.md: expected the part that begins with '## O",
        id="a card's opt-outs",
    ),
    pytest.param(
        with_text("README.md", "license:", "licence:"), "README.md: expected the head that follows", id="a card's head"
    ),
    pytest.param(
        with_text("DATASHEET.md", "*Open* (`funding`).", "A fund."), "DATASHEET.md: expected what", id="the datasheet"
    ),
    pytest.param(with_scores, "evaluation.json: expected the scores of detections against", id="an evaluation"),
    pytest.param(
        with_columns(
            "statistics/shares.parquet",
            lambda table: pa.Table.from_pylist([{**row, "figures": 7} for row in table.to_pylist()], table.schema),
        ),
        None,
        id="how many figures, which the release does not know any more",
    ),
    pytest.param(
        with_columns(
            "statistics/shares.parquet",
            lambda table: pa.Table.from_pylist([{**row, "images": 7} for row in table.to_pylist()], table.schema),
        ),
        "shares: expected as many images in each split",
        id="statistics",
    ),
    pytest.param(
        with_rows("fingerprints", put("phash", 7)),
        "fingerprints: expected the image_id, record_id, split, sha256 and hash of an image",
        id="a fingerprint",
    ),
    pytest.param(
        with_columns(
            "labels.parquet",
            lambda table: pa.Table.from_pylist(
                [{**row, "name": f"{row['name']}!"} for row in table.to_pylist()], table.schema
            ),
        ),
        "images: expected the number of the style in labels.parquet",
        id="a label",
    ),
    pytest.param(
        with_text(CROISSANT, '"The pretend museum"', '"Another museum"'),
        f"{CROISSANT}: expected 'name' as it follows from the release",
        id="a name for programs",
    ),
    pytest.param(
        with_text(CROISSANT, '"keywords"', '"url":null,"keywords"'),
        f"{CROISSANT}: expected 'url' as it follows from the release",
        id="an address for programs",
    ),
    pytest.param(
        with_text(CROISSANT, "@context", "context"),
        f"{CROISSANT}: expected '@context' as it follows from the release",
        id="no Croissant any more",
    ),
    pytest.param(
        lambda folder: (folder / CROISSANT).write_text("[]"),
        f"{CROISSANT}: expected '@context' as it follows from the release",
        id="a list in place of Croissant",
    ),
    pytest.param(
        lambda folder: (folder / CROISSANT).write_text("{"),
        f"expected {CROISSANT} in release",
        id="no JSON in place of Croissant",
    ),
    pytest.param(
        lambda folder: (folder / CROISSANT).write_text(json.dumps(json.loads((folder / CROISSANT).read_text()))),
        f"{CROISSANT}: expected its values as releases write them",
        id="Croissant in another spelling",
    ),
    pytest.param(
        with_text(SUMS, "README.md", "README.txt"),
        f"{SUMS}: expected the digests of manifest.json",
        id="sums",
    ),
    pytest.param(
        lambda folder: (folder / "contract/images.arrow").write_bytes(pa.schema([("a", pa.int8())]).serialize()),
        "contract/images.arrow: expected the schema of contract 3.2.1, got another",
        id="a schema",
    ),
    pytest.param(
        with_rows("annotations", put("xywh_px", lambda row: [0.0, *row["xywh_px"][1:]])),
        "coco/",
        id="a box",
    ),
    pytest.param(with_text("report.html", "<h2>", "<h2>Forged: "), None, id="the report"),
    pytest.param(with_other_titles, None, id="all that says a title"),
    pytest.param(with_text("README.md", "## Files", "Forged.\n\n## Files"), None, id="a line more in the card"),
]
"""Each with what is said of it; None: nobody can tell it without the digest that was noted."""


@pytest.mark.parametrize(("forge", "said"), FORGERIES)
def test_what_somebody_has_altered_with_all_digests(release: Path, forge: Callable[[Path], Any], said: str | None):
    noted = verify(str(release)).sha256
    forge(release)
    seal(release, but=next((path for path in (SUMS, CROISSANT) if said is not None and path in said), ""))
    problems = verify(str(release)).problems
    assert problems == () if said is None else any(problem.startswith(said) for problem in problems), problems
    assert not verify(str(release), expected_sha256=noted).is_good


def test_rows_out_of_order_are_told(release: Path):
    rewrite(release, "images", lambda rows: rows.reverse())
    (problem,) = verify(str(release)).problems
    assert problem.startswith("images: expected rows sorted by image_id, got 'museum:")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(lambda d: d["images"][0].update(width=7), "images: expected what the table says", id="a width"),
        pytest.param(
            lambda d: d["licenses"][0].update(name="x"),
            "licence 1: name: expected 'NOASSERTION'",
            id="a licence's name",
        ),
        pytest.param(lambda d: d["info"].update(version="0" * 12), "expected info.version ", id="another version"),
        pytest.param(lambda d: d["info"].pop("description"), "expected info.description ", id="no title"),
        pytest.param(
            lambda d: d["annotations"][0].update(segmentation=[[1, 2, 3, 4, 5, 6]]),
            "annotations: expected what",
            id="an outline",
        ),
        pytest.param(lambda d: d["annotations"][0].update(bbox=[1, 2, 3, 4]), "annotations: expected what", id="a box"),
        pytest.param(lambda d: d["annotations"][0].update(iscrowd=2), "annotations: expected what the", id="a crowd"),
        pytest.param(
            lambda d: d["annotations"][0].update(category_id=2), "annotations: expected what", id="a category"
        ),
        pytest.param(
            lambda d: next(b for b in d["annotations"] if "keypoints" in b)["keypoints"].__setitem__(2, 1),
            "annotations: expected what the table says",
            id="a visibility",
        ),
        pytest.param(
            lambda d: next(b for b in d["annotations"] if "keypoints" in b).update(num_keypoints=99),
            "annotations: expected what the table says",
            id="a number of keypoints",
        ),
    ],
)
def test_coco_says_what_the_tables_say(release: Path, change: Callable[[Any], Any], said: str):
    rewrite_json(release, "coco/train.json", change)
    (problem,) = verify(str(release)).problems
    assert problem.startswith("coco/train.json: ")
    assert said in problem


def test_a_licence_in_coco_is_the_images(release: Path):
    rewrite_json(release, "coco/train.json", lambda document: document["licenses"][0].update(url="x"))
    problems = verify(str(release)).problems
    assert "coco/train.json: licence 1: url: expected 'NOASSERTION', got 'x'" in problems
    assert problems[-1].startswith("coco/train.json: images: expected what the table says")


@pytest.mark.parametrize("path", ["coco/val.json", "coco/test.detections.json"])
def test_a_split_without_its_coco_files_is_told(release: Path, path: str):
    (release / path).unlink()
    rewrite_manifest(release, lambda fields: fields["files"].pop(path))
    assert verify(str(release)).problems == (f"manifest.json: expected {path} among its files, got none",)


@pytest.mark.parametrize("table", ["images", "annotations", "detections"])
def test_a_split_without_its_tables_is_told(release: Path, table: str):
    for path in Release(str(release)).parts(table):
        if "/val-" in path:
            (release / path).unlink()
            rewrite_manifest(release, lambda fields, path=path: fields["files"].pop(path))
    seal(release)
    assert f"manifest.json: expected a file of {table} for split val, got none" in verify(str(release)).problems


@pytest.mark.parametrize(
    ("path", "rows", "said"),
    [
        pytest.param("ledger.parquet", 7, "expected 160 rows in manifest.json, got 7", id="too few"),
        pytest.param("records.parquet", None, "expected 160 rows in manifest.json, got None", id="none"),
        pytest.param("README.md", 7, "expected no rows in manifest.json, got 7", id="of what has no rows"),
    ],
)
def test_rows_of_the_manifest_are_those_of_the_files(release: Path, path: str, rows: int | None, said: str):
    rewrite_manifest(release, lambda fields: fields["files"][path].update(rows=rows))
    assert verify(str(release)).problems == (f"{path}: {said}",)


def test_the_manifest_is_called_as_the_recipe(release: Path):
    rewrite_manifest(release, lambda fields: fields.update(name="louvre"))
    problems = verify(str(release)).problems
    assert problems[0] == "manifest.json: expected name 'museum', as in recipe.yaml, got 'louvre'"
    assert [problem.split(":")[0] for problem in problems[1:]] == ["README.md"], "which cites it by its name"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(
            None, "expected the image's bytes in the table, as the recipe asks for, got no bytes", id="no bytes"
        ),
        pytest.param(b"another", "expected bytes of SHA-256 ", id="other bytes"),
    ],
)
def test_an_image_has_the_bytes_that_its_sha256_stands_for(release: Path, data: bytes | None, said: str):
    """The content digest goes by `sha256` alone."""
    rewrite(release, "images", put("image", lambda row: {**row["image"], "bytes": data}))
    (problem,) = verify(str(release), is_deep=True).problems
    assert problem.startswith("museum:")
    assert said in problem


def test_what_only_a_deep_look_tells(release: Path):
    said = "expected a hash by phash64/look-v3, as this version measures, got one by 'phash64/look-v1'"
    rewrite(release, "images", put("phash_recipe", "phash64/look-v1"))
    found = [problem for problem in verify(str(release), is_deep=True).problems if problem.startswith("museum:")]
    assert len(found) == 1
    assert found[0].endswith(said)


def test_detections_in_coco_are_those_of_the_table(release: Path):
    rewrite_json(release, "coco/train.detections.json", lambda rows: rows[0].update(score=0.999))
    other, missing = verify(str(release)).problems
    assert other == "coco/train.detections.json: expected boxes of the table, got 1 others"
    assert missing.startswith("coco/train.detections.json: expected ")
    assert missing.endswith(" boxes, as in the table, got none for 1")


def test_recipe_sha256_can_be_computed_by_a_reader_of_the_contract(built: Desk):
    """By the contract's words alone: json, hashlib and a reader of YAML."""
    recipe = yaml.safe_load(built.latest.read("recipe.yaml"))
    del recipe["manners"]
    text = json.dumps({"recipe": recipe}, sort_keys=True)
    assert hashlib.sha256(text.encode("ascii")).hexdigest() == built.latest.manifest.recipe_sha256


def test_another_recipe_than_the_manifests_is_told(release: Path):
    recipe = yaml.safe_load((release / "recipe.yaml").read_text())
    (release / "recipe.yaml").write_text(yaml.safe_dump({**recipe, "seed": recipe["seed"] + 1}))
    seal(release)
    (problem,) = verify(str(release)).problems
    assert problem.startswith("recipe.yaml: expected settings of digest ")
    (release / "recipe.yaml").write_text(yaml.safe_dump({**recipe, "by_hand": "said"}))
    seal(release)
    assert verify(str(release)).is_good  # such a digest can't be computed from the release


_BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "\n".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)
)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        pytest.param(
            "contract/images.odcs.yaml", _BOMB, "expected at most 500,000 values", id="a contract of 10^11 values"
        ),
        pytest.param("recipe.yaml", _BOMB, "expected at most 500,000 values", id="a recipe that means 10^11 values"),
        pytest.param("contract/ledger.odcs.yaml", "[1]", "expected a mapping, got [1]", id="a contract of a list"),
        pytest.param(
            "contract/images.odcs.yaml",
            "version: 2.0.0",
            "expected 'apiVersion' as releases",
            id="a bare contract",
        ),
        pytest.param("recipe.yaml", "categories: 3", "expected 'categories' as releases have it, got 3", id="a number"),
        pytest.param(
            "recipe.yaml",
            "{categories: [person], stages: [], a: 2026-01-31}",
            "expected values that JSON has, got others",
            id="a date",
        ),
        pytest.param("recipe.yaml", "\0", "expected YAML, got", id="no YAML"),
    ],
)
def test_a_release_of_anybody_is_read_with_limits(release: Path, file: str, text: str, said: str):
    (release / file).write_text(text)
    seal(release)
    problems = [problem for problem in verify(str(release)).problems if problem.startswith(file)]
    assert any(said in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(lambda fields: fields.update(counts={}), "got others (KeyError: 'records')", id="no counts"),
        pytest.param(
            lambda fields: fields["files"].update({"coco/x.json": {"sha256": "0", "bytes": 2**60}}),
            "manifest.json: expected values that have a digest, got others",
            id="a number that no digest holds",
        ),
    ],
)
def test_a_manifest_of_anybody_is_checked(release: Path, change: Change, said: str):
    path = release / "manifest.json"
    fields = json.loads(path.read_text())
    change(fields)
    if fields["counts"] == {}:
        fields["manifest_sha256"] = digest.manifest_digest(fields)
    path.write_text(json.dumps(fields))
    assert any(said in problem for problem in verify(str(release)).problems)


@pytest.mark.parametrize(
    ("file", "data", "said"),
    [
        pytest.param("coco/train.json", b"[]", "expected values that can be checked, got others (", id="a list"),
        pytest.param("coco/train.json", b"{", "to be JSON, got ", id="no JSON"),
        pytest.param("coco/train.json", b"[" * 200_000, "to be JSON, got ", id="JSON without end"),
        pytest.param("ledger.parquet", b"PAR1", "expected ledger.parquet in release", id="no ledger"),
        pytest.param("records.parquet", b"PAR1", "expected records.parquet in release", id="no records"),
        pytest.param("report.html", b"", None, id="what verify does not read"),
    ],
)
def test_a_file_of_anybody_is_checked(release: Path, file: str, data: bytes, said: str | None):
    (release / file).write_bytes(data)
    entry = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    rewrite_manifest(release, lambda fields: fields["files"][file].update(entry))
    problems = verify(str(release)).problems
    assert any(said in problem for problem in problems) if said else problems == ()


def test_a_pipe_in_a_release_is_told_and_not_waited_for(release: Path):
    (release / "ledger.parquet").unlink()
    os.mkfifo(release / "ledger.parquet")
    assert verify(str(release)).problems == ("ledger.parquet: expected the file, got none",)


@pytest.mark.parametrize(
    ("path", "change", "said"),
    [
        ("records.parquet", lambda table: table.drop_columns("title"), "records.title: expected the column, got none"),
        ("records.parquet", lambda table: table.select([]), "records.record_id: expected the column, got none"),
        (
            "statistics/shares.parquet",
            lambda table: table.set_column(0, table.column_names[0], pa.array([1] * table.num_rows)),
            "expected string, got int64",
        ),
    ],
)
def test_verify_looks_at_the_columns_of_every_table(
    release: Path, path: str, change: Callable[[pa.Table], pa.Table], said: str
):
    pq.write_table(change(pq.read_table(release / path)), release / path)
    seal(release)
    assert any(said in problem for problem in verify(str(release)).problems)


def test_one_of_several_files_may_hold_dictionaries(release: Path):
    """As a program writes it that rewrites some files; the content is the same."""
    path = largest_part(release, "images")
    whole = pq.ParquetFile(path).read()
    for place, field in enumerate(whole.schema):
        if pa.types.is_string(field.type):
            whole = whole.set_column(place, field.name, whole[field.name].dictionary_encode())
    pq.write_table(whole, path)
    seal(release)
    assert verify(str(release)).problems == ()


def test_a_file_whose_name_a_terminal_would_obey_is_one_line(release: Path):
    (release / "images/\x1b[2J\nok.parquet").write_bytes(b"")
    assert verify(str(release)).problems == (
        "images/?[2J?ok.parquet: expected only files that the manifest lists, got this one",
    )
