"""dedup against the plain way: every pair by Python's whole numbers, and one walk over the rows from the best on."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.stages import Dedup
from tasks.core import dedup

RIGHTS = [
    "https://creativecommons.org/publicdomain/mark/1.0/",
    "http://rightsstatements.org/vocab/InC/1.0/",
    "NOASSERTION",
]
hashes = st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 255) | st.sampled_from([0, 2**63, 2**64 - 1]), max_size=30)


def pairs(values: list[int], radius_bits: int) -> list[list[int]]:
    return [
        [i, j]
        for i in range(len(values))
        for j in range(i + 1, len(values))
        if bin(values[i] ^ values[j]).count("1") <= radius_bits
    ]


@given(hashes, st.integers(0, 64))
def test_pairs_are_those_of_a_loop_over_all(values: list[int], radius_bits: int):
    assert dedup.near_pairs(np.array(values, np.uint64), radius_bits).tolist() == pairs(values, radius_bits)


@given(hashes, st.integers(0, 16), st.integers(1, 7))
def test_the_size_of_a_block_changes_nothing(values: list[int], radius_bits: int, block: int):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dedup, "_BLOCK", block)
        assert dedup.near_pairs(np.array(values, np.uint64), radius_bits).tolist() == pairs(values, radius_bits)


def test_pairs_over_the_edges_of_blocks_are_found():
    values = np.random.default_rng(5).integers(0, 2**64, 5000, np.uint64)  # such numbers lie some 32 bits apart
    planted = [(0, 4999), (2047, 2048), (2048, 4096), (17, 18)]
    for number, (i, j) in enumerate(planted):
        values[j] = values[i] ^ np.uint64((1 << number) - 1)
    found = {tuple(pair) for pair in dedup.near_pairs(values, 3).tolist()}
    assert found == {*planted, (2047, 4096)}  # 2047 - 2048 - 4096 is a chain of 1 and 2 bits


@st.composite
def rows(draw: st.DrawFn) -> list[dict[str, Any]]:
    size = draw(st.integers(0, 14))
    phashes = [draw(st.integers(0, 63)) for _ in range(size)]
    return [
        {
            "record_id": f"r{number:02}",
            "phash": phash,
            "sha256": f"{phash}-{draw(st.integers(0, 1))}",  # equal bytes have equal hashes
            "rights_uri": draw(st.sampled_from(RIGHTS)),
            "is_annotated": draw(st.booleans()),
            "width_px": draw(st.integers(1, 3)),
            "height_px": draw(st.integers(1, 3)),
            "bytes": draw(st.integers(1, 3)),
            "metadata": draw(st.integers(0, 2)),
        }
        for number, phash in enumerate(phashes)
    ]


def rank(row: dict[str, Any]) -> tuple[Any, ...]:
    rights = 0 if "publicdomain" in row["rights_uri"] else 2 if row["rights_uri"] == "NOASSERTION" else 1
    pixels = row["width_px"] * row["height_px"]
    return (rights, not row["is_annotated"], -pixels, -row["bytes"], -row["metadata"], row["record_id"])


def walked(listed: list[dict[str, Any]], radius_bits: int) -> dict[str, tuple[str | None, str | None, str]]:
    """reason, kept_record_id and group_id of each row."""

    def apart(one: dict[str, Any], two: dict[str, Any]) -> int:
        return bin(one["phash"] ^ two["phash"]).count("1")

    staying: list[dict[str, Any]] = []
    said: dict[str, tuple[str | None, str | None]] = {}
    for row in sorted(listed, key=rank):
        copies = sorted((apart(row, best), rank(best), best["record_id"], best["sha256"]) for best in staying)
        if copies and copies[0][0] <= radius_bits:
            _, _, name, sha256 = copies[0]
            said[row["record_id"]] = ("exact_duplicate" if sha256 == row["sha256"] else "near_duplicate", name)
        else:
            said[row["record_id"]] = (None, None)
            staying.append(row)
    group = {row["record_id"]: row["record_id"] for row in listed}
    for _ in listed:
        for one in listed:
            for two in listed:
                if apart(one, two) <= radius_bits:
                    least = min(group[one["record_id"]], group[two["record_id"]])
                    group[one["record_id"]] = group[two["record_id"]] = least
    return {name: (*said[name], group[name]) for name in said}


@given(rows(), st.integers(0, 4))
def test_who_stays_is_who_stays_in_a_walk_from_the_best_row_on(listed: list[dict[str, Any]], radius_bits: int):
    kinds = {"phash": pa.uint64(), "width_px": pa.int32(), "height_px": pa.int32(), "bytes": pa.int64(), "metadata": pa.int64(),
             "is_annotated": pa.bool_()}  # fmt: skip
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in dedup.COLUMNS])
    got = dedup.decide(pa.Table.from_pylist(listed, schema=schema), Dedup(label="dedup", radius_bits=radius_bits))
    assert {
        row["record_id"]: (row["reason"], row["kept_record_id"], row["group_id"]) for row in got.to_pylist()
    } == walked(listed, radius_bits)
