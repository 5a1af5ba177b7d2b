"""Records from paths: what a pattern takes from a name, and what it must leave as it is."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.file_names import FileNames
from schemas.sources.folder import FolderSource
from tasks.core.scrape import folder
from tasks.core.scrape.records import unique

NFD, NFC = (unicodedata.normalize(form, "Käthe Kollwitz/Mütter.jpg") for form in ("NFD", "NFC"))


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        pytest.param(
            "{style}/{artist}_{title}.jpg",
            "Cubism/gris_a_b.jpg",
            {"style": "Cubism", "artist": "gris", "title": "a_b"},
            id="a field is as short as it can be",
        ),
        pytest.param("{style}/{title}.jpg", "Cubism/deep/er.jpg", None, id="no field holds a slash"),
        pytest.param("{style}/{title}.jpg", "/er.jpg", None, id="no field is empty"),
        pytest.param("{title}.jpg", "a_jpg", None, id="a dot is a dot"),
        pytest.param("{title}.jpg", "a.tar.jpg", {"title": "a.tar"}, id="a field may hold dots"),
        pytest.param("{title}.jpg", "a.jpg.xml", None, id="nothing may follow"),
        pytest.param("{title}.jpg", "a.jpg\n", None, id="not even a line's end"),
        pytest.param("{title}.jpg", "a\nb.jpg", {"title": "a\nb"}, id="a name over two lines"),
        pytest.param("{title}.jpg", "a.JPG", {"title": "a"}, id="capitals of the extension don't count"),
        pytest.param("{title}.JPG", "a.Jpg", {"title": "a"}, id="nor those of the pattern's"),
        pytest.param("a.jpg", "a.JPG", {}, id="nor in a path without fields"),
        pytest.param("img/{title}.jpg", "IMG/a.jpg", None, id="all other capitals count"),
        pytest.param("{title}_Front.jpg", "a_front.jpg", None, id="also beside the extension"),
        pytest.param("{title}.jpg.png", "a.JPG.png", None, id="of two extensions the last"),
        pytest.param("{title}.jpg", "a.jpeg", None, id="another spelling is another extension"),
        pytest.param("{title}.*", "a.JPG", {"title": "a"}, id="a star for the extension"),
        pytest.param(
            "{artist}/{artist}_{title}.jpg",
            "gris/gris_a.jpg",
            {"artist": "gris", "title": "a"},
            id="a field twice, the same twice",
        ),
        pytest.param("{artist}/{artist}_{title}.jpg", "gris/braque_a.jpg", None, id="a field twice, but not the same"),
        pytest.param(
            "{artist}_{artist}.jpg", "a_a_a_a.jpg", {"artist": "a_a"}, id="a field twice where the shortest will not do"
        ),
        pytest.param("img[1]/{title}.jpg", "img[1]/a.jpg", {"title": "a"}, id="brackets are brackets"),
        pytest.param("img[1]/{title}.jpg", "img1/a.jpg", None, id="and no set of letters"),
        pytest.param("{title} (copy+).jpg", "a (copy+).jpg", {"title": "a"}, id="parentheses and a plus"),
        pytest.param("{title}", "a[b](c)^$.jpg", {"title": "a[b](c)^$.jpg"}, id="a name of nothing but signs"),
        pytest.param("*/{title}.*", "any/a.png", {"title": "a"}, id="a star takes what comes"),
        pytest.param("*/{title}.jpg", "/a.jpg", {"title": "a"}, id="even nothing"),
        pytest.param("*.jpg", "a/b.jpg", None, id="but no slash"),
        pytest.param("*.jpg", "a.jpg", {}, id="a pattern without a field"),
        pytest.param("{not-a-field}.jpg", "{not-a-field}.jpg", {}, id="braces round what is no name are braces"),
        pytest.param("{}.jpg", "{}.jpg", {}, id="empty braces are braces"),
        pytest.param("{titel}.jpg", "a.jpg", {"titel": "a"}, id="a field of one's own"),
        pytest.param("{größe}.jpg", "a.jpg", {"größe": "a"}, id="a field that is no ASCII"),
        pytest.param("a.jpg", "a.jpg", {}, id="just a path"),
        pytest.param("{title}.jpg", "", None, id="no path at all"),
    ],
)
def test_fields_of_a_path(pattern: str, path: str, expected: dict[str, str] | None):
    assert folder.fields_of_path(pattern, path) == expected


plain = st.text(st.characters(exclude_characters="/_", exclude_categories=["Cs"]), min_size=1, max_size=8)
any_part = st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(any_part, plain, any_part)
def test_what_a_path_was_made_of_is_found_again(style: str, artist: str, title: str):
    made = {"style": style, "artist": artist, "title": title}
    pattern = "images/{style}/{artist}_{title}.jpg"
    path = folder.annotation_path(pattern, pattern, f"images/{style}/{artist}_{title}.jpg")
    assert path == f"images/{style}/{artist}_{title}.jpg"
    assert folder.fields_of_path(pattern, path) == made


def source(pattern: str, **said: str) -> FolderSource:
    return FolderSource(name="art", pattern=pattern, **said)


def test_paths_that_do_not_match_are_no_records():
    got = folder.records(source("{style}/{title}.jpg"), ["readme.txt", "Cubism/a.jpg", "Cubism/a.jpg.xml"])
    assert [row["record_id"] for row in got] == ["art:Cubism/a.jpg"]
    assert folder.records(source("{title}.jpg"), []) == []


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        pytest.param(
            "{style}/{title}.jpg",
            "Cubism/a.jpg",
            {
                "record_id": "art:Cubism/a.jpg",
                "locator": "Cubism/a.jpg",
                "style": "Cubism",
                "styles": ["Cubism"],
                "title": "a",
            },
            id="without a key the path is the key",
        ),
        pytest.param("{key}.jpg", "7.jpg", {"record_id": "art:7", "locator": "7.jpg"}, id="a key in the name"),
        pytest.param(
            "{date_text}_{title}.jpg", "c. 1890_a.jpg", {"date_text": "c. 1890", "year": 1890}, id="a year in the date"
        ),
        pytest.param("{year}_{title}.jpg", "1891_a.jpg", {"year": 1891, "date_text": None}, id="a year"),
        pytest.param("{group}/{title}.jpg", "series 7/a.jpg", {"declared_group": "series 7"}, id="a group"),
        pytest.param(
            "{colour}/{title}.jpg", "red/a.jpg", {"title": "a", "style": None}, id="a field of one's own is no column"
        ),
        pytest.param(
            "{image}.jpg", "a.jpg", {"locator": "a.jpg"}, id="a field called image does not stand for the path"
        ),
        pytest.param(
            "{title}.jpg",
            " a .jpg",
            {"locator": " a .jpg", "title": "a", "record_id": "art:a .jpg"},
            id="blanks are part of a file's name, not of a title",
        ),
    ],
)
def test_a_record_from_a_path(pattern: str, path: str, expected: dict[str, object]):
    (got,) = folder.records(source(pattern), [path])
    assert got["reason"] is None
    assert {name: got[name] for name in expected} == expected


def test_text_is_composed_but_a_file_keeps_the_letters_of_its_name():
    assert NFC != NFD
    (got,) = folder.records(source("{artist}/{title}.jpg"), [NFD])
    assert (got["artist"], got["title"]) == ("Käthe Kollwitz", "Mütter")
    assert got["record_id"] == f"art:{NFC}"
    assert got["locator"] == NFD  # or the file is not found again


def test_both_spellings_of_a_name_are_one_record_id():
    one, two = folder.records(source("{artist}/{title}.jpg"), [NFC, NFD])
    assert one["record_id"] == two["record_id"]


@pytest.mark.parametrize(
    ("template", "pattern", "path", "expected"),
    [
        pytest.param(
            "Annotations/{style}/{artist}_{title}.jpg.xml",
            "JPEGImages/{style}/{artist}_{title}.jpg",
            "JPEGImages/Cubism/gris_a.jpg",
            "Annotations/Cubism/gris_a.jpg.xml",
            id="People-Art's",
        ),
        pytest.param("{title}/{title}.xml", "{title}.jpg", "a.jpg", "a/a.xml", id="a field twice"),
        pytest.param(
            "{colour}/{title}.xml", "{title}.jpg", "a.jpg", "/a.xml", id="a field that the pattern has not is nothing"
        ),
        pytest.param("all.xml", "{title}.jpg", "a.jpg", "all.xml", id="no field"),
        pytest.param("{title}.xml", "{title}.jpg", r"\1.jpg", r"\1.xml", id="a name that looks like a replacement"),
    ],
)
def test_the_annotation_beside_an_image(template: str, pattern: str, path: str, expected: str):
    assert folder.annotation_path(template, pattern, path) == expected


@pytest.mark.parametrize(
    ("template", "path", "there", "expected"),
    [
        pytest.param("{title}.jpg.xml", "a.JPG", {"a.JPG.xml"}, "a.JPG.xml", id="as the image is spelled"),
        pytest.param("{title}.jpg.xml", "a.JPG", {"a.jpg.xml", "a.JPG.xml"}, "a.jpg.xml", id="first as it is written"),
        pytest.param("{title}.xml", "a.jpg", {"a.XML"}, "a.XML", id="capitals in its own extension"),
        pytest.param("{title}.jpg.xml", "a.JPG", {"a.JPG.XML"}, "a.JPG.XML", id="in both"),
        pytest.param("x.jpg/{title}.jpg.xml", "a.JPG", {"x.jpg/a.JPG.xml"}, "x.jpg/a.JPG.xml", id="not in a folder"),
        pytest.param("{title}.jpg.xml", "a.JPG", {"b.JPG.xml"}, "a.jpg.xml", id="of another image"),
        pytest.param("{title}", "a.jpg", {"a"}, "a", id="without an extension"),
    ],
)
def test_the_annotation_of_an_image_in_other_capitals(template: str, path: str, there: set[str], expected: str):
    assert folder.annotation_path(template, "{title}.jpg", path, FileNames(there)) == expected


def test_a_file_that_fits_in_other_capitals_never_takes_the_id_of_one_that_fits_to_the_letter():
    for number in range(20):  # which of two rows comes first by its content is a matter of chance
        name = f"{number}"
        before = folder.records(source("{key}.jpg"), [f"{name}.jpg"])
        found = folder.records(source("{key}.jpg"), [f"{name}.JPG", f"{name}.jpg"])
        assert [row for row in unique(found) if row["record_id"] == f"art:{name}"] == before
        assert [row["reason"] for row in unique(found)] == [None, "same_key"]
