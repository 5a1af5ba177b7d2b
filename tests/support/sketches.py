"""Tables of sketches in few words."""

from typing import Any

import pyarrow as pa

ROW: dict[str, Any] = {"sketch": "s1", "method": "anime", "photo": "p1", "subset": "body"}


def table(*rows: dict[str, Any]) -> pa.Table:
    """One row for each mapping of what differs from ROW; sketches are numbered unless they have a name."""
    full = [{**ROW, "sketch": f"s{place}", **row} for place, row in enumerate(rows, 1)]
    # Arrow takes the columns of the first row
    names = dict.fromkeys(name for row in full for name in row)
    return pa.table({name: [row.get(name) for row in full] for name in names})


def measured(*values: tuple[float | None, float | None, float], **common: Any) -> pa.Table:
    """Sketches of a photo each, as (mOKS, cosine, simplicity ratio)."""
    return table(
        *(
            {
                "photo": f"p{place}",
                "mean_oks": mean_oks,
                "clip_cosine": cosine,
                "photo_complexity": ratio,
                "sketch_complexity": 1.0,
                **common,
            }
            for place, (mean_oks, cosine, ratio) in enumerate(values, 1)
        )
    )
