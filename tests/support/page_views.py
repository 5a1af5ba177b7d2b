"""What is wrong with a page as people see it: on a phone and on a screen, by day and by night, for who can't see it."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
HEIGHT_PX = 844
WAIT_MS = 60_000


class View(NamedTuple):
    """How a page is looked at."""

    width_px: int
    scheme: str  # light or dark

    def __str__(self) -> str:
        return f"{self.width_px}-{self.scheme}"


VIEWS = [View(*view) for view in product((360, 390, 1280), ("light", "dark"))]

PROBLEMS = """() => {
  const found = [], frame = document.documentElement, wide = innerWidth;
  if (frame.scrollWidth > wide) found.push(`the page is ${frame.scrollWidth} px wide`);
  const name = element => `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} ` +
    `'${element.textContent.slice(0, 40)}'`;
  const scrolls = element => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
  const boxed = element => {  // in a box that scrolls by itself, and that the keyboard reaches
    for (let above = element.parentElement; above; above = above.parentElement)
      if (scrolls(above) && above.tabIndex >= 0) return true;
    return false;
  };
  for (const element of document.body.querySelectorAll('*')) {
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    if (!element.checkVisibility() || style.clipPath !== 'none') continue;
    if (!box.width && !box.height) continue;
    if ((box.left < -1 || box.right > wide + 1) && !boxed(element)) found.push(`sticks out: ${name(element)}`);
    const hides = ['hidden', 'clip'].includes(style.overflowX) && !(element instanceof SVGElement);
    if (hides && element.scrollWidth > element.clientWidth + 1) found.push(`cut: ${name(element)}`);
    if (scrolls(element) && element.scrollWidth > element.clientWidth && element.tabIndex < 0)
      found.push(`out of the keyboard's reach: ${name(element)}`);
  }
  for (const text of document.querySelectorAll('figure.plot text')) {
    const own = text.getBoundingClientRect(), svg = text.ownerSVGElement, box = svg.getBoundingClientRect();
    const inside = own.left >= box.left - 1 && own.right <= box.right + 1 && own.bottom <= box.bottom + 1;
    if (!inside) found.push(`outside its plot: ${name(text)}`);
    const px = parseFloat(getComputedStyle(text).fontSize) * svg.getScreenCTM().a;
    if (px < 9.9) found.push(`${px.toFixed(1)} px high: ${name(text)}`);
  }
  return [...new Set(found)];
}"""
"""What is cut, or sticks out of the page or of its plot, or is too small to be read: sentences."""

CONTRASTS = """() => {
  const channels = colour => colour.match(/[\\d.]+/g).map(Number);
  const luminance = colour => {
    const [r, g, b] = channels(colour).map(part => part / 255)
      .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = luminance(getComputedStyle(document.body).backgroundColor);
  const contrast = colour => {
    const own = luminance(colour);
    return (Math.max(own, paper) + 0.05) / (Math.min(own, paper) + 0.05);
  };
  const found = [], seen = new Set();
  const marks = '.before, .after, .line, .dot-before, .dot-after, .outline, .bar-before, .bar-after, text';
  for (const mark of document.querySelectorAll('figure.plot svg')) for (const part of mark.querySelectorAll(marks)) {
    const style = getComputedStyle(part), isText = part.tagName === 'text';
    const colour = isText || style.stroke === 'none' ? style.fill : style.stroke;
    const kind = `${part.getAttribute('class') ?? 'text'} ${colour}`;
    if (seen.has(kind)) continue;
    seen.add(kind);
    const least = isText ? 4.5 : 3;
    if (!(contrast(colour) >= least)) found.push(`${kind}: ${contrast(colour).toFixed(2)} below ${least}`);
  }
  return found;
}"""
"""Texts and marks of plots that are too pale on the page's own ground (WCAG 2.2, 1.4.3 and 1.4.11): sentences."""

HOLES = """() => {
  const found = [], sheets = document.querySelectorAll('.sheet');
  for (const sheet of sheets) {
    const rows = new Map();
    for (const figure of sheet.querySelectorAll('figure')) {
      const box = figure.querySelector('svg').getBoundingClientRect(), top = Math.round(box.top);
      rows.set(top, [...rows.get(top) ?? [], box]);
    }
    for (const boxes of rows.values()) {
      const heights = boxes.map(box => box.height);
      const differ = Math.max(...heights) - Math.min(...heights) > 2;
      if (differ) found.push(`a row of pictures ${heights.join(', ')} px high`);
    }
  }
  return found;
}"""
"""Rows of pictures in which one is higher than the others: the others have a hole below: sentences."""


def axe_source() -> str:
    """axe-core, as JavaScript."""
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def check_chromium() -> None:
    """Skip the test where there is no Chromium; fail it where there has to be one."""
    if not Path(CHROMIUM).exists():
        lacks = f"the page in a browser: no Chromium at {CHROMIUM} (Debian, as root: make setup-browser)"
        pytest.fail(lacks) if os.environ.get("CI") == "true" else pytest.skip(lacks)


@contextmanager
def opened_browser() -> Iterator[Browser]:
    """Debian's chromium, which reaches nothing outside this machine."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND"]
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened_page(browser: Browser, url: str, view: View) -> Iterator[Page]:
    """A page, in a context of its own."""
    viewport: Any = {"width": view.width_px, "height": HEIGHT_PX}
    context = browser.new_context(viewport=viewport, color_scheme=view.scheme)  # type: ignore[arg-type]
    context.set_default_timeout(WAIT_MS)
    try:
        page = context.new_page()
        page.goto(url)
        yield page
    finally:
        context.close()


def violations(page: Page, axe: str, view: View) -> list[str]:
    """What axe-core finds, all of its rules but the experimental ones: a line for each rule, with its first element.

    Contrasts take it ten times as long as all else, and colours are the same at each width: they are looked at in one.
    """
    page.evaluate(axe)
    rules = {} if view.width_px == VIEWS[2].width_px else {"color-contrast": {"enabled": False}}
    run = "rules => axe.run(document, {resultTypes: ['violations'], rules}).then(results => results.violations)"
    found = page.evaluate(run, rules)
    return [
        f"{one['id']} ({len(one['nodes'])}): {one['nodes'][0]['html'][:200]} {json.dumps(one['nodes'][0]['any'])[:300]}"
        for one in found
    ]


def problems(page: Page, axe: str, view: View) -> list[str]:
    """All that is wrong with a page as it is shown; none where all is right."""
    return [
        *violations(page, axe, view),
        *page.evaluate(PROBLEMS),
        *page.evaluate(CONTRASTS),
        *page.evaluate(HOLES),
    ]
