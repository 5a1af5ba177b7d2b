"""Where all chance of the museum comes from: a hash of what is drawn, never of when or where."""

import hashlib

import numpy as np


def generator(seed: int, what: str, number: int) -> np.random.Generator:
    """The random generator of one thing: the same for the same three values, in any process and order."""
    digest = hashlib.sha256(f"{seed}\t{what}\t{number}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))
