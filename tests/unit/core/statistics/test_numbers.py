"""The table of all numbers: which parts of a truth it tells of, and the numbers beside those of figures."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import BadInput
from schemas.tables import CLASS_SIZES, TRUTH_STATISTICS
from tasks.core.statistics import numbers
from tasks.core.statistics.figures import TruthContents, count_images
from tasks.core.statistics.numbers import class_sizes, statistics_table
from tests.support.truths import box, contents, image


def told(truth: TruthContents) -> dict[tuple[Any, ...], dict[str, float | None]]:
    """The numbers by split, attribute and group."""
    table = statistics_table(truth, count_images(truth))
    assert table.schema.equals(TRUTH_STATISTICS)
    found: dict[tuple[Any, ...], dict[str, float | None]] = {}
    for row in table.to_pylist():
        found.setdefault((row["split"], row["attribute"], row["group"]), {})[row["statistic"]] = row["value"]
    return found


def test_a_truth_of_no_image_has_numbers_too():
    found = told(contents([]))
    assert [*found] == [(None, None, None)]
    assert found[None, None, None]["images"] == 0
    assert found[None, None, None]["widest_image_width_px"] is None


def test_splits_come_in_their_order_and_what_has_none_is_a_part_of_its_own():
    truth = contents([image(split=name) for name in ("b", "test", None, "train", "train")], [box(3)])
    assert [split for split, *_ in told(truth)] == [None, "train", "test", "b", "unknown"]
    assert told(truth)["train", None, None]["with_figures"] == 1


def test_groups_are_the_values_of_attributes():
    truth = contents([image(), image(), image()], [box(0), box(1)], groups={"mood": pa.array(["sad", None, "sad"])})
    found = told(truth)
    assert {key: values["figures"] for key, values in found.items()} == {
        (None, None, None): 2,
        (None, "mood", "sad"): 1,
        (None, "mood", "unknown"): 1,
    }
    assert "widest_image_width_px" not in found[None, "mood", "sad"]


def test_an_attribute_of_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(numbers, "MOST_VALUES", 1)
    truth = contents([image(), image()], groups={"mood": pa.array(["sad", "merry"])})
    with pytest.raises(BadInput, match="--by: expected an attribute of at most 1 values, got 'mood' with 2 in a"):
        statistics_table(truth, count_images(truth))


def test_styles_are_counted_once_in_each_spelling_and_unknown_is_none():
    found = told(contents([image(style=style) for style in ("Cubism", "CUBISM", "Rococo", None)]))
    assert found[None, None, None]["styles"] == 2


def test_the_widest_and_the_highest_are_shown_with_both_sides():
    images = [image(width_px=6298, height_px=3049), image(width_px=4524, height_px=6018), image(width_px=9999)]
    found = told(contents(images, [box(0, (0, 0, 9, 20)), box(1, (0, 0, 9, 30))]))[None, None, None]
    assert [found[f"{name}_px"] for name in ("widest_image_width", "widest_image_height")] == [6298, 3049]
    assert [found[f"{name}_px"] for name in ("highest_image_width", "highest_image_height")] == [4524, 6018]
    assert found["widest_figure_height_px"] == 30


def test_years_aspects_and_artists():
    rows = [("A", 1900, 200, 100), ("A", 1910, 100, 400), ("B", None, None, None), (None, -5, 100, 200)]
    images = [image(artist=artist, year=year, width_px=w, height_px=h) for artist, year, w, h in rows]
    found = told(contents(images))[None, None, None]
    assert (found["first_year"], found["median_year"], found["last_year"]) == (-5, 1900, 1910)
    assert found["known_years_share"] == 0.75
    assert found["moderate_aspect_share"] == pytest.approx(2 / 3)  # 2 : 1 and 1 : 2 are in
    assert (found["artists"], found["unknown_artist"], found["largest_artist_share"]) == (3, 1, 0.5)


def test_classes_are_exhibits_as_in_the_mets_tables():
    splits = ["train"] * 4 + ["test", "test"]
    truth = contents(
        [image(split=split) for split in splits],
        exhibits=pa.array(["1", "1", "1", "2", "2", None]),
        groups={"department": pa.array(["Prints"] * 3 + ["Arms"] * 3)},
    )
    found = told(truth)
    names = ("classes", "mean_images_of_class", "most_images_of_class", "single_image_classes_share")
    assert [found["train", None, None][name] for name in names] == [2, 2, 3, 0.5]
    assert [found["test", None, None][name] for name in names] == [1, 1, 1, 1]
    assert found[None, "department", "Prints"]["classes"] == 1
    rows = class_sizes(truth).to_pylist()
    assert [(row["split"], row["images"], row["classes"]) for row in rows] == [
        *((None, 2, 1), (None, 3, 1), ("train", 1, 1), ("train", 3, 1), ("test", 1, 1)),
    ]


def test_where_images_have_no_class_nothing_is_told_of_classes():
    truth = contents([image()])
    assert class_sizes(truth).equals(CLASS_SIZES.empty_table())
    assert "classes" not in told(truth)[None, None, None]


def test_each_of_several_categories_is_counted_also_without_a_box():
    boxes = [box(0), box(0, is_crowd=True), box(1, category="dog")]
    found = told(contents([image(), image()], boxes, categories=("cat", "dog", "person")))
    counts = {group: (values["images"], values["figures"]) for (_, of, group), values in found.items() if of}
    assert counts == {"cat": (0, 0), "dog": (1, 1), "person": (1, 2)}


def test_categories_are_no_attribute_where_there_are_several():
    truth = contents([image()], categories=("cat", "dog"), groups={"category": pa.array(["a"])})
    with pytest.raises(BadInput, match="--by: expected another attribute than 'category'"):
        statistics_table(truth, count_images(truth))
