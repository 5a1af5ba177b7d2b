"""The benchmark of reduced pictures: which it takes, and what becomes of its rows."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from benchmarks import formats
from tests.support import imagemagick


def test_pictures_are_taken_evenly_and_cut_to_squares(tmp_path: Path):
    (tmp_path / "below").mkdir()
    for number in range(9):
        Image.new("RGB", (6, 4), (number, 0, 0)).save(tmp_path / ("below" if number % 2 else ".") / f"{number}.png")
    (tmp_path / "list.txt").touch()
    squares = list(formats.paintings(tmp_path, 3))
    assert [square.shape for square in squares] == [(4, 4, 3)] * 3
    assert [square[0, 0, 0] for square in squares] == [0, 8, 7]  # files in the folder, then those below


@pytest.mark.skipif(not imagemagick.is_installed(), reason=imagemagick.LACKS)
def test_each_filter_and_size_has_a_row():
    noise = np.random.default_rng(1).integers(0, 256, (2, 300, 300, 3), np.uint8)
    rows = formats.measured(noise, 2)
    assert [(row["filter"], row["px"]) for row in rows] == [
        ("Robidoux", 32),
        ("Robidoux", 256),
        ("RobidouxSharp", 32),
        ("RobidouxSharp", 256),
    ]
    found = formats.ratios(rows)
    assert found["robidoux_most"] <= formats.MOST
    assert 0 < found["robidoux_mean"] <= formats.MEAN
    assert found["vs_imagemagick"] > 0
