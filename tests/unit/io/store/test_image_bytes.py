"""Image bytes of row groups, out of a store's blobs."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import DamagedFile
from tasks.io.store.image_bytes import ImageGroup, image_bytes
from tasks.io.store.layout import blob_path
from tasks.io.store.store import Store

BLOBS = [bytes([number]) * size for number, size in enumerate((5, 0, 3000, 70_000, 1))]


def wanted(store: Store, blobs: list[bytes]) -> ImageGroup:
    return ImageGroup([store.write_blob(blob) for blob in blobs], np.array([len(blob) for blob in blobs], np.int64))


@pytest.fixture(params=["local", "memory", "overlay"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    url = f"memory://{tmp_path}" if request.param == "memory" else str(tmp_path)
    return Store(url, is_overlay=request.param == "overlay")


@pytest.mark.parametrize("sizes", [[], [5], [1, 2, 2], [2, 2, 1, 0], [1] * 5])
def test_each_group_holds_its_images_whatever_lies_in_the_groups_beside_it(store: Store, sizes: list[int]):
    ends = np.cumsum(sizes).tolist()
    groups = [BLOBS[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    found = []
    for array in image_bytes(store, (wanted(store, group) for group in groups)):
        array.validate(full=True)
        assert array.type == pa.binary()
        found.append(array.to_pylist())  # copied: the next group may take the place of this
    assert found == groups


def test_memory_serves_every_group_again(store: Store):
    groups = [wanted(store, [BLOBS[3]]) for _ in range(5)]
    addresses = [array.buffers()[2].address for array in image_bytes(store, groups)]
    assert len({*addresses}) == 1


def test_a_blob_that_is_gone_or_damaged_ends_the_writing(store: Store):
    for change in (b"other", BLOBS[2] + b"more", BLOBS[2][:-1], BLOBS[3][:3000]):
        group = wanted(store, [BLOBS[0], BLOBS[2]])
        store.write_bytes(blob_path(group.sha256s[1]), change)
        with pytest.raises(DamagedFile, match="got other bytes"):
            list(image_bytes(store, [group, wanted(store, [BLOBS[0]])]))
        with pytest.raises(DamagedFile, match=r"nothing there|got other bytes"):
            list(image_bytes(store, [group]))
