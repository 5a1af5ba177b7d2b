"""The one filter: which records pass, by what was measured of them."""

import numpy as np
import pyarrow as pa

from schemas.reasons import Reason
from schemas.screen import Screen
from schemas.tables import SCREEN
from tasks.core import tables

COLUMNS = ("record_id", "rights_uri", "width_px", "height_px", "figures")


def decide(view: pa.Table, settings: Screen) -> pa.Table:
    """SCREEN outcome of a view with COLUMNS (`figures`: how many; sizes and counts are read only if asked for).

    A row that fails several checks gets the first of: rights, side, aspect, too few figures, too many.
    """
    rows = view.num_rows
    checks = []
    if settings.rights is not None:
        uris = view["rights_uri"].to_pylist()
        passes = np.array([any(uri.startswith(start) for start in settings.rights) for uri in uris], bool)
        checks.append((~passes, Reason.RIGHTS_NOT_OPEN, uris))
    if settings.least_side_px is not None:
        side = np.minimum(*_sizes(view))
        checks.append(
            (side < settings.least_side_px, Reason.TOO_SMALL, [f"{n} px < {settings.least_side_px} px" for n in side])
        )
    if (aspect := settings.aspect) is not None:
        width, height = _sizes(view)
        outside = (width < aspect.least * height) | (width > aspect.most * height)
        checks.append((outside, Reason.TOO_ELONGATED, [f"{w} x {h} px" for w, h in zip(width, height, strict=True)]))
    if (wanted := settings.figures) is not None:
        count = view["figures"].to_numpy()
        said = [f"{n} of {wanted.category}" for n in count]
        checks.append((count < wanted.least, Reason.TOO_FEW_FIGURES, said))
        if wanted.most is not None:
            checks.append((count > wanted.most, Reason.TOO_MANY_FIGURES, said))
    reasons, details = tables.first_reason(rows, checks)
    return tables.outcome(SCREEN, view["record_id"], reason=reasons, detail=details)


def _sizes(view: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    return view["width_px"].to_numpy(), view["height_px"].to_numpy()
