"""Pictures in ArtBench's two sizes beside ImageMagick's: how much levels differ, and how long a picture takes.

    python -m benchmarks.formats FOLDER_OF_IMAGES [--paintings 200] [--repeats 20] [--out FILE]

Of each picture the square in the middle goes to 32 and 256 px, by Robidoux's filter and by RobidouxSharp. Both sides
have one thread. Time is that of the filter alone: ours of a picture in memory; ImageMagick's of a process that
reads the picture as PPM and filters it REPEATS times, less one that only reads it. Of each picture the sides come by
turns, every other time in the opposite order.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks import results
from tasks.core.ewa import centre_crop, resize
from tests.support import imagemagick
from tests.support.imagemagick import Pixels

SIDES_PX = (32, 256)
MOST, MEAN, LEAST_TIMES = 2, 0.1, 5
"""Of 255, how far levels may differ; and how many times as fast the filter must be."""

Rows = list[dict[str, Any]]


def paintings(folder: Path, most: int) -> Iterator[Pixels]:
    """The middle squares of so many pictures, taken evenly from all that lie in a folder and below."""
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in (".jpg", ".jpeg", ".png"))
    for place in np.linspace(0, len(files) - 1, min(most, len(files))).round().astype(int):
        with Image.open(files[place]) as image:
            yield np.ascontiguousarray(centre_crop(np.asarray(image.convert("RGB"))))


def differences(squares: Sequence[Pixels], side_px: int, is_sharp: bool) -> dict[str, Any]:
    """How far levels lie from ImageMagick's."""
    size_px = (side_px, side_px)
    apart = np.stack(
        [
            np.abs(resize(one, size_px, is_sharp=is_sharp) - imagemagick.resized(one, size_px, is_sharp).astype(int))
            for one in squares
        ]
    )
    return {
        "largest difference": int(apart.max()),
        "mean difference": round(float(apart.mean()), 5),
        "levels that differ, %": round(100 * float((apart > 0).mean()), 3),
    }


def times(squares: Sequence[Pixels], side_px: int, is_sharp: bool, repeats: int) -> dict[str, Any]:
    """Milliseconds that the filter takes, ours and ImageMagick's: means of all pictures, and the median ratio."""
    resize(squares[0], (side_px, side_px), is_sharp=is_sharp)  # compiled before the clock starts
    ours, theirs = [], []
    for number, square in enumerate(squares):
        sides = [
            (ours, lambda square=square: our_seconds(square, side_px, is_sharp, repeats)),
            (theirs, lambda square=square: their_seconds(square, side_px, is_sharp, repeats)),
        ]
        for seconds, measure in sides[:: -1 if number % 2 else 1]:
            seconds.append(measure())
    return {
        "ms an image": round(1e3 * statistics.mean(ours), 2),
        "ImageMagick, ms an image": round(1e3 * statistics.mean(theirs), 2),
        "times as fast": round(statistics.median(their / our for our, their in zip(ours, theirs, strict=True)), 2),
    }


def our_seconds(square: Pixels, side_px: int, is_sharp: bool, repeats: int) -> float:
    def filter_it() -> None:
        for _ in range(repeats):
            resize(square, (side_px, side_px), is_sharp=is_sharp)

    return _seconds(filter_it) / repeats


def their_seconds(square: Pixels, side_px: int, is_sharp: bool, repeats: int) -> float:
    once = ["(", "+clone", *imagemagick.resizing((side_px, side_px), is_sharp), ")", "-delete", "1"]
    with tempfile.NamedTemporaryFile(suffix=".ppm") as file:
        file.write(imagemagick.ppm(square))
        file.flush()
        idle, busy = (
            _seconds(lambda count=count: imagemagick.run([file.name, *once * count, "null:"])) for count in (0, repeats)
        )
    return (busy - idle) / repeats


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measured(squares: Sequence[Pixels], repeats: int) -> Rows:
    """One row a filter and size."""
    rows = []
    for is_sharp in (False, True):
        for side_px in SIDES_PX:
            rows.append(
                {
                    "filter": "RobidouxSharp" if is_sharp else "Robidoux",
                    "px": side_px,
                    "ImageMagick": imagemagick.version(),
                    "paintings": len(squares),
                    "their px, median": round(statistics.median(len(square) for square in squares)),
                    **differences(squares, side_px, is_sharp),
                    **times(squares, side_px, is_sharp, repeats),
                }
            )
            print(rows[-1], flush=True)
    return rows


def ratios(rows: Rows) -> dict[str, float]:
    """The worst of all rows."""
    return {
        "robidoux_most": max(row["largest difference"] for row in rows),
        "robidoux_mean": max(row["mean difference"] for row in rows),
        "vs_imagemagick": min(row["times as fast"] for row in rows),
    }


def main() -> int:
    """Measure, and write benchmarks/results/formats.json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER_OF_IMAGES")
    parser.add_argument("--paintings", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--out", type=Path, help="another place for the result, for trials")
    asked = parser.parse_args()
    if not imagemagick.is_installed():
        parser.error(imagemagick.LACKS)
    squares = list(paintings(asked.folder, asked.paintings))
    if not squares:
        parser.error(f"expected pictures in {asked.folder}, got none")
    rows = measured(squares, asked.repeats)
    found = ratios(rows)
    results.write("formats", rows, found, path=asked.out)
    is_near = found["robidoux_most"] <= MOST and found["robidoux_mean"] <= MEAN
    return 0 if is_near and found["vs_imagemagick"] >= LEAST_TIMES else 1


if __name__ == "__main__":
    sys.exit(main())
