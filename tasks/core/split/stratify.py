"""Placing what is more than one image: weighted iterative stratification."""

# mypy: disable-error-code="operator"
import heapq

import numpy as np
from numpy.typing import NDArray

from tasks.core.jit import compiled

_Ints = NDArray[np.int64]


def place_units(
    unit: _Ints,
    label: _Ints,
    images: _Ints,
    size: _Ints,
    order: _Ints,
    wanted: NDArray[np.float64],
    whole: NDArray[np.float64],
) -> _Ints:
    """(U,) a split for each unit, 0..S-1: each label's images and all images come near to what each split is to get.

    unit, label, images: (M,) that unit u has so many images of label l; each (u, l) once. size: (U,) images of each
    unit. order: (U,) the units by rank in a draw, which decides between equals. wanted: (L, S) of each label's images
    how many each split is to get, >= 0; whole: (S,) the same of all images.

    The label of which fewest images are left comes first, its largest units first; each goes to the split that lacks
    most of that label (weighted iterative stratification, after Sechidis, Tsoumakas & Vlahavas, 2011, "On the
    stratification of multi-label data"). Splits that lack as much to within half an image are equal, and of these the
    one counts that lacks most in all: else every label of a single image would go to the largest split. A split has no
    room for a unit of which it lacks less than half in all: else every label of a single unit would go there.
    """
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    by_label = np.lexsort((rank[unit], -size[unit], label))
    by_unit = np.lexsort((label, unit))
    first_unit = np.searchsorted(label[by_label], np.arange(len(wanted) + 1))
    first_label = np.searchsorted(unit[by_unit], np.arange(len(size) + 1))
    left, found = np.bincount(label, images, len(wanted)).astype(np.float64), np.full(len(size), -1)
    labels, counts = label[by_unit], images[by_unit]
    _place(unit[by_label], first_unit, labels, counts, first_label, size, left, wanted, whole, found)
    return found


@compiled
def _neediest(lacking: NDArray[np.float64], total: NDArray[np.float64], size: int) -> int:
    """The split that lacks most, of those with room for `size` images; of equals, or without room, most in all."""
    has_room = 2 * total >= size
    if not has_room.any():
        return int(np.argmax(total))
    most, found = lacking[has_room].max(), -1
    for split in range(len(total)):
        if has_room[split] and lacking[split] > most - 0.5 and (found < 0 or total[split] > total[found]):
            found = split
    return found


@compiled
def _place(
    units: _Ints,
    first_unit: _Ints,
    labels: _Ints,
    images: _Ints,
    first_label: _Ints,
    size: _Ints,
    left: NDArray[np.float64],
    wanted: NDArray[np.float64],
    whole: NDArray[np.float64],
    found: _Ints,
) -> None:
    """Fill `found`. units: by label, from first_unit[l] on. labels and images: by unit, from first_label[u] on."""
    lacking, total = wanted.copy(), whole.copy()
    queue = [(left[label], label) for label in range(len(left)) if left[label] > 0]
    heapq.heapify(queue)
    while queue:
        images_left, rarest = heapq.heappop(queue)
        if images_left != left[rarest]:  # it has fewer by now, and stands in the queue once more for it
            continue
        for place in range(first_unit[rarest], first_unit[rarest + 1]):
            unit = units[place]
            if found[unit] < 0:
                best = _neediest(lacking[rarest], total, size[unit])
                found[unit] = best
                total[best] -= size[unit]
                for at in range(first_label[unit], first_label[unit + 1]):
                    lacking[labels[at], best] -= images[at]
                    left[labels[at]] -= images[at]
                    if labels[at] != rarest and left[labels[at]] > 0:
                        heapq.heappush(queue, (left[labels[at]], labels[at]))
