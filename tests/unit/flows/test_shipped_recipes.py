"""The recipes that ship hold what their papers and their own comments say."""

from pathlib import Path
from typing import TypeVar

import pytest

from flows.recipes import recipe_from_file
from schemas.dedup import Dedup
from schemas.recipe import Recipe
from schemas.sample import Sample
from schemas.screen import Screen
from schemas.sources.met import MetSource
from schemas.sources.wikiart import WikiartSource
from schemas.split import RolesByValue
from tasks.core.names.styles import names_by_style, style_name
from tasks.core.scrape.wikiart import address_of_style

Stage = TypeVar("Stage")

FOLDER = Path(__file__).resolve().parents[3] / "deployments" / "recipes"

ARTBENCH_CLASSES = {  # the paper's ten, "Art Nouveau" and "Post Impressionism" as it spells them
    "Impressionism",
    "Realism",
    "Romanticism",
    "Expressionism",
    "Baroque",
    "Post Impressionism",
    "Art Nouveau",
    "Surrealism",
    "Ukiyo-e",
    "Renaissance",
}
RENAISSANCE = ["Northern_Renaissance", "Early_Renaissance", "High_Renaissance", "Mannerism_Late_Renaissance"]


def shipped(name: str) -> tuple[Recipe, str]:
    """A recipe, and what its comments say."""
    lines = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
    comments = " ".join(line.removeprefix("#").strip() for line in lines if line.startswith("#"))
    return recipe_from_file(name), comments


def only(recipe: Recipe, kind: type[Stage]) -> Stage:
    (stage,) = (stage for stage in recipe.stages if isinstance(stage, kind))
    return stage


def words(recipe: Recipe) -> list[str]:
    return [stage.stage for stage in recipe.stages]


def test_artbench_has_the_papers_ten_classes():
    recipe, _ = shipped("artbench")
    names = names_by_style(recipe.styles)
    written = {text for source in recipe.sources if isinstance(source, WikiartSource) for text in source.styles}
    written |= {
        str(getattr(source, "style", None)) for source in recipe.sources if not isinstance(source, WikiartSource)
    }
    assert {style_name(text, names) for text in written} == ARTBENCH_CLASSES
    assert only(recipe, Sample).top == len(ARTBENCH_CLASSES)


def test_artbenchs_renaissance_is_six_styles_of_wikiart_that_have_pages():
    recipe, _ = shipped("artbench")
    names = names_by_style(recipe.styles)
    (wikiart,) = (source for source in recipe.sources if isinstance(source, WikiartSource))
    six = [text for text in wikiart.styles if style_name(text, names) == "Renaissance"]
    assert [address_of_style(text) for text in six] == [
        "renaissance",
        "proto-renaissance",
        "northern-renaissance",
        "early-renaissance",
        "high-renaissance",
        "mannerism-late-renaissance",
    ]


def test_four_styles_are_enough_for_artbenchs_renaissance_and_one_is_not(shared_data: Path):
    lists = shared_data / "wikiart_style_lists/Style"
    numbers = dict(line.split()[::-1] for line in (lists / "style_class.txt").read_text().splitlines())
    texts = [(lists / f"style_{part}.csv").read_text(encoding="utf-8") for part in ("train", "val")]
    rows = [line.rsplit(",", 1)[1] for text in texts for line in text.splitlines()]
    counts = [rows.count(numbers[style]) for style in RENAISSANCE]
    wanted = only(shipped("artbench")[0], Sample).exactly or 0
    assert counts[0] < wanted <= sum(counts)


def test_artbench_draws_and_splits_as_the_paper_does():
    recipe, comments = shipped("artbench")
    assert words(recipe) == ["fetch", "hash", "dedup", "screen", "sample", "split", "export"]
    draw = only(recipe, Sample)
    assert (draw.exactly, draw.at_most, draw.weight, draw.by) == (6000, None, "inverse_artist", ("style",))
    assert recipe.split.ratios == {"train": 5, "test": 1}
    screen, dedup = only(recipe, Screen), only(recipe, Dedup)
    assert screen.aspect is not None
    assert (screen.aspect.least, screen.aspect.most) == (0.5, 2)
    assert dedup.by == ("phash",)
    assert f"up to {dedup.radius_bits} bits apart" in comments
    assert f"Here it is {screen.least_side_px} px" in comments
    assert "Replacing bad images by hand" in comments


def test_artbenchs_comment_says_how_to_replace_by_hand():
    _, comments = shipped("artbench")
    for option in ("by_hand=by_hand", "bindings.by_hand=what people replaced"):
        assert f"{option}" in comments
    recipe = recipe_from_file("artbench", ["by_hand=by_hand", "bindings.by_hand=what people replaced"])
    assert recipe.by_hand == "by_hand"
    assert recipe.bindings == {"by_hand": "what people replaced"}


def test_peopleart_goes_poparts_steps_and_draws_all_works_alike():
    recipe, comments = shipped("peopleart")
    assert words(recipe) == ["fetch", "hash", "detect", "screen", "screen", "sample", "dedup", "split", "export"]
    draw = only(recipe, Sample)
    assert (draw.top, draw.at_most, draw.weight) == (22, 125, "uniform")
    assert recipe.split.ratios == {"train": 3, "val": 1, "test": 1}
    assert recipe.split.order == "figures"
    shape, figures = (stage for stage in recipe.stages if isinstance(stage, Screen))
    assert figures.figures is not None
    assert (figures.figures.least, figures.figures.score, figures.figures.counted_by) == (1, 0.5, "people_first")
    assert f"The screen `{shape.label}` is ours" in comments


def test_met_has_a_gallery_of_exhibits_and_splits_only_queries():
    recipe, comments = shipped("met")
    assert "All exhibits are training, and only queries are split, about 1:9" in comments
    assert recipe.split.ratios == {"val": 1, "test": 9}
    assert recipe.split.splits == ("train", "val", "test")
    assert recipe.split.together == ("photographer", "object_id")
    roles = recipe.split.roles
    assert isinstance(roles, RolesByValue)
    assert (roles.gallery.is_known, roles.query) == (True, None)
    assert recipe.attributes[roles.by].from_ == {"met": "accession_number"}  # which visitors' photographs have not
    screen = only(recipe, Screen)
    assert screen.aspect is not None
    assert f"beyond 1:{1 / screen.aspect.least:g} and {screen.aspect.most:g}:1" in comments
    assert f"sides below {screen.least_side_px} px" in comments
    assert screen.applies_to["accession"].is_known  # a query counts, whatever its shape
    assert only(recipe, Dedup).drop_relations == ("same_file", "reencoded")
    assert {source.images_per_object for source in recipe.sources if isinstance(source, MetSource)} == {10}


POPART_STYLES = {  # the paper's 22, in its spelling
    *("Abstract Expressionism", "Art Nouveau", "Baroque", "Contemporary Realism", "Cubism", "Early Renaissance"),
    *("Expressionism", "Fauvism", "High Renaissance", "Impressionism", "Mannerism", "Naive Art", "New Realism"),
    *("Northern Renaissance", "Pointillism", "Pop Art", "Post Impressionism", "Realism", "Rococo", "Romanticism"),
    *("Symbolism", "Ukiyo-e"),
}


def test_popart_chooses_as_the_paper_does():
    recipe, comments = shipped("popart")
    assert words(recipe) == ["fetch", "hash", "detect", "screen", "sample", "dedup", "split", "export"]
    (wikiart,) = (source for source in recipe.sources if isinstance(source, WikiartSource))
    names = names_by_style(recipe.styles)
    assert {style_name(text, names) for text in wikiart.styles} == POPART_STYLES
    assert len(wikiart.styles) == len(POPART_STYLES) == 22
    assert (wikiart.by, wikiart.copyright) == ("page", "any")
    figures = only(recipe, Screen).figures
    assert figures is not None
    assert (figures.least, figures.score, figures.counted_by) == (1, 0.5, "detector")
    draw = only(recipe, Sample)
    assert (draw.by, draw.top, draw.at_most, draw.weight) == (("style",), None, 125, "uniform")
    assert "Of each style 125 are drawn by chance" in comments
    assert (recipe.split.ratios, recipe.split.order) == ({"train": 3, "val": 1, "test": 1}, "figures")


def test_poparts_styles_are_all_in_artgans_lists(shared_data: Path):
    lines = (shared_data / "wikiart_style_lists/Style/style_class.txt").read_text(encoding="utf-8").splitlines()
    names = names_by_style(shipped("popart")[0].styles)
    listed = {style_name(line.split()[1], names) for line in lines}
    left_out = {"Action painting", "Analytical Cubism", "Synthetic Cubism", "Color Field Painting", "Minimalism"}
    assert listed - POPART_STYLES == left_out
    assert listed >= POPART_STYLES


def test_popart_annotated_keeps_works_with_a_figure_that_people_drew():
    recipe, _ = shipped("popart-annotated")
    assert words(recipe) == ["fetch", "hash", "screen", "split", "export"]
    figures = only(recipe, Screen).figures
    assert figures is not None
    assert (figures.least, figures.counted_by) == (1, "people_first")
    assert (recipe.split.ratios, recipe.split.order) == ({"train": 3, "val": 1, "test": 1}, "figures")


def test_picasso_is_all_test_and_chosen_by_words_in_titles():
    recipe, comments = shipped("picasso")
    assert recipe.split.ratios == {"test": 1}
    asked = only(recipe, Screen).where["title"].contains
    assert asked is not None
    assert len(set(asked)) == len(asked)
    assert not any(isinstance(stage, Dedup | Sample) for stage in recipe.stages)
    assert "A title with none of them is dropped as `where_not_met`" in comments


def test_sketchref_has_the_papers_categories_methods_and_joints():
    recipe, comments = shipped("sketchref")
    joints = {name: len(scheme.joints) for name, scheme in recipe.schemes_by_category.items() if scheme}
    assert {"person": 17, "face": 106, **dict.fromkeys(("dog", "cat", "cow", "horse", "sheep"), 20)} == joints
    methods, size = (stage for stage in recipe.stages if isinstance(stage, Screen))
    assert len(methods.where["method"].values) == 1 + 8
    assert size.pixels is not None
    assert (size.least_side_px, size.pixels.most) == (224, 224 * 224)
    assert recipe.split.together == ("photo",)
    assert "224x224 px" in comments


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.yaml") if path.stem != "museum"))
def test_a_recipe_after_a_paper_says_what_is_not_as_there(name: str):
    assert "Not as in " in shipped(name)[1]
