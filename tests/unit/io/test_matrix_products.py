"""Matrix products of torch in the place of numpy's."""

import numpy as np
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.recognition.neighbours import nearest_neighbours
from tasks.io import matrix_products
from tasks.io.matrix_products import product_on


def test_torchs_product_finds_the_same_neighbours():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    gallery, queries = (rng.normal(size=(rows, 32)).astype(np.float32) for rows in (500, 20))
    product = matrix_products.torch_product(torch.device("cpu"))
    ours, theirs = (nearest_neighbours(gallery, queries, 7, **more) for more in ({}, {"product": product}))
    assert ours.rows.tolist() == theirs.rows.tolist()
    assert ours.similarities.tolist() == theirs.similarities.tolist()


def test_the_cpu_has_no_product_of_its_own(monkeypatch):
    assert product_on("cpu") is None
    monkeypatch.setattr(matrix_products, "_DRIVERS", ("there is no such file",))
    assert product_on("auto") is None


@pytest.mark.parametrize("device", ["cuda:99", "tpu"])
def test_a_device_that_is_not_there_is_refused(device):
    pytest.importorskip("torch")
    with pytest.raises(BadInput, match="device: expected"):
        product_on(device)


def test_without_torch_there_is_one_sentence(monkeypatch):
    monkeypatch.setattr(matrix_products, "find_spec", lambda name: None)
    assert product_on("auto") is None
    with pytest.raises(BadInput, match="expected torch for cuda, got none"):
        product_on("cuda")
