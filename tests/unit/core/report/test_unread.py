"""The report's table of what was not understood."""

import pyarrow as pa

from schemas.tables import UNREAD
from tasks.core.report.unread import section


def row(words: str) -> dict[str, object]:
    return {
        "field": "date",
        "source": "m",
        "words": words,
        "text": f"1024 {words}",
        "records": 1200,
        "record_id": "m:1",
    }


def table(*words: str) -> pa.Table:
    return pa.Table.from_pylist([row(word) for word in words], schema=UNREAD)


def test_where_all_was_understood_it_says_nothing():
    assert section(table()) == ""


def test_words_stand_with_their_text_and_their_number_and_bring_no_markup():
    page = section(table("AH", "<script>"))
    assert "<td>&#x27;AH&#x27;<td>&#x27;1024 AH&#x27;<td class=n>1,200<td>m:1" in page
    assert "<script>" not in page
    assert "2 expressions, the commonest first" in page


def test_the_commonest_fifty_are_shown():
    page = section(table(*(f"w{number:03}" for number in range(51))))
    assert "The first 50 of 51" in page
    assert page.count("<tr><td>") == 50
    assert "w050" not in page
