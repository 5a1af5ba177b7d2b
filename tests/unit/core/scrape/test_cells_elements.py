"""Works of several images as records: one for each element, with keys of their own and one group."""

from typing import Any

import pytest

from schemas.errors import BadInput
from schemas.sources.table import TableSource
from tasks.core.scrape import records, table
from tasks.core.scrape.cells import MAX_ELEMENTS
from tasks.core.scrape.paths import TWICE

COLUMNS = {"key": "id", "image": "each.url", "title": "title"}


def listed(rows: list[dict[str, Any]], each: str = "images", **columns: str) -> list[dict[str, Any]]:
    source = TableSource(name="art", table="works.json", each=each, columns={**COLUMNS, **columns})  # type: ignore[dict-item]
    return records.unique(table.records(source, rows))


def work(images: Any, key: Any = 1, **more: Any) -> dict[str, Any]:
    return {"id": key, "title": "A", "images": images, **more}


GOOD = work([{"url": "g.jpg"}], "good")


def test_each_element_is_a_record_of_one_group():
    got = listed([work([{"url": "1.jpg"}, {"url": "2.jpg", "title": "detail"}])], title="each.title")
    assert [(row["record_id"], row["locator"], row["title"]) for row in got] == [
        ("art:1/1", "1.jpg", None), ("art:1/2", "2.jpg", "detail")
    ]  # fmt: skip
    assert {row["declared_group"] for row in got} == {"1"}


def test_the_elements_own_id_makes_its_key_and_a_column_its_group():
    rows = [work([{"url": "1.jpg", "id": "x"}, {"url": "2.jpg", "id": 7}], set="S")]
    got = listed(rows, each_key="each.id", group="set")
    assert [(row["record_id"], row["declared_group"]) for row in got] == [("art:1/7", "S"), ("art:1/x", "S")]


def test_elements_may_be_plain_values():
    assert [row["locator"] for row in listed([work(["1.jpg", "2.jpg"])], image="each")] == ["1.jpg", "2.jpg"]


def test_lists_within_lists_are_one():
    rows = [
        {
            "id": 1,
            "title": "A",
            "rooms": [{"images": [{"url": "1.jpg"}]}, {"images": []}, {}, {"images": [{"url": "2.jpg"}]}],
        }
    ]
    assert [row["record_id"] for row in listed(rows, "rooms[].images")] == ["art:1/1", "art:1/2"]


@pytest.mark.parametrize(
    ("images", "detail"),
    [
        pytest.param([], "images: an empty list", id="an empty list"),
        pytest.param(None, "images: nothing is there", id="null"),
        pytest.param({"url": "1.jpg"}, "images: an object in place of a list", id="an object"),
        pytest.param("1.jpg", "images: no list", id="a text"),
        pytest.param(TWICE, "images: two values under one name", id="a field twice"),
        pytest.param([{}] * (MAX_ELEMENTS + 1), "images: 10001 elements, at most 10,000 are possible", id="too many"),
        pytest.param([None] * 2_000_000, "images: 2000000 elements, at most 10,000 are possible", id="two million"),
    ],
)
def test_a_work_without_elements_is_a_drop_that_says_why(images: Any, detail: str):
    bad, good = listed([work(images), GOOD])
    assert (bad["record_id"], bad["reason"], bad["detail"]) == ("art:1", "bad_record", detail)
    assert good["reason"] is None


@pytest.mark.parametrize("element", [None, {}, {"url": ""}, {"url": None}, "1.jpg", 7, []])
def test_an_element_without_an_image_is_a_drop_of_its_own(element: Any):
    bad, good, _ = listed([work([element, {"url": "2.jpg"}]), GOOD])
    assert (bad["record_id"], bad["detail"]) == ("art:1/1", "no image in the row")
    assert good["record_id"] == "art:1/2"


def test_works_and_elements_without_keys_are_drops():
    rows = [work([{"url": "1.jpg"}], None), work([], None), GOOD]
    assert [row["detail"] for row in listed(rows) if row["reason"]] == ["no key in the row"] * 2
    rows = [work([{"url": "1.jpg"}, {"url": "2.jpg", "id": "x"}])]
    assert [row["detail"] for row in listed(rows, each_key="each.id") if row["reason"]] == ["no key in the row"]


def test_names_that_no_text_can_hold_are_written_otherwise():
    rows = [work([{"url": "1.jpg"}], "a\ud800"), work([], "b\ud800"), {**GOOD, "\ud800": 1}]
    got = listed(rows)
    assert [row["record_id"] for row in got] == ["art:a?/1", "art:b?", "art:good/1"]
    assert records.records_table(got).num_rows == 3


def test_elements_of_one_key_are_told_apart():
    rows = [work([{"url": "1.jpg", "id": 7}, {"url": "2.jpg", "id": 7}])]
    assert sorted(str(row["reason"]) for row in listed(rows, each_key="each.id")) == ["None", "same_key"]


@pytest.mark.parametrize(
    ("each", "rows", "said"),
    [
        (
            "pictures",
            [GOOD],
            "expected a list at 'pictures' (each) in the works of works.json, got none in 1, which have ['id', "
            "'images', 'title']: if the list of works is within one of these, name it with `works`",
        ),
        ("title", [GOOD, GOOD], "got none in 2, which have ['id', 'images', 'title']"),
        ("images[", [GOOD], "each: expected a path such as"),
    ],
)
def test_a_path_to_no_list_is_one_sentence(each: str, rows: list[dict[str, Any]], said: str):
    with pytest.raises(BadInput, match=r"^source 'art': ") as caught:
        listed(rows, each)
    assert said in str(caught.value)


def test_a_list_where_one_value_is_expected_is_refused_with_a_path():
    with pytest.raises(BadInput) as caught:
        listed([work([{"url": ["1.jpg"]}])])
    assert str(caught.value).endswith("take one value by a path, such as each.url[0]")


def test_no_works_no_records():
    assert listed([]) == []
