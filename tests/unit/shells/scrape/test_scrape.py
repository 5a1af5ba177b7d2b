"""Records of the last release, as a build takes them over."""

from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from schemas.attributes import Attribute, with_attribute_columns
from schemas.tables import RECORDS
from tasks.scrape import _known_records


def released(**attributes: tuple[str, Any]) -> Any:
    """A release with one record that has these attributes: their types and values."""
    declared = {name: Attribute(type=kind) for name, (kind, _) in attributes.items()}  # type: ignore[arg-type]
    row = {"record_id": "m:1", "source": "m", "title": "A", **{name: value for name, (_, value) in attributes.items()}}
    table = pa.Table.from_pylist([row], schema=with_attribute_columns(RECORDS, declared))
    return SimpleNamespace(records=lambda: table)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        pytest.param(released(), None, id="of a time before there was the attribute"),
        pytest.param(released(room=("strings", ["a"])), None, id="when it was of another type"),
        pytest.param(released(room=("string", "2nd")), "2nd", id="with the attribute"),
        pytest.param(released(room=("string", "2nd"), floor=("integer", 2)), "2nd", id="with another one, too"),
    ],
)
def test_records_that_are_carried_over_have_null_for_what_they_did_not_have(before: Any, expected: Any):
    schema = with_attribute_columns(RECORDS, {"room": Attribute(type="string")})
    found = _known_records(before, schema)
    assert found.schema == schema
    (row,) = found.to_pylist()
    assert (row["record_id"], row["title"], row["room"]) == ("m:1", "A", expected)


def test_before_the_first_release_nothing_is_known():
    assert _known_records(None, RECORDS).equals(RECORDS.empty_table())
