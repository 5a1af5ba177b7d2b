"""Which copies a recipe's author would rather keep (`prefer`), as one number a record."""

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.preferences import PlainPreference, Preference
from tasks.core import where

_WILD = {"**": "(?:[^/]+/)*", "*": "[^/]*", "?": "[^/]"}
_PIECES = re.compile(r"\*\*|\*|\?|[^*?]+")


def columns_needed(rules: Sequence[Preference]) -> list[str]:
    """The columns of RECORDS, and attributes, that the rules ask, each once."""
    return list(dict.fromkeys(_column(rule.plain) for rule in rules))


def meets_all(records: pa.Table, rules: Sequence[Preference]) -> NDArray[np.bool_]:
    """(R, N) which records meet each rule. records: the columns that `columns_needed` names."""
    return np.array([meets(records, rule) for rule in rules], np.bool_)


def preferences(met: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(N,) how much each record is preferred by (R, N) `meets_all`: the larger, the more; all 0 where there is no rule.

    An earlier rule outranks all later ones together.
    """
    found = np.zeros(met.shape[1], np.int64)
    for of_rule in met:
        found = 2 * found + of_rule
    return found


def meets(records: pa.Table, rule: Preference) -> NDArray[np.bool_]:
    """(N,) which records meet a rule; of `not`, which do not meet the one in it."""
    is_met = _meets_plain(records[_column(rule.plain)], rule.plain)
    return ~is_met if rule.none_of else is_met


def unmet_notes(label: str, met: NDArray[np.bool_], rules: Sequence[Preference]) -> list[str]:
    """A sentence for each rule that no record meets: probably it is misspelled. Empty where there are no records.

    met: (R, N) `meets_all`; of `not`, all records meet the one in it that none meets.
    """
    unmet = [
        rule.plain for rule, of in zip(rules, met, strict=True) if len(of) and (of == (rule.none_of is not None)).all()
    ]
    words = [", ".join(f"{name}: {value}" for name, value in rule.model_dump().items()) for rule in unmet]
    return [f"{label}: no record meets `{one}` of `prefer`, so that it prefers nothing" for one in words]


def folder_regex(pattern: str) -> str:
    """The regular expression (RE2) of paths that lie below the folders of a pattern.

    >>> folder_regex("Kopien"), folder_regex("**/scans*")
    ('^Kopien/', '^(?:[^/]+/)*scans[^/]*/')
    """
    folders = unicodedata.normalize("NFC", pattern).split("/")
    return "^" + "".join(_WILD["**"] if folder == "**" else f"{_folder(folder)}/" for folder in folders)


def _folder(pattern: str) -> str:
    # ** beside letters is a *: it stands for no folders of its own
    pieces = (piece.replace("**", "*") for piece in _PIECES.findall(pattern))
    return "".join(_WILD.get(piece) or re.escape(piece) for piece in pieces)


def _column(rule: PlainPreference) -> str:
    if rule.known is not None:
        return rule.known
    return "source" if rule.source is not None else "locator"


def _meets_plain(column: pa.ChunkedArray, rule: PlainPreference) -> NDArray[np.bool_]:
    if rule.known is not None:
        return where.is_known(column)
    if rule.source is not None:
        return np.asarray(pc.fill_null(pc.equal(column, rule.source), False), np.bool_)
    # an address is no path
    is_path = pc.invert(pc.match_substring_regex(column, "^https?://", ignore_case=True))
    is_below = pc.match_substring_regex(
        pc.utf8_normalize(column, form="NFC"), folder_regex(str(rule.folder)), ignore_case=True
    )
    return np.asarray(pc.fill_null(pc.and_(is_path, is_below), False), np.bool_)
