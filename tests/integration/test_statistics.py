"""What a build of the museum tells of its choice: the tables agree with the release, and the page shows them."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context
from schemas.tables import DIVERSITY, HISTOGRAMS, SHARES
from tasks.verify import verify
from tests.support.desk import RECIPE, Desk


def table(desk: Desk, name: str) -> pa.Table:
    return pq.read_table(pa.BufferReader(desk.latest.read(f"statistics/{name}.parquet")))


@pytest.mark.parametrize(("name", "schema"), [("diversity", DIVERSITY), ("histograms", HISTOGRAMS), ("shares", SHARES)])
def test_tables_are_files_of_the_release(built: Desk, name: str, schema: pa.Schema):
    assert table(built, name).schema.equals(schema)
    assert built.latest.manifest.files[f"statistics/{name}.parquet"].rows == table(built, name).num_rows
    assert name not in built.latest.manifest.content


def test_before_is_what_entered_the_draw_and_after_what_is_published(built: Desk):
    steps = built.build()
    manifest, drawn = built.latest.manifest, steps["sample"]
    images = {row["moment"]: row["images"] for row in table(built, "diversity").to_pylist() if row["stratum"] is None}
    assert images == {
        "measured": steps["hash"].kept,
        "before": drawn.kept + sum(drawn.dropped.values()),
        "after": manifest.counts["kept"],
    }
    shares = [row for row in table(built, "shares").to_pylist() if row["stratum"] is None]
    assert {row["split"]: row["images"] for row in shares} == manifest.counts["by_split"]
    assert [row["wanted_share"] for row in shares] == [0.6, 0.2, 0.2]


def test_figures_are_those_that_the_split_counts(built: Desk):
    rows = [
        row
        for row in table(built, "histograms").to_pylist()
        if row["statistic"] == "figures_per_image" and row["stratum"] is None
    ]
    by_people = sum(
        len(json.loads(built.latest.read(f"coco/{split}.json"))["annotations"]) for split in ("train", "val", "test")
    )
    assert sum(row["least"] * row["count"] for row in rows if row["moment"] == "after") == by_people
    unseen = [row["count"] for row in rows if row["moment"] == "measured" and row["least"] is None]
    assert unseen == []  # the museum's works are annotated


@pytest.mark.parametrize(("split", "empty"), [({}, False), ({"score": 0.5}, True)], ids=["the screen's", "its own"])
def test_what_a_screen_has_let_through_has_figures_by_its_score(measured: Desk, split: dict, empty: bool, tmp_path):
    """Nobody has annotated anything, and the screen counts boxes from 0.3 on."""
    fields = yaml.safe_load(RECIPE.read_text(encoding="utf-8"))
    del fields["sources"][0]["table"]["annotations"]
    fields["stages"][-2]["split"] |= split
    fields["stages"][-1]["export"].pop("coco")
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(fields), encoding="utf-8")
    run_stages(recipe_from_file(str(tmp_path / "recipe.yaml")), measured.context())
    rows = table(measured, "histograms").to_pylist()
    after = [row for row in rows if row["statistic"] == "figures_per_image" and row["moment"] == "after"]
    assert any(row["least"] == 0 and row["count"] for row in after) is empty
    for name in ("train", "val", "test"):
        images = json.loads(measured.latest.read(f"coco/{name}.unannotated.json"))["images"]
        found = json.loads(measured.latest.read(f"coco/{name}.detections.json"))
        assert {row["image_id"] for row in found if row["score"] >= 0.3} == {row["id"] for row in images}


def test_a_recipe_without_a_draw_begins_with_its_first_decision(desk: Desk, tmp_path):
    recipe = tmp_path / "plain.yaml"
    recipe.write_text(
        "name: plain\nbindings: {images: the museum}\nsources: [{folder: {name: museum, at: images, pattern: "
        "'images/*/*'}}]\n"
        "stages:\n  - fetch: {max_pixels: 1000000}\n  - hash: {}\n  - screen: {least_side_px: 100}\n  - split: {by: "
        "null}\n  - export: {}\n"
    )
    steps = run_stages(
        recipe_from_file(str(recipe), ()), Context(store=desk.store, bindings={"images": str(desk.museum)})
    )
    found = pq.read_table(f"{steps[-1].release}/statistics/diversity.parquet").to_pylist()
    screened = next(step for step in steps if step.stage == "screen")
    assert {row["moment"]: row["images"] for row in found if row["stratum"] is None} == {
        "measured": screened.kept + sum(screened.dropped.values()),
        "before": screened.kept + sum(screened.dropped.values()),
        "after": screened.kept,
    }
    figures = pq.read_table(f"{steps[-1].release}/statistics/histograms.parquet").to_pylist()
    assert {row["least"] for row in figures if row["statistic"] == "figures_per_image"} == {None}  # nobody has looked


def test_the_page_and_the_card_show_them_and_the_release_is_whole(built: Desk):
    page, card = (built.latest.read(name).decode() for name in ("report.html", "README.md"))
    for title in (
        "Works per artist",
        "Effective number of artists",
        "Styles and years",
        "Aspect ratios",
        "Figures per image",
    ):
        assert f"-t'>{title}</title>" in page
    assert "| all together |" in card
    assert verify(built.latest.url).is_good
