"""Clusters and decisions against the rules as they are stated, by loops over everything."""

from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.dedup import Dedup
from schemas.relations import APART
from schemas.tables import VERDICTS
from tasks.core.dedup.decide import decide
from tasks.core.dedup.groups import NEVER, clusters

Tie = tuple[Any, Any]
Weighed = tuple[Any, Any, int]
NODES = 9
ends = st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1))


def components(nodes: list[Any], ties: list[Tie]) -> dict[Any, Any]:
    """The smallest node that each is connected with."""
    label = {node: node for node in nodes}
    for _ in nodes:
        for one, other in ties:
            label[one] = label[other] = min(label[one], label[other])
    return label


def joined_by_rule(nodes: list[Any], firm: list[Tie], weighed: list[Weighed]) -> dict[Any, Any]:
    """The rule word for word: of clusters with more ties than doubts join the two with the largest mean, until none is.

    weighed: the strongest first; of equal means the pair of clusters with the earliest pair comes first.
    """
    label = components(nodes, firm)
    while True:
        between: dict[frozenset[Any], list[int]] = {}
        for one, other, weight in weighed:
            between.setdefault(frozenset((label[one], label[other])), []).append(weight)
        open_ = [ends for ends, weights in between.items() if len(ends) == 2 and sum(weights) > 0]
        if not open_:
            return label
        best = max(open_, key=lambda ends: Fraction(sum(between[ends]), len(between[ends])))  # the first of equals
        label = {node: min(best) if of in best else of for node, of in label.items()}


@settings(max_examples=1000)
@given(
    st.lists(ends, max_size=3), st.lists(st.tuples(ends, st.integers(-5, 5) | st.sampled_from([NEVER])), max_size=16)
)
def test_a_heap_gives_the_clusters_of_the_rule(firm: list[Tie], drawn: list[tuple[Tie, int]]):
    weighed = [(*pair, weight) for pair, weight in sorted(drawn, key=lambda of: of[1] <= 0) if weight]
    pairs = [np.array(listed, np.int64).reshape(-1, 2) for listed in (firm, [pair[:2] for pair in weighed])]
    weights = np.array([weight for *_, weight in weighed], np.int64)
    expected = joined_by_rule(list(range(NODES)), firm, weighed)
    assert clusters(NODES, *pairs, weights).tolist() == [expected[node] for node in range(NODES)]


def labellings(size: int) -> list[list[int]]:
    """All partitions of some nodes: the number of each node's part, parts counted by their first nodes."""
    found: list[list[int]] = [[]]
    for _ in range(size):
        found = [[*labels, label] for labels in found for label in range(max(labels, default=-1) + 2)]
    return found


def test_small_graphs_come_near_the_largest_sum_that_any_partition_has():
    """Which partition has it is NP-hard to say; of six nodes all 203 can be tried. A tenth of the looks are wrong."""
    chance, none = np.random.default_rng(7), np.empty((0, 2), np.int64)
    pairs, labels = np.argwhere(np.tri(6, k=-1)), np.array(labellings(6))
    is_one = labels[:, pairs[:, 0]] == labels[:, pairs[:, 1]]
    best, got = [], []
    for _ in range(200):
        looks_like_one = is_one[chance.integers(len(labels))] ^ (chance.random(len(pairs)) < 0.1)
        weights = np.where(
            looks_like_one, chance.integers(100, 1001, len(pairs)), chance.integers(-1500, 1, len(pairs))
        )
        order = np.argsort(-weights)
        cluster = clusters(6, none, pairs[order], weights[order])
        got.append(weights[cluster[pairs[:, 0]] == cluster[pairs[:, 1]]].sum())
        best.append((is_one @ weights).max())
    assert len(labels) == 203
    assert np.mean(np.equal(got, best)) > 0.75
    assert sum(got) > 0.95 * sum(best)


# --- decisions

RIGHTS = [
    "https://creativecommons.org/publicdomain/mark/1.0/",
    "http://rightsstatements.org/vocab/InC/1.0/",
    "NOASSERTION",
]
VIEW = {
    "record_id": pa.string(),
    "sha256": pa.string(),
    "rights_uri": pa.string(),
    "is_annotated": pa.bool_(),
    "width_px": pa.int32(),
    "height_px": pa.int32(),
    "bytes": pa.int64(),
    "metadata": pa.int64(),
    "is_second_choice": pa.bool_(),
    "preference": pa.int64(),
}
RELATIONS = {
    "a": pa.string(),
    "b": pa.string(),
    "relation": pa.string(),
    "distance_bits": pa.int16(),
    "score": pa.float64(),
}
Row = dict[str, Any]
names = st.integers(0, 9).map(lambda number: f"r{number}")
blobs = st.sampled_from("ABCDEFG")


@st.composite
def view_rows(draw: st.DrawFn) -> list[Row]:
    return [
        {
            "record_id": name,
            "sha256": draw(blobs),
            "rights_uri": draw(st.sampled_from(RIGHTS)),
            "is_annotated": draw(st.booleans()),
            "width_px": draw(st.integers(1, 3)),
            "height_px": draw(st.integers(1, 3)),
            "bytes": draw(st.integers(1, 3)),
            "metadata": draw(st.integers(0, 2)),
            "is_second_choice": draw(st.booleans()),
            "preference": draw(st.integers(0, 2)),
        }
        for name in draw(st.lists(names, max_size=10, unique=True))
    ]


found = st.sampled_from(
    ["reencoded", "resized", "recoloured"] * 3 + ["mirrored", "detail", "uncertain", "look_alike", "different"]
)
scores = st.sampled_from([0.0, 0.123, 0.25, 0.61, 0.75, 1.0])
relation_rows = st.lists(
    st.tuples(blobs, blobs, found, st.integers(0, 3), scores).filter(lambda pair: pair[0] != pair[1]),
    max_size=16,
    unique_by=lambda pair: frozenset(pair[:2]),
)
verdict_rows = st.lists(st.tuples(names, names, st.sampled_from(["copy", "related", "different"])), max_size=4)


def rank(row: Row) -> tuple[Any, ...]:
    rights = 0 if "publicdomain" in row["rights_uri"] else 2 if row["rights_uri"] == "NOASSERTION" else 1
    pixels = row["width_px"] * row["height_px"]
    return (
        row["is_second_choice"],
        -row["preference"],
        rights,
        not row["is_annotated"],
        -pixels,
        -row["bytes"],
        -row["metadata"],
        row["record_id"],
    )


def walked(
    rows: list[Row], relations: list[Any], verdicts: list[Any], dropped: set[str], bound: set[str]
) -> dict[str, tuple[str | None, str | None, str]]:
    """reason, kept_record_id and group_id of each record, by what stands in the rules.

    Nodes are first records of blobs.
    """
    blob = {row["record_id"]: row["sha256"] for row in rows}
    first = {sha256: min(name for name in blob if blob[name] == sha256) for sha256 in blob.values()}
    said: dict[Tie, str] = {}
    for a, b, word in verdicts:
        if a in blob and b in blob and blob[a] != blob[b]:
            one, other = sorted((first[blob[a]], first[blob[b]]))
            said[one, other] = max(word, said.get((one, other), word), key=["copy", "related", "different"].index)
    seen = {}
    for a, b, relation, bits, score in relations:
        if a in first and b in first and tuple(sorted((first[a], first[b]))) not in said:
            one, other = sorted((first[a], first[b]))
            seen[one, other] = (bits, -score, one, other, relation)
    firm = [pair for pair, word in said.items() if word == "copy"]
    ordered = sorted(seen.values(), key=lambda of: (of[-1] not in dropped, *of))
    weighed = [(one, other, weight(relation, -less, dropped)) for _, less, one, other, relation in ordered]
    weighed += [(*pair, NEVER) for pair, word in said.items() if word == "different"]
    cluster = joined_by_rule(sorted(first.values()), firm, weighed)
    ties = [pair for pair, word in said.items() if word != "different"]
    ties += [pair for pair, of in seen.items() if of[-1] in dropped | bound] + list(cluster.items())
    group = components(sorted(first.values()), ties)
    return {name: (*verdict_of(name, rows, cluster, first), group[first[blob[name]]]) for name in blob}


def weight(relation: str, score: float, dropped: set[str]) -> int:
    """Thousandths for one work, or against it."""
    if relation in dropped:
        return max(100, floor(100 + 900 * (Fraction(str(score)) - Fraction("0.6")) / Fraction("0.4")))
    if relation in APART and score:
        return min(-1000, floor(-2000 + 1000 * Fraction(str(score)) / Fraction("0.35")))
    return -300 if relation in APART else -50 if relation == "uncertain" else 0


def verdict_of(name: str, rows: list[Row], cluster: dict[str, str], first: dict[str, str]) -> tuple[Any, Any]:
    of = {row["record_id"]: row["sha256"] for row in rows}
    copies = [row for row in rows if cluster[first[row["sha256"]]] == cluster[first[of[name]]]]
    stays = min(copies, key=rank)["record_id"]
    if stays == name:
        return None, None
    return "exact_duplicate" if of[stays] == of[name] else "near_duplicate", stays


@settings(max_examples=300)
@given(view_rows(), relation_rows, verdict_rows, st.sets(st.sampled_from(["mirrored", "detail", "look_alike"])))
def test_decisions_are_those_of_a_walk_by_the_rules(
    rows: list[Row], relations: list[Any], verdicts: list[Any], bound: set[str]
):
    drops = ("same_file", "reencoded", "resized", "recoloured")
    outcome, _ = decide(
        pa.Table.from_pylist(rows, schema=pa.schema(VIEW)),
        pa.Table.from_pylist([dict(zip(RELATIONS, pair, strict=True)) for pair in relations], pa.schema(RELATIONS)),
        pa.Table.from_pylist([dict(zip("ab", pair, strict=False), verdict=pair[2]) for pair in verdicts], VERDICTS),
        Dedup(label="dedup", drop_relations=drops, bind_relations=tuple(sorted(bound))),
    )
    got = {row["record_id"]: (row["reason"], row["kept_record_id"], row["group_id"]) for row in outcome.to_pylist()}
    assert got == walked(rows, relations, verdicts, set(drops), bound)
