"""A recipe's file of verdicts: CSV, saved by the report's page or a spreadsheet."""

import functools

from tasks.io.files import csv_rows

rows_of_csv = functools.partial(csv_rows.rows_of_csv, what="verdicts")
sha256 = csv_rows.sha256
