"""What the report says of words that were not understood: the commonest."""

import pyarrow as pa

from schemas.phrases import counted, quoted
from tasks.core.drawing import escape

_MOST = 50


def section(table: pa.Table) -> str:
    """HTML of the first 50 rows of UNREAD; nothing where all was understood."""
    if not table.num_rows:
        return ""
    rows = [
        f"<tr><td>{escape(row['field'])}<td>{escape(row['source'])}<td>{escape(quoted(row['words']))}"
        f"<td>{escape(quoted(row['text']))}<td class=n>{row['records']:,}<td>{escape(row['record_id'])}"
        for row in table.slice(0, _MOST).to_pylist()
    ]
    what = (
        f"The first {_MOST} of {table.num_rows:,}" if table.num_rows > _MOST else counted(table.num_rows, "expression")
    )
    return "\n".join(
        [
            f"<h2>What was not understood</h2><p>{what}, the commonest first; statistics/unread.parquet has all. Works "
            "whose date was not understood have no years; names, styles and rights stay as the source wrote them.</p>",
            "<div class=wide><table><tr><th>field<th>source<th>words<th>in the text<th>records<th>first record",
            *rows,
            "</table></div>",
        ]
    )
