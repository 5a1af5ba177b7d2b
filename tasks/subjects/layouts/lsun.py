"""`<split>/<style>_lmdb/`, the pictures of one style, as ArtBench publishes its originals and torchvision's LSUNClass
reads them; and ArtBench's list. A key is the image's id, a value the bytes of its file.
"""

from tasks.core.artbench import style_labels
from tasks.core.unpack import file_name
from tasks.io.files.lmdb_files import LmdbFile, check_lmdb
from tasks.io.store.releases import Release
from tasks.subjects.layouts.parts import ImageArchive, LayoutPart, LayoutRequest, damage_unless
from tasks.subjects.layouts.styled import list_documents, styled_rows


class _Style:
    def __init__(self, path: str) -> None:
        self._file = LmdbFile(path)

    def add(self, image_id: int, name: str, data: bytes) -> None:
        self._file.add(str(image_id).encode(), data)

    def close(self) -> None:
        self._file.close()


def parts(release: Release, request: LayoutRequest) -> dict[str, LayoutPart]:
    """A part for each split. Raises BadInput where no image has a style, and without the library."""
    check_lmdb()
    styled = styled_rows(release, request)
    labels, found = style_labels(styled.folders), {}
    for split, rows in styled.rows.items():
        names: dict[str, dict[int, str]] = {}
        for row in rows:
            name = damage_unless(release, file_name, row["image_id"], row["format"])
            names.setdefault(styled.folders[row["style"]], {})[row["image_id"]] = name
        archives = [ImageArchive(f"{split}/{style}_lmdb/data.mdb", of, _Style) for style, of in sorted(names.items())]
        keys = {row["image_id"]: str(row["image_id"]) for row in rows}
        documents = list_documents(f"{split}.csv", rows, keys, labels, styled.note(split))
        found[split] = LayoutPart(split, {}, f"{split}.csv", documents, [split], archives=archives)
    return found
