"""The COCO files of a release's split: what people or sources drew, images that nobody annotated, and detections."""

import contextlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.attributes import attributes_of
from schemas.keypoints import CocoCategory
from schemas.phrases import quoted
from schemas.tables import CATEGORIES
from tasks.core import rights
from tasks.core.coco.box import box_array, read_box, read_outline, run_lengths
from tasks.core.columns import whole
from tasks.core.tables import with_columns
from tasks.core.texts import float_texts, json_texts, json_values, list_texts, plain_texts

Document = dict[str, Any]
Row = dict[str, Any]
Bytes = bytes | memoryview | Any
"""Bytes, or an Arrow buffer of them."""

_BATCH = 16_384
"""Rows of which the text is in memory at one time."""

_METADATA = ("record_id", "source_url", "title", "artist", "style", "year", "sha256", "rights_uri", "rights_text")

IMAGE_COLUMNS = tuple(
    dict.fromkeys((*_METADATA, "image_id", "width_px", "height_px", "image", "format", "image_url", "is_annotated"))
)
"""The columns of IMAGES of which a COCO file says something, beside attributes."""

EXTENSIONS = {
    "JPEG": "jpg",
    "PNG": "png",
    "GIF": "gif",
    "WEBP": "webp",
    "TIFF": "tif",
    "BMP": "bmp",
    "PPM": "ppm",
    "JPEG2000": "jp2",
    "AVIF": "avif",
}


def split_document(
    images: pa.Table,
    annotations: pa.Table,
    categories: Sequence[CocoCategory],
    info: Row,
    with_keypoints: Collection[int] | None = None,
) -> Document:
    """The COCO file of one split, as a JSON-able value; see `document_chunks`. images: rows of all its images.

    with_keypoints: as there; by default those of these annotations.
    """
    numbers = keypoint_categories(annotations) if with_keypoints is None else with_keypoints
    chunks = document_chunks(images, annotations, categories, info, annotated_places(images), numbers)
    document: Document = json.loads(b"".join(map(bytes, chunks)))
    return document


def annotated_places(images: pa.Table, split: str | None = None, *, is_annotated: bool = True) -> pa.Array:
    """Which rows are of images that people have annotated, or have not; split: of these only such of it."""
    is_wanted = pc.equal(images["is_annotated"], is_annotated)
    if split is not None:
        is_wanted = pc.and_(is_wanted, pc.equal(images["split"], split))
    return pa.array(np.flatnonzero(is_wanted))


def keypoint_categories(annotations: pa.Table) -> frozenset[int]:
    """The ids of categories of which any annotation has keypoints."""
    lengths = pc.list_value_length(annotations["keypoints_xyv"])
    has_keypoints = pc.fill_null(pc.greater(lengths, 0), False)
    return frozenset(pc.unique(annotations["category_id"].filter(has_keypoints)).to_pylist())


def document_chunks(
    images: pa.Table,
    annotations: pa.Table,
    categories: Sequence[CocoCategory],
    info: Row,
    places: pa.Array,
    with_keypoints: Collection[int],
) -> Iterator[Bytes]:
    """The COCO file of one split, as JSON with sorted keys, piece by piece: it may be larger than the tables.

    images: IMAGES without their bytes; places: which rows it has, those of the split that people have annotated.
    annotations: the split's ANNOTATIONS. with_keypoints: ids of categories whose keypoints it names, the same in all
    splits: each of their annotations has `keypoints` and `num_keypoints`, all 0 where nobody has labelled any.
    `segmentation` stands only where a source has drawn an outline, of crowds as run lengths. Format: Lin et al.,
    "Microsoft COCO". Raises BadBox for a box that is none.
    """
    drawn = with_crowd_outlines(annotations, images)
    zeros = _no_keypoints(categories, with_keypoints)
    entries = [
        category_entry(number, category, has_keypoints=number in with_keypoints)
        for number, category in enumerate(categories, 1)
    ]
    yield b'{"annotations":['
    yield from _rows(drawn, _all(drawn), lambda batch: _annotation_texts(batch, zeros))
    yield f'],"categories":{_json(entries)},'.encode()
    yield from _image_chunks(images, places, {**info, "annotation_origin": "people"})


def unannotated_chunks(
    images: pa.Table, categories: Sequence[CocoCategory], info: Row, places: pa.Array
) -> Iterator[Bytes]:
    """The list of a split's images that nobody has annotated, as COCO lists the images of its test set: there is no
    `annotations` in it, so that nobody takes them for images without any. Arguments as of `document_chunks`.
    """
    entries = [category_entry(number, of, has_keypoints=False) for number, of in enumerate(categories, 1)]
    yield f'{{"categories":{_json(entries)},'.encode()
    yield from _image_chunks(images, places, info)


def _image_chunks(images: pa.Table, places: pa.Array, info: Row) -> Iterator[Bytes]:
    """The rest of a file: its images, info and licences."""
    licences = licence_entries(pc.unique(images["rights_uri"].take(places)).to_pylist())
    uris = pa.array([licence["url"] for licence in licences], pa.string())
    yield b'"images":['
    yield from _rows(images, places, lambda batch: _image_texts(batch, uris))
    yield f'],"info":{_json(info)},"licenses":{_json(licences)}}}'.encode()


def with_crowd_outlines(annotations: pa.Table, images: pa.Table) -> pa.Table:
    """The annotations, with the outlines of crowds as run lengths, as COCO has them, where they are polygons that can
    be drawn; others stay.

    images: image_id, width_px and height_px of theirs.
    """
    is_crowd = pc.fill_null(pc.and_(annotations["is_crowd"], pc.starts_with(annotations["segmentation"], "[")), False)
    if not pc.any(is_crowd).as_py():
        return annotations
    crowds = annotations.filter(is_crowd)
    of = images.take(pc.index_in(crowds["image_id"], value_set=whole(images["image_id"])))
    sides = zip(of["width_px"].to_pylist(), of["height_px"].to_pylist(), strict=True)
    texts = []
    for text, size_px in zip(crowds["segmentation"].to_pylist(), sides, strict=True):
        with contextlib.suppress(ValueError, TypeError):  # of no size, or no outline: another check tells
            text = _json(run_lengths(read_outline(text), size_px))
        texts.append(text)
    outlines = pc.replace_with_mask(whole(annotations["segmentation"]), whole(is_crowd), pa.array(texts, pa.string()))
    return with_columns(annotations, {"segmentation": outlines})


def release_info(title: str, version: str) -> Row:
    """COCO's `info` of each split of a release, without the split's own `annotation_origin`."""
    boxes = "x_min, y_min, width, height in px of the upright image"
    return {"description": title, "version": version, "bbox": boxes}


def licence_entries(uris: Iterable[str]) -> list[Row]:
    """COCO's `licenses` of images with these rights, each once, sorted.

    >>> licence_entries(["https://creativecommons.org/publicdomain/zero/1.0/", "NOASSERTION"])[1]
    {'id': 2, 'name': 'CC0-1.0', 'url': 'https://creativecommons.org/publicdomain/zero/1.0/'}
    """
    return [
        {"id": number, "name": rights.licence_name(uri), "url": uri} for number, uri in enumerate(sorted({*uris}), 1)
    ]


def split_results(detections: pa.Table, least_score: float = 0.0) -> list[Row]:
    """COCO's results of one split, as a JSON-able value; see `results_chunks`."""
    results: list[Row] = json.loads(b"".join(map(bytes, results_chunks(detections, least_score))))
    return results


def results_chunks(detections: pa.Table, least_score: float) -> Iterator[Bytes]:
    """COCO's results format, piece by piece: DETECTIONS of a split of at least this score, with their keypoints."""
    yield b"["
    boxes = detections.filter(pc.greater_equal(detections["score"], least_score))
    yield from _rows(boxes, _all(boxes), _result_texts)
    yield b"]"


def media_path(sha256: str, format_name: str) -> str:
    """Where the image lies as a file below the release."""
    return f"media/{sha256[:2]}/{file_name(sha256, format_name)}"


def media_paths(sha256: pa.Array | pa.ChunkedArray, format_name: pa.Array | pa.ChunkedArray) -> Any:
    """(N,) the `media_path` of each image."""
    folder = pc.utf8_slice_codeunits(sha256, 0, 2)
    return pc.binary_join_element_wise("media", folder, file_names(sha256, format_name), "/")


def file_names(sha256: pa.Array | pa.ChunkedArray, format_name: pa.Array | pa.ChunkedArray) -> Any:
    """(N,) the `file_name` of each image."""
    place = pc.index_in(format_name, value_set=pa.array(EXTENSIONS, pa.string()))
    endings = pc.fill_null(pc.take(pa.array(EXTENSIONS.values(), pa.string()), place), "bin")
    return pc.binary_join_element_wise(sha256, endings, ".")


def file_name(sha256: str, format_name: str) -> str:
    """The image's name: its digest and the usual extension of its format."""
    return f"{sha256}.{EXTENSIONS.get(format_name, 'bin')}"


def category_entry(number: int, category: CocoCategory, *, has_keypoints: bool) -> Row:
    """COCO's entry of a category; has_keypoints: whether it names its keypoints, if it has a scheme."""
    plain = {"id": number, "name": category.name, "supercategory": category.supercategory}
    if category.scheme is None or not has_keypoints:
        return plain
    return {**plain, "keypoints": list(category.scheme.joints), "skeleton": category.scheme.skeleton_numbers}


def image_entry(image: Row, attributes: Sequence[str] = ()) -> Row:
    """COCO's entry of a row of the images table, without its licence, whose number is the file's."""
    path = image["image"]["path"] if image.get("image") else None
    return {
        "id": image["image_id"],
        "width": image["width_px"],
        "height": image["height_px"],
        "file_name": path or file_name(image["sha256"], image["format"]),
        "coco_url": image["image_url"] or "",
        "is_annotated": image["is_annotated"],
        "metadata": {name: image[name] for name in (*_METADATA, *attributes)},
    }


def document_annotation(box: Row, with_keypoints: Mapping[int, int]) -> Row:
    """COCO's entry of a row of ANNOTATIONS (`with_crowd_outlines`): its area is its source's, else that of the box.

    with_keypoints: how many joints there are, by the ids of categories whose keypoints the file names. Raises BadBox
    for a box that is none, and ValueError for an outline that is no JSON.
    """
    area, outline = box.get("source_area_px2"), box.get("segmentation")
    entry = annotation_entry(
        box["annotation_id"],
        box["image_id"],
        box["category_id"],
        box["xywh_px"],
        box["area_px2"] if area is None else area,
        is_crowd=box["is_crowd"],
    )
    if outline:
        entry["segmentation"] = read_outline(outline)
    if (joints := with_keypoints.get(box["category_id"])) is not None:
        keypoints = box["keypoints_xyv"] or [0] * 3 * joints
        entry |= {"keypoints": keypoints, "num_keypoints": sum(v > 0 for v in keypoints[2::3])}
    return entry


def joint_counts(categories: Sequence[CocoCategory], with_keypoints: Collection[int]) -> dict[int, int]:
    """How many joints there are, by the ids of these categories, which count from 1."""
    schemes = {number: category.scheme for number, category in enumerate(categories, 1) if number in with_keypoints}
    return {number: len(scheme.joints) for number, scheme in schemes.items() if scheme is not None}


def _no_keypoints(categories: Sequence[CocoCategory], with_keypoints: Collection[int]) -> pa.Array:
    """The keypoints of a figure without any, as text by category id; null where the file names none."""
    counts = joint_counts(categories, with_keypoints)
    texts = [
        ",".join(["0"] * 3 * counts[number]) if number in counts else None for number in range(len(categories) + 1)
    ]
    return pa.array(texts, pa.string())


def _all(table: pa.Table) -> pa.Array:
    return pa.array(np.arange(table.num_rows))


def _rows(table: pa.Table, places: pa.Array, texts: Callable[[pa.Table], pa.Array]) -> Iterator[Bytes]:
    """The texts of the rows at these places, with commas between, a batch at a time."""
    for start in range(0, len(places), _BATCH):
        batch = texts(table.take(places.slice(start, _BATCH)).combine_chunks())
        if start:
            yield b","
        whole = pa.ListArray.from_arrays(pa.array([0, len(batch)], pa.int32()), batch)
        yield pc.binary_join(whole, ",")[0].as_buffer()


def _annotation_texts(boxes: pa.Table, no_keypoints: pa.Array) -> pa.Array:
    """(N,) `document_annotation` of each row. no_keypoints: by category id (`_no_keypoints`)."""
    box_array(boxes["xywh_px"])
    outline, nothing = whole(boxes["segmentation"]), no_keypoints.take(whole(boxes["category_id"]))
    texts = pc.fill_null(list_texts(boxes["keypoints_xyv"], ","), "")
    keypoints = pc.if_else(pc.equal(texts, ""), nothing, texts)
    counts = plain_texts(count_labelled(boxes["keypoints_xyv"]))
    named = _joined(',"keypoints":[', pc.fill_null(keypoints, ""), '],"num_keypoints":', counts)
    area = pc.coalesce(boxes["source_area_px2"], boxes["area_px2"])
    return _joined(
        '{"area":', float_texts(area), *_bbox_texts(boxes),
        ',"category_id":', plain_texts(boxes["category_id"]), ',"id":', plain_texts(boxes["annotation_id"]),
        ',"image_id":', plain_texts(boxes["image_id"]), ',"iscrowd":', plain_texts(boxes["is_crowd"].cast(pa.int8())),
        pc.if_else(pc.is_valid(nothing), named, ""),
        pc.if_else(pc.is_valid(outline), _joined(',"segmentation":', pc.fill_null(outline, "")), ""), "}",
    )  # fmt: skip


def _result_texts(boxes: pa.Table) -> pa.Array:
    """(N,) `result_entry` of each row, with its keypoints."""
    box_array(boxes["xywh_px"])
    texts = pc.fill_null(list_texts(boxes["keypoints_xyv"], ","), "")
    keypoints = pc.if_else(pc.equal(texts, ""), "", _joined(',"keypoints":[', texts, "]"))
    return _joined(
        "{", *_bbox_texts(boxes, ""), ',"category_id":', plain_texts(boxes["category_id"]),
        ',"image_id":', plain_texts(boxes["image_id"]), keypoints,
        ',"score":', pc.fill_null(float_texts(boxes["score"]), "null"), "}",
    )  # fmt: skip


def _bbox_texts(boxes: pa.Table, comma: str = ",") -> tuple[Any, ...]:
    return f'{comma}"bbox":[', list_texts(boxes["xywh_px"].cast(pa.list_(pa.float64())), ","), "]"


def count_labelled(keypoints: pa.ChunkedArray) -> pa.Array:
    """(N,) how many points of each list are labelled: their visibility, each third number, is above 0."""
    lists = keypoints.combine_chunks()
    row = np.asarray(pc.list_parent_indices(lists), np.int64)
    place = np.arange(len(row)) - np.searchsorted(row, row)
    is_labelled = (place % 3 == 2) & (pc.list_flatten(lists).to_numpy(zero_copy_only=False) > 0)
    return pa.array(np.bincount(row[is_labelled], minlength=len(lists)))


def _image_texts(images: pa.Table, uris: pa.Array) -> pa.Array:
    """(N,) `image_entry` of each row, with its licence: the place of its URI among these, from 1."""
    path = pc.struct_field(images["image"], "path")
    names = sorted((*_METADATA, *attributes_of(images.schema)))
    metadata = [part for name in names for part in (f',"{name}":', json_values(images[name]))]
    return _joined(
        '{"coco_url":', json_texts(pc.fill_null(images["image_url"], "")),
        ',"file_name":', json_texts(pc.coalesce(path, file_names(images["sha256"], images["format"]))),
        ',"height":', plain_texts(images["height_px"]), ',"id":', plain_texts(images["image_id"]),
        ',"is_annotated":', plain_texts(images["is_annotated"]),
        ',"license":', plain_texts(pc.add(pc.index_in(images["rights_uri"], value_set=uris), 1)),
        ',"metadata":{', metadata[0][1:], *metadata[1:], '},"width":', plain_texts(images["width_px"]), "}",
    )  # fmt: skip


def _joined(*parts: Any) -> pa.Array:
    return whole(pc.binary_join_element_wise(*parts, ""))


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def annotation_entry(
    annotation_id: int, image_id: int, category_id: int, xywh_px: Sequence[float], area_px2: float, *, is_crowd: bool
) -> Row:
    """One of `annotations`. Raises BadBox for a box that is none."""
    return {
        "id": annotation_id,
        "image_id": image_id,
        "category_id": category_id,
        "bbox": read_box(xywh_px),
        "area": area_px2,
        "iscrowd": int(is_crowd),
    }


def result_entry(image_id: int, category_id: int, xywh_px: Sequence[float], score: float) -> Row:
    """One row of COCO's results format. Raises BadBox for a box that is none."""
    return {"image_id": image_id, "category_id": category_id, "bbox": read_box(xywh_px), "score": score}


def category_table(categories: Sequence[CocoCategory]) -> pa.Table:
    """CATEGORIES, whose ids count from 1.

    >>> from schemas.keypoints import Category, resolve_categories
    >>> category_table(resolve_categories([Category(name="person")]))["flip_pairs"][0].as_py()[:4]
    [2, 3, 4, 5]
    """
    return pa.Table.from_pylist([_row(*entry) for entry in enumerate(categories, 1)], schema=CATEGORIES)


def category_table_problems(table: pa.Table, categories: Sequence[CocoCategory]) -> Iterator[str]:
    """Rows of a release's table that do not follow from its recipe, whose categories these are."""
    expected, got = category_table(categories).to_pylist(), table.to_pylist()
    if len(expected) != len(got):
        yield f"categories: expected {len(expected)} rows, as recipe.yaml has categories, got {len(got)}"
        return
    for wanted, row in zip(expected, got, strict=True):
        for name, value in wanted.items():
            if row.get(name) != value:
                place = f"categories.{name} of {quoted(wanted['name'])}"
                yield f"{place}: expected {quoted(value)}, as recipe.yaml says, got {quoted(row.get(name))}"


def _row(number: int, category: CocoCategory) -> Row:
    row: Row = {"category_id": number, "name": category.name, "supercategory": category.supercategory}
    if (scheme := category.scheme) is not None:
        row |= {
            "keypoint_scheme": scheme.name,
            "keypoints": scheme.joints,
            "skeleton": [*chain.from_iterable(scheme.skeleton_numbers)],
            "flip_pairs": [*chain.from_iterable(scheme.flip_pair_numbers)],
            "sigmas": scheme.sigmas,
        }
    return row
