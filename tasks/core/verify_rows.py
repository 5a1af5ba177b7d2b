"""What must hold in the rows of any release: each rule of the contract about values, in one place.

A rule is broken by rows; a problem names the first of them and says how many more there are.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from schemas.keypoints import CocoCategory, KeypointScheme
from schemas.phrases import listed, quoted
from tasks.core.coco.box import BadBox, area_px2, read_box
from tasks.core.coco.keypoints import called, problem_of
from tasks.core.coco.lossless import from_text
from tasks.core.coco.reader import MAX_AREA_PX2
from tasks.core.coco.segmentation import is_segmentation, read_outline
from tasks.core.ids import MASK

Row = Mapping[str, Any]
SHA256 = re.compile(r"[0-9a-f]{64}")
_DETECTOR = re.compile(r".+@[0-9a-f]{12}")
_MOST_SCHEMES = 5
_EDGE_PX = 0.05
"""Half of what a detector's boxes are rounded to."""


class Rule(NamedTuple):
    """A promise about the rows of a table.

    column: whose value is shown where it is broken. holds: whether a row keeps it. expected: what it says.
    """

    column: str
    holds: Callable[[Row], bool]
    expected: str


class LedgerEntry(NamedTuple):
    """What other tables repeat of a row of the ledger."""

    image_id: int
    sha256: str | None
    last_split: str | None
    retrieved_at: Any


class ImageEntry(NamedTuple):
    """What other tables repeat of a row of the images table."""

    record_id: str
    split: str
    width_px: int
    height_px: int
    is_annotated: bool


_NO_ENTRY = LedgerEntry(0, "", "", None)
_NO_IMAGE = ImageEntry("", "", 0, 0, is_annotated=False)


class ReleaseFacts(NamedTuple):
    """What rows are held against: the contract's words, and the other tables of the release.

    stages: labels of the recipe. ledger: by record_id. images: by image_id. categories: of the recipe, from id 1 on.
    sha256_by_path: of each file. phash_recipe: the recipe of hashes that the manifest names; None where it names none.
    """

    splits: Collection[str]
    origins: Collection[str]
    reasons: Collection[str]
    stages: Collection[str]
    ledger: Mapping[str, "LedgerEntry"]
    images: Mapping[int, "ImageEntry"]
    categories: Sequence[CocoCategory]
    sha256_by_path: Mapping[str, str]
    phash_recipe: str | None


def broken_rules(
    table: str, key: str, order: Sequence[str], rows: Iterable[Row], rules: Sequence[Rule]
) -> Iterator[str]:
    """A problem for each rule that a row breaks, and where rows of one split are not sorted.

    order: columns by which they are, nulls last. Rules of columns that a row hasn't are passed over: releases of
    earlier contracts have fewer.
    """
    first: dict[Rule, str] = {}
    counts: Counter[Rule] = Counter()
    last: dict[Any, Any] = {}
    unsorted = ""
    for row in rows:
        for rule in rules:
            if rule.column in row and not _holds(rule, row):
                counts[rule] += 1
                first.setdefault(rule, f"got {quoted(row[rule.column])} in {row[key]}")
        place = [(row[name] is None, row[name]) for name in order]
        before = last.get(split := row.get("split_of_file"))
        if before is not None and place < before[0] and not unsorted:
            names = ", ".join(order)
            unsorted = f"{table}: expected rows sorted by {names}, got {quoted(row[key])} after {quoted(before[1])}"
        last[split] = place, row[key]
    for rule in rules:
        if rule in first:
            more = f", and {counts[rule] - 1} more rows" if counts[rule] > 1 else ""
            yield f"{table}.{rule.column}: expected {rule.expected}, {first[rule]}{more}"
    if unsorted:
        yield unsorted


def annotation_rules(facts: ReleaseFacts) -> list[Rule]:
    """Rules of the annotations table, with a row's `split_of_file`: the split that the name of its file says."""

    def image(row: Row) -> ImageEntry:
        return facts.images.get(row["image_id"], _NO_IMAGE)

    def scheme(row: Row) -> KeypointScheme | None:
        known = 1 <= row["category_id"] <= len(facts.categories)
        return facts.categories[row["category_id"] - 1].scheme if known else None

    return [
        Rule("annotation_id", lambda row: 0 < row["annotation_id"] <= MASK, "a number of 53 bits"),
        Rule("image_id", lambda row: row["image_id"] in facts.images, "an image of the release"),
        Rule("record_id", lambda row: image(row).record_id == row["record_id"], "the image's record_id"),
        Rule("split", lambda row: image(row).split == row["split"], "the image's split"),
        Rule("split", lambda row: row["split_of_file"] in {None, row["split"]}, "the split in the file's name"),
        Rule(
            "category_id",
            lambda row: 1 <= row["category_id"] <= len(facts.categories),
            f"1 to {len(facts.categories)}",
        ),
        Rule("xywh_px", _is_box, "four finite numbers of at most 10,000,000, sides above 0"),
        Rule(
            "xywh_px",
            lambda row: row["origin"] != "detector" or _is_inside(row["xywh_px"], image(row)),
            "a detector's box inside the image",
        ),
        Rule("area_px2", _is_area, "width x height, to 0.01"),
        Rule(
            "source_area_px2",
            lambda row: row["source_area_px2"] is None or _is_own_area(row),
            "null, or the source's own area above 0, of no detector's box",
        ),
        Rule(
            "segmentation",
            lambda row: row["segmentation"] is None or _is_outline(row, image(row)),
            "null, or COCO's polygons or run lengths (RLE) of the image's size as JSON, of no detector's box",
        ),
        Rule("source_coco", _is_difference, "null, or a JSON object with `fields` or `absent`, of no detector's box"),
        Rule(
            "keypoints_xyv",
            lambda row: row["keypoints_xyv"] is None or problem_of(row["keypoints_xyv"], scheme(row)) is None,
            f"null, or x, y and v of {_schemes_of(facts)}; finite, v 0, 1 or 2",
        ),
        Rule(
            "keypoint_scheme",
            lambda row: row["keypoint_scheme"] == (_name_of(scheme(row)) if row["keypoints_xyv"] is not None else None),
            "the scheme of the category where the box has keypoints, null of others",
        ),
        Rule("score", _is_score, "0 to 1, to 0.001, of a detector's box, and null of people's"),
        Rule("origin", lambda row: row["origin"] in facts.origins, f"one of {', '.join(facts.origins)}"),
        Rule(
            "origin",
            lambda row: row["origin"] == "detector" or image(row).is_annotated,
            "people's boxes in images with is_annotated",
        ),
        Rule("origin_name", lambda row: bool(row["origin_name"]), "a name"),
        Rule(
            "origin_name",
            lambda row: row["origin"] != "detector" or bool(_DETECTOR.fullmatch(row["origin_name"])),
            "a detector as model@12 hex digits",
        ),
    ]


def _name_of(scheme: KeypointScheme | None) -> str:
    return scheme.name if scheme else ""


def _schemes_of(facts: ReleaseFacts) -> str:
    """What keypoints the release's categories have, in words."""
    schemes = {category.scheme.name: category.scheme for category in facts.categories if category.scheme}
    words = [f"{called(scheme)}, {3 * len(scheme.joints)} numbers" for scheme in schemes.values()]
    return listed(words, _MOST_SCHEMES, " or ") or "nothing"


def ledger_rules(facts: ReleaseFacts) -> list[Rule]:
    """Rules of the ledger."""
    return [
        *identity_rules(),
        Rule(
            "stage", lambda row: (row["stage"] is None) == row["kept"], "the stage of a dropped record, null of others"
        ),
        Rule(
            "stage",
            lambda row: row["stage"] is None or row["stage"] == "scrape" or row["stage"] in facts.stages,
            "scrape, or a stage of the recipe",
        ),
        Rule(
            "reason",
            lambda row: (row["reason"] is None) == row["kept"],
            "the reason of a dropped record, null of others",
        ),
        Rule(
            "reason",
            lambda row: row["reason"] is None or row["reason"] in facts.reasons,
            "one of the contract's reasons",
        ),
        Rule(
            "kept_record_id",
            lambda row: row["kept_record_id"] is None or (not row["kept"] and _is_another(facts, row)),
            "another record of the ledger, for a dropped one",
        ),
        Rule(
            "last_split",
            lambda row: row["last_split"] in facts.splits or (row["last_split"] is None and not row["kept"]),
            f"one of {', '.join(facts.splits)}; null of dropped records alone",
        ),
        Rule(
            "sha256",
            lambda row: bool(SHA256.fullmatch(row["sha256"])) if row["sha256"] is not None else not row["kept"],
            "64 hex digits; null of dropped records alone",
        ),
    ]


def _holds(rule: Rule, row: Row) -> bool:
    """Whether a row keeps a rule. A null where none may be breaks it."""
    try:
        return rule.holds(row)
    except (TypeError, AttributeError):
        return False


def identity_rules() -> list[Rule]:
    """Rules of what names a record, in each table that has records."""
    return [
        Rule("record_id", _is_record_id, "`<source>:<the source's own key>`, Unicode NFC"),
        Rule("image_id", lambda row: 0 < row["image_id"] <= MASK, "a number of 53 bits"),
    ]


def _is_record_id(row: Row) -> bool:
    name, start = row["record_id"], f"{row['source']}:"
    return bool(name.startswith(start) and len(name) > len(start) and unicodedata.is_normalized("NFC", name))


def ledger_entry(facts: ReleaseFacts, row: Row) -> LedgerEntry:
    """What the ledger says of a row's record; where it has none, what no row says."""
    return facts.ledger.get(row["record_id"], _NO_ENTRY)


def _is_another(facts: ReleaseFacts, row: Row) -> bool:
    return row["kept_record_id"] in facts.ledger and row["kept_record_id"] != row["record_id"]


def _is_box(row: Row) -> bool:
    try:
        read_box(row["xywh_px"])
    except BadBox:
        return False
    return True


def _is_inside(xywh_px: Sequence[float], image: ImageEntry) -> bool:
    x, y, width, height = xywh_px
    return bool(
        x >= 0 and y >= 0 and x + width <= image.width_px + _EDGE_PX and y + height <= image.height_px + _EDGE_PX
    )


def _is_area(row: Row) -> bool:
    return bool(abs(row["area_px2"] - area_px2(row["xywh_px"])) <= 0.01)


def _is_own_area(row: Row) -> bool:
    return bool(row["origin"] != "detector" and 0 < row["source_area_px2"] <= MAX_AREA_PX2)


def _is_outline(row: Row, image: ImageEntry) -> bool:
    try:
        outline = read_outline(row["segmentation"])
    except ValueError:
        return False
    return row["origin"] != "detector" and is_segmentation(outline, (image.width_px, image.height_px))


def _is_difference(row: Row) -> bool:
    try:
        kept = from_text(row["source_coco"])
    except ValueError:
        return False
    return not kept or (row["origin"] != "detector" and bool(kept.keys() & {"fields", "absent"}))


def _is_score(row: Row) -> bool:
    score = row["score"]
    if row["origin"] != "detector":
        return score is None
    return bool(0 <= score <= 1 and score == round(score, 3))
