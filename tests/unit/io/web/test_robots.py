"""What robots.txt and X-Robots-Tag say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.io.web.robots import MAX_BYTES, RobotsRules, opt_out_directive

URL = "https://a.example/images/1.jpg?size=full"


@pytest.mark.parametrize(
    ("text", "is_allowed"),
    [
        pytest.param(b"", True, id="empty"),
        pytest.param(b"\xff\xfe\x00" * 50, True, id="binary"),
        pytest.param(b"<!doctype html><p>Disallow: /", True, id="page"),
        pytest.param(b"Disallow: /", True, id="no-group"),
        pytest.param(b"User-agent: *\nDisallow:", True, id="nothing-disallowed"),
        pytest.param(b"User-agent: *\r\nDisallow: /images/\r\n", False, id="disallowed"),
        pytest.param(b"\xef\xbb\xbfUser-agent: *\nDisallow: /", False, id="byte-order-mark"),
        pytest.param(b"user-AGENT: BilderAtlas\ndisallow: /*.jpg", False, id="wildcard"),
        pytest.param(b"User-agent: *\nDisallow: /\nAllow: /images/", True, id="longer-rule-counts"),
        pytest.param(b"User-agent: *\nDisallow: /\n\nUser-agent: bilderatlas\nAllow: /", True, id="our-own-group"),
        pytest.param(b"User-agent: *\nDisallow: /\n" + b"#" * MAX_BYTES, False, id="huge"),
        pytest.param(
            b"User-agent: *\n" + b"#" * (MAX_BYTES - 30) + b"\nDisallow: /other/folder", True, id="cut-in-mid-rule"
        ),
    ],
)
def test_rules(text, is_allowed):
    assert RobotsRules(text).is_allowed(URL) is is_allowed


@pytest.mark.parametrize(
    ("delay", "seconds"), [("5", 5), ("0.5", 0.5), ("-1", 0), ("nan", 0), ("inf", 0), ("soon", 0), ("1e9", 1e9)]
)
def test_crawl_delay(delay, seconds):
    assert RobotsRules(f"User-agent: *\nCrawl-delay: {delay}".encode()).crawl_delay_s == seconds


@given(st.binary(max_size=300))
def test_any_bytes_are_rules(data):
    rules = RobotsRules(data)
    assert isinstance(rules.is_allowed(URL), bool)
    assert rules.crawl_delay_s >= 0


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        ([], None),
        ([""], None),
        (["noindex, nofollow, none"], None),
        (["noaindex"], None),
        (["noai"], "noai"),
        (["noindex,NOIMAGEAI"], "noimageai"),
        (["noindex; noai"], "noai"),
        (["noindex", "noai"], "noai"),
        (["bilderatlas: noai"], "noai"),
        (["*: noai"], "noai"),
        (["otherbot: noai"], None),
        (["otherbot: noindex, noai"], None),
        (["otherbot: noindex, bilderatlas: noai"], "noai"),
        (["noai, otherbot: noindex"], "noai"),
        (["max-image-preview: large, noai"], "noai"),
        (["unavailable_after: 25 Jun 2030 15:00:00 PST, noai"], "noai"),
        (["unavailable_after: Saturday, 25-Jun-30 15:00:00 UTC, noai"], "noai"),
        (["unavailable_after: 2030-06-25T15:00:00Z, noimageai"], "noimageai"),
    ],
)
def test_opting_out(tags, found):
    assert opt_out_directive(tags) == found


def test_five_hundred_kibibytes_are_read():
    """RFC 9309, 2.5: at least 500 KiB, and a rule at their end counts."""
    text = b"User-agent: *\n" + b"#" * (500 * 1024 - 60) + b"\nDisallow: /images/\n"
    assert 500_000 < len(text) < 500 * 1024
    assert not RobotsRules(text).is_allowed(URL)
