"""The pages of the protocols that read tables, typed as they stand: files, command, and what is printed."""

import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from flows.cli import main
from flows.evaluate import PROTOCOLS
from flows.evaluate.running import settings_of
from schemas.evaluate_figures import KeypointSettings
from tasks.core.evaluate.sketches.poses import sigma_sets
from tasks.io.files import contracts
from tasks.subjects.promises import broken_promises
from tests.support.desk import ROOT
from tests.support.freeze_contracts import PRODUCTS
from tests.support.protocol_pages import PAGES, command, section, type_files

CONTRACTS = contracts.read(str(PRODUCTS["evaluation"]))


def test_there_is_a_page_for_each_protocol():
    assert {page.stem for page in PAGES} == {*PROTOCOLS} - {"detector", "keypoints"}  # which need a release


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_typed_word_for_word_prints_what_it_says(page, tmp_path, monkeypatch, capsys):
    text = section(page)
    monkeypatch.chdir(tmp_path)
    type_files(text, tmp_path)
    assert main(command(text)) == 0
    (printed,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    assert capsys.readouterr().out.rstrip() == printed.rstrip()
    written = {path.name for path in (tmp_path / "build" / page.stem).iterdir()}
    named = set(re.findall(r"`([\w-]+\.(?:md|parquet|svg|json))`", text.rpartition("| file in")[2]))
    absent = {"simplicity.parquet", "strokes.parquet", "strokes-mOKS.svg", "strokes-S_CLIP.svg"}
    assert written >= named - absent, "the example has no ranking and no strokes"
    out = tmp_path / "build" / page.stem
    promised = {name: of for name, of in CONTRACTS.items() if (out / of.path).exists()}
    assert promised
    assert list(broken_promises({name: pq.read_table(out / of.path) for name, of in promised.items()}, promised)) == []


def test_the_guess_for_animals_is_written_out_as_sketches_have_it():
    page = (ROOT / "docs/evaluating/keypoints.md").read_text(encoding="utf-8")
    changes = re.findall(r"--set (keypoints=animal-20)|--set '(sigmas=[^']*0.089\])'", page)
    settings = settings_of(KeypointSettings, ["".join(change) for change in changes])
    assert (settings.keypoints, settings.sigmas) == ("animal-20", sigma_sets()["animal-20-guessed"])


def test_the_museums_raters_are_written_and_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ("museum", "raters", "ratings.parquet", "--seed", "7", "--works", "12", "--each", "8", "--raters", "4")
    assert main([*words]) == 0
    assert capsys.readouterr().out == "raters: ratings.parquet (4 raters, 12 works, seed 7)\n"
    assert main(["evaluate", "raters", "ratings.parquet", "--bootstrap", "10"]) == 0
    assert "| mean of raters |" in capsys.readouterr().out
    assert main(["museum", "raters", "a.parquet", "--seed", "7", "--works", "12", "--each", "13"]) == 2
    assert main(["museum", "raters", "no/such/folder.parquet", "--seed", "7", "--works", "2", "--each", "2"]) == 2
    assert capsys.readouterr().err.count("\n") == 2


def save_pictures(folder: Path, *names: str) -> None:
    folder.mkdir()
    for place, name in enumerate(names):
        Image.new("RGB", (120, 100), (40 * place, 90, 160)).save(folder / name, "PNG")


def test_a_page_shows_where_raters_differ_most(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    type_files(section(ROOT / "docs/evaluating/raters.md"), tmp_path)
    save_pictures(tmp_path / "images", "guitarist", "other.png")
    Path("pictures.csv").write_text("image,file_name\nguitarist,guitarist\nacrobats,missing.png\n")
    words = ("evaluate", "raters", "ratings.csv", "--images", "images", "--pictures", "pictures.csv", "--out", "out")
    assert main([*words, "--bootstrap", "0"]) == 0
    page = Path("out/disagreement.html").read_text()
    assert page.count("data:image/jpeg;base64,") == 3
    assert page.count("(no picture)") == 3
    assert "Cem, acrobats" in page


def test_a_page_shows_the_boxes_that_a_rater_is_compared_with(tmp_path, monkeypatch):
    """Those of the others, not those of all: else the picture may fit where the caption says "missed"."""
    monkeypatch.chdir(tmp_path)
    boxes = ("Ada,a.png,0,0,100,80,", "Ben,a.png,,,,,", "Cem,a.png,0,0,90,80,", "Cem,a.png,95,0,99,9,")
    Path("ratings.csv").write_text("\n".join(["rater,image,x_min,y_min,x_max,y_max,rating", *boxes]) + "\n")
    save_pictures(tmp_path / "images", "a.png")
    colours: list[list[str]] = []

    def draw(_folder: object, _path: str, boxes: list[tuple[object, str]], *, longest_px: int) -> None:
        assert longest_px > 0
        colours.append([colour for _, colour in boxes])

    monkeypatch.setattr("tasks.evaluate.raters.jpeg_of", draw)
    assert main(["evaluate", "raters", "ratings.csv", "--images", "images", "--out", "out", "--bootstrap", "0"]) == 0
    assert "Blue: the consensus of the others" in Path("out/disagreement.html").read_text()
    assert ["#1f5a8a"] * 2 in colours, "Ben drew nothing: all three have one figure at the median, the others two"


def test_where_kid_needs_more_images_all_else_is_printed_and_the_setting_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = section(ROOT / "docs/evaluating/generation.md")
    type_files(text, tmp_path)
    assert main([*command(text), "--set", "kid_subset_size=100"]) == 0
    assert "--set kid_subset_size=3 or less has it" in capsys.readouterr().out
    assert "16.488" in Path("build/generation/generation.md").read_text()


def test_ids_are_checked_where_nothing_is_compared_with_training_images(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    type_files(section(ROOT / "docs/evaluating/generation.md"), tmp_path)
    Path("ids.csv").write_text("id\n7\n8\n7\n")
    words = ("evaluate", "generation", "--system", "ours=probabilities=classes.json,table=ids.csv", "--set", "parts=1")
    assert main([*words]) == 2
    assert capsys.readouterr().err == "bilderatlas: ours, table: expected each id once, got '7' again in row 2\n"
    Path("ids.csv").write_text("id\n7\n8\n9\n")
    assert main([*words]) == 0
    assert "| ours | 1.203 ± 0.000 | 3 |" in capsys.readouterr().out


def test_a_table_may_have_classes_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    type_files(section(ROOT / "docs/evaluating/generation.md"), tmp_path)
    Path("styles.csv").write_text("class\nold\nold\nnew\n")
    words = ("evaluate", "generation", "--system", "ours=probabilities=classes.json,table=styles.csv")
    assert main([*words, "--set", "parts=1"]) == 0
    assert "## ours by class" in capsys.readouterr().out


@pytest.mark.parametrize("numbers", [("k=1", "tau=50"), ("k=[1]", "tau=[50.0]")])
def test_one_k_and_one_tau_need_no_validation_queries(numbers, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    type_files(section(ROOT / "docs/evaluating/recognition.md"), tmp_path)
    words = ("evaluate", "recognition", "--gallery", "gallery.csv", "--test", "test.csv", "--set", "whiten=false")
    sets = [word for number in numbers for word in ("--set", number)]
    assert main([*words, "--system", "mine=gallery.json,test.json", *sets]) == 0
    assert "| mine | 1 | 50 | 3 |" in capsys.readouterr().out


def test_wide_features_have_no_fid_but_all_else(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.save("wide.npy", np.eye(3, 60_000, dtype=np.float16))
    few = [word for name in ("neighbours=1", "density_neighbours=1", "kid_subset_size=2") for word in ("--set", name)]
    assert main(["evaluate", "generation", "--system", "ours=wide.npy", "--reference", "wide.npy", *few]) == 0
    printed = capsys.readouterr().out
    assert "| generator | FID | KID | precision | recall | density | coverage | samples |" in printed
    assert "| ours |  | " in printed
    assert "| 1.000 | 1.000 | 3.000 | 1.000 | 3 |" in printed
    assert "- ours: no FID: features have 60,000 columns; " in printed


def test_a_page_shows_the_nearest_training_images(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = section(ROOT / "docs/evaluating/generation.md")
    type_files(text, tmp_path)
    save_pictures(tmp_path / "made", "0", "1.png", "2.jpg")
    save_pictures(tmp_path / "real", "0", "1", "2")
    words = " ".join(command(text))
    words = words.replace("ours=samples.json", "ours=samples.json,images=made")
    assert main(words.replace("training real.json", "training real.json,images=real").split()) == 0
    page = Path("build/generation/neighbours.html").read_text()
    assert page.count("the sample") == 2 * 3 + 3
    assert page.count("data:image/jpeg;base64,") == 3 + 6 * 3
    assert page.count("(no picture)") == 3 + 6, "the other generator has no pictures, training image 3 has no file"
