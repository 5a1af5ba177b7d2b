"""The head of the dataset card. `make test-readers` opens a release by it."""

import pytest
import yaml

from schemas.manifests import FileEntry
from tasks.core.export.card_head import card_head, hub_licence, without_empty_splits


def entry(rows: int | None) -> FileEntry:
    return FileEntry(sha256="0" * 64, bytes=1, rows=rows)


FILES = {
    "README.md": entry(None),
    "images/train-00000-of-00002.parquet": entry(5),
    "images/train-00001-of-00002.parquet": entry(2),
    "images/val-00000-of-00001.parquet": entry(1),
    "images/test-00000-of-00001.parquet": entry(0),
    "annotations/train-00000-of-00001.parquet": entry(0),
    "ledger.parquet": entry(9),
}


def test_each_split_with_rows_is_named_once_and_no_count_stands_there():
    head = card_head("A small set", FILES, ["NOASSERTION"])
    assert head == {
        "pretty_name": "A small set",
        "license": ["unknown"],
        "configs": [
            {
                "config_name": "images",
                "default": True,
                "data_files": [
                    {"split": "train", "path": "images/train-?????-of-?????.parquet"},
                    {"split": "val", "path": "images/val-?????-of-?????.parquet"},
                ],
            }
        ],
    }


def test_a_split_is_called_as_datasets_can_call_it():
    head = card_head("A small set", {"images/val-2-00000-of-00001.parquet": entry(1)}, [])
    (images,) = head["configs"]
    assert images["data_files"] == [{"split": "val_2", "path": "images/val-2-?????-of-?????.parquet"}]


def test_all_licences_stand_there_each_once():
    rights = ["http://creativecommons.org/licenses/by/4.0/", "https://creativecommons.org/licenses/by/4.0", "CC0"]
    assert card_head("A small set", FILES, rights)["license"] == ["cc-by-4.0", "other"]


@pytest.mark.parametrize(
    ("uri", "word"),
    [
        ("http://creativecommons.org/publicdomain/zero/1.0/", "cc0-1.0"),
        ("https://creativecommons.org/licenses/by-nc-sa/3.0/", "cc-by-nc-sa-3.0"),
        ("https://creativecommons.org/licenses/by/1.0/", "other"),  # a licence that the hub has no word for
        ("https://creativecommons.org/publicdomain/mark/1.0/", "other"),
        ("http://rightsstatements.org/vocab/NoC-US/1.0/", "other"),
        ("https://creativecommons.org.example/licenses/by/4.0/", "other"),
        ("NOASSERTION", "unknown"),
    ],
)
def test_the_hubs_word_for_a_licence(uri: str, word: str):
    assert hub_licence(uri) == word


def card_of(files: dict[str, FileEntry]) -> str:
    """As export writes it."""
    head = yaml.safe_dump(card_head("A --- set", files, []), sort_keys=False, allow_unicode=True, width=1000)
    return f"---\n{head}---\n\n# Small\n\n---\n"


def test_a_split_without_rows_leaves_the_head():
    rows = {path: found.rows or 0 for path, found in FILES.items() if "/" in path}
    assert without_empty_splits(card_of(FILES), rows) == card_of(FILES)
    files = {**FILES, "annotations/val-00000-of-00001.parquet": entry(1)}
    assert without_empty_splits(card_of(files), rows) == card_of(FILES)  # with it goes the table
    left = {**files, "images/train-00000-of-00002.parquet": entry(0), "images/val-00000-of-00001.parquet": entry(0)}
    rows = {path: found.rows or 0 for path, found in left.items() if "/" in path}
    assert without_empty_splits(card_of(files), rows) == card_of(left)


@pytest.mark.parametrize("text", ["", "# Small\n", "# Small\n---\nx\n---\n", "---\nno end"])
def test_a_card_without_a_head_stays_as_it_is(text: str):
    assert without_empty_splits(text, {}) == text
