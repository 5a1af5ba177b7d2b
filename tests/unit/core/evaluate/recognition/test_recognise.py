"""The whole protocol: a museum of a few exhibits, its visitors' photographs, and pictures of other things."""

import numpy as np
import pyarrow as pa
import pytest

from schemas.evaluate_images import RecognitionSettings
from tasks.core.evaluate.recognition.page import tie_notes
from tasks.core.evaluate.recognition.recognise import find_neighbours, recognise
from tasks.core.evaluate.recognition.tables import check_gallery, check_queries
from tests.support.recognition import score_once

CLASSES, SIZE = 60, 16
CHANCE = np.random.default_rng(21)
EXHIBITS = CHANCE.standard_normal((CLASSES, SIZE))
COUNTS = CHANCE.integers(1, 4, CLASSES)
CLASS_OF = np.repeat(np.arange(CLASSES), COUNTS)
VECTORS = (EXHIBITS[CLASS_OF] + 0.1 * CHANCE.standard_normal((len(CLASS_OF), SIZE))).astype(np.float32)
GALLERY = check_gallery(
    pa.table({"id": [f"g{row:03}" for row in range(len(CLASS_OF))], "class": [f"c{place:02}" for place in CLASS_OF]})
)


def visitors(name: str, met: int, distractors: int, seed: int, noise: float = 0.5):
    """Photographs of exhibits, less clear than the gallery's, and of other things."""
    chance = np.random.default_rng(seed)
    shown = chance.integers(0, CLASSES, met)
    vectors = np.concatenate(
        [EXHIBITS[shown] + noise * chance.standard_normal((met, SIZE)), chance.standard_normal((distractors, SIZE))]
    )
    classes = [*(f"c{place:02}" for place in shown), *[None] * distractors]
    table = pa.table({"id": [f"{name}{row}" for row in range(met + distractors)], "class": classes})
    return check_queries(table, GALLERY, name), vectors.astype(np.float32)


VAL, TEST = visitors("v", 20, 50, 1), visitors("t", 100, 300, 2)


def test_clear_photographs_are_recognised_and_distractors_come_last():
    found = recognise(
        GALLERY, VECTORS, visitors("v", 20, 50, 1, 0.1), visitors("t", 100, 300, 2, 0.1), RecognitionSettings()
    )
    own = found.predictions
    assert score_once(own.outcomes) == pytest.approx({"GAP": 1, "GAP_minus": 1, "ACC": 1}, abs=0.02)
    assert found.dimensions == SIZE
    nearest = [GALLERY.ids.to_pylist().index(name) for name in own.nearest.to_pylist()]
    assert [GALLERY.classes[place] for place in GALLERY.class_of[nearest]] == own.prediction.to_pylist()
    assert ((own.confidence >= 1 / CLASSES) & (own.confidence <= 1)).all()


def test_the_chosen_pair_has_the_highest_gap_on_the_validation_queries():
    settings = RecognitionSettings()
    found = recognise(GALLERY, VECTORS, VAL, TEST, settings)
    assert found.best.gap.shape == (9, 12)
    assert found.best.gap[settings.k.index(found.best.k), settings.tau.index(found.best.tau)] == found.best.gap.max()
    on_val = recognise(GALLERY, VECTORS, VAL, VAL, RecognitionSettings(k=(found.best.k,), tau=(found.best.tau,)))
    assert score_once(on_val.predictions.outcomes)["GAP"] == found.best.gap.max()


def test_accuracy_is_free_of_what_is_chosen():
    pairs = [((1,), (0.01,)), ((5,), (10,)), ((50,), (500,))]
    several = [recognise(GALLERY, VECTORS, VAL, TEST, RecognitionSettings(k=k, tau=tau)) for k, tau in pairs]
    assert len({score_once(found.predictions.outcomes)["ACC"] for found in several}) == 1
    assert all(found.predictions.prediction == several[0].predictions.prediction for found in several)


def test_tuned_without_distractors_the_highest_gap_is_gap_minus():
    found = recognise(GALLERY, VECTORS, VAL, TEST, RecognitionSettings(tune_distractors=0))
    on_val = recognise(GALLERY, VECTORS, VAL, VAL, RecognitionSettings(k=(found.best.k,), tau=(found.best.tau,)))
    assert score_once(on_val.predictions.outcomes)["GAP_minus"] == found.best.gap.max()


def test_a_single_pair_needs_no_validation_queries():
    nobody = (VAL[0]._replace(ids=VAL[0].ids[:0], class_of=VAL[0].class_of[:0], type=(), photographer=()), VAL[1][:0])
    settings = RecognitionSettings(k=(3,), tau=(50,))
    found = recognise(GALLERY, VECTORS, nobody, TEST, settings)
    assert (found.best.k, found.best.tau) == (3, 50)
    assert np.isnan(found.best.gap).all()
    tuned = recognise(GALLERY, VECTORS, VAL, TEST, settings)
    assert score_once(found.predictions.outcomes) == score_once(tuned.predictions.outcomes)


def test_lengths_of_vectors_do_not_matter_without_whitening():
    settings = RecognitionSettings(whiten=False, k=(3,), tau=(50,))
    one, _ = find_neighbours(VECTORS, TEST[1], settings)
    longer = VECTORS * np.linspace(0.5, 8, len(VECTORS), dtype=np.float32)[:, None]
    other, dimensions = find_neighbours(longer, TEST[1] * 3, settings)
    assert dimensions == SIZE
    assert other.similarities == pytest.approx(one.similarities, abs=1e-6)
    assert one.similarities.max() <= 1 + 1e-6
    assert (one.rows == other.rows).mean() > 0.99


def test_few_dimensions_may_be_kept():
    assert recognise(GALLERY, VECTORS, VAL, TEST, RecognitionSettings(dimensions=4)).dimensions == 4


def test_where_ties_matter_the_page_says_what_the_other_rule_gives():
    saturated = RecognitionSettings(k=(1,), tau=(10_000,))
    found = recognise(GALLERY, VECTORS, VAL, TEST, saturated)
    other = recognise(GALLERY, VECTORS, VAL, TEST, saturated.model_copy(update={"ties": "official"}))
    assert found.alike > 0
    assert score_once(found.other[1]) == score_once(other.predictions.outcomes)
    assert score_once(other.other[1]) == score_once(found.predictions.outcomes)
    assert np.array_equal(found.predictions.confidence, other.predictions.confidence)
    (note,) = tie_notes({"a": found}, "log_odds")
    gap = score_once(other.predictions.outcomes)["GAP"]
    assert note.startswith(
        f"a: with tau = 10000 {found.alike} test queries have a confidence of 1 in 64 bits; by ties: "
    )
    assert f"official GAP is {gap:.3f}, here" in note
    assert (
        tie_notes({"a": recognise(GALLERY, VECTORS, VAL, TEST, RecognitionSettings(k=(1,), tau=(1,)))}, "log_odds")
        == []
    )
