"""The benchmark of choosing: its rows, its sides, its plot."""

import xml.etree.ElementTree as ET
from collections import Counter

import pyarrow.compute as pc
import pytest

from benchmarks import choose, growth


def test_synthetic_rows_are_sorted_and_the_same_each_time_and_groups_are_pairs(monkeypatch):
    monkeypatch.setattr(choose, "_AT_ONCE", 500)
    table = choose.synthetic(1200)
    assert table.equals(choose.synthetic(1200))
    assert pc.count_distinct(table["record_id"]).as_py() == 1200
    assert table["record_id"].to_pylist() == sorted(table["record_id"].to_pylist())
    sizes = Counter(row["counts"] for row in pc.value_counts(table["group"].drop_null()).to_pylist())
    assert set(sizes) <= {1, 2}


def test_both_sides_choose_as_many():
    table = choose.synthetic(3000)
    ours, peer = choose.ours(table, is_real=False), choose.peer(table, is_real=False)
    assert ours["rows"] == peer["rows"] == 3000
    assert ours["splits"] == {
        name: pytest.approx(count, abs=2) for name, count in (("train", 1800), ("val", 600), ("test", 600))
    }


def test_the_real_lists_are_read_whole(shared_data):
    table = choose.real(shared_data / "wikiart_style_lists" / "Style")
    assert (table.num_rows, pc.count_distinct(table["artist"]).as_py(), pc.count_distinct(table["style"]).as_py()) == (
        81446,
        1119,
        27,
    )
    found = choose.ours(table, is_real=True)
    lacks = {row["style"]: row["lacks"] for row in found["styles"] if row["lacks"]}
    assert len(lacks) == 22
    assert lacks["Action painting"] == 5902
    assert found["notes"][0].startswith(
        "sample: 22 of 27 strata have fewer than 6000: Action painting 98, Analytical Cubism 110, "
    )


def test_the_plot_is_an_svg_with_a_dot_for_each_size():
    drawing = growth.plot([(1e5, 0.1), (1e6, 1.0), (1e7, 12.0)], "ours", "rows", [(1e5, 0.05), (1e7, 20.0)], "theirs")
    root = ET.fromstring(drawing)
    dots = list(root.iter("{http://www.w3.org/2000/svg}circle"))
    assert [float(dot.get("cx", "")) for dot in dots] == [100.0, 345.0, 590.0]
    heights = [float(dot.get("cy", "")) for dot in dots]
    assert heights == sorted(heights, reverse=True)
    assert "12 s" in drawing


@pytest.mark.parametrize(("seconds", "said"), [(0.01234, "0.0123 s"), (999.0, "999 s"), (12345.6, "12346 s")])
def test_seconds_in_a_few_digits(seconds, said):
    assert growth.said(seconds) == said
