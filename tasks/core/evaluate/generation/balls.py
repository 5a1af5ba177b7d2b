"""Inner loops of `manifold`: who is nearer than what, decided by exact distances, computed only where it is close.

Approximate squared distances come from a matrix product, as |x|^2 + |y|^2 - 2 x.y, which is off by at most `slack`
times |x|^2 + |y|^2. Where that leaves open on which side of a bound a pair lies, the distance is computed as a sum of
squared differences, which is the same from x to y and from y to x, and 0 of equal rows: so ties are ties.
"""

import numpy as np
from numpy.typing import NDArray

from tasks.core.jit import compiled

Floats = NDArray[np.float64]


@compiled
def squared_distance(one: Floats, other: Floats) -> float:
    """Of two rows of d numbers."""
    total = 0.0
    for place in range(len(one)):
        step = one[place] - other[place]
        total += step * step
    return total


@compiled
def insert_nearest(
    nearest: Floats, rows: Floats, others: Floats, inner: Floats, sizes: Floats, other_sizes: Floats,
    slack: float, is_same: bool,
) -> None:  # fmt: skip
    """Bring `nearest` up to date with other rows: (B, k) the k least squared distances of each row, ascending.

    rows: (B, d), others: (C, d), inner: (B, C) their inner products, sizes, other_sizes: |x|^2 of each. is_same:
    whether both are the same rows, of which none is its own neighbour.
    """
    last = nearest.shape[1] - 1
    for row in range(len(rows)):
        for other in range(len(others)):
            if is_same and row == other:
                continue
            both = sizes[row] + other_sizes[other]
            if both - 2 * inner[row, other] - slack * both >= nearest[row, last]:
                continue
            distance = squared_distance(rows[row], others[other])
            place = last
            while place >= 0 and nearest[row, place] > distance:
                if place < last:
                    nearest[row, place + 1] = nearest[row, place]
                nearest[row, place] = distance
                place -= 1


@compiled
def count_balls(
    counts: NDArray[np.int64],
    is_hit: NDArray[np.bool_],
    is_inside: NDArray[np.bool_],
    samples: Floats,
    reference: Floats,
    inner: Floats,
    sizes: Floats,
    reference_sizes: Floats,
    sample_radii: Floats,
    reference_radii: Floats,
    slack: float,
) -> None:
    """Bring up to date who lies in whose balls, for balls of K sizes round each image of the reference.

    counts: (K, B) how many balls of the reference each sample lies in. is_hit: (K, C) whether each of them holds a
    sample. is_inside: (C,) whether each image of the reference lies in a sample's ball. samples: (B, d), reference:
    (C, d), inner: (B, C) their inner products, sizes, reference_sizes: |x|^2 of each. sample_radii: (B,),
    reference_radii: (K, C), squared; a border belongs to its ball.
    """
    for sample in range(len(samples)):
        for image in range(len(reference)):
            both = sizes[sample] + reference_sizes[image]
            distance = both - 2 * inner[sample, image]
            is_open = abs(distance - sample_radii[sample]) <= slack * both
            for size in range(len(reference_radii)):
                is_open |= abs(distance - reference_radii[size, image]) <= slack * both
            if is_open:
                distance = squared_distance(samples[sample], reference[image])
            if distance <= sample_radii[sample]:
                is_inside[image] = True
            for size in range(len(reference_radii)):
                if distance <= reference_radii[size, image]:
                    counts[size, sample] += 1
                    is_hit[size, image] = True
