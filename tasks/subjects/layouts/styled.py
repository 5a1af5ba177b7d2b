"""Images by their style, as classifiers are trained on them, and as squares."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from schemas.errors import BadInput
from schemas.phrases import counted
from tasks.core.artbench import artbench_list, style_folders
from tasks.io.store.releases import Release
from tasks.subjects.layouts.parts import (
    UNPACKS_ANY,
    LayoutFile,
    LayoutRequest,
    Row,
    has_rights,
    image_rows,
    wanted_splits,
)

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


def styled_rows(release: Release, request: LayoutRequest) -> StyledRows:
    """The rows of the images with a style. Raises BadInput where no image has one."""
    wanted, without, styles = wanted_splits(release, request.splits), dict[str, int](), set[str]()
    rows: dict[str, list[Row]] = {split: [] for split in wanted}
    for row in image_rows(release, _COLUMNS):
        is_wanted = has_rights(row, request.form)
        if not row["style"]:
            without[row["split"]] = without.get(row["split"], 0) + is_wanted
            continue
        styles.add(row["style"])  # numbers of styles are the same for a part of the images
        if row["split"] in rows and is_wanted:
            rows[row["split"]].append(row)
    if not styles:
        raise BadInput(
            f"--layout {request.form.layout}: expected a release whose images have a style, got none in release "
            f"{release.manifest.version}{UNPACKS_ANY}"
        )
    return StyledRows(rows, style_folders(styles), without)


def list_documents(
    path: str, rows: list[Row], names: Mapping[int, str], labels: Mapping[str, int], note: str
) -> Callable[[], Iterator[LayoutFile]]:
    """ArtBench's list of these rows, as the documents of a part."""
    return lambda: iter([LayoutFile(path, artbench_list(rows, names, labels, {}).encode(), note)])
