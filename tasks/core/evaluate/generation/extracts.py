"""What networks have computed of the images: of each set by itself, and of a generator's samples beside the others."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput
from tasks.core.evaluate.generation.features import Features, check_labels, check_pair
from tasks.core.evaluate.generation.inception_score import check_probabilities

Pair = tuple[Features, Features]
"""Features of the samples, (M, d), and of the reference, (N, d)."""


class SetArrays(NamedTuple):
    """What there is of one set of images; row i of all of it is one image. None: nothing of the kind.

    features: for FID and KID. manifold: for precision, recall, density and coverage. probabilities: (N, C). classes:
    (N,).
    """

    features: Features | None = None
    manifold: Features | None = None
    probabilities: Features | None = None
    classes: Sequence[str] | None = None


class Extracts(NamedTuple):
    """What networks have computed of a generator's images; None where there is nothing of the kind, and no score of it.

    distribution: for FID and KID. manifold: for precision, recall, density and coverage. probabilities: (M, C) of the
    samples' classes. similarities: (M, k) of each sample and its nearest training images, the nearest first.
    sample_classes, (M,), and reference_classes, (N,): for scores by class. Row i of all that is of the samples is one
    sample, row i of all that is of the reference one of its images.
    """

    distribution: Pair | None = None
    manifold: Pair | None = None
    probabilities: Features | None = None
    similarities: NDArray[np.float32] | None = None
    sample_classes: Sequence[str] | None = None
    reference_classes: Sequence[str] | None = None


def extracts_of(samples: SetArrays, reference: SetArrays, similarities: NDArray[np.float32] | None) -> Extracts:
    """The sets beside each other. Without `manifold` of both, that is their `features`.

    Raises BadInput where only one of them has `manifold`, and where features of the samples are compared with nothing.
    """
    has_any = samples.features is not None or samples.manifold is not None
    if has_any and (samples.manifold is None) != (reference.manifold is None):
        raise BadInput("expected manifold=FILE of samples and reference or of neither, got that of one")
    if samples.features is not None and reference.features is None and similarities is None:
        raise BadInput("expected features of a reference or of training images beside those of the samples, got none")
    distribution = _pair(samples.features, reference.features)
    return Extracts(
        distribution,
        _pair(samples.manifold, reference.manifold) or distribution,
        samples.probabilities,
        similarities,
        samples.classes,
        reference.classes,
    )


def check_extracts(extracts: Extracts) -> None:
    """Refuse what does not fit together, or is nothing at all. Raises BadInput."""
    pairs = [pair for pair in (extracts.distribution, extracts.manifold) if pair is not None]
    for pair in pairs:
        check_pair(*pair)
    if extracts.probabilities is not None:
        check_probabilities("probabilities", extracts.probabilities)
    samples = [
        len(table)
        for table in (*(pair[0] for pair in pairs), extracts.probabilities, extracts.similarities)
        if table is not None
    ]
    if not samples:
        raise BadInput("expected features or class probabilities of the samples, got neither")
    _check_counts("samples", samples, extracts.sample_classes)
    _check_counts("reference", [len(pair[1]) for pair in pairs], extracts.reference_classes)
    if pairs and (extracts.sample_classes is None) != (extracts.reference_classes is None):
        raise BadInput("expected classes of samples and reference or of neither, got those of one")


def set_sizes(extracts: Extracts) -> tuple[int, int | None]:
    """How many samples there are, and how many images of the reference; None without a reference."""
    if pair := extracts.distribution or extracts.manifold:
        return len(pair[0]), len(pair[1])
    alone = extracts.similarities if extracts.probabilities is None else extracts.probabilities
    return 0 if alone is None else len(alone), None


def class_names(extracts: Extracts) -> list[str]:
    """The classes of either set, by name; none where the samples have no classes."""
    if extracts.sample_classes is None:
        return []
    return sorted({*extracts.sample_classes, *(extracts.reference_classes or ())})


def of_class(extracts: Extracts, name: str) -> Extracts:
    """What there is of one class of both sets; its rows are copied."""
    ours, theirs = (
        np.flatnonzero(np.array([] if classes is None else classes, dtype=object) == name)
        for classes in (extracts.sample_classes, extracts.reference_classes)
    )
    distribution, manifold = (
        None if pair is None else (pair[0][ours], pair[1][theirs])
        for pair in (extracts.distribution, extracts.manifold)
    )
    probabilities, similarities = (
        None if table is None else table[ours] for table in (extracts.probabilities, extracts.similarities)
    )
    return Extracts(distribution, manifold, probabilities, similarities)


@contextmanager
def named(system: str) -> Iterator[None]:
    """What is refused inside says of which generator it is."""
    try:
        yield
    except BadInput as problem:
        raise BadInput(f"{system}: {problem}") from problem


def _pair(samples: Features | None, reference: Features | None) -> Pair | None:
    return None if samples is None or reference is None else (samples, reference)


def _check_counts(name: str, counts: Sequence[int], classes: Sequence[str] | None) -> None:
    if len(set(counts)) > 1:
        raise BadInput(f"{name}: expected as many rows in all files, got {' and '.join(map(str, counts))}")
    if classes is not None:
        check_labels(f"classes of the {name}", classes, counts[0] if counts else len(classes))
