"""Every kind of copy and every kind of sheet that only looks like another, in one build, twice.

Some paintings with a copy of each of `dedup_families.FAMILIES`, and 20 works of each of `dedup_sheets.NEGATIVE`, each
with one copy by one of `SAVED_AGAIN`. Graded by the default settings, and by the widest: all views, all relations
dropped.
"""

import json
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow.parquet as pq

from benchmarks.campaign import table
from benchmarks.dedup_families import FAMILIES, ORDINARY, PARTS
from benchmarks.dedup_grades import Grade, clusters, graded, in_turn, key_of, page_of, share_of
from benchmarks.dedup_peers import Build, built
from benchmarks.dedup_sheets import NEGATIVE, SAVED_AGAIN, Sheets
from benchmarks.dedup_variants import opened
from benchmarks.dedup_works import FOLDER, Work, images_below, rows_of, sign, write_table, written
from benchmarks.results import ROOT, even, write
from schemas.dedup import Dedup
from schemas.relations import APART as DIFFERENT
from schemas.relations import DropRelation, PairFinder

MEMBERS = 20
NAME = "dedup-families"
SETTINGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "default": (Dedup.model_fields["by"].default, Dedup.model_fields["drop_relations"].default),
    "widest": (get_args(PairFinder), get_args(DropRelation)),
}
"""Views and dropped relations."""
_MOST_NAMED = 100


@dataclass(frozen=True)
class Works:
    """folder: of works.csv and of all images. family_of: for the key of each sheet and of its copies."""

    folder: Path
    truth: list[Work]
    family_of: dict[str, str]


# --- works


def made(folder: Path, at: Path, originals: int, seed: int, members: int = MEMBERS) -> Works:
    """Paintings and sheets with their copies below `at`; files that are there are left as they are.

    originals: paintings taken evenly from the folder's images; sheets show others, each of them once.

    Raises SystemExit where there are too few images, or `at` was made of something else.
    """
    images = images_below(folder)
    chosen = images[:: max(1, len(images) // originals)][:originals]
    others = sorted(set(images).difference(chosen))
    paintings = written(folder, at / "paintings", FAMILIES, seed, chosen=chosen)
    painted = at / "sheets-alone"
    family_of = _sheets(painted, others, seed, members)
    sheets = written(painted, at / "sheets", SAVED_AGAIN, seed, one_each=True)
    truth = [*_below("paintings", paintings), *_below("sheets", sheets)]
    _join(at)
    families = {
        work.key: family_of[int(work.original.split("-")[1])] for work in truth if work.key.startswith("sheets-")
    }
    return Works(at, truth, families)


def _below(part: str, works: Sequence[Work]) -> list[Work]:
    """The works of a folder as its parent has them."""
    return [
        replace(work, key=f"{part}-{work.key}", original=f"{part}-{work.original}", image=f"{part}/{work.image}")
        for work in works
    ]


def _join(at: Path) -> None:
    """One works.csv of both."""
    rows = [
        {**row, "key": f"{part}-{row['key']}", "image": f"{part}/{row['image']}"}
        for part in ("paintings", "sheets")
        for row in rows_of(at / part / "works.csv")
    ]
    write_table(at / "works.csv", list(rows[0]), (list(row.values()) for row in rows))


def _sheets(at: Path, images: Sequence[Path], seed: int, members: int) -> list[str]:
    """Paint each family's works as <family>/<number>.png where they are missing. The family of each, in path order."""
    families = sorted(NEGATIVE, key=lambda family: family.name)
    needed = sum(family.contents_for(members) for family in families)
    if len(images) < needed:
        raise SystemExit(f"expected {needed} images or more besides the originals, got {len(images)}")
    sign(at, {"seed": seed, "members": members, "images": [f"{path.parent.name}/{path.name}" for path in images]})
    left = list(np.random.default_rng([seed, 0]).permutation(len(images)))
    for number, family in enumerate(families):
        count = family.contents_for(members)
        shown, left = [images[place] for place in left[:count]], left[count:]
        if not (at / family.name).exists():
            _paint(at / family.name, family, shown, np.random.default_rng([seed, 1, number]), members)
    return [family.name for family in families for _ in range(members)]


def _paint(at: Path, family: Sheets, images: Sequence[Path], rng: np.random.Generator, members: int) -> None:
    """All of the folder or none of it."""
    unfinished = at.with_name(f"{at.name}.part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    contents = [opened(path.read_bytes()) for path in images]
    for number, picture in enumerate(family.painted(rng, members, contents)):
        picture.save(unfinished / f"{number:02}.png")
    unfinished.rename(at)


# --- grades


def family_rows(
    works: Works, ledger: Sequence[dict[str, Any]], edges: Sequence[dict[str, Any]], group_of: Mapping[str, str]
) -> list[dict[str, Any]]:
    """A row for each family of sheets. Pairs are those of two works that were compared, once each.

    group_of: the group of each key that stayed. bound: copies that were found, or share their original's group.
    """
    cluster = clusters(ledger)
    original_of = {work.key: work.original for work in works.truth}
    said: dict[str, Counter[str]] = {}
    for edge in edges:
        a, b = key_of(edge["a"]), key_of(edge["b"])
        family = works.family_of.get(a)
        if family is not None and family == works.family_of.get(b) and original_of[a] != original_of[b]:
            said.setdefault(family, Counter())[_verdict(edge["relation"])] += 1
    rows = []
    for family in dict.fromkeys(works.family_of.values()):
        members = [work for work in works.truth if works.family_of.get(work.key) == family and work.key in cluster]
        copies = [work for work in members if work.key != work.original and work.original in cluster]
        named = said.get(family, Counter())
        wrong = sum(original_of[cluster[work.key]] != work.original for work in members)
        rows.append(
            {
                "family": family,
                "works": len(members) - len(copies),
                "pairs": named.total(),
                "called copy": named["copy"],
                "called uncertain": named["uncertain"],
                "called different": named["different"],
                "wrong drops": wrong,
                "copies": len(copies),
                "found": sum(cluster[work.key] == cluster[work.original] for work in copies),
                "bound": sum(is_bound(work, cluster, group_of) for work in copies),
            }
        )
    return rows


def _verdict(relation: str) -> str:
    if relation in get_args(DropRelation):
        return "copy"
    return "different" if relation in DIFFERENT else "uncertain"


def is_bound(work: Work, cluster: Mapping[str, str], group_of: Mapping[str, str]) -> bool:
    """Whether a copy and its original end in one split, both having reached dedup."""
    stays, other = cluster[work.key], cluster[work.original]
    return stays == other or (stays in group_of and group_of[stays] == group_of.get(other))


def transform_rows(
    works: Works,
    grade: Grade,
    ledger: Sequence[dict[str, Any]],
    edges: Sequence[dict[str, Any]],
    group_of: Mapping[str, str],
) -> list[dict[str, Any]]:
    """The grade's rows, and how many copies were compared with their original, were called another work than it, and
    are bound to it.
    """
    cluster = clusters(ledger)
    said = {frozenset((key_of(edge["a"]), key_of(edge["b"]))): edge["relation"] for edge in edges}
    counts: dict[str, Counter[str]] = {}
    for work in works.truth:
        if work.key != work.original and {work.key, work.original} <= cluster.keys():
            relation = said.get(frozenset((work.key, work.original)))
            counted = counts.setdefault(work.transform, Counter())
            counted["compared"] += relation is not None
            counted["called different"] += relation in DIFFERENT
            counted["bound"] += is_bound(work, cluster, group_of)
    names = ("compared", "called different", "bound")
    return [{**row, **{name: counts[row["transform"]][name] for name in names}} for row in grade.rows]


def called_different(works: Works, edges: Sequence[dict[str, Any]]) -> int:
    """Pairs of one work that were called two: each can cut a chain of copies."""
    original_of = {work.key: work.original for work in works.truth}
    return sum(
        edge["relation"] in DIFFERENT and original_of[key_of(edge["a"])] == original_of[key_of(edge["b"])]
        for edge in edges
    )


def groups_in(release: Path) -> dict[str, str]:
    """The group of each key that was published, whatever the folders of the images table."""
    parts = [pq.ParquetFile(path).read(["record_id", "group_id"]) for path in release.glob("images/**/*.parquet")]
    return {key_of(row["record_id"]): row["group_id"] for part in parts for row in part.to_pylist()}


def recall_of(rows: Sequence[dict[str, Any]], names: set[str]) -> float:
    """Of the transforms of these names together."""
    chosen = [row for row in rows if row["transform"] in names]
    return share_of(sum(row["found"] for row in chosen), sum(row["copies"] for row in chosen))


def comparisons_in(store: Path) -> int:
    """Pairs that were looked at a second time, of all builds in the store."""
    paths = store.glob("measures/relations/**/*.parquet")
    return sum(pq.read_metadata(path).num_rows for path in paths)


def _ratios(
    grade: Grade, rows: Sequence[dict[str, Any]], build: Build, comparisons: int, images: int
) -> dict[str, float]:
    names = {transform.name for transform in ORDINARY}
    reversed_too = {transform.name for transform in FAMILIES} - {transform.name for transform in PARTS}
    sheets = {transform.name for transform in SAVED_AGAIN}
    chosen = [row for row in rows if row["transform"] in sheets]
    return {
        **{name: grade.ratios[name] for name in ("precision", "drops", "wrong_drops", "wrong_merges", "not_reached")},
        "recall_ordinary": recall_of(rows, names),
        "recall_but_parts": recall_of(rows, reversed_too),
        "recall_sheets": recall_of(rows, sheets),
        "bound_sheets": share_of(sum(row["bound"] for row in chosen), sum(row["copies"] for row in chosen)),
        "comparisons": comparisons,
        "candidates_per_image": round(2 * comparisons / images, 2),
        "stage_ms_per_pair": round(1000 * build.stage_s["dedup"] / max(1, comparisons), 2),
        "build_s": round(build.seconds, 1),
    }


# --- the campaign


def run(folder: Path, originals: int, seed: int) -> dict[str, float]:
    """Make what is missing, build by each of SETTINGS, write the result and the pages; all ratios.

    Each setting has a store of its own, emptied first, so that comparisons and times are those of one build.
    """
    works = made(folder, FOLDER / f"families-{seed}-{originals}", originals, seed)
    rows: list[dict[str, Any]] = []
    ratios: dict[str, float] = {}
    notes: dict[str, Any] = {}
    for setting, (keys, drops) in SETTINGS.items():
        scratch = FOLDER / f"{works.folder.name}-{setting}-build"
        shutil.rmtree(scratch / "store", ignore_errors=True)
        build = built(works.folder, scratch, keys, drops)
        grade, found, figures = _graded(works, build, comparisons_in(scratch / "store"))
        rows += [{"setting": setting, **row} for row in found]
        ratios |= {name if setting == "default" else f"{setting}_{name}": ratio for name, ratio in figures.items()}
        notes[setting] = _shown(setting, grade, works)
    result = write(NAME, even(rows), ratios)
    written_down = json.loads(result.read_text(encoding="utf-8"))
    result.write_text(json.dumps({**written_down, "rows": rows, **notes}, indent=1) + "\n", encoding="utf-8")
    return ratios


def _graded(works: Works, build: Build, comparisons: int) -> tuple[Grade, list[dict[str, Any]], dict[str, float]]:
    """The grade, rows of transforms, then of families, and ratios."""
    ledger, edges = table(build.release, "ledger"), table(build.release, "relations")
    grade = graded(works.truth, ledger, edges)
    group_of = groups_in(build.release)
    rows = transform_rows(works, grade, ledger, edges, group_of)
    ratios = _ratios(grade, rows, build, comparisons, len(works.truth))
    ratios["copies_called_different"] = called_different(works, edges)
    return grade, [*rows, *family_rows(works, ledger, edges, group_of)], ratios


def _shown(setting: str, grade: Grade, works: Works) -> dict[str, Any]:
    """Write the page of failures, all kinds of them in turn, and name the first of them."""

    def kinds(edge: dict[str, Any]) -> tuple[str, ...]:
        ends = (key_of(edge["a"]), key_of(edge["b"]))
        return tuple(works.family_of.get(key, key.split("-", 2)[2]) for key in ends)

    ordered = replace(
        grade, wrong=in_turn(grade.wrong, kinds), missed=in_turn(grade.missed, lambda work: work.transform)
    )
    page = ROOT / "build" / f"{NAME}-{setting}.html"
    page.write_text(page_of(ordered, works.truth, works.folder), encoding="utf-8")
    return {
        "wrong": [
            f"{edge['a']} {edge['b']} {edge['relation']} {edge['score']}" for edge in ordered.wrong[:_MOST_NAMED]
        ],
        "missed": [work.key for work in ordered.missed[:_MOST_NAMED]],
        "page": str(page.relative_to(ROOT)),
    }
