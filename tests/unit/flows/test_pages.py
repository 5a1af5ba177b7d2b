"""The web server that shows releases, and the links that lead to it."""

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from flows.serve.pages import release_pages
from flows.wall import allowed_names
from tasks.io.store.releases import Release
from tasks.page.artifacts import SETTING, link_to
from tests.support.desk import ROOT

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
RELEASES = ROOT / "tests/contracts/release-2.1.0/releases"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A release in a store whose name has a blank."""
    shutil.copytree(RELEASES, tmp_path / "my store/releases")
    return Path(Release(str(tmp_path / "my store/releases/museum/5e0d073afcaf")).url)


@pytest.fixture
def pages(folder: Path) -> Iterator[str]:
    with release_pages([str(folder.parents[2]), "s3://bucket/store"], "127.0.0.1", 0, allowed_names()) as url:
        yield url


def test_a_link_leads_to_the_file_of_the_release(folder, pages, monkeypatch):
    monkeypatch.setenv(SETTING, pages)
    link = link_to(Release(str(folder)), "report.html")
    assert link.startswith(f"{pages}/")
    page = requests.get(link, timeout=10)
    assert page.content == (folder / "report.html").read_bytes()
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["x-content-type-options"] == "nosniff"
    card = requests.get(link_to(Release(str(folder)), "README.md"), timeout=10)
    assert card.headers["content-type"] == "text/plain; charset=utf-8"
    assert "report.html" in requests.get(link.rpartition("/")[0], timeout=10).text, "a folder is listed"


def test_without_such_a_server_a_link_is_the_place_on_the_disk(folder, monkeypatch):
    monkeypatch.delenv(SETTING, raising=False)
    assert link_to(Release(str(folder)), "report.html") == (folder / "report.html").as_uri()


@pytest.mark.parametrize(
    "path",
    [
        "/etc/hostname",
        "/",
        "{store}/blobs/an-image",
        "{store}/releases/../blobs/an-image",
        "{store}/releases/%2e%2e/blobs/an-image",
        "{store}/releases/museum/out",
        "{store}/releases/museum/" + "x" * 300,
        "{store}/releases/museum/pipe",
        "{store}/releases-of-others/x",
    ],
)
def test_nothing_else_of_the_machine_is_shown(folder, pages, path):
    store = folder.parents[2]
    (store / "blobs").mkdir()
    (store / "blobs/an-image").write_text("an image")
    (store / "releases-of-others").mkdir()
    (store / "releases-of-others/x").write_text("x")
    os.mkfifo(store / "releases/museum/pipe")
    (store / "releases/museum/out").symlink_to(store / "blobs/an-image")
    request = requests.Request("GET", pages).prepare()
    request.url = pages + path.format(
        store=str(store).replace(" ", "%20")
    )  # as it is, whatever a client would make of it
    with requests.Session() as session:
        assert session.send(request, timeout=10).status_code == 404


def test_nothing_can_be_written(folder, pages):
    assert requests.put(f"{pages}{folder}/report.html", data=b"another", timeout=10).status_code == 501


@pytest.mark.parametrize("path", ["/%00", "/a%00.txt", "//[bad/", "/x" * 3000])
def test_an_address_that_is_none_is_not_found(pages, path):
    with socket.create_connection(("127.0.0.1", int(pages.rpartition(":")[2])), timeout=10) as client:
        client.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        assert client.makefile("rb").readline().split()[1] == b"404"


def test_links_in_a_circle_are_not_found_and_a_client_that_leaves_says_nothing(folder, pages, capfd):
    releases = folder.parents[1]
    (releases / "a").symlink_to(releases / "b")
    (releases / "b").symlink_to(releases / "a")
    assert requests.get(f"{pages}{releases / 'a'}", timeout=10).status_code == 404
    (releases / "large").write_bytes(bytes(2**24))
    for _ in range(5):
        with requests.get(f"{pages}{releases / 'large'}", stream=True, timeout=10) as answer:
            answer.raw.read(10)
    assert requests.get(pages + str(folder / "README.md"), timeout=10).ok
    assert capfd.readouterr() == ("", "")


def test_an_ipv6_address_stands_in_brackets_and_one_for_all_is_this_machine(folder):
    for host, reached in (("::1", "http://[::1]:"), ("0.0.0.0", "http://127.0.0.1:")):
        with release_pages([str(folder.parents[2])], host, 0, allowed_names()) as url:
            assert url.startswith(reached)
            assert requests.get(url + str(folder / "README.md").replace(" ", "%20"), timeout=10).ok


def test_a_page_that_stands_for_a_folder_is_not_shown_in_its_place(folder, pages, tmp_path):
    (tmp_path / "secret").write_text("secret")
    (folder / "index.html").symlink_to(tmp_path / "secret")
    shown = requests.get(f"{pages}{folder}/".replace(" ", "%20"), timeout=10)
    assert (shown.status_code, "secret" in shown.text, "report.html" in shown.text) == (200, False, True)
