"""Patterns of paths: by hand, and as Protego's Disallow has them."""

from urllib.parse import unquote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from protego import Protego

from tasks.io.web.path_patterns import PathPattern, path_of_url

ORIGIN = "https://a.example"


@pytest.mark.parametrize(
    ("pattern", "path", "is_match"),
    [
        pytest.param("", "/a", True, id="empty-is-all"),
        pytest.param("images/", "/images/1", False, id="no-slash-before"),
        pytest.param("/", "", True, id="no-path"),
        pytest.param("*", "/a", True, id="star"),
        pytest.param("/$", "/", True, id="end-of-root"),
        pytest.param("/$", "/a", False, id="end-of-root-of-another"),
        pytest.param("/a$", "/a/b", False, id="end"),
        pytest.param("/a*$", "/a/b", True, id="star-and-end"),
        pytest.param("/*a$", "/aba", True, id="the-last-of-several-ends"),
        pytest.param("/ab*ba$", "/aba", False, id="parts-may-not-overlap"),
        pytest.param("/a*b*c", "/acb", False, id="in-order"),
        pytest.param("/a**b", "/a/b", True, id="two-stars"),
        pytest.param("/*.jpg", "/x.jpg?size=1", True, id="goes-on"),
        pytest.param("/*.jpg$", "/x.jpg?size=1", False, id="query-counts"),
        pytest.param("/a?b", "/a?b=1", True, id="query-in-a-pattern"),
        pytest.param("/A", "/a", False, id="capitals"),
        pytest.param("/a%2fb", "/a/b", False, id="escaped-slash-is-none"),
        pytest.param("/a%2Fb", "/a%2fb", True, id="case-of-an-escape"),
        pytest.param("/%61", "/a", True, id="needless-escape"),
        pytest.param("/é", "/%C3%A9", True, id="beyond-ascii"),
        pytest.param("/%", "/%25", True, id="lone-percent-begins-an-escape"),
        pytest.param("/a%2A", "/a*", True, id="escaped-star"),
        pytest.param("/a%2A", "/ab", False, id="escaped-star-is-no-wildcard"),
        pytest.param("/a%24", "/a$", True, id="escaped-dollar"),
        pytest.param("/a$b", "/a$b", True, id="dollar-in-the-middle"),
        pytest.param("/a#b", "/a#b", False, id="fragment-is-no-path"),
    ],
)
def test_a_pattern_matches(pattern, path, is_match):
    assert PathPattern(pattern).matches(path_of_url(ORIGIN + path)) is is_match


@pytest.mark.parametrize(
    ("pattern", "octets"),
    [("", 0), ("/", 1), ("/a*$", 4), ("/é", 7), ("/%C3%A9", 7), ("/%61", 2), ("/%2f", 4)],
)
def test_the_length_is_that_of_the_escaped_path(pattern, octets):
    assert PathPattern(pattern).octets == octets


# Protego takes a $ at the end for a character, too, and all escapes that are no UTF-8 for the same one
_SIGNS = "/ab.=?&%14FfC2e*é~+;"
PATHS = st.text(st.sampled_from(_SIGNS), max_size=12).map("/{}".format)
PATTERNS = st.tuples(st.text(st.sampled_from(_SIGNS), max_size=8), st.sampled_from(["", "$"])).map(
    "/{0[0]}{0[1]}".format
)


@given(st.lists(st.tuples(PATTERNS, st.booleans()), min_size=1, max_size=4), PATHS)
def test_patterns_match_as_those_of_disallow_and_the_longest_counts(rules, path):
    assume(all("\ufffd" not in unquote(text) for text in (path, *(pattern for pattern, _ in rules))))
    lines = [f"{'Disallow' if is_no else 'Allow'}: {pattern}" for pattern, is_no in rules]
    protego = Protego.parse("\n".join(["User-agent: *", *lines]))
    matching = [
        (PathPattern(text).octets, not is_no) for text, is_no in rules if PathPattern(text).matches(path_of_url(path))
    ]
    # of equally long ones Protego takes the one that allows
    assert protego.can_fetch(ORIGIN + path, "x") is (max(matching)[1] if matching else True)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_a_pattern_and_a_path(pattern, url):
    assert path_of_url(url).startswith("/")
    assert isinstance(PathPattern(pattern).matches(path_of_url(url)), bool)


def test_many_wildcards_take_no_time():
    assert not PathPattern("/" + "*a" * 50_000 + "b").matches("/" + "a" * 100_000)
