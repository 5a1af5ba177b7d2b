"""What a reviewer sees first: the least certain, whatever the order of rows.

And the first line that decided who stays.
"""

import itertools
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.tables import EDGES, LEDGER
from tasks.core.dedup.preferences import preference_order
from tasks.core.report import clusters
from tasks.core.report.clusters import Cluster, RecordPair, ReviewSelection, select_for_review, why_it_stayed

REASON = {"same": "exact_duplicate", "other": "near_duplicate"}


def ledger(*rows: str, **bytes_of: str) -> pa.Table:
    """LEDGER of 'a', which stayed, 'b>a', dropped as its copy, 'c!reason', dropped otherwise.

    SHA-256 is the name's own unless given.
    """
    said = []
    for row in rows:
        name, _, reason = row.partition("!")
        name, _, stays = name.partition(">")
        reason = reason or ("near_duplicate" if stays else None)
        said.append(
            {
                **dict.fromkeys(LEDGER.names),
                "record_id": name,
                "kept": reason is None,
                "reason": reason,
                "detail": stays and f"of {stays}",
                "kept_record_id": stays or None,
                "sha256": bytes_of.get(name, name),
            }
        )
    return pa.Table.from_pylist(said, schema=LEDGER)


def edge(a: str, b: str, score: float | None, bits: int | None = 4, verdict: str | None = None) -> dict[str, Any]:
    return {
        "a": a,
        "b": b,
        "relation": "resized",
        "distance_bits": bits,
        "score": score,
        "verdict": verdict,
        "is_joined": False,
    }


def edges(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=EDGES)


def copies(found: ReviewSelection) -> list[str]:
    """Clusters as 'stays: copies in order'."""
    return [f"{cluster.stays}: {' '.join(pair.a for pair in cluster.copies)}" for cluster in found.clusters]


def apart(found: ReviewSelection) -> list[str]:
    return [pair.a + pair.b for pair in found.apart]


@pytest.mark.parametrize(
    ("book", "looks", "expected"),
    [
        pytest.param(ledger(), edges(), [], id="nothing"),
        pytest.param(ledger("a", "b"), edges(), [], id="no copies"),
        pytest.param(ledger("a", "b!too_small"), edges(edge("a", "b", 0.9)), [], id="dropped, but as no copy"),
        pytest.param(ledger("a", "b>a"), edges(), ["a: b"], id="nobody has compared them"),
        pytest.param(
            ledger("a", "b>a", "c>a"),
            edges(edge("a", "b", 0.9), edge("a", "c", 0.8)),
            ["a: c b"],
            id="smaller score first",
        ),
        pytest.param(
            ledger("a", "b>a", "c>a"),
            edges(edge("a", "b", 0.9, 2), edge("a", "c", 0.9, 8)),
            ["a: c b"],
            id="larger distance first",
        ),
        pytest.param(
            ledger("a", "b>a", "c>a"),
            edges(edge("a", "b", 0.2), edge("b", "c", 0.9)),
            ["a: c b"],
            id="a copy of a copy before all",
        ),
        pytest.param(ledger("a", "b>a", "c>a", b="a"), edges(edge("a", "c", 0.9)), ["a: c b"], id="equal bytes last"),
        pytest.param(
            ledger("a", "b>a", "c>a"),
            edges(edge("a", "b", 0.2, verdict="copy"), edge("a", "c", 0.9)),
            ["a: c b"],
            id="what is said last",
        ),
        pytest.param(
            ledger("a", "b>a", "c", "d>c", "e", "f>e"),
            edges(edge("a", "b", 0.9), edge("c", "d", 0.5), edge("e", "f", 0.1, verdict="copy")),
            ["c: d", "a: b", "e: f"],
            id="clusters by their least certain copy of which nobody has spoken",
        ),
        pytest.param(
            ledger("a", "b>a", "c>b"),
            edges(edge("b", "c", 0.5), edge("a", "b", 0.9)),
            ["a: c b"],
            id="dropped in two stages",
        ),
        pytest.param(
            ledger("a", "b>a", "x", "y>x", x="a", y="b"),
            edges(edge("a", "b", 0.7)),
            ["a: b", "x: y"],
            id="an edge stands for all with these bytes",
        ),
        pytest.param(ledger("a", "b>a"), edges(edge("a", "b", float("nan"))), ["a: b"], id="a score that is none"),
    ],
)
def test_clusters(book, looks, expected):
    assert copies(select_for_review(looks, book)) == expected


@pytest.mark.parametrize(
    ("book", "looks", "expected"),
    [
        pytest.param(ledger("a", "b"), edges(edge("a", "b", 0.5)), ["ab"], id="one"),
        pytest.param(ledger("a"), edges(edge("a", "b", 0.5)), [], id="a record that the ledger does not know"),
        pytest.param(ledger("a", "b>a"), edges(edge("a", "b", 0.5)), [], id="merged"),
        pytest.param(ledger("a", "b>a", "c>a"), edges(edge("b", "c", 0.5)), [], id="copies of one"),
        pytest.param(ledger("a", "b>a", "c>b"), edges(edge("a", "c", 0.5)), [], id="merged in two stages"),
        pytest.param(
            ledger("a", "b!not_drawn"), edges(edge("a", "b", 0.5)), ["ab"], id="one was dropped later, as no copy"
        ),
        pytest.param(
            ledger(*"abcd"), edges(edge("a", "b", 0.5), edge("c", "d", 0.9)), ["cd", "ab"], id="larger score first"
        ),
        pytest.param(
            ledger(*"abcd"),
            edges(edge("a", "b", 0.5, 7), edge("c", "d", 0.5, 2)),
            ["cd", "ab"],
            id="smaller distance first",
        ),
        pytest.param(ledger(*"abcd"), edges(edge("a", "d", 0.5), edge("a", "b", 0.5)), ["ab", "ad"], id="then ids"),
        pytest.param(
            ledger(*"abcd"),
            edges(edge("a", "b", None, None), edge("c", "d", 0.1)),
            ["cd", "ab"],
            id="what was not compared last",
        ),
        pytest.param(
            ledger(*"abcd"),
            edges(edge("a", "b", 0.9, verdict="different"), edge("c", "d", 0.1)),
            ["cd", "ab"],
            id="what is said last",
        ),
        pytest.param(
            ledger("a", "b>a", "c", "d>c"),
            edges(edge("a", "c", 0.5), edge("b", "d", 0.8), edge("a", "b", 0.9)),
            ["bd"],
            id="two works once",
        ),
        pytest.param(
            ledger("a", "b>a", "c"),
            edges(edge("a", "c", 0.5, verdict="different"), edge("b", "c", 0.8)),
            ["ac"],
            id="what is said of a copy",
        ),
    ],
)
def test_pairs_that_were_not_merged(book, looks, expected):
    assert apart(select_for_review(looks, book)) == expected


def test_what_is_known_of_each():
    book = ledger("a!not_drawn", "b>a", "c>a", "d>a", "e", d="a")
    found = select_for_review(edges(edge("a", "b", 0.75, 6, "related"), edge("a", "e", 0.25, 8)), book)
    assert found.clusters == (
        Cluster(
            "a",
            "not_drawn",
            (
                RecordPair("c", "a", None, None, None, None, "of a"),
                RecordPair("b", "a", "resized", 6, 0.75, "related", "of a"),
                RecordPair("d", "a", "same_file", 0, 1.0, None, "of a"),
            ),
            0,
        ),
    )
    assert found.apart == (RecordPair("a", "e", "resized", 8, 0.25, None, None),)
    assert found.record_ids() == ["a", "b", "c", "d", "e"]
    assert ReviewSelection().record_ids() == []


def test_of_many_so_many_are_shown_as_fit_on_a_page(monkeypatch):
    for name, most in (("MOST_CLUSTERS", 2), ("MOST_COPIES", 3), ("MOST_PAIRS", 4)):
        monkeypatch.setattr(clusters, name, most)
    book = ledger("a", *(f"a{n}>a" for n in range(5)), "b", "b0>b", "c", "c0>c", *(f"x{n}" for n in range(4)))
    found = select_for_review(
        edges(*(edge(f"x{one}", f"x{two}", 0.5) for one, two in itertools.combinations(range(4), 2))), book
    )
    assert copies(found) == ["a: a0 a1 a2", "b: b0"]
    assert [cluster.more for cluster in found.clusters] == [2, 0]
    assert (found.more_clusters, len(found.apart), found.more_apart) == (1, 4, 2)


NAMES = "abcdef"
LOOKS = st.dictionaries(
    st.sampled_from(list(itertools.combinations(NAMES, 2))),
    st.tuples(
        st.sampled_from([None, 0.25, 0.75]),
        st.sampled_from([None, 0, 9]),
        st.sampled_from([None, None, "copy", "different"]),
    ),
    max_size=8,
)
STAYS = st.lists(st.sampled_from("ab"), min_size=4, max_size=4)


@settings(max_examples=60, deadline=None)
@given(LOOKS, STAYS, st.randoms(use_true_random=False))
def test_order_of_rows_changes_nothing_and_each_pair_is_in_its_place(looks, stays, chance):
    book = ledger("a", "b", *(f"{name}>{stay}" for name, stay in zip("cdef", stays, strict=True)), f="c")
    rows = [edge(*names, *said) for names, said in looks.items()]
    found = select_for_review(edges(*rows), book)
    chance.shuffle(rows)
    shuffled = book.take(chance.sample(range(6), 6))
    assert select_for_review(edges(*rows), shuffled) == found
    work = dict(zip(NAMES, ["a", "b", *stays], strict=True))
    assert {pair.a: pair.b for cluster in found.clusters for pair in cluster.copies} == dict(
        zip("cdef", stays, strict=True)
    )
    assert all(work[pair.a] != work[pair.b] for pair in found.apart)
    assert len(found.apart) == any(work[a] != work[b] for a, b in looks)


BEST = {
    "record_id": "s:m",
    "rights_uri": "https://creativecommons.org/publicdomain/zero/1.0/",
    "is_annotated": True,
    "width_px": 1600,
    "height_px": 1200,
    "bytes": 812_345,
    "metadata": 6,
    "preference": 2,
}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param(
            {"rights_uri": None}, f"its rights are more open: {BEST['rights_uri']} against none", id="no rights known"
        ),
        pytest.param(
            {"rights_uri": "http://x/by/4.0"},
            f"its rights are more open: {BEST['rights_uri']} against http://x/by/4.0",
            id="rights",
        ),
        pytest.param({"preference": 1, "rights_uri": None}, "the recipe prefers it", id="the recipe's word"),
        pytest.param({"preference": 3}, "decided by another rule than the order of copies", id="against its word"),
        pytest.param({"is_annotated": None}, "people have annotated it", id="annotated"),
        pytest.param(
            {"width_px": 800, "bytes": 10**9},
            "it has more pixels: 1600 × 1200 against 800 × 1200",
            id="pixels before bytes",
        ),
        pytest.param(
            {"height_px": None}, "it has more pixels: 1600 × 1200 against 1600 × 0", id="a size that is not known"
        ),
        pytest.param({"bytes": 800_000}, "its file is larger: 812,345 against 800,000 bytes", id="bytes"),
        pytest.param({"metadata": 5}, "its record has more fields filled in: 6 against 5", id="metadata"),
        pytest.param({}, "everything else is equal, and its record_id is smaller", id="nothing but its name"),
        pytest.param({"bytes": 900_000}, "decided by another rule than the order of copies", id="not this order"),
        pytest.param({"record_id": "s:a"}, "decided by another rule than the order of copies", id="not by its name"),
    ],
)
def test_why_one_stayed(change, says):
    assert why_it_stayed(BEST, [{**BEST, "record_id": "s:z", **change}]) == says


def test_the_best_of_the_others_decides():
    others = [
        {**BEST, "record_id": f"s:{name}", **change} for name, change in (("x", {"width_px": 9}), ("z", {"bytes": 7}))
    ]
    assert (
        why_it_stayed(BEST, others)
        == why_it_stayed(BEST, others[::-1])
        == "its file is larger: 812,345 against 7 bytes"
    )


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "rights_uri": st.sampled_from(
                [BEST["rights_uri"], "https://creativecommons.org/licenses/by/4.0/", "NOASSERTION"]
            ),
            "is_annotated": st.booleans(),
            "width_px": st.sampled_from([2, 3]),
            "height_px": st.sampled_from([2, 3]),
            "bytes": st.sampled_from([7, 8]),
            "metadata": st.sampled_from([0, 1]),
            "is_second_choice": st.just(False),
            "preference": st.sampled_from([0, 1, 2]),
        }
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.permutations("stuvwxyz"))
def test_the_order_is_the_one_by_which_copies_are_dropped(rows, names):
    named = [{**row, "record_id": name} for row, name in zip(rows, names, strict=False)]
    in_order = [named[place] for place in preference_order(pa.Table.from_pylist(named)).tolist()]
    another_rule = "decided by another rule than the order of copies"
    for place, row in enumerate(in_order[:-1]):
        assert why_it_stayed(row, in_order[place + 1 :]) != another_rule
        assert why_it_stayed(in_order[-1], in_order[place:-1]) == another_rule
