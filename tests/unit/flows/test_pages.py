"""The web server that shows releases."""

import pytest
import requests

from flows.serve.pages import release_pages

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def test_files_of_a_release_can_be_read_and_nothing_else_of_the_store(tmp_path):
    folder = tmp_path / "releases/museum/0123456789ab"
    folder.mkdir(parents=True)
    (folder / "report.html").write_text("<p>über", encoding="utf-8")
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs/secret").write_text("an image")
    with release_pages(str(tmp_path), "127.0.0.1") as url:
        page = requests.get(f"{url}/museum/0123456789ab/report.html", timeout=10)
        assert (page.text, page.headers["content-type"]) == ("<p>über", "text/html; charset=utf-8")
        for path in ("/../blobs/secret", "/%2e%2e/blobs/secret", "/museum/../../blobs/secret", "/blobs/secret"):
            request = requests.Request("GET", f"{url}/x").prepare()
            request.url = f"{url}{path}"
            with requests.Session() as session:
                assert session.send(request, timeout=10).status_code == 404
        assert requests.put(f"{url}/museum/x", data=b"", timeout=10).status_code == 501


@pytest.mark.parametrize("store", ["s3://bucket/store", "gs://bucket"])
def test_a_store_that_is_no_folder_has_no_pages(store):
    with release_pages(store, "127.0.0.1") as url:
        assert url is None
