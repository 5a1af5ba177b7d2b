"""What was not understood: counted by source and words, the commonest first; and sentences of it."""

import pyarrow as pa
import pytest

from schemas.tables import UNREAD
from tasks.core.unread import commonest_first, notes, unread

DATES = [
    ("m:1", "m", "1024 AH"),
    ("m:2", "m", "1850"),
    ("m:3", "m", None),
    ("n:1", "n", "1025 AH"),
    ("m:0", "m", "1025 AH"),
    ("m:4", "m", "2500 BP"),
]


def records(rows: list[tuple[str, str, str | None]]) -> pa.Table:
    return pa.table([*zip(*rows, strict=True)], names=["record_id", "source", "date_text"])


def last_word(text: str, _: str | None) -> str | None:
    return text.split()[-1] if " " in text else None


def test_words_are_counted_by_source_with_the_first_record_and_its_text():
    found = commonest_first([unread(records(DATES), "date", "date_text", last_word)])
    assert found.schema == UNREAD
    assert [tuple(row.values()) for row in found.to_pylist()] == [
        ("date", "m", "AH", "1025 AH", 2, "m:0"),
        ("date", "m", "BP", "2500 BP", 1, "m:4"),
        ("date", "n", "AH", "1025 AH", 1, "n:1"),
    ]


def test_a_text_is_read_by_the_own_words_of_its_source():
    found = unread(records(DATES), "date", "date_text", lambda text, own: own or text, {"n": "of n"})
    assert {(row["source"], row["words"]) for row in found.to_pylist() if "AH" in row["text"]} == {
        ("m", "1024 AH"),
        ("m", "1025 AH"),
        ("n", "of n"),
    }


@pytest.mark.parametrize("rows", [DATES[1:3], [("m:3", "m", None)]])
def test_where_all_is_understood_there_is_no_row_and_no_sentence(rows):
    found = unread(records(rows), "date", "date_text", last_word)
    assert found.equals(UNREAD.empty_table())
    assert commonest_first([]).equals(UNREAD.empty_table())
    assert notes(found) == ()


def test_each_field_has_a_sentence_with_the_commonest_words_of_all_sources():
    styles = [(f"m:{number}", "m", f"{number % 12} school") for number in range(30)]
    tables = [
        unread(records(DATES), "date", "date_text", last_word),
        unread(records(styles), "style", "date_text", lambda text, _: text),
    ]
    of_dates, of_styles = notes(commonest_first(tables))
    assert of_dates == (
        "2 expressions in dates are not understood, and their works have no years: 'AH' (3), 'BP' (1); "
        "words.dates of a source in the recipe adds words"
    )
    assert of_styles.startswith("12 styles are not in the table")
    assert "'0 school' (3), '1 school' (3)" in of_styles
    assert of_styles.endswith("'6 school' (2), '7 school' (2) and 2 more")


def test_odd_words_are_quoted_in_one_short_line():
    odd = [("m:1", "m", "\x1b[2J\n"), ("m:2", "m", "S" * 100_000)]
    (said,) = notes(unread(records(odd), "style", "date_text", lambda text, _: text))
    assert said.isprintable()
    assert len(said) < 300
