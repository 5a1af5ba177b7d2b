"""A COCO file in a release's tables, and given back from them: the same but for order and formatting.

An annotation is a row of ANNOTATIONS and its `source_coco`, a difference (tasks.core.coco.lossless). An image's
`source_coco` holds its entry under `image`; under `annotations` those of an image whose figures nobody knows; under
`figures` those that were read and left out, as SOURCE_FIGURE; under `rows` those of other lists that name the image,
such as captions; under `others` earlier entries of the same file name. All else is a row of COCO_FILES.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from schemas.phrases import error_line, quoted
from tasks.core.coco.box import read_outline
from tasks.core.coco.ids import Id, id_or_none
from tasks.core.coco.lossless import Fields, difference, from_text, plain_text, restored, to_text

Row = Mapping[str, Any]
Rows = Mapping[str, list[Any]]
"""Rows of other lists than images and annotations, by the list's name."""
LISTS = ("images", "annotations")
_HEAD = ("info", "licenses", "categories")


class SourceImage(NamedTuple):
    """What an image's `source_coco` holds. entry: the image's own; rows: of other lists; others: earlier entries."""

    entry: Fields
    annotations: list[Fields]
    figures: list[Fields]
    rows: Rows
    others: list["SourceImage"]


def head(document: Row, image_ids: Collection[Id] = ()) -> tuple[Fields, dict[Id, dict[str, list[Row]]]]:
    """What a row of COCO_FILES says of a document, but for the source and the path; and rows of other lists than LISTS
    that name one of these images, by image and list. Raises TooDeep as `to_text` does.
    """
    fields: Fields = {}
    beside: dict[Id, dict[str, list[Row]]] = {}
    for name, value in document.items():
        if name in _HEAD or not isinstance(value, list):
            fields[name] = value
        elif name not in LISTS:
            fields[name] = []
            for row in value:
                image_id = id_or_none(row.get("image_id")) if isinstance(row, dict) else None
                if image_id is not None and image_id in image_ids:
                    beside.setdefault(image_id, {}).setdefault(name, []).append(row)
                else:
                    fields[name].append(row)
    columns = {name: _plain_or_none(fields[name]) if name in fields else None for name in _HEAD}
    others = to_text(difference(fields, _fields_of_head(columns)))
    return {**{name: len(document[name]) for name in LISTS}, **columns, "other_fields": others}, beside


def document_fields(row: Row) -> Fields:
    """All fields of a row of COCO_FILES but images and annotations. Raises ValueError for a row that no release has."""
    return restored(_fields_of_head(row), from_text(row["other_fields"]))


def row_problems(rows: Iterable[Row]) -> Iterator[str]:
    """A sentence for each row of COCO_FILES that gives no file back."""
    for row in rows:
        try:
            document_fields(row)
        except (ValueError, RecursionError) as problem:
            yield f"coco_files of {quoted(row['source'])}: expected JSON that a release has, got {error_line(problem)}"


def category_ids(categories: Any) -> dict[str, Any]:
    """The id of each category by its name, as a file has it; of several of one name, the first."""
    found: dict[str, Any] = {}
    for row in categories if isinstance(categories, list) else ():
        if isinstance(row, dict) and "name" in row and "id" in row:
            found.setdefault(str(row["name"]), row["id"])
    return found


def given_annotation(row: Row, image_id: Any, category_id: Any, segmentation: Any) -> Fields:
    """The annotation that these columns of SOURCE_FIGURE give back. image_id, category_id: as the file has them."""
    keypoints = row["keypoints_xyv"]
    entry = {
        "image_id": image_id,
        "category_id": category_id,
        "bbox": row["xywh_px"],
        "area": row["source_area_px2"],
        "iscrowd": int(row["is_crowd"]),
        "segmentation": segmentation,
        "keypoints": keypoints,
        "num_keypoints": keypoints and sum(v > 0 for v in keypoints[2::3]),
    }
    return {name: value for name, value in entry.items() if value is not None}


def image_fields(entry: Row, annotations: Iterable[Row] | None, rows: Rows) -> Fields:
    """What is kept of an image. annotations: None where they are rows of the table. rows: of other lists."""
    own = {} if annotations is None else {"annotations": [*annotations]}
    return {"image": entry, **own, **({"rows": rows} if rows else {})}


def image_text(kept: Fields, others: Iterable[Fields] = ()) -> str:
    """The `source_coco` of an image. kept: its own fields; others: those of earlier entries of its file name."""
    earlier = [*others]
    return str(to_text({**kept, "others": earlier} if earlier else kept))


def with_figures(text: str, figures: Iterable[Row]) -> str:
    """An image's `source_coco` with figures that were read and left out."""
    return str(to_text({**from_text(text), "figures": [*figures]}))


def read_image(text: str) -> SourceImage:
    """What an image's `source_coco` holds. Raises ValueError for what `image_text` has never written."""
    return _image(from_text(text), text)


def _image(kept: Any, text: str) -> SourceImage:
    entry, rows = kept.get("image"), kept.get("rows", {})
    lists = [kept.get(name, []) for name in ("annotations", "figures", "others")]
    if (
        not isinstance(entry, dict)
        or not isinstance(rows, dict)
        or not all(isinstance(given, list) for given in (*lists, *rows.values()))
        or not all(isinstance(one, dict) for one in chain(*lists, *rows.values()))
    ):
        raise ValueError(f"expected an image of a COCO file, got {quoted(text)}")
    annotations, figures, others = lists
    return SourceImage(entry, annotations, figures, rows, [_image(other, text) for other in others])


def restored_annotation(row: Row, image_id: Any, ids: Mapping[str, Any]) -> Fields:
    """The annotation as its file has it. row: of ANNOTATIONS or SOURCE_FIGURE, with `category`, its name. image_id: as
    the file has it; ids: its categories'. Raises ValueError for JSON that no release has.
    """
    segmentation = None if row["segmentation"] is None else read_outline(row["segmentation"])
    given = given_annotation(row, image_id, ids.get(row["category"]), segmentation)
    return restored(given, from_text(row["source_coco"]))


class RestoredFile(NamedTuple):
    """A COCO file as it can be given back. images, annotations: their JSON texts, sorted by id."""

    fields: Fields
    images: list[str]
    annotations: list[str]

    def chunks(self) -> Iterator[bytes]:
        """The file's bytes."""
        yield plain_text(self.fields, is_strict=False)[:-1].encode()
        comma = "," if self.fields else ""
        for name, texts in (("images", self.images), ("annotations", self.annotations)):
            yield f'{comma}"{name}":['.encode()
            yield ",\n".join(texts).encode()
            yield b"]"
            comma = ","
        yield b"}"


def restore_file(row: Row, images: Iterable[tuple[str, str]], annotations: Iterable[Row]) -> RestoredFile:
    """A COCO file: of its images those that are given, and their annotations.

    row: of COCO_FILES. images: record_id and `source_coco`; of two that were one image of the file, the first counts.
    annotations: of these, as `restored_annotation` takes them, with record_id. Raises ValueError for others.
    """
    fields = document_fields(row)
    ids = category_ids(fields.get("categories"))
    entries: dict[tuple[int, Any], str] = {}
    image_ids: dict[str, Any] = {}
    rows: list[tuple[tuple[int, Any], str]] = []
    for record_id, image in distinct_images(images).items():
        image_ids[record_id] = image.entry.get("id")
        entries |= dict(_place_and_text(one.entry) for one in (image, *image.others))
        for one in (*image.others, image):
            for name, mine in one.rows.items():
                if not isinstance(fields.get(name), list):
                    raise ValueError(f"expected a list {quoted(name)} in the file, got {quoted(fields.get(name))}")
                fields[name] = [*fields[name], *mine]
        rows += (_place_and_text(mine) for one in (image, *image.others) for mine in one.annotations)
        left_out = (restored_annotation(figure, image.entry.get("id"), ids) for figure in image.figures)
        rows += map(_place_and_text, left_out)
    for annotation in annotations:
        if annotation["record_id"] in image_ids:
            rows.append(_place_and_text(restored_annotation(annotation, image_ids[annotation["record_id"]], ids)))
    return RestoredFile(fields, [text for _, text in sorted(entries.items())], [text for _, text in sorted(rows)])


def distinct_images(texts: Iterable[tuple[str, str]]) -> dict[str, SourceImage]:
    """The images of a file by record: of several that were one, the first. Raises ValueError as `read_image` does."""
    found: dict[Any, tuple[str, SourceImage]] = {}
    for record_id, text in texts:
        image = read_image(text)
        found.setdefault(_place_and_text(image.entry)[0], (record_id, image))
    return dict(found.values())


def _place_and_text(row: Row) -> tuple[tuple[int, Any], str]:
    """Where a row stands among others: numbers, then texts, then what has no id; and its JSON."""
    number = id_or_none(row.get("id"))
    place = (2, "") if number is None else (int(isinstance(number, str)), number)
    return place, plain_text(row, is_strict=False)


def _plain_or_none(value: Any) -> str | None:
    """JSON of a value; None for one that JSON can't hold as it is, and for one nested too deep."""
    try:
        to_text({"value": value})
        return plain_text(value)
    except ValueError:
        return None


def _fields_of_head(row: Row) -> Fields:
    given = {name: row[name] for name in _HEAD if row[name] is not None}
    return {name: from_text(f'{{"value":{text}}}')["value"] for name, text in given.items()}
