"""The nearest training images: by hand, the table of them, and their pictures."""

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import BadInput
from schemas.evaluate_images import NEIGHBOURS
from tasks.core.evaluate.generation.memorisation import nearest_training_images, neighbour_page, neighbour_table
from tasks.core.evaluate.recognition.neighbours import Neighbours


def test_by_angle_and_not_by_length():
    samples, training = np.array([[3.0, 3.0]]), np.array([[9.0, 0.0], [0.1, 0.1], [-1.0, -1.0], [50.0, 50.0]])
    rows, similarities = nearest_training_images(samples, training, 4)
    assert rows.tolist() == [[1, 3, 0, 2]]
    assert similarities[0].tolist() == pytest.approx([1, 1, 0.5**0.5, -1], abs=1e-7)


def test_copies_of_one_training_image_tie_at_any_scale():
    image = np.random.default_rng(0).normal(size=64)
    training = np.stack([image, image * 4, image * 0.25, -image])
    rows, similarities = nearest_training_images(image[None], training)
    assert rows.tolist() == [[0, 1, 2, 3]]
    assert len(set(similarities[0, :3].tolist())) == 1


def test_a_similarity_is_never_above_one():
    table = np.random.default_rng(1).normal(size=(200, 33)).astype(np.float32)
    assert nearest_training_images(table, table, 1)[1].max() == 1
    assert nearest_training_images(table, -table, 200)[1].min() == -1


def test_zeros_are_similar_to_nothing():
    rows, similarities = nearest_training_images(np.zeros((1, 2)), np.array([[1.0, 0.0], [0.0, 0.0]]))
    assert (rows.tolist(), similarities.tolist()) == ([[0, 1]], [[0, 0]])


def test_the_table_by_sample_and_rank():
    found = Neighbours(np.array([[1, 0], [0, 1]]), np.array([[0.9, 0.5], [0.8, 0.1]], np.float32))
    got = neighbour_table("ours", found, ["s", "t"], ["a", "b"])
    assert got["system"].to_pylist() == ["ours"] * 4
    assert got["sample_id"].to_pylist() == ["s", "s", "t", "t"]
    assert got["rank"].to_pylist() == [1, 2, 1, 2]
    assert got["training_id"].to_pylist() == ["b", "a", "a", "b"]
    assert got["similarity"].to_pylist() == pytest.approx([0.9, 0.5, 0.8, 0.1])


@pytest.mark.parametrize(
    ("sample_ids", "training_ids", "said"),
    [
        pytest.param(["s", "s"], ["a", "b"], "samples: expected each id once, got 's' again in row 1", id="a sample"),
        pytest.param(["s", "t"], ["a", "a"], "training images: expected each id once, got 'a'", id="an image"),
        pytest.param(["s"], ["a", "b"], "samples: expected one for each of 2 rows, got 1", id="too few"),
        pytest.param(["s", "t"], ["a", None], "training images: expected texts, got None in row 1", id="null"),
        pytest.param(["s", "t"], ["a"], "training images: expected one for each of 2 rows, got 1", id="too few images"),
    ],
)
def test_ids_that_do_not_fit_are_refused(sample_ids, training_ids, said):
    found = Neighbours(np.array([[1], [0]]), np.zeros((2, 1), np.float32))
    with pytest.raises(BadInput) as problem:
        neighbour_table("ours", found, sample_ids, training_ids)
    assert str(problem.value).startswith(said)


@pytest.mark.parametrize("bad", [np.zeros((0, 2)), np.full((1, 2), np.nan), np.ones((1, 3))])
def test_features_that_do_not_fit_are_refused(bad):
    with pytest.raises(BadInput):
        nearest_training_images(bad, np.ones((2, 2)))


def test_what_is_refused_is_called_training_images():
    with pytest.raises(BadInput, match="expected samples and training images of one feature extractor, got 2 and 3"):
        nearest_training_images(np.ones((1, 2)), np.ones((1, 3)))


def neighbour(system: str, sample: str, rank: int, training: str, similarity: float) -> dict[str, object]:
    return dict(zip(NEIGHBOURS.names, (system, sample, rank, training, similarity), strict=True))


def test_the_samples_that_are_most_alike_come_first_with_their_pictures():
    rows = [
        neighbour("a", "s", 1, "t1", 0.5),
        neighbour("a", "s", 2, "t2", 0.25),
        neighbour("b", "s", 1, "t2", 0.75),
        *(neighbour("c", f"{place:02}", 1, "t1", 0.125) for place in range(40)),
    ]
    asked: list[tuple[str, str]] = []

    def sample_jpeg(system: str, sample: str) -> bytes | None:
        asked.append((system, sample))
        return b"jpeg" if system == "a" else None

    text = neighbour_page(pa.Table.from_pylist(rows, NEIGHBOURS), sample_jpeg, lambda _image: b"jpeg")
    assert asked[:3] == [("b", "s"), ("a", "s"), ("c", "00")]
    assert len(asked) == 40
    assert text.index("b, s: 0.750") < text.index("a, s: 0.500") < text.index("t2: 0.250")
    assert text.count("(no picture)") == 39


def test_no_sample_has_an_empty_page():
    assert "There is nothing to show" in neighbour_page(NEIGHBOURS.empty_table(), lambda *_: None, lambda _: None)
