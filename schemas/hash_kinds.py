"""Perceptual hashes beside the program's own: those of imagehash, each declared in one place."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, get_args

from schemas.attributes import Attribute

WorkHash = Literal["ahash64", "dhash64", "whash64", "ahash256", "dhash256", "whash256"]
"""Hashes that lie near each other where two pictures show one work."""
WORK_HASHES = ", ".join(get_args(WorkHash))

HashKind = Literal[WorkHash, "colorhash"]
"""The same, and the hash of a picture's colours, which many works share."""


class HashSpec(NamedTuple):
    """One hash: imagehash's function and its arguments, and how many bits it has."""

    method: str
    settings: Mapping[str, int]
    bits: int
    radius_bits: int | None
    """Up to how many bits apart two pictures are compared closely: so near are at most 5 in 100,000 pairs of different
    paintings of People-Art, and 99 in 100 copies of half the size; at most 16 for each word, as far as the search goes;
    None: it finds no pairs."""

    @property
    def words(self) -> int:
        """How many words of 64 bits it takes."""
        return -(-self.bits // 64)


HASHES: Mapping[HashKind, HashSpec] = {
    "ahash64": HashSpec("average_hash", {"hash_size": 8}, 64, 3),
    "dhash64": HashSpec("dhash", {"hash_size": 8}, 64, 12),
    "whash64": HashSpec("whash", {"hash_size": 8}, 64, 3),
    "ahash256": HashSpec("average_hash", {"hash_size": 16}, 256, 24),
    "dhash256": HashSpec("dhash", {"hash_size": 16}, 256, 48),
    "whash256": HashSpec("whash", {"hash_size": 16}, 256, 24),
    "colorhash": HashSpec("colorhash", {"binbits": 3}, 42, None),
}


def hash_attributes(kinds: Iterable[HashKind]) -> dict[str, Attribute]:
    """The attributes that the stage `hash` fills: each hash as hexadecimal digits, as imagehash writes it."""
    found: dict[str, Attribute] = {}
    for kind in kinds:
        settings = "".join(f", {name}={value}" for name, value in HASHES[kind].settings.items())
        call = f"imagehash.{HASHES[kind].method}(the image's thumbnail{settings})"
        found[kind] = Attribute(type="string", from_={}, description=f"{call} in hexadecimal digits")
    return found


def with_hash_attributes(attributes: Mapping[str, Any], asked: Iterable[Any]) -> dict[str, Any]:
    """A recipe's attributes with those of the hashes asked for, without others that an earlier form was filled with."""
    own = {name: value for name, value in attributes.items() if name not in HASHES or not _is_filled(value)}
    return {**own, **hash_attributes(kind for kind in HASHES if kind in asked and kind not in own)}


def _is_filled(attribute: Any) -> bool:
    return attribute.from_ == {} if isinstance(attribute, Attribute) else dict(attribute or {}).get("from") == {}
