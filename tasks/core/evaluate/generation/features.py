"""What networks have computed of images: features and class probabilities, what is refused of them, and blocks of rows,
so that a file larger than memory will do.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import counted, quoted
from tasks.core.evaluate.table_columns import TOLERANCE

LARGEST = 1e20
"""No feature may lie further from 0: KID's kernel is its sixth power, whose square, for the spread, is then finite."""
BLOCK = 2048
"""Rows that are held as 64-bit numbers at once; sums are taken block by block, in this order."""

Floats = NDArray[np.float64]
Features = NDArray[np.floating]
"""(N, d) one row for each image, of 16, 32 or 64 bits; a memory map will do."""
FeaturePair = tuple[Features, Features]
"""Features of the samples, (M, d), and of the reference, (N, d)."""


class SetArrays(NamedTuple):
    """What there is of one set of images, as in `Extracts`; row i of all of it is one image."""

    features: Features | None = None
    manifold: Features | None = None
    probabilities: Features | None = None
    classes: Sequence[str] | None = None


class Extracts(NamedTuple):
    """What networks have computed of a generator's images; None where there is nothing of the kind, and no score of it.

    distribution: for FID and KID. manifold: for precision, recall, density and coverage. probabilities: (M, C) of the
    samples' classes. similarities: (M, k) of each sample and its nearest training images, the nearest first.
    sample_classes, (M,), and reference_classes, (N,): for scores by class.
    """

    distribution: FeaturePair | None = None
    manifold: FeaturePair | None = None
    probabilities: Features | None = None
    similarities: NDArray[np.float32] | None = None
    sample_classes: Sequence[str] | None = None
    reference_classes: Sequence[str] | None = None


def check_features(name: str, features: Features) -> None:
    """Refuse what is no (N, d) array of finite numbers within LARGEST, or empty. name: the set's. Raises BadInput."""
    check_shape(name, features)
    for start in range(0, len(features), BLOCK):
        block = features[start : start + BLOCK]
        low, high = float(block.min(initial=0)), float(block.max(initial=0))  # NaN where there is one
        if low >= -LARGEST and high <= LARGEST:
            continue
        with np.errstate(invalid="ignore"):
            row, column = np.argwhere(~(np.abs(block.astype(np.float64)) <= LARGEST))[0]
        got = f"{float(block[row, column])} in row {start + int(row)}"
        raise BadInput(f"{name}: expected numbers from {-LARGEST:.0e} to {LARGEST:.0e}, got {got}")


def check_shape(name: str, features: Features) -> None:
    """Refuse what has no rows or no columns of numbers, whatever the numbers are. Raises BadInput."""
    if features.ndim != 2 or features.dtype.kind not in "fiu" or 0 in features.shape:
        got = " x ".join(map(str, features.shape)) or "a single value"
        raise BadInput(f"{name}: expected a table of numbers with rows and columns, got {got} of {features.dtype}")


def check_pair(samples: Features, reference: Features, other: str = "reference") -> None:
    """`check_features` of both sets, which must have as many columns. other: the second one. Raises BadInput."""
    check_features("samples", samples)
    check_features(other, reference)
    if samples.shape[1] != reference.shape[1]:
        got = f"{samples.shape[1]} and {reference.shape[1]} columns"
        raise BadInput(f"expected samples and {other} of one feature extractor, got {got}")


def check_probabilities(name: str, probabilities: Features) -> None:
    """Refuse what is no (N, C) array of rows that are at least 0 and sum to 1 within TOLERANCE. Raises BadInput."""
    check_features(name, probabilities)
    for number, block in enumerate(wide_blocks(probabilities)):
        for row, column in np.argwhere(block < 0)[:1].tolist():
            got = f"{block[row, column]:.6g} in row {number * BLOCK + row}"
            raise BadInput(f"{name}: expected class probabilities of at least 0, got {got}")
        sums = block.sum(axis=1)
        for row in np.flatnonzero(np.abs(sums - 1) > TOLERANCE)[:1].tolist():
            got = f"a sum of {sums[row]:.6g} in row {number * BLOCK + row}"
            raise BadInput(f"{name}: expected class probabilities whose sum is 1 within {TOLERANCE:g}, got {got}")


def check_labels(name: str, labels: Sequence[str], rows: int) -> None:
    """Refuse classes or ids that are no texts, or not one for each row. Raises BadInput."""
    if len(labels) != rows:
        raise BadInput(f"{name}: expected one for each of {counted(rows, 'row')}, got {len(labels):,}")
    for row, label in enumerate(labels):
        if not isinstance(label, str) or not label:
            raise BadInput(f"{name}: expected texts, got {quoted(label)} in row {row}")


def check_ids(name: str, ids: Sequence[str], rows: int) -> None:
    """`check_labels`, where each text may stand once. Raises BadInput."""
    check_labels(name, ids, rows)
    first: dict[str, int] = {}
    for row, one in enumerate(ids):
        if first.setdefault(one, row) != row:
            raise BadInput(f"{name}: expected each id once, got {quoted(one)} again in row {row}")


def common_exponent(*sets: Features) -> int:
    """The least e, so that all numbers of all sets lie between -2^e and 2^e; 0 where all are 0. Divided by 2^e, which
    alters no digit, features of any scale have squares that neither vanish nor overflow.

    >>> common_exponent(np.array([[0.25, -3.0]]), np.array([[1.0]]))
    2
    """
    largest = 0.0
    for features in sets:
        for start in range(0, len(features), BLOCK):
            block = features[start : start + BLOCK]
            largest = max(largest, float(block.max(initial=0)), -float(block.min(initial=0)))
    return int(np.frexp(largest)[1])


def wide_blocks(features: Features, start: int = 0) -> Iterator[Floats]:
    """Blocks of BLOCK rows from row `start` on, in 64 bits."""
    for at in range(start, len(features), BLOCK):
        yield features[at : at + BLOCK].astype(np.float64)


def scaled_blocks(features: Features, exponent: int, start: int = 0) -> Iterator[Floats]:
    """`wide_blocks`, divided by 2^exponent."""
    for block in wide_blocks(features, start):
        yield np.ldexp(block, -exponent)


def extracts_of(samples: SetArrays, reference: SetArrays, similarities: NDArray[np.float32] | None) -> Extracts:
    """The sets beside each other; without `manifold` of both, that is their `features`. Raises BadInput where only one
    of them has `manifold`, and where features of the samples are compared with nothing.
    """
    has_any = samples.features is not None or samples.manifold is not None
    if has_any and (samples.manifold is None) != (reference.manifold is None):
        raise BadInput("expected manifold=FILE of samples and reference or of neither, got that of one")
    if samples.features is not None and reference.features is None and similarities is None:
        raise BadInput("expected features of a reference or of training images beside those of the samples, got none")
    features, manifold = (
        None if ours is None or theirs is None else (ours, theirs)
        for ours, theirs in ((samples.features, reference.features), (samples.manifold, reference.manifold))
    )
    of_samples = samples.probabilities, similarities, samples.classes
    return Extracts(features, manifold or features, *of_samples, reference.classes)


def check_extracts(extracts: Extracts) -> None:
    """Refuse what does not fit together, or is nothing at all. Raises BadInput."""
    pairs = [pair for pair in (extracts.distribution, extracts.manifold) if pair is not None]
    for pair in pairs:
        check_pair(*pair)
    if extracts.probabilities is not None:
        check_probabilities("probabilities", extracts.probabilities)
    tables = (*(pair[0] for pair in pairs), extracts.probabilities, extracts.similarities)
    samples = [len(table) for table in tables if table is not None]
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
    pairs = (extracts.distribution, extracts.manifold)
    distribution, manifold = (pair and (pair[0][ours], pair[1][theirs]) for pair in pairs)
    tables = (extracts.probabilities, extracts.similarities)
    probabilities, similarities = (None if table is None else table[ours] for table in tables)
    return Extracts(distribution, manifold, probabilities, similarities)


@contextmanager
def named(system: str) -> Iterator[None]:
    """What is refused inside says of which generator it is."""
    try:
        yield
    except BadInput as problem:
        raise BadInput(f"{system}: {problem}") from problem


def _check_counts(name: str, counts: Sequence[int], classes: Sequence[str] | None) -> None:
    if len(set(counts)) > 1:
        raise BadInput(f"{name}: expected as many rows in all files, got {' and '.join(map(str, counts))}")
    if classes is not None:
        check_labels(f"classes of the {name}", classes, counts[0] if counts else len(classes))
