"""What the files are that no source of a folder takes, told from their paths alone."""

import re
from collections.abc import Collection, Iterable, Sequence

from schemas.phrases import listed, quoted
from schemas.sources import AnyFileSource
from tasks.core.passed_over import Tally
from tasks.core.scrape.folder import extension, fields_of_path

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
_HIDDEN = "hidden files and files of the system"


def count_files(sources: Sequence[AnyFileSource], paths: Iterable[str], taken: Collection[str]) -> tuple[int, Tally]:
    """How many files of a folder its sources take or could have taken, and what of these none takes, by kind.

    sources: all that read that folder. paths: its files, sorted; a link to a folder ends with "/". taken: those that a
    record names, or that are read as tables or annotations. A folder source could have taken every file. A table says
    itself which it takes, so that beside tables alone only images count, and the JSON files of a pattern; nothing where
    no row names a file.
    """
    names, tally, count = frozenset(taken), Tally(), 0
    patterns = [source.image_pattern for source in sources if source.image_pattern]
    counts = _kinds_that_count(sources)
    for path in paths:
        is_taken = path in names
        if is_taken or not counts or extension(path) in counts:
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


def _kinds_that_count(sources: Sequence[AnyFileSource]) -> frozenset[str]:
    """Extensions of files that count where tables say which files they take; none: all count."""
    if any(source.image_pattern for source in sources):
        return frozenset()
    return _IMAGES | ({".json", ".jsonl"} if any(source.is_pattern_of_tables for source in sources) else frozenset())


def _kind(patterns: Sequence[str], sources: Sequence[AnyFileSource], path: str) -> str:
    end = extension(path)
    if any(_is_of_system(name) for name in path.rstrip("/").split("/")):
        return _HIDDEN
    if path.endswith("/"):
        return "links to folders, which are not followed"
    if not patterns:
        return "images that no row names" if end in _IMAGES else f"files that end in {end} and that no table reads"
    fitting = [pattern for pattern in patterns if extension(pattern) in {end, ""}]
    if fitting and (end in _IMAGES or any(map(extension, fitting))):
        return _misfit(fitting, path, end)
    if any(_is_annotation(source, path) for source in sources):
        return "annotations to which no image belongs"
    if end in _IMAGES:
        return f"image files that end in {end}"
    return _BY_EXTENSION.get(end) or (f"files that end in {end}" if end else "files without an extension")


def _misfit(fitting: Sequence[str], path: str, end: str) -> str:
    """What is wrong with the path of a file that has the extension of these patterns."""
    patterns = listed([quoted(pattern) for pattern in fitting], 3)
    level, levels = path.count("/"), [pattern.count("/") for pattern in fitting]
    if level > max(levels):
        return f"files that end in {end}, in deeper folders than {patterns} says"
    if level < min(levels):
        return f"files that end in {end}, in higher folders than {patterns} says"
    return f"files that end in {end} and don't fit {patterns}"


def _is_annotation(source: AnyFileSource, path: str) -> bool:
    """Whether a path is one that an image's annotation might have."""
    return (
        source.annotations is not None
        and source.annotations.format == "voc"
        and fields_of_path(source.annotations.path, path) is not None
    )


def _is_of_system(name: str) -> bool:
    return name.startswith(".") or name.casefold() in _OF_SYSTEM
