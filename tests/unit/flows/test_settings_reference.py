"""The list of all settings: complete, described, and the same as the page in docs/."""

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import schemas
from flows.cli import main
from flows.settings_reference import markdown_of, sections, sections_of, text_of
from schemas.base import Frozen
from schemas.errors import BadInput

PAGE = Path(__file__).resolve().parents[3] / "docs" / "settings.md"


def models(parent: type[Frozen] = Frozen) -> Iterator[type[Frozen]]:
    """Every model of settings in schemas/."""
    for module in pkgutil.walk_packages(schemas.__path__, "schemas."):
        importlib.import_module(module.name)
    for child in parent.__subclasses__():
        if child.__module__.startswith("schemas."):
            yield child
        yield from models(child)


@pytest.mark.parametrize("model", sorted(set(models()), key=lambda model: model.__name__), ids=lambda m: m.__name__)
def test_every_setting_has_a_description_and_every_group_a_docstring(model: type[Frozen]):
    assert model.__doc__
    assert model.__doc__ != Frozen.__doc__
    for name, field in model.model_fields.items():
        if name not in {"stage", "source"}:
            assert field.description, f"{model.__name__}.{name} has no description"


def test_every_stage_and_source_has_a_section():
    words = [section.word for section in sections()]
    assert len(words) == len(set(words))
    assert {"recipe", "fetch", "hash", "detect", "quality", "screen", "dedup", "sample", "split", "export"} <= set(
        words
    )
    assert {"folder", "table", "artic", "commons", "flickr", "met", "surrealism", "ukiyoe", "wikiart"} <= set(words)
    assert {"train", "evaluate"} <= set(words)


@pytest.mark.parametrize(
    ("word", "name", "facts"),
    [
        ("dedup", "radius_bits", ("whole number", "bits", "0 to 16", "12")),
        ("fetch", "max_bytes", ("whole number", "bytes", "1 or more", "200_000_000")),
        ("fetch", "refresh", ("new, failed or all", "", "", "new")),
        ("screen", "figures.score", ("number", "", "0 to 1", "0.5")),
        ("screen", "scores.most_blur", ("number or null", "", "0 to 1", "null")),
        ("screen", "aspect.least", ("number", "", "more than 0", "0.5")),
        ("split", "ratios", ("mapping of train, val or test to number or null", "", "", "{train: 3, val: 1, test: 1}")),
        ("export", "media", ("true or false", "", "", "false")),
        ("export", "parquet", ("group", "", "", "")),
        ("recipe", "name", ("text", "", "lower-case letters, digits, - and _", "required")),
        ("recipe", "manners.rate_per_s", ("number", "requests per second", "more than 0, at most 100_000", "5")),
        ("recipe", "manners.hosts.<name>.connections", ("whole number or null", "", "1 to 256", "null")),
        ("flickr", "uploaded_from", ("date or null", "", "", "null")),
        ("train", "learning_rate", ("number", "", "more than 0, at most 1e+30", "0.0002")),
    ],
)
def test_a_setting_is_listed_with_its_type_unit_range_and_default(word: str, name: str, facts: tuple[str, ...]):
    (section,) = sections_of(word)
    (setting,) = [setting for setting in section.settings if setting.name == name]
    assert (setting.kind, setting.unit, setting.allowed, setting.default) == facts
    assert f"  {name}: " in text_of([section])


def test_the_page_is_what_the_program_prints(capsys: pytest.CaptureFixture[str]):
    assert main(["settings", "--markdown"]) == 0
    printed = capsys.readouterr().out
    assert printed == PAGE.read_text(encoding="utf-8"), "run: bilderatlas settings --markdown > docs/settings.md"
    assert printed == markdown_of(sections_of("all")) + "\n"


def test_the_command_lists_words_one_word_or_all(capsys: pytest.CaptureFixture[str]):
    assert main(["settings"]) == 0
    assert "  dedup " in capsys.readouterr().out
    assert main(["settings", "dedup"]) == 0
    assert capsys.readouterr().out.startswith("dedup: ")
    assert main(["settings", "all"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) < 400


def test_an_unknown_word_is_answered_with_all_words(capsys: pytest.CaptureFixture[str]):
    assert main(["settings", "dedupe"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("bilderatlas: settings: expected all or one of recipe, fetch, hash, ")
    assert error.endswith(", got 'dedupe'\n")
    with pytest.raises(BadInput):
        sections_of("")
