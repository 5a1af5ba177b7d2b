"""Scores of generators against torch-fidelity 0.4, on synthetic features in 64 bits, and against the formulas of prdc.

torch-fidelity computes in the features' own width: in 32 bits its KID is off by up to 5e-5 of itself on these.
"""

import warnings
from types import ModuleType

import numpy as np
import pytest

from tasks.core.evaluate.generation.manifold import manifold_scores
from tasks.core.evaluate.generation.set_scores import frechet_distance, inception_score, kernel_distance, moments

CLOSE = 1e-6


def imported(name: str) -> ModuleType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that torch_fidelity imports
        return pytest.importorskip(name)


torch = imported("torch")
kid, isc, fid, prc = (imported(f"torch_fidelity.metric_{name}") for name in ("kid", "isc", "fid", "prc"))


def features(seed: int, rows: int, columns: int, shift: float = 0.0, spread: float = 1.0) -> np.ndarray:
    """Not negative, with a few wide directions and many narrow ones, as an Inception network's are."""
    chance = np.random.default_rng(seed)
    mix = np.random.default_rng(99).normal(size=(columns, columns)) * np.exp(-np.arange(columns) / columns * 3)
    return np.abs(spread * chance.normal(size=(rows, columns)) @ mix / np.sqrt(columns) + shift)


PAIRS = [
    pytest.param(features(1, 400, 32), features(2, 300, 32), id="alike"),
    pytest.param(features(3, 300, 32, 0.4), features(4, 400, 32), id="moved"),
    pytest.param(features(5, 350, 64, 0.1, 1.5), features(6, 350, 64), id="wider"),
]


@pytest.mark.parametrize(("samples", "reference"), PAIRS)
def test_fid(samples, reference):
    theirs = fid.fid_statistics_to_metric(
        *(fid.fid_features_to_statistics(torch.from_numpy(table)) for table in (samples, reference)), False
    )
    ours = frechet_distance(moments("samples", samples), moments("reference", reference))
    assert ours == pytest.approx(theirs[fid.KEY_METRIC_FID], rel=CLOSE)


def test_fid_of_fewer_images_than_columns_is_nearer_to_the_truth_than_theirs():
    """The truth by the singular values of A1 A2^T, where the covariances are A^T A: no root of a rounding error."""
    pair = features(1, 60, 256), features(2, 60, 256, 0.1)
    centred = [(table - table.mean(axis=0)) / np.sqrt(len(table) - 1) for table in pair]
    step = pair[0].mean(axis=0) - pair[1].mean(axis=0)
    spread = sum(float((table**2).sum()) for table in centred)
    truth = float(step @ step) + spread - 2 * np.linalg.svd(centred[0] @ centred[1].T, compute_uv=False).sum()
    theirs = fid.fid_statistics_to_metric(
        *(fid.fid_features_to_statistics(torch.from_numpy(table)) for table in pair), False
    )[fid.KEY_METRIC_FID]
    ours = frechet_distance(*(moments("features", table) for table in pair))
    assert ours == pytest.approx(truth, rel=1e-12)
    assert abs(ours - truth) * 1000 < abs(theirs - truth) < 1e-4


@pytest.mark.parametrize(("samples", "reference"), PAIRS)
@pytest.mark.parametrize(("subsets", "size", "seed"), [(20, 100, 2020), (3, 300, 7)])
def test_kid_with_the_same_draws(samples, reference, subsets, size, seed):
    theirs = kid.kid_features_to_metric(
        torch.from_numpy(samples),
        torch.from_numpy(reference),
        kid_subsets=subsets,
        kid_subset_size=size,
        rng_seed=seed,
        verbose=False,
    )
    ours = kernel_distance(samples, reference, subsets, size, seed)
    assert ours.mean == pytest.approx(theirs[kid.KEY_METRIC_KID_MEAN], rel=CLOSE, abs=1e-9)
    assert ours.sd == pytest.approx(theirs[kid.KEY_METRIC_KID_STD], rel=CLOSE, abs=1e-9)


@pytest.mark.parametrize("parts", [1, 10])
@pytest.mark.parametrize("seed", [2020, None])
@pytest.mark.parametrize("width", [0.1, 1.0, 30.0])
def test_the_inception_score_of_the_same_parts(parts, seed, width):
    logits = np.random.default_rng(8).normal(0, width, size=(503, 40))
    theirs = isc.isc_features_to_metric(
        torch.from_numpy(logits), parts, **({"shuffle": False} if seed is None else {"rng_seed": seed})
    )
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    ours = inception_score(weights / weights.sum(axis=1, keepdims=True), parts, seed)
    assert ours.mean == pytest.approx(theirs[isc.KEY_METRIC_ISC_MEAN], rel=CLOSE)
    assert ours.sd == pytest.approx(theirs[isc.KEY_METRIC_ISC_STD], rel=CLOSE, abs=1e-9)


@pytest.mark.parametrize(("samples", "reference"), PAIRS)
@pytest.mark.parametrize("neighbours", [1, 3, 10])
def test_precision_and_recall(samples, reference, neighbours):
    tables = [torch.from_numpy(table) for table in (samples, reference)]
    theirs = prc.calculate_precision_recall_full(*tables, neighborhood=neighbours)
    ours = manifold_scores(samples, reference, neighbours)
    assert (ours.precision, ours.recall) == pytest.approx(theirs, abs=CLOSE)


@pytest.mark.parametrize(("samples", "reference"), PAIRS)
@pytest.mark.parametrize("neighbours", [1, 5])
def test_density_and_coverage_by_the_formulas_of_prdc(samples, reference, neighbours):
    """Of Naeem et al., section 3, with distances written out; no two are equal here, so borders do not matter."""

    def apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.sqrt(((one[:, None] - other[None]) ** 2).sum(axis=2))

    radii = np.sort(apart(reference, reference), axis=1)[:, neighbours]  # the first is the image itself
    across = apart(reference, samples)
    is_inside = across < radii[:, None]
    ours = manifold_scores(samples, reference, neighbours, neighbours)
    assert ours.precision == pytest.approx(is_inside.any(axis=0).mean(), abs=CLOSE)
    assert ours.density == pytest.approx(is_inside.sum(axis=0).mean() / neighbours, abs=CLOSE)
    assert ours.coverage == pytest.approx((across.min(axis=1) < radii).mean(), abs=CLOSE)
