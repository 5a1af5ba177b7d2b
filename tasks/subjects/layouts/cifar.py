"""`<name>-<styles>-python.tar.gz`, `...-binary.tar.gz` and `<name>-<styles>.csv`, as ArtBench-10 is published.

train lies in five batches, each other split in one. Rows are in the order of their ids, which are hashes: so each batch
has of all styles, however the release lies.
"""

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from schemas.errors import BadInput
from schemas.phrases import counted
from tasks.core.artbench import artbench_list, style_labels
from tasks.core.cifar import (
    MOST_CLASSES,
    SIDE_PX,
    TRAIN_BATCHES,
    batch_sizes,
    binary_batch,
    planes,
    python_batch,
    python_meta,
)
from tasks.core.unpack import file_name
from tasks.io.files.tar_files import TarFile
from tasks.io.images.decode import picture
from tasks.io.store.releases import Release
from tasks.subjects.layouts.parts import ImageArchive, LayoutFile, LayoutPart, LayoutRequest, Row, damage_unless
from tasks.subjects.layouts.styled import styled_rows


class _Form(NamedTuple):
    """One of both forms: how its archive's name ends, and what its files are called and hold."""

    ending: str
    folder: str
    batch: str
    pack: Callable[[list[bytes], list[int]], bytes]
    about: tuple[str, bytes]


class _Batches:
    """An archive of batches. Images come in any order: a batch is written when it, and all before it, are whole."""

    def __init__(
        self, path: str, form: _Form, labels: Mapping[int, int], batch_of: Mapping[int, tuple[str, int]]
    ) -> None:
        self._tar, self._form, self._labels, self._batch_of = TarFile(path, is_compressed=True), form, labels, batch_of
        self._open, self._whole = dict[str, dict[int, bytes]](), dict[str, bytes]()
        self._left = [*dict.fromkeys(name for name, _ in batch_of.values())]
        self._tar.add(f"{form.folder}/{form.about[0]}", form.about[1])

    def add(self, image_id: int, name: str, data: bytes) -> None:
        batch, size = self._batch_of[image_id]
        pictures = self._open.setdefault(batch, {})
        pictures[image_id] = _planes(data)
        if len(pictures) == size:
            ids = sorted(pictures)
            packed = self._form.pack([pictures[number] for number in ids], [self._labels[number] for number in ids])
            self._whole[batch] = packed
            del self._open[batch]
        while self._left and self._left[0] in self._whole:
            self._tar.add(f"{self._form.folder}/{self._left[0]}", self._whole.pop(self._left.pop(0)))

    def close(self) -> None:
        self._tar.close()


@functools.lru_cache(maxsize=1)  # both forms ask for each picture, one after the other
def _planes(data: bytes) -> bytes:
    return planes(picture(data, SIDE_PX**2).pixels())


def parts(release: Release, request: LayoutRequest) -> dict[str, LayoutPart]:
    """One part with all splits. Raises BadInput for more styles than a byte can count, and for some splits alone: the
    archives have all.
    """
    if request.splits:
        raise BadInput("--split: expected none with --layout cifar, whose archives have all splits, got one")
    styled = styled_rows(release, LayoutRequest(request.form))
    for of in styled.rows.values():
        of.sort(key=lambda row: row["image_id"])
    if len(styled.folders) > MOST_CLASSES:
        raise BadInput(f"--layout cifar: expected at most {MOST_CLASSES} styles, got {len(styled.folders)}")
    rows = [row for split in sorted(styled.rows, key=_rank) for row in styled.rows[split]]
    label_of = style_labels(styled.folders)
    classes = [name for _, name in sorted((label_of[style], name) for style, name in styled.folders.items())]
    labels = {row["image_id"]: label_of[row["style"]] for row in rows}
    names = {row["image_id"]: damage_unless(release, file_name, row["image_id"], "PNG") for row in rows}
    stem = f"{release.manifest.name}-{len(classes)}"
    largest = max(batch_sizes(len(styled.rows.get("train", ())), TRAIN_BATCHES))
    python = _Form("python", f"{stem}-batches-py", "", python_batch, ("meta", python_meta(classes, largest)))
    about = ("batches.meta.txt", "".join(f"{name}\n" for name in classes).encode())
    binary = _Form("binary", f"{stem}-batches-bin", ".bin", binary_batch, about)
    archives = []
    for form in (python, binary):
        batch_of = {number: batch for split, of in styled.rows.items() for number, batch in _batches(split, of, form)}
        opened = functools.partial(_Batches, form=form, labels=labels, batch_of=batch_of)
        archives.append(ImageArchive(f"{stem}-{form.ending}.tar.gz", names, opened, request.form.rendition))
    documents = _documents(styled.rows, names, label_of, f"{stem}.csv", [styled.note(split) for split in styled.rows])
    return {release.manifest.name: LayoutPart("", {}, f"{stem}.csv", documents, [*styled.rows], archives=archives)}


def _rank(split: str) -> tuple[int, str]:
    return ({"train": 0, "test": 2}.get(split, 1), split)


def _batches(split: str, rows: list[Row], form: _Form) -> Iterator[tuple[int, tuple[str, int]]]:
    """The batch of each image, and how many images that has."""
    sizes = batch_sizes(len(rows), TRAIN_BATCHES if split == "train" else 1)
    names = [f"data_batch_{number}" for number in range(1, len(sizes) + 1)] if split == "train" else [f"{split}_batch"]
    numbers = iter(row["image_id"] for row in rows)
    for name, size in zip(names, sizes, strict=True):
        for _ in range(size):
            yield next(numbers), (f"{name}{form.batch}", size)


def _documents(
    rows: Mapping[str, list[Row]], names: dict[int, str], labels: dict[str, int], path: str, notes: list[str]
) -> Callable[[], Iterator[LayoutFile]]:
    def documents() -> Iterator[LayoutFile]:
        places = {row["image_id"]: place for of in rows.values() for place, row in enumerate(of)}
        sized = [{**row, "width_px": SIDE_PX, "height_px": SIDE_PX} for of in rows.values() for row in of]
        sizes = sorted({*batch_sizes(len(rows.get("train", ())), TRAIN_BATCHES)})
        uneven = f"train's {TRAIN_BATCHES} batches have {' or '.join(map(str, sizes))} images" if len(sizes) > 1 else ""
        others = [split for split in rows if split not in {"train", "test"}]
        more = f"{counted(len(others), 'split')} that CIFAR does not know: {', '.join(others)}" if others else ""
        note = "; ".join(filter(None, [uneven, more, *notes]))
        yield LayoutFile(path, artbench_list(sized, names, labels, places).encode(), note)

    return documents
