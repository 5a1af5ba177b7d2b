"""The questions of the datasheet, and what the docs say of them."""

import pytest
from pydantic import ValidationError

from schemas.about import About
from schemas.datasheet import question_keys, sections
from tests.support.desk import ROOT


def test_the_docs_list_every_question():
    asked_by = {"gebru": "Gebru", "srinivasan": "Srinivasan"}
    rows = [
        f"| `{question.key}` | {question.ask} | {asked_by[question.of]} | "
        f"{('whole' if question.is_whole else 'in part') if question.build else ''} |"
        for questions in sections().values()
        for question in questions
    ]
    page = (ROOT / "docs/datasheet.md").read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if line.startswith("| `")] == rows


def test_a_question_that_nobody_asks_is_told():
    with pytest.raises(ValidationError, match=r"got 'purposes'; did you mean 'purpose'"):
        About(answers={"purposes": "x"})
    assert About(answers=dict.fromkeys(question_keys(), "x"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("homepage", "javascript:alert(1)"),
        ("homepage", "https://a.example/> <b>"),
        ("languages", ["English"]),
        ("tasks", ["Object Detection"]),
        ("annotators", "somebody"),
        ("answers", {"purpose": ""}),
        ("citation", ""),
    ],
)
def test_odd_words_are_refused(field: str, value: object):
    with pytest.raises(ValidationError):
        About.model_validate({field: value})
