"""The hostile campaign's own parts: what it calls wrong, and that a hang or a death of one case is found and is its
own.
"""

import os
import signal
import time
from pathlib import Path

import pytest
from pydantic import BaseModel

from benchmarks.hostile import pictures, workers
from benchmarks.hostile.cases import Family, Fault, Scene, Verdict, Wrong, first_wrong, one_by_one
from benchmarks.hostile.commands import Ended, TookTooLong, limited, run_here, wrong_ending
from benchmarks.hostile.families import FAMILIES
from benchmarks.hostile.schema_paths import Place, is_surely_wrong, places_of, with_value

SENTENCE = "bilderatlas: recipe: expected a mapping, got a list\n"


def scene(folder: Path, seed: int = 1) -> Scene:
    return Scene(seed, folder, *(folder / name for name in ("museum", "larger", "built", "rebuilt")))


@pytest.mark.parametrize(
    ("ended", "fault"),
    [
        pytest.param(
            Ended(None, "", "Traceback (most recent call last):\nKeyError: 1\n", 1.0), Fault.TRACEBACK, id="raised"
        ),
        pytest.param(
            Ended(2, "", f"Traceback (most recent call last):\n{SENTENCE}", 1.0), Fault.TRACEBACK, id="in stderr"
        ),
        pytest.param(Ended(0, "Traceback (most recent call last):\n", "", 1.0), Fault.TRACEBACK, id="in stdout"),
        pytest.param(Ended(2, "", SENTENCE, 99.0), Fault.HANG, id="late"),
        pytest.param(Ended(0, "", "", 1.0), Fault.OTHER, id="another status"),
        pytest.param(Ended(2, "", "", 1.0), Fault.OTHER, id="no sentence"),
        pytest.param(Ended(2, "", SENTENCE * 2, 1.0), Fault.OTHER, id="two sentences"),
        pytest.param(Ended(2, "", f"{SENTENCE}and more\n", 1.0), Fault.OTHER, id="a line behind"),
        pytest.param(Ended(2, "", f"bilderatlas: recipe {'x' * 2000}\n", 1.0), Fault.OTHER, id="too long"),
        pytest.param(Ended(2, "", "bilderatlas: recipe \x1b[31m\n", 1.0), Fault.OTHER, id="an escape"),
        pytest.param(Ended(2, "", "bilderatlas: something else\n", 1.0), Fault.UNTRUE, id="nothing of what is wrong"),
    ],
)
def test_what_is_wrong_with_an_ending(ended, fault):
    wrong = wrong_ending(ended, {2}, ("recipe",))
    assert wrong is not None
    assert wrong.fault is fault


@pytest.mark.parametrize(
    "ended", [Ended(2, "", SENTENCE, 1.0), Ended(2, "", f"scrape: 3 kept\n{SENTENCE}", 1.0), Ended(0, "x", "y", 1.0)]
)
def test_what_is_right(ended):
    assert wrong_ending(ended, {0, 2}, ("recipe",)) is None


@pytest.mark.slow  # imports all that any command needs
def test_a_command_line_ends_here_as_in_a_process_of_its_own(tmp_path):
    ended = run_here(["plan", str(tmp_path / "nowhere.yaml")])
    assert (ended.status, ended.out) == (2, "")
    assert wrong_ending(ended, {2}, ("nowhere.yaml",)) is None
    assert run_here(["nobody"]).status == 2


def test_what_does_not_end_is_ended():
    began = time.monotonic()
    with pytest.raises(TookTooLong), limited(0.05):
        time.sleep(30)
    assert time.monotonic() - began < 10


def _judged(behaviour, at_once: int, limit_s: float = 0.2) -> Family:
    return Family("trial", "", 8, 8, behaviour, at_once, limit_s)


def _all_but_one(does_what):
    def judge(numbers, _scene):
        for number in numbers:
            if number == 5:
                does_what()
            yield Verdict(number, f"case {number}", None)

    return judge


@pytest.mark.parametrize(
    ("does_what", "fault"),
    [
        pytest.param(lambda: time.sleep(60), Fault.HANG, id="hangs"),
        pytest.param(lambda: os.kill(os.getpid(), signal.SIGKILL), Fault.TRACEBACK, id="dies"),
        pytest.param(lambda: {}["gone"], Fault.TRACEBACK, id="raises"),
    ],
)
def test_halves_show_which_case_of_a_run_it_was(tmp_path, monkeypatch, does_what, fault):
    monkeypatch.setattr(workers, "_LATE_S", 0.1)
    runs = workers.runs_of(_judged(_all_but_one(does_what), 8), range(8))
    verdicts = sorted(verdict for done in workers.all_done(runs, scene(tmp_path), 2) for verdict in done.verdicts)
    assert [verdict.number for verdict in verdicts] == list(range(8))
    assert {verdict.number: verdict.wrong.fault for verdict in verdicts if verdict.wrong} == {5: fault}
    assert list(tmp_path.iterdir()) == [], "what runs leave is removed"


def test_cases_one_by_one_have_folders_and_chances_of_their_own(tmp_path):
    def case(number, chance, own):
        return f"{own.folder.name} {chance.random()}", Wrong(Fault.OTHER, "x") if number == 2 else None

    judge = one_by_one("trial", case)
    once = list(judge([1, 2], scene(tmp_path / "a")._replace(folder=made(tmp_path / "a"))))
    again = list(judge([2], scene(tmp_path / "b")._replace(folder=made(tmp_path / "b"))))
    assert once[1] == again[0]
    assert once[0].what.split()[1] != once[1].what.split()[1]
    assert [verdict.wrong is None for verdict in once] == [True, False]


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_a_file_is_the_same_each_time_and_another_with_another_seed(tmp_path):
    files = {
        (seed, number): pictures.some_file(scene(tmp_path, seed).chance("images", number))
        for seed in (1, 2)
        for number in range(12)
    }
    assert all(
        pictures.some_file(scene(tmp_path, seed).chance("images", number)) == file
        for (seed, number), file in files.items()
    )
    assert len({file.data for file in files.values()}) > 15


class Inner(BaseModel):
    number: int | None = None
    names: tuple[str, ...] = ()


class Outer(BaseModel):
    inner: Inner
    by_name: dict[str, Inner] = {}


def test_every_place_of_a_schema_is_found_with_its_types():
    places = {place.path: place.types for place in places_of(Outer.model_json_schema())}
    assert places == {
        ("inner",): {"object"},
        ("inner", "number"): {"integer", "null"},
        ("inner", "names"): {"array"},
        ("inner", "names", 0): {"string"},
        ("by_name",): {"object"},
        ("by_name", "x"): {"object"},
        ("by_name", "x", "number"): {"integer", "null"},
        ("by_name", "x", "names"): {"array"},
        ("by_name", "x", "names", 0): {"string"},
    }
    assert Place(("stages", 0, "dedup", "by"), frozenset()).words == ("dedup", "by")


def test_a_value_is_put_where_it_belongs_and_nothing_else_changes():
    fields = {"a": {"b": [1]}}
    assert with_value(fields, ("a", "b", 0), 2) == {"a": {"b": [2]}}
    assert with_value(fields, ("c", 1, "d"), 2) == {"a": {"b": [1]}, "c": [{}, {"d": 2}]}
    assert fields == {"a": {"b": [1]}}


@pytest.mark.parametrize(
    ("value", "types", "is_wrong"),
    [
        (None, {"string"}, True),
        (None, {"string", "null"}, False),
        ([], {"integer"}, True),
        ({}, {"object"}, False),
        ("5", {"integer"}, False),
        ("odd text", {"number"}, True),
        (1, {"string"}, True),
        (1, {"boolean"}, False),
        (True, {"integer"}, False),
    ],
)
def test_what_no_reader_could_take(value, types, is_wrong):
    assert is_surely_wrong(value, frozenset(types)) is is_wrong


def test_the_campaign_has_at_least_two_thousand_cases():
    assert sum(family.cases for family in FAMILIES.values()) >= 2000
    assert all(0 < family.sample <= family.cases for family in FAMILIES.values())
    assert first_wrong([None, Wrong(Fault.HANG, "a"), Wrong(Fault.OTHER, "b")]) == Wrong(Fault.HANG, "a")
