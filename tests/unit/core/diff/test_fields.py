"""What changes of an image that is in both releases: a case for each kind and reason."""

from typing import Any

import pytest

from schemas.diff import Kind
from schemas.tables import IMAGES
from tasks.core.diff.fields import Common, columns_of_both, columns_of_one, fields, without_purged
from tests.support.sides import RECIPE, dropped, kept, pair, recipe, side

RIGHTS = {**RECIPE, "sources": [{"folder": {"name": "m", "rights": "closed"}}]}


def changed(before: Any, after: Any) -> list[dict[str, Any]]:
    return [row for table in fields(Common(pair(before, after))) for row in table.to_pylist()]


CASES = {
    "title": ({"title": "a"}, {"title": "b"}, {}, Kind.ATTRIBUTE, "source_metadata"),
    "style, by the recipe's aliases": (
        {"style": "a"},
        {"style": "b"},
        {"recipe": {**RECIPE, "styles": {"aliases": {"a": "b"}}}},
        Kind.ATTRIBUTE,
        "settings",
    ),
    "year, which was none": ({"year": None}, {"year": 1650}, {}, Kind.ATTRIBUTE, "source_metadata"),
    "year, of the same words": (
        {"year": 1479, "date_text": "1479 BC"},
        {"year": -1479, "date_text": "1479 BC"},
        {},
        Kind.ATTRIBUTE,
        "read_anew",
    ),
    "artist, before its words were kept": (
        {"artist": "Rubens"},
        {"artist": "Peter Paul Rubens", "artist_text": "Rubens, Peter Paul"},
        {},
        Kind.ATTRIBUTE,
        "source_metadata",
    ),
    "artist, left as it was before its words were kept": (
        {"artist": "Chinese"},
        {"artist": None, "artist_text": "Chinese"},
        {},
        Kind.ATTRIBUTE,
        "read_anew",
    ),
    "all artists, of the same words": (
        {"artists": ["Rubens Peter Paul"], "artist": "Rubens Peter Paul", "artist_text": "RUBENS Peter Paul"},
        {"artists": ["Peter Paul Rubens"], "artist": "Peter Paul Rubens", "artist_text": "RUBENS Peter Paul"},
        {},
        Kind.ATTRIBUTE,
        "read_anew",
    ),
    "all artists, of whom one came": (
        {"artists": ["A"], "artist": "A", "artist_text": "A"},
        {"artists": ["A", "B"], "artist": "A", "artist_text": "A"},
        {},
        Kind.ATTRIBUTE,
        "source_metadata",
    ),
    "artist, of the same words": (
        {"artist": "Rubens Peter Paul", "artist_text": "RUBENS Peter Paul"},
        {"artist": "Peter Paul Rubens", "artist_text": "RUBENS Peter Paul"},
        {},
        Kind.ATTRIBUTE,
        "read_anew",
    ),
    "artist, of other words": (
        {"artist": "Hokusai", "artist_text": "Hokusai"},
        {"artist": "Peter Paul Rubens", "artist_text": "RUBENS Peter Paul"},
        {},
        Kind.ATTRIBUTE,
        "source_metadata",
    ),
    "artist, by the recipe's aliases": (
        {"artist": "a", "artist_text": "a"},
        {"artist": "b", "artist_text": "a"},
        {"recipe": {**RECIPE, "artists": {"aliases": {"a": "b"}}}},
        Kind.ATTRIBUTE,
        "settings",
    ),
    "styles": ({"styles": ["a"]}, {"styles": ["a", "b"]}, {}, Kind.ATTRIBUTE, "source_metadata"),
    "pages of its copies": ({"source_urls": ["a"]}, {"source_urls": ["a", "b"]}, {}, Kind.ATTRIBUTE, "copies"),
    "rights at the source": ({"rights_uri": "a"}, {"rights_uri": "b"}, {}, Kind.RIGHTS, "source_metadata"),
    "rights by the recipe": ({"rights_uri": "a"}, {"rights_uri": "b"}, {"recipe": RIGHTS}, Kind.RIGHTS, "settings"),
    "the file": ({"sha256": "a"}, {"sha256": "b"}, {}, Kind.BYTES, "source_file"),
    "the hash's recipe": (
        {"phash": 1},
        {"phash": 2},
        {"environment": {"phash": "v4"}},
        Kind.BYTES,
        "program",
    ),
    "the hash of one file": ({"phash": 1}, {"phash": 2}, {}, Kind.BYTES, "measure"),
    "split, drawn afresh": ({"split": "train"}, {"split": "val"}, {"lineage": 2}, Kind.SPLIT, "splits_drawn_afresh"),
    "split, without a cause": ({"split": "train"}, {"split": "val"}, {}, Kind.SPLIT, "unknown"),
    "group, by dedup's settings": (
        {"group_id": "m:0"},
        {"group_id": "m:1"},
        {"recipe": recipe(dedup={"radius_bits": 1})},
        Kind.GROUP,
        "settings",
    ),
    "number": ({"image_id": 1}, {"image_id": 2}, {}, Kind.ID, "unknown"),
}


@pytest.mark.parametrize(("one", "other", "more", "kind", "reason"), CASES.values(), ids=CASES)
def test_every_column_has_its_kind_and_its_reason(one, other, more, kind, reason):
    columns = [name for name in IMAGES.names if name != "artist_text" or name in one]  # as before contract 2.2
    before = side([kept("m:1")], images={"m:1": one}, columns=columns)
    after = side([kept("m:1")], images={"m:1": other}, **more)
    rows = {row["field"]: row for row in changed(before, after)}
    assert set(rows) == {name for name in one if one[name] != other[name]}
    row = rows[next(iter(one))]
    assert (row["kind"], row["reason"]) == (kind, reason)
    assert changed(before, before) == []


def test_values_stand_before_and_after():
    (row,) = changed(
        side([kept("m:1")], images={"m:1": {"styles": ["a", "b"]}}), side([kept("m:1")], images={"m:1": {"styles": []}})
    )
    assert (row["before"], row["after"], row["split_before"], row["split_after"]) == ("a | b", "", "train", "train")


EDGE = {"a": "m:1", "b": "m:2", "relation": "detail"}
PURGED: dict[str, Any] = {
    "ledger": [dropped("m:0", "scrape", "taken_down")],
    "tombstones": [{"record_id": "m:0", "date": "2024-05-01", "reason": "heirs", "scope": "work"}],
}
GROUPS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a member came": ({}, {"ledger": [kept("m:0")]}, "group_members"),
    "a record that is related came": (
        {},
        {"ledger": [dropped("m:7", "sample", "not_drawn")], "relations": [{**EDGE, "a": "m:0", "b": "m:7"}]},
        "group_members",
    ),
    "a verdict": ({"relations": [EDGE]}, {"relations": [{**EDGE, "verdict": "related"}]}, "verdict"),
    "the source says so": (
        {"records": [{"record_id": "m:1", "declared_group": "a"}]},
        {"records": [{"record_id": "m:1", "declared_group": "b"}]},
        "source_metadata",
    ),
    "a pair is something else": ({"relations": [EDGE]}, {"relations": [{**EDGE, "relation": "uncertain"}]}, "cluster"),
    "another program": ({"environment": {}}, {}, "program"),
    "it is named after a record that both have lost": (PURGED, PURGED, "group_members"),
    "what tied it was purged after the release": ({"amended": "2024-05-01"}, {}, "group_members"),
}


@pytest.mark.parametrize(("one", "other", "reason"), GROUPS.values(), ids=GROUPS)
def test_a_group_changes_with_its_members(one, other, reason):
    sides = [
        side([kept("m:1"), *more.get("ledger", [])], images={"m:1": {"group_id": group}}, **rest)
        for more, group in ((one, "m:1"), (other, "m:0"))
        for rest in [{name: value for name, value in more.items() if name != "ledger"}]
    ]
    assert [row["reason"] for row in changed(*sides) if row["kind"] == Kind.GROUP] == [reason]


def test_a_column_that_only_one_release_has_is_no_change_of_a_record():
    older, newer = side([kept("m:1")], columns=["record_id", "title"]), side([kept("m:1")], columns=["title", "year"])
    assert columns_of_both(pair(older, newer)) == ["title"]
    assert columns_of_one(pair(older, newer)) == (["record_id"], ["year"])


def test_the_page_of_what_was_purged_is_not_shown_again():
    stone = {"record_id": "m:2", "date": "2024-05-01", "reason": "heirs", "scope": "work"}
    before = side(
        [kept("m:1"), dropped("m:2", "dedup", "near_duplicate")],
        images={"m:1": {"source_urls": ["https://own", "https://secret"], "source_url": "https://own"}},
        records=[{"record_id": "m:2", "source_url": "https://secret"}],
    )
    after = side(
        [kept("m:1"), dropped("m:2", "scrape", "taken_down")],
        images={"m:1": {"source_urls": ["https://own"], "source_url": "https://own"}},
        tombstones=[stone],
    )
    (row,) = changed(before, after)
    assert (row["before"], row["after"], row["reason"]) == ("https://own", "https://own", "copies")
    urls = before.images(["source_urls"])["source_urls"]
    assert without_purged(pair(before, after), urls).to_pylist() == ["https://own"]


def test_images_that_the_ledger_does_not_keep_are_refused():
    whole = side([kept("m:1")])
    broken = type(whole)(**{**vars(whole), "images": side([kept("m:2")]).images})
    with pytest.raises(ValueError, match="1 images, not one of each of the 1 records that its ledger keeps"):
        Common(pair(whole, broken))
