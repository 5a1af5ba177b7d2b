"""What is said of files that no source takes: never that they are lost, always what they are."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.sources import AnyFileSource
from schemas.sources.common import Annotations
from schemas.sources.folder import FolderSource
from schemas.sources.table import TableSource
from tasks.core.scrape import folder
from tasks.core.scrape.folder import count_files

FOLDER = FolderSource(name="art", pattern="{title}.jpg")
DEEP = FolderSource(name="art", pattern="{style}/{artist}_{title}.jpg")
VOC = FOLDER.model_copy(update={"annotations": Annotations(format="voc", path="xml/{title}.xml")})
TABLE = TableSource(name="works", table="works.csv", columns={"key": "id", "image": "file"})
PIECES = TABLE.model_copy(update={"table": "works/*.json"})


def kinds(sources: Sequence[AnyFileSource], *paths: str, taken: Sequence[str] = ()) -> dict[str, int]:
    listed, left_out = count_files(sources, sorted(paths), set(taken))
    rows = left_out.rows(("art",), "files", listed)
    assert len(set(taken) & set(paths)) + left_out.total == listed or not rows
    return {row.kind: row.count for row in rows}


@pytest.mark.parametrize(
    ("source", "path", "kind"),
    [
        pytest.param(FOLDER, "a.jpeg", "image files that end in .jpeg", id="another spelling of the extension"),
        pytest.param(FOLDER, "a.WEBP", "image files that end in .webp", id="another format"),
        pytest.param(FOLDER, "sub/a.jpg", "files that end in .jpg, in deeper folders than '{title}.jpg' says"),
        pytest.param(
            DEEP,
            "gris_a.JPG",
            "files that end in .jpg, in higher folders than '{style}/{artist}_{title}.jpg' says",
            id="too high",
        ),
        pytest.param(
            DEEP, "Cubism/gris.jpg", "files that end in .jpg and don't fit '{style}/{artist}_{title}.jpg'", id="no _"
        ),
        pytest.param(FOLDER, "notes.txt", "texts and documents"),
        pytest.param(FOLDER, "k.pdf", "texts and documents"),
        pytest.param(FOLDER, "old/all.zip", "archives"),
        pytest.param(FOLDER, "works.csv", "tables and data"),
        pytest.param(FOLDER, "walk.mov", "films and sound"),
        pytest.param(FOLDER, "a.jpg.part", "unfinished downloads and spare copies"),
        pytest.param(FOLDER, "Thumbs.db", "hidden files and files of the system"),
        pytest.param(FOLDER, "sub/.DS_Store", "hidden files and files of the system"),
        pytest.param(FOLDER, "__MACOSX/._a.jpg", "hidden files and files of the system"),
        pytest.param(FOLDER, "more/", "links to folders, which are not followed"),
        pytest.param(FOLDER, "README", "files without an extension"),
        pytest.param(FOLDER, "a.xyz", "files that end in .xyz"),
        pytest.param(FOLDER, "a.b c", "files without an extension", id="what has a blank is no extension"),
        pytest.param(VOC, "xml/z.xml", "annotations to which no image belongs"),
        pytest.param(VOC, "other/z.xml", "tables and data"),
        pytest.param(TABLE, "a.jpg", "images that no row names"),
        pytest.param(PIECES, "other/a.json", "files that end in .json and that no table reads"),
    ],
)
def test_what_a_file_is(source: AnyFileSource, path: str, kind: str):
    assert kinds([source], path, "taken.jpg", taken=["taken.jpg"]) == {kind: 1}


def test_what_another_source_of_the_folder_takes_is_not_passed_over():
    other = FolderSource(name="more", pattern="{title}.jpeg")
    assert kinds([FOLDER, other], "a.jpg", "b.jpeg", "c.png", taken=["a.jpg", "b.jpeg"]) == {
        "image files that end in .png": 1
    }


def test_beside_a_table_only_images_count_and_none_where_it_has_addresses_alone():
    assert kinds([TABLE], "works.csv", "a.jpg", "b.jpg", "notes.txt", taken=["works.csv", "a.jpg"]) == {
        "images that no row names": 1
    }
    assert kinds([TABLE], "map.png") == {}


names = st.sampled_from(
    [
        "a.jpg",
        "b.JPG",
        "c.jpeg",
        "sub/d.jpg",
        "e",
        "f.txt",
        ".g.jpg",
        "h.zip",
        "i/",
        "j.jpg.jpg",
        "k .jpg",
        "l.web",
        "é",
    ]
)


@given(st.sets(names), st.sampled_from([FOLDER, DEEP, FOLDER.model_copy(update={"pattern": "{title}"})]))
def test_every_file_is_a_record_or_counted(paths: set[str], source: FolderSource):
    taken = {row["locator"] for row in folder.records(source, sorted(paths))}
    listed, left_out = count_files([source], sorted(paths), taken)
    assert listed == len(paths) == len(taken) + left_out.total
