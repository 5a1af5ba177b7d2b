"""Servers that refuse: an outage in which a host answers 404 to all is over once it is over, and what is odd but whole
comes.
"""

import contextlib
import io
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from flows.build_dataset import run_stages
from flows.cli import main
from flows.recipes import recipe_from_file
from schemas.manifests import Context
from tasks.io.store.releases import Release
from tests.support.desk import by_label
from tests.support.servers import Site, answer, serving

pytestmark = pytest.mark.live

STAGES = ["fetch", "hash", {"split": {"by": None}}, "export"]


def png(colour: int) -> bytes:
    sink = io.BytesIO()
    Image.effect_noise((40 + colour, 40), 90).convert("RGB").save(sink, "PNG")
    return sink.getvalue()


class Collection:
    """A table of images at two hosts, the store that it is built in, and the server that stands for both hosts."""

    def __init__(self, folder: Path, site: Site) -> None:
        self.folder, self.site, self.number = folder, site, 0
        rows = [f"{host}{n},http://{host}.example/{n}.png" for host in "ab" for n in range(4)]
        (folder / "works.csv").write_text("\n".join(["key,image", *rows]))
        table = {"name": "s", "at": "images", "table": "works.csv", "columns": {"key": "key", "image": "image"}}
        recipe = {
            "name": "t",
            "bindings": {"images": "i"},
            "manners": {"rate_per_s": 1000},
            "sources": [{"table": table}],
            "stages": STAGES,
        }
        (folder / "r.yaml").write_text(yaml.safe_dump(recipe))
        for host in "ab":
            self.heal(host)

    def heal(self, host: str) -> None:
        for n in range(4):
            self.site.at(f"/{n}.png", answer(body=png(n + 9 * (host == "a"))), host=f"{host}.example")

    def fail(self, host: str, with_: Any) -> None:
        for n in range(4):
            self.site.at(f"/{n}.png", with_, host=f"{host}.example")

    def build(self, *changes: str, part_rows: int = 100) -> tuple[int, int, tuple[str, ...]]:
        """How many images are kept, how many were asked for, and what is said."""
        self.number += 1
        recipe = recipe_from_file(str(self.folder / "r.yaml"), changes)
        context = Context(
            store=str(self.folder / "store"),
            bindings={"images": str(self.folder), "origins": f"*={self.site.url}"},
            run=f"{self.folder} {self.number}",
            part_rows=part_rows,
            command=("bilderatlas", "build", "my recipe.yaml"),
        )
        since = len(self.site.seen)
        step = by_label(run_stages(recipe, context))["fetch"]
        return step.kept, sum(path.endswith(".png") for path, _ in self.site.seen[since:]), step.notes


@pytest.fixture
def collection(tmp_path):
    with serving() as site:
        yield Collection(tmp_path, site)


OUTAGES = [
    pytest.param(answer(404, b"no"), "not_found", id="404"),
    pytest.param(answer(403, b"no"), "http_error", id="403"),
    pytest.param(answer(200, b"<html>We will be back soon"), "not_an_image", id="a page for all"),
    pytest.param(answer(302, b"", Location="/0.png"), "redirect_loop", id="all lead to one"),
]


@pytest.mark.parametrize(("outage", "reason"), OUTAGES)
@pytest.mark.parametrize("part_rows", [1, 100])
def test_after_an_outage_the_same_command_has_all_images(collection, outage, reason, part_rows):
    collection.fail("b", outage)
    kept, _, notes = collection.build(part_rows=part_rows)
    assert kept == 4
    assert notes == (
        f"fetch: 4 images were refused (4 {reason}), and no image came from b.example in this build, so that the next "
        "build asks again: `bilderatlas build 'my recipe.yaml'`",
    )
    collection.heal("b")
    assert collection.build(part_rows=part_rows)[::2] == (8, ())


def test_a_refusal_that_two_builds_have_met_is_final_and_the_sentence_asks_again(collection):
    collection.fail("b", answer(404, b"no"))
    collection.build()
    kept, asked, notes = collection.build()
    assert (kept, asked) == (4, 4)
    assert notes == (
        "fetch: 4 images were refused (4 not_found) for good; to ask again: `bilderatlas build 'my recipe.yaml' --set "
        "stages.fetch.refresh=failed`",
    )
    collection.heal("b")
    assert collection.build()[:2] == (4, 0)
    assert collection.build("stages.fetch.refresh=failed")[::2] == (8, ())


def test_a_refusal_of_a_host_that_sends_others_is_final_at_once(collection):
    collection.site.at("/2.png", answer(404, b"no"), host="b.example")
    kept, _, notes = collection.build(part_rows=1)
    assert (kept, len(notes)) == (7, 1)
    assert "1 image was refused (1 not_found) for good" in notes[0]
    collection.heal("b")
    assert collection.build()[:2] == (7, 0)


def test_an_outage_while_all_is_refreshed_takes_nothing_for_good(collection):
    assert collection.build()[0] == 8
    collection.fail("b", answer(404, b"no"))
    assert collection.build("stages.fetch.refresh=all", "max_loss_fraction=1")[0] == 4
    collection.heal("b")
    assert collection.build()[0] == 8


def test_a_folder_that_was_not_mounted_is_read_once_it_is(collection):
    rows = (collection.folder / "works.csv").read_text().splitlines()
    (collection.folder / "works.csv").write_text("\n".join([*rows, "c0,far/0.png"]))
    assert collection.build()[0] == 8
    (collection.folder / "far").mkdir()
    (collection.folder / "far/0.png").write_bytes(png(30))
    assert collection.build()[0] == 9


def test_the_command_that_is_told_can_be_typed(tmp_path, capfd):
    with serving() as site:
        collection = Collection(tmp_path, site)
        collection.fail("b", answer(404, b"no"))
        collection.site.at("/2.png", answer(404, b"no"), host="a.example")
        words = ["build", str(tmp_path / "r.yaml"), "--store", str(tmp_path / "a store")]
        words += ["--bind", f"images={tmp_path}", "--bind", f"origins=*={site.url}"]
        assert main(words) == 0
        told = capfd.readouterr().out
        commands = [shlex.split(line.split("`")[1]) for line in told.splitlines() if line.startswith("fetch: ")]
        assert commands == [["bilderatlas", *words], ["bilderatlas", *words, "--set", "stages.fetch.refresh=failed"]]
        for host in "ab":
            collection.heal(host)
        assert main(commands[0][1:]) == 0
        assert sum(Release(f"{tmp_path}/a store/releases/t/latest").ledger()["kept"].to_pylist()) == 7
        assert main(commands[1][1:]) == 0
        assert sum(Release(f"{tmp_path}/a store/releases/t/latest").ledger()["kept"].to_pylist()) == 8


def test_odd_but_whole_answers_come_and_the_others_say_why(tmp_path, shared_data):
    """Interim answers, a label that is no packing, a cookie, an address without its scheme."""
    there = shared_data / "reports/web"
    server = subprocess.Popen([sys.executable, there / "server.py"])
    try:
        _wait_for("127.0.0.1", 18473)
        bindings = {"images": str(there / "in"), "origins": "*=http://127.0.0.1:18473", "contact": "me@example.org"}
        recipe = recipe_from_file(str(there / "r.yaml"))
        run_stages(recipe, Context(store=str(tmp_path), bindings=bindings, run=str(tmp_path)))
    finally:
        server.terminate()
        server.wait()
    rows = Release(f"{tmp_path}/releases/t/latest").ledger().to_pylist()
    same = ["s:b", "s:d", "s:e"]  # the same bytes as a's; no stage of this recipe drops copies
    assert {row["record_id"]: row["reason"] for row in rows if row["record_id"] in {"s:a", *same}} == dict.fromkeys(
        ["s:a", *same]
    )
    (cookie,) = [row for row in rows if row["record_id"] == "s:c"]
    assert (cookie["reason"], cookie["detail"]) == (
        "redirect_loop",
        "redirects to itself; it sets a cookie, and cookies are not sent back",
    )


def _wait_for(host: str, port: int) -> None:
    import socket

    until_s = time.monotonic() + 20
    while time.monotonic() < until_s:
        with contextlib.suppress(OSError), socket.create_connection((host, port), 1):
            return
        time.sleep(0.05)
    raise AssertionError(f"expected a server at {host}:{port} within 20 s, got none")
