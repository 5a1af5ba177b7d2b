"""Keys of sessions."""

import pytest

from schemas.errors import BadInput
from schemas.manners import Credential
from tasks.io.web import secrets
from tasks.io.web.secrets import Sessions

A, B = (
    Credential(host=host, parameter="k", login_url="https://x/login", session_field="Key", session_s=10)
    for host in "ab"
)


@pytest.fixture
def clock(monkeypatch):
    now = [1.0]
    monkeypatch.setattr(secrets.time, "monotonic", lambda: now[0])
    return now


def test_a_session_lasts_its_time(clock):
    opened = Sessions()
    assert opened.token(A) is None
    assert opened.open(A, b'{"Key": "one"}') == "one"
    clock[0] += 9
    assert (opened.token(A), opened.token(B)) == ("one", None)
    clock[0] += 1
    assert opened.token(A) is None


def test_only_the_session_that_ran_out_is_forgotten(clock):
    opened = Sessions()
    opened.open(A, b'{"Key": "two"}')
    opened.forget(A, "one")
    assert opened.token(A) == "two"
    opened.forget(A, "two")
    opened.forget(A, "two")
    assert opened.token(A) is None


@pytest.mark.parametrize(
    "answer",
    [b"", b"no", b"[]", b"{}", b'{"Key": null}', b'{"Key": ""}', b'{"Key": 5}', b'"Key"', b"[" * 100_000, b"\xff"],
)
def test_an_answer_without_a_key_means_that_the_secret_is_wrong(answer):
    with pytest.raises(BadInput, match="'Key'"):
        Sessions().open(A, answer)
