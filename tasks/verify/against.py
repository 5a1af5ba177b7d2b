"""What other datasets have, too: equal files and near hashes, and a second look where both have their pictures."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.dedup import Dedup
from schemas.phrases import and_more, counted
from schemas.relations import APART, Relation
from schemas.tables import OVERLAPS
from tasks.core import overlap
from tasks.core.columns import bools, whole
from tasks.core.dedup import relate, views
from tasks.core.dedup.candidates import RadiiBits
from tasks.core.report import overlaps as report
from tasks.core.report.thumbnails import Thumbnail, jpeg_thumbnail
from tasks.io.images.inspection import Inspection
from tasks.subjects.second_look import Picture, look_at
from tasks.verify.datasets import Dataset

LOOKED_AT = RadiiBits(Dedup(label="dedup").radius_bits, Dedup(label="dedup").view_radius_bits)
"""Pairs within these radii are worth a look, as in a build."""
BY_HASH_BITS = 8
"""Where nobody can look: copies that are only saved again lie within it (docs/dedup.md)."""
_LOOKED_AT_ONCE = 5_000
_SHOWN = 20
_NO_SPLIT = "no split"


class Overlap(NamedTuple):
    """What a release has in common with another dataset. rows: OVERLAPS; text: what is told of it, in lines."""

    rows: pa.Table
    text: tuple[str, ...]
    is_problem: bool


def compare(mine: Dataset, other: Dataset, radius_bits: int | None, threads: int = 2) -> Overlap:
    """The images that both have, in any two splits. radius_bits: by default that of a build where the pictures of both
    are at hand, which then decide, and else that of copies that are only saved again.
    """
    can_look = mine.pictures is not None and other.pictures is not None
    radii_bits = LOOKED_AT if can_look else RadiiBits(BY_HASH_BITS, BY_HASH_BITS)
    if radius_bits is not None:
        radii_bits = RadiiBits(radius_bits, min(radius_bits, radii_bits.views))
    pairs = overlap.pairs_between(mine.hashes, other.hashes, radii_bits, threads)
    near = _rows(mine, other, pairs.one, pairs.other, pairs.distance_bits)
    is_other_file = np.asarray(pc.not_equal(near.pop("sha256"), near.pop("other_sha256")), np.bool_)
    table, pairs = pa.table(near, OVERLAPS).filter(pa.array(is_other_file)), pairs.at(is_other_file)
    looked: _Looked | None = None
    if can_look:
        table = _looked_at(table, mine, other, pairs)
        is_apart = bools(pc.is_in(table["relation"], value_set=pa.array(sorted(APART), pa.string())))
        is_unseen = bools(pc.is_null(table["relation"]))
        is_far = is_unseen & (pairs.distance_bits > BY_HASH_BITS)  # of these nobody knows anything
        looked = _Looked(int(is_apart.sum()), int(is_unseen.sum()))
        table = table.filter(pa.array(~is_apart & ~is_far))
    order = [(name, "ascending") for name in ("image_id", "other", "other_image")]
    rows = pa.concat_tables([_equal_files(mine, other), table]).sort_by(order)
    text = (*_lines(rows, mine, other), *_how(mine, other, radii_bits, looked))
    return Overlap(rows, text, is_problem=rows.num_rows > 0)


class _Looked(NamedTuple):
    """Near pairs that a look has found to be of two works, and those of which a picture can't be read."""

    apart: int
    unseen: int


def _rows(mine: Dataset, other: Dataset, one: object, two: object, distance_bits: object) -> dict[str, pa.Array]:
    """The columns of OVERLAPS of these places in both, without a relation, and the SHA-256 of both."""
    left, right = mine.rows.take(pa.array(one)), other.rows.take(pa.array(two))
    size = left.num_rows
    return {
        **{name: whole(left[name]) for name in ("image_id", "record_id", "split")},
        "other": pa.repeat(other.name, size),
        "other_image": whole(pc.coalesce(right["record_id"], right["image_id"].cast(pa.string()), right["sha256"])),
        "other_split": whole(right["split"]),
        "distance_bits": pa.array(distance_bits).cast(pa.int16()),
        "relation": pa.nulls(size, pa.string()),
        "score": pa.nulls(size, pa.float64()),
        "sha256": whole(left["sha256"]),
        "other_sha256": whole(right["sha256"]),
    }


def _equal_files(mine: Dataset, other: Dataset) -> pa.Table:
    """OVERLAPS of equal files: each with the first of the other side that has its bytes."""
    shas = [whole(of.rows["sha256"]) for of in (mine, other)]
    firsts = [pc.index_in(one, value_set=two) for one, two in (shas, shas[::-1])]
    of_mine, of_other = (np.flatnonzero(np.asarray(first.is_valid())) for first in firsts)
    pairs = np.concatenate(
        [
            np.stack([of_mine, firsts[0].drop_null().to_numpy()], axis=1),
            np.stack([firsts[1].drop_null().to_numpy(), of_other], axis=1),
        ]
    )
    one, two = np.unique(pairs.astype(np.int64), axis=0).T
    found = _rows(mine, other, one, two, np.zeros(len(one), np.int16))
    found["relation"] = pa.repeat(str(Relation.SAME_FILE), len(one))
    return pa.table({name: found[name] for name in OVERLAPS.names}, OVERLAPS)


def _looked_at(table: pa.Table, mine: Dataset, other: Dataset, pairs: overlap.Pairs) -> pa.Table:
    """The rows with what their pictures are to each other; null where one of them can't be read."""
    sha256s = [
        whole(of.rows["sha256"].take(pa.array(places))).to_pylist()
        for of, places in ((mine, pairs.one), (other, pairs.other))
    ]
    relations: list[str | None] = []
    scores: list[float | None] = []
    for start in range(0, table.num_rows, _LOOKED_AT_ONCE):
        block = slice(start, start + _LOOKED_AT_ONCE)
        shown = [_pictures(of, names[block]) for of, names in zip((mine, other), sha256s, strict=True)]
        for one, two, number, is_of_other in zip(
            sha256s[0][block],
            sha256s[1][block],
            pairs.view[block].tolist(),
            pairs.is_of_other[block].tolist(),
            strict=True,
        ):
            if one not in shown[0] or two not in shown[1]:
                relations.append(None)
                scores.append(None)
                continue
            (left, size), (right, its_size) = shown[0][one], shown[1][two]
            if is_of_other:
                left, right = right, left
            relation, agreement = look_at(left, right, views.ALL_VIEWS[number], has_equal_size=size == its_size)
            relations.append(relation)
            scores.append(round(agreement.score, relate.STORED_DECIMALS))
    place = table.schema.get_field_index
    table = table.set_column(place("relation"), "relation", pa.array(relations, pa.string()))
    return table.set_column(place("score"), "score", pa.array(scores, pa.float64()))


def _pictures(of: Dataset, sha256s: list[str]) -> dict[str, tuple[Picture, tuple[int, int]]]:
    found = {} if of.pictures is None else of.pictures({*sha256s})
    return {name: (Picture(one.thumbnail), (one.width_px, one.height_px)) for name, one in found.items()}


def _lines(rows: pa.Table, mine: Dataset, other: Dataset) -> Iterator[str]:
    images, its = (len(pc.unique(rows[name])) for name in ("image_id", "other_image"))
    sizes = f"{counted(mine.rows.num_rows, 'image')} here, {counted(other.rows.num_rows, 'image')} there"
    if not rows.num_rows:
        yield f"no image in common ({sizes})"
        return
    yield f"{counted(images, 'image')} of this release {_are(images)} like {its:,} there ({sizes})"
    kinds = [word or report.NEAR for word in rows["relation"].to_pylist()]
    by_splits: dict[tuple[str, str], Counter[str]] = {}
    for here, there, kind in zip(rows["split"].to_pylist(), rows["other_split"].to_pylist(), kinds, strict=True):
        by_splits.setdefault((here or _NO_SPLIT, there or _NO_SPLIT), Counter())[kind] += 1
    for (here, there), count in sorted(by_splits.items()):
        said = ", ".join(f"{number:,} {kind}" for kind, number in count.most_common())
        yield f"  {here} here, {there} there: {said}"
    for row, kind in zip(rows.slice(0, _SHOWN).to_pylist(), kinds, strict=False):
        yield f"  {row['record_id']} and {row['other_image']}: {kind}, {row['distance_bits']} bits apart"
    if more := and_more(rows.num_rows - _SHOWN):
        yield f"  ...{more}"


def _how(mine: Dataset, other: Dataset, radii_bits: RadiiBits, looked: _Looked | None) -> Iterator[str]:
    """How it was compared. looked: None where nobody could look."""
    yield from (*mine.notes, *other.notes)
    names = sorted({*mine.hashes.views, *other.hashes.views})
    of_views = f", or those of views ({', '.join(names)}) within {radii_bits.views}" if names else ""
    yield f"compared: SHA-256, and hashes of whole pictures within {radii_bits.wholes} of 64 bits{of_views}"
    by_wholes = overlap.expected_by_chance(mine.hashes.phash, other.hashes.phash, radii_bits.wholes)
    by_views = sum(
        overlap.expected_by_chance(hashes.ravel(), of.hashes.phash, radii_bits.views)
        for side, of in ((mine, other), (other, mine))
        for hashes in side.hashes.views.values()
    )
    more = f", and {by_views:.2g} by views" if names else ""
    yield f"by chance alone, about {by_wholes:.2g} pairs of whole pictures would be so near{more}"
    if looked is None:
        yield "the pictures are not at hand on both sides, so nobody has looked: a near pair may be two works"
        return
    yield f"the pictures were looked at: {counted(looked.apart, 'near pair')} {_are(looked.apart)} of two works"
    if looked.unseen:
        yield (
            f"of {counted(looked.unseen, 'near pair')} a picture can't be read: within {BY_HASH_BITS} bits "
            "they are listed as near"
        )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def shown_pictures(datasets: Sequence[Dataset], rows: pa.Table) -> dict[tuple[str, str], Thumbnail]:
    """Thumbnails of these rows of OVERLAPS, by the dataset ("" for the release) and the image's name. datasets: the
    release's own first.
    """
    found: dict[tuple[str, str], Thumbnail] = {}
    for number, of in enumerate(datasets):
        if of.pictures is None:
            continue
        name = of.name if number else ""
        images = rows.filter(pc.equal(rows["other"], of.name))["other_image"] if number else rows["record_id"]
        mine_rows = of.rows.filter(pc.is_in(of.rows["record_id"], value_set=whole(pc.unique(images))))
        pictures = of.pictures({*mine_rows["sha256"].to_pylist()})
        for row in mine_rows.select(["record_id", "sha256"]).to_pylist():
            if row["sha256"] in pictures:
                found[name, row["record_id"]] = _thumbnail(pictures[row["sha256"]])
    return found


def _thumbnail(picture: Inspection) -> Thumbnail:
    return jpeg_thumbnail(picture.thumbnail, picture.width_px, picture.height_px)
