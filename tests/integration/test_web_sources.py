"""Sources on the web, end to end: every format of the museum over HTTP, asked once, read again, carried over, gone,
refused.
"""

import csv
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
import yaml

from examples.museum.serve.faults import Faults
from examples.museum.serve.hall import Answer
from examples.museum.serve.server import serving
from examples.museum.serve.works import CatalogueHall
from flows.build_dataset import list_records, plan, run_stages
from flows.recipes import recipe_from_file
from schemas.errors import BadInput, BrokenPromise, Refusal
from schemas.manifests import Context
from tasks.scrape import crawl
from tasks.verify import verify
from tests.support.desk import ROOT, by_label, computed
from tests.support.guesthouse import SECRET, SOURCES, STAGES, Guesthouse

pytestmark = pytest.mark.live

ROWS = 120
MET_API = "collectionapi.metmuseum.org"


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLICKR_IN_TESTS", SECRET)


@pytest.fixture(scope="module")
def museum() -> Iterator[Any]:
    with serving(CatalogueHall(7, ROWS, 6)) as opened:
        yield opened


def test_every_source_is_listed_fetched_and_published_with_its_own_rights(tmp_path, museum):
    desk = Guesthouse(tmp_path)
    steps = desk.build(museum, "first")
    assert steps["fetch"].dropped == {}
    rows = [row for batch in desk.latest.batches("images") for row in batch.to_pylist()]
    by_source = {word: [row for row in rows if row["source"] == word] for word in SOURCES}
    assert {word for word, found in by_source.items() if found} == set(SOURCES)
    assert len(by_source["commons"]) == len(by_source["flickr"]) == len(by_source["wikiart"]) == ROWS
    assert {row["rights_uri"] for row in by_source["met"]} == {"https://creativecommons.org/publicdomain/zero/1.0/"}
    assert {row["rights_uri"] for row in by_source["ukiyoe"]} == {"NOASSERTION"}
    assert all(row["image_url"].startswith("https://") and "127.0.0.1" not in row["image_url"] for row in rows)
    artists = {word: {row["artist"] for row in found} for word, found in by_source.items()}
    assert artists["wikiart"] & artists["artic"] & artists["met"], "one artist has one name in all sources"


def test_a_second_build_asks_each_listing_once_and_nothing_else(tmp_path, museum):
    desk = Guesthouse(tmp_path)
    desk.build(museum, "first")
    before, since = desk.latest.manifest, len(museum.log)
    assert "fetch" not in computed(by_label(plan(desk.recipe(), desk.context(museum.url, "plan"))))
    assert len(museum.log) == since, "a plan asks nobody"
    steps = desk.build(museum, "second")
    asked = desk.asked(museum, since)
    assert set(computed(steps)) == {"scrape"}
    assert desk.latest.manifest == before
    assert len(asked) == len(set(asked))
    assert not [url for url in asked if "/objects/" in url or "ImageJson" in url or url.endswith((".jpg", ".png"))]


def test_a_changed_parser_reads_the_kept_answers_and_asks_for_no_work_again(tmp_path, museum, monkeypatch):
    desk = Guesthouse(tmp_path, "met", "wikiart")
    desk.build(museum, "first")
    version, since = desk.latest.manifest.version, len(museum.log)
    monkeypatch.setattr(crawl, "CODE", "another parser")
    desk.build(museum, "second")
    assert desk.latest.manifest.version == version
    assert not [url for url in desk.asked(museum, since) if "/objects/" in url or "ImageJson" in url]


ATTRIBUTES: dict[str, dict[str, Any]] = {
    "department": {"type": "string", "from": {"met": "department", "artic": "department_title"}},
    "depicts": {"type": "strings", "from": {"met": "tags", "wikiart": "tags"}},
    "image_position": {"type": "integer", "from": {"met": "image_position"}},
    "is_highlight": {"type": "boolean", "from": {"met": "is_highlight"}},
    "width_cm": {"type": "number", "from": {"wikiart": "size_x_cm"}},
    "photographer": {"type": "string", "from": {"flickr": "photographer_id"}},
}


def test_attributes_are_taken_from_kept_answers_and_nobody_is_asked_again(tmp_path, museum):
    words = ("artic", "flickr", "met", "wikiart")
    desk = Guesthouse(tmp_path, *words)
    desk.build(museum, "first")
    plain, since = desk.reasons(), len(museum.log)
    desk = Guesthouse(tmp_path, *words, attributes=ATTRIBUTES)
    desk.build(museum, "second")
    assert not [url for url in desk.asked(museum, since) if "/objects/" in url or "ImageJson" in url]
    assert desk.reasons() == plain, "odd values of an answer cost no record"
    rows = [row for batch in desk.latest.batches("images") for row in batch.to_pylist()]
    given = {name: {row["source"] for row in rows if row[name] is not None} for name in ATTRIBUTES}
    assert given == {name: set(attribute["from"]) for name, attribute in ATTRIBUTES.items()}
    assert {row["department"] for row in rows if row["source"] == "artic"} == {"Prints and Drawings"}
    assert all("Birds" not in (row["depicts"] or ()) or row["source"] in {"met", "wikiart"} for row in rows)
    first = {row["record_id"]: row["image_position"] for row in rows if row["source"] == "met"}
    assert {place for name, place in first.items() if "-" not in name} == {0}
    assert all(place == int(name.rpartition("-")[2]) - 1 for name, place in first.items() if "-" in name)


def test_what_a_source_is_asked_for_besides_changes_its_addresses_alone(tmp_path, museum):
    desk = Guesthouse(tmp_path, "artic", "met")
    desk.build(museum, "first")
    since = len(museum.log)
    more = {"name": "artic", "more_offers": ["medium_display"]}
    attributes = {"medium": {"type": "string", "from": {"artic": "medium_display", "met": "medium"}}}
    desk = Guesthouse(tmp_path, sources=[{"artic": more}, {"met": {"name": "met"}}], attributes=attributes)
    desk.secrets = []
    desk.build(museum, "second")
    asked = desk.asked(museum, since)
    assert [url for url in asked if "medium_display" in url]
    assert not [url for url in asked if "/objects/" in url or url.endswith((".jpg", ".png"))]
    rows = [row for batch in desk.latest.batches("images") for row in batch.to_pylist()]
    assert {row["source"] for row in rows if row["medium"]} == {"artic", "met"}


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ({"type": "string", "from": "departement"}, "of source 'met'.*got 'departement'"),
        ({"type": "string", "from": "tags"}, "expected strings, which source 'met' offers as tags, got string"),
    ],
)
def test_an_attribute_that_a_source_can_not_give_is_refused_before_anybody_is_asked(
    tmp_path, museum, attribute, message
):
    desk, since = Guesthouse(tmp_path, "met", attributes={"x": attribute}), len(museum.log)
    with pytest.raises(BadInput, match=message):
        list_records(desk.recipe(), None, 1, desk.context(museum.url, "alone"))
    assert len(museum.log) == since


def test_a_plan_says_what_would_be_asked_and_asks_nobody(tmp_path, museum):
    desk, since = Guesthouse(tmp_path, "artic"), len(museum.log)
    steps = by_label(plan(desk.recipe(), desk.context(museum.url, "plan")))
    assert steps["scrape"].computed == steps["scrape"].pending == 1
    assert [note for note in steps["scrape"].notes if "listing not requested yet (such as https://" in note]
    assert not [note for note in steps["scrape"].notes if "failed" in note]
    assert len(museum.log) == since
    assert not Path(desk.store).exists()


def test_the_secret_of_a_source_stands_in_no_file_of_the_store(tmp_path, museum):
    desk = Guesthouse(tmp_path, "flickr")
    desk.build(museum, "first")
    files = [path for path in Path(desk.store).rglob("*") if path.is_file()]
    assert len(files) > ROWS
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        pytest.param({"flickr": SECRET}, "env:NAME or file:PATH", id="a secret given as what it is"),
        pytest.param({"flickr": "env:NOT_THERE"}, "got an empty one", id="a variable that is not set"),
        pytest.param({"origins": "elsewhere"}, "binding 'origins': expected host=http", id="origins that are none"),
        pytest.param(
            {"origins": ""}, "binding 'contact': expected your e-mail address", id="a public host without a contact"
        ),
    ],
)
def test_what_hosts_must_be_told_is_asked_for_before_anything_runs(tmp_path, museum, bound, message):
    desk = Guesthouse(tmp_path, "flickr")
    with pytest.raises(BadInput, match=message) as caught:
        list_records(desk.recipe(), None, 1, desk.context(museum.url, "x", **bound))
    assert SECRET not in str(caught.value)


def test_scrape_alone_shows_records_of_one_source(tmp_path, museum):
    desk = Guesthouse(tmp_path, "artic", "met")
    step, lines = list_records(desk.recipe(), "met", 2, desk.context(museum.url, "alone"))
    assert len(lines) == 2
    assert '"source": "met"' in lines[0]
    assert step.kept > 50
    with pytest.raises(BadInput, match="expected one of"):
        list_records(desk.recipe(), "louvre", 2, desk.context(museum.url, "alone"))


def test_a_limit_asks_for_so_many_works_only(tmp_path, museum):
    desk, since = Guesthouse(tmp_path, "wikiart", limit=5), len(museum.log)
    steps = desk.build(museum, "limited")
    assert steps["fetch"].kept == 5
    assert sum("ImageJson" in url for url in desk.asked(museum, since)) == 5


# --- law 4


def test_what_a_complete_listing_no_longer_has_is_gone_and_comes_back(tmp_path):
    desk = Guesthouse(tmp_path, "flickr", max_loss_fraction=0.6)
    counts = []
    for rows in (120, 100, 120):
        with serving(CatalogueHall(7, rows, 6)) as opened:
            desk.build(opened, f"{len(counts)}")
        reasons = list(desk.reasons().values())
        counts.append((len(reasons), reasons.count("gone")))
    assert counts == [(120, 0), (120, 20), (120, 0)]


def test_a_listing_that_fails_this_time_is_stood_in_for_by_what_was_said_before(tmp_path, museum):
    desk = Guesthouse(tmp_path, "artic", manners={"rate_per_s": 2000, "tries": 1})
    desk.build(museum, "first")
    version = desk.latest.manifest.version
    with serving(CatalogueHall(7, ROWS, 6), faults=Faults(1.0, answer_kinds=("server_error",))) as broken:
        steps = desk.build(broken, "second")
    assert any("the earlier answer is used" in note for note in steps["scrape"].notes)
    assert desk.latest.manifest.version == version


def test_records_that_a_failed_listing_did_not_reach_are_carried_over(tmp_path, museum):
    desk = Guesthouse(tmp_path, "artic", manners={"rate_per_s": 2000, "tries": 1})
    desk.build(museum, "first")
    before = desk.reasons()
    for path in Path(desk.store).glob("retrievals/artic-web/*"):  # no older answer is left to stand in
        path.unlink()
    with serving(CatalogueHall(7, ROWS, 6), faults=Faults(1.0, answer_kinds=("server_error",))) as broken:
        steps = desk.build(broken, "second")
    assert any("are carried over" in note for note in steps["scrape"].notes)
    kept = [name for name, reason in before.items() if reason is None]
    assert {name: desk.reasons()[name] for name in kept} == dict.fromkeys(kept)


def test_a_first_listing_that_fails_publishes_nothing(tmp_path):
    desk = Guesthouse(tmp_path, "artic", manners={"rate_per_s": 2000, "tries": 1})
    faults = Faults(1.0, answer_kinds=("server_error",))
    with (
        serving(CatalogueHall(7, ROWS, 6), faults=faults) as broken,
        pytest.raises((Refusal, BadInput), match="failed; requested again"),
    ):
        desk.build(broken, "first")
    assert not Path(desk.store, "releases").exists()


def test_too_many_failures_in_passing_publish_nothing_and_the_next_build_asks_for_these_alone(tmp_path, museum):
    desk = Guesthouse(tmp_path, "artic", manners={"rate_per_s": 2000, "tries": 1})
    with serving(
        CatalogueHall(7, ROWS, 6), faults=Faults(0.2, image_kinds=("server_error",), answer_kinds=())
    ) as broken:
        with pytest.raises(Refusal, match="fail for reasons that may pass"):
            desk.build(broken, "first")
        arrived = {visit.target for visit in broken.log if visit.status == 200 and visit.host == "www.artic.edu"}
    since = len(museum.log)
    steps = desk.build(museum, "second")
    images = [url.removeprefix("www.artic.edu") for url in desk.asked(museum, since) if url.startswith("www.artic.edu")]
    assert steps["fetch"].dropped == {}
    assert not set(images) & arrived
    assert len(images) == steps["fetch"].computed < ROWS / 2


def test_a_listing_of_another_shape_stops_the_build_and_is_quoted(tmp_path):
    desk = Guesthouse(tmp_path, "artic")
    by_host = {"api.artic.edu": lambda hall, request: Answer(body=b'{"works": "have moved"}')}
    with (
        serving(CatalogueHall(7, ROWS, 6), by_host=by_host) as changed,
        pytest.raises(BrokenPromise, match=r"source 'artic': .*works"),
    ):
        desk.build(changed, "first")


def test_a_listing_that_is_refused_makes_nothing_gone(tmp_path, museum):
    desk = Guesthouse(tmp_path, "surrealism", max_loss_fraction=1.0)
    desk.build(museum, "first")
    before = desk.reasons()
    closed = {"surrealism.website": ("/artist-",)}
    with serving(CatalogueHall(7, ROWS, 6), disallow=closed) as shut:
        steps = desk.build(shut, "second")
    assert any("failed permanently" in note for note in steps["scrape"].notes)
    assert desk.reasons() == before


def test_what_is_wrong_with_one_source_is_said_before_the_others_are_done(tmp_path, museum):
    desk = Guesthouse(
        tmp_path, "commons", "met", manners={"rate_per_s": 2000, "hosts": {MET_API: {"rate_per_s": 0.01}}}
    )
    missing = {"categories": ("Nothing of this name",)}
    recipe = desk.recipe()
    wrong = recipe.sources[0].model_copy(update=missing)
    with pytest.raises(BrokenPromise, match="Nothing of this name"):
        run_stages(recipe.model_copy(update={"sources": (wrong, recipe.sources[1])}), desk.context(museum.url, "wrong"))


@pytest.mark.server
def test_an_interrupt_ends_a_slow_scrape_at_once(tmp_path, museum):
    desk = Guesthouse(tmp_path, "met", manners={"rate_per_s": 0.2})
    desk.recipe()
    command = [sys.executable, "-m", "flows.cli", "scrape", str(tmp_path / "recipe.yaml"), "--store", desk.store]
    since = len(museum.log)
    process = subprocess.Popen(
        [*command, "--bind", f"origins=*={museum.url}"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    until_s = time.monotonic() + 60
    while len(museum.log) == since and time.monotonic() < until_s:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert said.splitlines()[-1].startswith("bilderatlas: interrupted")


def test_scrape_alone_asks_for_the_bindings_of_its_source_only(tmp_path, museum):
    desk = Guesthouse(tmp_path, "flickr", "artic")
    context = desk.context(museum.url, "alone")
    without = context.model_copy(update={"bindings": {"origins": context.bindings["origins"]}})
    step, _ = list_records(desk.recipe(), "artic", 1, without)
    assert step.kept > 0
    with pytest.raises(BadInput, match="binding 'flickr'"):
        list_records(desk.recipe(), "flickr", 1, without)


# --- opt-outs

POLICY = "https://museum.example/policy.json"
OPTED_OUT = {
    "noimageai": "X-Robots-Tag: noimageai",
    "content_usage": "Content-Usage: train-ai=n",
    "content_signal": "Content-Signal: ai-train=no",
    "tdm_reservation": f"TDM: 1, policy {POLICY}",
    "robots_content_usage": "robots.txt Content-Usage: /no-usage/ train-ai=n",
    "robots_content_signal": "robots.txt Content-Signal: /no-signal/ ai-train=no",
    "tdmrep": f"tdmrep.json: /reserved/ 1, policy {POLICY}",
}


def counted_on_card(release: Any) -> dict[str, int]:
    """Records by signal, of the card's table."""
    section = release.read("README.md").decode().partition("## Opt-outs\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return {cells[0]: int(cells[1]) for cells in rows[2:]}


def test_every_signal_of_a_host_is_honoured_and_counted_on_the_card(tmp_path):
    faults = Faults(0.1, image_kinds=tuple(OPTED_OUT), answer_kinds=())
    desk = Guesthouse(tmp_path, "artic")
    with serving(CatalogueHall(7, ROWS, 6), faults=faults) as museum:
        desk.build(museum, "first")
        since = len(museum.log)
        desk.build(museum, "second")
        assert not [url for url in desk.asked(museum, since) if url.startswith("www.artic.edu/iiif")]
    places = {row["record_id"]: row["locator"] for row in desk.latest.records().to_pylist()}
    details = {}
    for row in desk.latest.ledger().to_pylist():
        if row["reason"] == "opted_out":
            fault = faults.of(places[row["record_id"]].removeprefix("https://"), "image")
            assert fault is not None
            assert row["detail"] == OPTED_OUT[fault.kind.name]
            details[row["record_id"]] = row["detail"]
        else:
            assert row["kept"] or row["stage"] == "scrape"
    assert set(details.values()) == set(OPTED_OUT.values())
    assert counted_on_card(desk.latest) == Counter(detail.partition(":")[0] for detail in details.values())
    assert verify(desk.latest.url).problems == ()


def test_a_work_whose_own_page_opts_out_is_not_asked_for_its_image(tmp_path):
    kinds = {"page_noai": "meta robots: noai", "page_tdm": "meta tdm-reservation: 1"}
    faults = Faults(0.3, image_kinds=(), answer_kinds=tuple(kinds))
    desk = Guesthouse(tmp_path, "ukiyoe", max_loss_fraction=1.0)
    with serving(CatalogueHall(7, 10 * ROWS, 6), faults=faults) as museum:
        steps = desk.build(museum, "first")
        asked = set(desk.asked(museum))
    rows = [row for row in desk.latest.ledger().to_pylist() if row["reason"] is not None]
    assert {row["stage"] for row in rows} == {"scrape"}
    for row in rows:
        page = f"ukiyo-e.org/image/{row['record_id'].removeprefix('ukiyoe:')}"
        fault = faults.of(page, "object")
        assert fault is not None
        assert (row["reason"], row["detail"]) == ("opted_out", kinds[fault.kind.name])
        assert page in asked
        assert not [url for url in asked if url.startswith("data.") and page.rpartition("/")[2] in url]
    assert {row["detail"] for row in rows} == set(kinds.values())
    assert steps["scrape"].dropped == {"opted_out": len(rows)}
    assert counted_on_card(desk.latest) == Counter(row["detail"].partition(":")[0] for row in rows)


def test_an_opt_out_that_comes_later_counts_when_the_image_is_asked_for_again(tmp_path):
    hall, faults = CatalogueHall(7, ROWS, 6), Faults(1.0, image_kinds=("content_usage",), answer_kinds=())
    desk = Guesthouse(tmp_path, "artic")
    with serving(hall) as museum:
        desk.build(museum, "first")
    with serving(hall, faults=faults) as museum:
        desk.build(museum, "second")
        assert set(desk.reasons().values()) == {None, "bad_record"}
        stages = [{"fetch": {"refresh": "all"}}, *STAGES[1:]]
        desk = Guesthouse(tmp_path, "artic", stages=stages, max_loss_fraction=1.0)
        with pytest.raises(Refusal, match="every record was dropped"):
            desk.build(museum, "third")


# --- hostile images


def test_hostile_images_are_drops_with_their_reasons_and_touch_nothing_outside(tmp_path):
    lasting = {
        "to_this_machine": "not_allowed",
        "to_metadata": "not_allowed",
        "to_file": "not_allowed",
        "loop": "redirect_loop",
        "pixel_bomb": "too_many_pixels",
        "ten_gb_promised": "too_many_bytes",
        "gzip_bomb": "too_many_bytes",
        "svg": "unsupported_format",
        "page_for_image": "not_an_image",
        "empty": "empty_file",
        "noai": "opted_out",
        **dict.fromkeys(OPTED_OUT, "opted_out"),
        "robots_disallow": "robots_disallow",
        "not_found": "not_found",
        "forbidden": "http_error",
        "truncated": "broken_image",
        "nasty_name": None,
    }
    faults = Faults(1.0, image_kinds=tuple(lasting), answer_kinds=())
    desk = Guesthouse(tmp_path, "artic", max_transient_fraction=1.0)
    with serving(CatalogueHall(7, ROWS, 6), faults=faults) as hostile:
        desk.build(hostile, "first")
    places = {row["record_id"]: row["locator"] for row in desk.latest.records().to_pylist()}
    ledger = desk.latest.ledger().filter(pc.not_equal(pc.fill_null(desk.latest.ledger()["stage"], "none"), "scrape"))
    met = set()
    for row in ledger.to_pylist():
        fault = faults.of(places[row["record_id"]].removeprefix("https://"), "image")
        assert fault is not None
        met.add(fault.kind.name)
        assert row["reason"] == lasting[fault.kind.name], (fault.kind.name, row["detail"])
    assert met == set(lasting)
    assert {path.name for path in tmp_path.iterdir()} == {"store", "recipe.yaml"}
    assert not list(Path(desk.store, "tmp").iterdir())


def test_a_table_that_names_private_addresses_reaches_none_of_them(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        port = listener.getsockname()[1]
        places = [
            f"http://127.0.0.1:{port}/1.jpg",
            f"http://localhost:{port}/2.jpg",
            f"http://[::1]:{port}/3.jpg",
            f"http://0.0.0.0:{port}/4.jpg",
            f"http://2130706433:{port}/5.jpg",
            "http://169.254.169.254/6.jpg",
            f"http://[::ffff:127.0.0.1]:{port}/7.jpg",
        ]
        images = tmp_path / "images"
        images.mkdir()
        with (images / "works.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("key", "image"), *((str(n), place) for n, place in enumerate(places))])
        plain = {
            "name": "web",
            "bindings": {"images": "a folder"},
            "stages": STAGES,
            "sources": [{"table": {"name": "t", "table": "works.csv", "columns": {"key": "key", "image": "image"}}}],
        }
        path = tmp_path / "recipe.yaml"
        path.write_text(yaml.safe_dump(plain), encoding="utf-8")
        bindings = {"images": str(images), "contact": "curator@museum.example"}
        context = Context(store=str(tmp_path / "store"), bindings=bindings, run=str(tmp_path))
        with pytest.raises(Refusal, match="every record was dropped"):
            run_stages(recipe_from_file(str(path)), context)
        with pytest.raises(TimeoutError):
            listener.accept()
