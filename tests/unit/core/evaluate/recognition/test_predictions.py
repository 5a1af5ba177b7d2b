"""What a system says of the queries: by a gallery's nearest images."""

import numpy as np
import pyarrow as pa

from tasks.core.evaluate.recognition.predictions import predictions_of
from tasks.core.evaluate.recognition.recognise import Recognition
from tasks.core.evaluate.recognition.scores import Outcomes
from tasks.core.evaluate.recognition.tables import check_gallery
from tasks.core.evaluate.recognition.tuning import BestPair

GALLERY = check_gallery(pa.table({"id": ["a", "b", "c"], "class": ["vase", "armour", "vase"]}))


def test_predictions_have_the_names_of_classes_and_images():
    outcomes = Outcomes(np.zeros(2), np.array([True, False]), np.array([True, False]))
    pair = BestPair(1, 1.0, np.zeros((1, 1)))
    found = Recognition(pair, np.array([1, 0]), np.array([2, 1]), np.array([0.9, 0.5]), outcomes, 3)
    own = predictions_of(found, GALLERY)
    assert own.prediction.to_pylist() == ["vase", "armour"]
    assert own.nearest.to_pylist() == ["c", "b"]
    assert (own.confidence.tolist(), own.outcomes) == ([0.9, 0.5], outcomes)
