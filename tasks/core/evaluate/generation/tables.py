"""All scores of several generators in a table: of all images, and of those of each class against the same class.

Means over samples, where each sample counts as often as one likes, have groups and intervals: precision, density, the
share of copies and the similarity of the nearest training image, as long as the reference stays as it is. All other
scores of a generator belong to whole sets. FID, KID, recall and coverage change their meaning when a sample stands
twice: it is its own neighbour then, and adds pairs and no spread. The parts of the Inception score have a deviation of
their own.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_images import GENERATION_SCORES, GenerationSettings
from schemas.phrases import counted
from tasks.core.evaluate.generation.features import (
    Extracts,
    Features,
    Floats,
    check_extracts,
    class_names,
    named,
    of_class,
    set_sizes,
)
from tasks.core.evaluate.generation.manifold import ManifoldScores, ManifoldUnits, manifold_units, unit_means
from tasks.core.evaluate.generation.set_scores import (
    MOST_COLUMNS,
    distance_note,
    feature_distance,
    inception_score,
    kernel_distance,
)
from tasks.core.evaluate.systems import Ranking, Scorer, score_systems

SIMILARITY_SCORES = ("copy_share", "nearest_similarity")
RANKING = Ranking("precision")
"""Of all scores that are means over samples, the one by which generators are compared."""

_ALONE = {"inception_score", *SIMILARITY_SCORES}


class Score(NamedTuple):
    """One number of a generator. value: None where it is not defined. sd: over subsets or parts, if there are any."""

    metric: str
    value: float | None = None
    sd: float | None = None


class _Measured(NamedTuple):
    """What was measured of a generator, or of one class of it.

    values: by each score that is a mean over samples, what each of them contributes, (M,). samples, reference: how many
    images.
    """

    scores: tuple[Score, ...]
    values: Mapping[str, Floats]
    samples: int
    reference: int | None


_All = Mapping[tuple[str, str | None], _Measured]
"""By generator and class; None: all classes together."""


def score_table(
    systems: Mapping[str, Extracts], settings: GenerationSettings, replicates: int = 0, seed: int = 0
) -> tuple[pa.Table, tuple[str, ...]]:
    """GENERATION_SCORES and notes on them: of each generator all images, then, where it has classes, each by its name.

    A class is compared with the same class of the reference. A score that is not defined for so few images is null in
    the rows of a class; of all images it is refused, but for KID, which is null, with a note on its setting. FID of
    features with more columns than a covariance is computed of is null, with a note, too.

    Means over samples have intervals of so many resamples of the samples, 0 for none, with the reference as it is. The
    last rows say by how much a generator's precision is ahead of the next one's, among those with equally many samples:
    only they have the same resamples. Raises BadInput (`check_extracts`), with the generator's name.
    """
    for name, extracts in systems.items():
        with named(name):
            check_extracts(extracts)
    measured: dict[tuple[str, str | None], _Measured] = {}
    notes: list[str] = []
    for name, extracts in systems.items():
        with named(name):
            measured[name, None] = _measure(extracts, settings)
        for group in class_names(extracts):
            measured[name, group] = _measure(of_class(extracts, group), settings, may_lack=True)
        notes += [f"{name}: {note}" for note in _notes(name, extracts, measured, settings)]
    rows = [*_rows(measured, [*_resampled(measured, replicates, seed)])]
    return pa.Table.from_pylist(rows, schema=GENERATION_SCORES), tuple(notes)


def sample_values(
    units: ManifoldUnits | None, similarities: NDArray[np.float32] | None, copy_similarity: float
) -> dict[str, Floats]:
    """What each sample contributes to each score, (M,).

    similarities: (M, k) as of `nearest_training_images`; a sample is a copy if its nearest training image is at least
    so similar. What is None has no scores.
    """
    values: dict[str, Floats] = {}
    if units is not None:
        values |= {"precision": units.is_precise.astype(np.float64), "density": units.density}
    if similarities is not None:
        nearest = similarities[:, 0].astype(np.float64)
        is_copy = similarities[:, 0] >= np.float32(copy_similarity)
        values |= {"copy_share": is_copy.astype(np.float64), "nearest_similarity": nearest}
    return values


def mean_scorer(values: Mapping[str, Floats]) -> Scorer:
    """The means of values, (M,) each, of which each counts so many times. Raises BadInput if their lengths differ.

    >>> mean_scorer({"precision": np.array([1.0, 0.0])})(np.array([3, 1]))
    {'precision': 0.75}
    """
    lengths = sorted({len(one) for one in values.values()})
    if len(lengths) > 1:
        raise BadInput(f"expected values of the same samples, got {' and '.join(map(str, lengths))}")

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        total = int(times.sum())
        return {name: float(times @ one) / total if total else float("nan") for name, one in values.items()}

    return score


def _measure(extracts: Extracts, settings: GenerationSettings, may_lack: bool = False) -> _Measured:
    """Scores in one order. may_lack: a score for which there are too few images is None, not refused."""
    scores: list[Score] = []
    units = None
    if extracts.distribution is not None:
        scores += [_fid(*extracts.distribution, may_lack), _kid(*extracts.distribution, settings)]
    if extracts.probabilities is not None:
        scores.append(_inception(extracts.probabilities, settings, may_lack))
    if extracts.manifold is not None:
        units = _units(*extracts.manifold, settings, may_lack)
        means = {} if units is None else unit_means(units)._asdict()
        scores += [Score(metric, means.get(metric)) for metric in ManifoldScores._fields]
    samples, reference = set_sizes(extracts)
    values = sample_values(units, extracts.similarities if samples else None, settings.copy_similarity)
    if extracts.similarities is not None:
        scores += [
            Score(metric, float(values[metric].mean()) if metric in values else None) for metric in SIMILARITY_SCORES
        ]
    return _Measured(tuple(scores), values, samples, reference)


def _fid(samples: Features, reference: Features, may_lack: bool) -> Score:
    is_too_few = may_lack and min(len(samples), len(reference)) < 2
    if is_too_few or samples.shape[1] > MOST_COLUMNS:
        return Score("fid")
    return Score("fid", feature_distance(samples, reference))


def _kid(samples: Features, reference: Features, settings: GenerationSettings) -> Score:
    if min(len(samples), len(reference)) < settings.kid_subset_size:
        return Score("kid")
    return Score(
        "kid",
        *kernel_distance(samples, reference, settings.kid_subsets, settings.kid_subset_size, settings.seed),
    )


def _inception(probabilities: Features, settings: GenerationSettings, may_lack: bool) -> Score:
    if may_lack and len(probabilities) < settings.parts:
        return Score("inception_score")
    seed = settings.seed if settings.shuffle else None
    return Score("inception_score", *inception_score(probabilities, settings.parts, seed))


def _units(
    samples: Features, reference: Features, settings: GenerationSettings, may_lack: bool
) -> ManifoldUnits | None:
    most = max(settings.neighbours, settings.density_neighbours)
    if may_lack and (len(samples) <= settings.neighbours or len(reference) <= most):
        return None
    return manifold_units(samples, reference, settings.neighbours, settings.density_neighbours)


def _resampled(measured: _All, replicates: int, seed: int) -> Iterator[dict[str, Any]]:
    """Rows of SYSTEM_SCORES with their class: of those generators together that have equally many samples."""
    alike: dict[tuple[str | None, int, tuple[str, ...]], dict[str, Mapping[str, Floats]]] = {}
    for (name, group), one in measured.items():
        if one.values:
            alike.setdefault((group, one.samples, tuple(one.values)), {})[name] = one.values
    for (group, samples, metrics), several in alike.items():
        ranking = RANKING._replace(has_leads=group is None and RANKING.metric in metrics)
        scorers = {name: mean_scorer(values) for name, values in several.items()}
        for row in score_systems(scorers, samples, {}, ranking, replicates, seed).to_pylist():
            yield {**row, "class": group}


def _rows(measured: _All, resampled: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    ends = {
        (row["system"], row["class"], row["metric"]): {"low": row["low"], "high": row["high"]}
        for row in resampled
        if row["ahead_of"] is None
    }
    for (name, group), one in measured.items():
        for score in one.scores:
            yield {
                **{"system": name, "class": group, **score._asdict()},
                **ends.get((name, group, score.metric), {}),
                **_counts(score.metric, one),
            }
    for row in resampled:
        if row["ahead_of"] is not None:
            yield {**row, **_counts(row["metric"], measured[row["system"], None])}


def _counts(metric: str, one: _Measured) -> dict[str, int | None]:
    return {"samples": one.samples, "reference": None if metric in _ALONE else one.reference}


def _notes(name: str, extracts: Extracts, measured: _All, settings: GenerationSettings) -> Iterator[str]:
    """On FID of few images, where the smallest set counts, overall or of a class; and on what is null.

    What is null for all images has a note of its own, and is not noted again for each class.
    """
    if extracts.distribution is not None:
        samples, reference = extracts.distribution
        sizes = [len(samples), len(reference)]
        if extracts.sample_classes is not None and extracts.reference_classes is not None:
            sizes += [*Counter(extracts.sample_classes).values(), *Counter(extracts.reference_classes).values()]
        if note := distance_note(min(sizes), samples.shape[1]):
            yield note
        if (least := min(sizes[:2])) < settings.kid_subset_size:
            yield (
                f"no KID: a set has {counted(least, 'image')}, a subset has {settings.kid_subset_size:,}; "
                f"--set kid_subset_size={least} or less has it"
            )
    if lacking := [names for names in _null_scores(name, measured) if names]:
        blank = list(dict.fromkeys(metric for names in lacking for metric in names))
        setting = f"; for kid, --set kid_subset_size=... names a smaller subset than {settings.kid_subset_size:,}"
        yield (
            f"{counted(len(lacking), 'class', 'classes')} with too few images for {', '.join(blank)}, which are blank"
            f"{setting if 'kid' in blank else ''}"
        )


def _null_scores(name: str, measured: _All) -> Iterator[list[str]]:
    """The scores that are not defined, of each class of a generator; without those that it has for no class."""
    absent = {score.metric for score in measured[name, None].scores if score.value is None}
    for (system, group), one in measured.items():
        if system == name and group is not None:
            yield [score.metric for score in one.scores if score.value is None and score.metric not in absent]
