"""Records from paths: what is known about a work is read from the path of its file."""

import functools
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from schemas.attributes import AttributeFields
from schemas.file_names import FileNames, canonical_name
from schemas.phrases import listed, quoted
from schemas.sources import AnyFileSource
from schemas.sources.common import Annotations
from schemas.sources.folder import FolderSource
from tasks.core.passed_over import Tally
from tasks.core.scrape.attributes import with_attributes
from tasks.core.scrape.label_paths import is_among_texts
from tasks.core.scrape.records import record, same_key
from tasks.core.scrape.table_files import Files

_FIELD = re.compile(r"\{(\w+)\}|\*")
_NO_FILES = FileNames(())
_CASES = (str, str.upper, str.lower)
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")


def fields_of_path(pattern: str, path: str) -> dict[str, str] | None:
    """The pattern's fields in a path, or None if it does not match.

    A field matches the shortest possible text without "/", the same where it occurs twice; "*" any text without "/".
    The extension at the pattern's end matches in any case, all else as it is written, or in composed letters.

    >>> fields_of_path("{style}/{artist}_{title}.jpg", "Cubism/juan-gris_still_life.jpg")
    {'style': 'Cubism', 'artist': 'juan-gris', 'title': 'still_life'}
    >>> fields_of_path("{style}/{title}.jpg", "Cubism/deep/er.jpg") is None
    True
    >>> fields_of_path("{title}.jpg", "still-life.JPG")
    {'title': 'still-life'}
    """
    match = _expression(pattern).fullmatch(path)
    if match is None and not path.isascii():
        match = _expression(canonical_name(pattern)).fullmatch(canonical_name(path))
    return dict(match.groupdict()) if match else None


def extension(pattern: str) -> str:
    """The extension at the end of a pattern or a path, in lower case; "" where it has none.

    >>> extension("{style}/{title}.JPG"), extension("{title}.*"), extension("{title}"), extension("a.b/README")
    ('.jpg', '', '', '')
    """
    match = _EXTENSION.search(pattern)
    return match[0].lower() if match else ""


def files(paths: Iterable[str]) -> list[str]:
    """The files among listed paths: a link to a folder, which ends with "/", is none.

    >>> files(["monet/", "monet/a.jpg"])
    ['monet/a.jpg']
    """
    return [path for path in paths if not path.endswith("/")]


def tables_of_paths(source: FolderSource, paths: Iterable[str]) -> list[str]:
    """None: what is known stands in the paths."""
    return []


def rows(source: FolderSource, files: Files, attributes: AttributeFields, left_out: Tally) -> list[dict[str, Any]]:
    """A row of RECORDS for each file that fits the pattern."""
    return records(source, files.paths, attributes)


def expected(source: FolderSource, paths: Sequence[str], left_out: Tally) -> str:
    """Where no file fits the pattern: what was expected, and what there is."""
    examples = f", such as {', '.join(sorted(paths)[:3])}" if paths else ""
    return f"files like '{source.pattern}' below binding '{source.at}', got none among {len(paths)} files{examples}"


def records(
    source: FolderSource, paths: Iterable[str], attributes: AttributeFields | None = None
) -> list[dict[str, Any]]:
    """A row of RECORDS for each path that fits. Of one key those with the extension to the letter come first."""
    end = source.pattern[len(source.pattern) - len(extension(source.pattern)) :]
    rows = []
    for path in files(paths):
        if (fields := fields_of_path(source.pattern, path)) is not None:
            known = record(source, {"key": path, **fields, "image": path})
            rows.append((with_attributes(known, attributes or {}, fields.get), path.endswith(end)))
    exact = {row["record_id"] for row, is_exact in rows if is_exact}
    return [row if is_exact or row["record_id"] not in exact else same_key(row) for row, is_exact in rows]


def annotation_path(template: str, pattern: str, path: str, there: FileNames = _NO_FILES) -> str:
    """The path of an image's annotation: the template with the image's fields filled in.

    Where none is there so, one in another case: of `a.JPG` and `{title}.jpg.xml`, it may be `a.JPG.xml` or `a.XML`.
    """
    fields = fields_of_path(pattern, path) or {}
    found = _FIELD.sub(lambda match: fields.get(match[1] or "", ""), template)
    if (actual := there.find(found)) is not None:
        return actual
    within = extension(pattern)
    own = path[len(path) - len(within) :]
    spelled = [found, f"{own}.".join(found.rsplit(f"{within}.", 1))] if within else [found]
    ends = (name[len(name) - len(extension(name)) :] for name in spelled)
    others = [name.removesuffix(end) + case(end) for name, end in zip(spelled, ends, strict=True) for case in _CASES]
    return next((actual for name in others if (actual := there.find(name)) is not None), found)


@functools.lru_cache(maxsize=32)
def _expression(pattern: str) -> re.Pattern[str]:
    parts, last = list[str](), 0
    fields: dict[str | None, str] = {None: "[^/]*"}
    for match in _FIELD.finditer(pattern):
        name = match[1]
        parts += [re.escape(pattern[last : match.start()]), fields.get(name, f"(?P<{name}>[^/]+?)")]
        fields.setdefault(name, f"(?P={name})")
        last = match.end()
    end = max(len(pattern) - len(extension(pattern)), last)
    return re.compile("".join([*parts, re.escape(pattern[last:end]), f"(?i:{re.escape(pattern[end:])})"]))


_EXTENSIONS = {
    "images": ".jpg .jpeg .jpe .jfif .jif .png .apng .gif .webp .tif .tiff .bmp .dib .heic .heif .hif .avif .jxl .jp2 "
    ".j2k .jpx .jpf .psd .psb .svg .eps .ai .ico .tga .pcx .ppm .pgm .pbm .pnm .pam .dng .cr2 .cr3 .nef .arw .orf .raf "
    ".rw2 .raw .xcf .djvu .exr .hdr .qoi",
    "texts and documents": ".txt .md .rst .pdf .doc .docx .odt .rtf .htm .html .tex .epub .ppt .pptx .odp .log .nfo",
    "tables and data": ".csv .tsv .xls .xlsx .ods .parquet .json .jsonl .xml .yaml .yml .sqlite .db .npy .npz .h5 .pkl",
    "archives": ".zip .tar .gz .tgz .bz2 .xz .zst .7z .rar",
    "films and sound": ".mp4 .m4v .mov .avi .mkv .webm .mpg .mpeg .wmv .mp3 .wav .flac .ogg .m4a",
    "programs": ".py .ipynb .sh .js .css .exe .bat .c .h .cpp .jar .m .r",
    "unfinished downloads and spare copies": ".part .crdownload .download .tmp .bak .old .orig .swp",
}
_BY_EXTENSION = {end: kind for kind, ends in _EXTENSIONS.items() for end in ends.split()}
_IMAGES = frozenset(end for end, kind in _BY_EXTENSION.items() if kind == "images")
_OF_SYSTEM = frozenset({"thumbs.db", "ehthumbs.db", "desktop.ini", "__macosx", "@eadir", "icon\r"})


def count_files(sources: Sequence[AnyFileSource], paths: Iterable[str], taken: Collection[str]) -> tuple[int, Tally]:
    """How many files of a folder its sources take or could have taken, and what of these none takes, by kind.

    paths: sorted; a link to a folder ends with "/". A folder source could have taken every file; beside tables alone,
    which say what they take, only images count, and the JSON files of a pattern; nothing where no row names a file.
    """
    names, tally, count = frozenset(taken), Tally(), 0
    patterns = [source.image_pattern for source in sources if source.image_pattern]
    of_pattern = {".json", ".jsonl"} if any(source.is_pattern_of_tables for source in sources) else set()
    for path in paths:
        is_taken = path in names
        if is_taken or patterns or extension(path) in _IMAGES or extension(path) in of_pattern:
            count += 1
            if not is_taken:
                tally.add(_kind(patterns, sources, path), path)
    return (count, tally) if patterns or names else (0, Tally())


def speaks_of_images(kind: str) -> bool:
    """Whether a kind of `count_files` is one of images: what a person must not overlook.

    >>> speaks_of_images("image files that end in .webp"), speaks_of_images("files that end in .jpg and don't fit 'a'")
    (True, True)
    >>> speaks_of_images("files that end in .dat"), speaks_of_images("archives")
    (False, False)
    """
    found = re.match(r"image files |images |files that end in (\.[^\s,]+)", kind)
    return found is not None and (found[1] is None or found[1] in _IMAGES)


def _kind(patterns: Sequence[str], sources: Sequence[AnyFileSource], path: str) -> str:
    end = extension(path)
    if any(name.startswith(".") or name.casefold() in _OF_SYSTEM for name in path.rstrip("/").split("/")):
        return "hidden files and files of the system"
    if path.endswith("/"):
        return "links to folders, which are not followed"
    if not patterns:
        return "images that no row names" if end in _IMAGES else f"files that end in {end} and that no table reads"
    fitting = [pattern for pattern in patterns if extension(pattern) in {end, ""}]
    if fitting and (end in _IMAGES or any(map(extension, fitting))):
        return _misfit(fitting, path, end)
    if any(_is_annotation(source.annotations, path) for source in sources if source.annotations is not None):
        return "annotations to which no image belongs"
    if end in _IMAGES:
        return f"image files that end in {end}"
    return _BY_EXTENSION.get(end) or (f"files that end in {end}" if end else "files without an extension")


def _is_annotation(settings: Annotations, path: str) -> bool:
    """Whether a file is called as the annotation of one image."""
    if settings.format == "voc":
        return fields_of_path(settings.path, path) is not None
    return settings.format == "yolo" and is_among_texts(settings, path)


def _misfit(fitting: Sequence[str], path: str, end: str) -> str:
    """What is wrong with the path of a file that has the extension of these patterns."""
    patterns = listed([quoted(pattern) for pattern in fitting], 3)
    level, levels = path.count("/"), [pattern.count("/") for pattern in fitting]
    if min(levels) <= level <= max(levels):
        return f"files that end in {end} and don't fit {patterns}"
    return f"files that end in {end}, in {'deeper' if level > max(levels) else 'higher'} folders than {patterns} says"
