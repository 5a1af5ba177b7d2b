"""Who is answered: a table of heads of requests, odd ones first, and the layer around an application."""

import asyncio
from typing import Any

import pytest
from prefect.settings import PREFECT_UI_API_URL, temporary_settings

from flows.serve.server import main
from flows.wall import RequestHead, Wall, allowed_names, refusal
from schemas.errors import BadInput

NAMES = allowed_names("museum.example", "0.0.0.0", "müller.example")


def head(*headers: str, method: str = "POST", target: str = "/api/x", version: str = "1.1") -> RequestHead:
    """headers: each as `name: value`."""
    pairs = (header.partition(": ") for header in headers)
    return RequestHead(method, target, version, tuple((name.lower(), value) for name, _, value in pairs))


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:4200",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evil.localhost",
        "notlocalhost",
        "localhost..",
        ".localhost",
        "localhost:",
        "localhost:port",
        "localhost:-1",
        "localhost:65536",
        "localhost:1:2",
        "localhost:４２",
        "localhost, evil.example",
        "localhost evil.example",
        "localhost/",
        "localhost#",
        "user@localhost",
        "http://localhost",
        "ｌocalhost",
        "localhost\x00",
        "[localhost]",
        "[127.0.0.1]",
        "[::1",
        "::1",
        "[::1]evil.example",
        "[fe80::1%25eth0]",
        "[fe80::1%eth0]",
        "[v1.x]",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "0x7f000001",
        "0177.0.0.1",
        "127.0.0.01",
        "127.0.0.1.",
        "127.0.0.256",
        "xn--mller-kva.example.evil.example",
        "*",
        "",
    ],
)
def test_a_host_that_is_no_address_and_no_name_of_the_server_is_refused(host):
    why = refusal(head(f"host: {host}"), NAMES)
    assert why is not None
    assert why.startswith("Host: expected an address, localhost or a name that this server was started for, got ")


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:4200",
        "localhost.:4200",
        "127.0.0.1:4200",
        "127.0.0.2",
        "192.168.1.20:80",
        "[::1]:4200",
        "[FE80::0001]",
        "[::ffff:127.0.0.1]",
        "museum.example",
        "Museum.Example.:443",
        "xn--mller-kva.example:4200",
    ],
)
def test_an_address_or_a_name_of_the_server_is_answered(host):
    assert refusal(head(f"host: {host}"), NAMES) is None
    assert refusal(head(f"host: {host}", f"origin: http://{host}"), NAMES) is None


def test_the_refusal_says_how_the_name_is_allowed():
    assert refusal(head("host: Box.lan:4200"), NAMES) == (
        "Host: expected an address, localhost or a name that this server was started for, got 'Box.lan:4200'; if "
        "it is a name of this machine, start `bilderatlas serve`, or the server of your own, with --allowed-host "
        "box.lan"
    )


@pytest.mark.parametrize(
    ("own", "origin"),
    [
        ("127.0.0.1:4200", "null"),
        ("127.0.0.1:4200", ""),
        ("127.0.0.1:4200", "*"),
        ("127.0.0.1:4200", "http://evil.example"),
        ("127.0.0.1:4200", "http://127.0.0.1"),
        ("127.0.0.1:4200", "http://127.0.0.1:4201"),
        ("127.0.0.1:4200", "http://localhost:4200"),
        ("127.0.0.1:4200", "http://127.0.0.2:4200"),
        ("127.0.0.1:4200", "http://127.0.0.1:4200.evil.example"),
        ("127.0.0.1:4200", "http://127.0.0.1:4200@evil.example"),
        ("127.0.0.1:4200", "http://127.0.0.1:4200/"),
        ("127.0.0.1:4200", "file://127.0.0.1:4200"),
        ("127.0.0.1:4200", "ws://127.0.0.1:4200"),
        ("127.0.0.1:4200", "chrome-extension://abcdefgh"),
        ("127.0.0.1:4200", "127.0.0.1:4200"),
        ("127.0.0.1:4200", "http://127.0.0.1:4200 http://evil.example"),
        ("localhost:4200", "http://localhost:42000"),
        ("museum.example", "http://localhost"),
        ("museum.example", "https://museum.example:8443"),
        ("museum.example:80", "https://museum.example"),
        ("localhost:4200", "http://[::1]:4200"),
    ],
)
def test_any_other_origin_is_refused(own, origin):
    assert (refusal(head(f"host: {own}", f"origin: {origin}"), NAMES) or "").startswith("Origin: expected a page")


@pytest.mark.parametrize(
    ("own", "origin"),
    [
        ("127.0.0.1:4200", "http://127.0.0.1:4200"),
        ("localhost:4200", "http://localhost:4200"),
        ("[::1]:4200", "http://[::1]:4200"),
        # a proxy with a certificate, which hands on the host
        ("museum.example", "https://museum.example"),
        ("museum.example:443", "https://museum.example"),
        ("museum.example:8443", "https://museum.example:8443"),
        ("127.0.0.1:80", "http://127.0.0.1"),
    ],
)
def test_the_servers_own_page_is_answered(own, origin):
    assert refusal(head(f"host: {own}", f"origin: {origin}"), NAMES) is None


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (["host: localhost", "host: evil.example"], "Host: "),
        (["host: localhost", "host: localhost"], "Host: "),
        ([], "Host: "),
        (["host: localhost", "origin: http://localhost", "origin: http://evil.example"], "Origin: "),
        # a rebound name: both are the same, and neither is the server's
        (["host: evil.example:4200", "origin: http://evil.example:4200"], "Host: "),
        # what a page or a proxy may have added names nobody
        (["host: evil.example", "x-forwarded-host: localhost"], "Host: "),
        (["host: localhost", "origin: http://evil.example", "x-forwarded-host: evil.example"], "Origin: "),
        (["host: localhost", "origin: http://evil.example", "sec-fetch-site: same-origin"], "Origin: "),
    ],
)
def test_what_is_there_twice_or_not_at_all_is_refused(headers, expected):
    assert (refusal(head(*headers), NAMES) or "").startswith(expected)


@pytest.mark.parametrize("target", ["http://evil.example/", "http://localhost/", "evil.example:80", ""])
def test_a_target_that_names_another_server_is_refused(target):
    assert "expected a path" in (refusal(head("host: localhost", target=target), NAMES) or "")


def test_http_1_0_knows_no_host():
    assert refusal(head(version="1.0", method="GET"), NAMES) is None
    assert refusal(head("origin: null", version="1.0"), NAMES) is not None
    assert refusal(head("host: evil.example", version="1.0"), NAMES) is not None


VISIT = ("sec-fetch-mode: navigate", "sec-fetch-dest: document")


@pytest.mark.parametrize(
    ("method", "site", "others", "is_answered"),
    [
        ("GET", "cross-site", (), False),
        ("GET", "cross-site", ("sec-fetch-mode: no-cors", "sec-fetch-dest: image"), False),
        ("GET", "same-site", ("sec-fetch-mode: cors", "sec-fetch-dest: empty"), False),
        ("GET", "cross-site", ("sec-fetch-mode: navigate", "sec-fetch-dest: iframe"), False),
        ("POST", "cross-site", VISIT, False),
        ("GET", "cross-site", VISIT, True),
        ("GET", "same-site", VISIT, True),
        ("GET", "same-origin", ("sec-fetch-mode: cors", "sec-fetch-dest: empty"), True),
        ("GET", "none", VISIT, True),
    ],
)
def test_where_the_browser_says_that_another_page_asks_only_links_are_followed(method, site, others, is_answered):
    why = refusal(head("host: 127.0.0.1:4200", f"sec-fetch-site: {site}", *others, method=method), NAMES)
    assert (why is None) == is_answered


@pytest.mark.parametrize(
    "name", ["http://a.example", "a.example:80", "*", "*.example", "a b", "", ".", "-a", "a/b", "x" * 300]
)
def test_a_name_that_is_none_is_told(name):
    with pytest.raises(BadInput, match="--allowed-host: expected a name such as museum"):
        allowed_names(name)


@pytest.mark.parametrize(
    ("page", "words", "named_by"),
    [
        ("", ["--host", "a b"], "--host: expected a name such as museum"),
        ("", ["--allowed-host", "a b"], "--allowed-host: expected a name such as museum"),
        ("http://a b/api", [], "PREFECT_SERVER_UI_API_URL: expected a name such as museum"),
        ("http://[::1/api", [], "PREFECT_SERVER_UI_API_URL: expected an address such as http"),
    ],
)
def test_a_server_says_which_option_or_setting_holds_what_is_no_name(page, words, named_by, capsys, monkeypatch):
    monkeypatch.setattr("flows.serve.server.serve", lambda *_: None)
    with temporary_settings({PREFECT_UI_API_URL: page}):
        assert main(words) == 2
    assert capsys.readouterr().err.startswith(named_by)


def test_names_are_compared_as_browsers_send_them_and_addresses_need_no_name():
    assert allowed_names("MÜLLER.example.", "straße.example", "::", "[::1]", "127.0.0.1", "my_box") == {
        "localhost",
        "xn--mller-kva.example",
        "xn--strae-oqa.example",
        "my_box",
    }


async def ask(scope: dict[str, Any]) -> tuple[bool, list[dict[str, Any]]]:
    """Whether the application was reached, and what was sent."""
    reached, sent = [], []

    async def app(scope: Any, _: Any, send: Any) -> None:
        reached.append(True)
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})
            await send({"type": "http.response.body", "body": b""})

    async def receive() -> dict[str, Any]:
        raise AssertionError("expected nothing to be read")

    async def send(message: Any) -> None:
        sent.append(dict(message))

    await Wall(app, NAMES)(scope, receive, send)
    return bool(reached), sent


EVIL = [(b"host", b"localhost:4200"), (b"Origin", b"https://evil.example")]


def test_the_layer_hands_on_what_passes_and_what_is_no_request():
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"localhost")], "http_version": "1.1"}
    reached, sent = asyncio.run(ask(scope))
    assert reached
    assert sent[0]["headers"] == [(b"a", b"b"), (b"content-security-policy", b"frame-ancestors 'self'")]
    assert sent[1] == {"type": "http.response.body", "body": b""}
    assert asyncio.run(ask({"type": "lifespan"})) == (True, [])
    assert asyncio.run(ask({**scope, "type": "websocket"})) == (True, [])


def test_the_layer_answers_what_does_not_pass_in_plain_text():
    reached, sent = asyncio.run(ask({"type": "http", "method": "POST", "path": "/", "headers": EVIL}))
    assert not reached
    assert sent[0]["status"] == 403
    assert dict(sent[0]["headers"])[b"content-type"] == b"text/plain; charset=utf-8"
    assert sent[1]["body"].endswith(b"got 'https://evil.example'\n")


def test_a_websocket_is_not_opened():
    scope = {"type": "websocket", "path": "/", "headers": EVIL}
    reached, sent = asyncio.run(ask(scope))
    assert not reached
    assert [message["type"] for message in sent] == ["websocket.close"]
