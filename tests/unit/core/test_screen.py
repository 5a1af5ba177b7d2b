"""The one filter: each check, its edges, and which of several reasons a record gets."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.screen import Aspect, Figures, Screen
from schemas.tables import SCREEN
from tasks.core import screen

CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
BY = "https://creativecommons.org/licenses/by/4.0/"


def view(*rows: dict[str, Any]) -> pa.Table:
    blank = {"rights_uri": CC0, "width_px": 100, "height_px": 100, "figures": 1}
    kinds = [
        ("record_id", pa.string()),
        ("rights_uri", pa.string()),
        ("width_px", pa.int32()),
        ("height_px", pa.int32()),
        ("figures", pa.int64()),
    ]
    return pa.Table.from_pylist(
        [{"record_id": f"r{number}", **blank, **row} for number, row in enumerate(rows)], schema=pa.schema(kinds)
    )


def decided(settings: dict[str, Any], *rows: dict[str, Any]) -> list[tuple[str | None, str | None]]:
    got = screen.decide(view(*rows), Screen(label="screen", **settings))
    assert got.schema == SCREEN
    assert got["record_id"].to_pylist() == [f"r{number}" for number in range(len(rows))]
    return [(row["reason"], row["detail"]) for row in got.to_pylist()]


@pytest.mark.parametrize(
    ("settings", "row", "expected"),
    [
        pytest.param({}, {"width_px": 1, "figures": 0}, (None, None), id="a screen that asks for nothing"),
        pytest.param({"least_side_px": 100}, {"width_px": 100}, (None, None), id="a side on the line"),
        pytest.param({"least_side_px": 100}, {"width_px": 99}, ("too_small", "99 px < 100 px"), id="a width below it"),
        pytest.param({"least_side_px": 100}, {"height_px": 99}, ("too_small", "99 px < 100 px"), id="a height below it"),
        pytest.param({"aspect": Aspect(least=0.5, most=2)}, {"width_px": 200}, (None, None), id="twice as wide as high"),
        pytest.param({"aspect": Aspect(least=0.5, most=2)}, {"width_px": 201}, ("too_elongated", "201 x 100 px"), id="one pixel wider than that"),
        pytest.param({"aspect": Aspect(least=0.5, most=2)}, {"height_px": 200}, (None, None), id="twice as high as wide"),
        pytest.param({"aspect": Aspect(least=0.5, most=2)}, {"height_px": 201}, ("too_elongated", "100 x 201 px"), id="one pixel higher than that"),
        pytest.param({"figures": Figures(least=1)}, {"figures": 0}, ("too_few_figures", "0 of person"), id="nobody"),
        pytest.param({"figures": Figures(least=1)}, {"figures": 1}, (None, None), id="somebody"),
        pytest.param({"figures": Figures(least=0)}, {"figures": 0}, (None, None), id="nobody, where nobody is needed"),
        pytest.param({"figures": Figures(least=0, most=0)}, {"figures": 1}, ("too_many_figures", "1 of person"), id="somebody, where nobody may be"),
        pytest.param({"figures": Figures(most=4)}, {"figures": 4}, (None, None), id="as many as may be"),
        pytest.param({"rights": (BY, CC0)}, {"rights_uri": CC0}, (None, None), id="rights that are listed"),
        pytest.param({"rights": ("https://creativecommons.org/publicdomain/",)}, {"rights_uri": CC0}, (None, None), id="rights that begin as listed"),
        pytest.param({"rights": (CC0,)}, {"rights_uri": BY}, ("rights_not_open", BY), id="other rights"),
        pytest.param({"rights": (CC0,)}, {"rights_uri": "NOASSERTION"}, ("rights_not_open", "NOASSERTION"), id="rights that nobody asserts"),
        pytest.param({"rights": ("NOASSERTION",)}, {"rights_uri": "NOASSERTION"}, (None, None), id="rights that nobody asserts, let pass"),
    ],
)  # fmt: skip
def test_each_check_and_its_edge(
    settings: dict[str, Any], row: dict[str, Any], expected: tuple[str | None, str | None]
):
    assert decided(settings, row) == [expected]


def test_a_row_that_fails_all_checks_gets_the_first_of_them():
    every = {
        "rights": (BY,),
        "least_side_px": 10,
        "aspect": Aspect(least=0.5, most=2),
        "figures": Figures(least=2, most=3),
    }
    rows = [
        {"rights_uri": CC0, "width_px": 1, "figures": 0},
        {"rights_uri": BY, "width_px": 1, "figures": 0},
        {"rights_uri": BY, "width_px": 10, "figures": 0},
        {"rights_uri": BY, "figures": 0},
        {"rights_uri": BY, "figures": 4},
        {"rights_uri": BY, "figures": 3},
    ]
    assert [reason for reason, _ in decided(every, *rows)] == [
        "rights_not_open", "too_small", "too_elongated", "too_few_figures", "too_many_figures", None,
    ]  # fmt: skip


def test_nothing_in_nothing_out():
    every = {"rights": (BY,), "least_side_px": 1, "aspect": Aspect(), "figures": Figures(most=3)}
    assert decided(every) == []


def test_only_the_columns_that_are_asked_for_are_read():
    narrow = view({"figures": 0}).select(["record_id", "figures"])
    assert screen.decide(narrow, Screen(label="s", figures=Figures()))["reason"].to_pylist() == ["too_few_figures"]
