"""What all sources on the web share: asks that are one by their address, answers in JSON, short
quotations.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.scrape.web_source import BadAnswer, SourceRequest, object_of_json, quoted

URL = "https://museum.example/api?page=1"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", r"expected JSON, got b'' \(JSONDecodeError\)", id="nothing"),
        pytest.param(b"<html>busy</html>", r"expected JSON, got b'<html>busy</html>' \(JSONDecodeError\)", id="a page"),
        pytest.param(b'{"a": 1', "expected JSON, got", id="cut off"),
        pytest.param(b"\xff\xfe{", "expected JSON, got", id="no text"),
        pytest.param(b"[" * 100_000, r"\(RecursionError\)", id="too deep"),
        pytest.param(b'{"a": ' + b"9" * 5000 + b"}", r"\(ValueError\)", id="a number of too many digits"),
        pytest.param(b"[1]", r"expected a JSON object, got \[1\]", id="a list"),
        pytest.param(b"null", "expected a JSON object, got None", id="null"),
        pytest.param(b'"text"', "expected a JSON object, got 'text'", id="a text"),
    ],
)
def test_what_is_no_object_is_no_answer_and_the_message_names_its_address(data: bytes, message: str):
    with pytest.raises(BadAnswer, match=message) as caught:
        object_of_json(SourceRequest(URL, "work"), data)
    assert str(caught.value).startswith(f"{URL}: expected ")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("data", [b'{"a": [1, null]}', b' \n{"a":[1,null]}\r\n', '{"a": [1, null]}'.encode("utf-16")])
def test_an_object_is_read_in_any_encoding_of_json(data: bytes):
    assert object_of_json(SourceRequest(URL, "work"), data) == {"a": [1, None]}


@pytest.mark.parametrize(
    ("value", "at_most", "text"),
    [
        pytest.param("abc", 5, "'abc'", id="as long as allowed"),
        pytest.param("abcd", 5, "'a...", id="one more"),
        pytest.param("a\nb", 80, r"'a\nb'", id="on one line"),
        pytest.param(10**5000, 80, "a int", id="a number that Python does not write"),
        pytest.param({"a": None}, 80, "{'a': None}", id="an object"),
    ],
)
def test_a_quotation_is_short_and_on_one_line(value: object, at_most: int, text: str):
    assert quoted(value, at_most) == text


def test_a_value_too_deep_to_be_written_is_quoted_by_its_kind():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert quoted(deep) == "a list"


@given(st.recursive(st.none() | st.text() | st.binary(), st.lists, max_leaves=20), st.integers(4, 90))
def test_no_quotation_is_longer_than_asked(value: object, at_most: int):
    text = quoted(value, at_most)
    assert len(text) <= at_most
    assert text.isprintable()
