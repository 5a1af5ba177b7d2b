"""The server: hosts, keep-alive, HEAD, conditions, limits, log, rate, and its command."""

import contextlib
import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import requests
from protego import Protego

from examples.museum.serve import house
from examples.museum.serve import routes as table
from examples.museum.serve.hall import Answer, Hall, Request
from examples.museum.serve.images import Picture
from examples.museum.serve.limiter import Limiter
from examples.museum.serve.server import Serving, serving
from examples.museum.serve.site import Visit
from examples.museum.serve.wire import BadRequest, head_from_bytes
from examples.museum.serve.works import CatalogueHall

HALL = CatalogueHall(7, 250, paintings=3)
KEY = HALL.entry(9).key
BIG = bytes(range(256)) * 40_000


def _odd(hall: Hall, request: Request) -> Answer | None:
    """A source of the tests' own."""
    if request.path == "/big":
        return Answer(body=BIG, content_type="text/plain")
    if request.path == "/broken":
        raise ZeroDivisionError
    if request.path == "/tagged":
        return Answer(body=b"{}", headers={"ETag": '"mine"'})
    if request.path == "/robots.txt":
        return Answer(body=b"User-agent: *\nDisallow: /own/\n", content_type="text/plain")
    if request.path == "/echo":
        return Answer(body=json.dumps([request.host, request.path, dict(request.query), request.method]).encode())
    if request.path == "/echo/ü b":
        return Answer(body=json.dumps(request.headers.get("x-odd")).encode())
    return None


ROUTES = {"museum.example": house.answer, "odd.example": _odd}


@pytest.fixture(scope="module")
def museum() -> Iterator[Serving]:
    with serving(HALL, by_host=ROUTES) as open_museum:
        yield open_museum


def _get(
    museum: Serving, path: str, host: str = "odd.example", method: str = "GET", **headers: str
) -> requests.Response:
    return requests.request(
        method, museum.url + path, headers={"Host": host, **headers}, timeout=10, allow_redirects=False
    )


def _talk(museum: Serving, said: bytes, answers: int = 1) -> bytes:
    """What comes back until the connection ends, or so many answers are there."""
    data = b""
    with socket.create_connection(("127.0.0.1", int(museum.url.rpartition(":")[2])), timeout=5) as line:
        line.sendall(said)
        while data.count(b"HTTP/1.1 ") < answers or not data.endswith(b"]"):
            more = line.recv(1 << 16)
            if not more:
                break
            data += more
    return data


# --- what is answered -------------------------------------------------------------------------------------------------


def test_hosts_are_told_apart_by_name_alone(museum: Serving) -> None:
    for host in ("odd.example", "ODD.example", "odd.example:8080"):
        assert _get(museum, "/echo?a=1&b=%C3%BC+c&d=", host).json() == [
            "odd.example",
            "/echo",
            {"a": "1", "b": "ü c", "d": ""},
            "GET",
        ]
    assert _get(museum, "/echo", "museum.example").status_code == 404
    assert _get(museum, "/echo", "nobody.example").status_code == 404


def test_a_host_may_stand_in_the_path(museum: Serving) -> None:
    assert requests.get(f"{museum.url}/odd.example/echo?a=1", timeout=5).json()[:3] == [
        "odd.example",
        "/echo",
        {"a": "1"},
    ]
    assert requests.get(museum.url, timeout=5).json() == {"works": 250, "hosts": ["museum.example", "odd.example"]}
    assert requests.get(f"{museum.url}/nobody.example/", timeout=5).json()["works"] == 250


def test_a_proxys_client_names_the_host_in_the_target(museum: Serving) -> None:
    said = b"GET http://odd.example/echo HTTP/1.1\r\nHost: elsewhere\r\nConnection: close\r\n\r\n"
    assert b'["odd.example", "/echo"' in _talk(museum, said)


def test_paths_are_decoded_and_headers_lower_case(museum: Serving) -> None:
    assert _get(museum, "/echo/%C3%BC%20b", **{"X-ODD": "v"}).json() == "v"


def test_the_house_shows_its_works(museum: Serving) -> None:
    listed = _get(museum, "/works?page=3", "museum.example").json()
    assert (listed["count"], len(listed["works"])) == (250, 50)
    assert _get(museum, f"/works/{KEY}", "museum.example").json()["title"] == HALL.entry(9).title
    image = _get(museum, f"/images/{KEY[:2]}/{KEY}.jpg", "museum.example")
    assert (image.headers["Content-Type"], image.content[:2]) == ("image/jpeg", b"\xff\xd8")
    for path in ("/works?page=0", "/works?page=x", "/works/9.9.9", "/images/18/x.jpg", "/nothing"):
        assert _get(museum, path, "museum.example").status_code == 404


def test_bodies_of_any_size_arrive(museum: Serving) -> None:
    assert _get(museum, "/big").content == BIG


def test_slow_readers_get_all(museum: Serving) -> None:
    said = b"GET /big HTTP/1.1\r\nHost: odd.example\r\nConnection: close\r\n\r\n"
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", int(museum.url.rpartition(":")[2])))
        line.sendall(said)
        data = b"".join(iter(lambda: line.recv(1 << 14), b""))
    assert data.partition(b"\r\n\r\n")[2] == BIG


@pytest.mark.parametrize("path", ["/echo", "/big"])
def test_head_has_the_headers_and_no_body(path: str, museum: Serving) -> None:
    head, whole = _get(museum, path, method="HEAD"), _get(museum, path)
    assert head.content == b""
    # what is echoed has the method in it
    assert path == "/echo" or head.headers["Content-Length"] == whole.headers["Content-Length"] == str(len(BIG))
    assert head.headers["Content-Type"] == whole.headers["Content-Type"]


def test_a_connection_is_kept(museum: Serving) -> None:
    line = b"GET /echo HTTP/1.1\r\nHost: odd.example\r\n\r\n"
    assert _talk(museum, line * 30, answers=30).count(b"200 OK") == 30


@pytest.mark.parametrize(
    ("version", "connection", "is_kept"),
    [("1.1", "", True), ("1.1", "close", False), ("1.0", "", False), ("1.0", "keep-alive", True)],
)
def test_who_wants_to_part_may(version: str, connection: str, is_kept: bool, museum: Serving) -> None:
    line = f"GET /echo HTTP/{version}\r\nHost: odd.example\r\nConnection: {connection}\r\n\r\n".encode()
    assert _talk(museum, line * 2, answers=2).count(b"200 OK") == (2 if is_kept else 1)


def test_a_request_may_come_in_crumbs_and_with_a_body(museum: Serving) -> None:
    first = b"GET /echo HTTP/1.1\r\nHost: odd.example\r\nContent-Length: 9\r\n\r\nGET / bad"
    with socket.create_connection(("127.0.0.1", int(museum.url.rpartition(":")[2])), timeout=5) as line:
        for byte in first:
            line.sendall(bytes([byte]))
        assert b"200 OK" in line.recv(1 << 16)
        line.sendall(b"GET /echo HTTP/1.1\r\nHost: odd.example\r\n\r\n")
        assert b"200 OK" in line.recv(1 << 16)


REFUSED = [
    (b"nonsense\r\n\r\n", 400),
    (b"GET /\r\n\r\n", 400),
    (b"GET / HTTP/2.0\r\n\r\n", 400),
    (b"GET nowhere HTTP/1.1\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n", 413),
    (b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 70_000, 431),
    (b"POST / HTTP/1.1\r\nHost: odd.example\r\nConnection: close\r\n\r\n", 405),
]


@pytest.mark.parametrize(("said", "status"), REFUSED, ids=[f"{status} {said[:20]!r}" for said, status in REFUSED])
def test_what_cannot_be_understood_is_refused(said: bytes, status: int, museum: Serving) -> None:
    with contextlib.suppress(ConnectionResetError):
        assert _talk(museum, said).startswith(b"HTTP/1.1 %d " % status)
    assert museum.log[-1].status == status


def test_half_a_head_is_waited_for() -> None:
    assert head_from_bytes(bytearray(b"GET / HTTP/1.1\r\nHost: a\r\n")) is None
    with pytest.raises(BadRequest, match="Bad Request"):
        head_from_bytes(bytearray(b"\x16\x03\x01\r\n\r\n"))


def test_a_broken_route_is_shown_and_the_museum_stays_open(museum: Serving, capfd: pytest.CaptureFixture[str]) -> None:
    assert _get(museum, "/broken").status_code == 500
    assert "ZeroDivisionError" in capfd.readouterr().err
    assert _get(museum, "/echo").status_code == 200


# --- conditions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("If-None-Match", "{etag}", 304),
        ("If-None-Match", 'W/{etag}, "other"', 304),
        ("If-None-Match", "*", 304),
        ("If-None-Match", '"other"', 200),
        ("If-Modified-Since", "{date}", 304),
        ("If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT", 304),
        ("If-Modified-Since", "Sat, 01 Jan 2000 00:00:00 GMT", 200),
        ("If-Modified-Since", "lately", 200),
    ],
)
@pytest.mark.parametrize("path", ["/tagged", "/echo?a=1"])
def test_who_has_it_need_not_get_it(path: str, name: str, value: str, status: int, museum: Serving) -> None:
    first = _get(museum, path)
    sent = value.format(etag=first.headers["ETag"], date=first.headers["Last-Modified"])
    again = _get(museum, path, **{name: sent})
    assert (again.status_code, again.headers["ETag"]) == (status, first.headers["ETag"])
    assert again.content == (b"" if status == 304 else first.content)


def test_a_tag_is_heeded_before_a_date(museum: Serving) -> None:
    both = {"If-None-Match": '"other"', "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}
    assert _get(museum, "/echo", **both).status_code == 200


def test_other_bodies_have_other_tags(museum: Serving) -> None:
    assert _get(museum, "/echo?a=1").headers["ETag"] != _get(museum, "/echo?a=2").headers["ETag"]
    assert _get(museum, "/tagged").headers["ETag"] == '"mine"'


# --- log, robots and rate ---------------------------------------------------------------------------------------------


def test_the_log_says_who_asked_for_what(museum: Serving) -> None:
    _get(museum, "/echo?api_key=k&a=1")
    image = _get(museum, f"/images/{KEY[:2]}/{KEY}.jpg", "museum.example", "HEAD")
    one, other = museum.log[-2:]
    assert one[1:] == ("odd.example", "/echo?api_key=k&a=1", "GET", 200, one.bytes, None)
    assert one.bytes > 20
    assert other[1:] == ("museum.example", f"/images/{KEY[:2]}/{KEY}.jpg", "HEAD", 200, 0, None)
    assert one.at_s <= other.at_s
    assert int(image.headers["Content-Length"]) > 1000


def test_robots_are_the_sources_own_and_ours() -> None:
    with serving(HALL, by_host=ROUTES, disallow={"odd.example": ("/echo", "/big")}) as museum:
        rules = Protego.parse(_get(museum, "/robots.txt").text)
        allowed = [
            path for path in ("/own/x", "/echo", "/big/x", "/closed/x", "/tagged") if rules.can_fetch(path, "me")
        ]
        assert allowed == ["/tagged"]
        assert _get(museum, "/robots.txt", "museum.example").text == (
            "User-agent: *\nDisallow: /closed/\nContent-Usage: /no-usage/ search=y, train-ai=n\n"
            "Content-Signal: /no-signal/ search=yes, ai-train=no\n"
        )
        _get(museum, "/echo")
        _get(museum, "/tagged")
        assert [visit.fault for visit in museum.log[-2:]] == ["robots_ignored", None]


def test_who_asks_too_often_is_told_to_wait() -> None:
    with serving(HALL, by_host=ROUTES, rate_per_s=2) as museum:
        said = [_get(museum, "/echo") for _ in range(6)]
        assert [one.status_code for one in said] == [200] * 2 + [429] * 4
        assert said[-1].headers["Retry-After"] == "1"
        assert _get(museum, "/works", "museum.example").status_code == 200
        assert museum.violations == {"odd.example": 4}
        assert [visit.fault for visit in museum.log] == [None] * 2 + ["rate"] * 4 + [None]


@pytest.mark.parametrize(
    ("rate", "every_s", "turned_away"),
    [
        (10, 0.1, 0),
        (10, 0.08, 16),  # ten of twelve
        (10, 0.05, 45),
        (1, 0.95, 0),
        (1, 0.7, 50),
        (0.5, 2.0, 0),
        (0.5, 1.0, 50),
        (2.5, 0.4, 0),
        (None, 0.0, 0),
    ],
)
def test_even_distances_at_the_rate_are_let_through(rate: float | None, every_s: float, turned_away: int) -> None:
    limiter = Limiter(rate)
    pauses = [limiter.pause_s("a", number * every_s) for number in range(100)]
    assert sum(pause is not None for pause in pauses) == limiter.violations["a"]
    assert limiter.violations["a"] == pytest.approx(turned_away, abs=1 + turned_away / 4)


def test_who_waits_as_told_is_let_in() -> None:
    limiter = Limiter(0.25)
    now_s, waits = 0.0, []
    while len(waits) < 5:
        pause_s = limiter.pause_s("a", now_s)
        if pause_s is not None:
            waits.append(pause_s)
            now_s += pause_s
            assert limiter.pause_s("a", now_s) is None
    assert min(waits) >= 1


@pytest.mark.parametrize("rate", [0, -1, float("nan")])
def test_a_rate_is_above_zero(rate: float) -> None:
    with pytest.raises(ValueError, match="expected a rate above 0"):
        Limiter(rate)


# --- sources ----------------------------------------------------------------------------------------------------------


def _modules(hosts: Mapping[str, tuple[str, ...]], broken: str = "") -> Any:
    def load(name: str) -> ModuleType:
        source = name.rpartition(".")[2]
        if source == broken:
            raise ModuleNotFoundError("No module named 'elsewhere'", name="elsewhere")
        if source not in hosts:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        module = ModuleType(name)
        module.HOSTS, module.answer = hosts[source], source
        return module

    return load


def test_sources_that_are_not_there_are_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "import_module", _modules({"met": ("m", "n"), "artic": ("a",)}))
    assert table.routes() == {"m": "met", "n": "met", "a": "artic"}


def test_a_source_that_cannot_be_imported_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "import_module", _modules({}, broken="met"))
    with pytest.raises(ModuleNotFoundError, match="elsewhere"):
        table.routes()


def test_two_sources_of_one_host_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "import_module", _modules({"met": ("m",), "artic": ("m",)}))
    with pytest.raises(ValueError, match="expected one source for m"):
        table.routes()


# --- its life ---------------------------------------------------------------------------------------------------------


class _Slow:
    """Images that are painted on demand, one row's file being lost and one row's painter falling ill."""

    def ready(self, row: int) -> Picture | None:
        return None

    def painted(self, row: int) -> Picture:
        if row == 2:
            raise ZeroDivisionError
        return Picture(None if row == 1 else b"%d" % row, "image/png")


def test_images_may_take_their_time(capfd: pytest.CaptureFixture[str]) -> None:
    def answer(hall: Hall, request: Request) -> Answer:
        return Answer(image=int(request.path[1:]))

    with serving(HALL, _Slow(), by_host={"odd.example": answer}) as museum:
        lines = b"".join(b"GET /%d HTTP/1.1\r\nHost: odd.example\r\n\r\n" % row for row in (7, 1, 8))
        said = _talk(museum, lines + lines[:0] + b"GET /9 HTTP/1.0\r\nHost: odd.example\r\n\r\n")
        assert [part.split(b" ")[0] for part in said.split(b"HTTP/1.1 ")[1:]] == [b"200", b"404", b"200", b"200"]
        assert said.endswith(b"\r\n\r\n9")
        with pytest.raises(requests.ConnectionError):
            _get(museum, "/2")
        assert "ZeroDivisionError" in capfd.readouterr().err


def test_a_museum_of_ones_own_needs_images() -> None:
    with pytest.raises(TypeError, match="expected images"):
        serving(object())


def test_a_taken_port_is_an_error(museum: Serving) -> None:
    before = threading.active_count()
    with pytest.raises(OSError, match="address already in use"):
        serving(HALL, by_host=ROUTES, port=int(museum.url.rpartition(":")[2]))
    assert threading.active_count() == before


def test_a_closed_museum_answers_nobody_and_leaves_no_thread() -> None:
    before = threading.active_count()
    museum = serving(HALL, by_host=ROUTES)
    line = socket.create_connection(("127.0.0.1", int(museum.url.rpartition(":")[2])), timeout=5)
    assert _get(museum, "/echo").status_code == 200
    museum.close()
    museum.close()
    with line, contextlib.suppress(ConnectionResetError):
        assert line.recv(10) == b""
    with pytest.raises(requests.ConnectionError):
        _get(museum, "/echo")
    assert threading.active_count() == before


# --- its command ------------------------------------------------------------------------------------------------------


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "flows.cli", "museum", "serve", *words]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_command_says_where_it_is_and_ends_when_told(number: signal.Signals, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    words = _command("--records", "120", "--seed", "3", "--paintings", "2", "--log", str(log), "--rate", "50")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            name, _, url = process.stdout.readline().strip().partition(" ")
            assert (name, requests.get(url, timeout=10).json()["works"]) == ("museum:", 120)
            (line,) = log.read_text(encoding="utf-8").splitlines()
            assert Visit(**json.loads(line))[1:5] == ("127.0.0.1", "/", "GET", 200)
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--records", "99"), "expected at least 100 records, got 99"),
        (("--records", "1000001"), "expected 1 to 1000000 records, got 1000001"),
        (("--paintings", "0"), "expected at least 1 painting, got 0"),
        (("nowhere",), "expected a folder of images, got nowhere"),
        (("nowhere", "--records", "200"), "expected a folder, or --records and --paintings, got both: nowhere"),
        (("--faults", "2"), "expected a fraction of faults from 0 to 1, got 2.0"),
        (("--fault-kinds", "x"), "expected kinds of faults from "),
        (("--rate", "0"), "expected a rate above 0 requests/s, got 0.0"),
        (("--disallow", "x"), "expected HOST/PREFIX to disallow, got 'x'"),
        (("--log", "/nowhere/log"), "expected to be able to serve, got "),
    ],
)
def test_bad_options_get_one_sentence(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    from flows.cli import main

    assert main(["museum", "serve", *words]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"bilderatlas: museum: {said}")
    assert err.count("\n") == 1
