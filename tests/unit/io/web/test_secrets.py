"""Secrets: where they are kept, and how they are covered."""

import os
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.io.web.secrets import SecretFilter, read_secret


@pytest.mark.parametrize(
    ("content", "secret"),
    [
        (b"abc", "abc"),
        (b" abc \r\nsecond line", "abc"),
        (b"\xef\xbb\xbfabc\n", "abc"),
        ("a:b & c+%ü".encode(), "a:b & c+%ü"),
    ],
)
def test_a_files_first_line(tmp_path, content, secret):
    (tmp_path / "secret").write_bytes(content)

    assert read_secret("flickr", f"file:{tmp_path}/secret") == secret


def test_a_variable(monkeypatch):
    monkeypatch.setenv("FLICKR_KEY", " a=b:c ")

    assert read_secret("flickr", "env:FLICKR_KEY") == "a=b:c"


@pytest.mark.parametrize(
    "place", ["", "env:", "env", "env:NOT_SET_ANYWHERE", "file:", "file:/nowhere/at/all", "file:/", "file:\0", "hidden"]
)
def test_no_secret_is_bad_input_that_shows_none(place):
    with pytest.raises(BadInput, match="flickr") as caught:
        read_secret("flickr", place)

    assert "hidden" not in str(caught.value)


def test_an_unreadable_file_shows_nothing_of_itself(tmp_path):
    (tmp_path / "secret").write_bytes(b"hidden\xff")
    with pytest.raises(BadInput) as caught:
        read_secret("flickr", f"file:{tmp_path}/secret")

    assert "hidden" not in str(caught.value)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "secret")
    with pytest.raises(BadInput, match="expected a file that holds the secret"):
        read_secret("flickr", f"file:{tmp_path}/secret")


# --- the secret filter


def test_without_a_secret_nothing_is_covered():
    for secrets in (SecretFilter(), SecretFilter(None), SecretFilter(""), SecretFilter("abc")):
        assert secrets.mask_text("abc") == "abc"
        assert not secrets.is_in_url("http://abc")
        assert list(secrets.mask_chunks([b"abc", b"d"])) == [b"abc", b"d"]


SECRETS = st.text(st.characters(min_codepoint=32, max_codepoint=500, exclude_characters="*"), min_size=4, max_size=12)


@given(SECRETS, st.text(max_size=10), st.text(max_size=10))
def test_every_form_is_covered(secret, before, after):
    secrets = SecretFilter(secret)
    for form in (secret, quote(secret, safe=""), quote_plus(secret), quote(quote(secret, safe=""), safe="")):
        assert secrets.is_in_url(f"http://x/?{form}")
    for form in (secret, quote(secret, safe=""), quote_plus(secret)):
        assert form not in secrets.mask_text(f"*{before}*{form}*{after}*")


@given(SECRETS, st.binary(max_size=20), st.lists(st.integers(1, 9), max_size=30))
def test_bytes_are_covered_wherever_they_are_cut(secret, around, cuts):
    data = b"*" + around + b"*" + secret.encode() + b"*" + around
    chunks, place = [], 0
    for cut in [*cuts, len(data)]:
        chunks.append(data[place : place + cut])
        place += cut
    covered = b"".join(SecretFilter(secret).mask_chunks(iter(chunks)))

    assert len(covered) == len(data)
    assert secret.encode() not in covered


def test_bytes_without_a_secret_stay_what_they_are():
    assert b"".join(SecretFilter("hidden").mask_chunks([b"hid", b"de", b"x", b"hidde"])) == b"hiddexhidde"
