"""The Met's JSON: the gallery, its mini set, queries and distractors."""

from typing import Any

from tasks.core.met_files import database, mini_database, queries

PATHS = {number: f"MET/{number}.jpg" for number in range(1, 301)}


def rows(**classes: Any) -> list[dict[str, Any]]:
    return [{"image_id": int(name[1:]), "object_id": value} for name, value in classes.items()]


def test_the_gallery_has_a_path_and_an_exhibit_of_each_image():
    assert database(rows(_3=70, _1=70, _2=8), PATHS, "object_id") == [
        {"id": 70, "path": "MET/3.jpg"},
        {"id": 70, "path": "MET/1.jpg"},
        {"id": 8, "path": "MET/2.jpg"},
    ]


def test_a_query_without_an_exhibit_is_a_distractor():
    found = queries(rows(_3=70, _1=None), PATHS, "object_id")
    assert found == [{"path": "MET/3.jpg", "MET_id": 70}, {"path": "MET/1.jpg"}]


def test_the_mini_set_has_all_images_of_what_is_asked_for_and_a_tenth_of_the_others():
    gallery = rows(**{f"_{number}": number % 100 for number in range(1, 301)})
    found = mini_database(gallery, PATHS, "object_id", {5, 6, None})
    assert sum(entry["id"] in {5, 6} for entry in found) == 6
    assert len(found) == 6 + 29  # of 294
    order = [entry["path"] for entry in database(gallery, PATHS, "object_id")]
    assert sorted(found, key=lambda entry: order.index(entry["path"])) == found
    assert mini_database(gallery[::-1], PATHS, "object_id", {5, 6}) == found[::-1]  # whatever the order
    assert mini_database([], PATHS, "object_id", {5}) == []
