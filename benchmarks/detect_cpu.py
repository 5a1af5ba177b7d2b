"""YOLOX-Nano through the measure beside a plain loop over the same files: decoding and onnxruntime, on as many threads.

    python -m benchmarks.detect_cpu PAINTINGS [--weights FILE] [--rounds 7] [--workers 2] [--most N]

The peer is what a person would write, after YOLOX's own ONNX demo: cv2.imdecode, cv2.resize onto 114, session.run,
decoding and suppression in numpy; a one-thread session for each worker, the files dealt out as they come. Ours is the
measure as a build runs
it: a Prefect flow, blobs read from a store and checked, parts on so many workers, and what was found written as
Parquet. Both sides run alternately in one process, after a round of each that is not counted; the ratio is that of the
medians. Where boxes of People-Art lie beside the paintings (../Annotations), the AP of both sides is compared too.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")

import cv2
import numpy as np
import onnxruntime
import pyarrow as pa
from prefect import flow

from benchmarks.results import write
from flows.runner import runner
from schemas.detect import Detect
from schemas.manifests import Context
from tasks import detect
from tasks.core.evaluate.scores import box_scores
from tasks.core.scrape.voc_annotations import read_voc
from tasks.io.store.store import Store

LEAST_SCORE, NMS_IOU, AT_MOST = 0.01, 0.65, 100
Box = tuple[list[float], float]
Boxes = dict[str, list[Box]]
"""By file: x, y, width, height in px, and score."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paintings", type=Path)
    parser.add_argument(
        "--weights", type=Path, help="by default ../../weights/yolox_nano/yolox_nano.onnx beside the paintings"
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--most", type=int, help="only so many paintings, evenly spread")
    arguments = parser.parse_args()
    weights = arguments.weights or arguments.paintings.parent.parent / "weights/yolox_nano/yolox_nano.onnx"
    paths = _spread(sorted(arguments.paintings.rglob("*.jpg")), arguments.most)
    with tempfile.TemporaryDirectory() as folder:
        blobs = _stored(paths, f"{folder}/blobs")
        sides: dict[str, Callable[[int], tuple[float, Boxes]]] = {
            "plain loop": lambda _: _plain(paths, weights, arguments.workers),
            "measure": lambda number: _measured(blobs, weights, arguments.workers, folder, number),
        }
        took: dict[str, list[float]] = {side: [] for side in sides}
        cpu: dict[str, list[float]] = {side: [] for side in sides}
        found: dict[str, Boxes] = {}
        for number in range(arguments.rounds + 1):
            for side, run in sides.items():
                before_s = time.process_time()
                seconds, found[side] = run(number)
                cpu_s = time.process_time() - before_s
                if number:
                    took[side].append(seconds)
                    cpu[side].append(cpu_s)
                print(f"round {number}, {side}: {len(paths) / seconds:.1f} images/s, {cpu_s:.1f} s of CPU", flush=True)
    return _told(took, cpu, found, _truth(paths), arguments.workers)


def _told(
    took: dict[str, list[float]],
    cpu: dict[str, list[float]],
    found: dict[str, Boxes],
    truth: dict[str, Any],
    workers: int,
) -> int:
    rows, count = [], len(truth["images"])
    for side, seconds in took.items():
        scores = box_scores([(truth, _results(truth, found[side]))])
        middle = statistics.median(seconds)
        rows.append(
            {
                "side": side,
                "images": count,
                "threads": workers,
                "median_s": round(middle, 3),
                "images_per_s": round(count / middle, 1),
                "slowest_s": round(max(seconds), 3),
                "cpu_s": round(statistics.median(cpu[side]), 3),
                "AP": scores["AP"],
                "AP50": scores["AP50"],
                "annotated": scores["images"],
            }
        )
    plain, ours = (statistics.median(seconds) for seconds in took.values())
    ratios = {"of_plain_loop": round(plain / ours, 4)}
    if rows[0]["AP"] is not None:
        ratios["ap_difference"] = round(abs(rows[0]["AP"] - rows[1]["AP"]), 6)
    write("detect-cpu", rows, ratios)
    return 0


def _spread(paths: list[Path], most: int | None) -> list[Path]:
    return paths if most is None else paths[:: max(1, len(paths) // most)][:most]


# --- ours


def _stored(paths: Sequence[Path], folder: str) -> dict[str, str]:
    """Blob of each file; the store with nothing but these is at the folder."""
    store = Store(folder)
    return {str(path): store.write_blob(path.read_bytes()) for path in paths}


def _measured(blobs: dict[str, str], weights: Path, workers: int, folder: str, number: int) -> tuple[float, Boxes]:
    """Seconds from the first blob asked for to the last row stored and read, and what is stored."""
    store = f"{folder}/round-{number}"
    shutil.copytree(f"{folder}/blobs", store, copy_function=os.link)
    context = Context(store=store, bindings={"weights": str(weights)}, workers=workers, device="cpu")
    settings = Detect(model="yolox", label="detect", least_score=LEAST_SCORE, nms_iou=NMS_IOU, at_most=AT_MOST)
    asked = pa.array(sorted(set(blobs.values())))

    def run() -> tuple[float, pa.Table]:
        detect.check_detector(settings, context)
        began_s = time.perf_counter()
        table = detect.detections(settings, asked, context)
        return time.perf_counter() - began_s, table

    seconds, table = flow(name="detect-cpu", task_runner=runner(None), persist_result=False)(run)()
    rows = {row["sha256"]: row["figures"] for row in table.to_pylist()}
    shutil.rmtree(store)
    return seconds, {
        path: [(figure["xywh_px"], figure["score"]) for figure in rows[sha256]] for path, sha256 in blobs.items()
    }


# --- the peer


def _plain(paths: Sequence[Path], weights: Path, workers: int) -> tuple[float, Boxes]:
    """Seconds from the first file to the last box, sessions made before; and the boxes."""
    cv2.setNumThreads(1)
    sessions = [_session(weights) for _ in range(workers)]
    todo = iter(paths)  # `next` on it is one step of the interpreter: no two threads get the same file
    found: Boxes = {}
    began_s = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(_looped, session, todo, found) for session in sessions]:
            done.result()
    return time.perf_counter() - began_s, found


def _session(weights: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


def _looped(session: Any, todo: Iterable[Path], found: Boxes) -> None:
    entry = session.get_inputs()[0]
    height, width = entry.shape[2:]
    for path in todo:
        image = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_COLOR)
        pixels, ratio = _preproc(image, height, width)
        output = session.run(None, {entry.name: pixels[None]})[0][0]
        found[str(path)] = _boxes(output, height, width, ratio, image.shape[1], image.shape[0])


def _preproc(image: np.ndarray, height: int, width: int) -> tuple[np.ndarray, float]:
    padded = np.ones((height, width, 3), dtype=np.uint8) * 114
    ratio = min(height / image.shape[0], width / image.shape[1])
    inner = (int(image.shape[1] * ratio), int(image.shape[0] * ratio))
    padded[: inner[1], : inner[0]] = cv2.resize(image, inner, interpolation=cv2.INTER_LINEAR).astype(np.uint8)
    return np.ascontiguousarray(padded.transpose(2, 0, 1), dtype=np.float32), ratio


def _boxes(output: np.ndarray, height: int, width: int, ratio: float, image_width: int, image_height: int) -> list[Box]:
    grids, strides = [], []
    for stride in (8, 16, 32):
        x, y = np.meshgrid(np.arange(width // stride), np.arange(height // stride))
        grid = np.stack((x, y), 2).reshape(-1, 2)
        grids.append(grid)
        strides.append(np.full((len(grid), 1), stride))
    grid, step = np.concatenate(grids), np.concatenate(strides)
    centre, side = (output[:, :2] + grid) * step, np.exp(output[:, 2:4]) * step
    corners = np.concatenate([centre - side / 2, centre + side / 2], 1) / ratio
    scores = (output[:, 4:5] * output[:, 5:])[:, 0]
    strong = np.flatnonzero(scores >= LEAST_SCORE)
    corners, scores = corners[strong], scores[strong]
    kept = _nms(corners, scores)[:AT_MOST]
    inside = np.clip(corners[kept], 0, [image_width, image_height, image_width, image_height])
    return [
        ([x0, y0, x1 - x0, y1 - y0], score)
        for (x0, y0, x1, y1), score in zip(inside.tolist(), scores[kept].tolist(), strict=True)
    ]


def _nms(corners: np.ndarray, scores: np.ndarray) -> list[int]:
    x0, y0, x1, y1 = corners.T
    areas, order, kept = (x1 - x0) * (y1 - y0), scores.argsort()[::-1], []
    while order.size:
        best, rest = order[0], order[1:]
        kept.append(int(best))
        w = np.maximum(0.0, np.minimum(x1[best], x1[rest]) - np.maximum(x0[best], x0[rest]))
        h = np.maximum(0.0, np.minimum(y1[best], y1[rest]) - np.maximum(y0[best], y0[rest]))
        order = rest[w * h / (areas[best] + areas[rest] - w * h) <= NMS_IOU]
    return kept


# --- the truth


def _truth(paths: Sequence[Path]) -> dict[str, Any]:
    """People's boxes as a COCO document; images without a file of them are not looked at."""
    images, boxes = [], []
    for number, path in enumerate(paths, 1):
        xml = path.parent.parent.parent / "Annotations" / path.parent.name / f"{path.name}.xml"
        images.append({"id": number, "file_name": str(path), "is_annotated": xml.is_file()})
        for figure in read_voc(xml.read_bytes()).figures if xml.is_file() else ():
            w, h = figure["xywh_px"][2:]
            boxes.append(
                {
                    "id": len(boxes) + 1,
                    "image_id": number,
                    "category_id": 1,
                    "bbox": figure["xywh_px"],
                    "area": w * h,
                    "iscrowd": 0,
                }
            )
    return {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "person"}]}


def _results(truth: dict[str, Any], found: Boxes) -> list[dict[str, Any]]:
    return [
        {"image_id": image["id"], "category_id": 1, "bbox": box, "score": score}
        for image in truth["images"]
        for box, score in found[image["file_name"]]
    ]


if __name__ == "__main__":
    sys.exit(main())
