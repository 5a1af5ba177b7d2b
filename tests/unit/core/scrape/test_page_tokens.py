"""Pieces of any page."""

import pytest

from tasks.core.scrape.page_tokens import page_tokens


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("", [("", "")], id="nothing"),
        pytest.param("a < b", [("", "a < b")], id="no tag"),
        pytest.param("a<b>c", [("", "a"), ("b", ""), ("", "c")], id="a tag"),
        pytest.param("<A/>x</A >", [("", ""), ("a", ""), ("", "x"), ("a", ""), ("", "")], id="in any case"),
        pytest.param("a<!-- <b> -->c", [("", "a"), ("", "c")], id="a comment"),
        pytest.param("a<!-- <b>", [("", "a"), ("", "")], id="a comment without an end"),
        pytest.param("<!DOCTYPE html>a", [("", ""), ("", "a")], id="a declaration"),
        pytest.param("<script>if (a<b) x</script>c", [("", ""), ("script", ""), ("", ">c")], id="a script is no text"),
        pytest.param("<a <b>", [("", ""), ("a", ""), ("", ""), ("b", ""), ("", "")], id="a tag that another one ends"),
        pytest.param("<a", [("", ""), ("a", ""), ("", "")], id="cut off"),
    ],
)
def test_tokens_of_a_page(text: str, found: list[tuple[str, str]]):
    assert [(token.tag, token.text) for token in page_tokens(text)] == found


@pytest.mark.parametrize(
    ("tag", "attributes"),
    [
        ("<a b='1' C=\"2\" d=3 e>", {"b": "1", "c": "2", "d": "3", "e": ""}),
        ("<a b=1 b=2>", {"b": "1"}),
        ("<a b='&lt;x&gt;'>", {"b": "<x>"}),
        ("<a b='x > y'>", {"b": "x > y"}),
        ("<a/b>", {"b": ""}),
        ("<a ='x' c>", {"x": "", "c": ""}),
    ],
)
def test_attributes_of_a_tag(tag: str, attributes: dict[str, str]):
    (token,) = [token for token in page_tokens(tag) if token.tag]
    assert token.attributes == attributes
