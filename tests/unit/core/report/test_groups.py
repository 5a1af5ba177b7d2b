"""The tables of strata with an empty split, and of names in several spellings."""

from tasks.core.names.spellings import Name
from tasks.core.report import groups
from tasks.core.split.drift import Gap


def test_nothing_to_say():
    assert groups.empty_splits([]) == groups.spellings([]) == ""


def test_each_stratum_has_a_row_however_many_there_are():
    many = [Gap(f"<s{number}>", {"train": 1200, "test": 0}) for number in range(50)]
    page = groups.empty_splits(many)
    assert page.count("<tr>") == 51
    assert "<tr><td>&lt;s7&gt;<td class=n>1,200<td class=n>0" in page
    assert "<th>stratum<th>train<th>test" in page


def test_each_name_has_a_row_with_all_its_spellings():
    names = [
        Name("style", [("Dada", 3), ("DADA", 1)]),
        Name("artist", [("Henri Martin", 12), ("<b>\u200b", 1)]),
    ]
    page = groups.spellings(names)
    rows = [line for line in page.splitlines() if line.startswith("<tr>")]
    assert rows == [
        "<tr><td>artist<td>&#x27;Henri Martin&#x27; (12), &#x27;&lt;b&gt;\\u200b&#x27; (1)",
        "<tr><td>style<td>&#x27;Dada&#x27; (3), &#x27;DADA&#x27; (1)",
    ]
