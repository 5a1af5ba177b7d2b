"""Images that came or went: a case for each reason, and the order of precedence."""

from typing import Any

import pytest

from schemas.diff import ChangeReason, Kind
from tasks.core.diff.presence import judged_anew, presence
from tests.support.sides import RECIPE, dropped, kept, pair, recipe, side

HAND = dropped("m:1", "scrape", "taken_down", detail="heirs (2024-05-01)")
STONE = {"record_id": "m:1", "date": "2024-05-01", "reason": "heirs", "scope": "work"}
SMALL = dropped("m:1", "shape", "too_small", detail="63 px", sha256="m:1")
COPY = dropped("m:1", "dedup", "near_duplicate", kept_record_id="m:2", sha256="m:1")
OUT = dropped("m:1", "sample", "not_drawn", sha256="m:1")
OTHER = kept("m:9")
EDGE = {"a": "m:1", "b": "m:2", "relation": "resized"}


def why(before: Any, after: Any) -> tuple[str, str]:
    """Kind and reason of the change of m:1."""
    rows = {row["record_id"]: row for row in presence(pair(before, after)).to_pylist()}
    return rows["m:1"]["kind"], rows["m:1"]["reason"]


CAME = {
    "no ledger had it": ([], {}, {}, "new_at_source"),
    "its source is new": ([], {"recipe": {**RECIPE, "sources": []}}, {}, "settings"),
    "its source's settings": ([], {}, {"recipe": {**RECIPE, "sources": [{"folder": {"name": "m"}}]}}, "settings"),
    "all of the source instead of a few": ([], {"recipe": {**RECIPE, "limit": 9}}, {}, "settings"),
    "not among the few": ([dropped("m:1", "scrape", "over_limit")], {"recipe": {**RECIPE, "limit": 9}}, {}, "settings"),
    "back": ([dropped("m:1", "scrape", "gone")], {}, {}, "back_at_source"),
    "its row can be read": ([dropped("m:1", "scrape", "bad_record")], {}, {}, "source_metadata"),
    "the takedown's row is gone": ([HAND], {}, {}, "takedown_withdrawn"),
    "the exclusion's row is gone": ([dropped("m:1", "scrape", "excluded")], {}, {}, "by_hand"),
    "the server answers": ([dropped("m:1", "fetch", "unreachable")], {}, {}, "fetched_now"),
    "the file can be read": ([dropped("m:1", "fetch", "broken_image")], {}, {}, "fetched_now"),
    "a larger file may come": (
        [dropped("m:1", "fetch", "too_many_bytes")],
        {},
        {"recipe": recipe(fetch={"max_bytes": 200})},
        "settings",
    ),
    "a threshold": ([SMALL], {}, {"recipe": recipe(shape={"least_side_px": 9})}, "settings"),
    "a stage less": (
        [SMALL],
        {},
        {"recipe": {**RECIPE, "stages": [each for each in RECIPE["stages"] if "screen" not in each]}},
        "settings",
    ),
    "figures, by another detector": (
        [dropped("m:1", "shape", "too_few_figures")],
        {},
        {"recipe": recipe(detect={"model": "nanodet"})},
        "settings",
    ),
    "another file": ([{**SMALL, "sha256": "other"}], {}, {}, "source_file"),
    "other rights": (
        [dropped("m:1", "shape", "rights_not_open")],
        {"records": [{"record_id": "m:1", "rights_uri": "a"}]},
        {"records": [{"record_id": "m:1", "rights_uri": "b"}]},
        "source_metadata",
    ),
    "a list by hand that the release does not show": ([SMALL], {}, {"recipe_sha256": "other"}, "by_hand"),
    "another library": ([SMALL], {"environment": {"pillow": "11"}}, {}, "program"),
    "nothing but the measure is left": ([SMALL], {}, {}, "measure"),
    "the copy went": ([COPY, kept("m:2")], {}, {}, "copy_went"),
    "the copy turned": (
        [COPY, kept("m:2")],
        {},
        {"ledger": [dropped("m:2", "dedup", "near_duplicate", kept_record_id="m:1")]},
        "copy_preferred",
    ),
    "a verdict": (
        [COPY, kept("m:2")],
        {"relations": [EDGE]},
        {"ledger": [kept("m:2")], "relations": [{**EDGE, "verdict": "different"}]},
        "verdict",
    ),
    "other pairs": ([COPY, kept("m:2"), kept("m:3")], {}, {"ledger": [kept("m:2")]}, "cluster"),
    "dedup's settings": (
        [COPY, kept("m:2")],
        {},
        {"ledger": [kept("m:2")], "recipe": recipe(dedup={"radius_bits": 2})},
        "settings",
    ),
    "a place is free": ([OUT, kept("m:3")], {}, {}, "place_free"),
    "the draw's settings": ([OUT], {}, {"recipe": recipe(sample={"at_most": 99})}, "settings"),
    "other order of stages": ([OUT], {}, {"recipe": {**RECIPE, "stages": RECIPE["stages"][::-1]}}, "settings"),
    "another style": (
        [OUT],
        {"records": [{"record_id": "m:1", "style": "a"}]},
        {"records": [{"record_id": "m:1", "style": "b"}]},
        "source_metadata",
    ),
    "the partner": ([dropped("m:1", "split", "joined_across_splits")], {}, {}, "partner_went"),
    "splits afresh": ([dropped("m:1", "split", "joined_across_splits")], {}, {"lineage": 2}, "splits_drawn_afresh"),
    "a word that nobody knows": ([dropped("m:1", "nowhere", "whim")], {}, {}, "unknown"),
}
"""Ledger of the older release, more of it, and more of the newer one, which keeps the record."""


@pytest.mark.parametrize(("ledger", "more_before", "more_after", "reason"), CAME.values(), ids=CAME)
def test_every_way_to_come_has_its_reason(ledger, more_before, more_after, reason):
    others = more_after.pop("ledger", []) if (more_after := dict(more_after)) else []
    before = side([*ledger, OTHER], **more_before)
    after = side([kept("m:1"), *others, OTHER], **more_after)
    assert why(before, after) == (Kind.CAME, reason)


WENT = {
    "the source lost it": ([dropped("m:1", "scrape", "gone")], {}, "gone_from_source"),
    "another history": ([], {}, "not_listed"),
    "its source is no longer asked": (
        [dropped("m:1", "scrape", "gone")],
        {"recipe": {**RECIPE, "sources": []}},
        "settings",
    ),
    "the same file under another key": (
        [dropped("m:1", "scrape", "gone"), kept("m:7", sha256="m:1")],
        {},
        "renumbered",
    ),
    "taken down": ([HAND], {"takedowns": [{"record_id": "m:1", "scope": "work"}]}, "taken_down"),
    "purged": ([HAND], {"tombstones": [STONE], "amended": "2024-05-01"}, "purged"),
    "purged before it was built": ([HAND], {"tombstones": [STONE]}, "taken_down"),
    "excluded": ([dropped("m:1", "scrape", "excluded", detail="a frame")], {}, "excluded"),
    "replaced": ([dropped("m:1", "sample", "replaced", detail="a drawing")], {}, "replaced"),
    "no answer": ([dropped("m:1", "fetch", "not_found")], {}, "not_fetched"),
    "a circle of redirects": ([dropped("m:1", "fetch", "redirect_loop")], {}, "not_fetched"),
    "a threshold": ([SMALL], {"recipe": recipe(shape={"least_side_px": 99})}, "settings"),
    "another file": ([{**SMALL, "sha256": "other"}], {}, "source_file"),
    "a copy came": ([COPY, kept("m:2")], {}, "copy_came"),
    "newcomers": ([OUT, kept("m:3")], {}, "newcomers"),
    "a partner in a higher split": ([dropped("m:1", "split", "joined_across_splits")], {}, "joined_across_splits"),
}


@pytest.mark.parametrize(("ledger", "more", "reason"), WENT.values(), ids=WENT)
def test_every_way_to_go_has_its_reason(ledger, more, reason):
    assert why(side([kept("m:1"), OTHER]), side([*ledger, OTHER], **more)) == (Kind.WENT, reason)


def test_what_was_published_before_returns_but_a_copy_never_was():
    gone = dropped("m:1", "scrape", "gone", last_split="train")
    assert why(side([gone]), side([kept("m:1")]))[0] == Kind.RETURNED
    assert why(side([{**COPY, "last_split": "train"}, kept("m:2")]), side([kept("m:1"), kept("m:2")]))[0] == Kind.CAME


def test_without_any_cause_another_history_is_one():
    before, after = side([OUT]), side([kept("m:1")], version="1" * 12)
    found = pair(before, after)
    assert presence(found).to_pylist()[0]["reason"] == ChangeReason.UNKNOWN
    found = type(found)(before, after)
    assert presence(found).to_pylist()[0]["reason"] == ChangeReason.PREDECESSOR


def test_the_detail_says_the_ledgers_words_and_the_setting():
    rows = presence(pair(side([SMALL]), side([kept("m:1")], recipe=recipe(shape={"least_side_px": 9})))).to_pylist()
    assert rows[0]["detail"] == "too_small by shape: 63 px; stages.shape.least_side_px: 64 -> 9"
    assert (rows[0]["split_before"], rows[0]["split_after"]) == (None, "train")


def test_a_setting_that_has_nothing_to_do_with_it_is_no_reason():
    assert why(side([SMALL]), side([kept("m:1")], recipe=recipe(shape={"aspect": 3})))[1] == ChangeReason.MEASURE


def test_verdicts_that_stay_are_no_change():
    judged = {**EDGE, "verdict": "copy"}
    assert len(judged_anew(pair(side(relations=[judged]), side(relations=[judged])))) == 0
    assert judged_anew(pair(side(relations=[EDGE]), side(relations=[judged]))).to_pylist() == ["m:1", "m:2"]
