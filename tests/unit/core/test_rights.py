"""Which rights statements pass which words and beginnings, and what licences are called."""

import pytest

from tasks.core.rights import licence_name, passes, spdx_id

CC = "creativecommons.org"
CC0, MARK = f"https://{CC}/publicdomain/zero/1.0/", f"https://{CC}/publicdomain/mark/1.0/"
NO_COPYRIGHT = "http://rightsstatements.org/vocab/NoC-US/1.0/"


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        pytest.param("NOASSERTION", {"all"}, id="nobody says anything"),
        pytest.param("", {"all"}, id="nothing"),
        pytest.param(CC0, {"public_domain", "open", "all"}, id="CC0"),
        pytest.param(
            f"http://www.{CC}/publicdomain/zero/1.0", {"public_domain", "open", "all"}, id="CC0, http, www and no slash"
        ),
        pytest.param(f"https://{CC}/publicdomain/zero", {"public_domain", "open", "all"}, id="CC0 without a version"),
        pytest.param(
            f"HTTPS://{CC.upper()}/publicdomain/zero/1.0/deed.de",
            {"public_domain", "open", "all"},
            id="a deed in German",
        ),
        pytest.param(MARK, {"public_domain", "open", "all"}, id="the Public Domain Mark"),
        pytest.param(NO_COPYRIGHT, {"public_domain", "open", "all"}, id="no copyright, United States"),
        pytest.param(
            "https://rightsstatements.org/page/NoC-US/1.0/?language=en", {"public_domain", "open", "all"}, id="its page"
        ),
        pytest.param("http://rightsstatements.org/vocab/NoC-NC/1.0/", {"all"}, id="no copyright, but not for money"),
        pytest.param(
            "http://rightsstatements.org/vocab/NKC/1.0/", {"all"}, id="no known copyright is nobody's word for none"
        ),
        pytest.param("http://rightsstatements.org/vocab/InC/1.0/", {"all"}, id="in copyright"),
        pytest.param(f"https://{CC}/licenses/by/4.0/", {"open", "all"}, id="CC BY"),
        pytest.param(f"https://{CC}/licenses/by-sa/3.0/de/", {"open", "all"}, id="CC BY-SA, of Germany"),
        pytest.param(f"https://{CC}/licenses/by-nc/4.0/", {"all"}, id="not for money"),
        pytest.param(f"https://{CC}/licenses/by-nd/4.0/", {"all"}, id="no derivatives"),
        pytest.param(
            f"https://example.org/{CC}/publicdomain/zero/1.0/", {"all"}, id="the words elsewhere in an address"
        ),
    ],
)
def test_words(uri: str, words: set[str]):
    assert {word for word in ("public_domain", "open", "all") if passes(uri, [word])} == words


@pytest.mark.parametrize(
    ("uri", "allowed", "expected"),
    [
        pytest.param(CC0, [], False, id="nothing is allowed"),
        pytest.param(
            f"https://{CC}/licenses/by-nc/4.0/",
            [f"https://{CC}/licenses/by"],
            False,
            id="another licence whose name begins so",
        ),
        pytest.param(f"https://{CC}/licenses/by-sa/4.0/", [f"https://{CC}/licenses/by/"], False, id="nor with a slash"),
        pytest.param(
            f"https://{CC}/licenses/by/4.0/",
            [f"https://{CC}/licenses/by"],
            True,
            id="this licence, by a beginning without a slash",
        ),
        pytest.param(f"https://{CC}/licenses/by/4.0/", [f"https://{CC}/licenses/by/4"], False, id="half of a version"),
        pytest.param("https://a.org/b?language=en#c", ["https://a.org/b"], True, id="a query ends a name too"),
        pytest.param("https://a.org/b#c", ["https://a.org/b/"], True, id="and so does a fragment"),
        pytest.param("https://a.org.example/b", ["https://a.org"], False, id="another host"),
        pytest.param("NOASSERTIONS", ["NOASSERTION"], False, id="another word"),
        pytest.param(CC0, ["https://www."], False, id="no address at all"),
        pytest.param(CC0, [CC0.replace("https://", "http://www.")], True, id="http and www make no difference"),
        pytest.param(CC0, [f"https://{CC}/publicdomain/"], True, id="a beginning"),
        pytest.param(CC0, [f"https://{CC}/publicdomain/zero/1.0"], True, id="no slash at the end"),
        pytest.param(CC0[:-1], [CC0], True, id="nor there"),
        pytest.param("NOASSERTION", ["NOASSERTION"], True, id="no assertion, let pass"),
        pytest.param("NOASSERTION", ["public_domain", "NOASSERTION"], True, id="a word and more"),
        pytest.param(
            f"https://{CC}/licenses/by/4.0/",
            ["public_domain", f"https://{CC}/licenses/by/"],
            True,
            id="a word and a beginning",
        ),
    ],
)
def test_beginnings(uri: str, allowed: list[str], expected: bool):
    assert passes(uri, allowed) is expected


@pytest.mark.parametrize(
    ("uri", "spdx", "name"),
    [
        ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0", "CC0-1.0"),
        ("http://www.creativecommons.org/publicdomain/zero/1.0/deed.en", "CC0-1.0", "CC0-1.0"),
        ("https://creativecommons.org/publicdomain/mark/1.0/", "CC-PDM-1.0", "CC-PDM-1.0"),
        ("https://creativecommons.org/licenses/publicdomain/", "CC-PDDC", "CC-PDDC"),
        ("https://creativecommons.org/licenses/by/4.0", "CC-BY-4.0", "CC-BY-4.0"),
        ("https://creativecommons.org/licenses/by-sa/4.0/legalcode", "CC-BY-SA-4.0", "CC-BY-SA-4.0"),
        ("https://creativecommons.org/licenses/by-nd-nc/1.0/", "CC-BY-NC-ND-1.0", "CC-BY-NC-ND-1.0"),
        ("https://creativecommons.org/licenses/by-sa/3.0/de/", "CC-BY-SA-3.0-DE", "CC-BY-SA-3.0-DE"),
        ("https://creativecommons.org/licenses/by/3.0/igo/", "CC-BY-3.0-IGO", "CC-BY-3.0-IGO"),
        ("https://creativecommons.org/licenses/by/3.0/fr/", None, "CC-BY-3.0-FR"),
        ("https://creativecommons.org/licenses/by/9.0/", None, "CC-BY-9.0"),
        ("https://creativecommons.org/licenses/by/", None, "by"),
        ("https://creativecommons.org/publicdomain/other/1.0/", None, "1.0"),
        ("http://rightsstatements.org/vocab/NoC-US/1.0/", None, "NoC-US-1.0"),
        ("https://rightsstatements.org/page/InC/1.0/?language=en", None, "InC-1.0"),
        ("NOASSERTION", None, "NOASSERTION"),
        ("https://example.org/creativecommons.org/licenses/by/4.0/", None, "4.0"),
        ("", None, ""),
    ],
)
def test_a_licence_has_the_name_that_people_know(uri: str, spdx: str | None, name: str):
    assert spdx_id(uri) == spdx
    assert licence_name(uri) == name
