"""The report's table of attributes."""

from tasks.core.attribute_statistics import AttributeSummary
from tasks.core.report import attributes


def test_a_row_says_what_an_attribute_is_and_nothing_of_it_is_html():
    summary = AttributeSummary("room", "string", 1200, ("<b>A</b> (7)", "3 others"), 'the room\'s "name" & more')
    assert attributes.section([summary]).splitlines()[1] == (
        "<tr><td>room<td>string<td class=n>1,200<td>&lt;b&gt;A&lt;/b&gt; (7), 3 others"
        "<td>the room&#x27;s &quot;name&quot; &amp; more"
    )


def test_without_attributes_there_is_no_section():
    assert attributes.section([]) == ""
