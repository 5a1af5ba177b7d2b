"""From which score on a detector's box is a figure: one for the whole recipe, unless a stage has its own."""

from typing import Any

import pytest

from schemas.recipe import Recipe
from schemas.stages import screened_score, with_scores_as_published


def recipe(*stages: Any, **changes: Any) -> Recipe:
    fields = {
        "name": "r",
        "bindings": {"images": "a folder"},
        "sources": [{"folder": {"name": "s", "at": "images", "pattern": "{title}.jpg"}}],
        "stages": ["fetch", "hash", *stages, *([] if "split" in str(stages) else ["split"])],
    }
    fields["stages"] += [changes.pop("export", "export")]
    return Recipe.model_validate(fields | changes)


def figures(score: float | None = None, **limits: Any) -> dict[str, Any]:
    label = f"s{str(score).replace('.', '-').lower()}-{limits.get('category', 'any')}"
    return {"screen": {"label": label, "figures": {**({"score": score} if score else {}), **limits}}}


def scores(built: Recipe) -> tuple[float, float]:
    """That of the split, and that of COCO files."""
    export: Any = built.stage("export")
    return built.split.score, export.coco.score


@pytest.mark.parametrize(
    ("stages", "score"),
    [
        pytest.param([], None, id="no screen"),
        pytest.param([{"screen": {"least_side_px": 100}}], None, id="a screen that counts none"),
        pytest.param([figures(0.3)], 0.3, id="one screen"),
        pytest.param([figures()], 0.5, id="a screen at its default"),
        pytest.param([figures(0.3), figures(0.6)], 0.6, id="two that ask for a figure: the last"),
        pytest.param([figures(0.3), figures(0.6, least=0, most=20)], 0.3, id="one that asks for none does not count"),
        pytest.param([figures(0.2, least=0, most=5), figures(0.6, least=0, most=0)], 0.6, id="none that asks for any"),
        pytest.param(["split", figures(0.3)], 0.3, id="a screen that stands later"),
        pytest.param([figures(0.3, category="dog")], None, id="of another category"),
        pytest.param([figures(0.3), figures(0.7, category="dog")], 0.3, id="the last one is of another category"),
    ],
)
def test_the_score_of_a_category_is_that_of_the_screens(stages: list[Any], score: float | None):
    built = recipe(*stages, categories=["person", "dog"])
    assert screened_score(built.stages, "person") == score
    assert built.split.score == (0.5 if score is None else score)


@pytest.mark.parametrize(
    ("stages", "changes", "wanted"),
    [
        pytest.param([figures(0.3)], {}, (0.3, 0.0), id="the split follows the screen"),
        pytest.param(
            [figures(0.3), {"split": {"score": 0.5}}], {}, (0.5, 0.0), id="a split of its own, at its default"
        ),
        pytest.param(
            [figures(0.3)], {"export": {"export": {"coco": {"score": 0.5}}}}, (0.3, 0.5), id="COCO of its own"
        ),
        pytest.param([figures(0.3)], {"export": {"export": {"coco": {}}}}, (0.3, 0.0), id="COCO says nothing"),
        pytest.param([], {}, (0.5, 0.0), id="without a screen the defaults stay"),
    ],
)
def test_stages_take_the_screens_score_unless_they_have_their_own(
    stages: list[Any], changes: dict[str, Any], wanted: tuple[float, float]
):
    assert scores(recipe(*stages, **changes)) == wanted


def test_a_draw_by_figures_counts_what_the_screen_counts():
    built: Any = recipe(figures(0.3), {"sample": {"weight": "figures"}})
    assert built.stage("sample").score == 0.3
    own: Any = recipe(figures(0.3), {"sample": {"weight": "figures", "score": 0.4}})
    assert own.stage("sample").score == 0.4
    idle: Any = recipe(figures(0.3), {"sample": {"weight": "uniform"}})
    assert idle.stage("sample").score == 0.5


def test_what_was_derived_is_written_out_and_read_again_as_it_stands():
    built = recipe(figures(0.3))
    dump = built.model_dump(mode="json")
    assert dump["stages"][-2]["split"]["score"] == 0.3
    assert Recipe.model_validate(dump) == built
    dump["stages"][2]["screen"]["figures"]["score"] = 0.7
    assert scores(Recipe.model_validate(dump)) == (0.3, 0.0)


PUBLISHED = [
    {"fetch": {}},
    {"hash": {}},
    {"screen": {}},
    {"split": {"score": 0.5}},
    {"export": {"coco": {"score": 0.4}}},
]


@pytest.mark.parametrize(
    ("published", "found"),
    [
        pytest.param([], (0.3, 0.0), id="nothing is known"),
        pytest.param(PUBLISHED, (0.5, 0.4), id="scores of their own"),
        pytest.param([*PUBLISHED, {"export": {"coco": {"score": 0.9}}}], (0.5, 0.4), id="more stages than ours"),
        pytest.param(PUBLISHED[:4], (0.5, 0.0), id="fewer stages than ours"),
        pytest.param(PUBLISHED[1:], (0.3, 0.0), id="stages in other places"),
        pytest.param(["fetch", None, 3, {"split": "x"}, {"export": {"coco": None}}], (0.3, 0.0), id="no mappings"),
    ],
)
def test_scores_are_set_back_to_those_of_a_release(published: list[Any], found: tuple[float, float]):
    built = recipe(figures(0.3))
    stages = with_scores_as_published(built.stages, published)
    assert scores(built.model_copy(update={"stages": tuple(stages)})) == found
