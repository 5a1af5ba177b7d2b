"""What a part asks the web with: one guest per run and process, with a name, and with secrets that stay where they
are.
"""

import threading
import uuid

import pytest

from schemas.errors import BadInput
from schemas.manifests import Context
from schemas.manners import Manners
from tasks.engine import web_client as web


def context(**bindings: str) -> Context:
    return Context(store="", run=uuid.uuid4().hex, bindings=bindings)


def test_all_threads_of_a_run_share_one_guest_and_no_other_run_does():
    mine, found = context(), []
    threads = [threading.Thread(target=lambda: found.append(web.guest_of_run(mine, Manners()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({id(guest) for guest in found}) == 1
    assert web.guest_of_run(context(), Manners()).rate_limiter is not found[0].rate_limiter


@pytest.mark.parametrize(
    ("bindings", "hosts"),
    [
        ({}, []),
        ({"contact": "me@example.org"}, ["a.example"]),
        ({"origins": "*=http://127.0.0.1:1"}, ["a.example"]),
        ({"origins": "a.example=http://127.0.0.1:1"}, ["a.example", "A.Example:80"]),
        ({}, ["no host", "me@a.example", "[", "a..b"]),
    ],
)
def test_a_guest_who_has_said_enough_may_come(bindings, hosts):
    web.check_contact(context(**bindings), hosts, Manners())


@pytest.mark.parametrize(
    ("bindings", "word"),
    [
        ({}, "contact"),
        ({"contact": " "}, "contact"),
        ({"contact": "me\r\nX: y"}, "contact"),
        ({"contact": "山田@example.org"}, "contact"),
        ({"origins": "b.example=http://127.0.0.1:1"}, "contact"),
        ({"origins": "b.example"}, "origins"),
    ],
)
def test_a_guest_who_has_not_is_told(bindings, word):
    with pytest.raises(BadInput, match=word):
        web.check_contact(context(**bindings), ["a.example"], Manners())


def test_a_secret_is_read_where_the_binding_says(monkeypatch):
    monkeypatch.setenv("FLICKR_KEY", "abcd")

    assert web.load_secret(context(flickr="env:FLICKR_KEY"), "flickr") == "abcd"
    assert web.load_secret(context(), None) is None


@pytest.mark.parametrize("bindings", [{}, {"flickr": "hidden"}, {"flickr": "env:NOT_SET_ANYWHERE"}])
def test_a_secret_that_is_not_there_is_bad_input(bindings):
    with pytest.raises(BadInput, match="flickr") as caught:
        web.load_secret(context(**bindings), "flickr")

    assert "hidden" not in str(caught.value)
