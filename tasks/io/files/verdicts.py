"""The file of verdicts that a recipe names: CSV, as the report's page saves it or a spreadsheet does."""

import functools

from tasks.io.files import csv_rows

rows_of_csv = functools.partial(csv_rows.rows_of_csv, what="verdicts")
sha256 = csv_rows.sha256
