"""What robots.txt says: what may be requested, and what of that is not for training."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from schemas.manners import AGENT
from tasks.io.web.robots import MAX_BYTES, RobotsRules

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
    assert isinstance(rules.opt_out(URL), str | None)
    assert rules.crawl_delay_s >= 0


def test_five_hundred_kibibytes_are_read():
    """RFC 9309, 2.5: at least 500 KiB, and a rule at their end counts."""
    text = b"User-agent: *\n" + b"#" * (500 * 1024 - 60) + b"\nDisallow: /images/\n"
    assert 500_000 < len(text) < 500 * 1024
    assert not RobotsRules(text).is_allowed(URL)


# --- usage rules

USAGE, SIGNAL = "robots.txt Content-Usage", "robots.txt Content-Signal"
ALL = b"User-agent: *\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(b"", None, id="empty"),
        pytest.param(b"Content-Usage: train-ai=n", None, id="no-group"),
        pytest.param(ALL + b"Content-Usage:", None, id="nothing"),
        pytest.param(ALL + b"Content-Usage: /images/", None, id="a-path-and-nothing"),
        pytest.param(ALL + b"Content-Usage: # train-ai=n", None, id="comment"),
        pytest.param(ALL + b"Content-Usage: \xff\x00=;;", None, id="odd-bytes"),
        pytest.param(ALL + b"Content-Usage: \xff, train-ai=n, ;;", f"{USAGE}: train-ai=n", id="odd-bytes-and-a-no"),
        pytest.param(ALL + b"Content-Usage: train-ai=y, search=n, ai-use=n", None, id="other-uses"),
        pytest.param(ALL + b"Content-Usage: train-ai=n", f"{USAGE}: train-ai=n", id="all"),
        pytest.param(ALL + b"Content-Usage:train-ai=n", f"{USAGE}: train-ai=n", id="no-blank"),
        pytest.param(ALL + b" \tCONTENT-usage\t:\t\ttrain-ai=n#x", f"{USAGE}: train-ai=n", id="blanks-and-case"),
        pytest.param(ALL + b"Content-Usage: *.jpg train-ai=n", f"{USAGE}: train-ai=n", id="no-path-without-slash"),
        pytest.param(ALL + b"Content-Usage: /images/ train-ai=n", f"{USAGE}: /images/ train-ai=n", id="path"),
        pytest.param(ALL + b"Content-Usage: /images/\t \tgenai=n", f"{USAGE}: /images/ genai=n", id="older-label"),
        pytest.param(ALL + b"Content-Usage: /other/ train-ai=n", None, id="another-path"),
        pytest.param(ALL + b"Content-Usage: /*.jpg$ train-ai=n", None, id="the-query-counts"),
        pytest.param(
            ALL + b"Content-Usage: train-ai=n\nContent-Usage: /images/ train-ai=y", None, id="longer-rule-counts"
        ),
        pytest.param(
            ALL + b"Content-Usage: train-ai=y\nContent-Usage: /images/ train-ai=n",
            f"{USAGE}: /images/ train-ai=n",
            id="longer-rule-forbids",
        ),
        pytest.param(
            ALL + b"Content-Usage: train-ai=n\nContent-Usage: /images/ search=n",
            None,
            id="longer-rule-says-nothing-of-it",
        ),
        pytest.param(
            ALL + b"Content-Usage: train-ai=n\nContent-Usage: /images/ @@",
            f"{USAGE}: train-ai=n",
            id="longer-is-broken",
        ),
        pytest.param(
            ALL + b"Content-Usage: /images/ train-ai=n\nContent-Usage: /images/ train-ai=y",
            f"{USAGE}: /images/ train-ai=n",
            id="same-path-forbids",
        ),
        pytest.param(
            ALL + b"Content-Usage: /im%61ges/ train-ai=y\nContent-Usage: /images/ train-ai=n",
            f"{USAGE}: /images/ train-ai=n",
            id="same-path-written-otherwise",
        ),
        pytest.param(ALL + b"Content-Signal: search=yes,ai-train=no", f"{SIGNAL}: ai-train=no", id="cloudflare"),
        pytest.param(
            ALL + b"content-signal: search=yes, ai-train=no, use=reference\nAllow: /\n",
            f"{SIGNAL}: ai-train=no",
            id="cloudflare-of-2026",
        ),
        pytest.param(ALL + b"Content-Signal: ai-train=yes, search=yes, ai-input=no", None, id="cloudflare-allows"),
        pytest.param(
            ALL + b"Content-Signal: /images/ ai-train=no", f"{SIGNAL}: /images/ ai-train=no", id="cloudflare-path"
        ),
        pytest.param(
            ALL + b"Content-Usage: /images/ train-ai=y\nContent-Signal: ai-train=no",
            f"{SIGNAL}: ai-train=no",
            id="one-signal-does-not-lift-another",
        ),
        pytest.param(
            ALL + b"Content-Usage: train-ai=n\n\nUser-agent: bilderatlas\nAllow: /", None, id="our-own-group-has-none"
        ),
        pytest.param(
            b"User-agent: BilderAtlas\nContent-Usage: train-ai=n\n\nUser-agent: *\nAllow: /",
            f"{USAGE}: train-ai=n",
            id="our-own-group",
        ),
        pytest.param(
            b"User-agent: otherbot\nUser-agent: bilderatlas\nSitemap: /s\nContent-Usage: train-ai=n",
            f"{USAGE}: train-ai=n",
            id="a-group-of-two",
        ),
        pytest.param(b"User-agent: otherbot\nContent-Usage: train-ai=n", None, id="for-another"),
        pytest.param(b"User-agent: atlas\nContent-Usage: train-ai=n", None, id="a-part-of-our-name"),
        pytest.param(
            b"User-agent: a\nContent-Usage: search=y\nUser-agent: *\nContent-Usage: train-ai=n",
            f"{USAGE}: train-ai=n",
            id="a-usage-rule-ends-a-list-of-robots",
        ),
        pytest.param(
            b"User-agent: *\nDisallow: /x\n\nUser-agent: b\nDisallow: /\n\nUser-agent: *\nContent-Usage: train-ai=n",
            f"{USAGE}: train-ai=n",
            id="groups-of-one-name-are-one",
        ),
        pytest.param(ALL + b"Content-Usage: /" + b"i" * 200 + b" train-ai=n", None, id="long-path"),
    ],
)
def test_what_is_not_for_training(text, found):
    assert RobotsRules(text).opt_out(URL) == found


def test_a_long_path_is_shown_in_part():
    rule = ALL + b"Content-Usage: /images/" + b"*" * 500 + b" train-ai=n"
    assert RobotsRules(rule).opt_out(URL) == f"{USAGE}: /images/{'*' * 72}... train-ai=n"


def test_a_file_of_rules_takes_no_time():
    rules = RobotsRules(ALL + b"".join(b"Content-Usage: /i%d/*a*b train-ai=n\n" % number for number in range(15_000)))
    assert rules.opt_out(URL) is None


LINES = st.sampled_from(
    [
        *("User-agent: *", "user-agent : bilderatlas", "Useragent: otherbot", "User agent: bilder*", "User-agent *"),
        *("User-agent:", "User-agent: bot", "User-agent: atlas", "User-agent: b", "User-agent otherbot # x"),
        *("Crawl-delay: 1", "Crawl-delay 1", "Sitemap: https://a.example/s.xml", "Host: a.example", "", "# x"),
        *("Unknown: y", "no rule", "RULE", "RULE", "RULE"),
    ]
)


@given(st.lists(LINES, max_size=14))
def test_the_group_is_that_of_protego(lines):
    """Each rule has a path of its own, so that it shows whose group it is in."""
    ours = "\n".join(line.replace("RULE", f"Content-Usage: /{at}/ train-ai=n") for at, line in enumerate(lines))
    theirs = Protego.parse("\n".join(line.replace("RULE", f"Disallow: /{at}/") for at, line in enumerate(lines)))
    for at in range(len(lines)):
        url = f"https://a.example/{at}/1.jpg"
        assert (RobotsRules(ours.encode()).opt_out(url) is None) is theirs.can_fetch(url, AGENT)


PATHS = ["", "/", "/a", "/a/", "/a*", "/*.jpg", "/a/b$", "/a/%62", "/a/b.jpg"]


@given(
    st.lists(st.tuples(st.sampled_from(PATHS), st.booleans()), max_size=5), st.sampled_from(["/a/b", "/a/b.jpg", "/c"])
)
def test_the_longest_rule_is_that_of_protego(rules, path):
    """But for rules of one length, of which the draft takes the one that forbids, and RFC 9309 the one that allows."""
    rules = list({len(pattern.replace("%62", "b") or "/"): (pattern, is_no) for pattern, is_no in rules}.values())
    ours = "".join(f"Content-Usage: {pattern} train-ai={'n' if is_no else 'y'}\n" for pattern, is_no in rules)
    theirs = "".join(f"{'Disallow' if is_no else 'Allow'}: {pattern or '/'}\n" for pattern, is_no in rules)
    url = f"https://a.example{path}"
    is_free = RobotsRules(f"User-agent: *\n{ours}".encode()).opt_out(url) is None
    assert is_free is Protego.parse(f"User-agent: *\n{theirs}").can_fetch(url, AGENT)
