"""Clusters and decisions against the rules as they are stated, by loops over everything."""

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.relations import APART
from schemas.stages import Dedup
from schemas.tables import VERDICTS
from tasks.core.dedup.decide import decide
from tasks.core.dedup.groups import clusters

Tie = tuple[Any, Any]
NODES = 9
ends = st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1))


def components(nodes: list[Any], ties: list[Tie]) -> dict[Any, Any]:
    """The smallest node that each is connected with."""
    label = {node: node for node in nodes}
    for _ in nodes:
        for one, other in ties:
            label[one] = label[other] = min(label[one], label[other])
    return label


def cut(nodes: list[Any], firm: list[Tie], edges: list[Tie], apart: list[Tie]) -> dict[Any, Any]:
    """The weakest edge of a component that holds two apart is cut, until none does. edges: the strongest first."""
    held, left = components(nodes, firm), list(edges)
    counting = [(one, other) for one, other in apart if held[one] != held[other]]
    while True:
        label = components(nodes, firm + left)
        troubled = [label[one] for one, other in counting if label[one] == label[other]]
        if not troubled:
            return label
        left.pop(max(place for place, (one, _) in enumerate(left) if label[one] == troubled[0]))


@settings(max_examples=1000)
@given(st.lists(ends, max_size=3), st.lists(ends, max_size=16), st.lists(ends, max_size=6))
def test_growing_gives_the_clusters_of_cutting(firm: list[Tie], edges: list[Tie], apart: list[Tie]):
    arrays = (np.array(listed, np.int64).reshape(-1, 2) for listed in (firm, edges, apart))
    expected = cut(list(range(NODES)), firm, edges, apart)
    assert clusters(NODES, *arrays).tolist() == [expected[node] for node in range(NODES)]


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
        }
        for name in draw(st.lists(names, max_size=10, unique=True))
    ]


found = st.sampled_from(["reencoded", "resized", "recoloured"] * 3 + ["mirrored", "detail", "look_alike", "different"])
scores = st.sampled_from([0.25, 0.5, 1.0])
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
    edges = [(one, other) for _, _, one, other, relation in sorted(seen.values()) if relation in dropped]
    apart = [pair for pair, word in said.items() if word == "different"]
    apart += [pair for pair, of in seen.items() if of[-1] in APART]
    cluster = cut(sorted(first.values()), firm, edges, apart)
    ties = [pair for pair, word in said.items() if word != "different"]
    ties += [pair for pair, of in seen.items() if of[-1] in dropped | bound] + list(cluster.items())
    group = components(sorted(first.values()), ties)
    return {name: (*verdict_of(name, rows, cluster, first), group[first[blob[name]]]) for name in blob}


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
