"""Files and rows that are no records, from the folder to the card; and what a plan sees of files before the build."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from flows.build_dataset import plan, run_stages
from flows.recipes import recipe_from_file
from schemas.errors import BadInput
from schemas.manifests import Context, Step
from tasks.io.store.releases import Release
from tasks.page.terminal import plan_summary
from tasks.why import why
from tests.support.desk import by_label
from tests.support.images import encoded

FOLDER = 'folder: {name: art, at: images, pattern: "{title}.jpg"}'
TABLE = "table: {name: art, at: images, table: works.csv, columns: {key: id, image: file}}"


def picture(number: int) -> bytes:
    """A JPEG that is no copy of any of another number."""
    colours = [(37 * number % 256, 91 * place % 256, 53 * number * place % 256) for place in range(64 * 48)]
    image = Image.new("RGB", (64, 48))
    image.putdata(colours)
    return encoded(image, "JPEG")


def fill(folder: Path, *names: str) -> None:
    for number, name in enumerate(names, 1):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(picture(number))


def recipe_and_context(tmp_path: Path, source: str) -> Any:
    head = f"name: works\nbindings: {{images: A folder}}\nsources:\n  - {source}\n"
    text = head + "stages:\n  - fetch: {}\n  - hash: {}\n  - split: {}\n  - export: {}\n"
    (tmp_path / "works.yaml").write_text(text)
    context = Context(store=str(tmp_path / "store"), bindings={"images": str(tmp_path / "in")})
    return recipe_from_file(str(tmp_path / "works.yaml")), context


def built(tmp_path: Path, source: str) -> dict[str, Step]:
    return by_label(run_stages(*recipe_and_context(tmp_path, source)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a report: ten JPEGs by their names, and what lies beside them."""
    folder = tmp_path / "in"
    fill(folder, "a.jpg", "b.JPG", "c.jpeg", "d.Jpeg", "e.JPE", "f.jpg.jpg", "g .jpg", ".h.jpg", "i.webp", "sub/j.jpg")
    for name in ("notes.txt", "Thumbs.db", "k.pdf", "l.heic"):
        (folder / name).write_bytes(b"no image")
    (folder / "m.jpg").write_bytes(b"")
    (folder / "n.jpg").symlink_to("a.jpg")
    return folder


SENTENCE = (
    "source 'art': 9 of 16 files give no record: texts and documents (2: 'k.pdf', 'notes.txt'); "
    "files that end in .jpg, in deeper folders than '{title}.jpg' says (1: 'sub/j.jpg'); "
    "hidden files and files of the system (1: 'Thumbs.db'); image files that end in .heic (1: 'l.heic'); "
    "image files that end in .jpe (1: 'e.JPE'); image files that end in .jpeg (2: 'c.jpeg', 'd.Jpeg'); "
    "image files that end in .webp (1: 'i.webp')"
)


def test_the_folder_of_a_report(folder: Path, tmp_path: Path):
    steps = by_label(plan(*recipe_and_context(tmp_path, FOLDER)))
    (sentence,) = steps["scrape"].notes
    assert sorted(sentence.split(": ", 2)[2].split("; ")) == sorted(SENTENCE.split(": ", 2)[2].split("; "))
    assert sentence in plan_summary(list(steps.values()))
    assert steps["fetch"].dropped == {"empty_file": 1}
    assert steps["fetch"].notes == ("fetch: a build would drop 1 of 7 local files: empty_file (1: 'm.jpg')",)
    assert not (tmp_path / "store" / "releases").exists()

    steps = built(tmp_path, FOLDER)
    release = Release(steps["export"].release)
    assert steps["scrape"].notes == (sentence,)
    assert set(release.ledger()["record_id"].to_pylist()) == {
        f"art:{name}" for name in ("a.jpg", "b.JPG", "f.jpg.jpg", "g .jpg", ".h.jpg", "m.jpg", "n.jpg")
    }
    assert steps["fetch"].dropped == {"empty_file": 1}
    card = (Path(release.url) / "README.md").read_text()
    assert "| art | image files that end in .jpeg | 2 | 16 files |" in card
    with pytest.raises(BadInput, match=r"the source's pattern '\{title\}\.jpg' does not take this path"):
        why(release.url, "art:c.jpeg")


def test_what_is_passed_over_is_no_content(folder: Path, tmp_path: Path):
    before = Release(built(tmp_path, FOLDER)["export"].release)
    (folder / "more.txt").write_bytes(b"more")
    steps = built(tmp_path, FOLDER)
    assert "10 of 17 files give no record" in steps["scrape"].notes[0]
    assert (steps["export"].release, steps["export"].computed) == (before.url, 0)


def test_rows_of_a_table_and_images_that_no_row_names(tmp_path: Path):
    folder = tmp_path / "in"
    fill(folder, "a.jpg", "b.jpg", "c.jpg")
    (folder / "works.csv").write_text("id,file\n1,a.jpg\n\n1,a.jpg\nid,file\n2,b.jpg\n3,gone.jpg\n")
    steps = built(tmp_path, TABLE)
    assert sorted(steps["scrape"].notes) == [
        "source 'art': 1 of 4 files gives no record: images that no row names (1: 'c.jpg')",
        "source 'art': 3 of 6 rows give no record: empty lines (1: 'line 3'); rows equal to another one, so that they "
        "are one (1: 'art:1'); rows that are the table's first line again (1: 'line 5')",
    ]
    assert steps["fetch"].dropped == {"not_found": 1}


def test_a_plan_looks_at_local_files_once_and_not_at_those_that_the_store_has(tmp_path: Path):
    folder = tmp_path / "in"
    fill(folder, *(f"{number}.jpg" for number in range(5)))
    (folder / "page.jpg").write_bytes(b"<!DOCTYPE html>")
    rows = [f"{number},{number}.jpg" for number in range(8)]
    (folder / "works.csv").write_text("\n".join(["id,file", *rows, "8,page.jpg"]))
    steps = by_label(plan(*recipe_and_context(tmp_path, TABLE)))
    assert steps["fetch"].dropped == {"not_an_image": 1, "not_found": 3}
    assert steps["fetch"].computed == steps["fetch"].pending == 5
    in_place = "an HTML page, as servers send for errors and log-ins, not the file itself: download it again"
    assert steps["fetch"].notes == (
        "fetch: a build would drop 4 of 9 local files: not_an_image (1: 'page.jpg'); "
        "not_found (3: '5.jpg', '6.jpg', '7.jpg')",
        f"fetch: 'page.jpg' is {in_place}",
    )
    assert built(tmp_path, TABLE)["fetch"].dropped == {"not_an_image": 1, "not_found": 3}
    assert by_label(plan(*recipe_and_context(tmp_path, TABLE)))["fetch"].notes == (f"fetch: 'page.jpg' is {in_place}",)


def test_two_sources_of_one_folder_pass_over_what_neither_takes(tmp_path: Path):
    fill(tmp_path / "in", "a.jpg", "b.jpeg", "c.png")
    two = FOLDER + '\n  - folder: {name: more, at: images, pattern: "{title}.jpeg"}'
    assert built(tmp_path, two)["scrape"].notes == (
        "sources 'art' and 'more': 1 of 3 files gives no record: image files that end in .png (1: 'c.png')",
    )
