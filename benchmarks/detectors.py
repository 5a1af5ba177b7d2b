"""Which detector finds the people in paintings: the comparison table on People-Art, overall and by style.

    python -m benchmarks.detectors FOLDER --models FOLDER [--missing unknown|none] [--bootstrap 1000] [--without HOG]

FOLDER: People-Art, with JPEGImages/<Style>/ and Annotations/<Style>/. Boxes are scored on the paintings that have an
XML file, which all have people: the authors wrote none where they saw nobody. By default a missing file says nothing
("unknown": it can be an omission), so that precision of images is 1 and says nothing either; the table of whole images
is therefore taken a second time with `none`, by the authors' word: all paintings count, and those without a file have
nobody. `--missing none` scores boxes so, too.
Figures: benchmarks/results/detectors.json. Tables and drawings: build/detectors/.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.results import ROOT, even, write
from flows.evaluate.detector import evaluate_detector
from tasks.core.scrape.voc_annotations import read_voc

OUT = ROOT / "build" / "detectors"
BOXES = ("AP", "AP50", "AP75", "APS", "APM", "APL", "AR")
IMAGES = ("kept_share", "image_recall", "image_precision", "image_f1", "image_auc")
HEADLINES = ("AP", "AP50")


def main() -> int:
    """Compare, print the tables, write benchmarks/results/detectors.json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=Path, required=True, metavar="FOLDER", help="with yolox_nano/ and fastestdet/")
    parser.add_argument(
        "--missing", choices=["unknown", "none"], default="unknown", help="what a painting without XML says"
    )
    parser.add_argument("--bootstrap", type=int, default=1000)
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="leave this detector out")
    arguments = parser.parse_args()
    asked = [one for one in detectors(arguments.models) if one.partition("=")[0] not in arguments.without]
    scores = compared(arguments.folder, asked, arguments.missing, arguments.bootstrap)
    whole = compared(arguments.folder, asked, "none", 0)
    rows = [*_rows(scores, arguments.missing, BOXES), *_rows(whole, "none", IMAGES)]
    path = write("detectors", even(rows), ratios(scores, whole))
    print((OUT / arguments.missing / "detectors.md").read_text(encoding="utf-8"))
    print(path)
    return 0


def detectors(models: Path) -> list[str]:
    """The four, as the command line takes them."""
    return [
        f"YOLOX-Nano=yolox:{models / 'yolox_nano' / 'yolox_nano.onnx'}",
        f"FastestDet=fastestdet:{models / 'fastestdet' / 'FastestDet.onnx'}",
        "HOG=hog",
        f"museum=plain:{ROOT / 'examples/museum/weights/figures.onnx'}",
    ]


def compared(folder: Path, asked: list[str], missing: str, bootstrap: int) -> list[dict[str, Any]]:
    """Rows of scores.parquet; detections of an earlier comparison are kept below build/."""
    out = OUT / missing
    out.mkdir(parents=True, exist_ok=True)
    truth = out / "People-Art.json"
    truth.write_text(json.dumps(coco(folder, missing)), encoding="utf-8")
    evaluate_detector(
        str(truth),
        images=str(folder / "JPEGImages"),
        detectors=asked,
        by=["style"],
        store=str(OUT / "store"),
        out=str(out),
        bootstrap=bootstrap,
    )
    return pq.read_table(out / "scores.parquet").to_pylist()


def coco(folder: Path, missing: str) -> dict[str, Any]:
    """People-Art as a COCO document. missing: `unknown`, a painting without XML was looked at by nobody.

    `none`, nobody is in it.
    """
    images: list[dict[str, Any]] = []
    boxes: list[dict[str, Any]] = []
    for number, path in enumerate(sorted((folder / "JPEGImages").rglob("*.jpg")), 1):
        style = path.parent.name
        xml = folder / "Annotations" / style / f"{path.name}.xml"
        is_annotated = xml.exists() or missing == "none"
        images.append(
            {
                "id": number,
                "file_name": f"{style}/{path.name}",
                "is_annotated": is_annotated,
                "metadata": {"style": style},
            }
        )
        for figure in read_voc(xml.read_bytes()).figures if xml.exists() else ():
            boxes.append(
                {"id": len(boxes) + 1, "image_id": number, "category_id": 1, "bbox": figure["xywh_px"], "iscrowd": 0}
            )
    return {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "person"}]}


def ratios(scores: list[dict[str, Any]], whole: list[dict[str, Any]]) -> dict[str, float]:
    """The headlines, as `yolox_nano_ap`."""
    wanted = [(scores, metric) for metric in HEADLINES] + [(whole, "image_f1"), (whole, "image_auc")]
    return {
        f"{row['system'].lower().replace('-', '_')}_{metric.lower()}": round(row["value"], 4)
        for rows, metric in wanted
        for row in rows
        if row["metric"] == metric and row["group"] is None and row["ahead_of"] is None and row["value"] is not None
    }


def _rows(scores: list[dict[str, Any]], missing: str, metrics: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """A line for each detector and stratum, as a table has it."""
    for row in scores:
        if row["metric"] != metrics[0] or row["ahead_of"] is not None:
            continue
        of = {
            other["metric"]: other
            for other in scores
            if (other["system"], other["group"], other["ahead_of"]) == (row["system"], row["group"], None)
        }
        line = {"detector": row["system"], "style": row["group"] or "all", "without XML": missing}
        line |= {metric: "" if of[metric]["value"] is None else round(of[metric]["value"], 4) for metric in metrics}
        if row["low"] is not None and metrics is BOXES:
            line |= {"AP low": round(row["low"], 4), "AP high": round(row["high"], 4)}
        yield {**line, "images": row["units"], "figures": round(of["figures"]["value"])}


if __name__ == "__main__":
    raise SystemExit(main())
