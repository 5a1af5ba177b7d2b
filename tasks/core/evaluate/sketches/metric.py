"""Any metric of sketches that is to be compared with people, such as those of SketchRef's Tables 4 and 5."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import quoted
from tasks.core.evaluate.sketches.table import Sketches
from tasks.core.evaluate.table_columns import names_column, number_column, refuse_repeats, require_columns

_MOST = float(np.finfo(np.float64).max)


OWN = ("mOKS", "S_CLIP", "SR")
"""The metrics that are computed here."""


def refuse_own_names(names: Iterable[str]) -> None:
    """Raises BadInput where another metric would have the name of one of ours, and so take its place."""
    for name in names:
        if name in OWN:
            got = f"expected another name than those of our own metrics, {', '.join(OWN)}, got {quoted(name)}"
            raise BadInput(f"--metric: {got}")


def check_metric(name: str, table: pa.Table, sketches: Sketches) -> NDArray[np.float64]:
    """(S,) the metric's value of each sketch, NaN where the table has none.

    Columns: sketch, its id; value, a number or null. Only the order of values matters; the better or simpler sketch has
    the larger one, or the correlations are negative. Raises BadInput for missing columns, values of the wrong kind, a
    sketch that stands twice, and one that is not in the table of sketches.
    """
    require_columns(name, table, ("sketch", "value"))
    ids = names_column(name, table, "sketch")
    refuse_repeats(name, ids, "each sketch once")
    given = number_column(name, table, "value", -_MOST, _MOST, null=True)
    place_of = {one: place for place, one in enumerate(sketches.ids)}
    values = np.full(len(sketches.ids), np.nan)
    for row, one in enumerate(ids):
        if one not in place_of:
            raise BadInput(f"{name}[{row}]: expected a sketch of the table of sketches, got {quoted(one)}")
        values[place_of[one]] = given[row]
    return values
