"""What a person sees of a build on the terminal."""

import time

import pytest

from schemas.manifests import Context, Step, TableRef
from tasks.page import terminal


def step(label: str, seconds: float) -> Step:
    outcome = TableRef(path="t", rows=3)
    return Step(
        label=label, stage=label, kind="decide", outcome=outcome, kept=2, dropped={"low_contrast": 1}, seconds=seconds
    )


def cells_of_last_row(text: str) -> list[str]:
    rows = [line for line in text.split("└")[0].splitlines() if line.startswith("│")]
    return [cell.strip() for cell in rows[-1].strip("│").split("│")]


@pytest.mark.parametrize(
    ("seconds", "least", "most"),
    [
        pytest.param((), 10.0, 11.0, id="no stage"),
        pytest.param((2.5, 4.0), 3.5, 4.5, id="two stages"),
        pytest.param((2.5, 40.0), 0.0, 0.0, id="a clock that was set back"),
    ],
)
def test_the_time_that_no_stage_took_is_the_last_row(seconds: tuple[float, ...], least: float, most: float):
    steps = [step(f"s{place}", one) for place, one in enumerate(seconds)]
    context = Context(store="s", began_s=time.time() - 10)
    [cells] = terminal.outside_cells(steps, context)
    assert cells[0] == "outside the stages"
    assert least <= float(cells[terminal.STAGE_COLUMNS.index("seconds")]) <= most
    shown = cells_of_last_row(terminal.build_summary(steps, context))
    assert shown[0] == "outside the stages"
    assert shown[1:6] == [""] * 5


def test_of_a_build_whose_beginning_nobody_noted_only_the_stages_are_shown():
    shown = terminal.build_summary([step("hash", 1)], Context(store="s"))
    assert "outside the stages" not in shown
    assert cells_of_last_row(shown)[:2] == ["hash", "decide"]


@pytest.mark.parametrize(
    ("kept", "dropped", "words"),
    [
        pytest.param(2, {}, "nothing: already in the store (2 kept)", id="all is there"),
        pytest.param(0, {"not_found": 6}, "nothing: no record is left (0 kept, 6 dropped)", id="all are dropped"),
        pytest.param(0, {}, "nothing: no record is left (0 kept)", id="none comes so far"),
    ],
)
def test_a_plan_says_why_nothing_is_to_do(kept: int, dropped: dict[str, int], words: str):
    planned = step("fetch", 0).model_copy(update={"kind": "retrieve", "kept": kept, "dropped": dropped})
    assert terminal.intention(planned) == words
