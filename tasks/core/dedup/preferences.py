"""Which copy stays: the one order of copies (docs/decisions/005), and what a recipe's `prefer` adds to it.

Nothing else in the program decides this: others ask `preference_order` or `preference_keys`, or read the ledger.
"""

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.preferences import Preference
from schemas.split import HELD_OUT, SPLITS
from tasks.core import where
from tasks.core.columns import bools

_WILD = {"**": "(?:[^/]+/)*", "*": "[^/]*", "?": "[^/]"}
_PIECES = re.compile(r"\*\*|\*|\?|[^*?]+")


def preference_order(view: pa.Table) -> NDArray[np.int64]:
    """(N,) row indices, the copy that should stay first: `is_second_choice` last, then by `preference_keys`."""
    return np.lexsort((*preference_keys(view)[::-1], bools(view["is_second_choice"])))


def preference_keys(rows: pa.Table) -> NDArray[np.int64]:
    """(7, N) the order of copies, its first rule first; in each rule the smaller number is preferred.

    The rules: preferred by the recipe (`preference`, the larger, the more), open rights (public domain, then Creative
    Commons or rightsstatements.org, then NOASSERTION), annotated by people, more pixels, more bytes (less compressed),
    more fields that say something (`metadata`), smaller record_id. Null counts as nothing.
    """
    uris = rows["rights_uri"].cast(pa.string())
    is_open, is_stated = bools(pc.match_substring(uris, "/publicdomain/")), bools(pc.starts_with(uris, "http"))
    return np.stack(
        [
            -_numbers(rows["preference"]),
            np.where(is_open, 0, np.where(is_stated, 1, 2)),
            1 - _numbers(rows["is_annotated"]),
            -_numbers(rows["width_px"]) * _numbers(rows["height_px"]),
            -_numbers(rows["bytes"]),
            -_numbers(rows["metadata"]),
            _numbers(pc.rank(rows["record_id"], tiebreaker="first")),
        ]
    )


def is_second_choice(
    group_id: pa.ChunkedArray, published: pa.ChunkedArray, role: pa.ChunkedArray, keep: pa.ChunkedArray | None = None
) -> NDArray[np.bool_]:
    """(N,) which records of a group may be kept only where none of their copies can be.

    Records that were published in a split of lower rank (train < val < test < ood) than another one of their group:
    `split` will drop them, and no copy would be left. Those that their source has in another split (keep) than the one
    in which the group was published, or else the highest in which any source has it. What is not held out in a group
    of which something is. Queries in a group with a gallery's image.
    """
    rank, group = _ranks(published), np.asarray(group_id.combine_chunks().dictionary_encode().indices, np.int64)
    kept = np.full(len(group), -1) if keep is None else _ranks(keep)
    of_group = _highest(group, rank)
    of_group = np.where(of_group >= 0, of_group, _highest(group, kept))
    is_elsewhere = ((rank >= 0) & (rank != of_group)) | ((kept >= 0) & (kept != of_group))
    is_held_out = kept == SPLITS.index(HELD_OUT)
    # also where it was published as a copy of what is held out
    is_elsewhere |= (of_group == SPLITS.index(HELD_OUT)) & ~is_held_out & (_highest(group, 1 * is_held_out) > 0)
    has_gallery_image = np.zeros(len(group), np.bool_)
    has_gallery_image[group[bools(pc.equal(role, "gallery"))]] = True
    return np.asarray(is_elsewhere | (bools(pc.equal(role, "query")) & has_gallery_image[group]))


def _ranks(split: pa.ChunkedArray) -> NDArray[np.int64]:
    return np.asarray(pc.fill_null(pc.index_in(split, value_set=pa.array(SPLITS)), -1), np.int64)


def _highest(group: NDArray[np.int64], rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """(N,) the highest rank in each row's group."""
    highest = np.full(len(group), -1)
    np.maximum.at(highest, group, rank)
    return highest[group]


def columns_needed(rules: Sequence[Preference]) -> list[str]:
    """The columns of RECORDS, and attributes, that the rules ask, each once."""
    asked = (rule.plain for rule in rules)
    return list(dict.fromkeys(one.known or ("locator" if one.source is None else "source") for one in asked))


def meets_all(records: pa.Table, rules: Sequence[Preference]) -> NDArray[np.bool_]:
    """(R, N) which records meet each rule. records: the columns that `columns_needed` names."""
    return np.array([meets(records, rule) for rule in rules], np.bool_)


def preferences(met: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(N,) how much a record is preferred by (R, N) `meets_all`; an earlier rule outranks all later ones together."""
    found = np.zeros(met.shape[1], np.int64)
    for of_rule in met:
        found = 2 * found + of_rule
    return found


def meets(records: pa.Table, rule: Preference) -> NDArray[np.bool_]:
    """(N,) which records meet a rule; of `not`, which do not meet the one in it."""
    asked = rule.plain
    if asked.known is not None:
        is_met = where.is_known(records[asked.known])
    elif asked.source is not None:
        is_met = bools(pc.equal(records["source"], asked.source))
    else:
        paths, below = pc.utf8_normalize(records["locator"], form="NFC"), folder_regex(str(asked.folder))
        is_address = pc.match_substring_regex(records["locator"], "^https?://", ignore_case=True)
        is_met = bools(pc.and_not(pc.match_substring_regex(paths, below, ignore_case=True), is_address))
    return ~is_met if rule.none_of else is_met


def unmet_notes(label: str, met: NDArray[np.bool_], rules: Sequence[Preference]) -> list[str]:
    """A sentence for each rule that no record meets (of `not`: all meet the one in it). met: (R, N) `meets_all`."""
    notes = []
    for rule, of in zip(rules, met, strict=True):
        if len(of) and (of == (rule.none_of is not None)).all():
            words = ", ".join(f"{name}: {value}" for name, value in rule.plain.model_dump().items())
            notes.append(f"{label}: no record meets `{words}` of `prefer`, so that it prefers nothing")
    return notes


def folder_regex(pattern: str) -> str:
    """The regular expression (RE2) of paths that lie below the folders of a pattern.

    >>> folder_regex("Kopien"), folder_regex("**/scans*")
    ('^Kopien/', '^(?:[^/]+/)*scans[^/]*/')
    """
    regex = "^"
    for folder in unicodedata.normalize("NFC", pattern).split("/"):
        if folder == "**":
            regex += _WILD[folder]
        else:  # ** beside letters is a *: it stands for no folders of its own
            pieces = (piece.replace("**", "*") for piece in _PIECES.findall(folder))
            regex += "".join(_WILD.get(piece) or re.escape(piece) for piece in pieces) + "/"
    return regex


def _numbers(column: pa.ChunkedArray | pa.Array) -> NDArray[np.int64]:
    return np.asarray(pc.fill_null(column.cast(pa.int64()), 0), np.int64)
