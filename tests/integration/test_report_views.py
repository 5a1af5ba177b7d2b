"""The report and the card as people see them, in chromium: on a phone and on a screen, by day and by night, with the
releases of the museum, of People-Art and of hostile texts. axe-core finds nothing, and nothing is cut.
"""

import csv
import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, Page

from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context
from tests.support import hostile_texts
from tests.support.desk import RECIPE, ROOT, WEIGHTS
from tests.support.page_views import VIEWS, View, axe_source, check_chromium, opened_browser, opened_page, problems

pytestmark = pytest.mark.live

SHELL = """<!doctype html><html lang=en><meta charset=utf-8><title>The card</title>
<meta name=viewport content='width=device-width,initial-scale=1'><style>
:root{color-scheme:light dark}body{margin:0 1rem;overflow-wrap:break-word;font:16px/1.5 sans-serif}
table{display:block;width:max-content;max-width:100%;overflow:auto;border-collapse:collapse}
td,th{padding:.4rem .8rem;border:1px solid}pre{overflow:auto}</style><main>"""
"""How GitHub and the hub show Markdown, as far as it matters here: tables and code scroll by themselves."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    check_chromium()
    with opened_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def axe() -> str:
    return axe_source()


def write_hostile_museum(painted: Path, folder: Path) -> None:
    """The museum with hostile titles, artists, styles, rights and dates; the key and the image of each work stay."""
    shutil.copytree(painted, folder)
    table = folder / "works.csv"
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    texts = itertools.cycle(hostile_texts.EVERY)
    for place, row in enumerate(rows):
        row["title"], row["artist"] = next(texts), f"{next(texts)} {place % 9}"
        row["style"] = hostile_texts.EVERY[place % 5]
        row["rights_text"], row["date_text"] = next(texts), hostile_texts.EVERY[place % 4]
        row["rights_uri"] = f"https://museum.example/{hostile_texts.LONG if place % 2 else 'terms'}"
        next(texts)
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def hostile_recipe(path: Path) -> Path:
    """The museum's recipe with a hostile title and description, and a hostile category beside the museum's own."""
    recipe: dict[str, Any] = yaml.safe_load(RECIPE.read_text(encoding="utf-8"))
    recipe["title"] = f"Cats & dogs {' '.join(hostile_texts.EVERY)}"
    recipe["description"] = "\n\n".join(hostile_texts.EVERY)
    recipe["categories"] = ["person", f"{hostile_texts.HTML} {hostile_texts.BIDI}"]
    path.write_text(yaml.safe_dump(recipe), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def releases(
    tmp_path_factory: pytest.TempPathFactory, painted: Path, _built: Path, request: pytest.FixtureRequest
) -> dict[str, Path]:
    """The folders of the releases, by name; built when they are first asked for."""
    folder = tmp_path_factory.mktemp("releases")

    def build(name: str, recipe: Path, **bound: Path) -> Path:
        context = Context(store=str(folder / name), bindings={key: str(path) for key, path in bound.items()})
        return Path(run_stages(recipe_from_file(str(recipe)), context)[-1].release)

    class Releases(dict[str, Path]):
        def __missing__(self, name: str) -> Path:
            self[name] = getattr(self, name)()
            return self[name]

        def museum(self) -> Path:
            (release,) = (path for path in (_built / "releases/museum").iterdir() if path.is_dir())
            return release

        def hostile(self) -> Path:
            write_hostile_museum(painted, folder / "works")
            shutil.copytree(_built / "measures", folder / "hostile/measures")
            return build("hostile", hostile_recipe(folder / "recipe.yaml"), images=folder / "works", weights=WEIGHTS)

        def peopleart(self) -> Path:
            data = request.getfixturevalue("shared_data")
            weights = data / "weights/yolox_nano/yolox_nano.onnx"
            recipe = ROOT / "deployments/recipes/peopleart.yaml"
            return build("peopleart", recipe, images=data / "peopleart", weights=weights)

    return Releases()


def card_page(release: Path, folder: Path) -> Path:
    """The card as a page."""
    _, _, text = (release / "README.md").read_text(encoding="utf-8").removeprefix("---\n").partition("\n---\n")
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    path = folder / "card.html"
    for box in ("table", "pre"):
        html = html.replace(f"<{box}>", f"<{box} tabindex=0>")
    path.write_text(f"{SHELL}{html}</main></html>", encoding="utf-8")
    return path


@pytest.mark.parametrize("view", VIEWS, ids=str)
@pytest.mark.parametrize("name", ["museum", "hostile", "peopleart"])
class TestEach:
    def test_report_is_whole_in_its_view(self, browser: Browser, axe: str, releases: Any, name: str, view: View):
        with opened_page(browser, (releases[name] / "report.html").as_uri(), view) as page:
            assert problems(page, axe, view) == []
            ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 24, 27)"}[view.scheme]

    def test_card_is_whole_in_its_view(
        self, browser: Browser, axe: str, releases: Any, name: str, view: View, tmp_path: Path
    ):
        with opened_page(browser, card_page(releases[name], tmp_path).as_uri(), view) as page:
            assert problems(page, axe, view) == []
            uneven = page.evaluate(
                "[...document.querySelectorAll('tr')].filter(row => row.cells.length !== "
                "row.closest('table').rows[0].cells.length).map(row => row.textContent)"
            )
            assert uneven == []


LOOSE = """[...function* () {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) yield walker.currentNode;
}()].filter(node => /[\\u202a-\\u202e\\u2066-\\u2069]/.test(node.data))
.filter(node => !node.parentElement.closest('bdi, svg, script'))
.map(node => node.parentElement.outerHTML.slice(0, 200))"""
"""Texts with signs that turn others around, which nothing keeps by themselves. A text of a drawing stands alone."""


@pytest.fixture
def hostile_page(browser: Browser, releases: Any) -> Iterator[Page]:
    with opened_page(browser, (releases["hostile"] / "report.html").as_uri(), VIEWS[0]) as page:
        yield page


def test_hostile_texts_are_shown_as_texts(hostile_page: Page):
    assert hostile_page.title().startswith("Cats & dogs")
    assert hostile_page.locator("img, iframe, object, embed, link").count() == 0
    assert hostile_page.locator("script").count() == 1  # the page's own, for verdicts
    shown = hostile_page.locator("main").inner_text()
    for part in ("<script>document.title", "[b](javascript:alert(1))", "right to left", "UnbrokenUnbroken"):
        assert part in shown
    assert "\ufffd" in shown
    assert hostile_page.locator("h2", has_text="Copies").count() == 1, "the page goes on behind them"


def test_hostile_texts_turn_nothing_around(hostile_page: Page):
    assert hostile_page.evaluate(LOOSE) == []


def test_the_keyboard_reaches_every_wide_table(hostile_page: Page):
    boxes = hostile_page.locator(".scroll:visible")
    hostile_page.keyboard.press("Tab")
    assert hostile_page.evaluate("document.activeElement.getAttribute('aria-label')") == "What the stages did"
    for place in range(boxes.count()):
        boxes.nth(place).focus()
        assert boxes.nth(place).evaluate("box => box === document.activeElement && !!box.ariaLabel")
