"""The dedup benchmarks' own parts: copies that are what they are called, grades and pairs by hand."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from benchmarks import dedup, dedup_grades, dedup_peers, dedup_variants, dedup_works, results
from benchmarks.dedup_variants import IMAGEDEDUP, TRANSFORMS, copy_of, opened
from benchmarks.dedup_works import Work

BY_NAME = {transform.name: transform for transform in (*TRANSFORMS, *IMAGEDEDUP)}
FRACTIONS = st.floats(0, 0.15)


def picture(width_px: int, height_px: int, seed: int = 1) -> Image.Image:
    """Soft colours, as JPEG likes them."""
    coarse = np.random.default_rng(seed).integers(0, 256, (6, 6, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize((width_px, height_px), Image.Resampling.BICUBIC)


def off(one: Image.Image, other: Image.Image) -> float:
    """Mean difference, in levels."""
    return float(np.abs(np.asarray(one, float) - np.asarray(other, float)).mean())


# --- variants


@pytest.mark.parametrize("transform", [*TRANSFORMS, *IMAGEDEDUP], ids=lambda transform: transform.name)
@pytest.mark.parametrize("size", [(1, 1), (1, 40), (3, 2), (64, 48)])
def test_every_transform_gives_a_picture_whatever_the_size_and_again_the_same_bytes(transform, size):
    whole = picture(*size)
    copy = copy_of(whole, transform, "key", 1)
    assert all(0 < side <= most for side, most in zip(opened(copy).size, size, strict=True))
    assert copy == copy_of(whole, transform, "key", 1)


@pytest.mark.parametrize("name", ["quality", "scale", "gamma", "hue", "crop-axis", "crop-side", "crop"])
def test_what_is_drawn_depends_on_key_and_seed(name):
    whole = picture(64, 48)
    copies = {copy_of(whole, BY_NAME[name], key, seed) for key in "abc" for seed in (1, 2)}
    assert len(copies) > 3


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("scale-quarter", (50, 40)),
        ("crop-axis-15", (170, 136)),
        ("crop-side-15", (140, 112)),
        ("crop", (175, 140)),
        ("square", (160, 160)),
        ("rotation-25", (200, 160)),
    ],
)
def test_sizes_at_the_ends_of_the_ranges(name, size):
    found = opened(copy_of(picture(200, 160), BY_NAME[name], "key", 1)).size
    assert all(abs(side - wanted) <= 1 for side, wanted in zip(found, size, strict=True))


@pytest.mark.parametrize(
    ("name", "undone"),
    [
        ("quality-30", lambda copy: copy),
        ("mirror", ImageOps.mirror),
        ("horizontal-flip", ImageOps.mirror),
        ("vertical-flip", ImageOps.flip),
        ("square", lambda copy: copy.resize((200, 160))),
        ("scale-quarter", lambda copy: copy.resize((200, 160), Image.Resampling.BICUBIC)),
    ],
)
def test_a_transform_undone_leaves_the_picture(name, undone):
    whole = picture(200, 160)
    assert off(undone(opened(copy_of(whole, BY_NAME[name], "key", 1))), whole) < 4


def test_the_worst_quality_makes_the_smallest_file():
    whole = picture(200, 160)
    sizes = {name: len(copy_of(whole, BY_NAME[name], "key", 1)) for name in ("quality-30", "quality", "gamma")}
    assert sizes["quality-30"] <= min(sizes.values())


@pytest.mark.parametrize("gamma", [0.7, 1.0, 1.4])
def test_gamma_keeps_black_and_white_and_moves_what_lies_between(gamma):
    levels = Image.fromarray(np.array([[[0] * 3, [128] * 3, [255] * 3]], np.uint8))
    black, grey, white = np.asarray(dedup_variants.with_gamma(levels, gamma))[0, :, 0]
    assert (black, white) == (0, 255)
    assert np.sign(int(grey) - 128) == np.sign(1 - gamma)


def test_hue_turns_red_towards_yellow_or_purple_and_leaves_grey():
    two = Image.fromarray(np.array([[[255, 0, 0], [90, 90, 90]]], np.uint8))
    for degrees, channel in ((15, 1), (-15, 2)):
        red, grey = np.asarray(dedup_variants.with_hue(two, degrees))[0]
        assert red[channel] == pytest.approx(255 * 15 / 60, abs=4)
        assert tuple(grey) == (90, 90, 90)


@pytest.mark.parametrize("lost", [(-0.1, 0, 0, 0), (0.5, 0, 0.5, 0), (0, 1, 0, 0)])
def test_no_crop_leaves_nothing(lost):
    with pytest.raises(ValueError, match="expected shares"):
        dedup_variants.cropped(picture(8, 8), *lost)


@given(st.integers(1, 90), st.integers(1, 90), st.tuples(FRACTIONS, FRACTIONS, FRACTIONS, FRACTIONS))
def test_a_crop_takes_no_more_than_its_share_and_less_than_a_pixel_too_little_at_a_side(width_px, height_px, lost):
    left, top, right, bottom = lost
    found = dedup_variants.cropped(Image.new("RGB", (width_px, height_px)), left, top, right, bottom)
    for side_px, was_px, share in ((found.width, width_px, left + right), (found.height, height_px, top + bottom)):
        assert -1e-9 <= side_px - was_px * (1 - share) < 2


# --- works


@pytest.fixture
def originals(tmp_path: Path) -> Path:
    """Two paintings of one style, and a file that is no picture."""
    folder = tmp_path / "originals"
    (folder / "Cubism").mkdir(parents=True)
    for number in range(2):
        picture(40, 30, number).save(folder / "Cubism" / f"some-painter_work-{number}.jpg")
    (folder / "Cubism" / "notes.txt").write_text("no picture")
    return folder


def test_a_folder_without_images_is_refused(tmp_path):
    with pytest.raises(SystemExit, match="expected images"):
        dedup_works.written(tmp_path, tmp_path / "works", TRANSFORMS, 1)


def test_works_are_originals_untouched_and_a_copy_of_each_transform(originals, tmp_path):
    truth = dedup_works.written(originals, tmp_path / "works", TRANSFORMS, 1)
    assert len(truth) == 2 * (1 + len(TRANSFORMS)) == len({work.key for work in truth})
    first = tmp_path / "works" / truth[0].image
    assert first.read_bytes() == (originals / "Cubism" / "some-painter_work-0.jpg").read_bytes()
    rows = dedup_works.rows_of(tmp_path / "works" / "works.csv")
    assert [row["key"] for row in rows] == [work.key for work in truth]
    assert {(row["artist"], row["style"]) for row in rows} == {("some-painter", "Cubism")}
    assert all((tmp_path / "works" / row["image"]).exists() for row in rows)


def test_nothing_is_made_twice_what_is_gone_is_made_again_and_another_seed_is_refused(originals, tmp_path):
    works = tmp_path / "works"
    truth = dedup_works.written(originals, works, TRANSFORMS, 1)
    kept, gone = works / truth[1].image, works / truth[2].image
    was = hashlib.sha256(gone.read_bytes()).digest()
    kept.write_bytes(b"not made again")
    gone.unlink()
    assert dedup_works.written(originals, works, TRANSFORMS, 1) == truth
    assert kept.read_bytes() == b"not made again"
    assert hashlib.sha256(gone.read_bytes()).digest() == was
    with pytest.raises(SystemExit, match="expected an empty folder"):
        dedup_works.written(originals, works, TRANSFORMS, 2)


def test_a_fifth_of_the_images_are_copies_each_of_another_transform(tmp_path):
    truth = [
        Work(f"{number}-{name}", f"{number}-original", name, "", "")
        for number in range(40)
        for name in ("original", *(transform.name for transform in TRANSFORMS))
    ]
    chosen = dedup.a_fifth(truth)
    copies = [work.transform for work in chosen if work.transform != "original"]
    assert (len(chosen), len(copies), len(set(copies))) == (50, 10, 10)
    assert dedup.a_fifth(truth[:1]) == truth[:1]


# --- grades


def work(key: str, relation: str = "") -> Work:
    """`a2` is a copy of `a`."""
    return Work(key, key[0], f"by-{relation}" if relation else "original", relation, f"images/{key}.jpg")


def row(key: str, stays: str | None = None, stage: str | None = None, reason: str = "near_duplicate"):
    stage = "dedup" if stays else stage
    return {
        "record_id": f"works:{key}",
        "stage": stage,
        "reason": reason if stage else None,
        "kept_record_id": f"works:{stays}" if stays else None,
    }


def edge(a: str, b: str, relation: str, is_joined: bool = True, score: float | None = 0.9):
    ends = {"a": f"works:{a}", "b": f"works:{b}"}
    return {**ends, "relation": relation, "is_joined": is_joined, "score": score, "distance_bits": 3}


TRUTH = [work("a"), work("a2", "resized"), work("a3", "cropped"), work("b"), work("b2", "resized")]
GRADES = [
    # nothing at all was kept; rows by name; precision, recall, wrong merges, missed
    ("nothing reached dedup", [row(one.key, stage="fetch", reason="broken_image") for one in TRUTH],
        [], 1.0, 1.0, 0, []),
    ("nothing was dropped", [row(one.key) for one in TRUTH], [], 1.0, 0.0, 0, ["a2", "b2", "a3"]),
    ("all is right", [row("a"), row("a2", "a"), row("a3", "a"), row("b", "b2"), row("b2")], [], 1.0, 1.0, 0, []),
    (
        "the same bytes are a copy, too",
        [row("a"), row("a2", "a", reason="exact_duplicate"), row("a3"), row("b"), row("b2", "b")],
        [], 1.0, 0.66666, 0, ["a3"],
    ),
    (
        "a copy whose original never came counts nowhere",
        [row("a", stage="fetch", reason="broken_image"), row("a2"), row("a3", "a2"), row("b"), row("b2", "b")],
        [], 1.0, 1.0, 0, [],
    ),
    (
        "two works are one cluster",
        [row("a"), row("a2", "a"), row("a3", "a"), row("b", "a"), row("b2", "a")],
        [edge("a", "a2", "resized"), edge("a3", "b", "cropped"), edge("a", "b", "look_alike", is_joined=False)],
        0.5, 1.0, 1, [],
    ),
    (
        "what a later stage drops stayed in dedup",
        [row("a", stage="split", reason="joined_across_splits"), row("a2", "a"), row("a3", "a"), row("b"),
         row("b2", "b")],
        [], 1.0, 1.0, 0, [],
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", GRADES, ids=lambda case: case[0])
def test_grades_by_hand(case):
    _, ledger, edges, precision, recall, wrong, missed = case
    grade = dedup_grades.graded(TRUTH, ledger, edges)
    assert (grade.ratios["precision"], grade.ratios["recall"]) == (precision, recall)
    assert (grade.ratios["wrong_merges"], len(grade.wrong)) == (wrong, wrong)
    assert [one.key for one in grade.missed] == missed


def test_a_row_says_what_was_found_by_a_third_image_and_what_was_called_by_its_name():
    ledger = [row("a"), row("a2", "a"), row("a3", "a"), row("b"), row("b2", "b")]
    edges = [edge("a", "a2", "reencoded"), edge("b", "b2", "resized"), edge("a", "a3", "uncertain")]
    resized, cropped = dedup_grades.graded(TRUTH, ledger, edges).rows
    assert (resized["copies"], resized["found"], resized["directly"], resized["called so"]) == (2, 2, 2, 1)
    assert (cropped["copies"], cropped["found"], cropped["directly"], cropped["called so"]) == (1, 1, 0, 0)


def test_a_share_of_one_means_all():
    assert [dedup_grades.share_of(*counts) for counts in ((0, 0), (999_999, 1_000_000), (3, 3))] == [1.0, 0.99999, 1.0]


def test_the_page_shows_both_pictures_and_escapes_names(tmp_path):
    (tmp_path / "images").mkdir()
    truth = [work("a<"), work("b<")]
    for one in truth:
        picture(300, 200).save(tmp_path / one.image)
    grade = dedup_grades.Grade([], {}, [edge("a<", "b<", "cropped", score=None)], [])
    page = dedup_grades.page_of(grade, truth, tmp_path)
    assert page.count("data:image/jpeg;base64,") == 2
    assert "a&lt; and b&lt;: cropped" in page


# --- sides and figures

GROUP_OF = {"a.jpg": "a", "a2.jpg": "a", "a3.jpg": "a", "b.jpg": "b"}
PAIRS = [
    ([], 1.0, 0.0),
    ([("a.jpg", "b.jpg")], 0.0, 0.0),
    ([("a.jpg", "a2.jpg"), ("a2.jpg", "a.jpg")], 1.0, 0.33333),
    ([("a.jpg", "a2.jpg"), ("a3.jpg", "b.jpg")], 0.5, 0.33333),
    ([("a.jpg", "a2.jpg"), ("a.jpg", "a3.jpg"), ("a2.jpg", "a3.jpg")], 1.0, 1.0),
]


@pytest.mark.parametrize(("pairs", "precision", "recall"), PAIRS)
def test_pairs_are_counted_once_in_either_order(pairs, precision, recall):
    found = dedup.scored(pairs, GROUP_OF)
    assert (found["precision"], found["recall"], found["of"]) == (precision, recall, 3)


def test_a_cluster_of_three_is_three_pairs_and_a_work_alone_is_none():
    cluster = {"a": "a", "a2": "a", "a3": "a", "b": "b"}
    pairs = dedup.pairs_of_clusters(cluster, {key: f"{key}.jpg" for key in cluster})
    assert sorted(pairs) == [("a.jpg", "a2.jpg"), ("a.jpg", "a3.jpg"), ("a2.jpg", "a3.jpg")]


def test_what_imagededup_says_twice_is_one_pair():
    said = {"b": ["a"], "a": ["b", "c"], "c": ["a"], "d": []}
    assert dedup_peers._pairs(said) == [("a", "b"), ("a", "c")]


def test_ratios_are_taken_within_a_round():
    ours, theirs = ([{"work_s": work_s} for work_s in side] for side in ((1, 10, 2), (3, 30, 8)))
    assert dedup.times_as_fast(ours, theirs) == 3.0


def test_speeds_are_medians():
    runs = [{"images": 100, "work_s": work_s, "cpu_s": 2 * work_s} for work_s in (1.0, 4.0, 2.0)]
    assert dedup.speeds(runs) == {"images/s": 50.0, "slowest to fastest": "25.0 to 100.0", "CPU ms/image": 40.0}


def test_sides_run_in_turn_and_every_other_round_backwards():
    order = []
    sides = {
        name: lambda name=name: order.append(name) or {"images": 1, "work_s": 1, "cpu_s": 1}
        for name in ("one", "other")
    }
    assert {side: len(runs) for side, runs in dedup.alternating(sides, 3).items()} == {"one": 3, "other": 3}
    assert order == ["one", "other", "other", "one", "one", "other"]


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [([], []), ([{"a": 1}, {"b": 2, "a": 3}], [{"a": 1, "b": ""}, {"a": 3, "b": 2}])],
)
def test_rows_of_all_parts_fit_into_one_table(rows, wanted):
    assert results.even(rows) == wanted


def test_a_stages_seconds_are_read_from_what_a_build_says():
    said = (
        "fetch: 9 kept, 1 dropped, 10 computed, 2.5 s\nlook-alikes: 9 kept, 0 dropped, 1 computed, 0.1 "
        "s\ndedup: later\n"
    )
    assert dedup_peers.stage_seconds(said) == {"fetch": 2.5, "look-alikes": 0.1}


def test_our_side_sees_every_image_with_and_without_thumbnails(originals, tmp_path):
    dedup_works.written(originals, tmp_path / "works", TRANSFORMS[:1], 1)
    images = tmp_path / "works" / "images"
    for words in ([], ["--without-thumbnails"]):
        found = dedup_peers.child(dedup_peers.sys.executable, "ours", images, *words)
        assert found["images"] == 4
        assert json.dumps(found)


def test_a_side_that_fails_says_why(tmp_path):
    with pytest.raises(SystemExit, match="No such file"):
        dedup_peers.child(dedup_peers.sys.executable, "ours", tmp_path / "nowhere")


def test_the_recipe_is_one_and_asks_for_keys_and_relations():
    from schemas.recipe import Recipe

    read = Recipe.model_validate(dedup_peers.recipe(dedup.KEYS, dedup.DROPS))
    stage = read.stage("dedup")
    assert (stage.by, stage.drop_relations) == (dedup.KEYS, dedup.DROPS)
