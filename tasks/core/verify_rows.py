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
from tasks.core.coco.document import media_path
from tasks.core.coco.keypoints import problem_of
from tasks.core.ids import MASK

Row = Mapping[str, Any]
_SHA256 = re.compile(r"[0-9a-f]{64}")
_RIGHTS = re.compile(r"NOASSERTION|https?://(creativecommons\.org|rightsstatements\.org)/\S+")
_BASIS = re.compile(r"source|none|recipe: .+: .+", re.DOTALL)
_DETECTOR = re.compile(r".+@[0-9a-f]{12}")
_YEARS = range(1000, 2100)
_FIRST_YEAR_OF_CLOCKS = 1970
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

    stages: labels of the recipe. ledger: by record_id. images: by image_id. categories: how many there are.
    files: SHA-256 by path. phash: the recipe of hashes that the manifest names; None where it names none.
    """

    splits: Collection[str]
    origins: Collection[str]
    reasons: Collection[str]
    stages: Collection[str]
    ledger: Mapping[str, "LedgerEntry"]
    images: Mapping[int, "ImageEntry"]
    categories: int
    files: Mapping[str, str]
    phash: str | None


def broken_rules(table: str, key: str, rows: Iterable[Row], rules: Sequence[Rule]) -> Iterator[str]:
    """A problem for each rule that a row breaks, and where rows of one folder are not sorted by the primary key.

    Rules of columns that a row hasn't are passed over: releases of earlier contracts have fewer.
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
        *(Rule(name, _is_text(name), "null, or a text without NUL") for name in ("title", "date_text", "image_url")),
        *(Rule(name, _is_not_empty(name), "null, or a text") for name in ("artist", "artist_qualifier", "style")),
        Rule(
            "artist_qualifier",
            lambda row: row["artist_qualifier"] is None or row["artist"] is not None,
            "null where there is no artist",
        ),
        Rule("styles", lambda row: all(text and "\0" not in text for text in row["styles"]), "styles that have a name"),
        Rule("styles", lambda row: row["style"] is None or len(row["styles"]) > 0, "the source's words for its style"),
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
        Rule(
            "rights_basis",
            lambda row: not row["rights_basis"].startswith("recipe") or row["rights_uri"] != "NOASSERTION",
            "source or none where nobody asserts rights",
        ),
        Rule(
            "rights_text",
            lambda row: row["rights_basis"] != "source" or row["rights_uri"] != "NOASSERTION" or row["rights_text"],
            "the words of a source that has no open URI",
        ),
        Rule("sha256", lambda row: bool(_SHA256.fullmatch(row["sha256"])), "64 hex digits"),
        Rule("sha256", lambda row: _entry(facts, row).sha256 == row["sha256"], "the ledger's sha256"),
        Rule("phash_recipe", lambda row: bool(row["phash_recipe"]), "the name of a recipe"),
        Rule(
            "phash_recipe",
            lambda row: facts.phash in {None, row["phash_recipe"]},
            f"{quoted(facts.phash)}, as in manifest.json",
        ),
        Rule("width_px", lambda row: row["width_px"] > 0, "at least 1 px"),
        Rule("height_px", lambda row: row["height_px"] > 0, "at least 1 px"),
        Rule("format", lambda row: bool(row["format"]), "the name of a format"),
        Rule("group_id", lambda row: row["group_id"] in facts.ledger, "a record_id of the ledger"),
        Rule("split", lambda row: row["split"] in facts.splits, f"one of {', '.join(facts.splits)}"),
        Rule("split", lambda row: row["folder"] in {None, row["split"]}, "the split of the file's folder"),
        Rule("split", lambda row: _entry(facts, row).last_split == row["split"], "the ledger's last_split"),
        Rule(
            "path",
            lambda row: _is_media(row, facts.files),
            "a file of the release with the image's bytes, named by their sha256, or null",
        ),
        Rule(
            "retrieved_at",
            lambda row: _entry(facts, row).retrieved_at == row["retrieved_at"],
            "the ledger's retrieved_at",
        ),
        Rule(
            "retrieved_at",
            lambda row: row["retrieved_at"].year >= _FIRST_YEAR_OF_CLOCKS,
            f"a time since {_FIRST_YEAR_OF_CLOCKS}",
        ),
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
    return all(urls) and len({*urls}) == len(urls) and (not own or urls[:1] == [own])


def _is_media(row: Row, files: Mapping[str, str]) -> bool:
    path = row["path"]
    return path is None or (files.get(path) == row["sha256"] and path == media_path(row["sha256"], row["format"]))


def _is_not_empty(name: str) -> Callable[[Row], bool]:
    return lambda row: row[name] != ""


def _is_text(name: str) -> Callable[[Row], bool]:
    return lambda row: row[name] is None or (row[name] != "" and "\0" not in row[name])


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
