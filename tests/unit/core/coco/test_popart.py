"""PoPArt's way of COCO: names of files, fields and their order, keypoints without a 1."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.coco.popart import file_names, popart_file

NAMES = {7: "a_b-1900.jpg"}


def work(image_id: int = 1, **changes: Any) -> dict[str, Any]:
    known = {"artist": "Juan Gris", "title": "Guitar", "year": 1913, "format": "JPEG"}
    return {"image_id": image_id, **known, **changes}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({}, "juan-gris_guitar-1913.jpg", id="all is known"),
        pytest.param({"artist": None}, "unknown-artist_guitar-1913.jpg", id="no artist"),
        pytest.param({"title": None}, "juan-gris_untitled-1913.jpg", id="no title"),
        pytest.param({"year": None}, "juan-gris_guitar.jpg", id="no year"),
        pytest.param({"title": "../../etc/passwd\0"}, "juan-gris_etc-passwd-1913.jpg", id="a way out"),
        pytest.param({"title": "..", "artist": "/"}, "unknown-artist_untitled-1913.jpg", id="nothing but signs"),
        pytest.param({"title": "_a__b_"}, "juan-gris_a-b-1913.jpg", id="underscores are breaks"),
        pytest.param({"title": "Straße Ärger ﬁ"}, "juan-gris_strasse-arger-fi-1913.jpg", id="accents and ligatures"),
        pytest.param({"title": "神奈川沖浪裏"}, "juan-gris_神奈川沖浪裏-1913.jpg", id="letters of another script"),
        pytest.param({"title": "x" * 500}, f"juan-gris_{'x' * 90}-1913.jpg", id="a long title"),
        pytest.param({"title": "浪" * 500}, f"juan-gris_{'浪' * 30}-1913.jpg", id="a long title of wide letters"),
        pytest.param({"format": "XCF"}, "juan-gris_guitar-1913.bin", id="an unknown format"),
    ],
)
def test_the_name_of_a_file(changes: dict[str, Any], expected: str):
    assert file_names([work(**changes)]) == {1: expected}
    assert len(expected.encode()) <= 255


def test_images_that_would_have_one_name_all_have_their_id():
    got = file_names([work(1), work(2, format="PNG"), work(3, title="guitar!"), work(4, title="Other")])
    assert got == {
        1: "juan-gris_guitar-1913_1.jpg",
        2: "juan-gris_guitar-1913_2.png",
        3: "juan-gris_guitar-1913_3.jpg",
        4: "juan-gris_other-1913.jpg",
    }
    assert file_names([]) == {}


@given(st.lists(st.tuples(st.none() | st.text(), st.none() | st.text(), st.none() | st.integers(0, 3)), max_size=9))
def test_no_two_names_are_equal_and_none_leads_anywhere(rows: list[tuple[str | None, str | None, int | None]]):
    got = file_names([work(number, artist=row[0], title=row[1], year=row[2]) for number, row in enumerate(rows, 1)])
    assert len({*got.values()}) == len(rows)
    for name in got.values():
        assert not {"/", "\\", "\0"} & {*name}
        assert not name.startswith(".")
        assert len(name.encode()) <= 255


def document(**changes: Any) -> dict[str, Any]:
    box = {
        "id": 5,
        "image_id": 7,
        "category_id": 1,
        "bbox": [616.0, 1718.0, 1305.0, 1011.0],
        "area": 1.0,
        "iscrowd": 0,
        "segmentation": [[0, 0, 1, 0, 1, 1]],
        "score": 0.9,
        **changes,
    }
    metadata = {"record_id": "s:1", "source_url": "https://w/1", "style": "Cubism", "title": "t"}
    image = {
        "id": 7,
        "width": 2310,
        "height": 3000,
        "license": 1,
        "file_name": "x.jpg",
        "coco_url": "https://w/1.jpg",
        "is_annotated": True,
        "metadata": metadata,
    }
    return {
        "annotations": [box],
        "categories": [{"id": 1, "name": "person"}],
        "images": [image],
        "info": {"version": "v"},
        "licenses": [{"id": 1}],
    }


def test_fields_stand_as_in_figure_8():
    """1305 x 1011 = 1,319,355; 616 + 1305 = 1921, 1718 + 1011 = 2729."""
    found, hidden = popart_file(document(), NAMES)
    assert [*found] == ["info", "licenses", "images", "annotations", "categories"]
    (image,), (box,) = found["images"], found["annotations"]
    metadata = {"wikiart_url": "https://w/1", "wikiart_image_url": "https://w/1.jpg", "wikiart_style": "Cubism"}
    assert [*image.items()] == [
        ("id", 7),
        ("license", 1),
        ("width", 2310),
        ("height", 3000),
        ("file_name", "a_b-1900.jpg"),
        ("metadata", metadata),
    ]
    assert [*box.items()] == [
        ("id", 5),
        ("image_id", 7),
        ("category_id", 1),
        ("area", 1_319_355),
        ("bbox", [616, 1718, 1305, 1011]),
        ("segmentation", [[1921, 1718, 1921, 2729, 616, 2729, 616, 1718]]),
        ("iscrowd", 0),
    ]
    assert hidden == 0


@pytest.mark.parametrize(
    ("keypoints", "expected", "count", "hidden"),
    [
        pytest.param([1.5, 2, 2, 3, 4, 2], [1.5, 2, 2, 3, 4, 2], 2, 0, id="seen"),
        pytest.param([1, 2, 1, 3, 4, 2], [1, 2, 2, 3, 4, 2], 2, 1, id="a hidden one"),
        pytest.param([1, 2, 1, 3, 4, 0], [1, 2, 2, 0, 0, 0], 1, 1, id="an absent one with a place"),
        pytest.param([1, 2, 0], None, None, 0, id="all are absent"),
        pytest.param([], None, None, 0, id="none"),
        pytest.param(None, None, None, 0, id="null"),
    ],
)
def test_keypoints_are_seen_or_absent(
    keypoints: list[float] | None, expected: list[float] | None, count: int | None, hidden: int
):
    found = popart_file(document(keypoints=keypoints, num_keypoints=9), NAMES)
    (box,) = found.document["annotations"]
    assert (box.get("keypoints"), box.get("num_keypoints"), found.hidden_keypoints) == (expected, count, hidden)
    assert ("keypoints" in box) == (expected is not None)


def test_an_image_without_addresses_has_null_there():
    given_document = document()
    given_document["images"][0] |= {"coco_url": "", "metadata": {"source_url": None, "style": None}}
    (image,) = popart_file(given_document, NAMES).document["images"]
    assert image["metadata"] == {"wikiart_url": None, "wikiart_image_url": None, "wikiart_style": None}
