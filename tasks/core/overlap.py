"""Which pictures of two datasets may be one, by their hashes; and how many would seem so by chance alone."""

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from schemas.relations import ViewName
from tasks.core.dedup import candidates, search, views
from tasks.core.dedup.candidates import RadiiBits

Hashes = NDArray[np.uint64]

_SEARCHED_AT_ONCE = 2**22
"""Hashes of views: their neighbours among a million pictures take some 200 MB."""
_SAMPLED = 2**17
_BITS = 64


class Fingerprints(NamedTuple):
    """Hashes of the pictures of a dataset. phash: (N,). views: (N, V) of each name, 0 where a picture has no such view;
    of names that are not there nothing is known.
    """

    phash: Hashes
    views: Mapping[ViewName, Hashes]


class Pairs(NamedTuple):
    """Picture `one` of the one dataset and `other` of the other are `distance_bits` apart; each (P,), sorted by both.

    view: the view (`views.ALL_VIEWS`) of the one picture that is so near the whole of the other, or, where
    `is_of_other`, of the other that is near the whole of the one; 0: both are wholes.
    """

    one: NDArray[np.int64]
    other: NDArray[np.int64]
    view: NDArray[np.int16]
    is_of_other: NDArray[np.bool_]
    distance_bits: NDArray[np.uint8]

    def at(self, places: NDArray[np.int64] | NDArray[np.bool_]) -> "Pairs":
        """Those at these places, in their order, or those for which a mask (P,) is true."""
        one, other, view, is_of_other, distance_bits = self
        return Pairs(one[places], other[places], view[places], is_of_other[places], distance_bits[places])


def recipe_of(names: Sequence[ViewName]) -> str:
    """What the hashes of the views of these names are: their hash, the names, and a digest of all their boxes.

    >>> recipe_of(["inner", "turned"]).partition(" (")[0]
    'waves64/v1: turned, inner'
    """
    ordered = [name for name in views.VIEWS if name in names]
    boxes = [[dataclasses.astuple(view) for view in views.VIEWS[name]] for name in ordered]
    digest = hashlib.sha256(str(boxes).encode()).hexdigest()[:12]
    return f"{views.HASH_VERSION}: {', '.join(ordered)} ({digest})"


def names_of_recipe(recipe: str) -> tuple[ViewName, ...]:
    """The names of the views that `recipe_of` calls so, in the order of their hashes; none for any other text.

    >>> names_of_recipe(recipe_of(["inner", "turned"])), names_of_recipe("waves64/v0: turned (0123)")
    (('turned', 'inner'), ())
    """
    said = {*recipe.partition(": ")[2].partition(" (")[0].split(", ")}
    names = tuple(name for name in views.VIEWS if name in said)
    return names if names and recipe_of(names) == recipe else ()


def views_of(names: Sequence[ViewName], hashes: Hashes) -> dict[ViewName, Hashes]:
    """The columns of (N, V) hashes of all views of these names, by name. Raises ValueError for another number."""
    if hashes.shape[1] != (expected := sum(len(views.VIEWS[name]) for name in names)):
        raise ValueError(f"expected {expected} hashes of views, got {hashes.shape[1]}")
    found, start = {}, 0
    for name in names:
        stop = start + len(views.VIEWS[name])
        found[name], start = hashes[:, start:stop], stop
    return found


def pairs_between(one: Fingerprints, other: Fingerprints, radii_bits: RadiiBits, threads: int = 2) -> Pairs:
    """Pairs that are worth a look, each once, by the nearest of their hashes (`candidates.candidates`).

    Hashes with few bits set, or few unset, take no part, as those of empty sheets are all alike. Nothing in, nothing
    out. Radii: 0 to 16.
    """
    wholes = _distinct(one.phash), _distinct(other.phash)
    near = _near(*wholes, radii_bits.wholes, threads)
    of_views = [
        [
            candidates.ViewHashes(
                hashes,
                np.array(views.view_numbers(name), np.int16),
                _near(_distinct(hashes), of_other_side, radii_bits.views, threads),
            )
            for name, hashes in side.views.items()
        ]
        for side, of_other_side in zip((one, other), wholes[::-1], strict=True)
    ]
    found = candidates.candidates_between(one.phash, other.phash, near, *of_views)
    first = len(one.phash)
    mine, its = np.minimum(found.a, found.b), np.maximum(found.a, found.b) - first
    order = np.lexsort((its, mine))
    pairs = Pairs(mine, its, found.view, found.a >= first, found.distance_bits)
    return pairs.at(order)


def _distinct(hashes: Hashes) -> Hashes:
    found = candidates.distinct(hashes)
    return found[~candidates.is_degenerate(found)]


def _near(left: Hashes, right: Hashes, radius_bits: int, threads: int) -> candidates.NearHashes:
    """Each of the left with those of the right, both distinct, in pieces of the left."""
    values, distances = [np.empty((0, 2), np.uint64)], [np.empty(0, np.uint8)]
    for start in range(0, len(left), _SEARCHED_AT_ONCE):
        piece = left[start : start + _SEARCHED_AT_ONCE]
        pairs, bits = search.near_pairs_between(piece, right, radius_bits, threads)
        values.append(np.stack([piece[pairs[:, 0]], right[pairs[:, 1]]], axis=1))
        distances.append(bits)
    return candidates.NearHashes(np.concatenate(values), np.concatenate(distances))


def expected_by_chance(one: Hashes, other: Hashes, radius_bits: int) -> float:
    """How many pairs of different works would lie within the radius; 0 where either side is empty.

    The distance of two works' hashes is like the number of heads of so many coins that the mean and the variance of
    sampled distances are those of these coins: fewer than 64, since bits of a hash hang together (Daugman, "The
    importance of being random", Pattern Recognition 36 (2003), section 3, does so for irises). An estimate of the tail
    from the middle, low by a factor of two to four on paintings.

    one, other: (N,) and (M,); the same ones in the same order give the same number. Hashes that take no part in the
    search take none here.
    """
    if not len(one) or not len(other):
        return 0.0
    generator = np.random.default_rng(0)
    left, right = (hashes[generator.integers(0, len(hashes), _SAMPLED)] for hashes in (one, other))
    is_clear = ~(candidates.is_degenerate(left) | candidates.is_degenerate(right))
    distances = np.bitwise_count(left ^ right)[is_clear].astype(np.float64)
    distances = distances[distances > max(radius_bits, _BITS // 8)]  # copies are no chance
    if not len(distances) or not (variance := float(distances.var()) / _BITS**2):
        return 0.0
    share = float(distances.mean()) / _BITS
    coins = share * (1 - share) / variance
    most_heads = max(0.0, coins * (radius_bits + 0.5) / _BITS - 0.5)
    is_tail, pairs = most_heads < coins, len(one) * len(other) * float(is_clear.mean())
    return pairs * (float(betainc(coins - most_heads, most_heads + 1, 1 - share)) if is_tail else 1.0)
