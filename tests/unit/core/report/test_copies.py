"""The section on copies: what is shown of a cluster and of a pair, what can be said of it, and how much is left out."""

import base64
import hashlib
import re
from html import unescape
from typing import Any

import pytest

from schemas.relations import VERDICTS, Relation
from tasks.core.dedup import verdicts
from tasks.core.report.clusters import Cluster, RecordPair, ReviewSelection
from tasks.core.report.copies import POLICY, SCRIPT, section
from tasks.core.report.thumbnails import Thumbnail
from tests.support.pages import without_isolation

THUMBNAILS = {name: Thumbnail(f"data:image/jpeg;base64,{name}", 640, 480) for name in ("1", "2", "3")}
COPY = RecordPair("s:2", "s:1", "resized", 2, 0.9871, None, "x")
APART = RecordPair("s:3", "s:1", "look_alike", 1, 0.5, None, None)


def facts(**changes: Any) -> dict[str, dict[str, Any]]:
    """Of three records; `changes` are the second one's."""
    plain = {
        "title": "T",
        "artist": "A",
        "source": "s",
        "source_url": "https://museum.example/1",
        "rights_uri": "https://creativecommons.org/publicdomain/zero/1.0/",
        "width_px": 640,
        "height_px": 480,
        "bytes": 1_234_567,
        "is_annotated": False,
        "metadata": 4,
        "preference": 0,
        "format": "JPEG",
    }
    rows = {f"s:{name}": {**plain, "record_id": f"s:{name}", "sha256": name} for name in ("1", "2", "3")}
    return {**rows, "s:2": {**rows["s:2"], **changes}}


def of_copy(copy: RecordPair = COPY, **changes: Any) -> str:
    shown = ReviewSelection((Cluster("s:1", None, (copy,), 0),), 0, (), 0)
    return without_isolation(section(shown, facts(**changes), THUMBNAILS))


def of_pair(pair: RecordPair = APART) -> str:
    return without_isolation(section(ReviewSelection((), 0, (pair,), 0), facts(), THUMBNAILS))


def test_without_clusters_and_pairs_there_is_no_section():
    assert section(ReviewSelection((), 0, (), 0), {}, {}) == ""


def test_all_words_of_verdicts_and_of_relations_are_explained():
    verdicts, relations = of_copy().split("<tr><th>relation<th>")
    assert [word for word in VERDICTS if verdicts.count(f"<tr><td>{word}<td>") != 1] == []
    assert [word for word in Relation if relations.count(f"<tr><td>{word}<td>") != 1] == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({}, "<code>s:2</code><br>A, T<br>640 × 480 px, 1,235 kB, JPEG<br>", id="all of it"),
        pytest.param({"artist": None, "title": None}, "<code>s:2</code><br>640 × 480 px", id="nobody and nothing"),
        pytest.param({"width_px": None}, "A, T<br>1,235 kB, JPEG<br>", id="no size"),
        pytest.param({"bytes": None, "format": None}, "A, T<br>640 × 480 px<br>", id="size alone"),
        pytest.param({"title": "<b>&"}, "A, &lt;b&gt;&amp;<br>", id="markup is text"),
        pytest.param({"source": None, "source_url": None}, "</span><br>source</figcaption>", id="no source"),
    ],
)
def test_a_caption_says_what_is_known(changes: dict[str, Any], said: str):
    assert said in of_copy(**changes)


@pytest.mark.parametrize(
    ("url", "is_link"),
    [
        ("https://museum.example/1?a='b'", True),
        ("http://museum.example", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("https:///nowhere", False),
        ("//museum.example/1", False),
        ("http://[broken", False),
        ("/images/1.jpg", False),
        ("", False),
    ],
)
def test_only_a_page_on_the_web_becomes_a_link(url: str, is_link: bool):
    text = of_copy(source_url=url)
    caption = text.split("<article class=copy>")[1]
    assert ("<a href=" in caption) == is_link
    if is_link:
        assert url in unescape(caption)
        assert "rel='noopener noreferrer'" in caption


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({}, "</span> 2 bits apart, score 0.987</p>", id="bits and score"),
        pytest.param({"distance_bits": 1, "score": None}, "</span> 1 bit apart</p>", id="one bit"),
        pytest.param({"distance_bits": None, "score": 0.5}, "</span> score 0.500</p>", id="only a score"),
        pytest.param({"relation": None}, "<p class=found>x</p>", id="never compared: the ledger's words"),
        pytest.param({"relation": None, "detail": None}, "<p class=found>never compared</p>", id="nor has it any"),
        pytest.param(
            {"relation": "different", "detail": "through s:2"}, "score 0.987, joined through s:2</p>", id="outweighed"
        ),
        pytest.param({"verdict": "copy"}, "<br>Verdict: <b>copy</b></p>", id="what a person says"),
    ],
)
def test_what_was_found_of_a_copy(changes: dict[str, Any], said: str):
    assert said in of_copy(COPY._replace(**changes))


def test_of_equal_bytes_nothing_can_be_said():
    assert "<form" in of_copy()
    assert "<form" not in of_copy(COPY._replace(relation="same_file"))


@pytest.mark.parametrize("word", [None, *VERDICTS])
def test_the_form_has_the_smaller_id_first_and_what_was_said_before(word: str | None):
    text = of_pair(APART._replace(verdict=word))
    assert "<form class=verdict data-a='s:1' data-b='s:3' " in text
    assert text.count(" checked>") == (word is not None)
    assert word is None or f"value={word} checked>" in text


@pytest.mark.parametrize(
    ("changes", "is_said"),
    [
        pytest.param({}, False, id="two works"),
        pytest.param({"relation": "resized"}, True, id="a copy that was not merged"),
        pytest.param({"relation": "resized", "verdict": "different"}, False, id="since a person says so"),
    ],
)
def test_a_copy_that_was_not_merged_has_a_word_on_why(changes: dict[str, Any], is_said: bool):
    assert ("Not merged: " in of_pair(APART._replace(**changes))) == is_said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((1, 0, 0), "... and 1 more cluster."),
        ((1200, 0, 0), "... and 1,200 more clusters."),
        ((0, 1, 0), "... and 1 more copy."),
        ((0, 2, 0), "... and 2 more copies."),
        ((0, 0, 1), "... and 1 more pair of works."),
        ((0, 0, 2), "... and 2 more pairs of works."),
    ],
)
def test_what_is_left_out_is_counted(more: tuple[int, int, int], said: str):
    clusters, copies, pairs = more
    shown = ReviewSelection((Cluster("s:1", None, (COPY,), copies),), clusters, (APART,), pairs)
    text = section(shown, facts(), THUMBNAILS)
    assert text.count("<p class=quiet>... and ") == 1
    assert f"<p class=quiet>{said}</p>" in text


def test_a_cluster_whose_best_a_later_stage_dropped_says_so():
    shown = ReviewSelection((Cluster("s:1", "over_limit", (COPY,), 0),), 0, (), 0)
    text = section(shown, facts(), THUMBNAILS)
    assert "<br>A later stage dropped it: <span title='" in text
    assert ">over_limit</span></p>" in text


def test_several_copies_take_the_whole_width():
    shown = ReviewSelection((Cluster("s:1", None, (COPY, APART._replace(relation="resized")), 0),), 0, (), 0)
    assert "<section class='cluster wide'>" in section(shown, facts(), THUMBNAILS)
    assert "<section class='cluster'>" in of_copy()


def test_the_policy_lets_this_script_run_and_no_other():
    (digest,) = re.findall(r"script-src 'sha256-([^']+)'", POLICY)
    assert base64.b64decode(digest) == hashlib.sha256(SCRIPT.encode()).digest()
    assert POLICY.startswith("default-src 'none'; ")
    assert "unsafe-eval" not in POLICY
    assert not re.search(r"https?:", POLICY)


def test_the_script_asks_nothing_of_the_web_and_writes_no_markup():
    for word in ("fetch(", "XMLHttpRequest", "WebSocket", "innerHTML", "outerHTML", "document.write", "eval("):
        assert word not in SCRIPT
    assert "</script" not in SCRIPT.lower(), "it would end the element that holds it"


def listed(name: str) -> list[str]:
    found = re.search(rf"{name} = \[([^\]]*)\]", SCRIPT)
    assert found is not None
    return re.findall(r'"([^"]*)"', found[1])


def test_its_words_and_columns_are_those_that_a_build_reads():
    assert listed("WORDS") == [*VERDICTS]
    table = verdicts.parse_verdicts(
        "verdicts", [(1, listed("COLUMNS")), (2, ["s:1", "s:2", listed("WORDS")[0], "seen"])]
    )
    assert table.select(["a", "b", "verdict", "note"]).to_pylist() == [
        {"a": "s:1", "b": "s:2", "verdict": "copy", "note": "seen"}
    ]
