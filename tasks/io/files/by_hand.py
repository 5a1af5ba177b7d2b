"""The file in which people exclude, include, replace and take down: CSV, as a spreadsheet saves it."""

from tasks.io.files import csv_rows

MAX_ROWS = 100_000
"""More than people decide one by one; a decision on more records is a rule, and rules belong into the recipe."""


def rows_of_csv(name: str, url: str) -> list[tuple[int, list[str]]]:
    """(line, cells) of each row, the header first. Raises as csv_rows.rows_of_csv does."""
    return csv_rows.rows_of_csv(name, url, max_rows=MAX_ROWS, what="rows by hand")


sha256 = csv_rows.sha256
