"""Plots of several truths: a line for each, XML that can be read, and nothing where there is nothing to show."""

import xml.etree.ElementTree as ET

import pyarrow as pa

from tasks.core.statistics.curves import figures, plots
from tasks.core.statistics.side_by_side import truth_tables
from tests.support.truths import apart, box, contents, image

EVIL = "<script>alert('x')</script>\"&"


def test_a_truth_of_nothing_has_no_plot():
    assert plots(truth_tables([contents([]), contents([image(is_annotated=False)], name="b")])) == {}


def test_each_truth_has_a_line_in_each_plot():
    full = [image(artist="A", year=1900 + row, width_px=3, height_px=2, split="train") for row in range(3)]
    exhibits = pa.array(["1", "1", "2"])
    first = contents(full, [*apart(0, 2), box(0), box(1)], exhibits=exhibits)
    drawn = plots(truth_tables([first, contents(full, [box(2)], name=EVIL)]))
    assert {*drawn} == {"figures", "overlaps", "works", "years", "aspects", "classes"}
    for name, svg in drawn.items():
        root = ET.fromstring(svg)
        lines = [path for path in root.iter("{http://www.w3.org/2000/svg}path") if path.get("class") == "line"]
        assert len(lines) == 4, name  # and their marks in the legend; of classes: of all and of train
        assert "script>" not in svg


def test_figures_of_a_page_show_the_same_points_as_wide_as_a_phone():
    tables = truth_tables([contents([image(artist="A", year=1900)], [box(0)], name=EVIL)])
    years, works = figures(tables, ["years", "classes", "works"])
    for html, title in ((years, "Works by decade"), (works, "Works per artist")):
        root = ET.fromstring(html[html.index("<svg") : html.index("<figcaption")])
        assert root.findtext("title") == title
        assert root.get("viewBox", "").startswith("0 0 360 ")
        assert "script>" not in html
    assert "id='statistic-years-t'" in years


def test_a_page_has_no_figure_of_nothing():
    assert figures(truth_tables([contents([])]), ["years", "works", "overlaps"]) == []


def test_a_plot_of_one_image_is_one():
    drawn = plots(truth_tables([contents([image(artist="A", year=1900, width_px=1, height_px=1)], [box(0)])]))
    assert {*drawn} == {"figures", "overlaps", "works", "years", "aspects"}
    assert all("nan" not in svg for svg in drawn.values())
