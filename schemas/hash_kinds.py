"""Perceptual hashes beside the program's own: those of imagehash, by the words that recipes have for them."""

from collections.abc import Iterable
from typing import Literal, get_args

from schemas.attributes import Attribute

WorkHash = Literal["ahash64", "dhash64", "whash64", "ahash256", "dhash256", "whash256"]
"""Hashes that lie near each other where two pictures show one work, by their bits."""

HashKind = Literal[WorkHash, "colorhash"]
"""The same, and the hash of a picture's colours, 42 bits, which many works share."""

WORK_HASHES: tuple[WorkHash, ...] = get_args(WorkHash)
HASH_KINDS: tuple[HashKind, ...] = get_args(HashKind)

HASH_WORDS: dict[HashKind, int] = {kind: 4 if kind.endswith("256") else 1 for kind in HASH_KINDS}
"""How many words of 64 bits each takes."""

_METHODS = {"a": "average_hash", "d": "dhash", "w": "whash", "c": "colorhash"}


def hash_attributes(kinds: Iterable[HashKind]) -> dict[str, Attribute]:
    """The attributes that the stage `hash` fills: each hash as hexadecimal digits, as imagehash writes it."""
    return {
        kind: Attribute(
            type="string",
            from_={},
            description=f"imagehash.{_METHODS[kind[0]]} of the image's thumbnail, in hexadecimal digits",
        )
        for kind in kinds
    }
