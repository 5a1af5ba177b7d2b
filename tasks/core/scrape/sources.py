"""One source's files, as records and figures: the one place that knows which source reads what.

A source in files is a module with

    tables_of_paths(source, paths) -> list[str]   the files that have its rows, among those listed
    rows(source, files, attributes, left_out)     the rows of RECORDS; left_out counts what is none
    expected(source, paths, left_out) -> str      where there is no row: what was expected, and what there is
"""

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any
from urllib.parse import unquote

import pyarrow as pa

from schemas.attributes import AttributeFields, with_attribute_columns
from schemas.errors import BadInput
from schemas.file_names import FileNames
from schemas.manifests import PassedOver
from schemas.phrases import listed, quoted
from schemas.sources import AnyFileSource
from schemas.sources.common import NOASSERTION, Rights
from schemas.tables import COCO_FILES, RECORDS, SOURCE_FIGURES
from tasks.core.coco import source as coco
from tasks.core.coco.reader import LeftOut, Schemes
from tasks.core.passed_over import IMAGES_OF_FILE, Tally
from tasks.core.scrape import annotations, folder, records, table_files, voc_annotations
from tasks.core.scrape.annotations import SourceAnnotations
from tasks.core.scrape.attributes import check_some_fit
from tasks.core.scrape.table_files import Files, Read, UnreadableFile, missing_file
from tasks.core.scrape.yolo_annotations import SizeOf
from tasks.core.tables import with_columns

_MODULES = {"folder": folder, "table": table_files}
_EXAMPLES = 3
_RIGHTS = ("rights_uri", "rights_text", "rights_basis")
_BATCH = 10_000  # rows that are mappings at one time


@dataclass(frozen=True)
class SourceTables:
    """RECORDS of a source, SOURCE_FIGURES of those that annotations know, and what was left out, in sentences."""

    records: pa.Table
    figures: pa.Table
    notes: tuple[str, ...] = ()
    coco_files: pa.Table = field(default_factory=COCO_FILES.empty_table)  # a row or none
    passed_over: tuple[PassedOver, ...] = ()  # not of files, which several sources may share


def check_named_files(
    source: AnyFileSource, validator: Callable[[str], str | None], first_paths: Callable[[], Sequence[str]]
) -> None:
    """Raise BadInput for a named file without a validator, before all are listed. first_paths: some, for a hint."""
    for what, path in source.named_files:
        if validator(path) is None and (there := FileNames(first_paths())).find(path) is None:
            raise missing_file(source, what, path, there)


def files_to_read(source: AnyFileSource, paths: Sequence[str]) -> list[str]:
    """Paths of the files, among those listed, whose content is needed for the source's records; sorted."""
    paths = folder.files(paths)
    wanted = {*_MODULES[source.source].tables_of_paths(source, paths), *annotations.files_to_read(source, paths)}
    return sorted(wanted.intersection(paths))


def images_to_measure(source: AnyFileSource, paths: Sequence[str]) -> list[str]:
    """Paths of the images, among the files listed, whose sides are needed for the source's figures; sorted."""
    return annotations.images_to_measure(source, folder.files(paths))


def tables_of_source(
    source: AnyFileSource,
    paths: Sequence[str],
    read_file: Read,
    parquet_rows: Callable[[bytes], Iterable[dict[str, Any]]],
    categories: Schemes,
    attributes: AttributeFields | None = None,
    size_of: SizeOf = annotations.nobody_knows,
) -> SourceTables:
    """The source's records and figures. size_of: the sides of `images_to_measure`.

    Raises BadInput if there are no records, or a file has another format.
    """
    attributes, left_out, there = attributes or {}, Tally(), FileNames(paths)

    def read(path: str) -> IO[bytes] | None:
        return read_file(there.find(path) or path)

    module, files = _MODULES[source.source], Files(paths, read, parquet_rows)
    rows = module.rows(source, files, attributes, left_out)
    found, listed = _records(rows, with_attribute_columns(RECORDS, attributes), left_out)
    if not found.num_rows:
        raise BadInput(f"source '{source.name}': expected {module.expected(source, paths, left_out)}")
    check_some_fit(source.name, found, attributes)
    passed_over = left_out.rows((source.name,), "rows", listed)
    if source.annotations is None:
        return SourceTables(found, SOURCE_FIGURES.empty_table(), passed_over=passed_over)
    told = annotations.read_annotations(source, source.annotations, there, found, read, size_of, categories)
    # after copies of ids are found: of rows with the same id, only the first has figures
    drawn = _Drawn(told, categories)
    batches = (pa.Table.from_batches([batch]) for batch in found.to_batches(_BATCH))
    parts = [_annotated(batch, told, categories, source.rights, drawn) for batch in batches]
    return SourceTables(
        pa.concat_tables([records_ for records_, _ in parts]),
        pa.concat_tables([figures for _, figures in parts]),
        (*told.notes, *_unmatched_note(source, told.by_locator, found["locator"])),
        pa.Table.from_pylist([told.head] if told.head else [], schema=COCO_FILES),
        (*passed_over, *drawn.rows((source.name,), found["reason"].null_count)),
    )


def _records(rows: Iterable[dict[str, Any]], schema: pa.Schema, left_out: Tally) -> tuple[pa.Table, int]:
    """RECORDS of rows, and the length of the list that they came from, with what was left out of it before."""
    equal, count, rows = Counter[str](), 0, iter(rows)

    def batches() -> Iterator[pa.Table]:
        nonlocal count
        # a batch at a time, since a row as a mapping takes ten times the memory of its columns
        while batch := list(itertools.islice(rows, _BATCH)):
            count += len(batch)
            yield records.records_table(batch, schema, equal)

    found = records.merge(batches(), schema, equal)
    listed = count + left_out.total
    left_out.add("rows equal to another one, so that they are one", *sorted(equal), count=equal.total())
    return found, listed


class _Drawn:
    """Counts of the images and of what people drew in them, and of what yields no figure."""

    def __init__(self, told: SourceAnnotations, categories: Collection[str]) -> None:
        self._by_locator, self._categories = told.by_locator, categories
        self._images, self._seen = Tally(), set[str]()
        self._unit = "objects" if told.left_out is None else "annotations"
        self._of_file, self._objects = told.left_out or LeftOut(Tally(), Tally())
        self._figures = 0

    def count(self, locator: str, image: coco.ImageFigures | None) -> None:
        """Count what the annotations say of a record's image."""
        if image is None:
            self._images.add("images without an annotation", locator)
        elif image.figures is None:
            self._images.add("images that count as not annotated", locator)
        elif locator not in self._seen:
            others = [figure["category"] for figure in image.figures if figure["category"] not in self._categories]
            for category in others:
                self._objects.add(f"{self._unit} of categories that the recipe does not have", category)
            self._figures += len(image.figures) - len(others)
            self._objects.add("objects whose box has no area, beside others that have", locator, count=image.flat_boxes)
        self._seen.add(locator)

    def count_unreadable(self, locator: str, objects: int) -> None:
        """Count an image whose annotation can't be read. objects: in it."""
        self._images.add("images whose annotation can't be read", locator)
        if locator not in self._seen:
            self._objects.add(f"{self._unit} of annotations that can't be read", locator, count=objects)
        self._seen.add(locator)

    def rows(self, names: tuple[str], records: int) -> tuple[PassedOver, ...]:
        """What was passed over, once all records are counted. records: how many are no drops."""
        in_file = len(self._by_locator) + self._of_file.total
        for locator, image in self._by_locator.items():
            if locator not in self._seen:
                lost = "images whose file name no record has"
                self._of_file.add(lost, locator)
                self._objects.add(f"annotations of {lost}", locator, count=len(image.figures or ()))
        objects = self._objects.rows(names, self._unit, self._figures + self._objects.total)
        of_file = self._of_file.rows(names, IMAGES_OF_FILE, in_file)
        return (*self._images.rows(names, "images", records), *of_file, *objects)


def _annotated(
    found: pa.Table, told: SourceAnnotations, categories: Collection[str], asserted: Rights, drawn: _Drawn
) -> tuple[pa.Table, pa.Table]:
    """RECORDS with what annotations say, and SOURCE_FIGURES; both are counted. asserted: the recipe's rights."""
    figures: dict[str, dict[str, Any]] = {}
    details, rights = [], []
    for row in found.select(["record_id", "locator", "reason", "detail", *_RIGHTS]).to_pylist():
        detail, mine = row["detail"], {name: row[name] for name in _RIGHTS}
        try:
            if row["reason"] is None:
                image = told.figures_of(row["locator"])
                drawn.count(row["locator"], image)
                if image is not None:
                    drawn_figures = image.figures and coco.figures_of_categories(image.figures, categories)
                    said = (row["record_id"], drawn_figures, *image.size_px, image.source_coco)
                    figures[row["record_id"]] = dict(zip(SOURCE_FIGURES.names, said, strict=True))
                    mine = _rights(mine, image.licence, asserted)
                    detail = detail or image.left_out[:200] or None
        except (voc_annotations.BadVocFile, UnreadableFile) as problem:
            drawn.count_unreadable(row["locator"], getattr(problem, "objects", 0))
            detail = detail or f"annotation unreadable, so left out: {problem}"[:200]
        details.append(detail or told.details.get(row["locator"] or ""))
        rights.append(mine)
    known = {name for name, row in figures.items() if row["figures"] is not None}
    changed = {name: [row[name] for row in rights] for name in _RIGHTS}
    changed |= {"is_annotated": [name in known for name in found["record_id"].to_pylist()], "detail": details}
    return with_columns(found, changed), pa.Table.from_pylist(list(figures.values()), schema=SOURCE_FIGURES)


def _rights(row: dict[str, Any], licence: coco.Licence, asserted: Rights) -> dict[str, Any]:
    """The rights of a record: where its own fields say nothing, by the licence that its image has in a COCO file."""
    url, name = (None if text == NOASSERTION else text for text in licence)
    if row["rights_basis"] == "source" or not (url or name):
        return row
    found = records.rights_columns(Rights(), url, name)
    if found["rights_uri"] != NOASSERTION or row["rights_basis"] == "none":
        return found
    # what the recipe's author asserts stays, beside the file's words
    words = found["rights_text"] if row["rights_text"] == asserted.text else row["rights_text"]
    return {**row, "rights_text": words}


def _unmatched_note(source: AnyFileSource, names: Collection[str], locators: pa.ChunkedArray) -> tuple[str, ...]:
    """A hint at what is meant by file names of a COCO file that no record has, where there is one."""
    unmatched = sorted(set(names) - set(locators.to_pylist()))
    hint = _where_they_lie(unmatched, locators) if unmatched else ""
    examples = listed([quoted(name) for name in unmatched], _EXAMPLES)
    note = f"source '{source.name}': no record has these file names of the COCO file: {examples}{hint}"
    return (note,) if hint else ()


def _where_they_lie(names: Collection[str], locators: pa.ChunkedArray) -> str:
    """The folder of an image that ends as one of the names does; or how the names are written, if it is only that."""
    paths = locators.drop_null().to_pylist()
    lost, there, files = set(names), set(paths), FileNames(paths)
    if hint := next(filter(None, map(files.why_absent, names)), ""):
        return hint
    for name in names:
        if (path := _plain_path(name)) in there:
            return f"; the source has {quoted(path)}: names in the file need '/' between folders, no './' and no '%20'"
    for locator in paths:
        folders = locator.split("/") if "://" not in locator else []
        for at in range(1, len(folders)):
            if "/".join(folders[at:]) in lost:
                folder = "/".join(folders[:at])
                return f"; the source has {quoted(locator)}: if that is meant, set annotations.folder to {folder}"
    return ""


def _plain_path(name: str) -> str:
    r"""A name as a path: of one that has Windows' separators, a './' or a URL's escapes, without them.

    >>> _plain_path(".\\my%20dir\\a.png"), _plain_path("images/./a.png")
    ('my dir/a.png', 'images/a.png')
    """
    return "/".join(step for step in unquote(name).replace("\\", "/").split("/") if step not in ("", "."))
