"""The files of a release: written to a draft from tables and blobs, then published as a whole."""

import importlib.metadata
import platform
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import yaml

from schemas.attributes import with_attribute_columns
from schemas.contract import ATTRIBUTION, CROISSANT, DATASHEET, SUMS, schema_path
from schemas.detect import Detect
from schemas.manifests import ReleaseManifest
from schemas.release import ReleaseRecipe
from schemas.tables import (
    CATEGORIES,
    COCO_FILES,
    EDGES,
    FINGERPRINTS,
    LABELS,
    LEDGER,
    RECORDS,
    TAKEDOWNS,
    TOMBSTONES,
)
from tasks.core.attribute_statistics import AttributeSummary, summaries
from tasks.core.coco import document
from tasks.core.evaluate.scores import Scores, detector_scores
from tasks.core.export import card, digest, labels, ledger
from tasks.core.export.attribution import attribution_page
from tasks.core.export.datasheet import datasheet
from tasks.core.export.hub import card_head, with_head
from tasks.core.export.responsible_ai import FACTS_FROM, collection_facts
from tasks.core.export.summary import summarized
from tasks.engine.cache_keys import is_same_split, split_sha256
from tasks.engine.views import columns_of
from tasks.export import parts
from tasks.export.content import Content, ReleaseBuild, recipe_sha256
from tasks.export.fingerprints import HashesOf, fingerprints
from tasks.export.other_tables import OtherTables, known_records, write_statistics
from tasks.io.files import contracts
from tasks.io.images.inspection import PHASH
from tasks.io.store import datasets, releases
from tasks.io.store.drafts import Draft
from tasks.io.store.releases import Release
from tasks.subjects.croissant import croissant_file

_LIBRARIES = ("bilderatlas", "pyarrow", "pillow", "imagehash", "numpy", "onnxruntime")


ReportPage = Callable[
    [ReleaseBuild, ReleaseManifest, Content, OtherTables, Sequence[AttributeSummary], Mapping[str, int]], str
]
"""The report of a build: see `tasks.export.report.report_page`."""
WritesBeside = Callable[[Draft, ReleaseBuild, Release], None]
"""Writes files into a draft of a build, of which the tables can be read as a release's."""


def write_release(
    build: ReleaseBuild,
    content: Content,
    others: OtherTables,
    row: Mapping[str, str],
    hashes_of: HashesOf,
    beside: Sequence[WritesBeside],
    report_page: ReportPage,
) -> str:
    """Write all files to a draft, then publish it; the release's URL. row: the one of `publication`. beside: what
    writes further files, once the tables are there.
    """
    recipe = build.recipe
    promised = contracts.with_attributes(contracts.contracts(), recipe.attributes)
    with Draft(build.store, promised) as draft:
        _write_splits(draft, build, content, row["version"])
        scores = _scores(build, content)
        if scores is not None:
            draft.write_json("evaluation.json", scores)
        _write_other_tables(draft, build, content, others)
        pieces = fingerprints(recipe, content.images, hashes_of)
        draft.write_parquet("fingerprints.parquet", pieces, FINGERPRINTS, ["image_id"])
        draft.write_chunks(ATTRIBUTION, attribution_page(content.images))
        draft.write("recipe.yaml", _yaml(recipe.model_dump(mode="json")).encode())
        for path, text in contracts.texts(recipe.attributes).items():
            draft.write(path, text.encode())
        for table, schema in contracts.arrow_schemas(recipe.attributes).items():
            draft.write(schema_path(table), schema.serialize().to_pybytes())
        so_far = draft.as_release(_manifest(build, draft, content, row))
        for write in beside:
            write(draft, build, so_far)
        manifest = _manifest(build, draft, content, row)
        declared = summaries(others.attributes, recipe.attributes, content.images.num_rows)
        diversity = others.statistics.diversity
        summary = summarized(content.images, content.annotations, content.detections.num_rows, content.ledger)
        text = card.card(recipe, manifest, build.state.steps, summary, scores, diversity, declared)
        head = card_head(recipe, summary, manifest.files, so_far.part_schemas())
        draft.write("README.md", with_head(head, text).encode())
        draft.write(DATASHEET, datasheet(recipe, manifest, summary).encode())
        report = report_page(build, manifest, content, others, declared, summary.rights)
        draft.write("report.html", report.encode())
        facts = collection_facts({table: getattr(content, table) for table in FACTS_FROM})
        written = ReleaseRecipe.model_validate(recipe.model_dump(mode="json"))  # as whoever reads the release has it
        draft.write(CROISSANT, croissant_file(written, manifest, facts))
        draft.write(SUMS, digest.sums(draft.files).encode())
        return draft.publish(digest.sealed(manifest.model_copy(update={"files": dict(sorted(draft.files.items()))})))


def _write_splits(draft: Draft, build: ReleaseBuild, content: Content, version: str) -> None:
    store, settings, recipe = build.store, build.settings, build.recipe
    info = document.release_info(recipe.title or recipe.name, version)
    images, categories = content.images, recipe.coco_categories
    with_keypoints = document.keypoint_categories(content.annotations)
    names = {f"{column}_label": labels.names_of(content.labels, column) for column in labels.COLUMNS}
    shards = parts.write_images(draft, store, store.blob_sizes(), settings, recipe.split.splits, images, names)
    for split in recipe.split.splits:
        for table in ("annotations", "detections"):
            rows, words = getattr(content, table), recipe.category_names
            parts.write_boxes(draft, table, split, rows, shards[split], words)
        drawn, detected = (_of_split(table, split) for table in (content.annotations, content.detections))
        if len(places := document.annotated_places(images, split)):
            chunks = document.document_chunks(images, drawn, categories, info, places, with_keypoints)
            draft.write_chunks(f"coco/{split}.json", chunks)
        if len(places := document.annotated_places(images, split, is_annotated=False)):
            chunks = document.unannotated_chunks(images, categories, info, places)
            draft.write_chunks(f"coco/{split}.unannotated.json", chunks)
        if recipe.stages_of(Detect):
            chunks = document.results_chunks(detected, settings.coco.score)
            draft.write_chunks(f"coco/{split}.detections.json", chunks)


def _of_split(table: pa.Table, split: str) -> pa.Table:
    return table.filter(pc.equal(table["split"], split))


def _write_other_tables(draft: Draft, build: ReleaseBuild, content: Content, others: OtherTables) -> None:
    store, recipe = build.store, build.recipe
    draft.write_table("ledger.parquet", content.ledger, LEDGER, ["record_id"])
    draft.write_table("labels.parquet", content.labels, LABELS, ["column", "label"])
    if content.coco_files.num_rows:
        draft.write_table("coco_files.parquet", content.coco_files, COCO_FILES, ["source"])
    known = with_attribute_columns(RECORDS, recipe.attributes)
    draft.write_parquet("records.parquet", known_records(store, build.state, content.ledger), known, ["record_id"])
    categories = document.category_table(recipe.coco_categories)
    draft.write_table("categories.parquet", categories, CATEGORIES, ["category_id"])
    draft.write_table("relations.parquet", others.relations, EDGES, ["a", "b"])
    if others.takedowns.num_rows:
        draft.write_table("takedowns.parquet", others.takedowns, TAKEDOWNS, ["record_id"])
    if (stones := others.tombstones).num_rows:
        # some may have come with a release from another store
        if not stones.equals(datasets.read_tombstones(store, recipe.name)):
            datasets.write_tombstones(store, recipe.name, stones)
        draft.write_table("tombstones.parquet", stones, TOMBSTONES, ["record_id"])
    write_statistics(draft, others)


def _yaml(value: object, **options: Any) -> str:
    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, **options))


def _scores(build: ReleaseBuild, content: Content) -> Scores | None:
    """The scores of the build's detector against people's boxes: of images that both have looked at."""
    outcome, recipe = build.state.outcome("detect"), build.recipe
    if outcome is None:
        return None
    # None where bound results do not list an image
    found = columns_of(build.store, outcome, content.images["record_id"], ["figures"])["figures"]
    images = content.images.filter(pc.and_(pc.is_valid(found), content.images["is_annotated"]))
    if not images.num_rows:
        return None
    tables_of = images, content.annotations, content.detections
    return detector_scores(*tables_of, recipe.coco_categories, recipe.looked_for)


def _manifest(build: ReleaseBuild, draft: Draft, content: Content, row: Mapping[str, str]) -> ReleaseManifest:
    recipe = build.recipe
    itself = releases.find_release(build.store, recipe.name, row["version"])
    before = build.previous.manifest if build.previous else None
    heir_of: ReleaseManifest | None = None
    predecessor = before.version if before else None
    if itself is not None and itself.manifest.version == row["version"]:  # written again in place of itself
        heir_of, predecessor = itself.manifest, itself.manifest.previous
    elif before is not None and is_same_split(recipe.split, before.split_sha256):
        heir_of = before
    return ReleaseManifest(
        name=recipe.name,
        version=row["version"],
        previous=predecessor,
        lineage=heir_of.lineage if heir_of else build.state.previous.lineage + 1,
        split_sha256=heir_of.split_sha256 if heir_of else split_sha256(recipe.split),
        contract_version=contracts.version(),
        content_sha256=row["content"],
        recipe_sha256=recipe_sha256(recipe, build.context),
        counts=ledger.counts(content.ledger),
        content={name: row[name] for name in sorted(content.tables)},
        files=dict(sorted(draft.files.items())),
        environment={
            "python": platform.python_version(),
            "platform": platform.platform(),
            "phash": PHASH,
            **{name: importlib.metadata.version(name) for name in _LIBRARIES},
        },
    )
