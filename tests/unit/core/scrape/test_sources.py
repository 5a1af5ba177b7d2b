"""A source from its files to its records and figures, with a mapping in place of the folder."""

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from schemas.errors import BadInput
from schemas.sources import AnySource
from schemas.sources.common import Annotations, Rights
from schemas.sources.folder import FolderSource
from schemas.sources.table import TableSource
from schemas.tables import RECORDS, SOURCE_FIGURES
from tasks.core.passed_over import notes
from tasks.core.scrape import sources
from tasks.core.scrape.table_files import UnreadableFile
from tests.support.keypoints import COCO_17

Files = dict[str, bytes]


def no_parquet(_: bytes) -> list[dict[str, Any]]:
    raise AssertionError("expected no Parquet file to be read")


def listed(
    source: AnySource,
    files: Files,
    parquet: Callable[[bytes], list[dict[str, Any]]] = no_parquet,
    unreadable: tuple[str, ...] = (),
) -> sources.SourceTables:
    asked: list[str] = []

    def read(path: str) -> io.BytesIO | None:
        asked.append(path)
        if path in unreadable:
            raise UnreadableFile(f"'{path}' is a pipe, not a file")
        return io.BytesIO(files[path]) if path in files else None

    got = sources.tables_of_source(source, sorted(files), read, parquet, {"person": COCO_17})
    assert set(asked) & set(files) <= set(sources.files_to_read(source, sorted(files)))  # nothing else was fetched
    assert got.records.schema == RECORDS
    assert got.figures.schema == SOURCE_FIGURES
    return got


def figures(got: sources.SourceTables) -> dict[str, list[list[float]]]:
    known = [row for row in got.figures.to_pylist() if row["figures"] is not None]
    return {row["record_id"]: [figure["xywh_px"] for figure in row["figures"]] for row in known}


def annotated(got: sources.SourceTables) -> dict[str, bool]:
    return {row["record_id"]: row["is_annotated"] for row in got.records.to_pylist()}


def voc(*corners: tuple[int, int, int, int], name: str = "person") -> bytes:
    boxes = "".join(
        f"<object><name>{name}</name><bndbox><xmin>{a}</xmin><ymin>{b}</ymin><xmax>{c}</xmax><ymax>{d}</ymax></bndbox></object>"
        for a, b, c, d in corners
    )
    return f"<annotation>{boxes}</annotation>".encode()


def coco(**boxes: list[list[float]]) -> bytes:
    names = list(boxes)
    return json.dumps(
        {
            "categories": [{"id": 1, "name": "person"}],
            "images": [{"id": number, "file_name": f"{name}.jpg"} for number, name in enumerate(names)],
            "annotations": [
                {"image_id": names.index(name), "category_id": 1, "bbox": box} for name in names for box in boxes[name]
            ],
        }
    ).encode()


FOLDER = FolderSource(name="art", pattern="images/{style}/{title}.jpg")
VOC = FOLDER.model_copy(update={"annotations": Annotations(format="voc", path="xml/{style}/{title}.xml")})
IMAGES: Files = {"images/Cubism/a.jpg": b"", "images/Cubism/b.jpg": b"", "images/Dada/c.jpg": b""}
TABLE = TableSource(name="art", table="works.csv", columns={"key": "id", "image": "file"})
COCO = TABLE.model_copy(update={"annotations": Annotations(format="coco", path="boxes.json")})


# --- folders


def test_a_folder_without_annotations():
    got = listed(FOLDER, {**IMAGES, "readme.txt": b"hello"})
    assert got.records["record_id"].to_pylist() == [f"art:{path}" for path in sorted(IMAGES)]
    assert got.records["style"].to_pylist() == ["Cubism", "Cubism", "Dada"]
    assert not any(annotated(got).values())
    assert got.figures.num_rows == 0


def test_a_folder_with_an_xml_for_some_images():
    got = listed(VOC, {**IMAGES, "xml/Cubism/a.xml": voc((1, 1, 4, 8), (1, 1, 2, 2)), "xml/Cubism/b.xml": voc()})
    assert figures(got) == {"art:images/Cubism/a.jpg": [[0, 0, 2, 2], [0, 0, 4, 8]], "art:images/Cubism/b.jpg": []}
    assert list(annotated(got).values()) == [True, True, False]  # nobody is in b; nobody has looked at c


@pytest.mark.parametrize(
    ("missing", "is_annotated"),
    [
        pytest.param("unknown", False, id="a missing annotation says nothing"),
        pytest.param("no_figures", True, id="a missing annotation says that nobody is there"),
    ],
)
def test_what_a_missing_annotation_means_is_the_recipes_word(missing: Any, is_annotated: bool):
    source = VOC.model_copy(update={"annotations": Annotations(format="voc", path="xml/{title}.xml", missing=missing)})
    got = listed(source, IMAGES)
    assert set(annotated(got).values()) == {is_annotated}
    assert all(boxes == [] for boxes in figures(got).values())
    assert len(figures(got)) == (3 if is_annotated else 0)


def test_an_unreadable_annotation_leaves_its_image_unannotated_and_says_so():
    got = listed(
        VOC,
        {
            **IMAGES,
            "xml/Cubism/a.xml": b"<annotation",
            "xml/Cubism/b.xml": voc((2, 2, 1, 1)),
            "xml/Dada/c.xml": voc((1, 1, 2, 2)),
        },
    )
    rows = got.records.to_pylist()
    assert [row["reason"] for row in rows] == [None, None, None]
    assert rows[0]["detail"].startswith("annotation unreadable, so left out: no XML")
    assert rows[1]["detail"].startswith("annotation unreadable, so left out: expected a box of positive width")
    assert rows[2]["detail"] is None
    assert figures(got) == {"art:images/Dada/c.jpg": [[0, 0, 2, 2]]}


@pytest.mark.parametrize("missing", ["unknown", "no_figures"])
def test_an_annotation_that_is_there_and_can_not_be_read_says_nothing_and_is_said(missing: Any):
    settings = Annotations(format="voc", path="xml/{style}/{title}.xml", missing=missing)
    source = VOC.model_copy(update={"annotations": settings})
    files = {**IMAGES, "xml/Dada/c.xml": voc((1, 1, 2, 2))}
    (*_, row) = listed(source, files, unreadable=("xml/Dada/c.xml",)).records.to_pylist()
    assert not row["is_annotated"]
    assert row["detail"] == "annotation unreadable, so left out: 'xml/Dada/c.xml' is a pipe, not a file"


@pytest.mark.parametrize(
    ("source", "path", "what"), [(TABLE, "works.csv", "a table"), (COCO, "boxes.json", "COCO annotations")]
)
def test_a_file_that_is_there_and_can_not_be_read_is_one_sentence(source: AnySource, path: str, what: str):
    files = {"works.csv": b"id,file\n1,a.jpg\n", "boxes.json": coco(a=[])}
    with pytest.raises(BadInput) as caught:
        listed(source, files, unreadable=(path,))
    assert str(caught.value) == (
        f"source 'art': expected {what} '{path}' below binding 'images', got a file that can't be read: '{path}' is "
        "a pipe, not a file"
    )


def test_figures_of_other_categories_are_left_out_but_somebody_has_looked():
    got = listed(VOC, {**IMAGES, "xml/Dada/c.xml": voc((1, 1, 2, 2), name="dog")})
    assert figures(got) == {"art:images/Dada/c.jpg": []}


def test_a_file_in_decomposed_letters_finds_its_annotation():
    name = "Ka\u0308the"  # as macOS writes it
    got = listed(VOC, {f"images/Cubism/{name}.jpg": b"", f"xml/Cubism/{name}.xml": voc((1, 1, 2, 2))})
    assert got.records["locator"].to_pylist() == [f"images/Cubism/{name}.jpg"]
    assert figures(got) == {"art:images/Cubism/K\u00e4the.jpg": [[0, 0, 2, 2]]}


def test_what_has_to_be_read_is_what_is_there():
    paths = [*IMAGES, "xml/Cubism/a.xml", "xml/Cubism/z.xml", "works.csv", "boxes.json"]
    assert sources.files_to_read(FOLDER, paths) == []
    assert sources.files_to_read(VOC, paths) == ["xml/Cubism/a.xml"]
    assert sources.files_to_read(TABLE, paths) == ["works.csv"]
    assert sources.files_to_read(COCO, paths) == ["boxes.json", "works.csv"]
    assert sources.files_to_read(COCO, []) == []


def test_a_link_to_a_folder_is_no_record():
    source = FolderSource(
        name="art", pattern="{artist}/*", annotations=Annotations(format="voc", path="{artist}/a.xml")
    )
    got = listed(source, {"monet/": b"", "real/a.jpg": b"", "real/a.xml": voc((1, 1, 2, 2))})
    assert got.records["record_id"].to_pylist() == ["art:real/a.jpg", "art:real/a.xml"]
    assert sources.files_to_read(source, ["monet/", "monet/a.xml"]) == ["monet/a.xml"]
    with pytest.raises(BadInput, match="expected files like"):
        listed(source, {"monet/": b""})


# --- tables


@pytest.mark.parametrize("name", ["works.csv", "WORKS.CSV", "Works.Csv"])
def test_a_csv_is_one_in_any_case(name: str):
    source = TableSource(name="t", table=name, columns={"key": "id", "image": "file"})
    got = listed(source, {name: b"id,file\n1.0,a.jpg\n,b.jpg\n"})
    assert got.records["record_id"].to_pylist()[0] == "t:1"
    with pytest.raises(BadInput, match="expected commas between cells"):
        listed(source, {name: b"id;file\n1;a.jpg\n"})


CSV = "\ufeffid,file\n1,a.jpg\n2,b.jpg\n3,c.jpg\n".encode()


def test_a_csv_with_a_byte_order_mark_and_one_file_of_boxes():
    got = listed(COCO, {"works.csv": CSV, "boxes.json": coco(a=[[0, 0, 5, 5]], b=[])})
    assert got.records["record_id"].to_pylist() == ["art:1", "art:2", "art:3"]
    assert figures(got) == {"art:1": [[0, 0, 5, 5]], "art:2": []}
    assert list(annotated(got).values()) == [True, True, False]


def test_json_lines_with_a_broken_line():
    source = TABLE.model_copy(update={"table": "works.jsonl"})
    lines = '{"id": 1, "file": "a\u2028b.jpg"}\n{"id": 2, \n{"id": 3, "file": "c.jpg"}\n'
    rows = listed(source, {"works.jsonl": lines.encode()}).records.to_pylist()
    assert [row["reason"] for row in rows] == [None, None, "bad_record"]
    assert rows[0]["locator"] == "a\u2028b.jpg"


def test_a_parquet_table_is_read_by_who_can():
    source = TABLE.model_copy(update={"table": "works.parquet"})
    got = listed(source, {"works.parquet": b"PAR1"}, lambda data: [{"id": data.decode(), "file": "a.jpg"}])
    assert got.records["record_id"].to_pylist() == ["art:PAR1"]


def test_boxes_without_an_area_are_left_out_of_voc_files_that_have_others_and_are_told():
    got = listed(VOC, {**IMAGES, "xml/Cubism/a.xml": voc((1, 1, 2, 2), (2, 2, 1, 1))})
    assert figures(got) == {"art:images/Cubism/a.jpg": [[0, 0, 2, 2]]}
    assert got.records.to_pylist()[0]["detail"].startswith("box left out, the others stay: ")
    assert [(row.kind, row.count) for row in got.passed_over if row.unit == "objects"] == [
        ("objects whose box has no area, beside others that have", 1)
    ]


def test_an_unreadable_box_leaves_its_image_unannotated():
    got = listed(COCO, {"works.csv": CSV, "boxes.json": coco(a=[[0, 0, 0, 0]], b=[[0, 0, 1, 1]])})
    assert figures(got) == {"art:2": [[0, 0, 1, 1]]}
    assert [row["reason"] for row in got.records.to_pylist()] == [None, None, None]


@pytest.mark.parametrize("rows", [["1,a.jpg", "1,b.jpg"], ["1,b.jpg", "1,a.jpg"]], ids=["a first", "b first"])
def test_of_two_rows_with_one_key_the_one_that_stays_has_its_own_images_figures(rows: list[str]):
    table = "\n".join(["id,file", *rows, ""]).encode()
    got = listed(COCO, {"works.csv": table, "boxes.json": coco(a=[[1, 1, 1, 1]], b=[[2, 2, 2, 2]])})
    (stays,) = (row for row in got.records.to_pylist() if row["reason"] is None)
    assert figures(got) == {"art:1": [[1, 1, 1, 1] if stays["locator"] == "a.jpg" else [2, 2, 2, 2]]}


def test_what_is_no_record_has_no_figures():
    got = listed(COCO, {"works.csv": b"id,file\n1,\n2,a.jpg\n", "boxes.json": coco(a=[[1, 1, 1, 1]])})
    assert set(figures(got)) == {"art:2"}


# --- sources that are not what the recipe says


@pytest.mark.parametrize(
    ("source", "files", "said"),
    [
        pytest.param(
            FOLDER,
            {},
            "source 'art': expected files like 'images/{style}/{title}.jpg' below binding 'images', got none "
            "among 0 files",
            id="an empty folder",
        ),
        pytest.param(
            FOLDER,
            {"b.jpg": b"", "a.jpg": b""},
            "got none among 2 files, such as a.jpg, b.jpg",
            id="files that do not match",
        ),
        pytest.param(
            TABLE,
            {"other.csv": b""},
            "expected a table 'works.csv' below binding 'images', got no such file; tables there: 'other.csv'",
            id="no such table",
        ),
        pytest.param(
            TABLE,
            {"a.jpg": b"", "b.png": b""},
            "got no such file; there is no table, which ends in .csv, .json, .jsonl, .parquet",
            id="no table at all",
        ),
        pytest.param(
            TABLE,
            {"works.csv": b""},
            "expected rows in 'works.csv' below binding 'images', got a file without any",
            id="an empty table",
        ),
        pytest.param(TABLE, {"works.csv": b"id,file\n"}, "'images', got a file without any", id="a head alone"),
        pytest.param(
            TABLE,
            {"works.csv": b"id,file\n\n\nid,file\n"},
            "got a file without any, only empty lines (2), rows that",
            id="lines that are no rows",
        ),
        pytest.param(
            TABLE,
            {"works.csv": b"id,name\n1,a\n"},
            "expected a column 'file' (for image) in works.csv, got ['id', 'name']",
            id="a column that is not there",
        ),
        pytest.param(
            TABLE,
            {"works.csv": "\ufeffid;file\n1;a.jpg\n".encode()},
            "expected a column 'id' (for key) in works.csv, got ['id;file']: expected commas between cells",
            id="semicolons, as some spreadsheets write",
        ),
        pytest.param(
            TABLE.model_copy(update={"table": "works.json"}),
            {"works.json": b'{"info": {}, "records": [{"id": 1, "file": "a.jpg"}]}'},
            "expected a column 'id' (for key) in works.json, got ['info', 'records']: if the list of works is within "
            "one of these, name it with `works`",
            id="a list of works within an object",
        ),
        pytest.param(
            TABLE,
            {"works.csv": "id,file\n1,ä.jpg\n".encode("latin-1")},
            "expected 'works.csv' in UTF-8, got other bytes in line ",
            id="no UTF-8",
        ),
        pytest.param(
            TABLE,
            {"works.csv": "id,file\n1,a.jpg\n".encode("utf-16-le")},
            "expected 'works.csv' as UTF-8 text, got NUL bytes (UTF-16, or a spreadsheet?)",
            id="UTF-16 that does not say so",
        ),
        pytest.param(
            TABLE,
            {"works.csv": b'id,file\n1,"' + b"a" * 1_000_001},
            "source 'art': expected 'works.csv' as CSV, got field larger than field limit",
            id="a quote that is never closed in a large file",
        ),
        pytest.param(
            TABLE.model_copy(update={"table": "works.tsv"}),
            {"works.tsv": b"id\tfile\n1\ta.jpg\n"},
            "expected a column 'id' (for key) in works.tsv",
            id="a table of another format",
        ),
        pytest.param(
            COCO,
            {"works.csv": CSV},
            "expected COCO annotations 'boxes.json' below binding 'images', got no such file",
            id="no such annotations",
        ),
        pytest.param(
            COCO,
            {"works.csv": CSV, "boxes.json": b"[]"},
            "'boxes.json': expected a COCO file, an object, got list",
            id="annotations of another shape",
        ),
    ],
)
def test_a_source_that_is_not_what_the_recipe_says_gives_one_sentence(source: AnySource, files: Files, said: str):
    with pytest.raises(BadInput) as caught:
        listed(source, files)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_boxes_of_images_that_the_source_does_not_have_are_told():
    got = listed(COCO, {"works.csv": CSV, "boxes.json": coco(a=[[0, 0, 5, 5]], elsewhere=[[0, 0, 1, 1]])})
    assert got.notes == ()
    assert notes(got.passed_over)[1:] == [
        f"source '{COCO.name}': 1 of 2 images in the COCO file is not used: images whose file name no record has "
        "(1: 'elsewhere.jpg')",
        f"source '{COCO.name}': 1 of 2 annotations gives no figure: annotations of images whose file name no record "
        "has (1: 'elsewhere.jpg')",
    ]
    assert listed(COCO, {"works.csv": CSV, "boxes.json": coco(a=[[0, 0, 5, 5]])}).notes == ()


_WRITTEN_OTHERWISE = "; the source has 'my dir/a.png': names in the file need '/' between folders, no './' and no '%20'"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (r"my dir\\a.png", "; there is 'my dir/a.png', with '/' between folders"),
        ("./my dir/a.png", _WRITTEN_OTHERWISE),
        ("my%20dir/a.png", _WRITTEN_OTHERWISE),
    ],
)
def test_names_in_a_coco_file_that_are_written_in_another_way_are_told(name: str, words: str):
    boxes = coco(a=[[0, 0, 5, 5]]).replace(b"a.jpg", name.encode())
    got = listed(COCO, {"works.csv": b"id,file\n1,my dir/a.png\n", "boxes.json": boxes})
    assert got.notes[0].endswith(words)


def test_names_in_a_coco_file_go_on_from_a_folder():
    """As CVAT and COCO itself lay them out: annotations/x.json beside images/train/1.jpg, which it calls 1.jpg."""
    table, boxes = b"id,file\n1,images/train/a.jpg\n", coco(a=[[0, 0, 5, 5]])
    got = listed(COCO, {"works.csv": table, "boxes.json": boxes})
    assert figures(got) == {}
    assert got.notes[0].endswith(
        "'a.jpg'; the source has 'images/train/a.jpg': if that is meant, set annotations.folder to images/train"
    )
    for folder in ("images/train", "images/train/"):
        below = Annotations(format="coco", path="boxes.json", folder=folder)
        got = listed(COCO.model_copy(update={"annotations": below}), {"works.csv": table, "boxes.json": boxes})
        assert figures(got) == {"art:1": [[0, 0, 5, 5]]}
        assert got.notes == ()


def test_a_folder_is_of_one_file_for_all_alone():
    with pytest.raises(ValueError, match="expected a folder with one file for all, got 'x' with voc"):
        Annotations(format="voc", path="{key}.xml", folder="x")


# --- what a COCO file says of rights, and of no single image

CC0, BY = "https://creativecommons.org/publicdomain/zero/1.0/", "http://creativecommons.org/licenses/by/2.0/"
NOBODY: dict[str, str] = {"uri": "NOASSERTION"}
AUTHOR = {"uri": CC0, "asserted_by": "me", "because": "old"}


@pytest.mark.parametrize(
    ("licence", "cell", "asserted", "expected"),
    [
        pytest.param({"url": BY, "name": "by"}, "", NOBODY, (BY, "by", "source"), id="an open one"),
        pytest.param({"url": BY}, "", NOBODY, (BY, None, "source"), id="without words"),
        pytest.param({"url": BY, "name": "by"}, "", AUTHOR, (BY, "by", "source"), id="before the recipe's author"),
        pytest.param({"url": BY, "name": "by"}, CC0, NOBODY, (CC0, None, "source"), id="after the source's field"),
        pytest.param({"url": BY}, "mine", NOBODY, ("NOASSERTION", "mine", "source"), id="after the source's words"),
        pytest.param({"url": "http://x", "name": "x"}, "", NOBODY, ("NOASSERTION", "x", "source"), id="another"),
        pytest.param(
            {"url": "http://x"}, "", AUTHOR, (CC0, "http://x", "recipe: me: old"), id="another, and an author"
        ),
        pytest.param(
            {"url": "NOASSERTION", "name": "NOASSERTION"}, "", NOBODY, ("NOASSERTION", None, "none"), id="none"
        ),
        pytest.param({"url": 7, "name": ""}, "", NOBODY, ("NOASSERTION", None, "none"), id="odd fields"),
        pytest.param({"url": BY, "id": 2}, "", NOBODY, ("NOASSERTION", None, "none"), id="of another id"),
        pytest.param({"url": BY, "id": [1]}, "", NOBODY, ("NOASSERTION", None, "none"), id="of no id"),
        pytest.param({"url": BY, "id": 1.0}, "", NOBODY, (BY, None, "source"), id="of the same number"),
    ],
)
def test_rights_by_the_licence_in_a_coco_file(
    licence: dict[str, Any], cell: str, asserted: dict[str, str], expected: tuple[str | None, ...]
):
    columns = {"key": "id", "image": "file", "rights_uri": "rights"}
    source = COCO.model_copy(update={"columns": columns, "rights": Rights(**asserted)})
    file = {
        "categories": [],
        "annotations": [],
        "licenses": [{"id": 1, **licence}],
        "images": [{"id": 5, "file_name": "a.jpg", "license": 1}, {"id": 6, "file_name": "b.jpg", "license": 9}],
    }
    table = f"id,file,rights\n1,a.jpg,{cell}\n2,b.jpg,\n".encode()
    first, second = listed(source, {"works.csv": table, "boxes.json": json.dumps(file).encode()}).records.to_pylist()
    assert tuple(first[name] for name in ("rights_uri", "rights_text", "rights_basis")) == expected
    assert second["rights_basis"] in {"none", "recipe: me: old"}


def test_a_licence_that_stands_twice_says_nothing():
    licences = [{"id": 1, "url": BY}, {"id": 1, "url": CC0}, 7]
    images = [{"id": 1, "file_name": "a.jpg", "license": 1}]
    file = {"categories": [], "annotations": [], "licenses": licences, "images": images}
    got = listed(COCO, {"works.csv": CSV, "boxes.json": json.dumps(file).encode()})
    assert set(got.records["rights_basis"].to_pylist()) == {"none"}


def test_a_source_with_a_coco_file_has_a_row_about_it():
    got = listed(COCO, {"works.csv": CSV, "boxes.json": coco(a=[[0, 0, 5, 5]], z=[])})
    (row,) = got.coco_files.to_pylist()
    assert {name: row[name] for name in ("source", "path", "images", "annotations")} == {
        "source": "art",
        "path": "boxes.json",
        "images": 2,
        "annotations": 1,
    }
    assert listed(TABLE, {"works.csv": CSV}).coco_files.num_rows == 0


def test_an_image_that_nobody_knows_keeps_what_its_file_says_and_has_no_figures():
    got = listed(COCO, {"works.csv": CSV, "boxes.json": coco(a=[[0, 0, 0, 0]])})
    (row,) = got.figures.to_pylist()
    assert (row["record_id"], row["figures"]) == ("art:1", None)
    assert json.loads(row["source_coco"]) == {
        "image": {"id": 0, "file_name": "a.jpg"},
        "annotations": [{"image_id": 0, "category_id": 1, "bbox": [0, 0, 0, 0]}],
    }
    assert not any(annotated(got).values())


# --- one name in composed and in decomposed letters

COMPOSED, DECOMPOSED, MIXED = "\u00e9t\u00e9.jpg", "e\u0301te\u0301.jpg", "\u00e9te\u0301.jpg"
FORMS = [COMPOSED, DECOMPOSED, MIXED]
PICTURES = FolderSource(name="s", pattern="{title}.jpg")


def coco_file(*file_names: str) -> bytes:
    images = [{"id": number, "file_name": name} for number, name in enumerate(file_names, 1)]
    boxes = [
        {"id": number, "image_id": number, "category_id": 1, "bbox": [number, 1, 5, 5]}
        for number in range(1, len(file_names) + 1)
    ]
    document = {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "person"}]}
    return json.dumps(document).encode()


@pytest.mark.parametrize("on_disk", FORMS)
@pytest.mark.parametrize("named", FORMS)
def test_a_file_is_found_in_any_form_of_its_letters(on_disk: str, named: str):
    works = TableSource(name="s", table="\u00e9.csv", columns={"key": "key", "image": "image"})
    (row,) = listed(works, {on_disk: b"", "e\u0301.csv": f"key,image\na,{named}".encode()}).records.to_pylist()
    assert (row["record_id"], row["locator"]) == ("s:a", on_disk)

    boxes = PICTURES.model_copy(update={"annotations": Annotations(format="coco", path="\u00e9.json")})
    got = listed(boxes, {on_disk: b"", "e\u0301.json": coco_file(named)})
    assert figures(got) == {f"s:{COMPOSED}": [[1, 1, 5, 5]]}
    assert got.notes == ()

    xml = b"<annotation><object><name>person</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax>"
    voc = PICTURES.model_copy(update={"annotations": Annotations(format="voc", path="e\u0301/{title}.xml")})
    files = {on_disk: b"", f"\u00e9/{named[:-4]}.xml": xml + b"</bndbox></object></annotation>"}
    assert figures(listed(voc, files)) == {f"s:{COMPOSED}": [[0, 0, 9, 9]]}


def test_folders_and_patterns_have_forms_too():
    source = FolderSource(name="s", pattern="\u00e9/{style}/{title}.jpg")
    (row,) = listed(source, {"e\u0301/o\u0308/a.jpg": b""}).records.to_pylist()
    assert (row["record_id"], row["style"]) == ("s:\u00e9/\u00f6/a.jpg", "\u00f6")
    assert row["locator"] == "e\u0301/o\u0308/a.jpg"
    works = TableSource(name="s", table="\u00e9/*.json", columns={"key": "key", "image": "image"})
    (row,) = listed(works, {"e\u0301/1.json": b'{"key": 1, "image": "a.jpg"}'}).records.to_pylist()
    assert row["record_id"] == "s:1"


def test_two_files_of_one_name_are_one_record_and_a_drop_that_says_so():
    kept, dropped = listed(PICTURES, {COMPOSED: b"", DECOMPOSED: b""}).records.to_pylist()
    assert (kept["record_id"], kept["reason"]) == (f"s:{COMPOSED}", None)
    assert dropped["reason"] == "same_key"
    here, there = ("decomposed", "composed") if kept["locator"] == COMPOSED else ("composed", "decomposed")
    assert dropped["detail"] == (
        f"key of s:{COMPOSED}: the names of the two files are the same, this one's in {here} letters, the other's in "
        f"{there} letters"
    )


def test_of_two_files_of_one_name_each_has_what_is_said_of_it_exactly():
    works = TableSource(name="s", table="w.csv", columns={"key": "key", "image": "image"})
    works = works.model_copy(update={"annotations": Annotations(format="coco", path="a.json")})
    table = f"key,image\nc,{COMPOSED}\nd,{DECOMPOSED}\nm,{MIXED}\n".encode()
    files = {COMPOSED: b"", DECOMPOSED: b"", "w.csv": table, "a.json": coco_file(DECOMPOSED, COMPOSED, MIXED)}
    got = listed(works, files)
    assert dict(zip(got.records["record_id"].to_pylist(), got.records["locator"].to_pylist(), strict=True)) == {
        "s:c": COMPOSED,
        "s:d": DECOMPOSED,
        "s:m": MIXED,
    }
    assert figures(got) == {"s:c": [[2, 1, 5, 5]], "s:d": [[1, 1, 5, 5]], "s:m": [[3, 1, 5, 5]]}


def test_names_in_a_coco_file_that_are_no_images_say_in_what_they_differ():
    boxes = PICTURES.model_copy(update={"annotations": Annotations(format="coco", path="a.json")})
    (note,) = listed(boxes, {COMPOSED: b"", DECOMPOSED: b"", "a.json": coco_file(MIXED)}).notes
    assert "it is in some composed and some decomposed letters, and 2 files are called so but for that" in note
    (note,) = listed(boxes, {"a.jpg": b"", "a.json": coco_file("A.jpg")}).notes
    assert note.endswith("'A.jpg'; there is 'a.jpg', which differs in case")


def test_two_names_of_a_coco_file_never_share_an_image():
    boxes = PICTURES.model_copy(update={"annotations": Annotations(format="coco", path="a.json")})
    got = listed(boxes, {DECOMPOSED: b"", "a.json": coco_file(COMPOSED, DECOMPOSED)})
    assert figures(got) == {f"s:{COMPOSED}": [[2, 1, 5, 5]]}
    assert "images whose file name no record has" in {row.kind for row in got.passed_over}


def test_a_table_that_is_called_otherwise_is_told():
    works = TableSource(name="s", table="Works.csv", columns={"key": "key", "image": "image"})
    with pytest.raises(BadInput, match=r"got no such file; there is 'works.csv', which differs in case$"):
        listed(works, {"works.csv": b""})


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        ({"works.csv", "boxes.json"}, None),
        (
            {"boxes.json", "Works.csv"},
            "a table 'works.csv' .* got no such file; there is 'Works.csv', which differs in",
        ),
        (
            {"boxes.json", "other.csv"},
            "a table 'works.csv' .* got no such file; tables there: 'boxes.json', 'other.csv'$",
        ),
        ({"works.csv"}, "COCO annotations 'boxes.json' below binding 'images', got no such file$"),
    ],
)
def test_files_that_settings_name_are_looked_up_before_all_are_listed(there: set[str], expected: str | None):
    annotations = Annotations(format="coco", path="boxes.json")
    source = TABLE.model_copy(update={"annotations": annotations})
    looks: list[int] = []

    def first_paths() -> list[str]:
        looks.append(1)
        return sorted(there)

    def check() -> None:
        sources.check_named_files(source, lambda path: "v" if path in there else None, first_paths)

    if expected is None:
        check()
        assert not looks, "nothing is listed where all are there"
        return
    with pytest.raises(BadInput, match=f"source 'art': expected {expected}"):
        check()
    assert len(looks) == 1


def test_a_pattern_of_tables_and_of_images_names_no_file():
    assert FOLDER.named_files == ()
    assert TABLE.model_copy(update={"table": "works/*.json"}).named_files == ()
    assert TABLE.named_files == (("a table", "works.csv"),)
