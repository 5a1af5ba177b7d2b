"""ArtBench's list, and the folders of styles."""

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.artbench import COLUMNS, artbench_list, style_folders, style_labels

ARTBENCH = {
    "Art Nouveau": "art_nouveau",
    "Post-Impressionism": "post_impressionism",
    "Renaissance": "renaissance",
    "Ukiyo-e": "ukiyo_e",
}


def image(number: int, style: str = "Ukiyo-e", **changes: Any) -> dict[str, Any]:
    known = {"artist": "Hokusai", "source_url": "https://a.example/1", "image_url": None, "split": "train"}
    size = {"width_px": 30, "height_px": 20, "rights_uri": "NOASSERTION"}
    return {"image_id": number, "style": style, **known, **size, **changes}


def test_folders_are_called_as_artbenchs_are():
    assert style_folders(ARTBENCH) == ARTBENCH
    assert style_labels(ARTBENCH) == {name: number for number, name in enumerate(ARTBENCH)}


@pytest.mark.parametrize(
    ("styles", "expected"),
    [
        pytest.param([], {}, id="none"),
        pytest.param(["???"], {"???": "style"}, id="no letters"),
        pytest.param(["!", "?"], {"!": "style_1", "?": "style_2"}, id="two without letters"),
        pytest.param(
            ["a b", "A-B", "a b 1"], {"A-B": "a_b_2", "a b": "a_b_3", "a b 1": "a_b_1"}, id="a number is taken"
        ),
        pytest.param(["../x", "浮世絵"], {"../x": "x", "浮世絵": "浮世絵"}, id="a way out, another script"),
    ],
)
def test_folders(styles: list[str], expected: dict[str, str]):
    assert style_folders(styles) == expected


@given(st.sets(st.text(max_size=6), max_size=12))
def test_every_style_has_a_folder_of_its_own_that_is_a_plain_name(styles: set[str]):
    folders = style_folders(styles)
    assert folders.keys() == styles
    assert len({*folders.values()}) == len(styles)
    assert all(name and "/" not in name and "." not in name for name in folders.values())
    labels = style_labels(folders)
    assert sorted(labels.values()) == [*range(len(styles))]
    assert sorted(folders, key=lambda style: labels[style]) == sorted(folders, key=lambda style: folders[style])


def test_the_list_has_a_row_an_image_in_their_order():
    images = [
        image(7),
        image(5, artist=None, source_url=None, image_url="https://b.example/2.jpg", split="test"),
        image(6, artist='A "B", C\nD', rights_uri="https://creativecommons.org/publicdomain/zero/1.0/"),
    ]
    names = {7: "ukiyo_e/7.jpg", 5: "ukiyo_e/5.png", 6: "6.jpg"}
    text = artbench_list(images, names, {"Ukiyo-e": 3}, {7: 0})
    head, *rows = csv.reader(io.StringIO(text))
    assert tuple(head) == COLUMNS
    assert rows == [
        ["7.jpg", "Hokusai", "https://a.example/1", "False", "20", "30", "3", "train", "0", "7"],
        ["5.png", "", "https://b.example/2.jpg", "False", "20", "30", "3", "test", "", "5"],
        ["6.jpg", 'A "B", C\nD', "https://a.example/1", "True", "20", "30", "3", "train", "", "6"],
    ]
