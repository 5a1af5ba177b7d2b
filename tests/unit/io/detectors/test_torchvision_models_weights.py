"""Weights by torchvision's names or from a file: downloaded once, checked, and of the classes that the recipe names."""

import hashlib
import io
from pathlib import Path

import pytest
import torch
from torchvision.models import get_model_weights

from schemas.detect import Detect
from schemas.errors import BadInput
from tasks.io.detectors import torchvision_models
from tasks.io.detectors.torchvision_models import load_detector, load_model, weights_file
from tests.support.models import METADATA, SETTINGS, small

LITE = "ssdlite320_mobilenet_v3_large"
LITE_FILE = Path(get_model_weights(LITE).DEFAULT.url).name


@pytest.fixture
def hub(tmp_path, monkeypatch) -> Path:
    """torch's own cache, empty."""
    monkeypatch.setattr(torch.hub, "get_dir", lambda: str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.fixture
def downloads(monkeypatch) -> list[tuple[str, str]]:
    """URL and beginning of the digest of each download; a file is written without a network."""
    calls = []

    def download(url: str, file: str, beginning: str, *, progress: bool) -> None:
        assert not progress
        calls.append((url, beginning))
        Path(file).write_bytes(b"weights")

    monkeypatch.setattr(torch.hub, "download_url_to_file", download)
    return calls


@pytest.fixture
def small_file(tmp_path) -> str:
    file = tmp_path / "small.safetensors"
    file.write_bytes(torchvision_models.weights_bytes(small(), METADATA))
    return str(file)


# --- names


@pytest.mark.parametrize("url", ["s3://a/b", "/a/torchvision:DEFAULT", "weights.pth", "", "Torchvision:DEFAULT"])
def test_what_is_no_name_of_torchvisions_is_taken_as_it_is(url):
    assert weights_file("weights", LITE, url) == url


@pytest.mark.parametrize("word", ["COCO_V9", "", "default", "DEFAULT ", "url", "../DEFAULT"])
def test_weights_that_torchvision_does_not_publish_are_bad_input(word):
    expected = (
        f"^binding 'w': expected torchvision:COCO_V1 or torchvision:DEFAULT for {LITE}, got 'torchvision:{word}'$"
    )
    with pytest.raises(BadInput, match=expected):
        weights_file("w", LITE, f"torchvision:{word}")


def test_a_model_without_published_weights_needs_a_file():
    with pytest.raises(BadInput, match="expected a file, since torchvision has none for fcos_small, got"):
        weights_file("weights", "fcos_small", "torchvision:DEFAULT")


# --- downloads


@pytest.mark.parametrize("word", ["DEFAULT", "COCO_V1"])
def test_published_weights_are_downloaded_once_by_their_digest(hub, downloads, word):
    file = hub / "checkpoints" / LITE_FILE
    for _ in range(2):
        assert weights_file("weights", LITE, f"torchvision:{word}") == str(file)
    assert downloads == [(f"https://download.pytorch.org/models/{LITE_FILE}", "a79551df")]
    assert LITE_FILE == "ssdlite320_mobilenet_v3_large_coco-a79551df.pth"


def test_torchs_own_download_refuses_a_file_of_another_digest(hub, tmp_path, monkeypatch):
    """With a file on this machine in the place of torchvision's: its name promises a79551df."""
    other = tmp_path / "other.pth"
    other.write_bytes(b"not these weights")
    real = torch.hub.download_url_to_file
    monkeypatch.setattr(
        torch.hub, "download_url_to_file", lambda _, *more, **options: real(other.as_uri(), *more, **options)
    )
    digest = hashlib.sha256(b"not these weights").hexdigest()
    with pytest.raises(BadInput, match=rf"got invalid hash value .*a79551df.*{digest}.*; a file can be bound instead"):
        weights_file("weights", LITE, "torchvision:DEFAULT")
    assert list((hub / "checkpoints").iterdir()) == []  # nothing that the next build would take for weights


def test_a_file_that_is_there_is_not_asked_for(hub, downloads):
    (hub / "checkpoints").mkdir(parents=True)
    (hub / "checkpoints" / LITE_FILE).write_bytes(b"here already")
    assert Path(weights_file("weights", LITE, "torchvision:DEFAULT")).read_bytes() == b"here already"
    assert downloads == []


def test_without_internet_that_is_one_sentence(hub):
    with pytest.raises(BadInput, match=r"^binding 'weights': expected to fetch torchvision's weights from https://"):
        weights_file("weights", LITE, "torchvision:DEFAULT")


def test_a_cache_that_cannot_be_written_is_bad_input(hub, downloads):
    hub.write_bytes(b"a file where the folder should be")
    with pytest.raises(BadInput, match=r"expected to fetch torchvision's weights from https://.*; a file can be bound"):
        weights_file("weights", LITE, "torchvision:DEFAULT")
    assert downloads == []


# --- models


def test_a_bound_file_is_the_model_with_its_metadata(small_file):
    model, metadata = load_model(SETTINGS, "weights", small_file)
    assert metadata == METADATA
    wanted = small().state_dict()
    assert all(torch.equal(value, wanted[name]) for name, value in model.state_dict().items())


@pytest.mark.parametrize("data", [b"", b"no weights"], ids=["empty", "text"])
def test_a_file_of_something_else_is_bad_input(tmp_path, data):
    (tmp_path / "w.pth").write_bytes(data)
    with pytest.raises(BadInput, match=r"^binding 'mine': expected a file of weights, got"):
        load_model(SETTINGS, "mine", str(tmp_path / "w.pth"))


def test_a_file_that_is_not_there_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match="binding 'mine': expected"):
        load_model(SETTINGS, "mine", str(tmp_path / "none.pth"))


def test_a_file_larger_than_any_weights_is_bad_input(small_file, monkeypatch):
    monkeypatch.setattr(torchvision_models, "MOST_BYTES", 1000)
    with pytest.raises(BadInput, match="binding 'weights': expected"):
        load_model(SETTINGS, "weights", small_file)


@pytest.mark.parametrize(
    ("classes", "problem"),
    [
        ({"person": 2}, "expected weights whose class 2 is 'person', got those of person"),
        ({"horse": 1}, "expected weights whose class 1 is 'horse', got those of person"),
        ({"person": 0}, "expected weights whose class 0 is 'person'"),
        ({"person": 1, "horse": 2}, "expected weights whose class 2 is 'horse', got those of person"),
    ],
)
def test_weights_that_do_not_know_the_class_are_bad_input(small_file, classes, problem):
    with pytest.raises(BadInput, match=f"binding 'weights': {problem}"):
        load_model(Detect(model="fcos_small", classes=classes), "weights", small_file)


@pytest.fixture
def unnamed_file(tmp_path) -> str:
    """A state dict of two classes, which have no names in it."""
    torch.save(torchvision_models.build("fcos_small", 2).state_dict(), file := io.BytesIO())
    (tmp_path / "small.pth").write_bytes(file.getvalue())
    return str(tmp_path / "small.pth")


def test_classes_of_weights_without_names_are_the_recipes(unnamed_file):
    model, metadata = load_model(Detect(model="fcos_small", classes={"a": 1, "b": 2}), "weights", unnamed_file)
    assert metadata.categories == ()
    assert model.head.classification_head.num_classes == 3


@pytest.mark.parametrize("index", [0, 3, 90])
def test_a_class_beyond_those_of_weights_without_names_is_bad_input(unnamed_file, index):
    settings = Detect(model="fcos_small", classes={"person": 1, "horse": index})
    with pytest.raises(BadInput, match=rf"expected a class index of 1\.\.2 for 'horse', got {index}"):
        load_model(settings, "weights", unnamed_file)


# --- detectors


def test_a_detector_is_of_the_file_on_the_device(small_file):
    detector = load_detector(SETTINGS, "weights", small_file, "cpu")
    assert detector.device == torch.device("cpu")
    assert detector.detect([]) == []


def test_a_device_that_is_not_there_is_said_before_anything_is_read():
    with pytest.raises(BadInput, match=r"^device: expected auto, cpu, cuda or cuda:<number>, got 'tpu'"):
        load_detector(SETTINGS, "weights", "/no/such/file", "tpu")
