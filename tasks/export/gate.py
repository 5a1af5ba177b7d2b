"""The gate before publication: a release that breaks a rule of its contract is not written."""

import pyarrow as pa

from schemas.errors import Refusal
from schemas.phrases import and_more
from schemas.recipe import Recipe
from tasks.core.coco.categories import category_table
from tasks.export.content import Content
from tasks.export.other_tables import OtherTables
from tasks.io.files import contracts
from tasks.subjects.promises import broken_promises

_SHOWN = 10
ASKED_OF_RECORDS = ("record_id", "source")
"""The columns of the widest table that rules ask for."""


def check_promises(recipe: Recipe, content: Content, records: pa.Table, others: OtherTables) -> None:
    """Raise Refusal, with a line for each rule that is broken, and the first rows that break it.

    records: ASKED_OF_RECORDS of RECORDS.
    """
    tables = {
        "images": content.images.drop_columns("image"),
        "annotations": content.annotations,
        "categories": category_table(recipe.coco_categories),
        "ledger": content.ledger,
        "records": records,
        "relations": others.relations,
        "takedowns": others.takedowns,
        "tombstones": others.tombstones,
        "coco_files": content.coco_files,
        "diversity": others.statistics.diversity,
        "histograms": others.statistics.histograms,
        "shares": others.statistics.shares,
    }
    may_be_empty = {"attributes": others.attributes, "unread": others.unread}
    tables |= {name: table for name, table in may_be_empty.items() if table.num_rows}
    problems = list(broken_promises(tables, contracts.contracts()))
    if problems:
        lines = [*problems[:_SHOWN], *([f"...{and_more(len(problems) - _SHOWN)}"] if problems[_SHOWN:] else [])]
        raise Refusal(
            f"export: expected tables that keep contract {contracts.version()}, got others; nothing is published:\n"
            + "\n".join(lines)
        )
