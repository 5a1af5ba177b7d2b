"""The table of strata with an empty split."""

from tasks.core.report import gaps
from tasks.core.split.gaps import Gap


def test_nothing_to_say():
    assert gaps.section([]) == ""


def test_each_has_a_row_however_many_there_are():
    many = [Gap(f"<s{number}>", {"train": 1200, "test": 0}) for number in range(50)]
    page = gaps.section(many)
    assert page.count("<tr>") == 51
    assert "<tr><td>&lt;s7&gt;<td class=n>1,200<td class=n>0" in page
    assert "<th>stratum<th>train<th>test" in page
