"""`<split>/<style>/<image_id>.*`, as torchvision's ImageFolder reads them, and ArtBench's list of works."""

from collections.abc import Callable, Collection, Iterator

from schemas.errors import BadInput
from schemas.phrases import counted
from tasks.core.artbench import artbench_list, style_folders, style_labels
from tasks.core.unpack import file_name
from tasks.io.store.releases import Release
from tasks.unpack.layouts.parts import LayoutFile, LayoutPart, Row, damage_unless, image_rows, wanted_splits

_COLUMNS = (
    *("image_id", "split", "format", "style", "artist", "source_url", "image_url", "rights_uri"),
    *("width_px", "height_px"),
)


def parts(release: Release, splits: Collection[str]) -> dict[str, LayoutPart]:
    """A part for each split. Raises BadInput where no image has a style."""
    wanted, rows, without = wanted_splits(release, splits), list[Row](), dict[str, int]()
    for row in image_rows(release, _COLUMNS):
        if row["style"]:
            rows.append(row)
        else:
            without[row["split"]] = without.get(row["split"], 0) + 1
    if not rows:
        raise BadInput(
            f"--layout imagefolder: expected a release whose images have a style, got none in release "
            f"{release.manifest.version}: --layout release unpacks any"
        )
    folders = style_folders({row["style"] for row in rows})
    found = {}
    for split in wanted:
        mine = [row for row in rows if row["split"] == split]
        names = {
            row["image_id"]: f"{folders[row['style']]}/"
            f"{damage_unless(release, file_name, row['image_id'], row['format'])}"
            for row in mine
        }
        documents = _documents(mine, names, style_labels(folders), f"{split}.csv", without.get(split, 0))
        found[split] = LayoutPart(split, names, f"{split}.csv", documents, [split])
    return found


def _documents(
    rows: list[Row], names: dict[int, str], labels: dict[str, int], path: str, without: int
) -> Callable[[], Iterator[LayoutFile]]:
    def documents() -> Iterator[LayoutFile]:
        note = f"{counted(without, 'image')} without a style left out"
        yield LayoutFile(path, artbench_list(rows, names, labels, {}).encode(), note if without else "")

    return documents
