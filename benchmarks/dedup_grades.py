"""What a release says of copies, beside the truth: recall by transform, wrong drops, and a page of failures."""

import base64
import html
import io
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar, get_args

from benchmarks import dedup_variants
from benchmarks.dedup_works import Work
from schemas.relations import DropRelation

MOST_SHOWN = 100
"""Pairs of either kind on a page."""
_COPIES = ("exact_duplicate", "near_duplicate")
_BEFORE = ("scrape", "fetch", "hash")
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Grade:
    """rows: a line for each transform. wrong: edges that join two originals. missed: copies that lie in another
    cluster.
    """

    rows: list[dict[str, Any]]
    ratios: dict[str, float]
    wrong: list[dict[str, Any]]
    missed: list[Work]


def clusters(ledger: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Key of each work that dedup has seen: the key of the one that stayed for it, its own where it stayed itself."""
    return {
        key_of(row["record_id"]): key_of(row["kept_record_id"] if row["reason"] in _COPIES else row["record_id"])
        for row in ledger
        if row["stage"] not in _BEFORE
    }


def graded(truth: Sequence[Work], ledger: Sequence[dict[str, Any]], edges: Sequence[dict[str, Any]]) -> Grade:
    """Grade a release's rows of `ledger` and `relations`. A copy counts only if it and its original reached dedup."""
    cluster, original_of = clusters(ledger), {work.key: work.original for work in truth}
    drops = [key for key, stays in cluster.items() if stays != key]
    right = sum(original_of[key] == original_of[cluster[key]] for key in drops)
    named = {frozenset((key_of(edge["a"]), key_of(edge["b"]))): edge["relation"] for edge in edges}
    kinds: dict[tuple[str, str], list[Work]] = {}
    for work in truth:
        if work.key != work.original and work.key in cluster and work.original in cluster:
            kinds.setdefault((work.relation, work.transform), []).append(work)
    missed = [work for works in kinds.values() for work in works if cluster[work.key] != cluster[work.original]]
    rows = [_row(transform, relation, works, set(missed), named) for (relation, transform), works in kinds.items()]
    wrong = [edge for edge in edges if edge["is_joined"] and is_apart(edge, original_of)]
    ratios = {
        "precision": share_of(right, len(drops)),
        "drops": len(drops),
        "wrong_drops": len(drops) - right,
        "wrong_merges": len(wrong),
        "not_reached": len(truth) - len(cluster),
        **_recalls(rows),
    }
    return Grade(rows, ratios, sorted(wrong, key=lambda edge: (-(edge["score"] or 0), edge["a"], edge["b"])), missed)


def _row(
    transform: str, relation: str, works: Sequence[Work], missed: set[Work], named: dict[frozenset[str], str]
) -> dict[str, Any]:
    """found: in the original's cluster. directly: by a relation of copies with the original itself, without a third
    image.
    """
    said = [named.get(frozenset((work.key, work.original))) for work in works]
    found = len(works) - len(missed.intersection(works))
    directly = sum(word in get_args(DropRelation) for word in said)
    return {
        "transform": transform,
        "relation": relation,
        "copies": len(works),
        "found": found,
        "recall": share_of(found, len(works)),
        "directly": directly,
        "recall directly": share_of(directly, len(works)),
        "called so": said.count(relation),
    }


def _recalls(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Recall of all copies, and of each relation's."""

    def recall(chosen: list[dict[str, Any]]) -> float:
        return share_of(sum(row["found"] for row in chosen), sum(row["copies"] for row in chosen))

    relations = dict.fromkeys(row["relation"] for row in rows)
    each = {f"recall_{word}": recall([row for row in rows if row["relation"] == word]) for word in relations}
    return {"recall": recall(list(rows)), **each}


def share_of(part: int, whole: int) -> float:
    """1.0 where there was nothing to get wrong; rounded down, so that 1.0 means all."""
    return int(100_000 * part / whole) / 100_000 if whole else 1.0


def is_apart(edge: dict[str, Any], original_of: dict[str, str]) -> bool:
    return original_of[key_of(edge["a"])] != original_of[key_of(edge["b"])]


def key_of(record_id: str) -> str:
    return record_id.partition(":")[2]


def in_turn(items: Iterable[_Item], kind_of: Callable[[_Item], Hashable]) -> list[_Item]:
    """The first of every kind, then the second of every kind, and so on: so that few show all kinds.

    >>> in_turn(["a1", "a2", "b1"], lambda item: item[0])
    ['a1', 'b1', 'a2']
    """
    kinds: dict[Hashable, list[_Item]] = {}
    for item in items:
        kinds.setdefault(kind_of(item), []).append(item)
    rounds = zip_longest(*kinds.values())
    return [item for one_round in rounds for item in one_round if item is not None]


# --- the page


def page_of(grade: Grade, truth: Sequence[Work], works: Path) -> str:
    """Wrong merges, then missed copies, each as a pair of pictures side by side; the first MOST_SHOWN of either."""
    work_of = {work.key: work for work in truth}
    wrong = [
        _pair(
            works, work_of[key_of(edge["a"])], work_of[key_of(edge["b"])], f"{edge['relation']}, score {edge['score']}"
        )
        for edge in grade.wrong[:MOST_SHOWN]
    ]
    missed = [_pair(works, work, work_of[work.original], work.relation) for work in grade.missed[:MOST_SHOWN]]
    return "\n".join(
        [
            "<!doctype html><meta charset=utf-8><title>Copies: what went wrong</title>",
            "<style>body{font:15px sans-serif;margin:2em}figure{display:inline-block;margin:0 2em 2em "
            "0}img{height:160px}</style>",
            f"<h1>{len(grade.wrong)} pairs of two originals were merged</h1>",
            *wrong,
            f"<h1>{len(grade.missed)} copies were not found</h1>",
            *missed,
            "",
        ]
    )


def _pair(works: Path, one: Work, other: Work, words: str) -> str:
    said = html.escape(f"{one.key} and {other.key}: {words}")
    return f"<figure>{_shown(works / one.image)} {_shown(works / other.image)}<figcaption>{said}</figcaption></figure>"


def _shown(path: Path) -> str:
    picture = dedup_variants.opened(path.read_bytes())
    picture.thumbnail((240, 240))
    file = io.BytesIO()
    picture.save(file, "JPEG")
    return f'<img alt="" src="data:image/jpeg;base64,{base64.b64encode(file.getvalue()).decode()}">'
