"""How two images can be related, and the views whose hashes find pairs that are worth a comparison."""

from typing import Literal, get_args

from schemas.hash_kinds import WorkHash
from schemas.phrases import Word


class Relation(Word):
    """How image b is related to image a; found by comparing both, or by a person."""

    SAME_FILE = "same_file", "The bytes are equal."
    REENCODED = "reencoded", "The same picture in the same size, saved again."
    RESIZED = "resized", "The same picture in another size."
    RECOLOURED = (
        "recoloured",
        "The same picture in other tones or colours: another scan, another print of the photograph.",
    )
    CROPPED = "cropped", "One shows most of the other: trimmed, or with a border or frame around it."
    MIRRORED = "mirrored", "One is the other's mirror image."
    TURNED = "turned", "One is the other turned by one, two or three right angles."
    DETAIL = (
        "detail",
        "One shows a part of the other: less than half of it, or one of several pictures on a sheet; or each shows "
        "something that the other does not, as two parts of one wall do.",
    )
    UNCERTAIN = (
        "uncertain",
        "Much of one is found in the other, but not enough to call them one picture: another impression, a "
        "replica, or copies too small to tell.",
    )
    LOOK_ALIKE = "look_alike", "Two pictures with a similar composition, usually works of one series."
    DIFFERENT = "different", "Two pictures."


MEANING = {word: word.meaning for word in Relation}
"""One sentence for people for each relation."""

APART: frozenset[Relation] = frozenset({Relation.LOOK_ALIKE, Relation.DIFFERENT})
"""Relations of two different works: doubts, which are weighed against the ties of copies."""

COPIES: frozenset[Relation] = frozenset(set(Relation) - APART - {Relation.UNCERTAIN})
"""Relations that show the work, or a part of it, whether or not the recipe drops copies of that kind."""

DropRelation = Literal["same_file", "reencoded", "resized", "recoloured", "cropped", "mirrored", "turned"]
"""Relations of copies: what a recipe may drop."""

BindRelation = Literal[DropRelation, "detail", "uncertain", "look_alike"]
"""Relations that may keep two works in one split."""

ViewName = Literal["phash", "mirrored", "turned", "crops", "tilted", "inner"]
"""Whose hashes find pairs: the whole (phash), mirrored, turned, cropped, slightly tilted, without margins (inner)."""

PairFinder = Literal[ViewName, WorkHash, "local"]
"""What may find pairs: views by their hashes, imagehash's hashes, and keypoints (local)."""

VIEW_NAMES: tuple[ViewName, ...] = get_args(ViewName)

VERDICTS = ("copy", "related", "different")
"""People's verdicts on a pair. copy: one work, of which one record is kept; related: two pictures, in one split;
different: two works. Where a pair of files has several verdicts, the last of these counts: it drops least."""
