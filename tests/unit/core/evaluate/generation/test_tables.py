"""All scores of several generators, overall and by class, and means over samples that count so many times."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from schemas.evaluate_images import GENERATION_SCORES, GenerationSettings
from tasks.core.evaluate.generation.features import Extracts
from tasks.core.evaluate.generation.manifold import manifold_scores, manifold_units
from tasks.core.evaluate.generation.memorisation import nearest_training_images
from tasks.core.evaluate.generation.set_scores import (
    MOST_COLUMNS,
    frechet_distance,
    inception_score,
    kernel_distance,
    moments,
)
from tasks.core.evaluate.generation.tables import mean_scorer, sample_values, score_table

SETTINGS = GenerationSettings(kid_subsets=3, kid_subset_size=6, parts=2)
METRICS = ["fid", "kid", "inception_score", "precision", "recall", "density", "coverage"]


def mock_extracts(samples: tuple[int, int] = (20, 15), reference: tuple[int, int] = (12, 25)) -> Extracts:
    """Of two classes, a and b, so many of each; the rows of both mixed."""
    chance = np.random.default_rng(0)
    names = [chance.permutation(["a"] * counts[0] + ["b"] * counts[1]).tolist() for counts in (samples, reference)]
    tables = [chance.normal(size=(len(classes), 4)) for classes in names]
    return Extracts(
        (tables[0], tables[1]), (tables[0] * 2, tables[1] * 2), chance.dirichlet(np.ones(3), sum(samples)), None, *names
    )


def by_class(extracts: Extracts, settings: GenerationSettings = SETTINGS) -> dict[str | None, dict[str, float | None]]:
    table, _ = score_table({"ours": extracts}, settings)
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
    rows = {
        (row["class"], row["metric"]): row for row in score_table({"ours": mock_extracts()}, SETTINGS)[0].to_pylist()
    }
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
    assert score_table({"ours": extracts}, SETTINGS)[1] == (
        "ours: FID of 1 image and 4 columns: with no more images than columns it is far too high; "
        "compare only figures of equally many images",
        f"ours: 1 class with too few images for {', '.join(METRICS)}, which are blank; "
        f"for kid, --set kid_subset_size=... names a smaller subset than {SETTINGS.kid_subset_size}",
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
    table, notes = score_table({"ours": mock_extracts(samples, reference)}, settings)
    values = {row["metric"]: row["value"] for row in table.to_pylist() if row["class"] is None}
    assert [metric for metric in METRICS if values[metric] is None] == ["kid"]
    least = min(sum(samples), sum(reference))
    assert (
        f"ours: no KID: a set has {least} images, a subset has 10; --set kid_subset_size={least} or less has it"
        in notes
    )


def wide_extracts(samples: tuple[int, int], reference: tuple[int, int]) -> Extracts:
    """Features of a column more than FID takes."""
    narrow = mock_extracts(samples, reference)
    assert narrow.manifold
    pads = (np.zeros((len(part), MOST_COLUMNS - 3), np.float16) for part in narrow.manifold)
    pair = tuple(np.hstack([part.astype(np.float16), pad]) for part, pad in zip(narrow.manifold, pads, strict=True))
    return narrow._replace(distribution=(pair[0], pair[1]))


def test_features_too_wide_for_fid_have_all_other_scores_and_a_note():
    table, notes = score_table({"ours": wide_extracts((20, 15), (12, 25))}, SETTINGS)
    for group in (None, "a", "b"):
        values = {row["metric"]: row["value"] for row in table.to_pylist() if row["class"] == group}
        assert [metric for metric in METRICS if values[metric] is None] == ["fid"]
    assert notes == (
        "ours: no FID: features have 16,385 columns; a covariance is computed of at most 16,384, which fill 2 GiB",
    )


def test_of_features_too_wide_for_fid_one_image_is_not_refused():
    extracts = wide_extracts((1, 0), (9, 4))._replace(manifold=None)
    table, _ = score_table({"ours": extracts}, SETTINGS.model_copy(update={"parts": 1}))
    lacking = [row["metric"] for row in table.to_pylist() if row["class"] is None and row["value"] is None]
    assert lacking == ["fid", "kid"]


def test_a_class_of_few_images_is_noted_for_what_it_lacks_alone():
    _, notes = score_table({"ours": wide_extracts((20, 5), (30, 7))}, SETTINGS)
    assert notes[1:] == (
        "ours: 1 class with too few images for kid, which are blank; for kid, --set kid_subset_size=... names a "
        "smaller subset than 6",
    )


def test_one_image_has_no_kid_and_no_smaller_subset():
    pair = np.ones((1, 2)), np.ones((9, 2))
    with pytest.raises(
        BadInput, match="ours: samples: expected features of at least two images for a covariance, got one"
    ):
        score_table({"ours": Extracts(distribution=pair)}, SETTINGS)


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


def mock_systems(*sizes: int) -> dict[str, Extracts]:
    """Generators of so many samples, each further from the reference than the one before, without classes."""
    chance = np.random.default_rng(3)
    reference = chance.normal(size=(30, 2))
    systems = {}
    for place, size in enumerate(sizes):
        pair = chance.normal(2 * place, 1, size=(size, 2)), reference
        similarities = chance.uniform(size=(size, 2)).astype(np.float32)
        systems[f"g{place}"] = Extracts(distribution=pair, manifold=pair, similarities=similarities)
    return systems


def test_means_over_samples_have_intervals_and_no_other_score_has():
    table, _ = score_table(mock_systems(40), SETTINGS, 150, 1)
    rows = {row["metric"]: row for row in table.to_pylist()}
    means = {"precision", "density", "copy_share", "nearest_similarity"}
    assert {metric for metric, row in rows.items() if row["low"] is not None} == means
    assert all(rows[metric]["low"] <= rows[metric]["value"] <= rows[metric]["high"] for metric in means)
    assert rows["nearest_similarity"]["low"] < rows["nearest_similarity"]["high"]
    assert {rows[metric]["reference"] for metric in ("copy_share", "nearest_similarity")} == {None}


def test_a_class_has_the_intervals_of_its_own_samples():
    rows = score_table({"ours": mock_extracts()}, SETTINGS, 120)[0].to_pylist()
    assert {row["class"] for row in rows if row["low"] is not None} == {None, "a", "b"}


def test_each_generator_is_as_it_is_alone():
    systems = mock_systems(40, 25)
    both = score_table(systems, SETTINGS, 120)[0].to_pylist()
    for name, extracts in systems.items():
        alone = score_table({name: extracts}, SETTINGS, 120)[0].to_pylist()
        assert [row for row in both if row["system"] == name] == alone


@pytest.mark.parametrize(
    ("sizes", "leads"),
    [
        pytest.param((40, 25), [], id="other numbers of samples are not compared"),
        pytest.param((40, 40), [("g0", "g1")], id="two alike"),
        pytest.param((40, 25, 40, 25), [("g0", "g2"), ("g1", "g3")], id="each among those alike"),
    ],
)
def test_generators_of_equally_many_samples_are_compared_by_precision(sizes, leads):
    rows = score_table(mock_systems(*sizes), SETTINGS, 130)[0].to_pylist()
    values = {row["system"]: row["value"] for row in rows if row["metric"] == "precision" and row["ahead_of"] is None}
    got = [row for row in rows if row["ahead_of"] is not None]
    assert [(row["system"], row["ahead_of"]) for row in got] == leads
    for row in got:
        assert (row["metric"], row["class"]) == ("precision", None)
        assert row["value"] == pytest.approx(values[row["system"]] - values[row["ahead_of"]])
        assert row["low"] <= row["value"] <= row["high"]


def test_without_resamples_no_interval():
    rows = score_table(mock_systems(9, 9), SETTINGS)[0].to_pylist()
    assert {row["low"] for row in rows} == {None}


def test_a_generator_may_have_its_probabilities_alone():
    whole = mock_systems(20)
    table, _ = score_table({**whole, "other": Extracts(probabilities=np.eye(4))}, SETTINGS, 10)
    assert [row["metric"] for row in table.to_pylist() if row["system"] == "other"] == ["inception_score"]


def test_what_is_refused_names_the_generator():
    wrong = Extracts(probabilities=np.ones((4, 2)))
    with pytest.raises(BadInput, match=r"^other: probabilities: expected"):
        score_table({**mock_systems(20), "other": wrong}, SETTINGS)


@given(st.integers(0, 1000), st.lists(st.integers(0, 3), min_size=7, max_size=7).filter(lambda times: sum(times) > 3))
def test_a_score_with_times_is_that_of_samples_that_stand_so_many_times(seed, times):
    chance = np.random.default_rng(seed)
    samples, reference = chance.normal(size=(7, 2)), chance.normal(size=(9, 2))
    score = mean_scorer(
        sample_values(
            manifold_units(samples, reference, 2, 3), nearest_training_images(samples, reference, 1)[1], 0.99
        )
    )  # fmt: skip
    repeated = np.repeat(samples, times, axis=0)
    plain, near = manifold_scores(repeated, reference, 2, 3), nearest_training_images(repeated, reference, 1)[1]
    assert score(np.array(times)) == pytest.approx(
        {
            "precision": plain.precision,
            "density": plain.density,
            "copy_share": float((near[:, 0] >= np.float32(0.99)).mean()),
            "nearest_similarity": float(near.astype(float).mean()),
        }
    )


def test_no_sample_that_counts_has_no_mean():
    score = mean_scorer(sample_values(None, np.array([[0.5]], np.float32), 0.5))
    assert score(np.array([1])) == {"copy_share": 1.0, "nearest_similarity": 0.5}
    assert {name: np.isnan(value) for name, value in score(np.array([0])).items()} == {
        "copy_share": True,
        "nearest_similarity": True,
    }


def test_a_copy_is_at_the_threshold_itself():
    similarities = np.array([[0.95, 0.1], [0.9499, 0.9], [1.0, 1.0], [0.2, 0.1]], np.float32)
    assert sample_values(None, similarities, 0.95)["copy_share"].tolist() == [1, 0, 1, 0]
    assert sample_values(None, similarities, 0.0)["copy_share"].tolist() == [1, 1, 1, 1]


def test_nothing_has_no_scores():
    assert mean_scorer(sample_values(None, None, 0.5))(np.array([1, 2])) == {}
