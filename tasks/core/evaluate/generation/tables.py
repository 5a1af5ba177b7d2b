"""All scores of one generator in a table: of all images, and of those of each class against the same class."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from schemas.errors import BadInput
from schemas.evaluate_generation import GENERATION_SCORES, GenerationSettings
from schemas.phrases import counted
from tasks.core.evaluate.generation.features import Features, check_labels, check_pair
from tasks.core.evaluate.generation.frechet import feature_distance, small_set_note
from tasks.core.evaluate.generation.inception_score import check_probabilities, inception_score
from tasks.core.evaluate.generation.kernel import kernel_distance
from tasks.core.evaluate.generation.manifold import ManifoldScores, manifold_scores

Pair = tuple[Features, Features]
"""Features of the samples, (M, d), and of the reference, (N, d)."""


class Extracts(NamedTuple):
    """What networks have computed of the images; None where there is nothing of the kind, and no score from it.

    distribution: for FID and KID. manifold: for precision, recall, density and coverage. probabilities: (M, C) of the
    samples' classes. sample_classes, (M,), and reference_classes, (N,): for scores by class. Row i of all that is of
    the samples is one sample, row i of all that is of the reference one of its images.
    """

    distribution: Pair | None = None
    manifold: Pair | None = None
    probabilities: Features | None = None
    sample_classes: Sequence[str] | None = None
    reference_classes: Sequence[str] | None = None


class Score(NamedTuple):
    """One number of a generator. value: None where it is not defined. sd: over subsets or parts, if there are any."""

    metric: str
    value: float | None = None
    sd: float | None = None


def check_extracts(extracts: Extracts) -> None:
    """Refuse what does not fit together, or is nothing at all. Raises BadInput."""
    pairs = [pair for pair in (extracts.distribution, extracts.manifold) if pair is not None]
    for pair in pairs:
        check_pair(*pair)
    if extracts.probabilities is not None:
        check_probabilities("probabilities", extracts.probabilities)
    samples = [len(table) for table in (*(pair[0] for pair in pairs), extracts.probabilities) if table is not None]
    if not samples:
        raise BadInput("expected features or class probabilities of the samples, got neither")
    _check_counts("samples", samples, extracts.sample_classes)
    _check_counts("reference", [len(pair[1]) for pair in pairs], extracts.reference_classes)
    if pairs and (extracts.sample_classes is None) != (extracts.reference_classes is None):
        raise BadInput("expected classes of samples and reference or of neither, got those of one")


def score_table(extracts: Extracts, settings: GenerationSettings) -> tuple[pa.Table, tuple[str, ...]]:
    """GENERATION_SCORES and notes on them: of all images, then, where classes are given, of each class by its name.

    A class is compared with the same class of the reference. A score that is not defined for so few images is null in
    the rows of a class; of all images it is refused, but for KID, which is null, with a note on its setting. Raises
    BadInput (`check_extracts`).
    """
    check_extracts(extracts)
    rows = [_row(None, extracts, score) for score in _scores(extracts, settings)]
    notes, lacking = _notes(extracts, settings), 0
    for name, part in _by_class(extracts):
        scores = [*_scores(part, settings, may_lack=True)]
        rows += [_row(name, part, score) for score in scores]
        lacking += any(score.value is None for score in scores)
    if lacking:
        notes.append(f"{counted(lacking, 'class', 'classes')} with too few images for some scores, which are null")
    return pa.Table.from_pylist(rows, schema=GENERATION_SCORES), tuple(notes)


def _scores(extracts: Extracts, settings: GenerationSettings, may_lack: bool = False) -> Iterator[Score]:
    """In one order. may_lack: a score for which there are too few images is None, not refused."""
    if extracts.distribution is not None:
        yield _fid(*extracts.distribution, may_lack)
        yield _kid(*extracts.distribution, settings)
    if extracts.probabilities is not None:
        yield _inception(extracts.probabilities, settings, may_lack)
    if extracts.manifold is not None:
        yield from _manifold(*extracts.manifold, settings, may_lack)


def _fid(samples: Features, reference: Features, may_lack: bool) -> Score:
    if may_lack and min(len(samples), len(reference)) < 2:
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


def _manifold(samples: Features, reference: Features, settings: GenerationSettings, may_lack: bool) -> Iterator[Score]:
    most = max(settings.neighbours, settings.density_neighbours)
    if may_lack and (len(samples) <= settings.neighbours or len(reference) <= most):
        yield from map(Score, ManifoldScores._fields)
        return
    scores = manifold_scores(samples, reference, settings.neighbours, settings.density_neighbours)
    yield from (Score(metric, value) for metric, value in scores._asdict().items())


def _by_class(extracts: Extracts) -> Iterator[tuple[str, Extracts]]:
    """What there is of each class of either set, by name. One class after the other: its rows are copied."""
    if extracts.sample_classes is None:
        return
    of_samples = np.array(extracts.sample_classes, dtype=object)
    of_reference = np.array([] if extracts.reference_classes is None else extracts.reference_classes, dtype=object)
    for name in sorted({*of_samples, *of_reference}):
        ours, theirs = np.flatnonzero(of_samples == name), np.flatnonzero(of_reference == name)
        distribution, manifold = (
            None if pair is None else (pair[0][ours], pair[1][theirs])
            for pair in (extracts.distribution, extracts.manifold)
        )
        probabilities = None if extracts.probabilities is None else extracts.probabilities[ours]
        yield name, Extracts(distribution, manifold, probabilities)


def _row(name: str | None, extracts: Extracts, score: Score) -> dict[str, Any]:
    if score.metric == "inception_score" and extracts.probabilities is not None:
        counts: tuple[int, int | None] = len(extracts.probabilities), None
    else:
        samples, reference = extracts.distribution or extracts.manifold or ((), ())
        counts = len(samples), len(reference)
    return {"class": name, **score._asdict(), "samples": counts[0], "reference": counts[1]}


def _notes(extracts: Extracts, settings: GenerationSettings) -> list[str]:
    """On FID of few images, where the smallest set counts, overall or of a class; and on KID of fewer than a subset."""
    if extracts.distribution is None:
        return []
    samples, reference = extracts.distribution
    sizes = [len(samples), len(reference)]
    if extracts.sample_classes is not None and extracts.reference_classes is not None:
        sizes += [*Counter(extracts.sample_classes).values(), *Counter(extracts.reference_classes).values()]
    notes = [small_set_note(min(sizes), samples.shape[1])]
    if (least := min(sizes[:2])) < settings.kid_subset_size:
        notes.append(
            f"no KID: a set has {counted(least, 'image')}, a subset has {settings.kid_subset_size:,}; "
            f"--set kid_subset_size={least} or less has it"
        )
    return [note for note in notes if note]


def _check_counts(name: str, counts: Sequence[int], classes: Sequence[str] | None) -> None:
    if len(set(counts)) > 1:
        raise BadInput(f"{name}: expected as many rows in all files, got {' and '.join(map(str, counts))}")
    if classes is not None:
        check_labels(f"classes of the {name}", classes, counts[0] if counts else len(classes))
