"""The report of a purge: which records, what was changed, which files stay."""

from tasks.core.purge.report import lines
from tests.support.purge import tombstones_of

ONE = tombstones_of(("s:1", "2024-05-01", "heirs", "a"))


def test_a_purge_says_what_went_and_why():
    assert list(lines("small", ONE, ["store: 1 files"], {"a": "s:2"}, is_dry=False)) == [
        "purge small: 1 record",
        "  s:1: heirs (2024-05-01)",
        "store: 1 files",
        "kept: the file a, which s:2 uses too",
    ]


def test_a_purge_without_anything_to_do_says_so():
    assert list(lines("small", tombstones_of(), [], {}, is_dry=False)) == ["purge small: no record is taken down"]
    (line,) = lines("small", ONE, [], {}, is_dry=True)
    assert line == "purge small: 1 record purged already; nothing is left to remove"


def test_of_many_records_the_first_are_named():
    many = tombstones_of(*((f"s:{number:02}", "2024-05-01", "heirs", None) for number in range(22)))
    found = list(lines("small", many, ["store: 1 files"], {}, is_dry=True))
    assert found[0] == "purge small: 22 records would be purged: this is a dry run"
    assert found[21:] == ["  ... and 2 more", "store: 1 files"]
