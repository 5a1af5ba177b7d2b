"""The docs say what is true: commands parse, paths exist, every stage, reason and command is mentioned where people
look.
"""

import argparse
import importlib.metadata
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from prefect.settings import Settings
from prefect.settings.legacy import _get_valid_setting_names

from flows.cli import parser
from schemas.fetch import Scrape
from schemas.opt_outs import OptOutSignal
from schemas.reasons import MEANING, Reason
from schemas.stages import STAGES
from tests.support import documented

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])
WORDS = ["scrape", *STAGES]


COMMANDS = [command for block in documented.BLOCKS for command in block.commands]


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("bilderatlas ")])
def test_every_command_that_a_page_shows_is_one_that_the_program_understands(command):
    parser().parse_args(shlex.split(command.partition(" > ")[0], comments=True)[1:])


@pytest.mark.parametrize("page", documented.PAGES)
def test_every_block_of_code_says_whether_it_is_typed(page):
    languages = re.findall(r"^ *```(.*)\n(?:.*\n)*?^ *```$", documented.text_of(page), re.MULTILINE)
    assert {*languages} <= {"sh", "console", "text", "csv", "json", "python", "yaml"}


def test_every_command_of_the_docs_is_typed_by_a_test_or_is_an_exception():
    """What is in `rest` is typed by tests/integration/test_documented_commands.py, if it may be."""
    for block in documented.rest():
        for command in block.commands:
            documented.typed(command, {})


def test_every_exception_is_a_command_of_the_docs():
    for begin in (begin for begins in documented.EXCEPTIONS.values() for begin in begins):
        assert any(command.startswith(begin) for command in COMMANDS), begin


@pytest.mark.parametrize("name", documented.OWN_TESTS)
def test_what_another_test_types_it_takes_from_the_page(name):
    assert all(documented.OWN_TESTS[name])
    tests = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("[is]*/*.py")]
    assert any(re.search(rf"^from tests.support.documented import .*\b{name}\b", text, re.MULTILINE) for text in tests)


def test_the_readme_shows_the_commands_that_people_need():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for word in (
        "make build",
        "make test",
        "bilderatlas build",
        "bilderatlas plan",
        "bilderatlas verify",
        "bilderatlas why",
    ):
        assert word in text


SET_UPS = sorted(path for path in (ROOT / "deployments").rglob("*") if path.is_file() and path.suffix != ".pyc")


@pytest.mark.parametrize("page", [*PAGES, *SET_UPS], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_setting_of_prefect_that_is_named_is_one_that_it_has(page):
    named = set(re.findall(r"\bPREFECT_[A-Z]+(?:_[A-Z]+)*\b", page.read_text(encoding="utf-8")))
    assert named <= _get_valid_setting_names(Settings)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_that_a_page_names_is_there(page):
    for name in re.findall(
        r"`((?:flows|tasks|schemas|tests|docs|deployments|data_contracts|examples|benchmarks)/[\w./-]+\.\w+)`",
        page.read_text(encoding="utf-8"),
    ):
        assert (ROOT / name).exists(), f"{page.name} names {name}"


@pytest.mark.parametrize("word", WORDS)
def test_every_stage_stands_in_the_table_of_stages_and_in_each_room(word):
    kind = STAGES.get(word, Scrape).step_kind
    assert f"| {word} | {kind} |" in (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
    assert (ROOT / f"tasks/{word}.py").exists() or (ROOT / f"tasks/{word}").is_dir()
    assert list((ROOT / "tasks/core").glob(f"{word}*"))


def test_every_reason_has_a_meaning_and_every_decision_a_page():
    assert set(MEANING) == set(Reason)
    numbers = [page.name[:3] for page in sorted((ROOT / "docs/decisions").glob("*.md"))]
    assert numbers == [f"{number:03}" for number in range(1, len(numbers) + 1)]


def test_every_opt_out_signal_stands_in_the_table_of_signals():
    page = (ROOT / "docs" / "scraping.md").read_text(encoding="utf-8")
    section = page.partition("\n## Opt-outs\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    assert rows == [f"| `{signal}` | {signal.meaning} |" for signal in OptOutSignal]


def test_no_page_names_a_place_of_one_machine():
    for page in PAGES:
        assert not re.search(r"/(work|root|home)/\w", page.read_text(encoding="utf-8")), page


def test_the_version_is_written_once_and_cited():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == project["version"]
    assert citation["license"] == project["license"]
    for page in [*ROOT.glob("flows/**/*.py"), *ROOT.glob("tasks/**/*.py"), *ROOT.glob("schemas/**/*.py")]:
        assert f'"{project["version"]}"' not in page.read_text(encoding="utf-8"), f"{page}: use importlib.metadata"


def test_the_command_says_its_version(capsys):
    with pytest.raises(SystemExit) as ending:
        parser().parse_args(["--version"])
    assert ending.value.code == 0
    assert capsys.readouterr().out == f"bilderatlas {importlib.metadata.version('bilderatlas')}\n"


def subparsers(top: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Every command's parser, groups included."""
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for parser in action.choices.values():
                yield parser
                yield from subparsers(parser)


@pytest.mark.parametrize("command", list(subparsers(parser())), ids=lambda command: command.prog)
def test_every_command_and_argument_has_a_help_text(command):
    assert command.description
    assert command.description.endswith(".")
    for action in command._actions:
        if not isinstance(action, argparse._SubParsersAction):
            assert action.help, f"{command.prog}: {action.dest}"
    assert command.format_help()
