"""Counts of a release, by hand."""

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from schemas.tables import ANNOTATIONS, IMAGES, LEDGER
from tasks.core.export.summary import OF_ANNOTATIONS, OF_IMAGES, OF_LEDGER, counts, summarized

IMAGES_ROWS = [
    ("a", "T", "Ann", "Cubism", 1901, "CC0", True, 9),
    ("a", None, "Ann", "Cubism", 1911, "CC0", True, 7),
    ("b", "", "Bo", None, None, "NOASSERTION", False, 8),
    ("b", "U", None, "Fauvism", -50, "CC0", False, None),
]
NAMES = ("source", "title", "artist", "style", "year", "rights_uri", "is_annotated")


def images() -> pa.Table:
    rows = [
        {
            **dict(zip(NAMES, row, strict=False)),
            "split": "train",
            "format": "JPEG",
            "sha256": "0" * 64,
            "retrieved_at": None if row[-1] is None else datetime(2026, 11, row[-1], 23, 59, tzinfo=UTC),
        }
        for row in IMAGES_ROWS
    ]
    return pa.Table.from_pylist(rows, pa.schema([IMAGES.field(name) for name in OF_IMAGES]))


def table(schema: pa.Schema, names: tuple[str, ...], *rows: tuple[object, ...]) -> pa.Table:
    return pa.Table.from_pylist(
        [dict(zip(names, row, strict=True)) for row in rows], pa.schema([schema.field(name) for name in names])
    )


ANNOTATED = table(ANNOTATIONS, OF_ANNOTATIONS, ("source", None), ("person", [1.0, 2.0, 2.0]), ("source", []))
BOOK = table(
    LEDGER,
    OF_LEDGER,
    (True, None, None, None),
    (False, "too_small", "9 px", None),
    (False, "near_duplicate", None, "a:1"),
    (False, "opted_out", "TDM: 1", None),
)


def test_counts_by_hand():
    found = summarized(images(), ANNOTATED, 12, BOOK)
    assert found._asdict() == {
        "images": 4,
        "sources": {"a": 2, "b": 2},
        "rights": {"CC0": 3, "NOASSERTION": 1},
        "missing": {"title": 1, "artist": 1, "style": 1, "year": 1},
        "annotated": 2,
        "origins": {"source": 2, "person": 1},
        "with_keypoints": 2,
        "detections": 12,
        "artists": 2,
        "of_busiest_artists": 3,
        "styles": 2,
        "commonest_styles": {"Cubism": 2, "Fauvism": 1},
        "years": (-50, 1911, -50, 1901),
        "retrieved": ("2026-11-07", "2026-11-09"),
        "copies": 1,
        "reasons": {"near_duplicate": 1, "opted_out": 1, "too_small": 1},
        "opt_outs": {"TDM": 1},
    }


def test_of_nothing_all_is_nought():
    found = summarized(images().slice(0, 0), ANNOTATED.slice(0, 0), 0, BOOK.slice(0, 0))
    assert (found.images, found.annotated, found.artists, found.of_busiest_artists, found.copies) == (0, 0, 0, 0, 0)
    assert (found.rights, found.origins, found.years, found.retrieved) == ({}, {}, None, None)


@pytest.mark.parametrize("words", [["b", "a", "b"], ["a", "b", "b"]])
def test_words_of_one_count_stand_by_the_alphabet(words: list[str]):
    assert [*counts(pa.chunked_array([words])).items()] == [("b", 2), ("a", 1)]
    assert [*counts(pa.chunked_array([["b", "a"]]))] == ["a", "b"]
