"""The content of a release: its tables, and the digests that name it."""

import functools
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from schemas.dedup import Dedup
from schemas.detect import Detect
from schemas.export import Export
from schemas.manifests import Context, State
from schemas.recipe import Recipe
from schemas.tables import COCO_FILES, LABELS
from tasks.core import tables
from tasks.core.export import boxes, digest, images, labels, ledger
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.engine.views import column_of, columns_of, kept_ids
from tasks.io.files import contracts, csv_files
from tasks.io.store.releases import Release
from tasks.io.store.store import Store
from tasks.subjects import detectors
from tasks.subjects.roles import roles_by_id

# this file too: what stands in which column is decided here
CODE = code_digest(sys.modules[__name__], boxes, digest, images, labels, ledger)


class ReleaseBuild(NamedTuple):
    """A build that ends in a release, and the release that it goes on from."""

    store: Store
    settings: Export
    state: State
    recipe: Recipe
    context: Context
    previous: Release | None


@dataclass(frozen=True)
class Content:
    """The tables of a release, images without their bytes. boxes: BOXES, of which it has two tables."""

    images: pa.Table
    boxes: pa.Table
    ledger: pa.Table
    coco_files: pa.Table
    labels: pa.Table

    @functools.cached_property
    def annotations(self) -> pa.Table:
        """ANNOTATIONS."""
        return boxes.drawn(self.boxes)

    @functools.cached_property
    def detections(self) -> pa.Table:
        """DETECTIONS."""
        return boxes.detected(self.boxes)

    @property
    def tables(self) -> dict[str, pa.Table]:
        """Those that the release has files of, by their names."""
        found = {name: getattr(self, name) for name in digest.PRIMARY_KEYS}
        return {name: table for name, table in found.items() if name != "coco_files" or table.num_rows}


def content(build: ReleaseBuild, memory: pa.Table) -> Content:
    """The tables of the release that this build ends in. `memory`: what only the release before it knows."""
    store, state, recipe = build.store, build.state, build.recipe
    ids = kept_ids(store, state)
    book = ledger.ledger(
        store.read_table(state.records, ledger.FROM_RECORDS),
        [(step.label, store.read_table(step.outcome)) for step in state.steps[1:]],
        memory,
        is_limited=recipe.limit is not None,
        roles=roles_by_id(store, recipe, state),
    )
    pa.default_memory_pool().release_unused()  # what the ledger took, the images need not add to
    columns, is_embedded = _columns(build, ids, book), build.settings.parquet.images == "embedded"
    numbers = known_labels(build)
    numbers = pa.concat_tables([labels.numbered(numbers, name, columns[name]) for name in labels.COLUMNS])
    columns |= {f"{name}_label": labels.labels_of(numbers, name, columns[name]) for name in labels.COLUMNS}
    shown = images.images(columns, recipe.attributes, is_embedded=is_embedded, is_media=build.settings.media)
    figures = [("source", "source", store.read_table(state.figures))]
    for name in detector_names(recipe, build.context):
        found = columns_of(store, state.outcome("detect"), ids, ["figures"])
        figures.append(("detector", name, pa.table({"record_id": ids, "figures": found["figures"]})))
    files = COCO_FILES.empty_table() if state.coco_files is None else store.read_table(state.coco_files)
    return Content(shown, boxes.boxes(shown, figures, recipe.coco_categories), book, files, numbers)


def known_labels(build: ReleaseBuild) -> pa.Table:
    """LABELS of the release that this build goes on from."""
    return LABELS.empty_table() if build.previous is None else build.previous.labels()


def _columns(build: ReleaseBuild, ids: pa.ChunkedArray, book: pa.Table) -> dict[str, pa.ChunkedArray | pa.Array]:
    """The columns of the images: from the records, what stages found, and the ledger."""
    store, state = build.store, build.state
    copies = book.filter(pc.is_valid(book["kept_record_id"]))
    pages, of_copies = (column_of(store, state.records, of, "source_url") for of in (ids, copies["record_id"]))
    columns = {
        "record_id": ids,
        "source_urls": images.source_urls(ids, pages, copies, of_copies),
        "image_id": tables.lookup(book, "record_id", ids)["image_id"],
        "source_coco": column_of(store, state.figures, ids, "source_coco"),
    }
    for ref, names in (
        (state.records, (*images.FROM_RECORDS, *build.recipe.attributes)),
        (state.outcome("fetch"), ("sha256", "retrieved_at")),
        (state.outcome("hash"), ("phash", "phash_recipe", "width_px", "height_px", "format")),
        (state.outcome("split"), ("group_id", "split")),
    ):
        table = columns_of(store, ref, ids, names)
        columns |= {name: table[name] for name in table.column_names}
    return columns


def detector_names(recipe: Recipe, context: Context) -> tuple[str, ...]:
    """How detections name the recipe's detector, if it has one: model@first 12 hex digits of its weights' SHA-256."""
    return tuple(f"{stage.model}@{detectors.weights_sha256(stage, context)[:12]}" for stage in recipe.stages_of(Detect))


def publication(content: Content, recipe_sha256: str) -> pa.Table:
    """One row: the digest of each table, of all content, and the version."""
    found = {
        name: digest.table_digest(table.column_names, table.column, digest.PRIMARY_KEYS[name])
        for name, table in content.tables.items()
    }
    whole = digest.content_digest(found)
    version = digest.version(whole, recipe_sha256, contracts.version())
    return pa.Table.from_pylist([{**found, "content": whole, "version": version}])


def recipe_sha256(recipe: Recipe, context: Context) -> str:
    """Digest of all settings but manners, which change nothing in a release, and of verdicts and the list by hand."""
    return settings_sha256(recipe.model_dump(mode="json"), recipe, context)


def settings_sha256(settings: Mapping[str, Any], recipe: Recipe, context: Context) -> str:
    """`recipe_sha256` of a recipe's settings as its dump or a release has them, with the files that this one names."""
    named = [stage.verdicts for stage in recipe.stages_of(Dedup) if stage.verdicts]
    files = {"verdicts": [csv_files.sha256(name, context.bindings[name]) for name in named]} if named else {}
    if recipe.by_hand:
        files["by_hand"] = [csv_files.sha256(recipe.by_hand, context.bindings[recipe.by_hand])]
    return cache_key(recipe={name: value for name, value in settings.items() if name != "manners"}, **files)
