"""One source's files, as records and figures: the one place that knows which source reads what."""

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.errors import BadInput
from schemas.phrases import listed, quoted
from schemas.sources import AnyFileSource, FolderSource, TableSource
from schemas.tables import SOURCE_FIGURES
from tasks.core.coco import source as coco
from tasks.core.scrape import folder, records, table, voc

_FIRST_CHARACTERS, _MOST_NULS = 4096, 0.1
"""At the beginning of a table no more than this share may be NUL: text in UTF-16 has one in every letter, and a single
one is a matter of its row."""
_EXAMPLES = 3
Read = Callable[[str], bytes | None]
"""Returns the bytes of a file by its path; None if there is none. Raises UnreadableFile if it could not be read."""


class UnreadableFile(Exception):
    """A file that is there and could not be read; the message says why."""


@dataclass(frozen=True)
class SourceTables:
    """RECORDS of a source, SOURCE_FIGURES of those that people have annotated, and what was left out, in sentences."""

    records: pa.Table
    figures: pa.Table
    notes: tuple[str, ...] = ()


class _Annotations(NamedTuple):
    """The figures that people drew, by locator (None: not annotated), and what of them was left out and why."""

    figures_of: Callable[[str], coco.ImageFigures | None]
    details: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()
    file_names: Collection[str] = ()  # of a COCO file's images


def files_to_read(source: AnyFileSource, paths: Sequence[str]) -> list[str]:
    """Paths of the files, among those listed, whose content is needed for the source's records; sorted."""
    wanted = {source.table} if isinstance(source, TableSource) else set()
    if source.annotations is not None and source.annotations.format == "coco":
        wanted.add(source.annotations.path)
    if source.annotations is not None and source.annotations.format == "voc" and isinstance(source, FolderSource):
        template, pattern = source.annotations.path, source.pattern
        wanted |= {
            folder.annotation_path(template, pattern, path)
            for path in paths
            if folder.fields_of_path(pattern, path) is not None
        }
    return sorted(wanted.intersection(paths))


def tables_of_source(
    source: AnyFileSource,
    paths: Sequence[str],
    read: Read,
    parquet_rows: Callable[[bytes], list[dict[str, Any]]],
    categories: tuple[str, ...],
) -> SourceTables:
    """The source's records and figures.

    Raises BadInput, in one sentence, if there are none or a file has another format than expected.
    """
    rows = _rows(source, paths, read, parquet_rows)
    if not rows:
        raise BadInput(
            f"source '{source.name}': expected {_expected(source)} below binding '{source.at}', got none among "
            f"{len(paths)} files{_examples(paths)}"
        )
    annotations = _read_annotations(source, read, categories)
    figures_by_record, unreadable = {}, {}
    rows = records.unique(rows)  # before figures are looked up: of rows with the same id, only the first has them
    for row in rows:
        try:
            if row["reason"] is None and (image := annotations.figures_of(row["locator"])) is not None:
                width_px, height_px = image.size_px
                figures_by_record[row["record_id"]] = {
                    "record_id": row["record_id"],
                    "figures": coco.figures_of_categories(image.figures, categories),
                    "width_px": width_px,
                    "height_px": height_px,
                }
        except (voc.BadAnnotation, UnreadableFile) as problem:
            unreadable[row["record_id"]] = f"annotation unreadable, so left out: {problem}"[:200]
    annotated = [
        {
            **row,
            "is_annotated": row["record_id"] in figures_by_record,
            "detail": row["detail"]
            or unreadable.get(row["record_id"])
            or annotations.details.get(row["locator"] or ""),
        }
        for row in rows
    ]
    figures = [figures_by_record[name] for name in sorted(figures_by_record)]
    table_of_figures = pa.Table.from_pylist(figures, schema=SOURCE_FIGURES)
    notes = (*annotations.notes, *_unmatched_note(source, annotations.file_names, rows))
    return SourceTables(records.records_table(annotated), table_of_figures, notes)


def _rows(
    source: AnyFileSource, paths: Sequence[str], read: Read, parquet_rows: Callable[[bytes], list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    if isinstance(source, FolderSource):
        return folder.records(source, paths)
    data = _read_needed(source, read, "a table", source.table)
    if data is None:
        raise BadInput(
            f"source '{source.name}': expected a table '{source.table}' below binding '{source.at}', got no such "
            f"file{_examples(paths)}"
        )
    if source.table.endswith(".parquet"):
        return table.records(source, parquet_rows(data))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        found = " (UTF-16, by its first bytes)" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else ""
        raise BadInput(f"source '{source.name}': expected '{source.table}' in UTF-8, got {problem}{found}") from problem
    beginning = text[:_FIRST_CHARACTERS]
    if beginning.count("\0") > _MOST_NULS * len(beginning):
        raise BadInput(f"source '{source.name}': expected '{source.table}' as UTF-8 text, got NUL bytes (UTF-16?)")
    try:
        rows = table.rows_of_csv(text) if source.table.endswith(".csv") else table.rows_of_json_lines(text)
    except csv.Error as problem:
        raise BadInput(f"source '{source.name}': expected '{source.table}' as CSV, got {problem}") from problem
    return table.records(source, rows)


def _unmatched_note(
    source: AnyFileSource, names: Collection[str], rows: Sequence[Mapping[str, Any]]
) -> tuple[str, ...]:
    """A sentence on images of a COCO file that are none of the source's: their boxes are lost."""
    unmatched = sorted(set(names) - {row["locator"] for row in rows})
    if not unmatched:
        return ()
    examples = listed([quoted(name) for name in unmatched], _EXAMPLES)
    return (
        f"source '{source.name}': the file names of {len(unmatched)} of {len(set(names))} annotated images are those "
        f"of no image of the source, so that their boxes are left out: {examples}",
    )


def _read_needed(source: AnyFileSource, read: Read, what: str, path: str) -> bytes | None:
    try:
        return read(path)
    except UnreadableFile as problem:
        raise BadInput(
            f"source '{source.name}': expected {what} '{path}' below binding '{source.at}', got a file that can't be "
            f"read: {problem}"
        ) from problem


def _read_annotations(source: AnyFileSource, read: Read, categories: tuple[str, ...]) -> _Annotations:
    settings = source.annotations
    if settings is None:
        return _Annotations(lambda _: None)
    absent = coco.ImageFigures([]) if settings.missing == "no_figures" else None
    if settings.format == "coco":
        data = _read_needed(source, read, "COCO annotations", settings.path)
        file = _coco(source, data, settings.path, categories)
        return _Annotations(
            lambda locator: file.by_file_name.get(locator, absent), file.details, file.notes, [*file.by_file_name]
        )

    def of_voc(locator: str) -> coco.ImageFigures | None:
        data = (
            read(folder.annotation_path(settings.path, source.pattern, locator))
            if isinstance(source, FolderSource)
            else None
        )
        return absent if data is None else voc.read_voc(data)

    return _Annotations(of_voc)


def _coco(source: AnyFileSource, data: bytes | None, path: str, categories: tuple[str, ...]) -> coco.FileFigures:
    if data is None:
        raise BadInput(
            f"source '{source.name}': expected COCO annotations '{path}' below binding '{source.at}', got no such file"
        )
    return coco.read_figures(f"source '{source.name}': '{path}'", data, categories)


def _expected(source: AnyFileSource) -> str:
    return f"files like '{source.pattern}'" if isinstance(source, FolderSource) else f"rows in '{source.table}'"


def _examples(paths: Sequence[str]) -> str:
    return f", such as {', '.join(sorted(paths)[:3])}" if paths else ""
