"""Weights by file or by torchvision's names: which there are, what is refused, and nothing fetched twice."""

from pathlib import Path

import pytest
import torch

from schemas.detect import Detect
from schemas.errors import BadInput
from tasks.io.detectors import torchvision_models, torchvision_weights
from tasks.io.detectors.torchvision_weights import load_model, weights_file
from tests.support.models import METADATA, small

RETINA = "retinanet_resnet50_fpn"


@pytest.mark.parametrize("url", ["", "weights.safetensors", "s3://bucket/w.pth", "torchvision"])
def test_what_does_not_name_torchvisions_is_a_file(url):
    assert weights_file("w", RETINA, url) == url


@pytest.mark.parametrize(
    ("model", "url", "says"),
    [
        (
            RETINA,
            "torchvision:NONE",
            "binding 'w': expected torchvision:COCO_V1 or torchvision:DEFAULT for retinanet_resnet50_fpn, got "
            "'torchvision:NONE'",
        ),
        (
            "fcos_small",
            "torchvision:DEFAULT",
            "binding 'w': expected a file, since torchvision has none for fcos_small, got 'torchvision:DEFAULT'",
        ),
    ],
)
def test_names_that_torchvision_does_not_have(model, url, says):
    with pytest.raises(BadInput) as caught:
        weights_file("w", model, url)
    assert str(caught.value) == says


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(torch.hub, "get_dir", lambda: str(tmp_path))
    return tmp_path / "checkpoints"


def test_a_name_is_fetched_once_and_checked_by_the_digest_in_its_file(hub, monkeypatch: pytest.MonkeyPatch):
    asked = []

    def download(url: str, target: str, prefix: str, *, progress: bool) -> None:
        asked.append((url.rpartition("/")[2], prefix, progress))
        Path(target).write_bytes(b"weights")

    monkeypatch.setattr(torch.hub, "download_url_to_file", download)
    first = weights_file("w", RETINA, "torchvision:DEFAULT")
    assert Path(first).parent == hub
    assert weights_file("w", RETINA, "torchvision:COCO_V1") == first
    ((name, prefix, progress),) = asked
    assert (name.endswith(f"-{prefix}.pth"), len(prefix), progress) == (True, 8, False)


def test_a_download_that_fails_is_one_sentence(hub, monkeypatch: pytest.MonkeyPatch):
    def download(*_: object, **__: object) -> None:
        raise OSError("no route to host")

    monkeypatch.setattr(torch.hub, "download_url_to_file", download)
    with pytest.raises(BadInput, match=r"binding 'w': expected to fetch .* got no route to host; a file can be bound"):
        weights_file("w", RETINA, "torchvision:DEFAULT")


def test_weights_of_the_class_that_is_asked_for_are_the_model(tmp_path):
    (tmp_path / "w").write_bytes(torchvision_models.weights_bytes(small(), METADATA))
    model, metadata = load_model(Detect(model="fcos_small"), "w", str(tmp_path / "w"))
    assert metadata == METADATA
    assert all(torch.equal(value, small().state_dict()[name]) for name, value in model.state_dict().items())


@pytest.mark.parametrize("data", [b"", b"no weights"])
def test_a_file_of_something_else_is_refused(tmp_path, data):
    (tmp_path / "w").write_bytes(data)
    with pytest.raises(BadInput, match="binding 'w'"):
        load_model(Detect(model="fcos_small"), "w", str(tmp_path / "w"))


@pytest.mark.parametrize(
    ("category", "index", "categories", "says"),
    [
        ("person", 2, ("person",), "expected weights whose class 2 is 'person', got those of person"),
        ("dog", 1, ("person", "cat"), "expected weights whose class 1 is 'dog', got those of person, cat"),
        ("person", 2, (), "expected a class index of 1..1 for 'person', got 2"),
        ("person", 0, (), "expected a class index of 1..1 for 'person', got 0"),
    ],
)
def test_a_class_that_the_weights_lack(category, index, categories, says):
    with pytest.raises(BadInput) as caught:
        torchvision_weights._check_class("binding 'w'", category, index, 2, METADATA._replace(categories=categories))
    assert str(caught.value) == f"binding 'w': {says}"
