"""Copies: who is one, who stays, what each drop names, and what people's words change."""

from functools import partial
from itertools import combinations, product
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.dedup import Dedup
from schemas.tables import DEDUP, EDGES, VERDICTS
from tasks.core.dedup.decide import conclusive_pairs, decide

CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
MARK = "https://creativecommons.org/publicdomain/mark/1.0/"
BY = "https://creativecommons.org/licenses/by/4.0/"
IN_COPYRIGHT = "http://rightsstatements.org/vocab/InC/1.0/"
VIEW = pa.schema(
    [
        ("record_id", pa.string()),
        ("sha256", pa.string()),
        ("phash", pa.uint64()),
        ("rights_uri", pa.string()),
        ("is_annotated", pa.bool_()),
        ("width_px", pa.int32()),
        ("height_px", pa.int32()),
        ("bytes", pa.int64()),
        ("metadata", pa.int64()),
        ("is_second_choice", pa.bool_()),
        ("preference", pa.int64()),
    ]
)
RELATIONS = pa.schema(
    [
        ("a", pa.string()),
        ("b", pa.string()),
        ("view", pa.int16()),
        ("relation", pa.string()),
        ("distance_bits", pa.int16()),
        ("score", pa.float64()),
    ]
)
WORDS = ("copy", "related", "different")
Row = dict[str, Any]
SAME = ("exact_duplicate", "same bytes")


def row(record_id: str, blob: str | None = None, **said: Any) -> Row:
    """A record. Blobs are called by the capital letter of their record."""
    return {
        "record_id": record_id,
        "sha256": blob or record_id.upper(),
        "phash": 0,
        "rights_uri": "NOASSERTION",
        "is_annotated": False,
        "width_px": 100,
        "height_px": 100,
        "bytes": 1000,
        "metadata": 3,
        "is_second_choice": False,
        "preference": 0,
        **said,
    }


def looked(a: str, b: str, relation: str = "resized", bits: int = 2, score: float = 0.9) -> Row:
    return {"a": a, "b": b, "view": 0, "relation": relation, "distance_bits": bits, "score": score}


def doubted(a: str, b: str, score: float = 0.2) -> Row:
    return looked(a, b, "different", score=score)


def said(a: str, b: str, verdict: str | None) -> Row:
    return {"a": a, "b": b, "verdict": verdict, "note": "seen side by side"}


def decided(
    rows: list[Row], relations: list[Row] | None = None, verdicts: list[Row] | None = None, **settings: Any
) -> tuple[dict[str, Row], list[Row]]:
    outcome, edges = decide(
        pa.Table.from_pylist(rows, schema=VIEW),
        pa.Table.from_pylist(relations or [], schema=RELATIONS),
        pa.Table.from_pylist(verdicts or [], schema=VERDICTS),
        Dedup(label="dedup", **settings),
    )
    assert (outcome.schema, edges.schema) == (DEDUP, EDGES)
    assert outcome["record_id"].to_pylist() == [row["record_id"] for row in rows]
    return {row["record_id"]: row for row in outcome.to_pylist()}, edges.to_pylist()


def dropped(*given: Any, **settings: Any) -> dict[str, tuple[str, str, str]]:
    """reason, detail and the copy that stays, of each record that does not."""
    got, _ = decided(*given, **settings)
    return {
        name: (row["reason"], row["detail"], row["kept_record_id"])
        for name, row in got.items()
        if row["reason"] is not None
    }


def staying(*given: Any, **settings: Any) -> dict[str, str]:
    """The record that stays for each that does not."""
    return {name: stays for name, (_, _, stays) in dropped(*given, **settings).items()}


def who_stays(*given: Any, **settings: Any) -> str:
    """For each record, in their order, the one that stays; all have names of one letter."""
    return "".join(of["kept_record_id"] or name for name, of in decided(*given, **settings)[0].items())


def groups(*given: Any, **settings: Any) -> dict[str, str]:
    return {name: row["group_id"] for name, row in decided(*given, **settings)[0].items()}


def near(detail: str, to: str) -> tuple[str, str, str]:
    return ("near_duplicate", detail, to)


def edge(
    a: str, b: str, relation: str | None, bits: int | None, score: float | None, verdict: str | None, is_joined: bool
) -> Row:
    return {
        "a": a,
        "b": b,
        "relation": relation,
        "distance_bits": bits,
        "score": score,
        "verdict": verdict,
        "is_joined": is_joined,
    }


# --- next to nothing


def test_nothing_in_nothing_out():
    assert decided([]) == ({}, [])
    assert decided([], [looked("A", "B")], [said("a", "b", "copy")]) == ({}, [])


def test_one_record_stays_in_a_group_of_its_own():
    got, edges = decided([row("a")], [looked("A", "B")], [said("a", "b", "copy"), said("a", "a", "different")])
    assert got == {"a": {"record_id": "a", "reason": None, "detail": None, "kept_record_id": None, "group_id": "a"}}
    assert edges == []


def test_of_very_many_records_of_equal_bytes_one_stays_and_each_is_paired_with_the_first_alone():
    rows = [row(f"r{number:04}", "X") for number in range(3000)]
    got, edges = decided(rows)
    assert [name for name, of in got.items() if of["reason"] is None] == ["r0000"]
    assert {of["group_id"] for of in got.values()} == {"r0000"}
    assert [(edge["a"], edge["b"]) for edge in edges] == [("r0000", f"r{number:04}") for number in range(1, 3000)]


# --- which one stays


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param(
            {"rights_uri": CC0},
            {"rights_uri": BY, "is_annotated": True},
            id="public domain before Creative Commons, even annotated",
        ),
        pytest.param(
            {"rights_uri": BY}, {"rights_uri": "NOASSERTION", "is_annotated": True}, id="a licence before none"
        ),
        pytest.param({"rights_uri": IN_COPYRIGHT}, {"rights_uri": "NOASSERTION"}, id="a statement before none"),
        pytest.param({"rights_uri": MARK, "width_px": 101}, {"rights_uri": CC0}, id="one rank: both marks"),
        pytest.param(
            {"rights_uri": BY, "width_px": 101}, {"rights_uri": IN_COPYRIGHT}, id="all other statements are one rank"
        ),
        pytest.param({"is_annotated": True}, {"width_px": 9000}, id="annotated before larger"),
        pytest.param({"width_px": 101}, {"bytes": 10**9}, id="more pixels before more bytes"),
        pytest.param({"width_px": 50_000, "height_px": 50_000}, {"bytes": 10**9}, id="more pixels than 32 bits count"),
        pytest.param(
            {"width_px": 50, "height_px": 50}, {"width_px": 100, "height_px": 20}, id="more pixels, not longer sides"
        ),
        pytest.param({"bytes": 1001}, {"metadata": 7}, id="more bytes before more metadata"),
        pytest.param(
            {},
            {"is_second_choice": True, "rights_uri": MARK, "is_annotated": True},
            id="what must not stay comes after all else",
        ),
        pytest.param({"preference": 1}, {"rights_uri": MARK, "width_px": 900}, id="what the recipe prefers"),
        pytest.param({"preference": 2}, {"preference": 1, "metadata": 9}, id="and what it prefers more"),
        pytest.param({}, {"is_second_choice": True, "preference": 5}, id="not what must not stay, even if preferred"),
        pytest.param({"metadata": 4}, {}, id="more metadata before the smaller name"),
    ],
)
@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")], ids=["better first", "better last"])
def test_of_two_copies_the_better_stays_whatever_they_are_called(better: Row, worse: Row, names: tuple[str, str]):
    stays, goes = names
    assert staying([row(stays, **better), row(goes, **worse)], [looked("A", "B")]) == {goes: stays}


@pytest.mark.parametrize(
    ("names", "stays"),
    [
        pytest.param(("s:10", "s:9"), "s:10", id="names are text, not numbers"),
        pytest.param(("é", "z"), "z", id="by the byte order of UTF-8"),
        pytest.param(("\ue000", "\U00010000"), "\ue000", id="which is no order of UTF-16"),
        pytest.param(("a", "a#1"), "a", id="the shorter before what begins with it"),
    ],
)
def test_of_copies_that_are_alike_the_smaller_name_stays(names: tuple[str, str], stays: str):
    assert set(dropped([row(name, "X") for name in names])) == set(names) - {stays}


# --- what a drop says


def test_equal_bytes_are_said_to_be_equal_and_others_how_they_were_found():
    rows = [row("a"), row("b", "A"), row("c")]
    relations = [looked("C", "A", "recoloured", 6, 0.93149)]
    assert dropped(rows, relations) == {"b": (*SAME, "a"), "c": near("recoloured, 6 bits apart, score 0.931", "a")}


def test_equal_bytes_of_two_that_drop_are_near_copies_of_the_one_that_stays():
    rows = [row("a", "X"), row("b", "X"), row("z", bytes=9000)]
    text = "resized, 1 bit apart, score 0.900"
    assert dropped(rows, [looked("X", "Z", bits=1)]) == {"a": near(text, "z"), "b": near(text, "z")}


def test_the_best_of_equal_bytes_stays_not_the_one_with_the_smallest_name():
    rows = [row("a", "X"), row("b", "X", rights_uri=CC0), row("c")]
    text = "resized, 2 bits apart, score 0.900"
    assert dropped(rows, [looked("X", "C")]) == {"a": (*SAME, "b"), "c": near(text, "b")}


CHAIN = [looked("A", "B", bits=1), looked("B", "C", bits=2), looked("C", "D", bits=3)]


def test_what_is_no_copy_of_the_one_that_stays_itself_names_the_next_one_on_the_way_there():
    assert dropped([row(name) for name in "abcd"], CHAIN) == {
        "b": near("resized, 1 bit apart, score 0.900", "a"),
        "c": near("through b", "a"),
        "d": near("through c", "a"),
    }


@pytest.mark.parametrize(
    ("relations", "verdicts", "through"),
    [
        pytest.param(
            [looked("B", "D", bits=3), looked("C", "D", bits=2)], [], "c", id="of two, the one that is nearer"
        ),
        pytest.param(
            [looked("B", "D", score=0.8), looked("C", "D", score=0.9)], [], "c", id="then, that agrees better"
        ),
        pytest.param([looked("C", "D"), looked("D", "B")], [], "b", id="then, with the smaller name"),
        pytest.param([looked("B", "D"), looked("C", "D", "detail", 0)], [], "b", id="details are no way"),
        pytest.param([looked("B", "D", bits=0)], [said("d", "c", "copy")], "c", id="a person's word is strongest"),
        pytest.param(
            [looked("B", "D", bits=8), looked("E", "D"), looked("C", "E")],
            [],
            "b",
            id="the shortest, if not the strongest",
        ),
    ],
)
def test_of_several_ways_the_shortest_then_the_strongest_is_named(
    relations: list[Row], verdicts: list[Row], through: str
):
    both = [looked("A", "B"), looked("A", "C")]
    got = dropped([row(name) for name in "abcde"], both + relations, verdicts)
    assert got["d"] == near(f"through {through}", "a")


# --- what joins, what binds, what keeps apart


@pytest.mark.parametrize(
    ("relation", "settings", "drops", "binds"),
    [
        pytest.param("reencoded", {}, True, True, id="a copy"),
        pytest.param("mirrored", {}, False, True, id="bound only"),
        pytest.param(
            "mirrored",
            {"drop_relations": ["same_file", "mirrored"], "by": ["phash", "mirrored"]},
            True,
            True,
            id="a copy where asked for",
        ),
        pytest.param("mirrored", {"bind_relations": []}, False, False, id="neither"),
        pytest.param("cropped", {"bind_relations": []}, True, True, id="what drops binds too"),
        pytest.param("look_alike", {}, False, False, id="look-alikes"),
        pytest.param("look_alike", {"bind_relations": ["look_alike"]}, False, True, id="look-alikes, bound on request"),
        pytest.param("different", {}, False, False, id="two pictures"),
    ],
)
def test_what_a_relation_does_is_the_recipes_choice(relation: str, settings: Row, drops: bool, binds: bool):
    given = [row("a"), row("b")], [looked("B", "A", relation)]
    got, edges = decided(*given, **settings)
    assert (got["b"]["reason"] is not None, got["b"]["group_id"] == "a") == (drops, binds)
    assert edges == [edge("a", "b", relation, 2, 0.9, None, drops)]


@pytest.mark.parametrize(
    ("relations", "kept"),
    [
        pytest.param([*CHAIN, looked("A", "D", "different")], "aaad", id="the weakest edge, at the end"),
        pytest.param(
            [looked("A", "B"), looked("B", "C", bits=8), looked("C", "D"), looked("D", "A", "look_alike")],
            "aacc",
            id="in the middle",
        ),
        pytest.param(
            [looked("A", "B"), looked("B", "C", score=0.8), looked("C", "D"), looked("D", "A", "different")],
            "aacc",
            id="by its score",
        ),
        pytest.param(
            [looked("A", "B"), looked("B", "C"), looked("C", "D"), looked("D", "A", "different")],
            "aaad",
            id="by its ids",
        ),
        pytest.param(
            [
                looked("A", "B", score=0.7),
                looked("B", "C", score=0.9),
                looked("C", "D", score=0.9),
                doubted("A", "D"),
            ],
            "abbb",
            id="by what it weighs, not by its distance alone",
        ),
        pytest.param([*CHAIN, doubted("A", "D", 0.0)], "aaaa", id="not a strong one, where the look got lost"),
        pytest.param(
            [*CHAIN[:2], looked("C", "D", score=0.65), doubted("A", "D", 0.0)], "aaad", id="but a weak one, even so"
        ),
        pytest.param([*CHAIN, looked("A", "D", "uncertain", score=0.5)], "aaaa", id="what is uncertain alone does not"),
        pytest.param(
            [
                *CHAIN[:2],
                looked("C", "D", score=0.6),
                looked("A", "D", "uncertain"),
                looked("B", "D", "uncertain"),
                looked("A", "C", "uncertain"),
            ],
            "aaad",
            id="but twice, the weakest",
        ),
        pytest.param([*CHAIN, looked("A", "D", "detail")], "aaaa", id="a detail is not apart"),
        pytest.param([*CHAIN, looked("A", "D", "mirrored")], "aaaa", id="nor is what was not asked for"),
    ],
)
def test_a_doubt_refuses_the_weakest_tie_of_a_chain(relations: list[Row], kept: str):
    rows = [row(name) for name in "abcd"]
    assert who_stays(rows, relations) == kept
    assert groups(rows, relations) == dict.fromkeys("abcd", "a"), "what is refused still lies in one split"


def copies_of(work: str, count: int, score: float = 0.9) -> tuple[list[str], list[Row]]:
    """Names of copies of a work, and a tie between each two of them."""
    names = [f"{work}{number:02}" for number in range(count)]
    return names, [looked(a.upper(), b.upper(), score=score) for a, b in combinations(names, 2)]


@pytest.mark.parametrize(
    ("count", "others"),
    [
        pytest.param(16, [doubted] * 5, id="sixteen copies of each, all else is different"),
        pytest.param(16, [partial(doubted, score=0.0)] * 8, id="sixteen, all other looks got lost"),
        pytest.param(16, [partial(looked, relation="uncertain")] * 24, id="sixteen leaves of a book, all uncertain"),
        pytest.param(4, [partial(looked, relation="uncertain")] * 16, id="four leaves of a book"),
        pytest.param(2, [doubted] * 4, id="two copies of each"),
    ],
)
def test_two_works_of_a_series_stay_two_though_some_of_their_copies_look_like_one(count: int, others: list[Any]):
    ones, inside = copies_of("a", count)
    twos, inside_too = copies_of("b", count)
    across = []
    for number, (one, two) in enumerate(product(ones, twos)):
        is_accident = number % len(others) == 0
        found = looked(one.upper(), two.upper(), score=0.6 + number % 11 / 100) if is_accident else None
        across.append(found or others[0](one.upper(), two.upper()))
    rows = [row(name) for name in ones + twos]
    got = staying(rows, across + inside + inside_too)
    assert got == {name: names[0] for names in (ones, twos) for name in names[1:]}


def test_a_doubt_among_many_ties_is_outweighed_and_says_so():
    names, ties = copies_of("a", 5)
    relations = [pair for pair in ties if (pair["a"], pair["b"]) != ("A00", "A04")] + [doubted("A00", "A04", 0.01)]
    got, edges = decided([row(name) for name in names], relations)
    assert [name for name, of in got.items() if of["reason"] is None] == ["a00"]
    assert got["a04"]["detail"] == "through a01"
    assert edges[3] == edge("a00", "a04", "different", 2, 0.01, None, True)


def test_a_refused_tie_says_so_and_no_way_leads_over_it():
    relations = [looked("A", "B"), looked("C", "D"), looked("B", "C", bits=8), doubted("A", "D"), looked("D", "E")]
    got, edges = decided([row(name) for name in "abcde"], relations)
    assert {name: of["detail"] for name, of in got.items()} == {
        "a": None,
        "b": "resized, 2 bits apart, score 0.900",
        "c": None,
        "d": "resized, 2 bits apart, score 0.900",
        "e": "through d",
    }
    assert [pair["is_joined"] for pair in edges] == [True, False, False, True, True]


# --- people


@pytest.mark.parametrize(
    ("relations", "verdicts", "kept", "together"),
    [
        pytest.param([], [said("b", "a", "copy")], "aa", "aa", id="a copy that nothing found"),
        pytest.param(
            [looked("A", "B", "different")], [said("a", "b", "copy")], "aa", "aa", id="a copy against the machine"
        ),
        pytest.param([looked("A", "B")], [said("a", "b", "different")], "ab", "ab", id="different against the machine"),
        pytest.param(
            [looked("A", "B", "detail")], [said("a", "b", "different")], "ab", "ab", id="different is not bound either"
        ),
        pytest.param([looked("A", "B")], [said("a", "b", "related")], "ab", "aa", id="related against the machine"),
        pytest.param(
            [looked("A", "B", "different")],
            [said("a", "b", "related")],
            "ab",
            "aa",
            id="related binds what is different",
        ),
        pytest.param([], [said("a", "b", "related")], "ab", "aa", id="related, and nothing was found"),
        pytest.param(
            [], [said("a", "b", "copy"), said("b", "a", "related")], "ab", "aa", id="two words: the one that drops less"
        ),
        pytest.param(
            [], [said("a", "b", "different"), said("a", "b", "related")], "ab", "ab", id="the last of the three"
        ),
        pytest.param(
            [], [said("a", "gone", "copy"), said("x", "y", "copy")], "ab", "ab", id="of records that are not there"
        ),
    ],
)
def test_a_persons_word_of_two_outranks_what_was_measured(
    relations: list[Row], verdicts: list[Row], kept: str, together: str
):
    rows = [row("a"), row("b")]
    assert who_stays(rows, relations, verdicts) == kept
    assert "".join(groups(rows, relations, verdicts).values()) == together


@pytest.mark.parametrize(
    ("relations", "verdicts", "kept"),
    [
        pytest.param(CHAIN[:2], [said("a", "c", "different")], "aac", id="different cuts a chain"),
        pytest.param(CHAIN[:2], [said("a", "c", "related")], "aaa", id="related does not"),
        pytest.param(
            [*CHAIN[:2], looked("A", "C", "different")],
            [said("a", "c", "related")],
            "aaa",
            id="and takes the machine's apart back",
        ),
        pytest.param(
            [*CHAIN[:2], looked("A", "C")],
            [said("a", "c", "related")],
            "aaa",
            id="joined by others, though the edge is none",
        ),
        pytest.param(
            [looked("A", "B", bits=0)],
            [said("b", "c", "copy"), said("a", "c", "different")],
            "abb",
            id="a copy by word is not cut",
        ),
        pytest.param(
            [],
            [said("a", "b", "copy"), said("b", "c", "copy"), said("a", "c", "different")],
            "aaa",
            id="copies by word are one",
        ),
        pytest.param(
            [looked("A", "B", "different"), looked("B", "C")],
            [said("a", "b", "copy")],
            "aaa",
            id="what is overruled cuts nothing else",
        ),
        pytest.param(
            [looked("A", "B", score=1.0), looked("B", "C", score=1.0)],
            [said("a", "c", "different"), said("b", "c", "copy")],
            "abb",
            id="a copy by word before the best tie",
        ),
    ],
)
def test_a_persons_word_in_a_chain(relations: list[Row], verdicts: list[Row], kept: str):
    assert who_stays([row("a"), row("b"), row("c")], relations, verdicts) == kept


def test_a_drop_by_a_persons_word_says_so():
    got = dropped([row("a"), row("b")], [looked("A", "B", "different", 20, 0.1)], [said("a", "b", "copy")])
    assert got == {"b": near("copy, by verdict", "a")}


@pytest.mark.parametrize("word", ["same", "COPY", "", None])
def test_another_word_is_refused(word: str | None):
    with pytest.raises(ValueError, match=f"expected a verdict of copy, related, different, got {word!r}"):
        decided([row("a"), row("b")], [], [said("a", "b", word)])


@pytest.mark.parametrize(
    "second", [looked("A", "B"), looked("B", "A", "different")], ids=["again", "the other way round"]
)
def test_a_pair_of_blobs_that_comes_twice_is_refused(second: Row):
    with pytest.raises(ValueError, match="expected each pair of blobs once"):
        decided([row("a"), row("b")], [looked("A", "B"), second])


# --- the table of pairs


def test_pairs_of_blobs_and_verdicts_stand_at_the_first_record_of_each_blob_and_sorted():
    rows = [row("d", "X"), row("c", "X"), row("b"), row("a", "B"), row("e"), row("f", "X")]
    relations = [looked("X", "B", bits=8), looked("E", "B", "different", 7, 0.25), looked("E", "GONE")]
    verdicts = [
        said("f", "b", "related"),
        said("e", "d", "copy"),
        said("f", "d", "different"),
        said("e", "gone", "copy"),
    ]
    _, edges = decided(rows, relations, verdicts)
    assert edges == [
        edge("a", "b", "same_file", 0, 1.0, None, True),
        edge("a", "c", "resized", 8, 0.9, "related", False),
        edge("a", "e", "different", 7, 0.25, None, False),
        edge("c", "d", "same_file", 0, 1.0, None, True),
        edge("c", "e", None, None, None, "copy", True),
        edge("c", "f", "same_file", 0, 1.0, None, True),
        edge("d", "f", "same_file", 0, 1.0, "different", True),
    ]


# --- properties

names = st.sampled_from([f"r{number}" for number in range(9)])
blobs = st.sampled_from("ABCDEF")
some_rows = st.lists(
    st.builds(
        row,
        names,
        blobs,
        bytes=st.integers(1, 3),
        rights_uri=st.sampled_from([CC0, BY, "NOASSERTION"]),
        is_annotated=st.booleans(),
        metadata=st.integers(0, 1),
    ),
    max_size=9,
    unique_by=lambda row: row["record_id"],
)
some_relations = st.lists(
    st.builds(
        looked,
        blobs,
        blobs,
        st.sampled_from(["resized", "recoloured", "mirrored", "detail", "uncertain", "look_alike", "different"]),
        st.integers(0, 2),
        st.sampled_from([0.0, 0.3, 0.65, 0.9]),
    ).filter(lambda pair: pair["a"] != pair["b"]),
    max_size=12,
    unique_by=lambda pair: frozenset((pair["a"], pair["b"])),
)
some_verdicts = st.lists(st.builds(said, names, names, st.sampled_from(WORDS)), max_size=4)


@given(some_rows, some_relations, some_verdicts, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_of_ends_changes_nothing(
    rows: list[Row], relations: list[Row], verdicts: list[Row], chance: Any
):
    first = decided(rows, relations, verdicts)
    turned = [
        [{**pair, "a": pair["b"], "b": pair["a"]} if chance.random() < 0.5 else pair for pair in pairs]
        for pairs in (relations, verdicts)
    ]
    assert decided(*(chance.sample(listed, len(listed)) for listed in (rows, *turned))) == first


@given(some_rows, some_relations, some_verdicts, st.booleans())
def test_every_drop_names_a_record_of_its_cluster_that_stays(
    rows: list[Row], relations: list[Row], verdicts: list[Row], drops_all: bool
):
    settings = {} if drops_all else {"drop_relations": ["same_file", "resized", "recoloured"]}
    got, edges = decided(rows, relations, verdicts, **settings)
    for of in got.values():
        assert (of["reason"] is None) == (of["kept_record_id"] is None) == (of["detail"] is None)
        if of["reason"] is not None:
            assert got[of["kept_record_id"]]["reason"] is None
            assert got[of["kept_record_id"]]["group_id"] == of["group_id"]
        if str(of["detail"]).startswith("through "):
            through = got[of["detail"].removeprefix("through ")]
            assert of["kept_record_id"] == through["kept_record_id"], "the way stays in the cluster"
    stays = {name: of["kept_record_id"] or name for name, of in got.items()}
    assert [pair["is_joined"] for pair in edges] == [stays[pair["a"]] == stays[pair["b"]] for pair in edges]
    assert sorted({(pair["a"], pair["b"]) for pair in edges}) == [(pair["a"], pair["b"]) for pair in edges]
    assert all(pair["a"] < pair["b"] for pair in edges)
    if not any(verdict["verdict"] == "copy" for verdict in verdicts):
        said_different = [pair for pair in edges if pair["verdict"] == "different"]
        assert all(pair["is_joined"] == (pair["relation"] == "same_file") for pair in said_different)


def test_only_near_wholes_say_that_two_are_apart():
    rows = [
        (0, "different", 10, True),
        (0, "different", 11, False),
        (0, "look_alike", 12, True),
        (0, "cropped", 12, True),
        (9, "cropped", 3, True),
        (9, "uncertain", 3, True),
        (9, "different", 3, False),
        (9, "look_alike", 3, False),
        (0, None, 3, False),
    ]
    measured = [
        {"a": number, "b": 9, "view": view, "relation": relation, "distance_bits": bits}
        for number, (view, relation, bits, _) in enumerate(rows)
    ]
    schema = pa.schema(
        [
            ("a", pa.int64()),
            ("b", pa.int64()),
            ("view", pa.int16()),
            ("relation", pa.string()),
            ("distance_bits", pa.int16()),
        ]
    )
    got = conclusive_pairs(pa.Table.from_pylist(measured, schema=schema))
    assert got.column_names == ["a", "b", "relation", "distance_bits"]
    assert got["a"].to_pylist() == [number for number, row in enumerate(rows) if row[-1]]
