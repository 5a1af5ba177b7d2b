"""How much simpler a sketch is than its photo (SketchRef, Eq. 3)."""

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput

LEAST, MOST = 1e-15, 1e15
"""Between these a complexity must lie, so that a ratio is a number."""


def simplicity_ratio(photo: NDArray[np.float64], sketch: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N,) C(photo) / C(sketch): above 1 where the sketch is simpler than its photo.

    photo, sketch: (N,) complexities of both by one method, such as bytes after compression. Which method it was is
    part of a result: the paper takes the compression ratio of Machado et al. (2015) without codec or quality. Empty
    in, empty out. Raises BadInput for a complexity that is not between 1e-15 and 1e15, such as 0 or NaN.

    >>> simplicity_ratio(np.array([8000.0]), np.array([4000.0])).tolist()
    [2.0]
    """
    for what, values in (("photo", photo), ("sketch", sketch)):
        for value in values[~((values >= LEAST) & (values <= MOST))][:1].tolist():
            raise BadInput(f"expected complexities of each {what} from {LEAST:g} to {MOST:g}, got {value:g}")
    return photo / sketch
