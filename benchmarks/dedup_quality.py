"""How well a release parts copies from other works: paintings under fixed transforms, or a painted museum.

    python -m benchmarks.dedup_quality FOLDER_OF_IMAGES [--seed 1] [--originals 636] [--one-each]
    python -m benchmarks.dedup_quality --museum 20000 --seed N
    python -m benchmarks.dedup_quality --families FOLDER_OF_IMAGES --originals 40 [--seed 1]

Every original gets a copy of each transform of `benchmarks/dedup_variants.py`; all go through a build. A drop is right
if what was dropped and what stayed come from one original. What was wrong or missed is shown on a page below build/.
The work folder may be used again: nothing is made twice. --families: every kind of copy, and sheets that only look
alike (`benchmarks/dedup_campaign.py`).
"""

import argparse
import json
import sys
from pathlib import Path

from benchmarks import dedup_campaign
from benchmarks.campaign import table
from benchmarks.dedup_grades import MOST_SHOWN, Grade, graded, page_of
from benchmarks.dedup_peers import built
from benchmarks.dedup_variants import TRANSFORMS
from benchmarks.dedup_works import FOLDER, painted, paintings_at, written
from benchmarks.results import ROOT, write
from examples.museum import grade as museum
from schemas.dedup import Dedup

KEYS = (*Dedup.model_fields["by"].default, "mirrored")
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

FAMILIES_ASKED = {"precision": 1.0, "recall_ordinary": 0.95, "widest_precision": 1.0}
_FAMILY_ORIGINALS = 40


def main() -> int:
    """Make what is missing, build, grade, write benchmarks/results/<name>.json and the page.

    1 if a figure is too low.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER_OF_IMAGES")
    parser.add_argument("--museum", type=int, metavar="WORKS", help="paint a museum of so many works instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--originals", type=int, help="take the first N images (default: all)")
    parser.add_argument("--families", type=Path, metavar="FOLDER_OF_IMAGES", help="all kinds of copies and look-alikes")
    parser.add_argument("--one-each", action="store_true", help="one copy of each original alone")
    asked = parser.parse_args()
    if [asked.folder, asked.museum, asked.families].count(None) != 2:
        parser.error("expected either a folder of images, --museum or --families")
    if asked.families:
        ratios = dedup_campaign.run(asked.families, asked.originals or _FAMILY_ORIGINALS, asked.seed)
        return 0 if all(ratios[figure] >= least for figure, least in FAMILIES_ASKED.items()) else 1
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


def _named(result: Path, grade: Grade, page: Path) -> None:
    """Add the wrong merges to the result, and where they can be looked at."""
    found = json.loads(result.read_text(encoding="utf-8"))
    found["wrong"] = [
        {name: edge[name] for name in ("a", "b", "relation", "distance_bits", "score")} for edge in grade.wrong
    ]
    found["missed"] = [work.key for work in grade.missed[:MOST_SHOWN]]
    found["page"] = str(page.relative_to(ROOT))
    result.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
