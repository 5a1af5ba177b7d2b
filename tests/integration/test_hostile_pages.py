"""Texts as strangers write them, in all pages of a release: titles, artists, styles, rights, dates, and what a recipe
says of its dataset. They are text everywhere, and the release is good.
"""

import csv
import json
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from PIL import Image

from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context
from tasks.core.markdown import DIRECTIONS
from tasks.io.store.releases import Release
from tasks.verify import verify

TEXTS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</td></table></main><h1>x",
    "![a](http://evil.example/a.png)",
    "[b](javascript:alert(1))",
    "<http://evil.example>",
    "| a | b |\n|---|---|\n| c | d |",
    "# heading\n\n## Files",
    "```\n~~~\n    code",
    "---\nlicense: mit\n---",
    "- a: {b: [c, *d]}",
    "&lt;b&gt; &#33;",
    "left \u202eright to left\u202d",
    "\u2067never ended",
    "שלום עולם \u200f(1)",
    "x" * 10_000,
    "bell\x07, escape\x1b[31m, delete\x7f",
    "{title} %s ${HOME} {{x}}",
    "=cmd|' /C calc'!A0",
    "\ufeff\u200bnothing\ufffe",
]
"""Twenty."""
PAGES = ("README.md", "DATASHEET.md", "ATTRIBUTION.md", "CHANGES.md")
LIVE = {"html_block", "html_inline", "image", "link_open", "fence"}


def write_works(folder: Path) -> None:
    """A picture and a row for each text."""
    folder.mkdir()
    with (folder / "works.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["key", "image", "title", "artist", "style", "rights_text", "date_text"])
        for number, text in enumerate(TEXTS):
            Image.effect_noise((90 + number, 80), 60 + number).save(folder / f"{number}.png")
            other = TEXTS[number - 7]
            table.writerow([number, f"{number}.png", text, other, TEXTS[number % 3][:90], other, text])


def recipe_text(seed: int) -> str:
    every = "\n\n".join(TEXTS)
    fields = ("key", "image", "title", "artist", "style", "rights_text", "date_text")
    return json.dumps(  # which is YAML, too
        {
            "name": "hostile",
            "title": TEXTS[0],
            "description": every,
            "seed": seed,
            "about": {"authors": [text[:90] for text in TEXTS], "contact": TEXTS[3], "limitations": every,
                      "citation": every, "answers": {"purpose": every}},
            "bindings": {"images": "pictures"},
            "sources": [
                {"table": {"name": "t", "at": "images", "table": "works.csv", "columns": {one: one for one in fields}}}
            ],
            "stages": ["fetch", "hash", "split", "export"],
        }
    )  # fmt: skip


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """The second of two releases: it has changes against the first."""
    folder = tmp_path_factory.mktemp("hostile")
    write_works(folder / "works")
    for seed in (1, 2):
        (folder / "recipe.yaml").write_text(recipe_text(seed), encoding="utf-8")
        context = Context(store=str(folder / "store"), bindings={"images": str(folder / "works")})
        run_stages(recipe_from_file(str(folder / "recipe.yaml"), (), None), context)
    return Release(f"{folder}/store/releases/hostile/latest")


def test_the_release_is_good_and_keeps_every_text(release: Release):
    assert verify(release.url).problems == ()
    kept = release.rows("images", ["title"])["title"].to_pylist()
    assert len(kept) == len(TEXTS)
    assert {TEXTS[0], TEXTS[12], "x" * 2_000} <= {*kept}, "as they are, up to the length that a text may have"


@pytest.mark.parametrize("path", PAGES)
def test_pages_of_markdown_show_them_as_text(release: Release, path: str):
    _, _, text = release.read(path).decode().rpartition("\n---\n\n")
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    found = {one.type for token in tokens for one in (token, *(token.children or ()))}
    assert not found & LIVE - {"link_open"}
    links = {child.attrGet("href") for token in tokens for child in token.children or () if child.type == "link_open"}
    assert not any(str(link).startswith(("javascript", "http://evil")) for link in links)
    headings = [tokens[place + 1].content for place, one in enumerate(tokens) if one.type == "heading_open"]
    assert "heading" not in headings
    assert not {*DIRECTIONS, "\x1b", "\x07"} & {*text}


def test_the_report_and_croissant_show_them_as_text(release: Release):
    report = release.read("report.html").decode()
    assert "<script" not in report
    assert "onerror=alert" not in report.replace("onerror=alert(1)&gt;", "")
    document = json.loads(release.read("croissant.json"))
    assert document["name"] == TEXTS[0]
    assert b"<" not in release.read("croissant.json")
