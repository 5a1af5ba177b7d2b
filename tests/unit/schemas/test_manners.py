"""How a guest behaves: what of a host's own terms counts, and which words name a host."""

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.manners import HostManners, Manners


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        pytest.param({}, (1, 3), id="no terms of its own"),
        pytest.param({"connections": 2}, (1, 2), id="only how many at once"),
        pytest.param({"rate_per_s": 0.5}, (0.5, 3), id="only how fast"),
        pytest.param({"rate_per_s": None, "connections": 2}, (1, 2), id="null is the general value"),
        pytest.param({"rate_per_s": 9, "connections": 9}, (9, 9), id="both, above the general ones"),
        pytest.param(HostManners(rate_per_s=9), (9, 4), id="whole manners stay what they are"),
    ],
)
def test_what_a_host_leaves_open_is_as_for_all_hosts(terms: Any, expected: tuple[float, int]):
    manners = Manners(rate_per_s=1, connections=3, hosts={"a.example": terms})
    again = Manners.model_validate_json(manners.model_dump_json())
    for found in (manners.of("a.example"), again.of("a.example")):
        assert (found.rate_per_s, found.connections) == expected
    assert (manners.of("b.example").rate_per_s, manners.of("b.example").connections) == (1, 3)


@pytest.mark.parametrize(
    ("written", "host"),
    [
        pytest.param(" API.Example. ", "api.example", id="capitals, blanks and the root's dot"),
        pytest.param("Müller.example", "xn--mller-kva.example", id="letters beyond ASCII"),
        pytest.param("straße.example", "xn--strae-oqa.example", id="a letter that the older standard wrote as two"),
        pytest.param("a.example:8000", "a.example:8000", id="a port"),
        pytest.param("a.example:443", "a.example", id="the port that addresses leave out"),
        pytest.param("127.0.0.1:80", "127.0.0.1", id="the other one"),
        pytest.param("[0:0:0:0:0:0:0:1]:81", "[::1]:81", id="numbers of IPv6"),
    ],
)
def test_a_host_is_found_however_it_is_written(written: str, host: str):
    manners = Manners(hosts={written: {"rate_per_s": 0.5}})
    assert manners.of(host).rate_per_s == 0.5
    assert Manners.model_validate(manners.model_dump()) == manners


@pytest.mark.parametrize(
    "written",
    [
        "",
        " ",
        "https://a.example",
        "//a.example",
        "a.example/",
        "a.example/api",
        "a.example?x",
        "me@a.example",
        "a b",
        "a.example:",
        "a.example:x",
        "a.example:0",
        "a.example:70000",
        "a..example",
        "*.example",
        "::1",
        "[::1",
        "[x]",
        "ü" * 70,
    ],
)
def test_what_names_no_host_is_refused(written: str):
    with pytest.raises(ValidationError, match=r"hosts: expected a host name, with or without a port") as caught:
        Manners(hosts={written: {}})
    assert len(str(caught.value)) < 500


def test_one_host_has_its_terms_once():
    with pytest.raises(ValidationError, match=r"hosts: expected each host once, got 'a\.example' twice"):
        Manners(hosts={"a.example": {}, "A.example": {"connections": 1}})
