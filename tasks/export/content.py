"""The content of a release: its tables, and the digests that name it."""

import sys
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from schemas.detect import Detect
from schemas.manifests import Context, State
from schemas.recipe import Recipe
from schemas.stages import Dedup, Export
from schemas.tables import COCO_FILES
from tasks.core import tables
from tasks.core.export import annotations, digest, images, ledger
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.engine.views import column_of, columns_of, kept_ids
from tasks.io.files import contracts, csv_files
from tasks.io.store.store import Store
from tasks.subjects import detectors
from tasks.subjects.roles import roles_by_id

# this file too: what stands in which column is decided here
CODE = code_digest(sys.modules[__name__], annotations, digest, images, ledger)


@dataclass(frozen=True)
class Content:
    """The tables of a release, images without their bytes."""

    images: pa.Table
    annotations: pa.Table
    ledger: pa.Table
    coco_files: pa.Table

    @property
    def tables(self) -> dict[str, pa.Table]:
        """Those that the release has files of, by their names."""
        found = {name: getattr(self, name) for name in digest.PRIMARY_KEYS}
        return {name: table for name, table in found.items() if name != "coco_files" or table.num_rows}


def content(
    store: Store, settings: Export, state: State, recipe: Recipe, memory: pa.Table, context: Context
) -> Content:
    """The tables of the release that this build ends in. `memory`: what only the release before it knows."""
    ids = kept_ids(store, state)
    book = ledger.ledger(
        store.read_table(state.records, ledger.FROM_RECORDS),
        [(step.label, store.read_table(step.outcome)) for step in state.steps[1:]],
        memory,
        is_limited=recipe.limit is not None,
        roles=roles_by_id(store, recipe, state),
    )
    pa.default_memory_pool().release_unused()  # what the ledger took, the images need not add to
    copies = book.filter(pc.is_valid(book["kept_record_id"]))
    columns = {
        "record_id": ids,
        "source_urls": images.source_urls(
            ids,
            column_of(store, state.records, ids, "source_url"),
            copies,
            column_of(store, state.records, copies["record_id"], "source_url"),
        ),
        "image_id": tables.lookup(book, "record_id", ids)["image_id"],
        **_columns(columns_of(store, state.records, ids, (*images.FROM_RECORDS, *recipe.attributes))),
        **_columns(columns_of(store, state.outcome("fetch"), ids, ("sha256", "retrieved_at"))),
        **_columns(
            columns_of(store, state.outcome("hash"), ids, ("phash", "phash_recipe", "width_px", "height_px", "format"))
        ),
        **_columns(columns_of(store, state.outcome("split"), ids, ("group_id", "split"))),
        "source_coco": column_of(store, state.figures, ids, "source_coco"),
    }
    is_embedded = settings.parquet.images == "embedded"
    shown = images.images(columns, recipe.attributes, is_embedded=is_embedded, is_media=settings.media)
    boxes = [("source", "source", store.read_table(state.figures))]
    for name in detector_names(recipe, context):
        found = columns_of(store, state.outcome("detect"), ids, ["figures"])
        boxes.append(("detector", name, pa.table({"record_id": ids, "figures": found["figures"]})))
    files = COCO_FILES.empty_table() if state.coco_files is None else store.read_table(state.coco_files)
    return Content(shown, annotations.annotations(shown, boxes, recipe.coco_categories), book, files)


def detector_names(recipe: Recipe, context: Context) -> tuple[str, ...]:
    """How annotations name the recipe's detector, if it has one: model@first 12 hex digits of its weights' SHA-256."""
    return tuple(f"{stage.model}@{detectors.weights_sha256(stage, context)[:12]}" for stage in recipe.stages_of(Detect))


def publication(content: Content, recipe: Recipe, context: Context) -> pa.Table:
    """One row: the digest of each table, of all content, and the version."""
    digests = {
        name: digest.table_digest(table.column_names, table.column, digest.PRIMARY_KEYS[name])
        for name, table in content.tables.items()
    }
    whole = digest.content_digest(digests)
    version = digest.version(whole, recipe_sha256(recipe, context), contracts.version())
    return pa.table({**{name: [value] for name, value in digests.items()}, "content": [whole], "version": [version]})


def _columns(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    return {name: table[name] for name in table.column_names}


def recipe_sha256(recipe: Recipe, context: Context) -> str:
    """Digest of all settings of this build, and of the files with verdicts and the list by hand.

    Manners are left out, since the speed of requests changes nothing in a release.
    """
    named = [stage.verdicts for stage in recipe.stages_of(Dedup) if stage.verdicts]
    files = {"verdicts": [csv_files.sha256(name, context.bindings[name]) for name in named]} if named else {}
    if recipe.by_hand:
        files["by_hand"] = [csv_files.sha256(recipe.by_hand, context.bindings[recipe.by_hand])]
    return cache_key(recipe=recipe.model_dump(mode="json", exclude={"manners"}), **files)
