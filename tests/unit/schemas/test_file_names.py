"""One rule for names of files: exactly, else the one that is canonically equal; what is more different is another."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.file_names import FileNames, canonical_name, difference, form_of

COMPOSED, DECOMPOSED = "\u00e9t\u00e9.jpg", "e\u0301te\u0301.jpg"
MIXED = "\u00e9te\u0301.jpg"


@pytest.mark.parametrize(
    ("there", "name", "expected"),
    [
        pytest.param([], "a.jpg", None, id="nothing there"),
        pytest.param([DECOMPOSED], COMPOSED, DECOMPOSED, id="decomposed on disk"),
        pytest.param([COMPOSED], DECOMPOSED, COMPOSED, id="composed on disk"),
        pytest.param([MIXED], COMPOSED, MIXED, id="mixed on disk"),
        pytest.param([COMPOSED], MIXED, COMPOSED, id="mixed in the table"),
        pytest.param([COMPOSED, DECOMPOSED], DECOMPOSED, DECOMPOSED, id="both: exactly"),
        pytest.param([COMPOSED, DECOMPOSED], MIXED, None, id="both, and neither exactly"),
        pytest.param(["\u212a.jpg"], "K.jpg", "\u212a.jpg", id="the sign of kelvin is a K"),
        pytest.param(["\uff21.jpg"], "A.jpg", None, id="a wide letter is another"),
        pytest.param(["\ufb01.jpg"], "fi.jpg", None, id="a ligature is another"),
        pytest.param([f"{DECOMPOSED}/a.jpg"], f"{COMPOSED}/a.jpg", f"{DECOMPOSED}/a.jpg", id="a folder"),
        pytest.param(["\u1100\u1161.jpg"], "\uac00.jpg", "\u1100\u1161.jpg", id="Hangul"),
    ],
)
def test_find(there: list[str], name: str, expected: str | None):
    assert FileNames(there).find(name) == expected


@pytest.mark.parametrize(
    ("there", "name", "words"),
    [
        pytest.param([], "a.jpg", "", id="nothing there"),
        pytest.param(["b.jpg"], "a.jpg", "", id="others"),
        pytest.param(["A.JPG"], "a.jpg", "; there is 'A.JPG', which differs in case", id="case"),
        pytest.param([" a.jpg"], "a.jpg", "; there is ' a.jpg', which differs in blanks around it", id="a blank"),
        pytest.param(["A.jpg", "a.JPG"], "a.jpg", "", id="several"),
        pytest.param(["b/a.jpg"], r"b\a.jpg", "; there is 'b/a.jpg', with '/' between folders", id="as on Windows"),
        pytest.param(["b/a.jpg"], r".\b\a.jpg", "; there is 'b/a.jpg', with '/' between folders", id="from a dot"),
        pytest.param(["b/a.jpg"], r"b\c.jpg", "", id="as on Windows, and not there"),
        pytest.param(
            [DECOMPOSED, COMPOSED],
            MIXED,
            "; it is in some composed and some decomposed letters, and 2 files are called so but for that: one in "
            "composed letters and one in decomposed letters",
            id="two forms",
        ),
        pytest.param(
            [DECOMPOSED.upper()],
            COMPOSED,
            f"; there is '{DECOMPOSED.upper()}', which differs in case",
            id="case and form",
        ),
    ],
)  # fmt: skip
def test_why_absent(there: list[str], name: str, words: str):
    assert FileNames(there).find(name) is None
    assert FileNames(there).why_absent(name) == words


def test_words_of_forms_and_differences():
    assert form_of("a.jpg") == "composed letters"
    assert form_of(DECOMPOSED) == "decomposed letters"
    assert difference(COMPOSED, DECOMPOSED) == "the form of its letters"
    assert difference("b/ A.jpg", "b/a.JPG ") == "case and blanks around it"


NAMES = st.text(st.sampled_from("aA\u00e9e\u0301\u00c5\u212b\u030a/ .\uac00"), max_size=6)


@given(st.lists(NAMES, max_size=6), NAMES, st.sampled_from(["NFC", "NFD"]))
def test_a_name_is_found_in_any_form_where_it_is_the_only_one(there: list[str], name: str, form: str):
    names = FileNames(there)
    spelled = unicodedata.normalize(form, name)  # type: ignore[arg-type]
    equal = {other for other in there if canonical_name(other) == canonical_name(name)}
    expected = spelled if spelled in there else next(iter(equal)) if len(equal) == 1 else None
    assert names.find(spelled) == expected
    if expected is None and len(equal) > 1:
        assert "but for that" in names.why_absent(spelled)
