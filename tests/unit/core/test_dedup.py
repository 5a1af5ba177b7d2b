"""Copies: who is one, who stays, and what each drop names."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.stages import Dedup
from schemas.tables import DEDUP
from tasks.core import dedup

CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
MARK = "https://creativecommons.org/publicdomain/mark/1.0/"
BY = "https://creativecommons.org/licenses/by/4.0/"
IN_COPYRIGHT = "http://rightsstatements.org/vocab/InC/1.0/"
KINDS = pa.schema(
    [
        ("record_id", pa.string()),
        ("sha256", pa.string()),
        ("phash", pa.uint64()),
        ("rights_uri", pa.string()),
        ("is_annotated", pa.bool_()),
        ("width_px", pa.int32()),
        ("height_px", pa.int32()),
        ("bytes", pa.int64()),
        ("metadata", pa.int64()),
    ]
)


def row(record_id: str, phash: int = 0, **said: Any) -> dict[str, Any]:
    return {
        "record_id": record_id, "sha256": f"sha of {record_id}", "phash": phash, "rights_uri": "NOASSERTION", "is_annotated": False,
        "width_px": 100, "height_px": 100, "bytes": 1000, "metadata": 3, **said,
    }  # fmt: skip


def view(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(sorted(rows, key=lambda row: row["record_id"]), schema=KINDS)


def decided(*rows: dict[str, Any], radius_bits: int = 4) -> dict[str, dict[str, Any]]:
    got = dedup.decide(view(*rows), Dedup(label="dedup", radius_bits=radius_bits))
    assert got.schema == DEDUP
    assert got["record_id"].to_pylist() == sorted(row["record_id"] for row in rows)
    return {row["record_id"]: row for row in got.to_pylist()}


def dropped(*rows: dict[str, Any], radius_bits: int = 4) -> dict[str, tuple[str, str, str]]:
    """reason, detail and the copy that stays, of each record that does not."""
    return {
        name: (row["reason"], row["detail"], row["kept_record_id"])
        for name, row in decided(*rows, radius_bits=radius_bits).items()
        if row["reason"] is not None
    }


def near(bits: int, to: str) -> tuple[str, str, str]:
    return ("near_duplicate", f"pHash {bits} bits apart", to)


# --- pairs


@pytest.mark.parametrize(
    ("hashes", "radius", "expected"),
    [
        pytest.param([], 4, [], id="no hashes"),
        pytest.param([5], 64, [], id="one hash is no pair"),
        pytest.param([5, 5], 0, [[0, 1]], id="equal hashes at radius 0"),
        pytest.param([0, 1], 0, [], id="one bit at radius 0"),
        pytest.param([0, 0b1111], 4, [[0, 1]], id="four bits at radius 4"),
        pytest.param([0, 0b11111], 4, [], id="five bits at radius 4"),
        pytest.param([0, 2**64 - 1], 63, [], id="all bits at radius 63"),
        pytest.param([0, 2**64 - 1], 64, [[0, 1]], id="all bits at radius 64"),
        pytest.param([2**63, 0, 2**63 + 1], 1, [[0, 1], [0, 2]], id="the top bit is a bit like any other"),
        pytest.param([0, 1, 3, 7], 1, [[0, 1], [1, 2], [2, 3]], id="a chain has no pair over its length"),
    ],
)
def test_pairs_within_the_radius(hashes: list[int], radius: int, expected: list[list[int]]):
    got = dedup.near_pairs(np.array(hashes, np.uint64), radius)
    assert got.tolist() == expected
    assert got.shape == (len(expected), 2)


# --- chains


def test_in_a_chain_only_what_is_itself_a_copy_of_the_one_that_stays_drops():
    # a - b - c, two bits from one to the next, four from end to end: at radius 2, c is no copy of a
    a, b, c = row("a", 0b0000, bytes=3000), row("b", 0b0011, bytes=2000), row("c", 0b1111, bytes=1000)
    assert dropped(a, b, c, radius_bits=2) == {"b": near(2, "a")}
    assert dropped(a, b, c, radius_bits=4) == {"b": near(2, "a"), "c": near(4, "a")}


def test_of_a_chain_whose_middle_is_best_only_the_middle_stays():
    a, b, c = row("a", 0b0000), row("b", 0b0011, bytes=9000), row("c", 0b1111)
    assert dropped(a, b, c, radius_bits=2) == {"a": near(2, "b"), "c": near(2, "b")}


def test_of_a_chain_whose_ends_are_best_both_ends_stay_and_the_nearer_one_is_named():
    a, b, c = row("a", 0b00000, bytes=3000), row("b", 0b00011), row("c", 0b00111, bytes=2000)
    assert dropped(a, b, c, radius_bits=2) == {"b": near(1, "c")}


def test_of_two_that_stay_at_equal_distance_the_better_one_is_named():
    a, b, c = row("a", 0b00, bytes=2000), row("b", 0b01), row("c", 0b11, bytes=3000)
    assert dropped(a, b, c, radius_bits=1) == {"b": near(1, "c")}


def test_a_chain_has_one_group_whatever_stays():
    rows = [row("d", 0b0000), row("c", 0b0011), row("b", 0b1111), row("z", 2**64 - 1)]
    got = decided(*rows, radius_bits=2)
    assert {name: row["group_id"] for name, row in got.items()} == {"b": "b", "c": "b", "d": "b", "z": "z"}


# --- words


def test_equal_bytes_are_said_to_be_equal_and_near_ones_to_be_near():
    a, b, c = row("a", sha256="same"), row("b", sha256="same"), row("c", sha256="other")
    assert dropped(a, b, c) == {"b": ("exact_duplicate", "same bytes", "a"), "c": near(0, "a")}


def test_equal_bytes_of_two_that_drop_are_near_copies_of_the_one_that_stays():
    best, one, two = row("z", 0b1, bytes=9000), row("a", 0, sha256="same"), row("b", 0, sha256="same")
    assert dropped(best, one, two, radius_bits=1) == {"a": near(1, "z"), "b": near(1, "z")}


def test_equal_bytes_are_copies_at_radius_0_and_other_bytes_of_one_hash_too():
    assert set(dropped(row("a", 7), row("b", 7), row("c", 6), radius_bits=0)) == {"b"}


# --- which one stays


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param({"rights_uri": CC0}, {"rights_uri": BY, "is_annotated": True}, id="public domain before Creative Commons, even annotated"),
        pytest.param({"rights_uri": BY}, {"rights_uri": "NOASSERTION", "is_annotated": True}, id="a licence before none"),
        pytest.param({"rights_uri": IN_COPYRIGHT}, {"rights_uri": "NOASSERTION"}, id="a statement before none"),
        pytest.param({"rights_uri": MARK, "width_px": 101}, {"rights_uri": CC0}, id="one rank: both marks"),
        pytest.param({"rights_uri": BY, "width_px": 101}, {"rights_uri": IN_COPYRIGHT}, id="all other statements are one rank"),
        pytest.param({"is_annotated": True}, {"width_px": 9000}, id="annotated before larger"),
        pytest.param({"width_px": 101}, {"bytes": 10**9}, id="more pixels before more bytes"),
        pytest.param({"width_px": 50_000, "height_px": 50_000}, {"bytes": 10**9}, id="more pixels than 32 bits count"),
        pytest.param(
            {"width_px": 50, "height_px": 50}, {"width_px": 100, "height_px": 20}, id="more pixels, not longer sides"
        ),
        pytest.param({"bytes": 1001}, {"metadata": 7}, id="more bytes before more metadata"),
        pytest.param({"metadata": 4}, {}, id="more metadata before the smaller name"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")], ids=["better first", "better last"])
def test_of_two_copies_the_better_stays_whatever_they_are_called(
    better: dict[str, Any], worse: dict[str, Any], names: tuple[str, str]
):
    stays, goes = names
    assert dropped(row(stays, **better), row(goes, **worse)) == {goes: near(0, stays)}


@pytest.mark.parametrize(
    ("names", "stays"),
    [
        pytest.param(("s:10", "s:9"), "s:10", id="names are text, not numbers"),
        pytest.param(("é", "z"), "z", id="by the byte order of UTF-8"),
        pytest.param(("a", "a#1"), "a", id="the shorter before what begins with it"),
    ],
)
def test_of_copies_that_are_alike_the_smaller_name_stays(names: tuple[str, str], stays: str):
    assert set(dropped(*(row(name) for name in names))) == set(names) - {stays}


# --- edges and properties


def test_nothing_in_nothing_out():
    assert decided() == {}


def test_one_record_stays_in_a_group_of_its_own():
    assert decided(row("a", 2**64 - 1)) == {
        "a": {"record_id": "a", "reason": None, "detail": None, "kept_record_id": None, "group_id": "a"}
    }


def test_hashes_with_the_top_bit_do_not_turn_negative():
    assert dropped(row("a", 2**64 - 1), row("b", 2**64 - 2), radius_bits=1) == {"b": near(1, "a")}


hashes = st.integers(0, 2**7 - 1)  # seven bits: close enough for chains
said = st.fixed_dictionaries(
    {
        "phash": hashes,
        "bytes": st.integers(1, 3),
        "width_px": st.integers(1, 2),
        "is_annotated": st.booleans(),
        "rights_uri": st.sampled_from([CC0, BY, "NOASSERTION"]),
    }
)


@given(st.lists(said, max_size=12), st.integers(0, 3))
def test_every_drop_names_a_record_that_stays_and_is_its_copy(rows: list[dict[str, Any]], radius_bits: int):
    made = {f"r{number:02}": row(f"r{number:02}", **given_) for number, given_ in enumerate(rows)}
    got = decided(*made.values(), radius_bits=radius_bits)
    for name, verdict in got.items():
        if verdict["reason"] is None:
            continue
        stays = verdict["kept_record_id"]
        assert got[stays]["reason"] is None
        assert (made[name]["phash"] ^ made[stays]["phash"]).bit_count() <= radius_bits
        assert verdict["group_id"] == got[stays]["group_id"]
    staying = [made[name]["phash"] for name, verdict in got.items() if verdict["reason"] is None]
    assert all((one ^ two).bit_count() > radius_bits for place, one in enumerate(staying) for two in staying[:place])


@given(
    st.lists(said, min_size=1, max_size=10, unique_by=lambda row: tuple(row.values())),
    st.randoms(use_true_random=False),
)
def test_names_matter_only_where_all_else_is_equal(rows: list[dict[str, Any]], chance: Any):
    # bytes are made different, so that names decide nothing, and then the names are dealt anew
    distinct = [{**given_, "bytes": place + 1} for place, given_ in enumerate(rows)]
    names = [f"r{number:02}" for number in range(len(rows))]
    other = names.copy()
    chance.shuffle(other)
    first = decided(*(row(name, **given_) for name, given_ in zip(names, distinct, strict=True)), radius_bits=2)
    second = decided(*(row(name, **given_) for name, given_ in zip(other, distinct, strict=True)), radius_bits=2)
    now = dict(zip(names, other, strict=True))
    for name in names:
        stays = first[name]["kept_record_id"]
        assert second[now[name]]["reason"] == first[name]["reason"]
        assert second[now[name]]["kept_record_id"] == (now[stays] if stays else None)


@given(st.lists(said, max_size=8))
def test_what_stays_stays_when_it_is_decided_again(rows: list[dict[str, Any]]):
    made = [row(f"r{number:02}", **given_) for number, given_ in enumerate(rows)]
    stays = [entry for entry in made if decided(*made)[entry["record_id"]]["reason"] is None]
    assert dropped(*stays) == {}
