"""How well a release parts copies from other works: paintings under fixed transforms, or a painted museum.

    python -m benchmarks.dedup_quality FOLDER_OF_IMAGES [--seed 1] [--originals 636] [--one-each]
    python -m benchmarks.dedup_quality --museum 20000 --seed N

Every original gets a copy of each transform of `benchmarks/dedup_variants.py`; all go through a build. A drop is right
if what was dropped and what stayed come from one original. What was wrong or missed is shown on a page below build/.
The work folder may be used again: nothing is made twice.
"""

import argparse
import base64
import html
import io
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from benchmarks import dedup_variants
from benchmarks.campaign import table
from benchmarks.dedup_peers import built
from benchmarks.dedup_variants import TRANSFORMS
from benchmarks.dedup_works import FOLDER, Work, painted, paintings_at, written
from benchmarks.results import ROOT, write
from examples.museum import grade as museum
from schemas.relations import DropRelation

KEYS = ("phash", "crops", "mirrored")
DROPS = ("same_file", "reencoded", "resized", "recoloured", "cropped", "mirrored")
ASKED = {
    "precision": 0.999,
    "recall_reencoded": 1.0,
    "recall_resized": 1.0,
    "recall_recoloured": 0.98,
    "recall_cropped": 0.95,
    "recall_mirrored": 0.95,
}
"""The least of each figure; recall of a relation is that of all its transforms together."""
_COPIES = ("exact_duplicate", "near_duplicate")
_BEFORE = ("scrape", "fetch", "hash")
_MOST_SHOWN = 100


@dataclass(frozen=True)
class Grade:
    """rows: a line for each transform. wrong: edges that join two originals. missed: copies that lie in another
    cluster.
    """

    rows: list[dict[str, Any]]
    ratios: dict[str, float]
    wrong: list[dict[str, Any]]
    missed: list[Work]


def main() -> int:
    """Make what is missing, build, grade, write benchmarks/results/<name>.json and the page.

    1 if a figure is too low.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER_OF_IMAGES")
    parser.add_argument("--museum", type=int, metavar="WORKS", help="paint a museum of so many works instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--originals", type=int, help="take the first N images (default: all)")
    parser.add_argument("--one-each", action="store_true", help="one copy of each original alone")
    asked = parser.parse_args()
    if (asked.folder is None) == (asked.museum is None):
        parser.error("expected either a folder of images or --museum")
    if asked.museum:
        name, works = "dedup-quality-museum", FOLDER / f"museum-{asked.museum}-{asked.seed}"
        truth = painted(works, asked.museum, asked.seed)
    else:
        name, works = "dedup-quality", paintings_at(asked.seed, asked.originals)
        if asked.one_each:
            name, works = "dedup-quality-one-each", works.with_name(f"{works.name}-one-each")
        truth = written(asked.folder, works, TRANSFORMS, asked.seed, asked.originals, one_each=asked.one_each)
    build = built(works, FOLDER / f"{works.name}-build", KEYS, DROPS)
    grade = graded(truth, table(build.release, "ledger"), table(build.release, "relations"))
    ratios = {**grade.ratios, "build_s": round(build.seconds, 1), "build_peak_mb": round(build.peak_mb)}
    if asked.museum:
        found = museum.grade(works, build.release)
        series = sum(pair.planted == "series" for pair in found.wrong)
        ratios |= {"museum_precision": found.precision, "museum_recall": found.recall, "series_merged": series}
    page = ROOT / "build" / f"{name}.html"
    page.write_text(page_of(grade, truth, works), encoding="utf-8")
    _named(write(name, grade.rows, ratios), grade, page)
    return 0 if all(ratios.get(figure, 1.0) >= least for figure, least in ASKED.items()) else 1


# --- grades


def clusters(ledger: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Key of each work that dedup has seen: the key of the one that stayed for it, its own where it stayed itself."""
    return {
        _key(row["record_id"]): _key(row["kept_record_id"] if row["reason"] in _COPIES else row["record_id"])
        for row in ledger
        if row["stage"] not in _BEFORE
    }


def graded(truth: Sequence[Work], ledger: Sequence[dict[str, Any]], edges: Sequence[dict[str, Any]]) -> Grade:
    """Grade a release's rows of `ledger` and `relations`. A copy counts only if it and its original reached dedup."""
    cluster, original_of = clusters(ledger), {work.key: work.original for work in truth}
    drops = [key for key, stays in cluster.items() if stays != key]
    right = sum(original_of[key] == original_of[cluster[key]] for key in drops)
    named = {frozenset((_key(edge["a"]), _key(edge["b"]))): edge["relation"] for edge in edges}
    kinds: dict[tuple[str, str], list[Work]] = {}
    for work in truth:
        if work.key != work.original and work.key in cluster and work.original in cluster:
            kinds.setdefault((work.relation, work.transform), []).append(work)
    missed = [work for works in kinds.values() for work in works if cluster[work.key] != cluster[work.original]]
    rows = [_row(transform, relation, works, set(missed), named) for (relation, transform), works in kinds.items()]
    wrong = [edge for edge in edges if edge["is_joined"] and _apart(edge, original_of)]
    ratios = {
        "precision": _share(right, len(drops)),
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
        "recall": _share(found, len(works)),
        "directly": directly,
        "recall directly": _share(directly, len(works)),
        "called so": said.count(relation),
    }


def _recalls(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Recall of all copies, and of each relation's."""

    def recall(chosen: list[dict[str, Any]]) -> float:
        return _share(sum(row["found"] for row in chosen), sum(row["copies"] for row in chosen))

    relations = dict.fromkeys(row["relation"] for row in rows)
    each = {f"recall_{word}": recall([row for row in rows if row["relation"] == word]) for word in relations}
    return {"recall": recall(list(rows)), **each}


def _share(part: int, whole: int) -> float:
    """1.0 where there was nothing to get wrong; rounded down, so that 1.0 means all."""
    return int(100_000 * part / whole) / 100_000 if whole else 1.0


def _apart(edge: dict[str, Any], original_of: dict[str, str]) -> bool:
    return original_of[_key(edge["a"])] != original_of[_key(edge["b"])]


def _key(record_id: str) -> str:
    return record_id.partition(":")[2]


# --- the page


def page_of(grade: Grade, truth: Sequence[Work], works: Path) -> str:
    """Wrong merges, then missed copies, each as a pair of pictures side by side; the first _MOST_SHOWN of either."""
    work_of = {work.key: work for work in truth}
    wrong = [
        _pair(works, work_of[_key(edge["a"])], work_of[_key(edge["b"])], f"{edge['relation']}, score {edge['score']}")
        for edge in grade.wrong[:_MOST_SHOWN]
    ]
    missed = [_pair(works, work, work_of[work.original], work.relation) for work in grade.missed[:_MOST_SHOWN]]
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


def _named(result: Path, grade: Grade, page: Path) -> None:
    """Add the wrong merges to the result, and where they can be looked at."""
    found = json.loads(result.read_text(encoding="utf-8"))
    found["wrong"] = [
        {name: edge[name] for name in ("a", "b", "relation", "distance_bits", "score")} for edge in grade.wrong
    ]
    found["missed"] = [work.key for work in grade.missed[:_MOST_SHOWN]]
    found["page"] = str(page.relative_to(ROOT))
    result.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
