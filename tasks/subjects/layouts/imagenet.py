"""`<split>.tar`, a tar with one for each style, as ImageNet's images are published (ILSVRC2012_img_train.tar), and
ArtBench's list.

`<style>.tar` holds that style's pictures as `<style>_<image_id>.JPEG`, those that are no JPEGs by their own ending. The
list has names without an ending, as ImageNet's lists do.
"""

import functools
from collections import Counter

from tasks.core.artbench import style_labels
from tasks.core.unpack import file_name
from tasks.io.files.tar_files import NestedTar
from tasks.io.store.releases import Release
from tasks.subjects.layouts.parts import ImageArchive, LayoutPart, LayoutRequest, damage_unless
from tasks.subjects.layouts.styled import list_documents, styled_rows


class _Split:
    """A tar of tars. A file's name is that of its tar, `/`, and its own there."""

    def __init__(self, path: str, names: dict[int, str]) -> None:
        sizes = Counter(name.partition("/")[0] for name in names.values())
        self._tar = NestedTar(path, dict(sorted(sizes.items())))

    def add(self, image_id: int, name: str, data: bytes) -> None:
        tar, _, member = name.partition("/")
        self._tar.add(tar, member, data)

    def close(self) -> None:
        self._tar.close()


def parts(release: Release, request: LayoutRequest) -> dict[str, LayoutPart]:
    """A part for each split. Raises BadInput where no image has a style."""
    styled = styled_rows(release, request)
    labels, found = style_labels(styled.folders), {}
    for split, rows in styled.rows.items():
        keys, names = {}, {}
        for row in rows:
            style, number = styled.folders[row["style"]], row["image_id"]
            ending = damage_unless(release, file_name, number, row["format"]).rpartition(".")[2]
            keys[number] = f"{style}_{number}"
            names[number] = f"{style}.tar/{keys[number]}.{'JPEG' if ending == 'jpg' else ending}"
        opened = functools.partial(_Split, names=names)
        archives = [ImageArchive(f"{split}.tar", names, opened)] if names else []
        documents = list_documents(f"{split}.csv", rows, keys, labels, styled.note(split))
        found[split] = LayoutPart("", {}, f"{split}.csv", documents, [split], archives=archives)
    return found
