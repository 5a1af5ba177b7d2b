"""What must hold in the rows of any release and SQL, in the rules of the contract (core/contract.py), can't say."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from schemas.phrases import listed, quoted
from tasks.core.coco.box import is_segmentation, read_outline
from tasks.core.coco.document import media_path
from tasks.core.coco.lossless import from_text
from tasks.core.coco.source_file import read_image
from tasks.core.columns import whole
from tasks.core.names.spellings import Key, key_of_column, keys

Row = Mapping[str, Any]
_IN_SPLIT = ("split", "the split in the file's name")


class ReleaseFacts(NamedTuple):
    """What rows are held against."""

    stages: Collection[str]
    """Labels of the recipe."""
    sizes: Mapping[int, tuple[int, int]]
    """Width and height in px by image_id."""
    sha256_by_path: Mapping[str, str]
    phash_recipe: str | None
    """That the manifest names; None where it names none."""


class RowCheck(NamedTuple):
    """How the rows of a table are checked."""

    columns: Sequence[str]
    """That are read, beside its key and those by which it is sorted."""
    broken: Callable[[Row, ReleaseFacts], Iterator[tuple[str, str]]]
    """Of a row with these, each column that is not as expected, and what was. `split_of_file`: the split in the name of
    the row's file; `path`: of an image's own file."""


def _images(row: Row, facts: ReleaseFacts) -> Iterator[tuple[str, str]]:
    if row["split_of_file"] not in {None, row["split"]}:
        yield _IN_SPLIT
    if facts.phash_recipe not in {None, row["phash_recipe"]}:
        yield "phash_recipe", f"{quoted(facts.phash_recipe)}, as in manifest.json"
    if not _is_null_or(lambda text: bool(read_image(text).entry), row["source_coco"]):
        yield "source_coco", "null, or a JSON object with the `image` of a COCO file"
    path, sha256 = row["path"], row["sha256"]
    if path is not None and (facts.sha256_by_path.get(path) != sha256 or path != media_path(sha256, row["format"])):
        yield "path", "a file of the release with the image's bytes, named by their sha256, or null"


def _annotations(row: Row, facts: ReleaseFacts) -> Iterator[tuple[str, str]]:
    if row["split_of_file"] not in {None, row["split"]}:
        yield _IN_SPLIT
    size_px = facts.sizes.get(row["image_id"], (0, 0))
    if not _is_null_or(lambda text: is_segmentation(read_outline(text), size_px), row["segmentation"]):
        yield "segmentation", "null, or COCO's polygons or run lengths (RLE) of the image's size as JSON"
    if not _is_null_or(_is_difference, row["source_coco"]):
        yield "source_coco", "null, or a JSON object with `fields` or `absent`"


def _detections(row: Row, facts: ReleaseFacts) -> Iterator[tuple[str, str]]:
    if row["split_of_file"] not in {None, row["split"]}:
        yield _IN_SPLIT


def _ledger(row: Row, facts: ReleaseFacts) -> Iterator[tuple[str, str]]:
    if row["stage"] not in {None, "scrape", *facts.stages}:
        yield "stage", "scrape, or a stage of the recipe"


CHECKS = {
    "images": RowCheck(("split", "phash_recipe", "source_coco", "sha256", "format", "image"), _images),
    "annotations": RowCheck(("split", "image_id", "segmentation", "source_coco"), _annotations),
    "detections": RowCheck(("split",), _detections),
    "ledger": RowCheck(("stage",), _ledger),
}
"""By table."""


def row_problems(table: str, key: str, order: Sequence[str], rows: Iterable[Row], facts: ReleaseFacts) -> Iterator[str]:
    """What is not as expected: each time its first row and how many more; and rows not by `order`, nulls last."""
    first: dict[tuple[str, str], str] = {}
    counts: Counter[tuple[str, str]] = Counter()
    last: dict[Any, Any] = {}
    unsorted = ""
    for row in rows:
        for column, expected in CHECKS[table].broken(row, facts):
            counts[column, expected] += 1
            first.setdefault((column, expected), f"got {quoted(row[column])} in {row[key]}")
        place = [(row[name] is None, row[name]) for name in order]
        before = last.get(split := row.get("split_of_file"))
        if before is not None and place < before[0] and not unsorted:
            names = ", ".join(order)
            unsorted = f"{table}: expected rows sorted by {names}, got {quoted(row[key])} after {quoted(before[1])}"
        last[split] = place, row[key]
    for (column, expected), got in first.items():
        count = counts[column, expected]
        more = f", and {count - 1} more rows" if count > 1 else ""
        yield f"{table}.{column}: expected {expected}, {got}{more}"
    if unsorted:
        yield unsorted


def _is_null_or(is_good: Callable[[str], bool], text: str | None) -> bool:
    """Whether a text is null, or can be read and is good."""
    try:
        return text is None or is_good(text)
    except ValueError:
        return False


def _is_difference(text: str) -> bool:
    found = from_text(text)
    return not found or bool(found.keys() & {"fields", "absent"})


SPELLINGS_SINCE = (2, 2)
"""The contract since which spellings of one name are one group; releases of earlier ones go by the letter."""
_MOST_LISTED = 5


def together_problems(rows: pa.Table, *, is_by_name: bool) -> Iterator[str]:
    """Groups that lie in two splits of one role. rows: split, role (null: none), and the columns of bonds.

    is_by_name: whether spellings of one name are one group, as the columns' names say; otherwise each is one.
    """
    for column in [name for name in rows.column_names if name not in {"role", "split"}]:
        named = _named(rows, column, key_of_column(column) if is_by_name else str)
        splits = named.group_by(["role", "key"]).aggregate([("split", "count_distinct")])
        # few, where any at all: only these are looked at one by one
        suspects = splits.filter(pc.greater(splits["split_count_distinct"], 1))["key"]
        found: dict[tuple[str | None, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for row in named.filter(pc.is_in(named["key"], value_set=suspects)).to_pylist():
            found[row["role"], row["key"]][row["split"]].add(row["text"])
        for of in found.values():
            if len(of) > 1:
                spelled = listed(sorted({quoted(text) for texts in of.values() for text in texts}), _MOST_LISTED)
                yield f"leak: expected {column.rpartition('.')[2]} {spelled} in one split, got {sorted(of)}"


def _named(rows: pa.Table, column: str, key: Key) -> pa.Table:
    """role, split, text and key of each text in a column, of lists each of theirs."""
    texts, of = whole(rows[column]), rows.select(["role", "split"])
    if pa.types.is_list(texts.type):
        texts, of = pc.list_flatten(texts), of.take(pc.list_parent_indices(texts))
    named = of.append_column("text", texts).append_column("key", keys(texts, key))
    return named.filter(pc.is_valid(texts))
