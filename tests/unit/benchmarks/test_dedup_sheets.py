"""Sheets that look alike: drawn from the seed alone, different in contents only, with the share of area asked for."""

from functools import partial

import numpy as np
import pytest
from PIL import Image

from benchmarks import dedup_sheets
from benchmarks.dedup_sheets import NEGATIVE, STYLES, in_one_mount, painted

CONTENTS = [painted(np.random.default_rng([7, number]), (120, 100 + 10 * number)) for number in range(4)]
FAMILIES = pytest.mark.parametrize("family", NEGATIVE, ids=lambda family: family.name)


def levels(picture: Image.Image) -> np.ndarray:
    return np.asarray(picture, float)


@pytest.mark.slow
@FAMILIES
def test_members_are_as_many_as_asked_sized_as_promised_different_and_drawn_from_the_seed(family):
    sheets = family.painted(np.random.default_rng(1), 2, CONTENTS)
    again = family.painted(np.random.default_rng(1), 2, CONTENTS)
    assert [one.tobytes() for one in sheets] == [one.tobytes() for one in again]
    assert len(sheets) == len({one.tobytes() for one in sheets}) == 2
    assert all(300 <= min(one.size) <= max(one.size) <= 900 and one.mode == "RGB" for one in sheets)
    assert family.name == "diptych" or len({one.size for one in sheets}) == 1


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("share", [0.15, 0.16, 0.25, 0.4])
def test_a_mount_shows_its_share_of_picture_and_nothing_else_differs(share, style):
    one, other = in_one_mount(np.random.default_rng(2), CONTENTS[:2], share=share, style=style)
    differs = np.abs(levels(one) - levels(other)).max(axis=2) > 0
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    box = (rows[-1] - rows[0] + 1) * (columns[-1] - columns[0] + 1)
    assert box / differs.size == pytest.approx(share, abs=0.01)


def test_a_faint_picture_keeps_its_share_of_contrast():
    picture = CONTENTS[0]
    faint = dedup_sheets.toned_down(picture, 0.2)
    assert levels(faint).std() == pytest.approx(0.2 * levels(picture).std(), rel=0.1)
    assert dedup_sheets.toned_down(picture, 1) is picture


def test_pages_differ_in_words_and_keep_their_margins():
    pages = dedup_sheets.pages_of_text(np.random.default_rng(1), CONTENTS[:2], letter_px=16, columns=2)
    one, other = (levels(page) for page in pages)
    assert (one != other).any(axis=2).mean() > 0.05
    margin_px = pages[0].width // 10
    assert (one[:, :margin_px] == one[0, 0]).all()
    assert (one[:margin_px] == one[0, 0]).all()


def test_one_engraving_is_the_same_on_all_and_the_texts_are_not():
    one, other = map(levels, dedup_sheets.one_engraving_above_texts(np.random.default_rng(1), CONTENTS[:2]))
    assert (one[:360] == other[:360]).all()
    assert (one[360:] != other[360:]).any()


def test_the_parts_of_one_work_are_its_halves():
    left, right = dedup_sheets.diptychs(np.random.default_rng(1), [Image.new("RGB", (100, 80), "red")])
    assert left.size == right.size == (375, 600)


@pytest.mark.parametrize("screen", [dedup_sheets.hatched, dedup_sheets.halftone])
def test_a_screen_is_darker_where_the_picture_is(screen):
    ramp = Image.fromarray(np.tile(np.linspace(0, 255, 200, dtype=np.uint8), (100, 1))).convert("RGB")
    printed = levels(screen(ramp, 5)).mean(axis=(0, 2)).reshape(4, 50).mean(axis=1)
    assert (np.diff(printed) > 10).all()


def test_too_few_contents_are_refused_and_text_needs_none():
    family = dedup_sheets.Sheets("mounts", partial(in_one_mount, share=0.2))
    with pytest.raises(ValueError, match="expected 3 contents or more for 3 works of mounts, got 2"):
        family.painted(np.random.default_rng(1), 3, CONTENTS[:2])
    by_name = {one.name: one for one in NEGATIVE}
    assert len(by_name["text-large"].painted(np.random.default_rng(1), 3, [])) == 3
    assert [by_name[name].contents_for(3) for name in ("text-large", "diptych", "hatched")] == [0, 2, 3]
