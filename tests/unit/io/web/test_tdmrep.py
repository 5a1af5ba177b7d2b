"""What tdmrep.json reserves."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.io.web.tdmrep import TdmFile

URL = "https://a.example/images/1.jpg?size=full"
# the example of the specification, 4.2.2
EXAMPLE = [
    {"location": "/directory-a/", "tdm-reservation": 1},
    {"location": "/directory-b/html/", "tdm-reservation": 1, "tdm-policy": "https://provider.com/policies/policy.json"},
    {"location": "/directory-b/images/*.jpg", "tdm-reservation": 0},
]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\xff\xfe\x00", id="binary"),
        pytest.param(b"<!doctype html><p>1", id="page"),
        pytest.param(b'[{"location": "/", "tdm-reservation": 1}', id="cut"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(b"9" * 100_000, id="long-number"),
        pytest.param(b"null", id="null"),
        pytest.param(b'"/"', id="text"),
        pytest.param(b"[[], null, 1, {}]", id="no-rules"),
        pytest.param(b'[{"location": "/"}]', id="no-reservation"),
        pytest.param(b'[{"tdm-reservation": 1}]', id="no-location"),
        pytest.param(b'[{"location": 7, "tdm-reservation": 1}]', id="location-is-a-number"),
        pytest.param(b'[{"location": "/", "tdm-reservation": 2}]', id="2"),
        pytest.param(b'[{"location": "/", "tdm-reservation": [1]}]', id="list"),
        pytest.param(b'[{"location": "/", "tdm-reservation": null}]', id="null-reservation"),
        pytest.param(b'[{"location": "/", "tdm-reservation": 0}]', id="not-reserved"),
        pytest.param(b'[{"location": "/other/", "tdm-reservation": 1}]', id="another-path"),
    ],
)
def test_what_reserves_nothing(data):
    assert TdmFile(data).opt_out(URL) is None


@pytest.mark.parametrize(
    ("rules", "detail"),
    [
        ([{"location": "/", "tdm-reservation": 1}], "/ 1"),
        ({"location": "/", "tdm-reservation": 1}, "/ 1"),
        ([{"location": "*", "tdm-reservation": "1"}], "* 1"),
        ([{"location": " images/*.jpg ", "tdm-reservation": True}], "images/*.jpg 1"),
        ([{"location": "/im%61ges/", "tdm-reservation": 1, "tdm-policy": "ftp://x/"}], "/im%61ges/ 1"),
        (
            [{"location": "/", "tdm-reservation": 1, "tdm-policy": "https://x.example/p"}],
            "/ 1, policy https://x.example/p",
        ),
        ([{"location": "/", "tdm-reservation": 9}, {"location": "/images/", "tdm-reservation": 1}], "/images/ 1"),
        # the first that matches, not the longest
        ([{"location": "/images/", "tdm-reservation": 0}, {"location": "/", "tdm-reservation": 1}], None),
        ([{"location": "/", "tdm-reservation": 1}, {"location": "/images/", "tdm-reservation": 0}], "/ 1"),
        ([{"location": "/images/" + "*" * 200, "tdm-reservation": 1}], f"/images/{'*' * 72}... 1"),
    ],
)
def test_the_first_rule_that_matches_counts(rules, detail):
    words = TdmFile(b"\xef\xbb\xbf" + json.dumps(rules).encode()).opt_out(URL)
    assert words == (detail and f"tdmrep.json: {detail}")


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("/directory-a/x.pdf", "/directory-a/ 1"),
        ("/directory-a", None),
        ("/directory-b/html/x", "/directory-b/html/ 1, policy https://provider.com/policies/policy.json"),
        ("/directory-b/images/x.jpg", None),
        ("/", None),
    ],
)
def test_the_example_of_the_specification(path, detail):
    words = TdmFile(json.dumps(EXAMPLE).encode()).opt_out(f"https://provider.com{path}")
    assert words == (detail and f"tdmrep.json: {detail}")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["location", "tdm-reservation", "tdm-policy", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(ANYTHING)
def test_any_json_is_a_file(value):
    assert isinstance(TdmFile(json.dumps(value).encode()).opt_out(URL), str | None)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_file(data):
    assert isinstance(TdmFile(data).opt_out(URL), str | None)
