"""Boxes that people drew: PASCAL VOC's corners, and files that are none."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.coco import source as coco
from tasks.core.scrape.voc_annotations import BadVocFile, read_voc


def voc(*objects: str, head: str = "", root: str = "annotation") -> bytes:
    return f"{head}<{root}><filename>a.jpg</filename>{''.join(objects)}</{root}>".encode()


def thing(*corners: object, name: str = "<name>person</name>") -> str:
    sides = zip(("xmin", "ymin", "xmax", "ymax"), corners, strict=False)
    return f"<object>{name}<bndbox>{''.join(f'<{side}>{value}</{side}>' for side, value in sides)}</bndbox></object>"


def boxes(data: bytes) -> list[list[float]]:
    return [figure["xywh_px"] for figure in read_voc(data).figures]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(voc(), [], id="nobody"),
        pytest.param(voc(thing(1, 1, 1, 1)), [[0, 0, 1, 1]], id="one pixel: corners count from 1, and both are inside"),
        pytest.param(voc(thing(1, 3, 10, 4)), [[0, 2, 10, 2]], id="a box"),
        pytest.param(voc(thing(0, 0, 5, 5)), [[-1, -1, 6, 6]], id="corners that count from 0 stay as the file says"),
        pytest.param(voc(thing("1.5", "2.25", "10.5", "4.25")), [[0.5, 1.25, 10, 3]], id="fractions"),
        pytest.param(
            voc(thing(" 1 ", "\n3", "1e1", "+4")), [[0, 2, 10, 2]], id="numbers with blanks, exponents and signs"
        ),
        pytest.param(
            voc(thing(1, 1, 2, 2), thing(5, 5, 6, 6)), [[0, 0, 2, 2], [4, 4, 2, 2]], id="two in the order of the file"
        ),
        pytest.param(voc(thing(1, 1, 2, 2) + "<part><bndbox/></part>"), [[0, 0, 2, 2]], id="what is no object is left"),
        pytest.param(
            voc(thing(1, 1, 2, 2), head='<?xml version="1.0" encoding="utf-8"?>'),
            [[0, 0, 2, 2]],
            id="with a declaration",
        ),
        pytest.param(
            voc(thing(1, 1, 2, 2), head="<!-- no <!DOCTYPE> here -->"),
            [[0, 0, 2, 2]],
            id="a comment that speaks of a DTD",
        ),
        pytest.param(b"\xef\xbb\xbf" + voc(thing(1, 1, 2, 2)), [[0, 0, 2, 2]], id="with a byte order mark"),
        pytest.param(voc(thing(1, 1, 2, 2)).decode().encode("utf-16"), [[0, 0, 2, 2]], id="in UTF-16"),
    ],
)
def test_boxes_of_voc(data: bytes, expected: list[list[float]]):
    assert boxes(data) == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", "no XML", id="no bytes"),
        pytest.param(b"{}", "no XML", id="JSON"),
        pytest.param(b"\x89PNG", "no XML", id="an image"),
        pytest.param(voc(thing(1, 1, 2, 2))[:-9], "no XML", id="cut off"),
        pytest.param(
            b'<?xml version="1.0" encoding="klingon"?><annotation/>', "no XML", id="an encoding that nobody knows"
        ),
        pytest.param(
            b'<?xml version="1.0" encoding="gbk"?><annotation/>', "no XML", id="an encoding that the parser can't read"
        ),
        pytest.param(voc(head="<!DOCTYPE annotation>"), "DTD", id="a DTD"),
        pytest.param(
            voc(thing("&a;", 1, 2, 2), head='<!DOCTYPE x [<!ENTITY a "1">]>'), "DTD", id="a DTD with an entity"
        ),
        pytest.param(
            voc(thing("&a;", 1, 2, 2), head='<!DOCTYPE x [<!ENTITY a "1">]>').decode().encode("utf-16"),
            "DTD",
            id="a DTD in UTF-16",
        ),
        pytest.param(
            voc(thing("&a;", 1, 2, 2), head='<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
            "DTD",
            id="a DTD that reads a file",
        ),
        pytest.param(voc(thing(2, 1, 1, 2)), "positive width and height", id="no width"),
        pytest.param(voc(thing(1, 2, 2, 1)), "positive width and height", id="no height"),
        pytest.param(voc(thing(9, 9, 1, 1)), "positive width and height", id="inside out"),
        pytest.param(voc(thing(1, 1, 2)), "positive width and height", id="three corners"),
        pytest.param(voc("<object><name>person</name></object>"), "positive width and height", id="no box"),
        pytest.param(voc(thing(1, 1, 2, "")), "positive width and height", id="an empty corner"),
        pytest.param(voc(thing(1, 1, 2, "two")), "no number", id="a corner in words"),
        pytest.param(voc(thing(1, 1, 2, "inf")), "positive width and height", id="a corner without end"),
        pytest.param(voc(thing(1, 1, 2, "nan")), "positive width and height", id="a corner that is no number"),
        pytest.param(voc(thing(1, 1, 2, "1e300")), "positive width and height", id="a corner beyond any picture"),
        pytest.param(
            voc(thing(1, 1, 2, 2), thing(1, 1, 2)), "positive width and height", id="one of two boxes lacks a corner"
        ),
    ],
)
def test_a_file_that_is_no_voc_says_what_it_is(data: bytes, message: str):
    with pytest.raises(BadVocFile, match=message):
        read_voc(data)


@pytest.mark.parametrize(
    ("name", "category"),
    [
        pytest.param("<name> person </name>", "person", id="blanks around it"),
        pytest.param("<name/>", "", id="empty"),
        pytest.param("", "", id="missing"),
        pytest.param("<name>Käthe &amp; co</name>", "Käthe & co", id="letters and signs"),
    ],
)
def test_the_name_of_a_voc_object(name: str, category: str):
    (figure,) = read_voc(voc(thing(1, 1, 2, 2, name=name))).figures
    assert figure == coco.figure(category, [0, 0, 2, 2])


@pytest.mark.parametrize(
    ("corners", "setting", "expected"),
    [
        pytest.param((1, 1, 1, 1), "inclusive", [0, 0, 1, 1], id="one pixel, both corners in it"),
        pytest.param((0, 0, 1, 1), "exclusive", [0, 0, 1, 1], id="one pixel, by its edges"),
        pytest.param((1, 3, 10, 4), "inclusive", [0, 2, 10, 2], id="inclusive"),
        pytest.param((1, 3, 10, 4), "exclusive", [1, 3, 9, 1], id="exclusive"),
        pytest.param((1.5, 3, 10, 4.25), "exclusive", [1.5, 3, 8.5, 1.25], id="parts of a pixel"),
    ],
)
def test_corners_are_in_the_box_or_its_edges(corners: tuple[float, ...], setting: str, expected: list[float]):
    (figure,) = read_voc(voc(thing(*corners)), setting).figures
    assert figure["xywh_px"] == expected


@pytest.mark.parametrize("flat", [(9, 9, 8, 20), (9, 9, 1, 1), (1, 1, "nan", 2)], ids=repr)
def test_a_box_that_encloses_nothing_is_left_out_where_there_are_others_of_its_name(flat: tuple[object, ...]):
    got = read_voc(voc(thing(1, 1, 2, 2), thing(*flat)))
    assert [figure["xywh_px"] for figure in got.figures or ()] == [[0, 0, 2, 2]]
    assert got.left_out.startswith("box left out, the others stay: expected a box of positive width and height")
    with pytest.raises(BadVocFile, match="positive width and height"):
        read_voc(voc(thing(1, 1, 2, 2, name="<name>dog</name>"), thing(*flat)))


def test_one_pixel_has_no_room_between_its_edges():
    with pytest.raises(BadVocFile, match="positive width and height"):
        read_voc(voc(thing(1, 1, 1, 1)), "exclusive")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param("", None, id="nothing"),
        pytest.param("<pose></pose><difficult> </difficult>", None, id="nothing said"),
        pytest.param(
            "<pose>Left</pose><truncated>1</truncated><difficult> 0 </difficult><occluded>no</occluded>",
            '{"fields":{"difficult":0,"occluded":"no","pose":"Left","truncated":1}}',
            id="all of VOC's own",
        ),
        pytest.param("<difficult>2</difficult><other>1</other>", '{"fields":{"difficult":"2"}}', id="odd ones"),
    ],
)
def test_what_an_object_says_beside_its_box_is_kept(fields: str, expected: str | None):
    (figure,) = read_voc(voc(thing(1, 1, 2, 2, name=f"<name>person</name>{fields}"))).figures
    assert figure["source_coco"] == expected


def test_small_figures_of_peopleart_by_both_readings(shared_data: Path):
    """PoPArt's 0.5 % of figures of at most 16 x 16 px (section 3.3) holds with edges; the part of it that is here."""
    files = sorted((shared_data / "peopleart").glob("Annotations/**/*.xml"))
    small = {}
    for setting in ("inclusive", "exclusive"):
        figures = [figure for file in files for figure in read_voc(file.read_bytes(), setting).figures]
        small[setting] = sum(figure["xywh_px"][2] * figure["xywh_px"][3] <= 16**2 for figure in figures)
    assert small == {"inclusive": 12, "exclusive": 19}


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 500), st.integers(1, 500))
def test_a_voc_box_covers_as_many_pixels_as_its_corners_name(x: int, y: int, w: int, h: int):
    assert boxes(voc(thing(x, y, x + w - 1, y + h - 1))) == [[x - 1, y - 1, w, h]]


def test_a_well_formed_page_that_is_no_voc_file_says_nothing_about_figures():
    with pytest.raises(BadVocFile, match="no VOC file: its root is <html>"):
        read_voc(b"<html><body>not found</body></html>")


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("", (None, None)),
        ("<size><width>500</width><height> 375 </height><depth>3</depth></size>", (500, 375)),
        ("<size><width>0</width><height>0</height></size>", (None, None)),
        ("<size><width>-5</width><height>3.5</height></size>", (None, None)),
        ("<size><width>9999999999999999999999</width><height/></size>", (None, None)),
        ("<width>500</width>", (None, None)),
    ],
)
def test_the_size_that_a_file_says(size: str, expected: tuple[int | None, int | None]):
    assert read_voc(f"<annotation>{size}</annotation>".encode())[:2] == ([], expected)
