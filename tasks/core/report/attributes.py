"""What the report says of the recipe's attributes: how many images have each, and its most frequent values."""

from collections.abc import Sequence

from tasks.core.attribute_statistics import AttributeSummary
from tasks.core.drawing import escape


def section(attributes: Sequence[AttributeSummary]) -> str:
    """HTML of a table with a row for each attribute; nothing where the recipe declares none."""
    if not attributes:
        return ""
    rows = [
        f"<tr><td>{escape(of.name)}<td>{of.type}<td class=n>{of.images:,}<td>{escape(', '.join(of.values))}"
        f"<td>{escape(of.description)}"
        for of in attributes
    ]
    return "\n".join(
        ["<h2>Attributes</h2><table><tr><th>attribute<th>type<th>images<th>values<th>meaning", *rows, "</table>"]
    )
