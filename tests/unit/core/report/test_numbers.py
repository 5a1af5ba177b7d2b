"""The sections of numbers: the tables of `statistics`, which styles are in which split, rights."""

import re
import xml.etree.ElementTree as ET

import pyarrow as pa

from schemas.tables import SHARES
from tasks.core.report import numbers
from tasks.core.statistics.side_by_side import truth_tables
from tests.support import hostile_texts
from tests.support.pages import without_isolation
from tests.support.truths import apart, box, contents, image


def shares(*rows: tuple[str | None, str, int]) -> pa.Table:
    """SHARES of (style, split, images)."""
    plain = dict.fromkeys(SHARES.names)
    said = [
        {**plain, "stratum": style, "split": split, "images": images, "figures": 0} for style, split, images in rows
    ]
    return pa.Table.from_pylist(said, SHARES)


def test_the_tables_of_statistics_are_there_without_the_column_that_says_which_truth():
    images = [image(split="train", year=1900, width_px=3, height_px=2), image(split="test", year=1910)]
    tables = truth_tables([contents(images, [*apart(0, 6), box(1)], name=numbers.TRUTH)])
    html = without_isolation(numbers.numbers(tables))
    assert re.findall(r"<h3>(.*?)</h3>", html) == ["Images and figures", "How crowded", "Sizes", "Works"]
    assert "<tr><td>train<td class=n>1<td class=n>1<td class=n>0" in html
    assert "<tr><td>total<td class=n>2<td class=n>2<td class=n>0" in html
    assert "<tr><td>images with 6 figures or more<td class=n>50.00 %" in html
    assert "<tr><td>widest image, px<td class=n>3 x 2" in html
    assert "<tr><td>median year<td class=n>1905" in html
    assert "<th>truth" not in html
    assert "<th>of all images<th class=n>this release" in html


def test_plots_are_those_that_no_other_section_has():
    images = [image(artist="A", year=1900 + at, width_px=3, height_px=2, split="train") for at in range(3)]
    exhibits = pa.array(["1", "1", "2"])
    tables = truth_tables([contents(images, [box(0), box(0)], name=numbers.TRUTH, exhibits=exhibits)])
    drawn = [ET.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", numbers.numbers(tables))]
    assert [one.findtext("title") for one in drawn] == ["Works by decade", "Overlaps per image", "Images a class"]
    assert {one.get("viewBox", "").split()[2] for one in drawn} == {"360"}


def test_a_release_of_no_image_has_no_plot():
    html = numbers.numbers(truth_tables([contents([], name=numbers.TRUTH)]))
    assert "<svg" not in html
    assert "<tr><td>total<td class=n>0" in html


def test_each_style_has_a_row_and_what_is_empty_is_seen():
    table = shares((None, "train", 9), ("Pop", "train", 4), ("Pop", "test", 2), ("Op", "train", 3), ("Op", "test", 0))
    html = without_isolation(numbers.styles_and_splits(table))
    assert "<p>Without an image: 1 of 4 cells (Op in test).</p>" in html
    assert "<table class=heat><tr><th>style<th class=n>train<th class=n>test" in html
    assert "<tr><td>Pop<td class=n style='--share:1.00'>4<td class=n style='--share:0.50'>2" in html
    assert "<tr><td>Op<td class=n style='--share:0.75'>3<td class='n empty'>none" in html
    assert "more styles" not in html


def test_without_a_style_there_is_no_grid():
    assert numbers.styles_and_splits(shares((None, "train", 9))) == ""
    assert numbers.styles_and_splits(SHARES.empty_table()) == ""


def test_a_style_of_no_image_at_all_is_empty_cells():
    html = numbers.styles_and_splits(shares(("Pop", "train", 0), ("Pop", "test", 0)))
    assert html.count("class='n empty'") == 2


def test_of_many_styles_so_many_are_shown_as_a_person_reads():
    rows = [(f"{hostile_texts.HTML} {place}", split, place) for place in range(100) for split in ("train", "test")]
    html = numbers.styles_and_splits(shares(*rows))
    assert html.count("<tr><td>") == 60
    assert "<p>... and 40 more styles, in statistics/shares.parquet.</p>" in html
    assert "<script" not in html


def test_rights_stand_by_number_each_with_what_it_allows():
    html = without_isolation(
        numbers.rights({"NOASSERTION": 2, "https://creativecommons.org/publicdomain/zero/1.0/": 1_200, "<b>": 2})
    )
    rows = re.findall(r"<tr><td>(.*)", html)
    assert rows[0] == (
        "https://creativecommons.org/publicdomain/zero/1.0/<td class=n>1,200<td>Any use; nothing is asked."
    )
    assert rows[1].startswith("&lt;b&gt;<td class=n>2<td>Its own text says")
    assert rows[2].startswith("NOASSERTION<td class=n>2")


def test_of_many_rights_so_many_are_shown_as_a_person_reads():
    html = numbers.rights({f"https://museum.example/{place}": 1 for place in range(90)})
    assert html.count("<tr><td>") == 60
    assert "... and 30 more rights statements." in html
