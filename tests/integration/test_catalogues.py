"""The recipes of docs/catalogues.md, built from catalogues in the forms of two museums."""

import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
from PIL import Image

from examples.catalogues import write_catalogues
from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.errors import BadInput
from schemas.manifests import Context
from tasks.io.store.releases import Release
from tasks.verify import verify

PAGE = Path(__file__).resolve().parents[2] / "docs" / "catalogues.md"
UNREAD = "statistics/unread.parquet"
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
RECIPES = {re.findall(r"name: (\w+)", text)[0]: text for text in BLOCKS if "stages:" in text}


@pytest.fixture(scope="module")
def catalogues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("catalogues")
    write_catalogues(folder)
    return folder


def build(folder: Path, works: Path, name: str, text: str | None = None) -> Release:
    recipe = folder / f"{name}.yaml"
    recipe.write_text(text or RECIPES[name], encoding="utf-8")
    context = Context(store=str(folder / "store"), bindings={"works": str(works)})
    return Release(run_stages(recipe_from_file(str(recipe)), context)[-1].release)


def rows_of(release: Release, table: str) -> dict[str, dict[str, Any]]:
    return {row["record_id"]: row for batch in release.batches(table) for row in batch.to_pylist()}


def said(row: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def test_the_page_names_both_recipes_in_its_commands() -> None:
    assert set(RECIPES) == {"carnegie", "tate"}
    assert all(f"bilderatlas build {name}.yaml" in PAGE.read_text(encoding="utf-8") for name in RECIPES)


def test_the_carnegies_form(catalogues: Path, tmp_path: Path) -> None:
    release = build(tmp_path, catalogues / "carnegie", "carnegie")
    assert not verify(release.url, is_deep=True).problems
    images, ledger = rows_of(release, "images"), rows_of(release, "ledger")
    assert sorted(images) == [f"carnegie:cmoa:things/{work:08d}/{image}" for work, image in
                              [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 1), (5, 1), (6, 1)]]  # fmt: skip
    lost = ledger["carnegie:cmoa:things/00000004"]
    assert said(lost, "reason", "detail") == ("bad_record", "images: an empty list")
    of = {name.removeprefix("carnegie:cmoa:things/0000000"): row for name, row in images.items()}
    years = ("year", "year_first", "year_last")
    people = ("artist", "artist_qualifier", "artists", "artist_roles")
    assert said(of["1/1"], *years) == (None, 1834, 1900)
    assert said(of["1/2"], *people) == (
        "Arent Vroom", None, ["Arent Vroom", "Lotte Haag & Sons"], ["artist", "publisher"]
    )  # fmt: skip
    assert said(of["2/1"], *years) == (1903, 1903, 1905)
    assert said(of["2/1"], *people)[:2] == ("Ida Brand", None)
    assert said(of["3/1"], *years) == (1650, None, 1650)
    assert said(of["3/1"], *people) == ("Rembrandt", "after", ["Rembrandt"], ["after"])
    assert said(of["5/1"], *years) == (None, -500, -401)
    assert said(of["5/1"], *people) == (None, None, [], [])
    assert of["6/1"]["artist"] == "Nils Holm"
    for work in ("1", "2"):
        parts = [row for name, row in of.items() if name.startswith(f"{work}/")]
        assert len({row["split"] for row in parts}) == len({row["group_id"] for row in parts}) == 1


def test_the_tates_form(catalogues: Path, tmp_path: Path) -> None:
    release = build(tmp_path, catalogues / "tate", "tate")
    assert not verify(release.url, is_deep=True).problems
    images = rows_of(release, "images")
    two = images["tate:A00002"]
    assert said(two, "artist", "artists", "year_first", "year_last") == (
        "Nils Holm", ["Nils Holm", "Ida Brand"], 1890, 1899
    )  # fmt: skip
    assert two["styles"] == ["Symbolism", "Pont-Aven School"]
    assert said(images["tate:A00003"], "artist", "artist_qualifier", "year_first") == ("Titian", "after", None)
    rights = {name: row["rights_uri"].rstrip("/").split("/")[-2] for name, row in images.items()}
    assert rights == {"tate:A00001": "CNE", "tate:A00002": "CNE", "tate:A00003": "CNE", "tate:A00004": "InC"}
    assert images["tate:A00004"]["rights_text"] == "(c) Mara Voss"


def chancery(folder: Path, text: str) -> Release:
    works = [("saeclum XVI ineunte", "ex officina Lucas Cranach"), ("regnal year 1203", "manus obscura"), ("1510", "")]
    lines = [f"{place},{place}.png,{maker},{made}" for place, (made, maker) in enumerate(works)]
    (folder / "works").mkdir(parents=True)
    (folder / "works/works.csv").write_text("\n".join(["id,file,maker,made", *lines]), encoding="utf-8")
    for place in range(len(works)):
        Image.effect_noise((64, 48), 20 + 30 * place).save(folder / f"works/{place}.png")
    more = "name: chancery\nbindings: {images: a folder}\nstages: [fetch, hash, split, export]\n"
    (folder / "chancery.yaml").write_text(more + text, encoding="utf-8")
    context = Context(store=str(folder / "store"), bindings={"images": str(folder / "works")})
    return Release(run_stages(recipe_from_file(str(folder / "chancery.yaml")), context)[-1].release)


def test_a_museums_own_words(tmp_path: Path) -> None:
    (text,) = (text for text in BLOCKS if "words:" in text)
    release = chancery(tmp_path / "with", text)
    assert not verify(release.url, is_deep=True).problems
    images = [rows_of(release, "images")[f"chancery:{place}"] for place in range(3)]
    assert [said(row, "year_first", "year_last") for row in images] == [(1501, 1533), (None, None), (1510, 1510)]
    people = ("artist", "artist_qualifier", "artist_text")
    assert [said(row, *people) for row in images] == [
        ("Lucas Cranach", "workshop of", "ex officina Lucas Cranach"), (None, None, "manus obscura"), (None, None, None)
    ]  # fmt: skip
    assert not (Path(release.url) / "statistics/unread.parquet").exists()
    without = chancery(tmp_path / "without", text[: text.index("      words:")])
    assert {"saeclum", "regnal"} <= {*without.table(UNREAD)["words"].to_pylist()}
    assert rows_of(without, "images")["chancery:1"]["artist"] == "manus obscura"
    (query,) = re.findall(r"^duckdb\.sql\(.*?^\)", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    most = eval(query, {"duckdb": duckdb, "release": without.url})
    assert ("manus obscura", 1) in most.fetchall()


def test_the_same_works_as_one_file_give_the_same_records(catalogues: Path, tmp_path: Path) -> None:
    works = [json.loads(path.read_text()) for path in sorted((catalogues / "carnegie/cmoa").iterdir())]
    folder = tmp_path / "whole"
    folder.mkdir()
    (folder / "pictures").symlink_to(catalogues / "carnegie/pictures")
    for path in (catalogues / "carnegie/pictures").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    text = RECIPES["carnegie"].replace("table: cmoa/*.json", "table: cmoa.json\n      works: things")
    (folder / "cmoa.json").write_text(
        json.dumps({"count": len(works), "things": works}).replace("pictures/", ""), encoding="utf-8"
    )
    one = rows_of(build(tmp_path, folder, "carnegie", text), "images")
    many = rows_of(build(tmp_path, catalogues / "carnegie", "carnegie"), "images")
    assert {name: row["sha256"] for name, row in one.items()} == {name: row["sha256"] for name, row in many.items()}
    assert {name: row["split"] for name, row in one.items()} == {name: row["split"] for name, row in many.items()}


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "each: images",
            "each: pictures",
            "expected a list at 'pictures' (each) in the works of cmoa/*.json, got none",
        ),
        ("key: id", "key: creator", "take one value by a path, such as creator[0].full_name"),
        (
            "title: title",
            "title: name",
            "expected a column 'name' (for title) in cmoa/*.json, got ['accession_number'",
        ),
        ("cmoa/*.json", "none/*.json", "expected a table 'none/*.json' below binding 'works', got no such file"),
    ],
)
def test_a_recipe_that_does_not_fit_is_one_sentence(
    catalogues: Path, tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    with pytest.raises(BadInput) as caught:
        build(tmp_path, catalogues / "carnegie", "carnegie", RECIPES["carnegie"].replace(old, new))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
