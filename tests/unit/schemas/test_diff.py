"""The words of `bilderatlas diff`."""

from pathlib import Path

from schemas.diff import KINDS, MEANING, ChangeReason, Kind


def test_every_word_has_its_sentence_and_stands_in_the_documentation():
    page = Path(__file__).resolve().parents[3].joinpath("docs/comparing.md").read_text(encoding="utf-8")
    assert set(MEANING) == set(ChangeReason)
    assert set(KINDS) == set(Kind)
    for word, sentence in {**KINDS, **MEANING}.items():
        assert f"| `{word}` | {sentence} |" in page
