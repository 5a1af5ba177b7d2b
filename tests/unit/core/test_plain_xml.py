"""XML from outside: no DTD, whatever the encoding, and words for all else."""

import pytest

from tasks.core.plain_xml import parse_xml, text_of


@pytest.mark.parametrize(
    ("data", "got"),
    [
        (b"", "no XML"),
        (b"<a>", "no XML"),
        (b"<!DOCTYPE a><a/>", "XML with a DTD"),
        ("<!DOCTYPE a><a/>".encode("utf-16"), "XML with a DTD"),
        (b"<?xml version='1.0' encoding='no-such-code'?><a/>", "no XML"),
    ],
)
def test_what_is_refused(data: bytes, got: str):
    with pytest.raises(ValueError, match=f"^{got}"):
        parse_xml(data)


def test_text_below_an_element():
    root = parse_xml("<a><b><c> é </c></b></a>".encode())
    assert (text_of(root, "b/c"), text_of(root, "x")) == ("é", "")
