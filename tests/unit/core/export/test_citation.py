"""How a release is cited."""

from schemas.about import About
from tasks.core.export.citation import citation
from tests.support.release_rows import MANIFEST


def test_a_release_is_cited_by_its_version_where_its_recipe_says_nothing():
    assert citation("A {small}\n\\ set", About(authors=("A", "B")), MANIFEST).splitlines() == [
        "@misc{small-0123456789ab,",
        "  title = {A small set},",
        "  author = {A and B},",
        "  version = {0123456789ab},",
        f"  note = {{content sha256:{'c' * 64}}}",
        "}",
    ]


def test_peoples_own_words_stand_as_they_are():
    assert citation("T", About(citation="  @misc{own}\n"), MANIFEST) == "@misc{own}"
