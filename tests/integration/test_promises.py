"""The rules of the contracts, each broken once in the tables of a built release; and a build that breaks one."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import Refusal
from schemas.tables import BY_CONTRACT
from tasks.core.contract import rules
from tasks.core.export import images
from tasks.io.files import contracts
from tasks.io.store import releases
from tasks.subjects.promises import broken_promises
from tasks.verify import verify
from tests.support.desk import Desk

Row = dict[str, Any]
Tables = dict[str, pa.Table]
ELSE = "elsewhere:1"
KEPT = "(a record that is kept)"
VALUE = {"attribute": "room", "kind": "value", "value": "hall", "images": 2}
COCO_FILE = {"source": "museum", "path": "boxes.json", "images": 2, "annotations": 3}
WORDS = {"field": "date", "source": "museum", "words": "AH", "text": "1024 AH", "records": 2, "record_id": KEPT}
OF_IMAGES = "annotated images alone"
NOBODY = {"record_id": ELSE, "source": "elsewhere"}

CASES: list[tuple[str, str, Callable[[list[Row]], Any]]] = [
    ("images", "split of train, val, test, ood", lambda rows: rows[0].update(split="extra")),
    ("images", "each record_id once", lambda rows: rows.append(rows[0])),
    ("images", "each image_id once", lambda rows: rows[0].update(image_id=rows[1]["image_id"])),
    ("images", "each group in one split", lambda rows: other_split(rows, "group_id")),
    ("images", "the same bytes in one split", lambda rows: other_split(rows, "sha256")),
    ("images", "rights of every image", lambda rows: rows[0].update(rights_uri="mine")),
    ("images", "somebody who asserts the rights", lambda rows: rows[0].update(rights_basis="none")),
    ("images", "an SPDX identifier only for", lambda rows: rows[0].update(rights_uri="NOASSERTION", rights_spdx="MIT")),
    ("images", "image_id of 53 bits", lambda rows: rows[0].update(image_id=2**53)),
    ("images", "the number of the style", lambda rows: rows[0].update(style_label=99)),
    ("images", "the number of the style", lambda rows: rows[0].update(style_label=None)),
    ("images", "sides of at least 1 px", lambda rows: rows[0].update(width_px=0)),
    ("images", "years that are not 0, in order", lambda rows: years(rows[0], 999, 1000, 1010)),
    ("images", "years that are not 0, in order", lambda rows: years(rows[0], 1479, -1479, -1458)),
    ("images", "years that are not 0, in order", lambda rows: years(rows[0], 1900, None, 1890)),
    ("images", "years that are not 0, in order", lambda rows: years(rows[0], None, 1890, 1890)),
    ("images", "years that are not 0, in order", lambda rows: years(rows[0], 1890, None, None)),
    ("images", "years that are not 0, in order", lambda rows: years(rows[0], None, 1900, 1890)),
    ("images", "years that are not 0, in order", lambda rows: years(rows[0], 0, -1, 1)),
    ("images", "sha256 of 64 hex digits", lambda rows: rows[0].update(sha256="A" * 64)),
    ("images", "a row of the ledger that keeps", lambda rows: rows[0].update(image_id=1)),
    ("images", "a group_id that the ledger has", lambda rows: rows[0].update(group_id=ELSE)),
    ("images", "a record_id of `<source>", lambda rows: rows[0].update(source="met")),
    (
        "images",
        "a rights_uri without blanks",
        lambda rows: rows[0].update(rights_uri="https://creativecommons.org/a\t"),
    ),
    ("images", "a rights_basis of source", lambda rows: rows[0].update(rights_basis="recipe: me")),
    ("images", "source or none as rights_basis", lambda rows: nobodys(rows[0], "recipe: me: old")),
    ("images", "the words of a source that has", lambda rows: nobodys(rows[0], "source")),
    ("images", "each page once in source_urls", lambda rows: rows[0].update(source_urls=["a", "a"])),
    ("images", "a text without NUL, or null, in title", lambda rows: rows[0].update(title="")),
    ("images", "a line that is no blank in attribution", lambda rows: rows[0].update(attribution=" ")),
    ("images", "a text without NUL, or null, in artist_text", lambda rows: rows[0].update(artist_text="\0")),
    ("images", "a text, or null, in source_url", lambda rows: rows[0].update(style="")),
    ("images", "no artist_qualifier where", lambda rows: rows[0].update(artist=None, artist_qualifier="after")),
    ("images", "artists that have a name", lambda rows: rows[0].update(artists=[None])),
    ("images", "a role for each of the artists", lambda rows: rows[0].update(artist_roles=["artist"] * 9)),
    ("images", "styles that have a name", lambda rows: rows[0].update(styles=["a", ""])),
    ("images", "the source's words for an image's", lambda rows: rows[0].update(style="a", styles=[])),
    ("images", "a phash_recipe and a format", lambda rows: rows[0].update(format="")),
    ("images", "the ledger's retrieved_at", lambda rows: rows[0].update(retrieved_at=datetime(2001, 1, 1, tzinfo=UTC))),
    *(
        case
        for table, key in (("annotations", "annotation_id"), ("detections", "detection_id"))
        for case in (
            (table, "no null in area_px2", lambda rows: rows[0].update(area_px2=None)),
            (table, "split of train, val, test, ood", lambda rows: rows[0].update(split="x")),
            (table, f"each {key} once", lambda rows: rows.append(rows[0])),
            (table, "an image of the release", lambda rows: rows[0].update(image_id=1)),
            (table, f"{key} of 53 bits", lambda rows, key=key: rows[0].update({key: 0})),
            (table, "category_label of category_id - 1", lambda rows: rows[0].update(category_label=1)),
            (table, "categories from 1 on", lambda rows: rows[0].update(category_id=0)),
            (table, "boxes of four finite numbers", lambda rows: rows[0].update(xywh_px=[1.0, 2.0, 0.0, 4.0])),
            (table, "area_px2 of width x height", lambda rows: rows[0].update(area_px2=rows[0]["area_px2"] + 0.011)),
            (table, "area_px2 of width x height", lambda rows: rows[0].update(area_px2=float("nan"))),
            (table, "keypoints of finite numbers", lambda rows: rows[0].update(keypoints_xyv=[1.0, 1.0, 3.0] * 17)),
            (table, "keypoints of finite numbers", lambda rows: rows[0].update(keypoints_xyv=[None, 1.0, 1.0] * 17)),
            (table, "three numbers for each joint", lambda rows: rows[0].update(keypoints_xyv=[1.0])),
            (table, "three numbers for each joint", lambda rows: rows[0].update(keypoint_scheme="animal-20")),
            (
                table,
                "three numbers for each joint",
                lambda rows: rows[0].update(keypoints_xyv=None, keypoint_scheme="x"),
            ),
            (table, "a category of the release", lambda rows: rows[0].update(category_id=2)),
        )
    ),
    ("annotations", "origin of person, source, consensus", lambda rows: rows[0].update(origin="detector")),
    ("annotations", "an origin_name that is not empty", lambda rows: rows[0].update(origin_name="")),
    ("annotations", "a source's own area above 0", lambda rows: rows[0].update(source_area_px2=0.0)),
    ("detections", "a box inside the image", lambda rows: rows[0].update(xywh_px=[1.0, 2.0, 1e4, 1.0])),
    ("detections", "a model as name@12 hex digits", lambda rows: rows[0].update(model="a@0@012345")),
    ("detections", "a score from 0 to 1", lambda rows: rows[0].update(score=1.5)),
    ("coco_files", "each source once", lambda rows: rows.extend([COCO_FILE, COCO_FILE])),
    ("coco_files", "as many entries as there can be", lambda rows: rows.append({**COCO_FILE, "images": -1})),
    ("coco_files", "as many entries as there can be", lambda rows: rows.append({**COCO_FILE, "annotations": -1})),
    ("categories", "each category_id once", lambda rows: rows.append(rows[0])),
    ("categories", "ids from 1 on, without a gap", lambda rows: rows[0].update(category_id=2)),
    ("categories", "joints, a skeleton and pairs", lambda rows: rows[0].update(skeleton=None)),
    ("categories", "a sigma for each joint", lambda rows: rows[0].update(sigmas=[0.1])),
    ("categories", "a skeleton and pairs of two places", lambda rows: rows[0].update(skeleton=[1, 18])),
    ("categories", "a skeleton and pairs of two places", lambda rows: rows[0].update(flip_pairs=[1, 2, 3])),
    ("labels", "column of style", lambda rows: rows.append({**rows[0], "column": "title"})),
    ("labels", "each column and label once", lambda rows: rows.append({**rows[0], "name": "another"})),
    ("labels", "numbers from 0 on, without a gap", lambda rows: rows.pop(0)),
    ("labels", "each word of a column once", lambda rows: rows[0].update(name=rows[1]["name"])),
    ("fingerprints", "split of train, val, test, ood", lambda rows: rows[0].update(split="x")),
    ("fingerprints", "each image_id once", lambda rows: rows.append(rows[0])),
    ("fingerprints", "a row for each image", lambda rows: rows.pop()),
    ("fingerprints", "the image_id, record_id, split", lambda rows: rows[0].update(phash=7)),
    ("fingerprints", "the image_id, record_id, split", lambda rows: rows[0].update(record_id=ELSE)),
    ("fingerprints", "hashes of views only where", lambda rows: rows[0].update(views_recipe=None)),
    ("ledger", "no null in kept", lambda rows: rows[0].update(kept=None)),
    ("ledger", "reason of the contract's", lambda rows: dropped(rows).update(reason="dull")),
    ("ledger", "last_split of train, val, test, ood", lambda rows: rows[0].update(last_split="x")),
    ("ledger", "each record_id once", lambda rows: rows.append(rows[0])),
    ("ledger", "each image_id once", lambda rows: rows[0].update(image_id=rows[1]["image_id"])),
    ("ledger", "at least one record", lambda rows: rows.clear()),
    ("ledger", "a row of images for each kept", lambda rows: rows.append({**kept(rows), **NOBODY, "image_id": 3})),
    ("ledger", "stage and reason of each dropped", lambda rows: dropped(rows).update(reason=None)),
    ("ledger", "last_split and sha256 of each kept", lambda rows: kept(rows).update(sha256=None)),
    ("ledger", "sha256 of 64 hex digits", lambda rows: kept(rows).update(sha256="abc")),
    ("ledger", "a record_id of `<source>", lambda rows: rows[0].update(source="met")),
    ("ledger", "image_id of 53 bits", lambda rows: rows[0].update(image_id=-1)),
    ("ledger", "kept_record_id of another", lambda rows: dropped(rows).update(kept_record_id=ELSE)),
    ("records", "a row of the ledger for each", lambda rows: rows[0].update(record_id=ELSE)),
    ("records", "each record_id once", lambda rows: rows.append(rows[0])),
    ("relations", "relation of the contract's", lambda rows: rows[0].update(relation="cousin")),
    ("relations", "verdict of copy, related, different", lambda rows: rows[0].update(verdict="?")),
    ("relations", "each a and b once", lambda rows: rows.append(rows[0])),
    ("relations", "pairs of two records", lambda rows: rows[0].update(a="z", b="a")),
    ("relations", "scores from 0 to 1", lambda rows: rows[0].update(score=1.5)),
    ("relations", "distances of 0 to 64 bits", lambda rows: rows[0].update(distance_bits=65)),
    ("takedowns", "scope of work, copy, record", lambda rows: rows.append({"record_id": ELSE, "scope": "all"})),
    ("takedowns", "a record that the ledger has", lambda rows: rows.append({"record_id": ELSE, "scope": "work"})),
    ("takedowns", "each record_id once", lambda rows: rows.extend([{"record_id": ELSE, "scope": "work"}] * 2)),
    ("tombstones", "scope of work, copy, record", lambda rows: rows.append({"record_id": ELSE, "scope": "all"})),
    ("tombstones", "each record_id once", lambda rows: rows.extend([{"record_id": ELSE}] * 2)),
    ("tombstones", "a record that the ledger has", lambda rows: rows.append({"record_id": KEPT})),
    ("diversity", "moment of measured, before, after", lambda rows: rows[0].update(moment="now")),
    ("diversity", "no more artists than images", lambda rows: rows[0].update(artists=10**6)),
    ("diversity", "after the choice as many images", lambda rows: [row.update(images=10**6) for row in rows]),
    ("histograms", "moment of measured, before, after", lambda rows: rows[0].update(moment="now")),
    ("histograms", "statistic of works_per_artist", lambda rows: rows[0].update(statistic="size")),
    ("histograms", "bins that hold something", lambda rows: rows[0].update(count=0)),
    ("shares", "split of train, val, test, ood", lambda rows: rows[0].update(split="x")),
    ("shares", "at least one image", lambda rows: rows.clear()),
    ("shares", "as many images in each split", lambda rows: rows[0].update(images=10**6)),
    ("shares", "shares of images that add up", lambda rows: rows[0].update(images_share=0.9)),
    ("attributes", "split of train, val, test, ood", lambda rows: rows.append(VALUE | {"split": "x"})),
    ("attributes", "kind of value, others, bin, none", lambda rows: rows.append(VALUE | {"kind": "word"})),
    ("attributes", "no more images than the release has", lambda rows: rows.append(VALUE | {"images": 10**6})),
    ("unread", "field of artist, date, rights, style", lambda rows: rows.append(WORDS | {"field": "title"})),
    ("unread", "each words of a source once", lambda rows: rows.extend([WORDS] * 2)),
    ("unread", "at least one record", lambda rows: rows.append(WORDS | {"records": 0})),
]


def years(row: Row, year: int | None, first: int | None, last: int | None) -> None:
    row.update(year=year, year_first=first, year_last=last)


def other_split(rows: list[Row], column: str) -> None:
    """Two rows of one value in two splits."""
    a, b = rows[0], next(row for row in rows if row["split"] != rows[0]["split"])
    b[column] = a[column]


def nobodys(row: Row, basis: str) -> None:
    row.update(rights_uri="NOASSERTION", rights_spdx=None, rights_text=None, rights_basis=basis)


def kept(rows: list[Row]) -> Row:
    return next(row for row in rows if row["kept"])


def dropped(rows: list[Row]) -> Row:
    return next(row for row in rows if not row["kept"])


@pytest.fixture(scope="module")
def whole(_built: Path) -> Tables:
    """The tables of a release that keeps all rules; those of which it has no file are empty."""
    release = releases.Release(f"{_built}/releases/museum/latest")
    found = {}
    for name, contract in contracts.contracts().items():
        schema = pa.schema([field for field in BY_CONTRACT[name] if field.name != "image"])
        parts = release.parts(contract.path.removesuffix("/*.parquet").removesuffix(".parquet"))
        rows = [row for path in parts for row in release.table(path, but="image").to_pylist()]
        found[name] = pa.Table.from_pylist(rows, schema=schema)
    return found


def broken(tables: Tables) -> list[str]:
    return list(broken_promises(tables, contracts.contracts()))


def test_a_release_keeps_all_rules(whole: Tables):
    assert broken(whole) == []


@pytest.mark.parametrize(("table", "expected", "change"), CASES)
def test_each_rule_is_told_where_it_is_broken(
    whole: Tables, table: str, expected: str, change: Callable[[list[Row]], Any]
):
    rows = whole[table].to_pylist()
    change(rows)
    for row in rows:
        if row["record_id" if "record_id" in row else next(iter(row))] == KEPT:
            row["record_id"] = whole["images"]["record_id"][0].as_py()
    problems = broken({**whole, table: pa.Table.from_pylist(rows, schema=whole[table].schema)})
    assert any(problem.startswith(f"{table}: expected {expected}") for problem in problems), problems


def test_annotations_lie_in_images_that_people_have_annotated(whole: Tables):
    place = whole["images"].schema.get_field_index("is_annotated")
    nobodys_images = whole["images"].set_column(place, "is_annotated", pa.array([False] * whole["images"].num_rows))
    (problem,) = broken({**whole, "images": nobodys_images})
    assert problem.startswith(f"annotations: expected {OF_IMAGES}, got ")
    assert "(image_id " in problem


def test_every_rule_is_broken_above():
    """But those that follow from the same word of a contract, such as `required`, once for each table."""
    for table, contract in contracts.contracts().items():
        asked = [expected for name, expected, _ in CASES if name == table]
        for rule in rules(contract):
            if not rule.expected.startswith("no null in ") and rule.expected != OF_IMAGES:
                assert any(rule.expected.startswith(expected) for expected in asked), f"{table}: {rule.expected}"


def test_the_first_rows_that_break_a_rule_are_named(whole: Tables):
    rows = whole["images"].to_pylist()
    for row in rows[:5]:
        row["rights_uri"] = "mine"
    problems = broken({**whole, "images": pa.Table.from_pylist(rows, schema=whole["images"].schema)})
    names = ", ".join(f"{name} (rights_uri 'mine')" for name in sorted(row["record_id"] for row in rows[:5])[:3])
    (problem,) = [problem for problem in problems if "rights of every image" in problem]
    assert problem.endswith(f"got 5 that break it: {names} and 2 more")


def test_a_group_in_two_splits_is_told_with_the_splits(whole: Tables):
    rows = whole["images"].to_pylist()
    other_split(rows, "group_id")
    problems = broken({**whole, "images": pa.Table.from_pylist(rows, schema=whole["images"].schema)})
    (problem,) = [problem for problem in problems if "each group in one split" in problem]
    assert re.search(r"got 1 that breaks it: museum:\S+ in (test|train|val), (test|train|val)$", problem)


def test_tables_of_other_types_are_told_and_no_traceback(whole: Tables):
    odd = whole["images"].set_column(3, "year", pa.array([["x"]] * whole["images"].num_rows))
    assert any("got tables that can't be asked (" in problem for problem in broken({**whole, "images": odd}))
    bare = whole["ledger"].drop_columns("reason")
    assert any("got tables that can't be asked (" in problem for problem in broken({**whole, "ledger": bare}))


def test_a_build_that_breaks_a_rule_publishes_nothing(measured: Desk, monkeypatch: pytest.MonkeyPatch):
    """As a mistake in the program's own rules would."""
    made = images.images

    def mistaken(*columns: Any, **of: Any) -> pa.Table:
        table = made(*columns, **of)
        place = table.schema.get_field_index("rights_uri")
        return table.set_column(place, table.schema.field(place), pa.array(["mine"] * table.num_rows))

    monkeypatch.setattr(images, "images", mistaken)
    with pytest.raises(Refusal) as refused:  # which the command ends with status 3
        measured.build()
    first, *others = str(refused.value).splitlines()
    assert first.startswith("export: expected tables that keep contract 3.")
    assert first.endswith("got others; nothing is published:")
    said = (
        r"images: expected rights of every image.*, got 57 that break it: museum:\S+ \(rights_uri 'mine'\), museum:.*"
    )
    assert any(re.fullmatch(said, line) for line in others)
    assert not Path(measured.store, "releases").exists()


def test_verify_asks_the_rules_of_the_programs_own_contract(built: Desk):
    """A rule of the release's own contract is never run."""
    folder = Path(built.latest.root)
    path = folder / "contract/images.odcs.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("SELECT count(*) FROM images WHERE year", "SELECT 7 FROM images WHERE year"))
    problems = verify(str(folder)).problems
    assert problems
    assert not [problem for problem in problems if "years" in problem]
