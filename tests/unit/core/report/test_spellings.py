"""The table of names in several spellings."""

from tasks.core.names.spellings import Name
from tasks.core.report import spellings


def test_nothing_to_say():
    assert spellings.section([]) == ""


def test_each_name_has_a_row_with_all_its_spellings():
    names = [
        Name("style", [("Dada", 3), ("DADA", 1)]),
        Name("artist", [("Henri Martin", 12), ("<b>\u200b", 1)]),
    ]
    page = spellings.section(names)
    rows = [line for line in page.splitlines() if line.startswith("<tr>")]
    assert rows == [
        "<tr><td>artist<td>&#x27;Henri Martin&#x27; (12), &#x27;&lt;b&gt;\\u200b&#x27; (1)",
        "<tr><td>style<td>&#x27;Dada&#x27; (3), &#x27;DADA&#x27; (1)",
    ]
