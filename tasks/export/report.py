"""The report of a release: what is shown, its stored thumbnails, and the sections in their order."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.dedup import Dedup
from schemas.manifests import ReleaseManifest
from schemas.sample import Sample
from schemas.screen import Screen
from tasks.core import rights, sample, tables
from tasks.core.attribute_statistics import AttributeSummary
from tasks.core.dedup.preferences import preferences
from tasks.core.names.spellings import field_of_column, joined_names
from tasks.core.report import choice, clusters, drops, numbers, page, sections, thumbnails
from tasks.core.split import decide as split_decision
from tasks.core.split import drift
from tasks.core.statistics import contents
from tasks.core.statistics.side_by_side import TruthTables, truth_tables
from tasks.core.strata import stratum_column
from tasks.engine import thumbnails as stored_thumbnails
from tasks.engine.views import column_of, columns_of, copy_preferences, grouping_values, metadata_counts
from tasks.export.content import Content, ReleaseBuild
from tasks.export.other_tables import OtherTables, ids_before_the_draw
from tasks.io.store.layout import blob_path
from tasks.subjects.roles import roles_of


def report_page(
    build: ReleaseBuild,
    manifest: ReleaseManifest,
    content: Content,
    others: OtherTables,
    attributes: Sequence[AttributeSummary],
    of_rights: Mapping[str, int],
) -> str:
    """The page to look at, as HTML. attributes: those of the recipe; of_rights: kept images by rights_uri."""
    recipe, book = build.recipe, content.ledger
    kept = page.sample_records(book)
    images = tables.lookup(content.images, "record_id", pa.chunked_array([pa.array(kept, pa.string())])).to_pylist()
    reviewed = clusters.select_for_review(others.relations, book)
    is_seen = drops.may_be_seen(book, _have_open_rights(build, book["record_id"]))
    dropped = drops.group_drops(book, is_seen, [step.label for step in build.state.steps])
    pictured = [name for group in dropped for name in group.record_ids]
    facts = _facts(build, [*kept, *reviewed.record_ids(), *pictured])
    details = tables.lookup(book, "record_id", pa.chunked_array([pa.array(pictured, pa.string())]))["detail"]
    thumbnail_of = _thumbnails(build, facts, book.filter(pa.array(is_seen)))
    # without people's boxes, those figures are shown that the split counts
    by_people = any(row["is_annotated"] for row in images)
    return page.report(
        recipe.title or recipe.name,
        manifest,
        build.state.steps,
        images,
        _boxes(content.boxes, kept, recipe.split.score, by_people=by_people),
        reviewed,
        facts,
        thumbnail_of,
        drops.section(dropped, facts, thumbnail_of, dict(zip(pictured, details.to_pylist(), strict=True))),
        (
            numbers.numbers(_truth(build, content, others)),
            choice.section(others.statistics),
            numbers.styles_and_splits(others.statistics.shares),
            numbers.rights(of_rights),
            sections.attributes(attributes),
            *_groups(build, content.images),
            sections.unread(others.unread),
            sections.detector(content.images, content.boxes, recipe.category_names),
        ),
    )


def _have_open_rights(build: ReleaseBuild, ids: pa.ChunkedArray) -> pa.Array:
    """(N,) whether the rights of each record pass every screen of rights, wherever it stands in the recipe."""
    asked = [screen.rights for screen in build.recipe.stages_of(Screen) if screen.rights is not None]
    if not asked:
        return pa.array(np.ones(len(ids), np.bool_))
    uris = column_of(build.store, build.state.records, ids, "rights_uri")
    names = pc.unique(uris).drop_null()
    passing = [name for name in names.to_pylist() if all(rights.passes(name, allowed) for allowed in asked)]
    return pc.is_in(uris, value_set=pa.array(passing, pa.string())).combine_chunks()


def _thumbnails(
    build: ReleaseBuild, facts: Mapping[str, Mapping[str, Any]], seen: pa.Table
) -> dict[str, thumbnails.Thumbnail]:
    """By SHA-256 those of the records in facts that may be seen, whose size is known, and whose bytes the store has.
    seen: these of the ledger.
    """
    sizes = {row["sha256"]: (row["width_px"], row["height_px"]) for row in facts.values() if row["width_px"]}
    blobs = pa.array(sorted(sizes), pa.string())
    blobs = blobs.filter(pc.is_in(blobs, value_set=pc.unique(seen["sha256"])))
    there = [sha256 for sha256 in blobs.to_pylist() if build.store.exists(blob_path(sha256))]
    places = stored_thumbnails.ensure_thumbnails(pa.array(there, pa.string()), build.context, "report")
    return {
        sha256: thumbnails.jpeg_thumbnail(jpeg, *sizes[sha256])
        for sha256, jpeg in stored_thumbnails.jpegs(build.store, places)
    }


def _truth(build: ReleaseBuild, content: Content, others: OtherTables) -> TruthTables:
    """What `bilderatlas statistics` counts of the release."""
    names = build.recipe.category_names
    found = contents.contents_of_release(numbers.TRUTH, content.images, content.boxes, names, contents.CountedBy())
    earlier = contents.earlier_histograms(others.statistics.histograms)
    return truth_tables([found._replace(earlier=earlier)])


def _boxes(boxes: pa.Table, ids: list[str], least: float, *, by_people: bool) -> dict[int, list[list[float]]]:
    """xywh_px by image_id: people's, where they have drawn any in what is shown, else the detector's good ones."""
    found: dict[int, list[list[float]]] = {}
    mine = pc.is_in(boxes["record_id"], value_set=pa.array(ids, pa.string()))
    for row in boxes.filter(mine).to_pylist():
        if (row["origin"] != "detector") if by_people else row["score"] >= least:
            found.setdefault(row["image_id"], []).append(row["xywh_px"])
    return found


def _facts(build: ReleaseBuild, record_ids: list[str]) -> dict[str, dict[str, Any]]:
    """By record_id what the section on copies needs of these records."""
    store, state = build.store, build.state
    ids = pa.chunked_array([pa.array(sorted(set(record_ids)), pa.string())])
    # of several stages that choose among copies, the last one's word
    prefer = next((stage.prefer for stage in reversed(build.recipe.stages_of(Dedup)) if stage.prefer), ())
    known = {
        "metadata": metadata_counts(store, state, ids),
        "preference": preferences(copy_preferences(store, state, prefer, ids)),
        "record_id": ids,
    }
    for ref, names in (
        (state.records, ("title", "artist", "source", "source_url", "rights_uri", "is_annotated")),
        (state.outcome("fetch"), ("sha256", "bytes")),
        (state.outcome("hash"), ("width_px", "height_px", "format")),
    ):
        table = columns_of(store, ref, ids, names)
        known |= {name: table[name] for name in names}
    return {row["record_id"]: row for row in pa.table(known).to_pylist()}


def _groups(build: ReleaseBuild, images: pa.Table) -> Iterator[str]:
    """The page's HTML. images: record_id and split of the release."""
    store, state, recipe, ids = build.store, build.state, build.recipe, images["record_id"]
    known = grouping_values(store, state, recipe, ids, recipe.split.by)
    strata = {stratum_column(field): values for field, values in known.items()}
    is_query = pc.fill_null(pc.not_equal(roles_of(store, recipe, state, ids), "gallery"), True)
    view = pa.table({"record_id": ids, **strata}).filter(is_query)
    found, _ = drift.gaps(view, images["split"].filter(is_query), recipe.split)
    yield sections.empty_splits(found)
    # names in several spellings, of fields by which the recipe draws or divides, in what the draw chose from
    draws = (sample.name_columns(stage) for stage in recipe.stages_of(Sample))
    columns = {
        column: field_of_column(column) for of in (*draws, split_decision.name_columns(recipe.split)) for column in of
    }
    known = grouping_values(store, state, recipe, ids_before_the_draw(store, state), set(columns.values()))
    names = joined_names(pa.table({column: known[field] for column, field in columns.items()}), [*columns])
    yield sections.spellings(names)
