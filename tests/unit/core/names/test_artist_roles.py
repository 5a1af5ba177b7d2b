"""Who of several people is the artist."""

import pytest

from tasks.core.names.artist_roles import choose_artist, is_maker
from tasks.core.names.maker_words import Words


@pytest.mark.parametrize(
    ("people", "artist", "qualifier"),
    [
        pytest.param([], None, None, id="nobody"),
        pytest.param([("Gris", "")], "Gris", None, id="no role"),
        pytest.param([("Kahnweiler", "publisher"), ("Gris", "artist")], "Gris", None, id="the publisher first"),
        pytest.param([("Kahnweiler", "Publisher")], None, None, id="a publisher alone is no artist"),
        pytest.param([("Firdausi", "Author"), ("Siyavush", "Artist")], "Siyavush", None, id="an author"),
        pytest.param([("Mourlot", "printer"), ("Kahnweiler", "publisher")], None, None, id="nor are two"),
        pytest.param([("Raphael", "after")], "Raphael", "after", id="after somebody who stands alone"),
        pytest.param([("Raphael", "After"), ("Raimondi", "engraver")], "Raimondi", None, id="by one after another"),
        pytest.param([("Raphael", "copy after"), ("Cock", "publisher")], "Raphael", "copy after", id="a copy"),
        pytest.param(
            [("Titian", "formerly attributed to"), ("Giorgione", "artist")], "Giorgione", None, id="not by him"
        ),
        pytest.param([("Rubens", "workshop of"), ("Jordaens", "artist")], "Rubens", "workshop of", id="a workshop"),
        pytest.param([("Rubens", "Artist after")], "Rubens", "after", id="an artist after whom it is"),
        pytest.param([("Visscher", "uitgever"), ("Steen", "tekenaar")], "Steen", None, id="a Dutch publisher"),
        pytest.param([("Rubens", "Attributed to")], "Rubens", "attributed to", id="an attribution"),
        pytest.param([("Loos", "architect"), ("Steiner", "architect's client")], "Loos", None, id="a client"),
        pytest.param(
            [("Hoffmann", "designer"), ("Backhausen", "manufacturer")], "Hoffmann", None, id="the first of two"
        ),
        pytest.param([("Backhausen", "manufacturer")], "Backhausen", None, id="who made it"),
        pytest.param([("Ricketts", "designer and publisher")], "Ricketts", None, id="two roles"),
        pytest.param(
            [("Mourlot", "printer / publisher"), ("Miró", "x")], "Miró", None, id="an unknown role is a maker's"
        ),
    ],
)
def test_the_artist_is_the_first_who_made_it(
    people: list[tuple[str, str]], artist: str | None, qualifier: str | None
) -> None:
    assert choose_artist([name for name, _ in people], [role for _, role in people]) == (artist, qualifier)


def test_roles_are_compared_without_case_accents_and_signs() -> None:
    assert not is_maker(" PUBLISHER. ")
    assert not is_maker("Éditeur")
    assert all(not is_maker(role) for role in Words.shipped()["no_makers"])
