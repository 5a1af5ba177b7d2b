"""Chance that depends on nothing but a seed and a name: the same draw in any order, on any machine, in any year."""

import hashlib
import math


def ticket(seed: int, purpose: str, name: str) -> int:
    """A number in [0, 2**64) drawn for `name`: the first eight bytes of a SHA-256, most significant first.

    >>> ticket(7, "split", "wikiart:1") == ticket(7, "split", "wikiart:1") != ticket(8, "split", "wikiart:1")
    True
    """
    return int.from_bytes(hashlib.sha256(f"{seed}\t{purpose}\t{name}".encode()).digest()[:8], "big")


def weighted_key(drawn: int, weight: float) -> float:
    """Sorting by this key, smallest first, draws without replacement with odds in proportion to the weights.

    `drawn` is a ticket; weight > 0. The key is an exponential waiting time of rate `weight`: the order statistics of
    such times are successive weighted draws (Efraimidis & Spirakis, 2006, "Weighted random sampling with a reservoir").

    >>> weighted_key(2**63, 2.0) == weighted_key(2**63, 1.0) / 2
    True
    """
    uniform = (drawn + 0.5) / 2**64
    return -math.log(uniform) / weight
