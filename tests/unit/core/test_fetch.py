"""What is asked for, and what the answers mean."""

import json
import tracemalloc
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.fetch import Fetch
from schemas.reasons import Reason
from schemas.stand_ins import stand_in
from schemas.tables import FETCH, RECORDS, RETRIEVALS, SOURCE_FIGURES
from tasks.core import fetch
from tasks.core.coco.source import figure

WHEN = datetime(2024, 2, 29, tzinfo=UTC)
COUNTED = pa.proxy_memory_pool(pa.default_memory_pool())  # outlives every table that is made in it


def answer(**said: Any) -> dict[str, Any]:
    blank = dict.fromkeys(RETRIEVALS.names)
    return {
        **blank,
        "locator": "a.jpg",
        "sha256": "5a",
        "bytes": 100,
        "width_px": 10,
        "height_px": 20,
        "retrieved_at": WHEN,
        **said,
    }


def outcome(records: list[tuple[str, str]], *answers: dict[str, Any], **settings: Any) -> list[dict[str, Any]]:
    listed = pa.table({"record_id": [name for name, _ in records], "locator": [locator for _, locator in records]})
    got = fetch.outcome(
        listed, pa.Table.from_pylist(list(answers), schema=RETRIEVALS), Fetch(label="fetch", **settings)
    )
    assert got.schema == FETCH
    return got.to_pylist()


@pytest.mark.parametrize(
    ("locator", "expected"),
    [
        pytest.param("https://museum.example/1.jpg", True, id="https"),
        pytest.param("http://museum.example/1.jpg", True, id="http"),
        pytest.param("HTTP://MUSEUM.EXAMPLE/1.jpg", True, id="in capitals"),
        pytest.param("Https://museum.example/1.jpg", True, id="with a capital"),
        pytest.param("x\nhttp://museum.example/1.jpg", False, id="on the second line of a name"),
        pytest.param("HTTP.jpg", False, id="a file whose name begins so"),
        pytest.param("http/1.jpg", False, id="a folder of that name"),
        pytest.param("ftp://museum.example/1.jpg", False, id="another protocol"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_what_is_asked_for_over_http(locator: str, expected: bool):
    assert fetch.is_url(locator) is expected
    assert pc.match_substring_regex(pa.array([locator]), fetch.URL).to_pylist() == [expected], "as Arrow reads it"


@pytest.mark.parametrize(
    ("locators", "expected"),
    [
        pytest.param([], [], id="no chunk at all"),
        pytest.param([[]], [], id="nothing"),
        pytest.param([[None]], [], id="no locator"),
        pytest.param([["images/1.jpg", "", "/https://a.example/1.jpg", "ftp://a.example/"]], [], id="no URL"),
        pytest.param([["https://", "https:///1.jpg", "http://?a.example", "http://#a.example"]], [], id="no host"),
        pytest.param(
            [["https://a.example", "http://a.example/", "https://a.example?x=b.example/", "http://a.example#y"]],
            ["a.example"],
            id="where a host ends",
        ),
        pytest.param(
            [["HTTP://a.example/", "Https://b.example/"]],
            ["a.example", "b.example"],
            id="a scheme in capitals",
        ),
        pytest.param(
            [["https://b.example:8000/1.jpg", "https://b.example/1.jpg"], [None, "https://a.example/2.jpg"]],
            ["a.example", "b.example", "b.example:8000"],
            id="several chunks, and a port",
        ),
        pytest.param([["https://[::1]:8/1.jpg", "https://127.0.0.1/1.jpg"]], ["127.0.0.1", "[::1]:8"], id="addresses"),
        pytest.param([["https://münchen.example/ä.jpg"]], ["münchen.example"], id="letters beyond ASCII"),
        pytest.param([["https://a.example/https://b.example/1.jpg"]], ["a.example"], id="one URL within another"),
    ],
)
def test_hosts_of_what_is_asked_for(locators: list[list[str | None]], expected: list[str]):
    assert fetch.hosts(pa.chunked_array(locators, pa.string())) == expected


def test_each_locator_is_asked_for_once_in_one_order():
    got = fetch.requests_table(pa.chunked_array([["b", "a"], ["b"]]), {"a": "v1", "z": "v2"})
    assert got.to_pylist() == [{"locator": "a", "validator": "v1"}, {"locator": "b", "validator": ""}]


def test_no_locators_no_requests():
    assert fetch.requests_table(pa.chunked_array([], pa.string()), {}).equals(fetch.REQUESTS.empty_table())


@pytest.mark.parametrize(
    ("said", "settings", "reason", "detail"),
    [
        pytest.param({}, {}, None, None, id="an image within all limits"),
        pytest.param(
            {"reason": "not_found", "detail": "no file"}, {}, "not_found", "no file", id="a failure keeps its reason"
        ),
        pytest.param({}, {"max_pixels": 200}, None, None, id="as many pixels as may be"),
        pytest.param({}, {"max_pixels": 199}, "too_many_pixels", "10 x 20 px, at most 199 px allowed", id="one more"),
        pytest.param({}, {"max_bytes": 100}, None, None, id="as many bytes as may be"),
        pytest.param({}, {"max_bytes": 99}, "too_many_bytes", "more than 99 bytes", id="one byte more"),
        pytest.param(
            {},
            {"max_bytes": 99, "max_pixels": 199},
            "too_many_pixels",
            "10 x 20 px, at most 199 px allowed",
            id="both, so pixels",
        ),
    ],
)
def test_limits_are_looked_at_again_without_a_download(
    said: dict[str, Any], settings: dict[str, Any], reason: str | None, detail: str | None
):
    (row,) = outcome([("s:1", "a.jpg")], answer(**said), **settings)
    assert (row["reason"], row["detail"]) == (reason, detail)
    kept = (None, None, None) if reason else ("5a", 100, WHEN)
    assert (row["sha256"], row["bytes"], row["retrieved_at"]) == kept


def test_records_that_share_a_locator_share_its_answer_in_their_own_order():
    rows = outcome(
        [("s:2", "a.jpg"), ("s:1", "b.jpg"), ("s:3", "a.jpg")], answer(), answer(locator="b.jpg", sha256="5b")
    )
    assert [(row["record_id"], row["sha256"]) for row in rows] == [("s:2", "5a"), ("s:1", "5b"), ("s:3", "5a")]


def test_an_answer_that_is_still_to_come_is_neither_kept_nor_dropped():
    (row,) = outcome([("s:1", "a.jpg")], {"locator": "a.jpg"})
    assert (row["reason"], row["sha256"]) == (None, None)


def test_no_records_no_outcome():
    assert outcome([]) == []


def test_an_answer_that_is_missing_is_a_bug_and_no_blank():
    with pytest.raises(KeyError, match=r"b\.jpg"):
        outcome([("s:1", "a.jpg"), ("s:2", "b.jpg")], answer())


def plainly(said: dict[str, Any], settings: Fetch) -> tuple[Any, ...]:
    """What `outcome` says of one answer, a step at a time."""
    width, height = said["width_px"], said["height_px"]
    if said["reason"] is not None:
        return said["reason"], said["detail"], None, None, None
    if (width or 0) * (height or 0) > settings.max_pixels:
        detail = f"{width} x {height} px, at most {settings.max_pixels} px allowed"
        return Reason.TOO_MANY_PIXELS, detail, None, None, None
    if (said["bytes"] or 0) > settings.max_bytes:
        return Reason.TOO_MANY_BYTES, f"more than {settings.max_bytes} bytes", None, None, None
    return None, None, said["sha256"], said["bytes"], said["retrieved_at"]


SIDES = st.none() | st.sampled_from([0, 1, 10, 2**31 - 1])
SAID = st.fixed_dictionaries(
    {
        "reason": st.none() | st.sampled_from(["not_found", "throttled"]),
        "detail": st.none() | st.text("ab", max_size=2),
        "sha256": st.none() | st.text("5a", min_size=1, max_size=2),
        "bytes": st.none() | st.integers(0, 2**63 - 1),
        "width_px": SIDES,
        "height_px": SIDES,
        "retrieved_at": st.none() | st.just(WHEN),
    }
)


@given(
    st.lists(SAID, min_size=1, max_size=4),
    st.lists(st.integers(0, 3), max_size=6),
    st.sampled_from([1, 10, 1_000_000_000]),
    st.sampled_from([1, 100, 2**63 - 1]),
)
def test_a_table_of_answers_means_what_each_of_them_means(
    said: list[dict[str, Any]], asked: list[int], max_pixels: int, max_bytes: int
):
    answers = [answer(locator=f"{number}.jpg", **given) for number, given in enumerate(said)]
    places = [number % len(answers) for number in asked]
    limits: dict[str, Any] = {"max_pixels": max_pixels, "max_bytes": max_bytes}
    found = outcome([(f"s:{at}", f"{place}.jpg") for at, place in enumerate(places)], *answers, **limits)
    expected = [plainly(answers[place], Fetch(label="fetch", **limits)) for place in places]
    names = ("reason", "detail", "sha256", "bytes", "retrieved_at")
    assert [tuple(row[name] for name in names) for row in found] == expected


def test_an_outcome_takes_at_most_300_bytes_for_a_record_at_its_highest():
    rows = 20_000
    answers = pa.Table.from_pylist(
        [answer(locator=f"https://museum.example/{n}.jpg", sha256=f"{n:064x}") for n in range(rows)], schema=RETRIEVALS
    )
    listed = pa.table({"record_id": [f"s:{n}" for n in range(rows)], "locator": answers["locator"]})
    before = pa.default_memory_pool()
    pa.set_memory_pool(COUNTED)
    tracemalloc.start()
    try:
        got = fetch.outcome(listed, answers, Fetch(label="fetch"))
        of_python = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(before)
    assert got.num_rows == rows
    assert 0 < (COUNTED.max_memory() + of_python) / rows <= 300


DRAWN = [("a", 640, 480), ("b", None, 480), ("c", 640, None), ("d", None, None), ("e", 640, 480), ("f", 640, 480)]


def sized(rows: list[tuple[str, int | None, int | None]]) -> pa.Table:
    ids, widths, heights = zip(*rows, strict=True)
    sides = {"width_px": pa.array(widths, pa.int32()), "height_px": pa.array(heights, pa.int32())}
    return pa.table({"record_id": pa.array(ids), **sides})


def test_annotations_of_an_image_of_another_size_do_not_fit():
    came = sized([("f", 480, 640), ("a", 640, 480), ("b", 5, 480), ("c", 641, 5), ("d", 5, 5), ("z", 1, 1)])
    got = fetch.unfit_annotations(sized(DRAWN), came).to_pylist()
    left_out = "annotations left out: they are of an image of "
    assert got == [  # of e nothing came
        {"record_id": "c", "detail": f"{left_out}640 x ? px, this one has 641 x 5 px"},
        {"record_id": "f", "detail": f"{left_out}640 x 480 px, this one has 480 x 640 px"},
    ]


def test_nothing_annotated_nothing_unfit():
    assert fetch.unfit_annotations(sized(DRAWN).slice(0, 0), sized(DRAWN)).num_rows == 0


def test_figures_that_do_not_fit_are_kept_beside():
    drawn = {**figure("person", [0.0, 0.0, 1.0, 1.0]), "source_coco": '{"fields":{"id":7}}'}
    rows: list[dict[str, Any]] = [
        {"record_id": "a", "figures": [drawn], "source_coco": '{"image":{"id":1}}'},
        {"record_id": "b", "figures": [drawn], "source_coco": None},
        {"record_id": "c", "figures": [drawn], "source_coco": '{"image":{"id":3}}'},
    ]
    table = pa.Table.from_pylist([{"width_px": 1, "height_px": 1, **row} for row in rows], schema=SOURCE_FIGURES)
    got = fetch.without_figures(table, pa.table({"record_id": ["a", "b"], "detail": ["", ""]}))
    assert got.schema == SOURCE_FIGURES
    first, second, third = got.to_pylist()
    assert (first["figures"], second["figures"], second["source_coco"]) == (None, None, None)
    assert json.loads(first["source_coco"]) == {"image": {"id": 1}, "figures": [drawn]}
    assert third == table.to_pylist()[2]


def test_records_without_the_annotations_that_do_not_fit():
    rows = [
        {"record_id": "a", "is_annotated": True, "detail": "said by its source"},
        {"record_id": "b", "is_annotated": True},
        {"record_id": "c", "is_annotated": False, "detail": "no file"},
    ]
    records = pa.Table.from_pylist([{**dict.fromkeys(RECORDS.names), **row} for row in rows], schema=RECORDS)
    unfit = pa.table({"record_id": ["b"], "detail": ["too small"]})
    got = fetch.without_annotations(records, unfit)
    assert got.schema == RECORDS
    assert [(row["is_annotated"], row["detail"]) for row in got.to_pylist()] == [
        (True, "said by its source"),
        (False, "too small"),
        (False, "no file"),
    ]
    assert fetch.without_annotations(records, unfit.slice(0, 0)).equals(records)


def test_a_plan_says_what_a_build_would_drop_and_of_how_many_files_it_knows_nothing():
    failures = [("a.jpg", Reason.NOT_FOUND, "no file"), ("b.jpg", Reason.EMPTY_FILE, "0 bytes")]
    assert fetch.look_notes("fetch", failures, 12_345, 10_000) == [
        "fetch: a build would drop 2 of 10,000 of 12,345 local files: empty_file (1: 'b.jpg'); not_found (1: 'a.jpg')",
        "fetch: a plan looks at 10,000 local files at most; of 2,345 nothing is known yet",
    ]
    assert fetch.look_notes("fetch", [], 7, 10_000) == []


def test_what_stands_in_the_place_of_files_is_told_with_what_to_do():
    pointer = stand_in(b"version https://git-lfs.github.com/spec/v1\n") or ""
    page = stand_in(b"<Error><Code>NoSuchKey</Code></Error>") or ""
    failures = [
        *((f"{number}.jpg", Reason.NOT_AN_IMAGE, pointer) for number in range(5)),
        ("p.jpg", Reason.NOT_AN_IMAGE, page),
        ("q.jpg", Reason.NOT_AN_IMAGE, "begins with b'?'"),
    ]
    assert fetch.stand_in_notes("fetch", failures) == [
        "fetch: of 5 files ('0.jpg', '1.jpg', '2.jpg' and 2 more) each is a Git LFS pointer, not the file itself: run "
        "`git lfs pull`",
        "fetch: 'p.jpg' is an error of a storage service (NoSuchKey), not the file itself: download it again",
    ]
    assert fetch.stand_in_notes("fetch", failures[-1:]) == []


def test_rows_with_failures_keep_what_they_had():
    rows = [{"locator": name, "validator": "v", "reason": reason} for name, reason in [("a", None), ("b", "cut_short")]]
    answers = pa.Table.from_pylist(rows, schema=RETRIEVALS)
    found = fetch.with_failures(answers, [("a", Reason.NOT_FOUND, "no file 'a'")])
    assert found.schema == RETRIEVALS
    assert [(row["reason"], row["detail"]) for row in found.to_pylist()] == [
        ("not_found", "no file 'a'"),
        ("cut_short", None),
    ]
    assert fetch.with_failures(answers, []).equals(answers)
