"""Names of classes and shapes of key points, from data.yaml and from texts with a name a line."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.coco.yolo_classes import YoloClasses, read_classes


def of_yaml(text: str) -> YoloClasses:
    return read_classes("file", "data.yaml", text.encode())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("names: [person, horse]", {0: "person", 1: "horse"}, id="a list"),
        pytest.param("names: {0: person, 1: horse}", {0: "person", 1: "horse"}, id="a mapping"),
        pytest.param("names: {5: horse, 2: person}", {2: "person", 5: "horse"}, id="a mapping with gaps"),
        pytest.param("names: {'0': person}", {0: "person"}, id="numbers as text"),
        pytest.param("names: [0, 1, '2']", {0: "0", 1: "1", 2: "2"}, id="digits for names"),
        pytest.param("\ufeffnames: [person]", {0: "person"}, id="a byte order mark"),
        pytest.param(
            "path: ../x\nnc: 1\nnames:\n  - person\ndownload: |\n  import os", {0: "person"}, id="as they come"
        ),
        pytest.param("names: [person, person]", {0: "person", 1: "person"}, id="one name twice"),
        pytest.param("names: [Μαρία]", {0: "Μαρία"}, id="other letters"),
    ],
)
def test_names_of_a_yaml(text: str, expected: dict[int, str]):
    assert of_yaml(text) == YoloClasses(expected)


@pytest.mark.parametrize("path", ["classes.txt", "obj.names", "classes"])
@pytest.mark.parametrize(
    "text", ["person\nhorse\n", "person\r\nhorse\r\n\r\n", "\ufeffperson \nhorse", "\nperson\nhorse"]
)
def test_names_of_a_text(path: str, text: str):
    assert read_classes("file", path, text.encode()) == YoloClasses({0: "person", 1: "horse"})


@pytest.mark.parametrize(
    ("text", "got"),
    [
        pytest.param("", "got None", id="nothing"),
        pytest.param("- person", r"got \['person'\]", id="a list alone"),
        pytest.param("nc: 3", "a list or a mapping, got None", id="no names"),
        pytest.param("names: person", "got 'person'", id="a text for names"),
        pytest.param("names: []", "got 0", id="no name"),
        pytest.param("names: [person]\nnc: 2", "got 1, and nc: 2", id="fewer than it counts"),
        pytest.param("names: [person, no]", "expected text, got False", id="YAML's no"),
        pytest.param("names: [person, 1.5]", "expected text, got 1.5", id="a fraction"),
        pytest.param("names: [person, null]", "expected text, got None", id="null"),
        pytest.param("names: [person, '']", "expected text, got ''", id="an empty name"),
        pytest.param("names: {-1: person}", "got -1", id="a number below 0"),
        pytest.param("names: {a: person}", "got 'a'", id="a letter for a number"),
        pytest.param("names: {true: person}", "got True", id="true for a number"),
        pytest.param("names: {99999999999: person}", "got 99999999999", id="a number beyond any"),
        pytest.param("names: {0: person, '0': horse}", "got 2 names of 1 numbers", id="a number twice"),
        pytest.param("names: {0: person, 0: horse}", "expected each key once", id="a key twice"),
        pytest.param("names: [person", "expected YAML", id="no YAML"),
        pytest.param("names: !!python/object/new:os.system [echo]", "tag", id="a tag of Python's"),
        pytest.param("names: [person]\nkpt_shape: 17", "kpt_shape: expected two whole numbers", id="one number"),
        pytest.param("names: [person]\nkpt_shape: [17, 4]", "2 or 3 numbers", id="points of four numbers"),
        pytest.param("names: [person]\nkpt_shape: [0, 3]", "up to 1000 points", id="no points"),
        pytest.param("names: [person]\nkpt_shape: [true, 3]", "expected two whole numbers", id="true for a number"),
        pytest.param("version https://git-lfs.github.com/spec/v1", "a Git LFS pointer", id="a pointer"),
    ],
)
def test_what_does_not_name_classes_is_one_sentence(text: str, got: str):
    with pytest.raises(BadInput, match=f"^file: .*{got}"):
        of_yaml(text)


@pytest.mark.parametrize(
    ("data", "got"),
    [
        (b"", "from 1 to 100,000 names of classes, got 0"),
        (b"person\n\nhorse", "in each line, got none in line 2, before others"),
        (b"p\xe9rson", "in UTF-8, got other bytes"),
        (b"a\n" * 100_001, "got 100,001"),
        (b"a" * 1_100_000, "in at most 1,048,576 bytes, got more"),
    ],
)
def test_a_text_that_names_none_is_one_sentence(data: bytes, got: str):
    with pytest.raises(BadInput, match=f"^file: expected .*{got}"):
        read_classes("file", "classes.txt", data)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("", {}),
        ("kpt_names: [nose, tail]", {0: ["nose", "tail"], 1: ["nose", "tail"]}),
        ("kpt_names: {0: [nose, tail]}", {0: ["nose", "tail"]}),
        ("kpt_names: {0: [nose, 7], 1: nose}", {}),
        ("kpt_names: 7", {}),
    ],
)
def test_key_points_and_their_names(names: str, expected: dict[int, list[str]]):
    got = of_yaml(f"names: [dog, cat]\nkpt_shape: [2, 3]\n{names}")
    assert (got.points, got.point_size, got.joints) == (2, 3, expected)


names = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=12).filter(str.strip)


@given(
    st.dictionaries(
        st.integers(0, 99), names | st.sampled_from(["no", "7", "010", "1:30", "=", " a", "1.5"]), min_size=1
    )
)
def test_names_that_we_write_come_back(said: dict[int, str]):
    """As tasks.unpack.layouts.yolo writes them."""
    text = yaml.safe_dump({"train": "images/train", "names": said}, sort_keys=False, allow_unicode=True)
    assert of_yaml(text).names == said
