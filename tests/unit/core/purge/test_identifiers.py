"""Texts by which records are recognized, and how they are found in raw answers."""

import pyarrow as pa
import pytest

from schemas.tables import RECORDS
from tasks.core.purge import identifiers


def test_identifiers_are_addresses_keys_and_titles_that_no_other_record_has():
    records = pa.Table.from_pylist(
        [
            {"record_id": "s:1", "title": "Untitled", "source_url": "https://m/1", "locator": "1.jpg"},
            {"record_id": "s:2", "title": "Nocturne", "image_url": "https://m/2.jpg"},
            {"record_id": "s:3", "title": "Untitled"},
        ],
        schema=RECORDS,
    )
    found = identifiers.identifiers_of([records, records], {"s:1", "s:2"})
    assert found.addresses == {"https://m/1", "https://m/2.jpg"}
    assert found.within("other") == found.addresses
    assert found.within("s") == found.all() == {*found.addresses, "1", "2", "1.jpg", "Nocturne"}
    assert identifiers.identifiers_of([], {"s:1"}).all() == {"1"}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"", False, id="nothing"),
        pytest.param(b'{"id":42}', True, id="a number"),
        pytest.param(b'{"id":1425}', False, id="a number inside another"),
        pytest.param(b"<a href='/works/42'>", True, id="part of an address"),
        pytest.param("Déjà & vu".encode(), True, id="text"),
        pytest.param(rb'"D\u00e9j\u00e0 & vu"', True, id="JSON in ASCII"),
        pytest.param("Déjà &amp; vu".encode(), True, id="HTML"),
        pytest.param(b"?q=D%C3%A9j%C3%A0%20%26%20vu&n=1", True, id="an address"),
        pytest.param(rb'"https:\/\/m\/a_1"', True, id="JSON with slashes"),
        pytest.param(b"https://m/a_12 https://m/a_1", True, id="after another that begins like it"),
        pytest.param(b"see https://m/a_1.jpg42", True, id="at a point"),
        pytest.param("Эрмитаж".encode(), True, id="no Latin letter"),
        pytest.param("Эрмит".encode(), False, id="a part of that"),
    ],
)
def test_answers_that_mention(data: bytes, expected: bool):
    assert identifiers.finder({"42", "Déjà & vu", "https://m/a_1", "Эрмитаж"})(data) is expected
    assert not identifiers.finder(set())(data)
