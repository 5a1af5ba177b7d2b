"""Learning rates against numbers worked out by hand and PyTorch's; an order depends on seed and epoch alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.train import TrainDetector
from tasks.core.train import schedule


def settings(**more: object) -> TrainDetector:
    return TrainDetector.model_validate({"warm_up_steps": 0, **more})


RATES = [
    pytest.param(settings(), 0, 2e-4, id="the first step"),
    pytest.param(settings(), 8 * 10 - 1, 2e-4, id="the last step of epoch 8"),
    pytest.param(settings(), 8 * 10, 2e-5, id="the first of epoch 9: a tenth"),
    pytest.param(settings(), 11 * 10, 2e-6, id="the first of epoch 12: a tenth of that"),
    pytest.param(settings(warm_up_steps=4), 0, 2e-7, id="warm-up begins at a thousandth"),
    pytest.param(settings(warm_up_steps=4), 2, 2e-4 * (0.001 + 0.999 / 2), id="and goes up in a straight line"),
    pytest.param(settings(warm_up_steps=4), 4, 2e-4, id="to the whole"),
    pytest.param(settings(schedule="cosine"), 60, 1e-4, id="half of a cosine"),
    pytest.param(settings(schedule="one_cycle"), 0, 2e-4 / 25, id="one cycle begins low"),
    pytest.param(settings(schedule="one_cycle"), 17, 2e-4, id="is highest after 15 % of 120 steps"),
    pytest.param(settings(schedule="one_cycle"), 119, 2e-4 / 250_000, id="and ends near nothing"),
]


@pytest.mark.parametrize(("given_settings", "step", "expected"), RATES)
def test_the_rate_of_a_step_in_12_epochs_of_10(given_settings, step, expected):
    assert schedule.learning_rate(given_settings, step, 10) == pytest.approx(expected, rel=1e-9)


@given(st.sampled_from(["steps", "cosine", "one_cycle"]), st.integers(1, 5), st.integers(1, 20), st.integers(0, 50))
def test_every_rate_is_above_nothing_and_at_most_the_highest(kind, epochs, per_epoch, warm):
    given_settings = settings(schedule=kind, epochs=epochs, warm_up_steps=warm)
    for step in range(epochs * per_epoch):
        assert 0 < schedule.learning_rate(given_settings, step, per_epoch) <= given_settings.learning_rate * (1 + 1e-12)


def test_one_cycle_is_the_one_of_pytorch():
    torch = pytest.importorskip("torch")
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    theirs = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=60, pct_start=0.15)
    rates = []
    for _ in range(60):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if len(rates) < 60:
            theirs.step()
    ours = [
        schedule.learning_rate(settings(schedule="one_cycle", learning_rate=1, epochs=3), step, 20)
        for step in range(60)
    ]
    assert ours == pytest.approx(rates, abs=1e-9)


def test_an_epoch_sees_each_image_once_in_an_order_of_its_own():
    ids = list(range(100, 150))
    first, second = schedule.order_of_epoch(ids, 7, 0), schedule.order_of_epoch(ids, 7, 1)
    assert sorted(first) == sorted(second) == list(range(50))
    assert first != second != schedule.order_of_epoch(ids, 8, 1)
    assert schedule.order_of_epoch(ids, 7, 0) == first


@pytest.mark.parametrize(("images", "steps"), [(1, 1), (16, 1), (17, 2), (32, 2)])
def test_steps_of_16_images(images, steps):
    assert schedule.steps_per_epoch(images, TrainDetector()) == steps
