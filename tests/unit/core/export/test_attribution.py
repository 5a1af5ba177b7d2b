"""Whom to name for an image."""

from typing import Any

import pyarrow as pa
import pytest

from tasks.core.export.attribution import ASKED, attribution_page, attributions
from tasks.core.markdown import DIRECTIONS
from tasks.core.rights import allowed_use

CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
BY_SA = "https://creativecommons.org/licenses/by-sa/3.0/de/"
TYPES = pa.schema([pa.field(name, pa.string()) for name in ASKED])


def line_of(**given: Any) -> str:
    row = {**dict.fromkeys(ASKED), "record_id": "m:1", "source": "m", "rights_uri": CC0, **given}
    return str(attributions(pa.Table.from_pylist([row], TYPES))[0].as_py())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({}, f"record m:1, m, CC0-1.0 ({CC0})", id="nothing is known"),
        pytest.param({"title": " \n\t", "artist": ""}, f"record m:1, m, CC0-1.0 ({CC0})", id="blanks are nothing"),
        pytest.param({"rights_uri": "NOASSERTION"}, "record m:1, m, rights not known", id="no rights"),
        pytest.param(
            {"title": "Lilies", "artist": "Claude Monet", "source_url": "https://a.example/1"},
            f'"Lilies" by Claude Monet, https://a.example/1, CC0-1.0 ({CC0})',
            id="all is known",
        ),
        pytest.param(
            {"title": "T", "artist": "Rembrandt", "artist_text": "workshop of Rembrandt van Rijn"},
            f'"T" by workshop of Rembrandt van Rijn, m, CC0-1.0 ({CC0})',
            id="in the museum's words",
        ),
        pytest.param({"artist": "佚名"}, f"record m:1 by 佚名, m, CC0-1.0 ({CC0})", id="by an author without a title"),
        pytest.param({"title": "a\r\nb\x00c  d"}, f'"a b c d", m, CC0-1.0 ({CC0})', id="lines and NUL become a blank"),
        pytest.param({"rights_uri": BY_SA}, f"record m:1, m, CC-BY-SA-3.0-DE ({BY_SA})", id="a port"),
        pytest.param(
            {"rights_uri": "https://m.example/terms"},
            "record m:1, m, terms (https://m.example/terms)",
            id="terms of its own",
        ),
    ],
)
def test_a_line(given: dict[str, Any], expected: str):
    assert line_of(**given) == expected


def test_no_image_no_line():
    assert attributions(TYPES.empty_table()).to_pylist() == []


HOSTILE = [
    "<script>alert(1)</script>",
    "![x](https://a.example/b.png)",
    "[click](javascript:alert(1))",
    "# heading\n- item",
    "| a | b |",
    "`code` ~~~ *bold* _it_",
    "&lt;b&gt;",
    "---\nyaml: 1",
    "x" * 10_000,
]


def page_of(rows: list[dict[str, Any]]) -> str:
    kinds = {"image_id": pa.int64(), "rights_uri": pa.string(), "attribution": pa.string()}
    return b"".join(attribution_page(pa.Table.from_pylist(rows, pa.schema(list(kinds.items()))))).decode()


def test_a_page_has_each_image_once_below_its_licence_the_commonest_first():
    rows = [
        {"image_id": number, "rights_uri": uri, "attribution": f"line {number}"}
        for number, uri in ((9, CC0), (7, BY_SA), (3, CC0), (5, "NOASSERTION"))
    ]
    lines = [line for line in page_of(rows).splitlines() if line.startswith(("## ", "- "))]
    assert lines == [
        "## CC0-1.0 (https://creativecommons.org/publicdomain/zero/1.0/)",
        "- 3: line 3",
        "- 9: line 9",
        "## Rights not known",
        "- 5: line 5",
        "## CC-BY-SA-3.0-DE (https://creativecommons.org/licenses/by-sa/3.0/de/)",
        "- 7: line 7",
    ]
    assert allowed_use("NOASSERTION") in page_of(rows)


def test_no_line_of_the_page_turns_what_follows_it():
    row = {"image_id": 1, "rights_uri": CC0, "attribution": line_of(title="a\u202eb\u2069")}
    page = page_of([row, {**row, "image_id": 2, "attribution": "שלום"}])
    assert "a(U+202E)b(U+2069)" in page
    assert "שלום" in page
    assert not {*DIRECTIONS} & {*page}


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_source_says_is_text_in_the_page(text: str):
    row = {"image_id": 1, "rights_uri": CC0, "attribution": line_of(title=text)}
    page = page_of([row])
    (line,) = [line for line in page.splitlines() if line.startswith("- ")]
    bare = line.replace("\\\\", "")
    for sign in "<[]`|*_~#!":
        assert bare.count(sign) == bare.count(f"\\{sign}")


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        (CC0, "Any use; nothing is asked."),
        (BY_SA, "Any use, if its author is named; what is made of it may be shared under the same licence alone."),
        ("http://rightsstatements.org/vocab/InC-OW-EU/1.0/", "In copyright, an orphan work in the European Union: few"),
        ("http://rightsstatements.org/vocab/NoC-US/1.0/", "No copyright in the United States; elsewhere somebody"),
        (
            "https://creativecommons.org/licenses/by-nd-nc/1.0/",
            "No commercial use; its author is named; what is",
        ),
        ("https://m.example/terms", "Its own text says what is allowed."),
    ],
)
def test_what_a_licence_allows(uri: str, said: str):
    assert allowed_use(uri).startswith(said)
