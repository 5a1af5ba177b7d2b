"""The one filter: each check, its edges, and which of several reasons a record gets."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import BadInput
from schemas.names import Styles
from schemas.reasons import Reason
from schemas.screen import Aspect, Between, FigureLimits, ScoreLimits, Screen
from schemas.tables import SCREEN
from tasks.core import screen
from tasks.core.names import styles

CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
BY = "https://creativecommons.org/licenses/by/4.0/"


BLANK = {
    "rights_uri": CC0,
    "style": "Cubism",
    "has_wanted_style": True,
    "bytes": 1000,
    "width_px": 100,
    "height_px": 100,
    "contrast": 0.8,
    "chroma": 0.2,
    "blur": 0.2,
    "border": 0.0,
    "object_photo": 0.0,
    "colourfulness": 30.0,
    "figures": 1,
    "where.department": "Prints",
    "where.year": 1900,
}
KINDS = {
    "record_id": pa.string(),
    "rights_uri": pa.string(),
    "style": pa.string(),
    "has_wanted_style": pa.bool_(),
    "bytes": pa.int64(),
    "width_px": pa.int32(),
    "height_px": pa.int32(),
    **dict.fromkeys(screen.SCORES, pa.float64()),
    "figures": pa.int64(),
    "where.department": pa.string(),
    "where.year": pa.int32(),
}
NAMES = styles.names_by_style(Styles())


def view(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(
        [{"record_id": f"r{number}", **BLANK, **row} for number, row in enumerate(rows)], schema=pa.schema(KINDS)
    )


def decided(settings: dict[str, Any], *rows: dict[str, Any]) -> list[tuple[str | None, str | None]]:
    got = screen.decide(view(*rows), Screen.model_validate({"label": "screen", **settings}))
    assert got.schema == SCREEN
    assert got["record_id"].to_pylist() == [f"r{number}" for number in range(len(rows))]
    return [(row["reason"], row["detail"]) for row in got.to_pylist()]


@pytest.mark.parametrize(
    ("settings", "row", "expected"),
    [
        pytest.param({}, {"width_px": 1, "figures": 0}, (None, None), id="a screen that asks for nothing"),
        pytest.param({"least_side_px": 100}, {"width_px": 100}, (None, None), id="a side on the line"),
        pytest.param({"least_side_px": 100}, {"width_px": 99}, ("too_small", "99 px < 100 px"), id="a width below it"),
        pytest.param(
            {"least_side_px": 100}, {"height_px": 99}, ("too_small", "99 px < 100 px"), id="a height below it"
        ),
        pytest.param(
            {"aspect": Aspect(least=0.5, most=2)}, {"width_px": 200}, (None, None), id="twice as wide as high"
        ),
        pytest.param(
            {"aspect": Aspect(least=0.5, most=2)},
            {"width_px": 201},
            ("too_elongated", "201 x 100 px"),
            id="one pixel wider than that",
        ),
        pytest.param(
            {"aspect": Aspect(least=0.5, most=2)}, {"height_px": 200}, (None, None), id="twice as high as wide"
        ),
        pytest.param(
            {"aspect": Aspect(least=0.5, most=2)},
            {"height_px": 201},
            ("too_elongated", "100 x 201 px"),
            id="one pixel higher than that",
        ),
        pytest.param(
            {"figures": FigureLimits(least=1)}, {"figures": 0}, ("too_few_figures", "0 of person"), id="nobody"
        ),
        pytest.param({"figures": FigureLimits(least=1)}, {"figures": 1}, (None, None), id="somebody"),
        pytest.param(
            {"figures": FigureLimits(least=0)}, {"figures": 0}, (None, None), id="nobody, where nobody is needed"
        ),
        pytest.param(
            {"figures": FigureLimits(least=0, most=0)},
            {"figures": 1},
            ("too_many_figures", "1 of person"),
            id="somebody, where nobody may be",
        ),
        pytest.param({"figures": FigureLimits(most=4)}, {"figures": 4}, (None, None), id="as many as may be"),
        pytest.param(
            {"figures": FigureLimits()},
            {"figures": None},
            ("too_few_figures", "nobody has counted person"),
            id="nobody has counted",
        ),
        pytest.param(
            {"figures": FigureLimits(least=0, most=4)},
            {"figures": None},
            ("too_many_figures", "nobody has counted person"),
            id="nor here",
        ),
        pytest.param(
            {"figures": FigureLimits(least=0)}, {"figures": None}, (None, None), id="no matter, where nobody is needed"
        ),
        pytest.param({"pixels": Between(least=10_000)}, {}, (None, None), id="as many pixels as asked for"),
        pytest.param(
            {"pixels": Between(least=10_001)}, {}, ("outside_pixels", "10000 px < 10001 px"), id="a pixel too few"
        ),
        pytest.param(
            {"pixels": Between(least=1, most=9999)}, {}, ("outside_pixels", "10000 px > 9999 px"), id="a pixel too many"
        ),
        pytest.param(
            {"pixels": Between(most=10**10)},
            {"width_px": 60_000, "height_px": 60_000},
            (None, None),
            id="more pixels than 32 bits hold",
        ),
        pytest.param({"bytes": Between(least=1000, most=1000)}, {}, (None, None), id="bytes on both lines"),
        pytest.param(
            {"bytes": Between(most=999)}, {}, ("outside_bytes", "1000 bytes > 999 bytes"), id="a byte too many"
        ),
        pytest.param({"styles": ("Cubism",)}, {}, (None, None), id="a style that is wanted"),
        pytest.param(
            {"styles": ("Cubism",)},
            {"style": "Dada", "has_wanted_style": False},
            ("style_not_wanted", "Dada"),
            id="another style",
        ),
        pytest.param(
            {"styles": ("Cubism",)},
            {"style": None, "has_wanted_style": False},
            ("style_not_wanted", "no style"),
            id="no style",
        ),
        pytest.param({"where": {"department": "PRINTS"}}, {}, (None, None), id="a department, whatever the case"),
        pytest.param(
            {"where": {"department": "Arms"}},
            {"where.department": None},
            ("where_not_met", "department: unknown"),
            id="no department",
        ),
        pytest.param(
            {"where": {"year": {"most": 1899}, "department": "Arms"}},
            {},
            ("where_not_met", "department: Prints"),
            id="of two conditions the first by name",
        ),
        pytest.param(
            {"where": {"year": {"most": 1899}, "department": "Prints"}},
            {},
            ("where_not_met", "year: 1900"),
            id="all must be met",
        ),
        pytest.param(
            {"applies_to": {"department": "Arms"}, "least_side_px": 500},
            {},
            (None, None),
            id="one that it leaves out",
        ),
        pytest.param(
            {"applies_to": {"department": "Prints", "year": {"most": 1899}}, "least_side_px": 500},
            {},
            (None, None),
            id="one that meets half of what it applies to",
        ),
        pytest.param(
            {"applies_to": {"department": {"is_known": True}}, "least_side_px": 500},
            {},
            ("too_small", "100 px < 500 px"),
            id="one that it applies to",
        ),
        pytest.param({"colour": "colour"}, {"chroma": 0.025}, (None, None), id="colour on the line"),
        pytest.param(
            {"colour": "colour"}, {"chroma": 0.024}, ("not_in_colour", "chroma 0.024 < 0.025"), id="in one tone"
        ),
        pytest.param({"colour": "grey"}, {"chroma": 0.024}, (None, None), id="in one tone, where that is wanted"),
        pytest.param(
            {"colour": "grey"},
            {"chroma": 0.025},
            ("in_colour", "chroma 0.025 >= 0.025"),
            id="colour, where one tone is wanted",
        ),
        pytest.param(
            {"colour": "colour", "least_chroma": 0.3}, {}, ("not_in_colour", "chroma 0.2 < 0.3"), id="another line"
        ),
        pytest.param(
            {"scores": ScoreLimits(least_contrast=0.8, most_blur=0.2, most_border=0)},
            {},
            (None, None),
            id="scores on their limits",
        ),
        pytest.param(
            {"scores": ScoreLimits(least_contrast=0.81)}, {}, ("blank", "contrast 0.8 < 0.81"), id="too little contrast"
        ),
        pytest.param({"scores": ScoreLimits(most_blur=0.19)}, {}, ("blurred", "blur 0.2 > 0.19"), id="too much blur"),
        pytest.param(
            {"scores": ScoreLimits(most_border=0.2)},
            {"border": 0.21},
            ("framed", "border 0.21 > 0.2"),
            id="too much border",
        ),
        pytest.param(
            {"scores": ScoreLimits(least_colourfulness=15)},
            {"colourfulness": 3.25},
            ("not_in_colour", "colourfulness 3.25 < 15.0"),
            id="pale",
        ),
        pytest.param(
            {"scores": ScoreLimits(most_object_photo=0.75)},
            {"object_photo": 0.9},
            ("object_photo", "object_photo 0.9 > 0.75"),
            id="a vase",
        ),
        pytest.param({"rights": "public_domain"}, {"rights_uri": BY}, ("rights_not_open", BY), id="a word for rights"),
        pytest.param({"rights": "open"}, {"rights_uri": BY}, (None, None), id="a wider word"),
        pytest.param({"rights": "all"}, {"rights_uri": "NOASSERTION"}, (None, None), id="all rights"),
        pytest.param({"rights": (BY, CC0)}, {"rights_uri": CC0}, (None, None), id="rights that are listed"),
        pytest.param(
            {"rights": ("https://creativecommons.org/publicdomain/",)},
            {"rights_uri": CC0},
            (None, None),
            id="rights that begin as listed",
        ),
        pytest.param({"rights": (CC0,)}, {"rights_uri": BY}, ("rights_not_open", BY), id="other rights"),
        pytest.param(
            {"rights": (CC0,)},
            {"rights_uri": "NOASSERTION"},
            ("rights_not_open", "NOASSERTION"),
            id="rights that nobody asserts",
        ),
        pytest.param(
            {"rights": ("NOASSERTION",)},
            {"rights_uri": "NOASSERTION"},
            (None, None),
            id="rights that nobody asserts, let pass",
        ),
    ],
)
def test_each_check_and_its_edge(
    settings: dict[str, Any], row: dict[str, Any], expected: tuple[str | None, str | None]
):
    assert decided(settings, row) == [expected]


EVERY: dict[str, Any] = {
    "rights": (BY,),
    "styles": ("Cubism",),
    "where": {"year": {"least": 1850}, "department": ["Prints"]},
    "bytes": Between(most=5000),
    "pixels": Between(least=50),
    "least_side_px": 10,
    "aspect": Aspect(least=0.5, most=2),
    "colour": "colour",
    "figures": FigureLimits(least=2, most=3),
    "scores": ScoreLimits(least_contrast=0.1, most_blur=0.5, most_border=0.2, most_object_photo=0.75),
}
FAILS: dict[Reason, dict[str, Any]] = {
    Reason.RIGHTS_NOT_OPEN: {"rights_uri": CC0},
    Reason.STYLE_NOT_WANTED: {"has_wanted_style": False},
    Reason.WHERE_NOT_MET: {"where.department": "Arms"},
    Reason.OUTSIDE_BYTES: {"bytes": 5001},
    Reason.OUTSIDE_PIXELS: {"width_px": 4, "height_px": 9},
    Reason.TOO_SMALL: {"width_px": 6, "height_px": 40},
    Reason.TOO_ELONGATED: {"width_px": 10, "height_px": 30},
    Reason.BLANK: {"contrast": 0.0},
    Reason.NOT_IN_COLOUR: {"chroma": 0.0},
    Reason.BLURRED: {"blur": 1.0},
    Reason.FRAMED: {"border": 0.5},
    Reason.OBJECT_PHOTO: {"object_photo": 1.0},
    Reason.TOO_FEW_FIGURES: {"figures": 1},
}


def test_a_row_that_fails_several_checks_gets_the_first_of_them():
    good = {"rights_uri": BY, "figures": 2}
    reasons = list(FAILS)
    rows = []
    for number in range(len(reasons)):  # fails this check and all that follow; sizes fail as the first of them says
        failing = [FAILS[reason] for reason in reasons[number:]]
        rows.append({**good, **{name: value for fails in reversed(failing) for name, value in fails.items()}})
    rows += [{**good, "figures": 4}, good]
    assert [reason for reason, _ in decided(EVERY, *rows)] == [*reasons, Reason.TOO_MANY_FIGURES, None]


def test_what_a_person_includes_passes_every_check():
    bad = {name: value for fails in FAILS.values() for name, value in fails.items()}
    rows = view(bad, bad, {}).append_column("is_included", pa.array([True, False, False]))
    got = screen.decide(rows, Screen.model_validate({"label": "s", **EVERY}))
    assert got["reason"].to_pylist() == [None, "rights_not_open", "rights_not_open"]


def test_nothing_in_nothing_out():
    assert decided(EVERY) == []


@pytest.mark.parametrize(
    ("wanted", "style", "expected"),
    [
        pytest.param("Post-Impressionism", "Post Impressionism", True, id="another of its names"),
        pytest.param("PostImpressionism", "Post_Impressionism", True, id="two others"),
        pytest.param("Etching", "etching", True, id="a source's own word"),
        pytest.param("Etching", "Fresco", False, id="another of them"),
        pytest.param("Etching", None, False, id="no style"),
        pytest.param("?", "!", False, id="words without letters are equal only if they are the same"),
        pytest.param("?", "?", True, id="as these are"),
    ],
)
def test_wanted_styles(wanted: str, style: str | None, expected: bool):
    got = screen.has_style(pa.chunked_array([pa.array([style, "Cubism"], pa.string())]), [wanted], NAMES)
    assert got.to_pylist() == [expected, False]


def test_a_condition_that_nobody_meets_is_told():
    settings = Screen.model_validate({"label": "s", "where": {"department": "Print", "year": {"least": 1850}}})
    rows = view({}, {"where.department": "Arms"})
    assert screen.where_notes(rows, settings) == (
        "s: no record meets `where` of department: the nearest values are 'Prints'",
    )
    assert screen.where_notes(view({"where.department": "print"}), settings) == ()
    settings = Screen.model_validate({"label": "s", "applies_to": {"department": "Print"}})
    assert screen.where_notes(rows, settings) == (
        "s: no record meets `applies_to` of department: the nearest values are 'Prints'",
    )
    assert screen.where_notes(view(), settings) == ()


def test_a_slip_of_the_pen_is_told_with_what_is_near():
    screen.check_styles(Screen(label="s"), NAMES)
    screen.check_styles(Screen(label="s", styles=("Cubism", "Etching")), NAMES)
    with pytest.raises(
        BadInput, match=r"stages \(s\).styles: expected .*, got 'Cubsim': did you mean Cubism\? .*\{Cubsim: Cubsim\}"
    ):
        screen.check_styles(Screen(label="s", styles=("Cubism", "Cubsim")), NAMES)
    screen.check_styles(
        Screen(label="s", styles=("Cubsim",)), styles.names_by_style(Styles(aliases={"Cubsim": "Cubsim"}))
    )


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        pytest.param([], (), id="no record"),
        pytest.param([0, 2], (), id="all are counted"),
        pytest.param(
            [None, 2, None],
            ("s: no detector or annotation has counted people in 2 of 3 images",),
            id="some are not",
        ),
    ],
)
def test_what_nobody_has_counted_is_told(figures: list[int | None], expected: tuple[str, ...]):
    counts = pa.chunked_array([pa.array(figures, pa.int64())])
    assert screen.uncounted_notes(counts, Screen(label="s", figures=FigureLimits())) == expected
    assert screen.uncounted_notes(counts, Screen(label="s", figures=FigureLimits(least=0))) == ()


def test_a_screen_by_figures_that_nobody_has_counted_is_refused():
    counts = pa.chunked_array([pa.nulls(2, pa.int64())])
    with pytest.raises(
        BadInput,
        match=r"stages \(s\).figures: expected annotated records or a detect stage for person before it, "
        r"got 2 records without a count",
    ):
        screen.uncounted_notes(counts, Screen(label="s", figures=FigureLimits()))


def test_only_the_columns_that_are_asked_for_are_read():
    narrow = view({"figures": 0}).select(["record_id", "figures"])
    assert screen.decide(narrow, Screen(label="s", figures=FigureLimits()))["reason"].to_pylist() == ["too_few_figures"]
