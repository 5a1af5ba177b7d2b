"""Builds that screen by looks, styles and sizes: what is dropped for what, and what is computed again."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image, ImageFilter, ImageOps

from flows.build_dataset import plan, run_stages
from flows.recipes import recipe_from_file
from schemas.errors import BadInput
from schemas.manifests import Context, Step
from tasks.engine.runs import store_of

LIMITS = {"least_contrast": 0.1, "most_blur": 0.5, "most_border": 0.2, "most_object_photo": 0.75}
SEEN = {"label": "seen", "bytes": {"least": 100}, "pixels": {"most": 100_000}, "colour": "colour", "scores": LIMITS}
RECIPE: dict[str, Any] = {
    "name": "looks",
    "bindings": {"images": "a folder"},
    "sources": [{"folder": {"name": "s", "at": "images", "pattern": "{style}/{title}.png"}}],
    "stages": [
        "fetch",
        "hash",
        "quality",
        {"screen": SEEN},
        {"screen": {"label": "style", "styles": ["Post-Impressionism", "Lunar_Art"]}},
        {"split": {"by": None, "order": None}},
        {"export": {"parquet": {"images": "none"}}},
    ],
}


def painted(seed: int) -> Image.Image:
    blocks = np.random.default_rng(seed).integers(0, 256, (30, 36, 3), np.uint8)
    return Image.fromarray(blocks.repeat(8, 0).repeat(8, 1)).resize((252, 220), Image.Resampling.BICUBIC)


def hung(folder: Path) -> Path:
    """Seven pictures of a style, one for each reason and one that stays; one of another style, and one of nobody's."""
    one = painted(1)
    wall = {
        "Post_Impressionism/good": one,
        "Post_Impressionism/grey": painted(2).convert("L"),
        "Post_Impressionism/blank": Image.new("RGB", (252, 220), (240, 240, 235)),
        "Post_Impressionism/blurred": painted(3).filter(ImageFilter.GaussianBlur(5)),
        "Post_Impressionism/framed": ImageOps.expand(painted(4), 30, (244, 240, 228)),
        "Post_Impressionism/large": painted(5).resize((504, 440)),
        "Cubism/good": painted(6),
        "LunarArt/good": painted(7),
        "Martian/good": painted(8),
    }
    for name, picture in wall.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        picture.save(folder / f"{name}.png")
    return folder


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(store=str(tmp_path / "store"), bindings={"images": str(hung(tmp_path / "images"))})


def recipe(tmp_path: Path, **changes: Any) -> Any:
    file = tmp_path / "recipe.yaml"
    file.write_text(yaml.safe_dump({**RECIPE, **changes}))
    return recipe_from_file(str(file))


def dropped(steps: tuple[Step, ...], context: Context) -> dict[str, str]:
    """The reason of each record that any step has dropped."""
    store = store_of(context)
    rows = [row for step in steps for row in store.read_table(step.outcome).select(["record_id", "reason"]).to_pylist()]
    return {row["record_id"].removeprefix("s:"): row["reason"] for row in rows if row["reason"]}


def test_each_picture_goes_for_its_own_reason_and_nothing_is_scored_twice(tmp_path: Path, context: Context):
    wished = recipe(tmp_path)
    steps = run_stages(wished, context)
    assert dropped(steps, context) == {
        "Post_Impressionism/grey.png": "not_in_colour",
        "Post_Impressionism/blank.png": "blank",
        "Post_Impressionism/blurred.png": "blurred",
        "Post_Impressionism/framed.png": "framed",
        "Post_Impressionism/large.png": "outside_pixels",
        "Cubism/good.png": "style_not_wanted",
        "Martian/good.png": "style_not_wanted",
    }
    assert (
        "2 styles are not in the table of styles and keep the names of their sources: 'LunarArt' (1), 'Martian' (1)"
        in steps[0].notes
    )
    records = store_of(context).read_table(steps[0].outcome)
    assert {"Post Impressionism", "LunarArt"} <= set(records["style"].to_pylist())
    assert {step.label: step.computed for step in steps}["quality"] == 9
    again = run_stages(wished, context)
    assert all(step.computed == 0 for step in again)

    looser = [
        {"screen": {**SEEN, "colour": None}} if stage == {"screen": SEEN} else stage for stage in RECIPE["stages"]
    ]
    other = {step.label: step for step in run_stages(recipe(tmp_path, stages=looser), context)}
    assert (other["quality"].computed, other["seen"].kept) == (0, 5)


def test_a_plan_says_how_many_will_be_scored_and_scores_none(tmp_path: Path, context: Context):
    steps = {step.label: step for step in plan(recipe(tmp_path), context)}
    assert steps["quality"].computed == 9
    assert not list(Path(context.store).glob("measures/quality/**/*.parquet"))


def test_a_recipe_names_a_style_as_it_likes(tmp_path: Path, context: Context):
    named = {"aliases": {"LunarArt": "Lunar Art", "Martian": "Lunar Art", "x": "Post-Impressionism"}}
    steps = run_stages(recipe(tmp_path, styles=named), context)
    assert steps[0].notes == ()
    assert "Martian/good.png" not in dropped(steps, context)
    assert "Post-Impressionism" in store_of(context).read_table(steps[0].outcome)["style"].to_pylist()


def test_what_a_person_includes_passes_every_screen(tmp_path: Path, context: Context):
    said = tmp_path / "said.csv"
    said.write_text(
        "action,scope,name,reason,date\ninclude,record,s:Post_Impressionism/grey.png,a rare one,2024-05-01\n"
    )
    named = recipe(tmp_path, by_hand="said", bindings={"images": "a folder", "said": "what people say"})
    bound = context.model_copy(update={"bindings": {**context.bindings, "said": str(said)}})
    gone = dropped(run_stages(named, bound), bound)
    assert "Post_Impressionism/grey.png" not in gone
    assert len(gone) == 6


def test_figures_that_nobody_has_counted_are_not_taken_for_none(tmp_path: Path, context: Context):
    """Without a detector only annotated pictures can have a count.

    A missing file says nothing of the picture beside it.
    """
    source = {**RECIPE["sources"][0]["folder"], "annotations": {"format": "voc", "path": "{style}/{title}.xml"}}
    counted = ["fetch", "hash", {"screen": {"label": "people", "figures": {}}}, *RECIPE["stages"][-2:]]
    wished = recipe(tmp_path, sources=[{"folder": source}], stages=counted)
    with pytest.raises(BadInput, match=r"stages \(people\).figures: .*, got 9 records without a count"):
        run_stages(wished, context)
    box = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox>"
    person = f"<annotation><object><name>person</name>{box}</object></annotation>"
    for name, said in (("Cubism/good", person), ("Martian/good", "<annotation></annotation>")):
        (tmp_path / "images" / f"{name}.xml").write_text(said)
    step = next(step for step in run_stages(wished, context) if step.label == "people")
    assert (step.kept, step.dropped) == (1, {"too_few_figures": 8})
    details = store_of(context).read_table(step.outcome)["detail"].to_pylist()
    assert sorted(filter(None, details)) == ["0 of person", *["nobody has counted person"] * 7]
    assert step.notes == (f"{step.label}: no detector or annotation has counted people in 7 of 9 images",)


def test_a_slip_of_the_pen_is_told_before_anything_runs(tmp_path: Path, context: Context):
    slip = [*RECIPE["stages"][:4], {"screen": {"label": "style", "styles": ["Cubsim"]}}, *RECIPE["stages"][5:]]
    with pytest.raises(BadInput, match="got 'Cubsim': did you mean Cubism"):
        plan(recipe(tmp_path, stages=slip), context)
