"""All scores of several generators in a table: of all images, and of those of each class against the same class.

Means over samples have groups and intervals: precision, density, the share of copies and the similarity of the nearest
training image, as long as the reference stays as it is. All other scores belong to whole sets. FID, KID, recall and
coverage change their meaning when a sample stands twice: it is its own neighbour then, and adds pairs and no spread.
The parts of the Inception score have a deviation of their own.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.evaluate_images import GENERATION_SCORES, GenerationSettings
from schemas.phrases import counted
from tasks.core.evaluate.generation import features, set_scores
from tasks.core.evaluate.generation.features import Extracts, Floats, named
from tasks.core.evaluate.generation.manifold import ManifoldScores, ManifoldUnits, manifold_units, unit_means
from tasks.core.evaluate.systems import Ranking, Scorer, score_systems

SIMILARITY_SCORES = ("copy_share", "nearest_similarity")
RANKING = Ranking("precision")
"""Of all scores that are means over samples, the one by which generators are compared."""

_ALONE = {"inception_score", *SIMILARITY_SCORES}


class GeneratorScore(NamedTuple):
    """One number of a generator. value: None where it is not defined. sd: over subsets or parts, if there are any."""

    metric: str
    value: float | None = None
    sd: float | None = None


class _Measured(NamedTuple):
    """What was measured of a generator, or of one class of it. values: by each score that is a mean over samples, what
    each of them contributes, (M,). samples, reference: how many images.
    """

    scores: tuple[GeneratorScore, ...]
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
            features.check_extracts(extracts)
    measured: dict[tuple[str, str | None], _Measured] = {}
    notes: list[str] = []
    for name, extracts in systems.items():
        with named(name):
            whole = measured[name, None] = _measure(extracts, settings)
        groups = {
            group: _measure(features.of_class(extracts, group), settings, may_lack=True)
            for group in features.class_names(extracts)
        }
        measured |= {(name, group): one for group, one in groups.items()}
        lacking = _null_scores(whole, groups.values())
        notes += [f"{name}: {note}" for note in _notes(extracts, lacking, settings)]
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
    """The means of values, (M,) each, of which each counts so many times.

    >>> mean_scorer({"precision": np.array([1.0, 0.0])})(np.array([3, 1]))
    {'precision': 0.75}
    """

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        total = int(times.sum())
        return {name: float(times @ one) / total if total else float("nan") for name, one in values.items()}

    return score


def _measure(extracts: Extracts, settings: GenerationSettings, may_lack: bool = False) -> _Measured:
    """Scores in one order. may_lack: a score for which there are too few images is None, not refused."""
    scores: list[GeneratorScore] = []
    if extracts.distribution is not None:
        samples, reference = pair = extracts.distribution
        least = min(map(len, pair))
        has_none = samples.shape[1] > set_scores.MOST_COLUMNS or (may_lack and least < 2)
        scores.append(GeneratorScore("fid", None if has_none else set_scores.feature_distance(*pair)))
        subsets = settings.kid_subsets, settings.kid_subset_size, settings.seed
        scores.append(
            GeneratorScore(
                "kid", *(() if least < settings.kid_subset_size else set_scores.kernel_distance(*pair, *subsets))
            )
        )
    if (table := extracts.probabilities) is not None:
        has_none = may_lack and len(table) < settings.parts
        seed = settings.seed if settings.shuffle else None
        scores.append(
            GeneratorScore(
                "inception_score", *(() if has_none else set_scores.inception_score(table, settings.parts, seed))
            )
        )
    units = None
    if extracts.manifold is not None:
        samples, reference = extracts.manifold
        sizes = settings.neighbours, settings.density_neighbours
        if not (may_lack and (len(samples) <= sizes[0] or len(reference) <= max(sizes))):
            units = manifold_units(samples, reference, *sizes)
        means = {} if units is None else unit_means(units)._asdict()
        scores += [GeneratorScore(metric, means.get(metric)) for metric in ManifoldScores._fields]
    count, others = features.set_sizes(extracts)
    values = sample_values(units, extracts.similarities if count else None, settings.copy_similarity)
    if extracts.similarities is not None:
        scores += [
            GeneratorScore(metric, float(values[metric].mean()) if metric in values else None)
            for metric in SIMILARITY_SCORES
        ]
    return _Measured(tuple(scores), values, count, others)


def _resampled(measured: _All, replicates: int, seed: int) -> Iterator[dict[str, Any]]:
    """Rows of SYSTEM_SCORES with their class: of those generators together that have equally many samples."""
    alike: dict[tuple[str | None, int, tuple[str, ...]], dict[str, Scorer]] = {}
    for (name, group), one in measured.items():
        if one.values:
            alike.setdefault((group, one.samples, tuple(one.values)), {})[name] = mean_scorer(one.values)
    for (group, samples, metrics), scorers in alike.items():
        ranking = RANKING._replace(has_leads=group is None and RANKING.metric in metrics)
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
            own = {"system": name, "class": group, **score._asdict()}
            yield {**own, **ends.get((name, group, score.metric), {}), **_counts(score.metric, one)}
    for row in resampled:
        if row["ahead_of"] is not None:
            yield {**row, **_counts(row["metric"], measured[row["system"], None])}


def _counts(metric: str, one: _Measured) -> dict[str, int | None]:
    return {"samples": one.samples, "reference": None if metric in _ALONE else one.reference}


def _null_scores(whole: _Measured, groups: Iterable[_Measured]) -> list[list[str]]:
    """The scores that are not defined, of each class that lacks some; without those that all images lack."""
    absent = {score.metric for score in whole.scores if score.value is None}
    lacking = ([score.metric for score in one.scores if score.value is None] for one in groups)
    return [own for names in lacking if (own := [metric for metric in names if metric not in absent])]


def _notes(extracts: Extracts, lacking: Sequence[Sequence[str]], settings: GenerationSettings) -> Iterator[str]:
    """On FID of few images, where the smallest set counts, overall or of a class; and on what is null (`lacking`)."""
    if extracts.distribution is not None:
        samples, reference = extracts.distribution
        sizes = [len(samples), len(reference)]
        if extracts.sample_classes is not None and extracts.reference_classes is not None:
            sizes += [*Counter(extracts.sample_classes).values(), *Counter(extracts.reference_classes).values()]
        if note := set_scores.distance_note(min(sizes), samples.shape[1]):
            yield note
        if (least := min(sizes[:2])) < settings.kid_subset_size:
            few = f"a set has {counted(least, 'image')}, a subset has {settings.kid_subset_size:,}"
            yield f"no KID: {few}; --set kid_subset_size={least} or less has it"
    if lacking:
        blank = dict.fromkeys(metric for names in lacking for metric in names)
        few = f"{counted(len(lacking), 'class', 'classes')} with too few images for {', '.join(blank)}"
        setting = f"; for kid, --set kid_subset_size=... names a smaller subset than {settings.kid_subset_size:,}"
        yield f"{few}, which are blank{setting if 'kid' in blank else ''}"
