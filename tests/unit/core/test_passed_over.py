"""What is passed over: counted by kind, with a few examples, in one sentence; and every list closes."""

import io
import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.manifests import PassedOver
from schemas.sources import AnyFileSource
from schemas.sources.artic import ArticSource
from schemas.sources.common import Annotations
from schemas.sources.commons import CommonsSource
from schemas.sources.flickr import FlickrSource
from schemas.sources.folder import FolderSource
from schemas.sources.met import MetSource
from schemas.sources.surrealism import SurrealismSource
from schemas.sources.table import TableSource
from schemas.sources.wikiart import WikiartSource
from schemas.tables import ANSWERS, PASSED_OVER, RECORDS
from tasks.core import passed_over
from tasks.core.passed_over import Tally, notes
from tasks.core.scrape import answers as web
from tasks.core.scrape import artic, commons, flickr, met, sources, surrealism, wikiart
from tasks.core.scrape.folder import speaks_of_images
from tasks.core.scrape.records import merge
from tasks.core.scrape.web_source import SourceRequest
from tasks.io.files.parquet_files import rows_of_parquet
from tests.support.keypoints import COCO_17


def test_counts_by_kind_with_three_examples_the_most_frequent_first():
    left_out = Tally()
    left_out.add("texts", "a.txt")
    for number in range(5):
        left_out.add("image files that end in .webp", f"{number}.webp")
    rows = left_out.rows(("art",), "files", 9)
    assert [(row.kind, row.count, row.examples) for row in rows] == [
        ("image files that end in .webp", 5, ("0.webp", "1.webp", "2.webp")),
        ("texts", 1, ("a.txt",)),
    ]
    assert left_out.total == 6
    assert notes(rows) == [
        "source 'art': 6 of 9 files give no record: image files that end in .webp (5: '0.webp', '1.webp', '2.webp'); "
        "texts (1: 'a.txt')"
    ]
    assert passed_over.rows_of_table(passed_over.table(rows)) == rows
    assert passed_over.table([]).schema == PASSED_OVER


def test_rare_kinds_beyond_a_dozen_are_one():
    left_out = Tally()
    for number in range(30):
        left_out.add(f"files that end in .{number:02}", f"a.{number:02}", count=2 if number < 11 else 1)
    rows = left_out.rows(("art",), "files", 41)
    assert (len(rows), rows[-1].kind, rows[-1].count) == (12, "others", 19)
    assert things_listed(0, rows) == 41


@pytest.mark.parametrize(
    ("images", "others", "kinds"),
    [
        pytest.param(1, 30, 12, id="a rare one"),
        pytest.param(9, 4, 12, id="many"),
        pytest.param(14, 20, 15, id="more than a dozen"),
        pytest.param(14, 1, 15, id="more than a dozen, and one other"),
        pytest.param(14, 0, 14, id="no others"),
    ],
)
def test_images_are_never_among_others(images: int, others: int, kinds: int):
    left_out = Tally()
    for number in range(others):
        left_out.add(f"files that end in .{number:02}", count=9)
    endings = (".jpg", ".png", ".gif", ".tif", ".bmp", ".heic", ".avif", ".jxl", ".jp2", ".psd", ".svg", ".tga", ".pcx")
    for ending in (*endings, ".ppm")[:images]:
        left_out.add(
            f"image files that end in {ending}" if len(ending) > 4 else f"files that end in {ending}, in deeper"
        )
    rows = left_out.rows(("art",), "files", 999, speaks_of_images)
    assert sum(speaks_of_images(row.kind) for row in rows) == images
    assert (len(rows), sum(row.count for row in rows)) == (kinds, images + 9 * others)


def test_nothing_passed_over_says_nothing():
    left_out = Tally()
    left_out.add("rows equal to another one", count=0)
    assert (left_out.rows(("art",), "rows", 7), notes([])) == ((), [])


@pytest.mark.parametrize(
    ("unit", "count", "sentence"),
    [
        ("files", 1, "source 'art': 1 of 1 file gives no record: texts (1)"),
        ("annotations", 2, "source 'art': 2 of 2 annotations give no figure: texts (2)"),
    ],
)
def test_a_sentence(unit: str, count: int, sentence: str):
    assert notes([PassedOver(sources=("art",), unit=unit, listed=count, kind="texts", count=count)]) == [sentence]


def test_an_example_is_one_short_line():
    left_out = Tally()
    left_out.add("texts", "a\nb\x1b[2J" + "x" * 200)
    ((example,),) = (row.examples for row in left_out.rows(("art",), "files", 1))
    assert len(example) == 80
    assert example.isprintable()


# --- things in = records + counted


def tables_of(source: AnyFileSource, files: dict[str, bytes]) -> sources.SourceTables:
    return sources.tables_of_source(
        source,
        sorted(files),
        lambda path: io.BytesIO(files[path]) if path in files else None,
        lambda data: rows_of_parquet("art", data),
        {"person": COCO_17},
    )


def things_listed(yielded: int, rows: Iterable[PassedOver]) -> int:
    """How many things a list had, by what came of them: every list closes, so that it is its length."""
    return yielded + sum(row.count for row in rows)


def listed(name: str, data: bytes, **settings: Any) -> tuple[int, list[PassedOver]]:
    """The records of a table, and what of its rows was passed over."""
    source = TableSource(name="art", table=name, columns={"key": "id", "image": "file"}, **settings)
    got = tables_of(source, {name: data})
    return got.records.num_rows, list(got.passed_over)


def csv_text(lines: list[str]) -> bytes:
    return "\n".join(["id,file", "0,0.jpg", *lines, ""]).encode()


def json_lines(lines: list[str]) -> bytes:
    return "\n".join(['{"id": "0", "file": "0.jpg"}', *lines, ""]).encode()


def json_list(lines: list[str]) -> bytes:
    return (
        f'{{"works": [{",".join(["{}", *lines]).replace("{}", json.dumps({"id": "0", "file": "0.jpg"}), 1)}]}}'.encode()
    )


def parquet(lines: list[str]) -> bytes:
    rows = [{"id": "0", "file": "0.jpg"}, *(json.loads(line) for line in lines)]
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, pa.schema([("id", pa.string()), ("file", pa.string())])), sink)
    return sink.getvalue()


CSV_LINES = [
    "1,a.jpg",
    "1,b.jpg",
    "2,c.jpg",
    "id,file",
    "",
    "3,d.jpg,too,many",
    "4",
    ",",
    "# a comment",
    ",e.jpg",
    "  ",
]
OBJECTS = ['{"id": "1", "file": "a.jpg"}', '{"id": "1", "file": "b.jpg"}', '{"id": "2"}', '{"file": "c.jpg"}', "{}"]
JSON_LINES = [*OBJECTS, "null", "7", '"text"', "[1]", '{"id": {"a": 1', "", "   "]
ELEMENTS = [*OBJECTS, "null", "7", '"text"', "[1]", "true"]
NULLS = [*OBJECTS, '{"id": null, "file": null}']


@given(st.data())
@pytest.mark.parametrize(
    ("name", "make", "lines", "settings"),
    [
        ("works.csv", csv_text, CSV_LINES, {}),
        ("works.jsonl", json_lines, JSON_LINES, {}),
        ("works.json", json_list, ELEMENTS, {"works": "works"}),
        ("works.parquet", parquet, NULLS, {}),
    ],
)
def test_every_row_is_a_record_or_counted(
    name: str, make: Callable[[list[str]], bytes], lines: list[str], settings: dict[str, Any], data: st.DataObject
):
    chosen = data.draw(st.lists(st.sampled_from(lines), max_size=12))
    records, rows = listed(name, make(chosen), **settings)
    assert things_listed(records, rows) == 1 + len(chosen)
    assert {row.listed for row in rows} <= {1 + len(chosen)}


def test_the_kinds_of_a_csv():
    lines = ["1,a.jpg", "1,a.jpg", "", "", "id,file", "2,b.jpg,x", ",", ","]
    records, rows = listed("works.csv", csv_text(lines))
    assert records == 4  # 0, 1, the row with a cell too many, and one without a key
    by_kind = {row.kind: row for row in rows}
    assert {kind: row.count for kind, row in by_kind.items()} == {
        "empty lines": 2,
        "rows equal to another one, so that they are one": 2,
        "rows that are the table's first line again": 1,
    }
    assert by_kind["empty lines"].examples == ("line 5", "line 6")
    assert "art:1" in by_kind["rows equal to another one, so that they are one"].examples
    assert by_kind["rows that are the table's first line again"].examples == ("line 7",)


COCO_SOURCE = TableSource(
    name="art",
    table="works.csv",
    columns={"key": "id", "image": "file"},
    annotations=Annotations(format="coco", path="boxes.json"),
)
IMAGE_ENTRIES: list[Any] = [
    {"id": 1, "file_name": "a.jpg"},
    {"id": 2, "file_name": "b.jpg"},
    {"id": 3, "file_name": "b.jpg"},
    {"id": 4, "file_name": "none.jpg"},
    {"id": 5},
    {"id": 6, "file_name": ""},
    {"id": 7, "file_name": "c.jpg", "is_annotated": False},
    {"id": 8, "file_name": "twice.jpg"},
    None,
    "a.jpg",
    17,
]
GOOD_BOX = {"category_id": 1, "bbox": [1, 2, 3, 4]}
ENTRIES: list[Any] = [
    *({"image_id": image_id, **GOOD_BOX} for image_id in (1, 2, 3, 4, 5, 6, 7, 8, 99, None, "x")),
    {"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4]},
    {"image_id": 2, "category_id": 77, "bbox": [1, 2, 3, 4]},
    {"image_id": 3, "category_id": 1, "bbox": [1, 2, 0, 4]},
    {"image_id": 1, "category_id": 1},
    {},
    None,
    [1],
    "box",
]


def drawn_figures(got: sources.SourceTables) -> int:
    """Figures of images, each image once."""
    names = dict(zip(got.records["record_id"].to_pylist(), got.records["locator"].to_pylist(), strict=True))
    by_image = {names[row["record_id"]]: len(row["figures"] or ()) for row in got.figures.to_pylist()}
    return sum(by_image.values())


def of_unit(got: sources.SourceTables, unit: str) -> list[PassedOver]:
    return [row for row in got.passed_over if row.unit == unit]


@given(st.sets(st.integers(0, len(IMAGE_ENTRIES) - 1)), st.lists(st.sampled_from(ENTRIES), max_size=14))
def test_every_annotation_of_a_coco_file_is_a_figure_or_counted(chosen: set[int], annotations: list[Any]):
    images = [IMAGE_ENTRIES[place] for place in sorted(chosen)]
    categories = [{"id": 1, "name": "person"}, {"id": 2, "name": "dog"}]
    document = {"images": images, "annotations": annotations, "categories": categories}
    works = b"id,file\n1,a.jpg\n2,b.jpg\n3,c.jpg\n4,twice.jpg\n5,twice.jpg\n6,d.jpg\n"
    got = tables_of(COCO_SOURCE, {"works.csv": works, "boxes.json": json.dumps(document).encode()})
    assert things_listed(drawn_figures(got), of_unit(got, "annotations")) == len(annotations)
    assert {row.listed for row in of_unit(got, "annotations")} <= {len(annotations)}
    assert {row.listed for row in of_unit(got, passed_over.IMAGES_OF_FILE)} <= {len(images)}
    known = {image["file_name"] for image in images if isinstance(image, dict) and image.get("file_name")}
    matched = known & {"a.jpg", "b.jpg", "c.jpg", "twice.jpg"}
    assert things_listed(len(matched), of_unit(got, passed_over.IMAGES_OF_FILE)) == len(images)
    is_annotated = sum(got.records["is_annotated"].to_pylist())
    assert things_listed(is_annotated, of_unit(got, "images")) == got.records.num_rows


def test_ten_kinds_of_a_coco_file():
    categories = [{"id": 1, "name": "person"}, {"id": 2, "name": "dog"}]
    document = {"images": IMAGE_ENTRIES, "annotations": ENTRIES, "categories": categories}
    works = b"id,file\n1,a.jpg\n2,b.jpg\n3,c.jpg\n4,twice.jpg\n5,d.jpg\n"
    got = tables_of(COCO_SOURCE, {"works.csv": works, "boxes.json": json.dumps(document).encode()})
    assert {(row.unit, row.kind): row.count for row in got.passed_over} == {
        ("images", "images that count as not annotated"): 2,
        ("images", "images without an annotation"): 1,
        ("images in the COCO file", "entries of `images` that are no objects"): 3,
        ("images in the COCO file", "images without a file name"): 2,
        ("images in the COCO file", "images of a file name that a later one has"): 1,
        ("images in the COCO file", "images whose file name no record has"): 1,
        ("annotations", "annotations of no image of the file"): 6,
        ("annotations", "entries of `annotations` that are no objects"): 3,
        ("annotations", "annotations of images that count as not annotated"): 3,
        ("annotations", "annotations of images of a file name that a later one has"): 2,
        ("annotations", "annotations that can't be read"): 1,
        ("annotations", "annotations whose box has no area, beside others that have"): 1,
        ("annotations", "annotations of images whose file name no record has"): 1,
    }
    assert drawn_figures(got) == 2


VOC_SOURCE = FolderSource(name="art", pattern="{title}.jpg", annotations=Annotations(format="voc", path="{title}.xml"))
BOX = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>4</xmax><ymax>8</ymax></bndbox>"
OBJECTS_OF_VOC = {
    "person": f"<object><name>person</name>{BOX}</object>",
    "dog": f"<object><name>dog</name>{BOX}</object>",
    "nameless": f"<object>{BOX}</object>",
    "boxless": "<object><name>person</name></object>",
    "flat": f"<object><name>person</name>{BOX.replace('>4<', '>0<')}</object>",
    "words": f"<object><name>person</name>{BOX.replace('>4<', '>four<')}</object>",
}
FILES_OF_VOC = {
    "none": None,
    "empty": b"",
    "cut": b"<annotation><object>",
    "page": b"<html/>",
    "dtd": b"<!DOCTYPE a><a/>",
}


@given(
    st.lists(
        st.one_of(st.sampled_from(sorted(FILES_OF_VOC)), st.lists(st.sampled_from(sorted(OBJECTS_OF_VOC)), max_size=4)),
        min_size=1,
        max_size=6,
    )
)
def test_every_object_and_image_of_voc_is_annotated_or_counted(annotations: list[str | list[str]]):
    files: dict[str, bytes] = {}
    for number, annotation in enumerate(annotations):
        files[f"{number}.jpg"] = b""
        data = (
            FILES_OF_VOC[annotation]
            if isinstance(annotation, str)
            else f"<annotation>{''.join(OBJECTS_OF_VOC[name] for name in annotation)}</annotation>".encode()
        )
        if data is not None:
            files[f"{number}.xml"] = data
    got = tables_of(VOC_SOURCE, files)
    objects = sum(len(annotation) for annotation in annotations if not isinstance(annotation, str))
    assert things_listed(drawn_figures(got), of_unit(got, "objects")) == objects
    is_annotated = sum(got.records["is_annotated"].to_pylist())
    assert things_listed(is_annotated, of_unit(got, "images")) == len(annotations)


# --- answers of the web


WORKS: list[Any] = [
    None,
    7,
    "text",
    [1],
    {},
    {"id": "x", "is_public_domain": True},
    {"id": 1, "is_public_domain": True, "image_id": "33115537-53c1"},
    {"id": 2, "is_public_domain": True, "image_id": "33115537-53c2"},
    {"id": 3, "is_public_domain": True},
    {"id": 4, "is_public_domain": False, "image_id": "33115537-53c1"},
    {"id": 5, "is_public_domain": "true"},
    {"id": 6, "is_public_domain": True, "department_title": "Textiles", "image_id": "33115537-53c1"},
]
ARTIC = ArticSource(name="art", departments=("Prints",), page_size=12)
for one in WORKS:
    if isinstance(one, dict):
        one.setdefault("department_title", "Prints")


@given(st.lists(st.lists(st.sampled_from(WORKS), max_size=12), min_size=1, max_size=3))
def test_every_entry_of_a_web_sources_answers_is_a_record_or_counted(pages: list[list[Any]]):
    asked = artic.start_requests(ARTIC)[0].url.removesuffix("1")
    blank = dict.fromkeys(ANSWERS.names)
    answers, bodies = [], {}
    for number, works in enumerate(pages, 1):
        url = f"{asked}{number}"
        pagination = {"total": 12 * len(pages), "limit": 12, "current_page": number}
        bodies[url] = json.dumps({"pagination": pagination, "data": works}).encode()
        answers.append({**blank, "url": url, "kind": "page", "expects": "json", "needs_secret": False})
    parsed = web.parse_answers(ARTIC, answers, lambda answer: bodies[answer["url"]])
    equal, later = Counter[str](), Tally()
    found = merge([parsed.records.drop_columns("answer_url")], RECORDS, equal)
    later.add("works that a listing has had before", count=equal.total())
    rows = web.passed_over_rows(ARTIC, parsed.passed_over, later)
    entries = sum(len(works) for works in pages)
    assert things_listed(found.num_rows, [row for row in rows if row.unit == "entries"]) == entries
    assert {row.listed for row in rows if row.unit == "entries"} <= {entries}
    empty = [row for row in rows if row.unit == "listings"]
    assert {row.listed for row in empty} <= {len(pages)}
    assert sum(row.count for row in empty) == 0


def parsed_list(module: Any, source: Any, request: SourceRequest, data: Any) -> tuple[int, int]:
    """How many entries an answer's rows and requests are, and how many were passed over."""
    got = module.parse(source, request, data if isinstance(data, bytes) else json.dumps(data).encode())
    keyed = sum(request.source_key is not None for request in got.requests)
    return len(got.rows) + keyed, sum(kind.count for kind in got.passed_over)


@given(st.lists(st.sampled_from([1, 2, 2, 3, 0, -1, None, "4", 5.0, True, 10**9]), max_size=12))
def test_every_id_of_the_mets_list_is_asked_for_or_counted(ids: list[Any]):
    request = SourceRequest("https://collectionapi.metmuseum.org/public/collection/v1/objects", "list")
    assert sum(parsed_list(met, MetSource(name="met"), request, {"total": len(ids), "objectIDs": ids})) == len(ids)


@given(st.lists(st.sampled_from(["1,true", "2,false", "2,true", "x,true", "3,", "4", "5,true,6"]), max_size=12))
def test_every_row_of_the_mets_table_is_asked_for_or_counted(lines: list[str]):
    data = "\n".join(["Object ID,Is Public Domain", "99,true", *lines, ""]).encode()
    request = SourceRequest("https://media.githubusercontent.com/table", "table", expects="csv")
    assert sum(parsed_list(met, MetSource(name="met", listing="csv"), request, data)) == 1 + len(lines)


@given(
    st.lists(st.sampled_from([{"id": "1"}, {"id": "1", "media": "video"}, {}, None, "x"]), max_size=5), st.booleans()
)
def test_every_photograph_of_flickrs_page_is_a_row_or_counted(photos: list[Any], is_again: bool):
    source = FlickrSource(name="flickr", group_id="1@N01")
    (request,) = flickr.start_requests(source)
    page = {"page": 2 if is_again else 1, "pages": 1, "total": len(photos), "photo": photos}
    counts = parsed_list(flickr, source, request, {"stat": "ok", "photos": page})
    assert counts == ((0, len(photos)) if is_again else (len(photos), 0))


def test_artists_and_works_of_wikiart_that_the_recipe_does_not_want_are_counted():
    source = WikiartSource(name="wikiart", by="json", artists=("claude-monet",), copyright="public_domain")
    artists = [{"url": "/en/claude-monet"}, {"url": "/en/other"}, {"url": None}, None]
    request = wikiart.start_requests(source)[0]
    got = wikiart.parse(source, request, json.dumps(artists).encode())
    assert (len(got.rows), len(got.requests)) == (2, 1)
    assert [(kind.unit, kind.kind, kind.count, kind.examples) for kind in got.passed_over[1:]] == [
        ("artists", "artists that the recipe does not name", 1, ("other",))
    ]
    (of_list,) = notes(rows_of_answers(source, {request: artists}))
    sentence = "1 of 4 artists gives no record: artists that the recipe does not name (1: 'other')"
    assert of_list == f"source 'wikiart': {sentence}"


def rows_of_answers(source: Any, bodies: dict[SourceRequest, Any]) -> tuple[PassedOver, ...]:
    """What of a source's listings yields no record."""
    answers = [
        {**dict.fromkeys(ANSWERS.names), "url": of.url, "kind": of.kind, "expects": of.expects, "needs_secret": False}
        for of in bodies
    ]
    by_url = {request.url: body for request, body in bodies.items()}

    def data_of(answer: Any) -> bytes:
        body = by_url[answer["url"]]
        return body if isinstance(body, bytes) else json.dumps(body).encode()

    parsed = web.parse_answers(source, answers, data_of)
    return web.passed_over_rows(source, parsed.passed_over, Tally())


def test_links_of_a_page_that_lead_to_no_artist_are_no_entries():
    source = SurrealismSource(name="sur")
    (request,) = surrealism.start_requests(source)
    page = b"<a href='/'>Home</a><a href='/about'>About</a><a href='ernst.html'>Max Ernst</a>"
    assert rows_of_answers(source, {request: page}) == ()


def test_subcategories_that_the_recipe_excludes_are_counted_among_the_categories():
    source = CommonsSource(name="commons", categories=("Paintings",), depth=1, exclude=("Copies",))
    request = next(request for request in commons.start_requests(source) if "gcmtype=subcat" in request.url)
    pages = [{"title": "Category:Copies"}, {"title": "Category:Cubism"}]
    assert notes(rows_of_answers(source, {request: {"batchcomplete": True, "query": {"pages": pages}}})) == [
        "source 'commons': 1 of 2 categories gives no record: subcategories that the recipe excludes (1: 'Copies')"
    ]


def test_a_folder_of_several_sources_names_each_of_them():
    left_out = Tally()
    left_out.add("texts", "a.txt")
    rows = left_out.rows(("old, new", "b"), "files", 9)
    assert notes(rows) == ["sources 'old, new' and 'b': 1 of 9 files gives no record: texts (1: 'a.txt')"]
    assert passed_over.rows_of_table(passed_over.table(rows)) == rows
