"""Prefect's web page as people use it, in Debian's chromium: a run from the form, values that are refused, what a run
leaves. `make docs-screenshots` keeps its pictures for the docs.
"""

import io
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from tests.support.desk import WEIGHTS
from tests.support.prefect_server import poll
from tests.support.serve import Serve

pytestmark = [pytest.mark.server, pytest.mark.live]
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
PICTURES = os.environ.get("BILDERATLAS_SCREENSHOTS")
WAIT_MS = 60_000
_NO_OTHER_HOST = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
"""The page would send telemetry."""


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory, painted: Path) -> Iterator[Serve]:
    """serve in a folder where the form's defaults are true, so that its pictures show no place of this machine."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "build").mkdir()
    (folder / "build/museum").symlink_to(painted)
    (folder / "examples/museum/weights").mkdir(parents=True)
    (folder / "examples/museum/weights/figures.onnx").symlink_to(WEIGHTS)
    running = Serve(tmp_path_factory.mktemp("prefect"), folder=folder)
    try:
        running.until_ready()
        yield running
    finally:
        running.stop()
    running.log.check()


@pytest.fixture(scope="module")
def browser_page(serve: Serve) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", _NO_OTHER_HOST])
        context = browser.new_context(viewport={"width": 1180, "height": 820}, color_scheme="light")
        context.set_default_timeout(WAIT_MS)
        expect.set_options(timeout=WAIT_MS)
        yield context.new_page()
        browser.close()


@pytest.fixture
def page(browser_page: Page, serve: Serve) -> Page:
    browser_page.goto(serve.page)
    return browser_page


def keep_picture(page: Page, name: str, tmp_path: Path) -> None:
    """A picture of the page for the docs, or of no use but to see that there is one."""
    path = Path(PICTURES or tmp_path) / f"ui-{name}.png"
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    picture.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
    assert path.stat().st_size < 100_000


def open_form(page: Page, deployment: str) -> None:
    """From the front page to the form, by what a person clicks."""
    page.get_by_role("link", name="Deployments").click()
    page.get_by_role("link", name=deployment, exact=True).click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Custom run").click()
    expect(page.get_by_label("limit")).to_be_visible()


def submit(page: Page, serve: Serve, name: str) -> str:
    """Start the run of the form, under that name; its id."""
    page.get_by_label("Run Name").fill(name)
    page.get_by_role("button", name="Submit").click()

    def found() -> list[str]:
        return [run["id"] for run in serve.post("flow_runs/filter", {"flow_runs": {"name": {"any_": [name]}}})]

    return poll(found, "a run that the form has started")[0]


def open_run(page: Page, serve: Serve, run_id: str) -> None:
    page.goto(f"{serve.page}/v2/runs/flow-run/{run_id}")


def test_a_build_from_the_form(page, serve, tmp_path):
    open_form(page, "museum")
    keep_picture(page, "form", tmp_path)
    assert page.get_by_label("images").input_value() == "build/museum"
    page.get_by_label("limit").fill("60")
    run_id = submit(page, serve, "first")
    open_run(page, serve, run_id)
    expect(page.get_by_text("Completed", exact=True).first).to_be_visible()
    keep_picture(page, "run", tmp_path)
    page.get_by_role("tab", name="Artifacts").click()
    keep_picture(page, "artifacts", tmp_path)
    assert serve.ended(run_id)["state"]["type"] == "COMPLETED"


def test_a_bad_value_stays_in_the_form(page, serve, tmp_path):
    count = serve.post("flow_runs/count", {})
    open_form(page, "museum")
    limit = page.get_by_label("limit")
    limit.fill("-5")
    page.get_by_role("button", name="Submit").click()
    assert "greater than or equal to 1" in limit.evaluate("field => field.validationMessage")
    keep_picture(page, "bad-value", tmp_path)
    limit.fill("")
    page.get_by_label("device").fill("gpu")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("does not match").first).to_be_visible()
    keep_picture(page, "bad-device", tmp_path)
    assert serve.post("flow_runs/count", {}) == count


def test_a_binding_that_is_not_there_fails_the_run_in_one_sentence(page, serve, tmp_path):
    open_form(page, "museum")
    page.get_by_label("images").fill("nowhere")
    run_id = submit(page, serve, "nowhere")
    run = serve.ended(run_id)
    assert run["state"]["type"] == "FAILED"
    assert "nowhere" in run["state"]["message"]
    open_run(page, serve, run_id)
    expect(page.get_by_text("Failed").first).to_be_visible()
    keep_picture(page, "failed", tmp_path)
