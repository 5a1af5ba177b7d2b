"""The list for whoever has copies."""

from schemas.diff import OPT_OUTS
from tasks.core.diff.opt_outs import as_lines, opt_outs
from tests.support.sides import dropped, kept, pair, side

STONE = {"record_id": "m:1", "date": "2024-06-01", "reason": "heirs", "scope": "work", "sha256": None}


def test_what_left_by_somebodys_wish_is_listed_and_what_a_limit_dropped_is_not():
    before = side([kept("m:1"), kept("m:2"), kept("m:3"), dropped("m:4", "shape", "too_small", sha256="f4")])
    after = side(
        [
            dropped("m:1", "scrape", "taken_down", detail="heirs (2024-05-01)"),
            dropped("m:2", "scrape", "gone"),
            dropped("m:3", "shape", "too_small"),
            dropped("m:4", "scrape", "taken_down", detail="same wish (2024-05-02)"),
        ]
    )
    found = opt_outs(pair(before, after))
    assert found.schema == OPT_OUTS
    assert [(row["record_id"], row["sha256"], row["reason"], row["date"]) for row in found.to_pylist()] == [
        ("m:1", "m:1", "taken_down", "2024-05-01"),
        ("m:2", "m:2", "gone", None),
        ("m:4", "f4", "taken_down", "2024-05-02"),
    ]
    assert opt_outs(pair(after, after)).num_rows == 0


def test_of_a_purged_record_only_its_tombstone_is_said():
    before = side([kept("m:1")])
    after = side([dropped("m:1", "scrape", "taken_down", detail="heirs (2024-05-01)")], tombstones=[STONE])
    (row,) = opt_outs(pair(before, after)).to_pylist()
    assert row == {
        "record_id": "m:1",
        "image_id": 1,
        "sha256": None,
        "reason": "taken_down",
        "detail": "heirs",
        "date": "2024-06-01",
    }


def test_lines_for_other_programs_are_one_a_record_whatever_stands_in_them():
    after = side([dropped("m:\n1\x1b[2J", "scrape", "gone")])
    found = opt_outs(pair(side([kept("m:\n1\x1b[2J")]), after))
    lines = as_lines(found, "a", "b").splitlines()
    assert len(lines) == 2
    assert lines[1].split("\t")[0] == "m: 1 [2J"
