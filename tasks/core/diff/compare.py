"""Two releases side by side: every change, each with a reason."""

import pyarrow as pa

from schemas.diff import CHANGES
from tasks.core.diff.boxes import boxes
from tasks.core.diff.fields import Common, fields
from tasks.core.diff.presence import presence, same_images
from tasks.core.diff.sides import Pair


def compare(pair: Pair) -> pa.Table:
    """CHANGES, sorted by record_id, kind and field; empty where the two say the same.

    Raises ValueError where a release does not hold together: a record twice, images that its ledger does not keep.
    """
    one, other, both = same_images(pair)
    common = Common(pair, (one, other), both)
    found = pa.concat_tables([CHANGES.empty_table(), presence(pair), *fields(common), *boxes(common)])
    return found.sort_by([("record_id", "ascending"), ("kind", "ascending"), ("field", "ascending")])
