"""A training's curves: well-formed, every line there, nothing from outside, and no clock."""

import xml.etree.ElementTree as ET

import pyarrow as pa
import pytest

from schemas.tables import CURVES
from tasks.core.train.curves import curves_svg

SVG = "{http://www.w3.org/2000/svg}"


def table(*rows: tuple[int, str, float]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(CURVES.names, row, strict=True)) for row in rows], schema=CURVES)


LOSSES = [(1, "loss", 4.0), (1, "loss/box", 3.0), (1, "s", 9.5), (2, "loss", 2.0), (2, "loss/box", 1.0), (2, "s", 19.5)]


def words(svg: str) -> list[str]:
    return [text.text or "" for text in ET.fromstring(svg).iter(f"{SVG}text")]


def test_every_line_is_there_named_at_its_end_and_falls_where_the_loss_falls():
    svg = curves_svg(table(*LOSSES, (2, "AP50", 0.5), (2, "AP", 0.25)), "fcos_small")
    assert {"loss", "box", "AP50", "AP", "step of fcos_small"} <= set(words(svg))
    lines = [path.get("d") for path in ET.fromstring(svg).iter(f"{SVG}path") if path.get("class") == "line"]
    assert len(lines) == 4
    assert lines[0] == "M281 30L510 110"  # 4 of at most 4, then 2 of 4: from the top of the panel to its middle


def test_without_an_evaluation_there_is_one_panel_and_without_rows_a_frame():
    assert "on the images of the evaluation" not in curves_svg(table(*LOSSES), "x")
    assert words(curves_svg(table(), "x"))[-1] == "step of x"


def test_seconds_change_nothing():
    later = [(step, name, value + 100 if name == "s" else value) for step, name, value in LOSSES]
    assert curves_svg(table(*LOSSES), "x") == curves_svg(table(*later), "x")


@pytest.mark.parametrize("title", ["<script>", "a & b", "\x00"])
def test_a_name_is_text_and_no_markup(title):
    assert "<script>" not in curves_svg(table(*LOSSES), title)
    ET.fromstring(curves_svg(table(*LOSSES), title))
