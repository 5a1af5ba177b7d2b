"""When a refusal is final: not where it may be an outage."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.reasons import Reason
from schemas.tables import RETRIEVALS
from tasks.core import server_refusals


def reply(locator: str, run: str | None, reason: Reason | None = None) -> dict[str, Any]:
    sha256 = None if reason else "0" * 64
    blank = dict.fromkeys(RETRIEVALS.names)
    return {**blank, "locator": locator, "validator": "", "reason": reason, "sha256": sha256, "run": run}


LOST, SAME, OTHER = "http://a.example/1.jpg", "HTTP://A.example/2.jpg", "http://b.example/2.jpg"


@pytest.mark.parametrize(
    ("locator", "reason", "others", "is_open"),
    [
        pytest.param(LOST, Reason.NOT_FOUND, [], True, id="nothing else was asked"),
        pytest.param(LOST, Reason.NOT_FOUND, [reply(OTHER, "one")], True, id="another host answered"),
        pytest.param(LOST, Reason.NOT_FOUND, [reply(SAME, "one")], False, id="the host answered"),
        pytest.param(LOST, Reason.NOT_FOUND, [reply(SAME, "two")], True, id="the host answered in another build"),
        pytest.param(LOST, Reason.NOT_FOUND, [reply(SAME, None)], True, id="the host answered long ago"),
        pytest.param(LOST, Reason.NOT_FOUND, [reply(SAME, "one", Reason.HTTP_ERROR)], True, id="only refusals"),
        pytest.param(LOST, Reason.NOT_FOUND, [reply(SAME, "one", Reason.THROTTLED)], True, id="a busy host"),
        pytest.param(LOST, Reason.NOT_FOUND, [reply(SAME, "one", Reason.NOT_AN_IMAGE)], True, id="a page"),
        pytest.param(LOST, Reason.NOT_FOUND, [reply(SAME, "one", Reason.BROKEN_IMAGE)], False, id="a bad image"),
        pytest.param(LOST, Reason.NOT_FOUND, [reply(LOST, "two", Reason.HTTP_ERROR)], False, id="met by two builds"),
        pytest.param(LOST, Reason.NOT_FOUND, [reply(LOST, None, Reason.NOT_FOUND)], False, id="met long ago"),
        pytest.param(LOST, Reason.NOT_FOUND, [reply(LOST, "one", Reason.NOT_FOUND)], True, id="twice in one build"),
        pytest.param(LOST, Reason.NOT_FOUND, [reply(LOST, "two", Reason.THROTTLED)], True, id="then it was busy"),
        pytest.param(LOST, Reason.NOT_AN_IMAGE, [], True, id="a page in place of the image"),
        pytest.param(LOST, Reason.REDIRECT_LOOP, [], True, id="a loop"),
        pytest.param(LOST, Reason.OPTED_OUT, [], False, id="the server has said no"),
        pytest.param(LOST, Reason.ROBOTS_DISALLOW, [], False, id="robots.txt has said no"),
        pytest.param(LOST, Reason.NOT_ALLOWED, [], False, id="we have said no"),
        pytest.param(LOST, Reason.BROKEN_IMAGE, [], False, id="a broken image came"),
        pytest.param(LOST, None, [], False, id="it came"),
        pytest.param("a/1.jpg", Reason.NOT_FOUND, [], False, id="a file: its validator says when it is there"),
    ],
)
def test_a_refusal_is_final_if_its_host_has_answered_or_two_builds_have_met_it(locator, reason, others, is_open):
    answers = pa.Table.from_pylist([reply(locator, "one", reason)], schema=RETRIEVALS)
    stored = pa.concat_tables([answers, pa.Table.from_pylist(others, schema=RETRIEVALS)])
    assert server_refusals.are_open(answers, stored).to_pylist() == [is_open]


def test_rows_from_before_builds_were_noted_count_as_of_one_build():
    old = [reply(LOST, None, Reason.NOT_FOUND), reply(SAME, None), reply(OTHER, None, Reason.NOT_FOUND)]
    rows = pa.Table.from_pylist(old, schema=RETRIEVALS)
    assert server_refusals.are_open(rows, rows).to_pylist() == [False, False, True]


def test_notes_say_how_to_ask_again():
    rows = [reply(f"http://a.example/{number}", "one", Reason.NOT_FOUND) for number in range(3)]
    rows.append(reply("http://b.example/1", "one", Reason.HTTP_ERROR))
    refused = pa.Table.from_pylist(rows, schema=RETRIEVALS)
    assert server_refusals.refusal_notes(refused, pa.chunked_array([[True, True, True, False]]), "it", "all") == [
        "fetch: 3 images were refused (3 not_found), and no image came from a.example in this build, so that the next "
        "build asks again: `it`",
        "fetch: 1 image was refused (1 http_error) for good; to ask again: `all`",
    ]
    assert server_refusals.refusal_notes(refused, pa.chunked_array([[False] * 4]), "", "") == [
        "fetch: 4 images were refused (1 http_error, 3 not_found) for good; to ask again: a build with "
        "`refresh: failed` at its fetch stage"
    ]
    assert server_refusals.refusal_notes(refused.slice(0, 0), pa.chunked_array([[]], pa.bool_()), "", "") == []
