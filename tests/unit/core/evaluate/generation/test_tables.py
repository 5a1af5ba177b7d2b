"""The table of one generator: overall and by class, and what does not fit together."""

import numpy as np
import pytest

from schemas.errors import BadInput
from schemas.evaluate_generation import GENERATION_SCORES, GenerationSettings
from tasks.core.evaluate.generation.frechet import frechet_distance, moments
from tasks.core.evaluate.generation.inception_score import inception_score
from tasks.core.evaluate.generation.kernel import kernel_distance
from tasks.core.evaluate.generation.manifold import manifold_scores
from tasks.core.evaluate.generation.tables import Extracts, check_extracts, score_table

SETTINGS = GenerationSettings(kid_subsets=3, kid_subset_size=6, parts=2)
METRICS = ["fid", "kid", "inception_score", "precision", "recall", "density", "coverage"]


def mock_extracts(samples: tuple[int, int] = (20, 15), reference: tuple[int, int] = (12, 25)) -> Extracts:
    """Of two classes, a and b, so many of each; the rows of both mixed."""
    chance = np.random.default_rng(0)
    names = [chance.permutation(["a"] * counts[0] + ["b"] * counts[1]).tolist() for counts in (samples, reference)]
    tables = [chance.normal(size=(len(classes), 4)) for classes in names]
    return Extracts(
        (tables[0], tables[1]), (tables[0] * 2, tables[1] * 2), chance.dirichlet(np.ones(3), sum(samples)), *names
    )


def by_class(extracts: Extracts, settings: GenerationSettings = SETTINGS) -> dict[str | None, dict[str, float | None]]:
    table, _ = score_table(extracts, settings)
    assert table.schema == GENERATION_SCORES
    scores: dict[str | None, dict[str, float | None]] = {}
    for row in table.to_pylist():
        scores.setdefault(row["class"], {})[row["metric"]] = row["value"]
    return scores


def test_overall_first_and_each_class_against_the_same_class():
    extracts = mock_extracts()
    scores = by_class(extracts)
    assert list(scores) == [None, "a", "b"]
    assert extracts.distribution
    assert extracts.manifold
    for name, got in scores.items():
        ours, theirs = (
            np.array([name in (None, one) for one in classes])
            for classes in (extracts.sample_classes, extracts.reference_classes)
        )
        samples, reference = extracts.distribution[0][ours], extracts.distribution[1][theirs]
        manifold = manifold_scores(extracts.manifold[0][ours], extracts.manifold[1][theirs])
        assert extracts.probabilities is not None
        expected = [
            frechet_distance(moments("", samples), moments("", reference)),
            kernel_distance(samples, reference, 3, 6, 2020).mean,
            inception_score(extracts.probabilities[ours], 2).mean,
            *manifold,
        ]
        assert list(got) == METRICS
        assert list(got.values()) == expected


def test_the_counts_and_deviations_of_each_row():
    rows = {(row["class"], row["metric"]): row for row in score_table(mock_extracts(), SETTINGS)[0].to_pylist()}
    assert [(rows[name, "fid"]["samples"], rows[name, "fid"]["reference"]) for name in (None, "a", "b")] == [
        (35, 37),
        (20, 12),
        (15, 25),
    ]
    assert (rows["a", "inception_score"]["samples"], rows["a", "inception_score"]["reference"]) == (20, None)
    assert {metric for (_, metric), row in rows.items() if row["sd"] is not None} == {"kid", "inception_score"}


def test_a_class_of_few_images_has_null_and_a_note():
    extracts = mock_extracts((20, 1), (30, 4))
    scores = by_class(extracts)
    assert scores["b"] == dict.fromkeys(METRICS)
    assert None not in scores["a"].values()
    assert score_table(extracts, SETTINGS)[1] == (
        "FID of 1 image and 4 columns: with no more images than columns it is far too high; "
        "compare only figures of equally many images",
        "1 class with too few images for some scores, which are null",
    )


def test_a_class_may_have_enough_for_fid_and_too_few_for_kid():
    scores = by_class(mock_extracts((20, 5), (30, 7)))
    assert {metric for metric, value in scores["b"].items() if value is None} == {"kid"}


@pytest.mark.parametrize(("samples", "reference"), [((20, 0), (30, 9)), ((20, 9), (30, 0))])
def test_a_class_of_one_set_alone_is_a_row_of_null(samples, reference):
    scores = by_class(mock_extracts(samples, reference))
    assert {scores["b"][metric] for metric in METRICS if metric != "inception_score"} == {None}


@pytest.mark.parametrize(("samples", "reference"), [((5, 0), (30, 0)), ((30, 0), (5, 4))])
def test_too_few_images_for_kid_leave_it_blank_and_a_note_names_the_setting(samples, reference):
    settings = SETTINGS.model_copy(update={"kid_subset_size": 10})
    table, notes = score_table(mock_extracts(samples, reference), settings)
    values = {row["metric"]: row["value"] for row in table.to_pylist() if row["class"] is None}
    assert [metric for metric in METRICS if values[metric] is None] == ["kid"]
    least = min(sum(samples), sum(reference))
    assert f"no KID: a set has {least} images, a subset has 10; --set kid_subset_size={least} or less has it" in notes


def test_one_image_has_no_kid_and_no_smaller_subset():
    pair = np.ones((1, 2)), np.ones((9, 2))
    with pytest.raises(BadInput, match="samples: expected features of at least two images for a covariance, got one"):
        score_table(Extracts(distribution=pair), SETTINGS)


def test_each_kind_alone_without_classes():
    whole = mock_extracts()
    assert list(by_class(Extracts(distribution=whole.distribution))[None]) == METRICS[:2]
    assert list(by_class(Extracts(probabilities=whole.probabilities))[None]) == METRICS[2:3]
    assert list(by_class(Extracts(manifold=whole.manifold))[None]) == METRICS[3:]
    alone = Extracts(probabilities=whole.probabilities, sample_classes=whole.sample_classes)
    assert list(by_class(alone)) == [None, "a", "b"]


def test_without_a_shuffle_parts_are_in_order():
    table = np.eye(2)[[0, 0, 1, 1]]
    settings = {"kid_subset_size": 2, "parts": 2}
    assert by_class(Extracts(probabilities=table), GenerationSettings(shuffle=False, **settings)) == {
        None: {"inception_score": 1.0}
    }


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({"manifold": (np.ones((3, 2)), np.ones((37, 2)))}, "samples: expected as many rows", id="samples"),
        pytest.param({"manifold": (np.ones((35, 2)), np.ones((3, 2)))}, "reference: expected as many", id="reference"),
        pytest.param({"probabilities": np.ones((3, 1))}, "in all files, got 35 and 35 and 3", id="probabilities"),
        pytest.param({"sample_classes": ["a"]}, "classes of the samples: expected one for each of 35 rows", id="few"),
        pytest.param({"sample_classes": None}, "classes of samples and reference or of neither", id="of one set"),
        pytest.param({"manifold": (np.ones((35, 2)), np.ones((37, 3)))}, "got 2 and 3 columns", id="columns"),
        pytest.param({"probabilities": np.ones((35, 2))}, "whose sum is 1", id="no probabilities"),
        pytest.param(dict.fromkeys(("distribution", "manifold", "probabilities")), "got neither", id="nothing"),
    ],
)
def test_what_does_not_fit_together_is_refused(changes, said):
    with pytest.raises(BadInput) as problem:
        check_extracts(mock_extracts()._replace(**changes))
    assert said in str(problem.value)
