"""The images table without its bytes."""

import json
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.tables import IMAGES
from tasks.core.export import images
from tasks.core.export.images import with_features
from tests.support import rowwise


def columns(**changes: Any) -> dict[str, pa.Array]:
    blank = {name: [None, None] for name in IMAGES.names if name != "image"}
    said = {
        **blank,
        "record_id": ["b", "a"],
        "sha256": ["ab" * 32, "cd" * 32],
        "format": ["JPEG", "PNG"],
        "styles": [[], ["x"]],
        "retrieved_at": [datetime(2024, 1, 1, tzinfo=UTC)] * 2,
        **changes,
    }
    return {name: pa.array(values, IMAGES.field(name).type) for name, values in said.items()}


@pytest.mark.parametrize(
    ("is_embedded", "is_media", "expected"),
    [
        pytest.param(
            True,
            False,
            [{"bytes": "ab" * 32, "path": None}, {"bytes": "cd" * 32, "path": None}],
            id="bytes in the table",
        ),
        pytest.param(
            False,
            True,
            [
                {"bytes": None, "path": f"media/ab/{'ab' * 32}.jpg"},
                {"bytes": None, "path": f"media/cd/{'cd' * 32}.png"},
            ],
            id="images as files",
        ),
        pytest.param(False, False, [{"bytes": None, "path": None}] * 2, id="neither"),
    ],
)
def test_where_the_images_bytes_are(is_embedded: bool, is_media: bool, expected: list[dict[str, str | None]]):
    got = images.images(columns(), is_embedded=is_embedded, is_media=is_media)
    assert got.schema == images.IMAGES_BY_DIGEST
    assert got["image"].to_pylist() == expected
    assert got["record_id"].to_pylist() == ["b", "a"]  # in the order given


def test_a_table_of_no_images():
    got = images.images(
        {name: pa.array([], field.type) for name, field in zip(IMAGES.names, IMAGES, strict=True) if name != "image"},
        is_embedded=True,
        is_media=True,
    )
    assert got.equals(images.IMAGES_BY_DIGEST.empty_table())


def test_what_is_digested_is_the_images_table_but_for_the_bytes():
    assert images.IMAGES_BY_DIGEST.names == IMAGES.names
    assert [field for field in images.IMAGES_BY_DIGEST if field not in list(IMAGES)] == [
        images.IMAGES_BY_DIGEST.field("image")
    ]
    assert set(images.FROM_RECORDS) < set(IMAGES.names)


@pytest.mark.parametrize(
    ("stays", "expected"),
    [
        pytest.param({}, [["a.org"], []], id="no copies; one work without a page"),
        pytest.param({"c": "a"}, [["a.org", "c.org"], []], id="a copy's page follows its own"),
        pytest.param(
            {"c": "k", "k": "a"}, [["a.org", "c.org"], []], id="a copy of what a later stage dropped as a copy"
        ),
        pytest.param(
            {"c": "b", "d": "b"},
            [["a.org"], ["c.org"]],
            id="copies give a page to a work that has none; each page once",
        ),
        pytest.param({"c": "x"}, [["a.org"], []], id="a copy of what is no longer kept"),
    ],
)
def test_the_pages_of_all_copies_stay_with_a_work(stays: dict[str, str], expected: list[list[str]]):
    of = {"a": "a.org", "b": None, "c": "c.org", "d": "c.org", "k": None}
    copies = pa.table(
        {"record_id": pa.array(list(stays), pa.string()), "kept_record_id": pa.array(list(stays.values()), pa.string())}
    )
    urls = pa.chunked_array([pa.array([of[name] for name in stays], pa.string())])
    ids = pa.chunked_array([["a", "b"]])
    got = images.source_urls(ids, pa.chunked_array([pa.array([of["a"], of["b"]], pa.string())]), copies, urls)
    assert got.to_pylist() == expected


PAGES = st.sampled_from(["a.org", "b.org", "é.org", None])


@given(st.data(), st.lists(st.sampled_from("abcdefgh"), unique=True), st.integers(0, 8))
def test_pages_are_as_row_by_row(data: st.DataObject, names: list[str], kept: int):
    works, copies = sorted(names[:kept]), names[kept:]
    # each was dropped for a work, for a copy of those before it, or for what is no longer there
    stays = [data.draw(st.sampled_from([*works, *copies[:place], "gone"])) for place in range(len(copies))]
    given_ = (
        pa.chunked_array([pa.array(works, pa.string())]),
        pa.chunked_array([pa.array([data.draw(PAGES) for _ in works], pa.string())]),
        pa.table({"record_id": pa.array(copies, pa.string()), "kept_record_id": pa.array(stays, pa.string())}),
        pa.chunked_array([pa.array([data.draw(PAGES) for _ in copies], pa.string())]),
    )
    assert images.source_urls(*given_).equals(rowwise.source_urls(*given_))


def test_the_image_is_named_and_all_else_is_what_its_type_says():
    written = with_features(IMAGES.with_metadata({"a": "b"}))
    assert written == IMAGES
    assert written.metadata[b"a"] == b"b"
    assert json.loads(written.metadata[b"huggingface"]) == {"info": {"features": {"image": {"_type": "Image"}}}}


def test_numbers_may_be_classes_and_no_names_are_none():
    schema = pa.schema([("style_label", pa.int64()), ("year", pa.int32())])
    assert with_features(schema, {"style_label": []}, is_image=False) == schema
    assert with_features(schema, {"style_label": []}, is_image=False).metadata is None
    written = with_features(schema, {"style_label": ["Dada", "Ukiyo-e"]}, is_image=False)
    assert json.loads(written.metadata[b"huggingface"]) == {
        "info": {"features": {"style_label": {"_type": "ClassLabel", "names": ["Dada", "Ukiyo-e"]}}}
    }
