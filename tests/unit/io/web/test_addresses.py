"""Where requests may go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from schemas.manners import canonical_host
from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage
from tasks.io.web.addresses import Origins, is_public, origins_from_text

BOUND = Origins({"a.example": "http://127.0.0.1:8000", "b.example:81": "https://[::1]:8001"})


@pytest.mark.parametrize(
    ("url", "sent_to", "host"),
    [
        pytest.param("https://C.Example/x?y=%20#z", "https://c.example/x?y=%20", "c.example", id="fragment"),
        pytest.param("HTTPS://c.example:443", "https://c.example/", "c.example", id="the-schemes-own-port"),
        pytest.param("http://c.example:443/", "http://c.example:443/", "c.example:443", id="anothers-port"),
        pytest.param("http://c.example./x", "http://c.example/x", "c.example", id="the-roots-dot"),
        pytest.param("http://Müller.example/", "http://xn--mller-kva.example/", "xn--mller-kva.example", id="umlaut"),
        pytest.param("http://①②⑦.0.0.1/", "http://127.0.0.1/", "127.0.0.1", id="digits-in-circles"),
        pytest.param("http://[::0:1]:80/", "http://[::1]/", "[::1]", id="ipv6"),
        pytest.param("http://c.exa\nmple/\tx", "http://c.example/x", "c.example", id="line-breaks-are-no-part"),
        pytest.param("https://a.example/x?y", "http://127.0.0.1:8000/x?y", "a.example", id="bound"),
        pytest.param("http://a.example:8080?y", "http://127.0.0.1:8000/?y", "a.example:8080", id="bound-at-any-port"),
        pytest.param("http://b.example:81/", "https://[::1]:8001/", "b.example:81", id="bound-at-one-port"),
        pytest.param("http://b.example/", "http://b.example/", "b.example", id="not-at-another"),
    ],
)
def test_a_url_has_one_target(url, sent_to, host):
    target = BOUND.target(url)

    assert (target.url, target.host) == (sent_to, host)
    assert target.is_bound == (sent_to.startswith(("http://127.0.0.1:8000", "https://[::1]")))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "file:///x",
        "http:///x",
        "http://[",
        "http://[::1",
        "http://a:b/",
        "http://a:99999/",
        "http://a..b/",
        "http://a b/",
        "http://a\\@b/",
        "http://a\\.b/",
        "http://u@a.example/",
        "http://:p@a.example/",
        "http://a.example/\udcff",
        "javascript:alert(1)",
        "http://%61/",
    ],
)
def test_what_is_no_address_is_not_allowed(url):
    with pytest.raises(UnreadableImage) as caught:
        BOUND.target(url)

    assert caught.value.reason == Reason.NOT_ALLOWED
    caught.value.detail.encode()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        pytest.param("http://127.0.0.1:8000/", Reason.NOT_ALLOWED, id="in-numbers"),
        pytest.param("https://[::1]:8001/", Reason.NOT_ALLOWED, id="in-numbers-of-ipv6"),
        pytest.param("http://mirror:9000/", Reason.UNREACHABLE, id="by-name: another binding may make it a host"),
    ],
)
def test_where_another_host_is_bound_to_is_no_host_of_its_own(url, reason):
    with pytest.raises(UnreadableImage, match="bound to") as caught:
        Origins({**BOUND.by_host, "c.example": "http://mirror:9000"}).target(url)
    assert caught.value.reason == reason


@given(st.text(max_size=40))
def test_any_text_is_a_target_or_not_allowed(text):
    try:
        target = Origins().target(text)
    except UnreadableImage:
        return
    assert Origins().target(target.url) == target


@given(st.text("aü.-:[]", max_size=12))
def test_a_canonical_host_is_its_own(host):
    try:
        once = canonical_host(host)
    except ValueError:
        return
    assert canonical_host(once.strip("[]")) == once


# --- the binding


@pytest.mark.parametrize(
    ("text", "by_host"),
    [
        (None, {}),
        ("", {}),
        (" , ", {}),
        ("*=http://127.0.0.1:1", {"*": "http://127.0.0.1:1"}),
        ("A.example = https://m/ ,b:8=http://[::1]:9", {"a.example": "https://m", "b:8": "http://[::1]:9"}),
    ],
)
def test_origins_are_read(text, by_host):
    assert origins_from_text(text).by_host == by_host


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a=",
        "=http://m",
        "a=m",
        "a=ftp://m",
        "a=http://",
        "a=http://[",
        "a=http://m:x",
        "a=http://m/path",
        "a=http://m?q",
        "a=http://m:99999",
    ],
)
def test_a_binding_that_says_no_origin_is_refused(text):
    with pytest.raises(BadInput, match="origins"):
        origins_from_text(text)


def test_a_password_in_the_binding_is_refused_and_not_shown():
    with pytest.raises(BadInput) as caught:
        origins_from_text("a=http://me:hidden@m")

    assert "hidden" not in str(caught.value)


def test_a_star_takes_every_host():
    assert origins_from_text("*=http://127.0.0.1:1").target("https://x.example/y").url == "http://127.0.0.1:1/y"


# --- addresses


@pytest.mark.parametrize(
    ("address", "is_it"),
    [
        ("93.184.215.14", True),
        ("2606:2800:220:1::1", True),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::808:808", True),
        ("2002:808:808::", True),
        ("127.0.0.1", False),
        ("0.0.0.0", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("240.0.0.1", False),
        ("198.18.0.1", False),
        ("::", False),
        ("::1", False),
        ("::ffff:127.0.0.1", False),
        ("::127.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("2002:7f00:1::", False),
        ("fe80::1", False),
        ("fe80::1%eth0", False),
        ("fec0::1", False),
        ("fc00::1", False),
        ("ff02::1", False),
        ("2001:db8::1", False),
    ],
)
def test_public_addresses(address, is_it):
    assert is_public(address) is is_it


@pytest.mark.parametrize(
    ("host", "port", "address", "is_allowed"),
    [
        ("127.0.0.1", 8000, "127.0.0.1", True),
        ("127.0.0.1", 8001, "127.0.0.1", False),
        ("[::1]", 8001, "::1", True),
        ("localhost", 8000, "127.0.0.1", False),
        ("c.example", 80, "8.8.8.8", True),
        ("c.example", 80, "10.0.0.1", False),
    ],
)
def test_only_the_bound_place_may_be_private(host, port, address, is_allowed):
    assert BOUND.allows(host, port, address) is is_allowed
