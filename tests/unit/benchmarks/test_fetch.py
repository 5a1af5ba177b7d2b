"""The download benchmark's own parts: images that differ and decode, a server that gives exactly them, figures by
hand.
"""

import hashlib
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import simplejpeg

from benchmarks import fetch, fetch_pictures

ROOT = Path(__file__).resolve().parents[2]
PICTURES = [
    fetch_pictures.encoded(fetch_pictures.texture(64, 48, np.random.default_rng(seed)), quality=80) for seed in (1, 2)
]


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the two pictures are served."""
    folder = tmp_path_factory.mktemp("pictures")
    for number, picture in enumerate(PICTURES):
        (folder / f"{number:03}.jpg").write_bytes(picture)
    command = [sys.executable, "-m", "benchmarks.fetch_server", str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        server.kill()


def test_no_images_come_from_no_pictures():
    with pytest.raises(IndexError):
        fetch_pictures.image(0, [])


def test_each_image_has_bytes_of_its_own_and_its_pictures_pixels_and_libjpeg_warns_of_none():
    images = [fetch_pictures.image(number, PICTURES) for number in range(6)]
    assert len({hashlib.sha256(image).hexdigest() for image in images}) == 6
    for number, image in enumerate(images):
        mine, whole = (simplejpeg.decode_jpeg(data, strict=True) for data in (image, PICTURES[number % 2]))
        assert np.array_equal(mine, whole)


@pytest.mark.parametrize("wanted_bytes", [1, 2500, 10**9])
def test_a_picture_gets_as_close_to_the_wanted_bytes_as_its_quality_allows(wanted_bytes):
    rgb = fetch_pictures.texture(64, 48, np.random.default_rng(3))
    sizes = [len(fetch_pictures.encoded(rgb, quality)) for quality in range(30, 100)]
    least = min((size for size in sizes if size >= wanted_bytes), default=sizes[-1])
    assert len(fetch_pictures.of_size(rgb, wanted_bytes)) == least


@pytest.mark.parametrize("path", ["/", "/robots.txt", "/x.jpg", "/.jpg", "/7.png"])
def test_the_server_has_nothing_but_images(origin, path):
    with pytest.raises(urllib.error.HTTPError) as found:
        urllib.request.urlopen(origin + path)
    with found.value as answer:
        assert (answer.code, answer.read()) == (404, b"")


@pytest.mark.parametrize("number", [0, 1, 7, 999_999])
def test_the_server_gives_the_very_bytes(origin, number):
    with urllib.request.urlopen(f"{origin}/{number}.jpg") as answer:
        assert answer.read() == fetch_pictures.image(number, PICTURES)


def test_one_connection_takes_many_requests_and_a_head_has_no_body(origin):
    with socket.create_connection(("127.0.0.1", int(origin.rsplit(":", 1)[1])), timeout=5) as connection:
        connection.sendall(b"HEAD /3.jpg HTTP/1.1\r\n")
        connection.sendall(b"\r\n")
        length = len(fetch_pictures.image(3, PICTURES))
        head = f"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: {length}\r\n\r\n".encode()
        assert connection.recv(65536) == head
        connection.sendall(b"GET /3.jpg HTTP/1.1\r\nConnection: close\r\n\r\n")
        assert b"".join(iter(lambda: connection.recv(65536), b"")) == head + fetch_pictures.image(3, PICTURES)


def test_a_row_has_medians_and_a_start_is_not_counted_as_an_images_cpu():
    runs = [
        {"work_s": work_s, "whole_s": 10.0, "cpu_s": 2.92, "start_cpu_s": 1.0, "server_cpu_s": 0.1}
        for work_s in (1.0, 2.0, 4.0)
    ]
    row = fetch._row("ours", runs, images=200, image_bytes=1_000_000, settings="")
    assert (row["images/s"], row["slowest to fastest"], row["MB/s"]) == (100.0, "50.0 to 200.0", 100.0)
    assert (row["CPU ms/image"], row["server's CPU ms/image"], row["images/s of the whole process"]) == (
        10.0,
        0.5,
        20.0,
    )


def test_ratios_are_taken_within_a_round():
    def runs(*seconds: float) -> list[fetch.Run]:
        return [{"work_s": work_s, "whole_s": 2 * work_s + 1} for work_s in seconds]

    found = fetch._ratios(
        {
            fetch.FOUND: runs(4, 40, 6),
            fetch.DOWNLOADER: runs(2, 20, 2),
            fetch.PLAIN: runs(4, 4, 4),
            fetch.BOUND: runs(1, 10, 1),
            fetch.UNCOPIED: runs(0.5, 5, 0.5),
        }
    )
    assert found == {
        "vs_img2dataset": 2.0,
        "vs_img2dataset_whole_process": 1.976,
        "of_bound": 0.5,
        "of_bound_without_copy": 0.25,
        "plain_of_bound": 0.25,
    }
