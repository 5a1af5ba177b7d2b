"""The head of a card: what the hub and `datasets` read of it."""

import pyarrow as pa
import pytest

from schemas.about import About
from schemas.manifests import FileEntry
from schemas.recipe import Recipe
from tasks.core.export import hub
from tasks.core.export.hub import FileSize, card_head, head_after_purge, head_and_text, hub_licence, with_head
from tasks.core.export.images import with_features
from tests.support.release_rows import summary_of

RECIPE = Recipe.model_validate(
    {
        "name": "small",
        "title": "A --- set",
        "bindings": {"images": "a folder"},
        "sources": [{"folder": {"name": "s", "pattern": "*"}}],
        "stages": ["fetch", "hash", "split", "export"],
    }
)


def entry(rows: int | None, size_bytes: int = 1) -> FileEntry:
    return FileEntry(sha256="0" * 64, bytes=size_bytes, rows=rows)


FILES = {
    "README.md": entry(None),
    "images/train-00000-of-00002.parquet": entry(5, 30),
    "images/train-00001-of-00002.parquet": entry(2, 20),
    "images/val-00000-of-00001.parquet": entry(1, 4),
    "images/test-00000-of-00001.parquet": entry(0, 9),
    "annotations/train-00000-of-00001.parquet": entry(0),
    "ledger.parquet": entry(9),
}
SCHEMAS = {"images": pa.schema([("title", pa.string())]), "annotations": pa.schema([("image_id", pa.int64())])}


def head(**changes):
    given = {"recipe": RECIPE, "summary": summary_of(8, rights={"NOASSERTION": 8}), "files": FILES, "schemas": SCHEMAS}
    return card_head(**{**given, **changes})


def test_each_split_with_rows_is_named_once_with_its_rows():
    assert head() == {
        "pretty_name": "A --- set",
        "license": ["unknown"],
        "license_details": "Each image has its own: columns rights_uri and attribution of images, and ATTRIBUTION.md",
        "annotations_creators": ["no-annotation"],
        "size_categories": ["n<1K"],
        "tags": ["art", "bilderatlas"],
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
        "dataset_info": [
            {
                "config_name": "images",
                "features": [{"name": "title", "dtype": "string"}],
                "splits": [
                    {"name": "train", "num_bytes": 50, "num_examples": 7},
                    {"name": "val", "num_bytes": 4, "num_examples": 1},
                ],
                "download_size": 54,
                "dataset_size": 54,
            }
        ],
    }


def test_a_split_is_called_as_datasets_can_call_it():
    found = head(files={"images/val-2-00000-of-00001.parquet": entry(1)})
    assert found["configs"][0]["data_files"] == [{"split": "val_2", "path": "images/val-2-?????-of-?????.parquet"}]
    assert found["dataset_info"][0]["splits"] == [{"name": "val_2", "num_bytes": 1, "num_examples": 1}]


def test_all_licences_stand_there_each_once():
    rights = ["http://creativecommons.org/licenses/by/4.0/", "https://creativecommons.org/licenses/by/4.0", "CC0"]
    assert head(summary=summary_of(3, rights=dict.fromkeys(rights, 1)))["license"] == ["cc-by-4.0", "other"]


def test_what_people_say_joins_what_follows_from_the_build():
    about = About(languages=("en", "de"), tags=("painting", "art"), tasks=("image-to-text",), annotators="crowdsourced")
    summary = summary_of(1_000, origins={"source": 3, "consensus": 1}, with_keypoints=1, detections=2, styles=2)
    found = head(recipe=RECIPE.model_copy(update={"about": about}), summary=summary)
    assert found["language"] == ["en", "de"]
    assert found["tags"] == ["art", "painting", "bilderatlas"]
    assert found["task_categories"] == [
        "object-detection",
        "keypoint-detection",
        "image-classification",
        "image-to-text",
    ]
    assert found["annotations_creators"] == ["crowdsourced", "found", "machine-generated"]
    assert found["size_categories"] == ["1K<n<10K"]


def test_of_people_nobody_knows_who_they_are():
    assert head(summary=summary_of(1, origins={"person": 1}))["annotations_creators"] == ["other"]


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


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (pa.list_(pa.float64(), 4), {"list": "float64", "length": 4}),
        (pa.list_(pa.list_(pa.float64(), 3)), {"list": {"list": "float64", "length": 3}}),
        (pa.list_(pa.struct([("x", pa.int64())])), {"list": [{"name": "x", "dtype": "int64"}]}),
        (pa.struct([("x", pa.binary())]), {"struct": [{"name": "x", "dtype": "binary"}]}),
        (pa.timestamp("us", "UTC"), {"dtype": "timestamp[us, tz=UTC]"}),
        (pa.float32(), {"dtype": "float32"}),
        (pa.bool_(), {"dtype": "bool"}),
        (pa.uint64(), {"dtype": "uint64"}),
        (pa.date32(), {"dtype": "date32"}),
        (pa.dictionary(pa.int32(), pa.string()), {"dtype": "string"}),
    ],
)
def test_types_are_called_as_datasets_calls_them(kind: pa.DataType, said: dict[str, object]):
    """As `datasets` 5.2's Features.from_arrow_schema(...)._to_yaml_list() writes them."""
    assert hub.hub_features(pa.schema([("x", kind)])) == [{"name": "x", **said}]


def test_an_unknown_type_is_told():
    with pytest.raises(ValueError, match=r"expected a type that features of Hugging Face have, got map<"):
        hub.hub_features(pa.schema([("x", pa.map_(pa.string(), pa.string()))]))


def test_images_and_classes_are_what_the_schema_says():
    schema = pa.schema([("image", pa.struct([("bytes", pa.binary())])), ("style_label", pa.int64())])
    assert hub.hub_features(with_features(schema, {"style_label": ["Cubism", "Fauvism"]})) == [
        {"name": "image", "dtype": "image"},
        {"name": "style_label", "dtype": {"class_label": {"names": {"0": "Cubism", "1": "Fauvism"}}}},
    ]


def sizes(files: dict[str, FileEntry]) -> dict[str, FileSize]:
    return {path: FileSize(found.rows or 0, found.bytes) for path, found in files.items() if "/" in path}


def test_after_a_purge_the_head_is_that_of_what_is_left():
    files = {**FILES, "annotations/val-00000-of-00001.parquet": entry(1)}
    assert head_after_purge(head(files=files), sizes(FILES)) == head()  # with the split goes the table
    left = {**files, "images/train-00000-of-00002.parquet": entry(0), "images/val-00000-of-00001.parquet": entry(0)}
    assert head_after_purge(head(files=files), sizes(left)) == head(files=left)


@pytest.mark.parametrize("odd", [{}, {"dataset_info": None}, {"dataset_info": [3, {}]}, {"dataset_info": {"a": 1}}])
def test_a_head_of_another_program_keeps_what_it_has(odd: dict[str, object]):
    found = head_after_purge({**odd, "license": "mit"}, sizes(FILES))
    assert found["license"] == "mit"
    assert found.keys() == {*odd, "license"}


def test_bytes_of_files_are_left_out_of_what_is_compared():
    other = {path: found.model_copy(update={"bytes": found.bytes + 7}) for path, found in FILES.items()}
    assert head() != head(files=other)
    assert hub.without_sizes(head()) == hub.without_sizes(head(files=other))
    fewer = {**FILES, "images/val-00000-of-00001.parquet": entry(2)}
    assert hub.without_sizes(head()) != hub.without_sizes(head(files=fewer))


@pytest.mark.parametrize(
    "odd",
    [{}, {"dataset_info": None}, {"dataset_info": [3]}, {"dataset_info": [{}]}, {"dataset_info": [{"splits": [3]}]}],
)
def test_a_head_of_another_form_is_none(odd: dict[str, object]):
    with pytest.raises(ValueError, match="expected dataset_info as the hub has it, got"):
        hub.without_sizes(odd)


def test_a_card_is_its_head_and_its_text():
    card = with_head(head(), "# Small\n\n---\n\nx\n")
    assert head_and_text(card) == (head(), "# Small\n\n---\n\nx\n")


@pytest.mark.parametrize(
    "text", ["", "# Small\n", "# Small\n---\n\nx\n---\n\n", "---\nno end", "---\n- a\n---\n\nx", "---\na: [\n---\n\nx"]
)
def test_a_card_without_a_head_stays_as_it_is(text: str):
    assert head_and_text(text) == (None, text)
