"""Images by their style, as classifiers are trained on them, and as squares."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput, DamagedFile
from schemas.fetch import HIGHEST_MAX_PIXELS
from schemas.layouts import LayoutWord
from schemas.phrases import counted
from tasks.core.artbench import artbench_list, style_folders
from tasks.core.ewa import centre_crop, resize
from tasks.io.images.decode import UnreadableImage, picture
from tasks.io.store.releases import Release
from tasks.unpack.layouts.parts import LayoutFile, Row, image_rows, wanted_splits

_COLUMNS = (
    *("image_id", "split", "format", "style", "artist", "source_url", "image_url", "rights_uri"),
    *("width_px", "height_px"),
)


class StyledRows(NamedTuple):
    """Rows of images with a style by the splits that are wanted, in the release's order; the folder of each style of
    the whole release; and how many images of each split have no style.
    """

    rows: dict[str, list[Row]]
    folders: dict[str, str]
    without: dict[str, int]

    def note(self, split: str) -> str:
        """What is told of a split's images without a style."""
        count = self.without.get(split, 0)
        return f"{counted(count, 'image')} without a style left out" if count else ""


def styled_rows(release: Release, splits: Collection[str], word: LayoutWord) -> StyledRows:
    """The rows of the images with a style. Raises BadInput where no image has one."""
    wanted, without, styles = wanted_splits(release, splits), dict[str, int](), set[str]()
    rows: dict[str, list[Row]] = {split: [] for split in wanted}
    for row in image_rows(release, _COLUMNS):
        if not row["style"]:
            without[row["split"]] = without.get(row["split"], 0) + 1
            continue
        styles.add(row["style"])
        if row["split"] in rows:
            rows[row["split"]].append(row)
    if not styles:
        raise BadInput(
            f"--layout {word}: expected a release whose images have a style, got none in release "
            f"{release.manifest.version}: --layout release unpacks any"
        )
    return StyledRows(rows, style_folders(styles), without)


def list_documents(
    path: str, rows: list[Row], names: Mapping[int, str], labels: Mapping[str, int], note: str
) -> Callable[[], Iterator[LayoutFile]]:
    """ArtBench's list of these rows, as the documents of a part."""
    return lambda: iter([LayoutFile(path, artbench_list(rows, names, labels, {}).encode(), note)])


def square(data: bytes, side_px: int) -> NDArray[Any]:
    """(side_px, side_px, 3) uint8, RGB: the upright picture's largest square in the middle, by Robidoux' filter, as
    ArtBench's (3.2). Raises DamagedFile for a picture that can't be decoded.
    """
    return resize(np.ascontiguousarray(centre_crop(_pixels(data))), (side_px, side_px))


def within(data: bytes, most_px: int) -> NDArray[Any]:
    """(height, width, 3) uint8, RGB: the upright picture, by the same filter no longer on any side than so many pixels;
    a smaller one as it is. Raises DamagedFile as `square`.
    """
    pixels = _pixels(data)
    height_px, width_px = pixels.shape[:2]
    if (longest_px := max(height_px, width_px)) <= most_px:
        return pixels
    return resize(pixels, (_share(width_px, most_px, longest_px), _share(height_px, most_px, longest_px)))


def _share(side_px: int, most_px: int, longest_px: int) -> int:
    return max(1, (2 * side_px * most_px + longest_px) // (2 * longest_px))  # halves up


def _pixels(data: bytes) -> NDArray[Any]:
    try:
        return picture(data, HIGHEST_MAX_PIXELS).pixels()
    except UnreadableImage as problem:
        raise DamagedFile(
            f"expected a picture that can be drawn anew, got one that can't ({problem.detail})"
        ) from problem
