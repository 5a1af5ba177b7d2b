"""What must hold in the rows of any release: each rule of the contract about values, in one place.

A rule is broken by rows; a problem names the first of them and says how many more there are.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from schemas.phrases import quoted
from tasks.core.coco.box import BadBox, area_px2, read_box
from tasks.core.coco.document import image_entry, media_path
from tasks.core.coco.keypoints import problem_of
from tasks.core.ids import MASK

Row = Mapping[str, Any]
_SHA256 = re.compile(r"[0-9a-f]{64}")
_RIGHTS = re.compile(r"NOASSERTION|https?://(creativecommons\.org|rightsstatements\.org)/\S+")
_BASIS = re.compile(r"source|none|recipe: .+", re.DOTALL)
_DETECTOR = re.compile(r".+@[0-9a-f]{12}")
_YEARS = range(1000, 2100)
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


class ImageEntry(NamedTuple):
    """What other tables repeat of a row of the images table."""

    record_id: str
    split: str
    width_px: int
    height_px: int
    is_annotated: bool


_NO_ENTRY = LedgerEntry(0, "", "")
_NO_IMAGE = ImageEntry("", "", 0, 0, is_annotated=False)


class ReleaseFacts(NamedTuple):
    """What rows are held against: the contract's words, and the other tables of the release.

    ledger: by record_id. images: by image_id. categories: how many there are. files: paths of the release.
    """

    splits: Collection[str]
    origins: Collection[str]
    reasons: Collection[str]
    ledger: Mapping[str, "LedgerEntry"]
    images: Mapping[int, "ImageEntry"]
    categories: int
    files: Collection[str]


def broken_rules(table: str, key: str, rows: Iterable[Row], rules: Sequence[Rule]) -> Iterator[str]:
    """A problem for each rule that a row breaks, and where rows of one folder are not sorted by the primary key."""
    first: dict[Rule, str] = {}
    counts: Counter[Rule] = Counter()
    last: dict[Any, Any] = {}
    unsorted = ""
    for row in rows:
        for rule in rules:
            if not _holds(rule, row):
                counts[rule] += 1
                first.setdefault(rule, f"got {quoted(row[rule.column])} in {row[key]}")
        before = last.get(folder := row.get("folder"))
        if before is not None and row[key] < before and not unsorted:
            unsorted = f"{table}: expected rows sorted by {key}, got {quoted(row[key])} after {quoted(before)}"
        last[folder] = row[key]
    for rule in rules:
        if rule in first:
            more = f", and {counts[rule] - 1} more rows" if counts[rule] > 1 else ""
            yield f"{table}.{rule.column}: expected {rule.expected}, {first[rule]}{more}"
    if unsorted:
        yield unsorted


def image_rules(facts: ReleaseFacts) -> list[Rule]:
    """Rules of the images table, with a row's `folder`: the split that its file lies in."""
    return [
        *_identity_rules(),
        Rule("image_id", lambda row: _entry(facts, row).image_id == row["image_id"], "the ledger's image_id"),
        Rule("source_urls", _are_urls_of, "each page once, the image's own first"),
        Rule("styles", lambda row: all(row["styles"]), "styles that have a name"),
        Rule("year", lambda row: row["year"] is None or row["year"] in _YEARS, "a year from 1000 to 2099, or null"),
        Rule(
            "rights_uri",
            lambda row: bool(_RIGHTS.fullmatch(row["rights_uri"])),
            "a Creative Commons or rightsstatements.org URI, or NOASSERTION",
        ),
        Rule(
            "rights_basis",
            lambda row: bool(_BASIS.fullmatch(row["rights_basis"])),
            "source, `recipe: who: why`, or none",
        ),
        Rule(
            "rights_basis",
            lambda row: row["rights_basis"] != "none" or row["rights_uri"] == "NOASSERTION",
            "somebody who asserts the rights",
        ),
        Rule("sha256", lambda row: bool(_SHA256.fullmatch(row["sha256"])), "64 hex digits"),
        Rule("sha256", lambda row: _entry(facts, row).sha256 == row["sha256"], "the ledger's sha256"),
        Rule("phash_recipe", lambda row: bool(row["phash_recipe"]), "the name of a recipe"),
        Rule("width_px", lambda row: row["width_px"] > 0, "at least 1 px"),
        Rule("height_px", lambda row: row["height_px"] > 0, "at least 1 px"),
        Rule("format", lambda row: bool(row["format"]), "the name of a format"),
        Rule("group_id", lambda row: row["group_id"] in facts.ledger, "a record_id of the ledger"),
        Rule("split", lambda row: row["split"] in facts.splits, f"one of {', '.join(facts.splits)}"),
        Rule("split", lambda row: row["folder"] in {None, row["split"]}, "the split of the file's folder"),
        Rule("split", lambda row: _entry(facts, row).last_split == row["split"], "the ledger's last_split"),
        Rule("path", lambda row: _is_media(row, facts.files), "a file of the release, named by its sha256, or null"),
    ]


def annotation_rules(facts: ReleaseFacts) -> list[Rule]:
    """Rules of the annotations table, with a row's `folder`: the split that its file lies in."""

    def image(row: Row) -> ImageEntry:
        return facts.images.get(row["image_id"], _NO_IMAGE)

    return [
        Rule("annotation_id", lambda row: 0 < row["annotation_id"] <= MASK, "a number of 53 bits"),
        Rule("image_id", lambda row: row["image_id"] in facts.images, "an image of the release"),
        Rule("record_id", lambda row: image(row).record_id == row["record_id"], "the image's record_id"),
        Rule("split", lambda row: image(row).split == row["split"], "the image's split"),
        Rule("split", lambda row: row["folder"] in {None, row["split"]}, "the split of the file's folder"),
        Rule("category_id", lambda row: 1 <= row["category_id"] <= facts.categories, f"1 to {facts.categories}"),
        Rule("xywh_px", _is_box, "four finite numbers of at most 10,000,000, sides above 0"),
        Rule(
            "xywh_px",
            lambda row: row["origin"] != "detector" or _is_inside(row["xywh_px"], image(row)),
            "a detector's box inside the image",
        ),
        Rule("area_px2", _is_area, "width x height, to 0.01"),
        Rule(
            "keypoints_xyv",
            lambda row: row["keypoints_xyv"] is None or problem_of(row["keypoints_xyv"]) is None,
            "null, or x, y and v of COCO's 17 keypoints: 51 finite numbers, v 0, 1 or 2",
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


def ledger_rules(facts: ReleaseFacts) -> list[Rule]:
    """Rules of the ledger."""
    return [
        *_identity_rules(),
        Rule(
            "stage", lambda row: (row["stage"] is None) == row["kept"], "the stage of a dropped record, null of others"
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
            lambda row: bool(_SHA256.fullmatch(row["sha256"])) if row["sha256"] is not None else not row["kept"],
            "64 hex digits; null of dropped records alone",
        ),
    ]


def _holds(rule: Rule, row: Row) -> bool:
    """Whether a row keeps a rule. A null where none may be breaks it."""
    try:
        return rule.holds(row)
    except (TypeError, AttributeError):
        return False


def _identity_rules() -> list[Rule]:
    return [
        Rule("record_id", _is_record_id, "`<source>:<the source's own key>`, Unicode NFC"),
        Rule("image_id", lambda row: 0 < row["image_id"] <= MASK, "a number of 53 bits"),
    ]


def _is_record_id(row: Row) -> bool:
    name, start = row["record_id"], f"{row['source']}:"
    return bool(name.startswith(start) and len(name) > len(start) and unicodedata.is_normalized("NFC", name))


def _entry(facts: ReleaseFacts, row: Row) -> LedgerEntry:
    return facts.ledger.get(row["record_id"], _NO_ENTRY)


def _is_another(facts: ReleaseFacts, row: Row) -> bool:
    return row["kept_record_id"] in facts.ledger and row["kept_record_id"] != row["record_id"]


def _are_urls_of(row: Row) -> bool:
    urls = row["source_urls"]
    own = row["source_url"]
    return all(urls) and len({*urls}) == len(urls) and (own is None or urls[:1] == [own])


def _is_media(row: Row, files: Collection[str]) -> bool:
    path = row["path"]
    return path is None or (path in files and path == media_path(row["sha256"], row["format"]))


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


def _is_score(row: Row) -> bool:
    score = row["score"]
    if row["origin"] != "detector":
        return score is None
    return bool(0 <= score <= 1 and score == round(score, 3))


def coco_value_problems(
    split: str, document: Row, detections: Iterable[Row], images: Iterable[Row], boxes: Sequence[Row]
) -> Iterator[str]:
    """Where one split's COCO files say something else than the tables, of what both have.

    images, boxes: rows of the split, all columns but the images' bytes. Which images and boxes the files have is for
    `verify.coco_problems`, and their categories for `category_problems`.
    """
    yield from _differences(f"coco/{split}.json: images", _other_images(document, images))
    drawn = {box["id"]: (*_as_coco(box, box.get("iscrowd")), box["area"]) for box in document["annotations"]}
    table = {row["annotation_id"]: (*_as_table(row, int(row["is_crowd"])), row["area_px2"]) for row in boxes}
    differ = [key for key in drawn if key in table and drawn[key] != table[key]]
    yield from _differences(f"coco/{split}.json: annotations", differ)
    of_table = Counter(_as_table(row, None) for row in boxes if row["origin"] == "detector")
    of_file = Counter(_as_coco(box, None) for box in detections)
    if others := of_file - of_table:
        yield f"coco/{split}.detections.json: expected boxes of the table, got {others.total()} others"
    if strange := [box["id"] for box in document["annotations"] if _has_strange_count(box)]:
        yield (
            f"coco/{split}.json: expected num_keypoints to count the keypoints with v above 0, got another number in "
            f"{strange[0]}, and {len(strange) - 1} more"
        )


def category_problems(split: str, document: Row, categories: Sequence[str]) -> Iterator[str]:
    """Categories of one split's COCO file that are not those of the recipe, whose ids count from 1."""
    got = [(entry["id"], entry["name"]) for entry in document["categories"]]
    if got != list(enumerate(categories, 1)):
        yield f"coco/{split}.json: expected the categories {quoted(list(categories))}, got {quoted(got)}"


def _other_images(document: Row, images: Iterable[Row]) -> list[Any]:
    """Ids of images of which the file says something else than the table; files of earlier contracts say less."""
    urls = {licence["id"]: licence["url"] for licence in document["licenses"]}
    entries, found = {image["id"]: image for image in document["images"]}, []
    for row in images:
        if (entry := entries.get(row["image_id"])) is None:
            continue
        expected = image_entry(dict(row))
        has_others = urls.get(entry["license"]) != row["rights_uri"] or any(
            _says_other(entry[name], expected[name]) for name in expected if name in entry
        )
        if has_others or not {"width", "height"} <= entry.keys():
            found.append(row["image_id"])
    return found


def _says_other(got: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return any(got[name] != value for name, value in expected.items() if name in got)
    return bool(got != expected)


def _differences(what: str, others: Sequence[Any]) -> Iterator[str]:
    if others:
        yield f"{what}: expected what the table says, got another entry for {others[0]}, and {len(others) - 1} more"


def _as_coco(box: Row, is_crowd: Any) -> tuple[Any, ...]:
    keypoints = box.get("keypoints")
    return (
        box["image_id"],
        box["category_id"],
        (*box["bbox"],),
        box.get("score"),
        tuple(keypoints) if keypoints else None,
        is_crowd,
    )


def _as_table(row: Row, is_crowd: Any) -> tuple[Any, ...]:
    keypoints = row["keypoints_xyv"]
    box = (*row["xywh_px"],)
    return row["image_id"], row["category_id"], box, row["score"], tuple(keypoints) if keypoints else None, is_crowd


def _has_strange_count(box: Row) -> bool:
    return bool(box.get("num_keypoints", 0) != sum(v > 0 for v in (box.get("keypoints") or ())[2::3]))
