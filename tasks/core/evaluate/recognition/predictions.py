"""What a system says of the test queries, whichever way it came to it."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tasks.core.evaluate.recognition.recognise import Recognition
from tasks.core.evaluate.recognition.scores import Outcomes
from tasks.core.evaluate.recognition.tables import Gallery


class Predictions(NamedTuple):
    """Of Q test queries, in their order.

    prediction: (Q,) strings, classes. confidence: (Q,) the higher, the surer. nearest: (Q,) strings, ids of the gallery
    images that predictions are by; null where none is. outcomes: what `scores.scorer` scores.
    """

    prediction: pa.Array
    confidence: NDArray[np.float64]
    nearest: pa.Array
    outcomes: Outcomes


def predictions_of(found: Recognition, gallery: Gallery) -> Predictions:
    """The predictions by a gallery's nearest images, with the names of its classes and images."""
    return Predictions(
        pa.array(gallery.classes, pa.string()).take(pa.array(found.prediction)),
        found.confidence,
        gallery.ids.combine_chunks().take(pa.array(found.nearest)),
        found.outcomes,
    )
