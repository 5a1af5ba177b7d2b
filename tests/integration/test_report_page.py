"""The report's page in a real browser: it lays out, works with the keyboard, and saves the verdicts that a build
reads.
"""

import base64
import io
import itertools
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from PIL import Image
from websockets.sync import client  # Prefect brings it along

from schemas.manifests import ReleaseManifest
from tasks.core.dedup.verdicts import parse_verdicts
from tasks.core.report import choice
from tasks.core.report import page as report
from tasks.core.report.clusters import Cluster, RecordPair, ReviewSelection
from tasks.core.report.thumbnails import Thumbnail
from tasks.core.statistics.choice import VIEW, statistics
from tasks.io.files.csv_files import rows_of_verdicts
from tests.support.page_views import CHROMIUM, check_chromium

pytestmark = [pytest.mark.server, pytest.mark.live]

WAIT_S = 30.0

ODD = "s:\U0001f5bc,\"'<&"  # sorts after the next one by code points, before it by UTF-16
LATE = "s:\uff5e"
MANIFEST = ReleaseManifest(
    name="small",
    version="0123456789ab",
    previous=None,
    lineage=1,
    split_sha256="s",
    contract_version="1.0.0",
    content_sha256="c" * 64,
    recipe_sha256="r",
    counts={"records": 9, "kept": 5, "dropped": 4},
    content={},
    files={},
    environment={},
)

_STYLES = [f"{ODD} style {number} of a long name" for number in range(30)]
_WORKS = [
    {
        "record_id": f"s:{at}",
        "stratum": _STYLES[at % 30],
        "artist": f"A{at % 7}",
        "year": 1800 + at,
        "width_px": 3,
        "height_px": 2,
        "figures": at % 9,
    }
    for at in range(90)
]
_VIEW = pa.Table.from_pylist(_WORKS, VIEW)
STATISTICS = statistics({"measured": _VIEW, "before": _VIEW, "after": _VIEW}, pa.array(["train"] * 90), {"train": 1})
PLOTS = ["Works per artist", "Aspect ratios", "Effective number of artists", "Styles and years", "Figures per image"]


def until(found: Callable[[], Any]) -> Any:
    """What is found, as soon as it is anything."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if value := found():
            return value
        time.sleep(0.02)
    raise TimeoutError(f"expected an answer within {WAIT_S} s, got none")


class Tab:
    """A page in the browser, driven through its DevTools protocol."""

    def __init__(self, socket: Any) -> None:
        self.socket, self.numbers, self.session = socket, itertools.count(1), ""
        self.events: list[dict[str, Any]] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for name in ("Page", "Runtime", "DOM", "Network", "Log"):
            self.ask(f"{name}.enable")

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self.numbers)
        session = {"sessionId": self.session} if self.session else {}
        self.socket.send(json.dumps({"id": number, "method": method, "params": params, **session}))
        while (answer := json.loads(self.socket.recv(WAIT_S))).get("id") != number:
            self.events.append(answer)
        assert "error" not in answer, answer
        return dict(answer["result"])

    def open(self, path: Path, width_px: int = 1200) -> "Tab":
        self.ask("Emulation.setDeviceMetricsOverride", width=width_px, height=900, deviceScaleFactor=1, mobile=False)
        self.ask("Page.navigate", url=path.as_uri())
        until(lambda: self.value("document.readyState") == "complete")
        return self

    def value(self, expression: str) -> Any:
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str, text: str = "") -> None:
        codes = {"Tab": 9, " ": 32, "ArrowLeft": 37, "ArrowRight": 39}
        said = {"key": key, "code": key, "windowsVirtualKeyCode": codes.get(key, 0)}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **said, **({"text": text} if text else {}))
        self.ask("Input.dispatchKeyEvent", type="keyUp", **said)

    def choose(self, form: int, word: str) -> None:
        """As by a click on the word."""
        self.value(
            f"document.querySelectorAll('form.verdict')[{form}].querySelector('[value={word}]').parentElement.click()"
        )

    def give_file(self, path: Path) -> str:
        """Open a file of verdicts; what the page then says."""
        self.value("document.querySelector('#verdicts output').value = ''")
        root = self.ask("DOM.getDocument")["root"]["nodeId"]
        node = self.ask("DOM.querySelector", nodeId=root, selector="#verdicts input")["nodeId"]
        self.ask("DOM.setFileInputFiles", files=[str(path)], nodeId=node)
        return str(until(self.says))

    def says(self) -> str:
        return str(self.value("document.querySelector('#verdicts output').value"))

    def chosen(self) -> list[str]:
        return list(
            self.value("[...document.querySelectorAll('form.verdict')].map(form => form.elements.verdict.value)")
        )

    def save(self, folder: Path) -> Path:
        """Press the button; the file that comes."""
        self.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
        self.value("document.querySelector('#verdicts button').click()")
        saved = folder / "verdicts.csv"
        until(lambda: saved.exists() and saved.stat().st_size)  # the file is there before its text
        return saved


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    check_chromium()
    profile = tmp_path_factory.mktemp("profile")
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-extensions",
        "--disable-background-networking",
        "--remote-debugging-port=0",
        f"--user-data-dir={profile}",
        "about:blank",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        found = profile / "DevToolsActivePort"
        port, place = until(lambda: found.exists() and found.read_text().splitlines()[:2])
        with client.connect(f"ws://127.0.0.1:{port}{place}", max_size=None) as socket:
            yield socket
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def tab(browser) -> Iterator[Tab]:
    opened = Tab(browser)
    yield opened
    opened.ask("Page.close")


def picture(width_px: int, height_px: int, colour: str) -> Thumbnail:
    with io.BytesIO() as file:
        Image.new("RGB", (width_px // 4, height_px // 4), colour).save(file, "JPEG")
        data = base64.b64encode(file.getvalue()).decode()
    return Thumbnail(f"data:image/jpeg;base64,{data}", width_px, height_px)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """One cluster with a resized copy, a verdict and equal bytes, and two pairs that were not merged."""
    names = ["s:1", "s:2", "s:3", "s:4", ODD, LATE]
    facts = {
        name: {
            "record_id": name,
            "sha256": name,
            "title": f"<b>{name}</b>",
            "artist": "A",
            "source": "s",
            "source_url": "https://museum.example/1",
            "rights_uri": "NOASSERTION",
            "width_px": 640,
            "height_px": 480,
            "bytes": 99,
            "is_annotated": False,
            "preference": 0,
            "metadata": 1,
            "format": "JPEG",
        }
        for name in names
    }
    copies = (
        RecordPair("s:2", "s:1", "resized", 2, 0.9, None, "x"),
        RecordPair("s:3", "s:1", "resized", 2, 0.9, "copy", "x"),
        RecordPair("s:4", "s:1", "same_file", 0, 1.0, None, "x"),
    )
    apart = (
        RecordPair(ODD, "s:1", "look_alike", 4, 0.5, None, None),
        RecordPair(LATE, ODD, "uncertain", 4, 0.4, None, None),
    )
    thumbnails = {name: picture(640, 480 + 160 * place, "teal") for place, name in enumerate(names)}
    path = tmp_path / "report.html"
    shown = ReviewSelection((Cluster("s:1", None, copies, 0),), 0, apart, 0)
    path.write_text(
        report.report("A set", MANIFEST, [], [], {}, shown, facts, thumbnails, sections=[choice.section(STATISTICS)]),
        encoding="utf-8",
    )
    return path


def read(path: Path) -> dict[tuple[str, str], tuple[str, str]]:
    """As a build reads it: (verdict, note) by pair."""
    table = parse_verdicts("verdicts", rows_of_verdicts("verdicts", str(path)))
    return {(row["a"], row["b"]): (row["verdict"], row["note"]) for row in table.to_pylist()}


@pytest.mark.parametrize("width_px", [1200, 390], ids=["a screen", "a telephone"])
def test_pictures_lie_side_by_side_and_nothing_sticks_out(tab, page, width_px):
    tab.open(page, width_px)
    assert tab.value("document.documentElement.scrollWidth <= innerWidth")
    rows = tab.value(
        "[...document.querySelectorAll('.side')].map(side => [...side.children].map(box => "
        "box.getBoundingClientRect().toJSON()))"
    )
    assert len(rows) == 2
    for left, right in rows:
        assert left["top"] == right["top"]
        assert 0 <= left["left"] < left["right"] < right["left"] < right["right"] <= width_px
    heights = tab.value(
        "[...document.querySelectorAll('.clusters svg, .apart svg')].map(svg => svg.getBoundingClientRect().height)"
    )
    assert set(heights) == {208}


@pytest.mark.parametrize("width_px", [1200, 390], ids=["a screen", "a telephone"])
def test_words_of_a_plot_lie_inside_it(tab, page, width_px):
    outside = tab.open(page, width_px).value(
        "[...document.querySelectorAll('figure.plot svg')].flatMap(svg => {const frame = svg.getBoundingClientRect(); "
        "return [...svg.querySelectorAll('text')].filter(text => {const box = text.getBoundingClientRect(); "
        "return box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1}).map(text "
        "=> text.textContent)})"
    )
    assert outside == []


def test_nothing_is_asked_from_elsewhere_and_nothing_is_complained_of(tab, page):
    tab.open(page)
    tab.choose(0, "copy")
    asked = {
        event["params"]["request"]["url"][:5]
        for event in tab.events
        if event.get("method") == "Network.requestWillBeSent"
    }
    assert asked <= {"file:", "data:"}
    assert "file:" in asked
    assert [event for event in tab.events if event.get("method") in {"Log.entryAdded", "Runtime.exceptionThrown"}] == []


def test_the_policy_stops_what_is_not_the_pages_own(tab, page):
    page.write_text(
        page.read_text(encoding="utf-8").replace("</html>", "<script>document.title = 'taken'</script></html>"),
        encoding="utf-8",
    )
    assert tab.open(page).value("document.title") == "A set"


def test_chosen_and_saved_is_what_a_build_reads(tab, page, tmp_path):
    tab.open(page)
    assert tab.chosen() == ["", "copy", "", ""]  # equal bytes leave nothing to say
    tab.choose(0, "different")
    tab.choose(2, "related")
    tab.choose(3, "copy")
    assert tab.says() == "3 verdicts given here, not saved yet."
    tab.value("document.querySelectorAll('form.verdict')[3].elements.note.focus()")
    tab.ask("Input.insertText", text='the "same", twice')
    saved = tab.save(tmp_path)
    lines = saved.read_bytes().decode().split("\r\n")
    assert lines == [
        "a,b,verdict,note",
        "s:1,s:2,different,",
        "s:1,s:3,copy,",
        's:1,"{}",related,'.format(ODD.replace('"', '""')),
        '{},"{}",copy,"the ""same"", twice"'.format(LATE, ODD.replace('"', '""')),
        "",
    ]
    assert read(saved)[LATE, ODD] == ("copy", 'the "same", twice')
    assert tab.says() == "4 verdicts saved as verdicts.csv, 0 of them from the opened file."


def test_it_works_with_the_keyboard(tab, page, tmp_path):
    tab.open(page)
    tab.value("document.querySelector('form.verdict input').focus()")
    tab.press(" ", " ")
    assert tab.chosen()[0] == "copy"
    tab.press("ArrowRight")
    tab.press("ArrowRight")
    assert tab.chosen()[0] == "different"
    tab.press("Tab")
    assert tab.value("document.activeElement.name") == "note"
    tab.press("Tab")
    assert tab.value("document.activeElement.textContent") == "undo"
    tab.press(" ", " ")
    assert tab.chosen()[0] == ""
    assert tab.says() == "0 verdicts given here."
    assert read(tab.save(tmp_path)) == {("s:1", "s:3"): ("copy", "")}


def test_each_choice_has_a_name_for_who_can_not_see_it(tab, page):
    nodes = tab.open(page).ask("Accessibility.getFullAXTree")["nodes"]
    roles = [(node["role"]["value"], node.get("name", {}).get("value")) for node in nodes if "role" in node]
    assert [name for role, name in roles if role == "radio"] == ["copy", "related", "different"] * 4
    assert ("group", "What are s:1 and s:2 to each other?") in roles
    assert {("image", title) for title in PLOTS} <= set(roles)
    assert {("button", "Save verdicts"), ("image", "s:1: A, <b>s:1</b>"), ("region", "Verdicts")} <= set(roles)


BEFORE = (
    "\ufeffverdict,b,a,note\r\n"
    'related,s:1,s:2,"two ""states"",\r\none plate"\r\n'
    "copy,x:9,x:8,\r\n"
    "different,s:3,s:1,looked again\r\n"
    "copy,x:8,x:9,once more\r\n"
)


def test_what_was_said_before_is_kept(tab, page, tmp_path):
    (tmp_path / "before.csv").write_bytes(BEFORE.encode())
    tab.open(page)
    assert tab.give_file(tmp_path / "before.csv") == "before.csv: 3 verdicts. They will be saved with those given here."
    assert tab.chosen() == ["related", "different", "", ""]  # the file is newer than the release's own verdict
    tab.choose(2, "copy")
    assert read(tab.save(tmp_path)) == {
        ("s:1", "s:2"): ("related", 'two "states",\r\none plate'),
        ("s:1", "s:3"): ("different", "looked again"),
        ("s:1", ODD): ("copy", ""),
        ("x:8", "x:9"): ("copy", "once more"),
    }
    assert tab.says() == "4 verdicts saved as verdicts.csv, 3 of them from the opened file."


def test_what_is_said_now_stands_in_place_of_what_was_said_before(tab, page, tmp_path):
    (tmp_path / "before.csv").write_bytes(BEFORE.encode())
    tab.open(page)
    tab.choose(0, "copy")
    tab.give_file(tmp_path / "before.csv")
    tab.choose(1, "related")
    found = read(tab.save(tmp_path))
    assert found["s:1", "s:2"] == ("copy", 'two "states",\r\none plate')
    assert found["s:1", "s:3"] == ("related", "looked again")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", "expected the columns a,b,verdict,note", id="empty"),
        pytest.param(b"a;b;verdict;note\n", "got 'a;b;verdict;note'", id="another separator"),
        pytest.param(
            b"a,b,verdict,note,who\n", "got 'a,b,verdict,note,who'", id="a column of which the page knows nothing"
        ),
        pytest.param(
            b"a,b,verdict\ns:1,s:2,same\n",
            "row 2: expected two record_ids and one of copy,related,different",
            id="another word",
        ),
        pytest.param(
            b"a,b,verdict\ns:1,s:2,copy\ns:2,s:1,related\n", "row 3: expected one verdict of each pair", id="two words"
        ),
        pytest.param(b"a,b,verdict\ns:1,s:2,copy,x,y\n", "row 2", id="cells too many"),
        pytest.param(b'a,b,verdict\n"s:1,s:2,copy\n', "row 2: a quotation mark", id="a quotation that never ends"),
        pytest.param(b"a,b,verdict\n\xff,s:2,copy\n", "was not opened", id="no text"),
    ],
)
def test_a_file_that_is_none_is_not_opened(tab, page, tmp_path, data, says):
    (tmp_path / "before.csv").write_bytes(data)
    tab.open(page)
    said = tab.give_file(tmp_path / "before.csv")
    assert said.startswith("before.csv was not opened.")
    assert says in said
    assert read(tab.save(tmp_path)) == {("s:1", "s:3"): ("copy", "")}


def test_without_script_all_is_there_but_the_button(tab, page):
    tab.ask("Emulation.setScriptExecutionDisabled", value=True)
    tab.open(page)
    assert tab.value("document.querySelectorAll('.clusters svg, .apart svg').length") == 8
    assert tab.value("getComputedStyle(document.getElementById('verdicts')).display") == "none"
    assert tab.value("document.querySelector('form.verdict input').checkVisibility()")
