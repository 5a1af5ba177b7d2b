"""Connections to this machine, allowed and not."""

import socket
import threading
import time

import pytest
from requests import PreparedRequest
from urllib3.exceptions import NewConnectionError
from urllib3.exceptions import TimeoutError as TookTooLong

from tasks.io.web import connections
from tasks.io.web.addresses import Origins
from tasks.io.web.connections import ForbiddenAddress, GuardedAdapter, time_limit
from tests.support.servers import answer


class Place:
    """What `_connected` needs of a connection."""

    timeout, source_address, socket_options = 0.5, None, []

    def __init__(self, host: str, port: int) -> None:
        self._dns_host, self.host, self.port = host, host, port


def port_of(site):
    return int(site.url.rsplit(":", 1)[1])


def test_the_first_address_that_answers_is_taken(site, monkeypatch):
    port = port_of(site)
    found = [(2, 1, 6, "", (address, port)) for address in ("127.0.0.9", "127.0.0.9", "127.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(Origins, "allows", lambda *_: True)
    tried = []

    def create(address, *_):
        tried.append(address[0])
        if address[0] == "127.0.0.9":
            raise OSError("refused")
        return "socket"

    monkeypatch.setattr(connections, "create_connection", create)

    assert connections._open_socket(Place("a.example", port), Origins()) == "socket"
    assert tried == ["127.0.0.9", "127.0.0.1"]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_interim_answers_are_passed_over_on_all_connections(scheme):
    assert connections._pool_classes(Origins())[scheme].ConnectionCls.response_class is connections._FinalResponse


def test_of_many_addresses_few_are_tried(monkeypatch):
    found = [(2, 1, 6, "", (f"8.8.8.{number}", 80)) for number in range(200)]
    tried = []

    def refuse(address, *_):
        tried.append(address)
        raise OSError("refused")

    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(connections, "create_connection", refuse)
    with pytest.raises(NewConnectionError, match="no connection to"):
        connections._open_socket(Place("a.example", 80), Origins())
    assert len(tried) == 4


def test_private_addresses_among_public_ones_are_passed_over(monkeypatch):
    found = [(2, 1, 6, "", (address, 80)) for address in ("10.0.0.1", "8.8.8.8")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(connections, "create_connection", lambda address, *_: address)

    assert connections._open_socket(Place("a.example", 80), Origins()) == ("8.8.8.8", 80)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0.0.0.0", "::1"])
def test_this_machine_is_forbidden_for_good_where_no_name_server_says_so(host):
    with pytest.raises(ForbiddenAddress, match="no public address") as caught:
        connections._open_socket(Place(host, 80), Origins())
    assert caught.value.is_permanent == (host != "localhost")


def test_a_bound_place_is_reached(site):
    adapter = GuardedAdapter(Origins({"a.example": site.url}))
    request = PreparedRequest()
    request.prepare("GET", site.at("/x", answer(body=b"hello")), headers={})

    assert adapter.send(request, timeout=(1, 1)).content == b"hello"
    adapter.close()


def test_what_takes_too_long_is_ended():
    ours, theirs = socket.socketpair()

    class Connection:
        sock = ours

    with ours, theirs:
        began_s = time.monotonic()
        with pytest.raises(TookTooLong, match="not done after"), time_limit(Connection(), 0.1):
            assert ours.recv(1) == b""
        assert time.monotonic() - began_s < 1


@pytest.mark.parametrize("error", [ValueError("x"), OSError("y")], ids=type)
def test_an_error_in_time_stays_what_it_is(error):
    with pytest.raises(type(error)), time_limit(Place("a", 1), 9):
        raise error


def test_the_watchdog_goes_when_nothing_is_watched_and_comes_again():
    for _ in range(2):
        with time_limit(Place("a", 1), 9):
            assert any(thread.name == "watchdog" for thread in threading.enumerate())
        deadline_s = time.monotonic() + 2
        while any(thread.name == "watchdog" for thread in threading.enumerate()):
            assert time.monotonic() < deadline_s
            time.sleep(0.02)
