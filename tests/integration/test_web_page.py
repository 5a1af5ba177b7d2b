"""Prefect's web page as people use it, in Debian's chromium: a run from the form, values that are refused, what a run
leaves. `make docs-screenshots` keeps its pictures for the docs.
"""

import contextlib
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect, sync_playwright

from tests.support.deployed import events
from tests.support.desk import WEIGHTS
from tests.support.prefect_api import poll
from tests.support.serve import Serve

pytestmark = [pytest.mark.server, pytest.mark.live]
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
PICTURES = os.environ.get("BILDERATLAS_SCREENSHOTS")
WAIT_MS = 60_000
WIDTH_PX, HEIGHT_PX = 1180, 820
_NO_OTHER_HOST = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
"""The page would send telemetry."""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder whose name says nothing of this machine in pictures."""
    with tempfile.TemporaryDirectory(prefix="bilderatlas-") as name:
        yield Path(name)


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory, painted: Path, folder: Path) -> Iterator[Serve]:
    """serve in a folder where the form's defaults are true."""
    (folder / "build").mkdir()
    (folder / "build/museum").symlink_to(painted)
    (folder / "examples/museum/weights").mkdir(parents=True)
    (folder / "examples/museum/weights/figures.onnx").symlink_to(WEIGHTS)
    running = Serve(
        tmp_path_factory.mktemp("prefect"), folder=folder, PREFECT_SERVER_SERVICES_SCHEDULER_LOOP_SECONDS="1"
    )
    with running.until_end():
        yield running


@pytest.fixture(scope="module")
def browser_page(serve: Serve) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", _NO_OTHER_HOST])
        context = browser.new_context(viewport={"width": WIDTH_PX, "height": HEIGHT_PX}, color_scheme="light")
        context.set_default_timeout(WAIT_MS)
        expect.set_options(timeout=WAIT_MS)
        yield context.new_page()
        browser.close()


@pytest.fixture
def page(browser_page: Page, serve: Serve) -> Page:
    browser_page.goto(serve.page)
    return browser_page


def keep_picture(page: Page, name: str, tmp_path: Path, width_px: int = WIDTH_PX) -> None:
    """A picture of the page, or of its left part, for the docs, or of no use but to see that there is one."""
    path = Path(PICTURES or tmp_path) / f"ui-{name}.png"
    page.wait_for_timeout(4_000 if PICTURES else 100)  # graphs and notices come to rest
    data = page.screenshot(animations="disabled", clip={"x": 0, "y": 0, "width": width_px, "height": HEIGHT_PX})
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    picture.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
    assert path.stat().st_size < 100_000


def open_form(page: Page, deployment: str) -> None:
    """From the front page to the form, by what a person clicks."""
    page.get_by_role("link", name="Deployments").click()
    page.get_by_role("link", name=deployment, exact=True).click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Custom run").click()
    expect(page.get_by_label("limit")).to_be_visible()


def runs_by_hand(serve: Serve) -> dict[str, dict[str, Any]]:
    """All builds that no schedule has set, by their ids."""
    found = serve.post("flow_runs/filter", {"flows": {"name": {"any_": ["build_dataset"]}}})
    return {run["id"]: run for run in found if not run["auto_scheduled"]}


def submit(page: Page, serve: Serve) -> str:
    """Start the run of the form; its id.

    A click that only leaves a field may be lost, since the form is drawn anew then: a person clicks once more.
    """
    before = runs_by_hand(serve).keys()

    def started() -> set[str]:
        page.get_by_role("button", name="Submit").click()
        with contextlib.suppress(AssertionError):
            return poll(lambda: runs_by_hand(serve).keys() - before, "a run", timeout_s=15)
        return set()

    page.keyboard.press("Tab")
    (run_id,) = poll(started, "a run that the form has started")
    return str(run_id)


def shown_run(page: Page, serve: Serve, run_id: str, state: str) -> None:
    """Open a run's page, and watch it until it is in that state."""
    page.goto(f"{serve.page}/v2/runs/flow-run/{run_id}")
    expect(page.get_by_text(state, exact=True).first).to_be_visible()
    expect(page.locator("[data-slot=skeleton]")).to_have_count(0)


def scroll_to(shown: Locator) -> None:
    """Bring it into the picture. The page draws its parts anew while it loads: waiting for one to stand still fails."""
    shown.evaluate("element => element.scrollIntoView()")


def artifacts_of(serve: Serve, run_id: str) -> dict[str, dict[str, Any]]:
    """The artifacts of a run, by their keys."""
    found = serve.post("artifacts/filter", {"flow_runs": {"id": {"any_": [run_id]}}})
    return {artifact["key"]: artifact for artifact in found}


@pytest.fixture(scope="module")
def built(browser_page: Page, serve: Serve) -> str:
    """The id of the run that builds first, from the form."""
    browser_page.goto(serve.page)
    open_form(browser_page, "museum")
    browser_page.get_by_label("limit").fill("60")
    return submit(browser_page, serve)


def test_a_build_from_the_form(page, serve, built, tmp_path):
    open_form(page, "museum")
    assert page.get_by_label("images").input_value() == "build/museum"
    keep_picture(page, "form", tmp_path)
    shown_run(page, serve, built, "Completed")
    version = next(path for path in (serve.folder / "store/releases/museum").iterdir() if path.is_dir()).name
    expect(page.get_by_text(f"museum · {version}").first).to_be_visible()
    page.reload()
    expect(page.locator("[data-slot=skeleton]")).to_have_count(0)
    keep_picture(page, "run", tmp_path)


def test_its_artifacts_show_images_and_lead_to_the_report(page, serve, built, tmp_path):
    serve.ended(built)
    artifacts = artifacts_of(serve, built)
    page.goto(f"{serve.page}/v2/artifacts/artifact/{artifacts['museum-release']['id']}")
    expect(page.locator("main img").first).to_be_visible()
    assert page.locator("main img").first.evaluate("image => image.complete && image.naturalWidth > 100")
    scroll_to(page.locator("main img").first)
    keep_picture(page, "release", tmp_path, width_px=830)
    page.get_by_role("link", name="report").click()
    report = page.context.pages[-1]
    expect(report.get_by_role("heading").first).to_contain_text("museum")
    if report is not page:
        report.close()
    page.goto(f"{serve.page}/v2/artifacts/artifact/{artifacts['museum-stages']['id']}")
    expect(page.get_by_text("has-a-figure").first).to_be_visible()


def test_a_second_run_computes_nothing_sends_its_event_and_starts_the_check(page, serve, built, tmp_path):
    serve.ended(built)
    before = len(poll(lambda: events(serve, "dataset.published"), "the event of the first build"))
    open_form(page, "museum")
    page.get_by_label("limit").fill("60")
    again = serve.ended(submit(page, serve))
    assert again["state"]["message"].startswith("nothing to do: ")
    poll(lambda: len(events(serve, "dataset.published")) > before, "an event of the second build")
    (version,) = {event["payload"]["version"] for event in events(serve, "dataset.published")}

    def checks() -> list[dict[str, Any]]:
        asked = {"flows": {"name": {"any_": ["verify_release"]}}}
        runs = serve.post("flow_runs/filter", asked)
        return runs if len(runs) > before and all(run["state"]["type"] == "COMPLETED" for run in runs) else []

    check = poll(checks, "a check of each build", timeout_s=120)[0]
    assert check["name"] == f"museum · verify {version}"
    event = events(serve, "dataset.published")[0]
    page.goto(f"{serve.page}/v2/events/event/{event['occurred'][:10]}/{event['id']}")
    expect(page.get_by_text("dataset.published").first).to_be_visible()
    keep_picture(page, "event", tmp_path)


def test_a_bad_value_stays_in_the_form(page, serve, tmp_path):
    count = serve.post("flow_runs/count", {})
    open_form(page, "museum")
    limit = page.get_by_label("limit")
    limit.fill("-5")
    page.get_by_role("button", name="Submit").click()
    assert "greater than or equal to 1" in limit.evaluate("field => field.validationMessage")
    limit.fill("")
    page.get_by_label("weights").fill("")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("is a required property").or_(page.get_by_text("non-empty")).first).to_be_visible()
    scroll_to(page.get_by_label("images"))
    keep_picture(page, "bad-value", tmp_path)
    assert serve.post("flow_runs/count", {}) == count


def test_a_binding_that_is_not_there_fails_the_run_in_one_sentence(page, serve, tmp_path):
    open_form(page, "museum")
    page.get_by_label("images").fill("nowhere")
    run_id = submit(page, serve)
    run = serve.ended(run_id)
    assert run["state"]["type"] == "FAILED"
    assert "nowhere" in run["state"]["message"]
    shown_run(page, serve, run_id, "Failed")
    page.get_by_role("tab", name="Details").click()
    scroll_to(page.get_by_text(run["state"]["message"]).first)
    keep_picture(page, "failed", tmp_path)


def make_schedule(page: Page, tmp_path: Path) -> None:
    """Each minute, with a limit. A click that only leaves a field may be lost, as in `submit`."""
    page.get_by_role("button", name="Schedule", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("tab", name="Cron").click()
    expect(dialog.get_by_text("Every minute")).to_be_visible()
    keep_picture(page, "schedule", tmp_path)
    dialog.get_by_label("limit").fill("60")
    page.keyboard.press("Tab")

    def saved() -> bool:
        dialog.get_by_role("button", name="Save").click()
        with contextlib.suppress(AssertionError):
            expect(dialog).to_be_hidden(timeout=10_000)
            return True
        return False

    poll(saved, "a dialog that is saved")


def test_a_schedule_is_made_on_the_page_fires_and_is_switched_off(page, serve, built, tmp_path):
    serve.ended(built)
    museum = serve.get("deployments/name/build_dataset/museum")
    page.get_by_role("link", name="Deployments").click()
    page.get_by_role("link", name="museum", exact=True).click()

    def made() -> bool:
        make_schedule(page, tmp_path)
        with contextlib.suppress(AssertionError):
            return bool(poll(lambda: serve.get(f"deployments/{museum['id']}")["schedules"], "it", timeout_s=10))
        return False  # the request of the page may have come to a busy server

    poll(made, "a schedule", timeout_s=60)
    page.reload()
    expect(page.get_by_text("Every minute").first).to_be_visible()

    def fired() -> list[dict[str, Any]]:
        runs = serve.post("flow_runs/filter", {"deployments": {"id": {"any_": [museum["id"]]}}})
        # a run that the server is just making has no state yet
        return [run for run in runs if run["auto_scheduled"] and (run["state"] or {}).get("type") == "COMPLETED"]

    run = poll(fired, "a run by the schedule", timeout_s=150)[0]
    assert run["parameters"]["limit"] == 60
    page.get_by_role("link", name="Deployments").first.click()
    expect(page.get_by_text("Every minute").first).to_be_visible()
    keep_picture(page, "deployments", tmp_path)
    page.get_by_role("link", name="museum", exact=True).click()
    page.get_by_role("tab", name="Description").click()
    expect(page.get_by_text("a later one is cancelled: it has a schedule")).to_be_visible()

    def is_off() -> bool:
        return not serve.get(f"deployments/{museum['id']}")["schedules"][0]["active"]

    def switched_off() -> bool:
        page.get_by_role("complementary").get_by_role("switch").click()
        with contextlib.suppress(AssertionError):
            return poll(is_off, "it", timeout_s=15)
        page.reload()  # a busy server may have refused the request
        return False

    poll(switched_off, "a schedule that is off", timeout_s=90)
    of_museum = {"deployments": {"id": {"any_": [museum["id"]]}}}
    at_work = {**of_museum, "flow_runs": {"state": {"type": {"any_": ["PENDING", "RUNNING", "SCHEDULED"]}}}}
    poll(lambda: serve.post("flow_runs/count", at_work) == 0, "no run of the schedule that is at work", timeout_s=90)


def press_in_menu(page: Page, word: str, is_done: Callable[[], bool]) -> None:
    """Choose it in a run's menu and in the dialog that follows; again where a busy server has refused the request."""

    def pressed() -> bool:
        page.get_by_role("button", name="Open menu").click()
        page.get_by_role("menuitem", name=word).click()
        page.get_by_role("dialog").get_by_role("button", name=word).click()
        with contextlib.suppress(AssertionError):
            return poll(is_done, word, timeout_s=20)
        page.reload()
        return False

    poll(pressed, f"a run after {word}", timeout_s=90)


def test_a_run_is_paused_on_the_page_and_goes_on(page, serve, tmp_path):
    open_form(page, "museum")
    page.get_by_label("part_rows").fill("2")
    page.get_by_label("workers").fill("1")
    run_id = submit(page, serve)
    shown_run(page, serve, run_id, "Running")
    expect(page.get_by_text("fetch · part 1 of").first).to_be_visible()  # before that, a pause would show no part
    press_in_menu(page, "Pause", lambda: serve.run(run_id)["state"]["type"] == "PAUSED")
    page.reload()
    expect(page.get_by_text("fetch · part 1 of").first).to_be_visible()
    keep_picture(page, "paused", tmp_path)
    press_in_menu(page, "Resume", lambda: serve.run(run_id)["state"]["type"] != "PAUSED")
    assert serve.ended(run_id)["state"]["type"] == "COMPLETED"
