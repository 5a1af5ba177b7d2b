"""What columns of the images table say of each other, and what true releases may hold; single columns with all tables'
rules in test_verify_rows.
"""

from typing import Any

import pytest

from schemas.attributes import Attribute
from tasks.core.verify_images import attribute_rules, image_rules
from tasks.core.verify_rows import ReleaseFacts, Row, broken_rules
from tests.support.release_rows import FACTS, IMAGE, MEDIA


def problems(rows: list[Row], facts: ReleaseFacts = FACTS) -> list[str]:
    return list(broken_rules("images", "record_id", ("style", "record_id"), rows, image_rules(facts)))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        pytest.param({"artist_qualifier": "after"}, "artist_qualifier: expected null where", id="after"),
        pytest.param(
            {"rights_uri": "NOASSERTION"}, "rights_basis: expected source or none where nobody asserts", id="no rights"
        ),
        pytest.param(
            {"rights_uri": "NOASSERTION", "rights_basis": "source"},
            "rights_text: expected the words of a source that has no open URI, got None",
            id="no words",
        ),
    ],
)
def test_columns_that_do_not_fit_each_other(values: dict[str, Any], said: str):
    (problem,) = problems([{**IMAGE, **values}])
    assert problem.startswith(f"images.{said}")


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"artist": "Hokusai", "artist_qualifier": "kehrt nach"}, id="a qualifier of another version"),
        pytest.param({"year": None}, id="a source that has a date, and no year"),
        pytest.param({"year": -500, "year_first": -500, "year_last": -500}, id="a year before Christ"),
        pytest.param({"year": 1871}, id="a source's own year"),
        pytest.param({"style": "Post Impressionism", "styles": ["Postimpressionismus"] * 2}, id="a style's other name"),
        pytest.param({"style": None, "styles": []}, id="no style"),
        pytest.param(
            {"rights_uri": "NOASSERTION", "rights_basis": "source", "rights_text": "ask us"}, id="a source's words"
        ),
        pytest.param(
            {"rights_uri": "NOASSERTION", "rights_basis": "none", "rights_text": ""}, id="an empty text of the recipe"
        ),
        pytest.param({"rights_basis": "source"}, id="a source's URI"),
        pytest.param({"rights_basis": "recipe:  : \0"}, id="nothing much of the recipe"),
        pytest.param({"artist": "a\0", "style": "\0"}, id="aliases of the recipe"),
    ],
)
def test_what_true_releases_may_hold(values: dict[str, Any]):
    assert problems([{**IMAGE, **values}]) == []


def test_rules_of_columns_that_an_earlier_contract_had_not_are_passed_over():
    late = ("source_urls", "phash_recipe", "artist_qualifier", "artist_text")
    assert problems([{name: value for name, value in IMAGE.items() if name not in late}]) == []


def test_a_file_named_by_other_bytes_is_told():
    rules = image_rules(FACTS._replace(sha256_by_path={MEDIA: "0" * 64}))
    (problem,) = broken_rules("images", "record_id", ("style", "record_id"), [IMAGE], rules)
    assert problem.startswith("images.path: expected a file of the release with the image's bytes")


def test_a_release_that_names_no_hash_may_have_any():
    assert (
        list(
            broken_rules(
                "images", "record_id", ("style", "record_id"), [IMAGE], image_rules(FACTS._replace(phash_recipe=None))
            )
        )
        == []
    )


@pytest.mark.parametrize(
    ("room", "methods", "column"),
    [
        pytest.param("", None, "room", id="an empty text"),
        pytest.param("a\0", None, "room", id="a NUL"),
        pytest.param(None, [], "methods", id="an empty list"),
        pytest.param(None, ["a", ""], "methods", id="an empty text in a list"),
        pytest.param(None, [None], "methods", id="a null in a list"),
        pytest.param(None, None, "", id="nothing is said"),
        pytest.param("2nd", ["oil"], "", id="texts"),
    ],
)
def test_attributes_say_nothing_by_null_alone(room: str | None, methods: list[str | None] | None, column: str):
    rules = attribute_rules({"room": Attribute(type="string"), "methods": Attribute(type="strings")})
    row = {**IMAGE, "room": room, "methods": methods}
    found = list(broken_rules("images", "record_id", ("style", "record_id"), [row], rules))
    assert [problem.partition(":")[0] for problem in found] == ([f"images.{column}"] if column else [])
