"""The files of a release: written to a draft from tables and blobs, then published as a whole."""

import importlib.metadata
import platform
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import yaml

from schemas.attributes import with_attribute_columns
from schemas.manifests import Context, Predecessor, ReleaseManifest, State
from schemas.recipe import Recipe
from schemas.sample import Sample
from schemas.stages import Dedup, Export
from schemas.tables import CATEGORIES, COCO_FILES, EDGES, LEDGER, RECORDS, TAKEDOWNS, TOMBSTONES
from tasks.core import sample, tables
from tasks.core.attribute_statistics import summaries
from tasks.core.coco import document
from tasks.core.coco.document import category_table
from tasks.core.dedup.preferences import preferences
from tasks.core.evaluate.scores import Scores, release_scores
from tasks.core.export import card, digest, ledger
from tasks.core.names.spellings import Name, field_of_column, joined_names
from tasks.core.report import clusters, page, sections, thumbnails
from tasks.core.split import decide as split_decision
from tasks.core.split import drift
from tasks.core.strata import stratum_column
from tasks.engine import thumbnails as stored_thumbnails
from tasks.engine.cache_keys import is_same_split, split_sha256
from tasks.engine.views import columns_of, copy_preferences, grouping_values, metadata_counts
from tasks.export import parts
from tasks.export.content import Content, publication, recipe_sha256
from tasks.export.other_tables import OtherTables, ids_before_the_draw, known_records, write_statistics
from tasks.io.files import contracts
from tasks.io.images.inspection import PHASH
from tasks.io.store import datasets, releases
from tasks.io.store.drafts import Draft
from tasks.io.store.store import Store
from tasks.subjects.previous import open_predecessor
from tasks.subjects.roles import roles_of

_RECORD_FIELDS = ("title", "artist", "source", "source_url", "rights_uri")
_LIBRARIES = ("bilderatlas", "pyarrow", "pillow", "imagehash", "numpy", "onnxruntime")


def write_release(
    store: Store,
    settings: Export,
    state: State,
    recipe: Recipe,
    content: Content,
    others: OtherTables,
    context: Context,
) -> str:
    """Write all files to a draft, then publish it; the release's URL."""
    row = publication(content, recipe, context).to_pylist()[0]
    promised = contracts.with_attributes(contracts.contracts(), recipe.attributes)
    with Draft(store, promised) as draft:
        _write_splits(draft, store, settings, recipe, content, row["version"])
        scores = _scores(store, state, recipe, content)
        if scores is not None:
            draft.write_json("evaluation.json", scores)
        _write_other_tables(draft, store, state, recipe, content, others)
        draft.write("recipe.yaml", _yaml(recipe.model_dump(mode="json")).encode())
        for path, text in contracts.texts(recipe.attributes).items():
            draft.write(path, text.encode())
        manifest = _manifest(store, draft, recipe, content, row, state.previous, context)
        draft.write("README.md", _card(recipe, manifest, state, content, scores, others).encode())
        report = _report(store, recipe, manifest, state, content, settings.coco.score, others, context)
        draft.write("report.html", report.encode())
        return draft.publish(digest.sealed(manifest.model_copy(update={"files": dict(sorted(draft.files.items()))})))


def _write_splits(draft: Draft, store: Store, settings: Export, recipe: Recipe, content: Content, version: str) -> None:
    info = document.release_info(recipe.title or recipe.name, version)
    parts.write_images(draft, store, store.blob_sizes(), settings, recipe.split.splits, content.images)
    for split in recipe.split.splits:
        parts.write_annotations(draft, split, content.annotations)
        boxes = content.annotations.filter(pc.equal(content.annotations["split"], split))
        places = pa.array(np.flatnonzero(pc.equal(content.images["split"], split)))
        chunks = document.document_chunks(
            content.images, boxes, recipe.coco_categories, settings.coco.score, info, places
        )
        draft.write_chunks(f"coco/{split}.json", chunks)
        draft.write_chunks(f"coco/{split}.detections.json", document.results_chunks(boxes))


def _write_other_tables(
    draft: Draft, store: Store, state: State, recipe: Recipe, content: Content, others: OtherTables
) -> None:
    draft.write_table("ledger.parquet", content.ledger, LEDGER, ["record_id"])
    if content.coco_files.num_rows:
        draft.write_table("coco_files.parquet", content.coco_files, COCO_FILES, ["source"])
    known = with_attribute_columns(RECORDS, recipe.attributes)
    draft.write_parquet("records.parquet", known_records(store, state, content.ledger), known, ["record_id"])
    categories = category_table(recipe.coco_categories)
    draft.write_table("categories.parquet", categories, CATEGORIES, ["category_id"])
    draft.write_table("relations.parquet", others.relations, EDGES, ["a", "b"])
    if others.takedowns.num_rows:
        draft.write_table("takedowns.parquet", others.takedowns, TAKEDOWNS, ["record_id"])
    if (stones := others.tombstones).num_rows:
        # some may have come with a release from another store
        if not stones.equals(datasets.read_tombstones(store, recipe.name)):
            datasets.write_tombstones(store, recipe.name, stones)
        draft.write_table("tombstones.parquet", stones, TOMBSTONES, ["record_id"])
    write_statistics(draft, others.statistics, others.attributes, others.unread)


def _card(
    recipe: Recipe,
    manifest: ReleaseManifest,
    state: State,
    content: Content,
    scores: Scores | None,
    others: OtherTables,
) -> str:
    counted = pc.value_counts(content.images["rights_uri"]).to_pylist()
    rights = {entry["values"]: entry["counts"] for entry in counted}
    head = _yaml(card.card_head(recipe.title or recipe.name, manifest.files, rights), width=1000)
    declared = summaries(others.attributes, recipe.attributes, content.images.num_rows)
    text = card.card(recipe, manifest, state.steps, rights, scores, others.statistics.diversity, declared)
    return f"---\n{head}---\n\n{text}"


def _yaml(value: object, **options: Any) -> str:
    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, **options))


def _scores(store: Store, state: State, recipe: Recipe, content: Content) -> Scores | None:
    """The scores of the build's detector against people's boxes: of images that both have looked at."""
    outcome = state.outcome("detect")
    if outcome is None:
        return None
    # None where bound results do not list an image
    found = columns_of(store, outcome, content.images["record_id"], ["figures"])["figures"]
    images = content.images.filter(pc.and_(pc.is_valid(found), content.images["is_annotated"]))
    if not images.num_rows:
        return None
    boxes = content.annotations.filter(pc.is_in(content.annotations["image_id"], value_set=images["image_id"]))
    truth = document.split_document(images, boxes, recipe.coco_categories, 0.0, {})
    looked_at = set(images["image_id"].to_pylist())
    return release_scores([(truth, document.split_results(boxes))], looked_at, _looked_for(recipe))


def _looked_for(recipe: Recipe) -> set[int]:
    return {number for number, name in enumerate(recipe.category_names, 1) if name in recipe.looked_for}


def _manifest(
    store: Store,
    draft: Draft,
    recipe: Recipe,
    content: Content,
    row: dict[str, str],
    chosen: Predecessor,
    context: Context,
) -> ReleaseManifest:
    previous = open_predecessor(store, recipe, chosen)
    itself = releases.find_release(store, recipe.name, row["version"])
    before = previous.manifest if previous else None
    if itself is not None and itself.manifest.version == row["version"]:  # written again in place of itself
        heir_of: ReleaseManifest | None = itself.manifest
        predecessor = itself.manifest.previous
    else:
        heir_of = before if before is not None and is_same_split(recipe.split, before.split_sha256) else None
        predecessor = before.version if before else None
    return ReleaseManifest(
        name=recipe.name,
        version=row["version"],
        previous=predecessor,
        lineage=heir_of.lineage if heir_of else chosen.lineage + 1,
        split_sha256=heir_of.split_sha256 if heir_of else split_sha256(recipe.split),
        contract_version=contracts.version(),
        content_sha256=row["content"],
        recipe_sha256=recipe_sha256(recipe, context),
        counts=ledger.counts(content.ledger),
        content={name: row[name] for name in sorted(content.tables)},
        files=draft.files,
        environment={
            "python": platform.python_version(),
            "platform": platform.platform(),
            "phash": PHASH,
            **{name: importlib.metadata.version(name) for name in _LIBRARIES},
        },
    )


def _report(
    store: Store,
    recipe: Recipe,
    manifest: ReleaseManifest,
    state: State,
    content: Content,
    least_score: float,
    others: OtherTables,
    context: Context,
) -> str:
    """The page to look at, with the stored thumbnails of the few images that it shows."""
    kept = page.sample_records(content.ledger)
    images = tables.lookup(content.images, "record_id", pa.chunked_array([pa.array(kept, pa.string())])).to_pylist()
    reviewed = clusters.select_for_review(others.relations, content.ledger)
    facts = _facts(store, recipe, state, [*kept, *reviewed.record_ids()])
    boxes = _boxes(content.annotations, kept, least_score, by_people=any(row["is_annotated"] for row in images))
    sizes = {row["sha256"]: (row["width_px"], row["height_px"]) for row in facts.values()}
    places = stored_thumbnails.ensure_thumbnails(pa.array(sorted(sizes), pa.string()), context, "report")
    thumbnail_of = {
        sha256: thumbnails.jpeg_thumbnail(jpeg, *sizes[sha256])
        for sha256, jpeg in stored_thumbnails.jpegs(store, places)
    }
    return page.report(
        recipe.title or recipe.name,
        manifest,
        state.steps,
        images,
        boxes,
        reviewed,
        facts,
        thumbnail_of,
        others.statistics,
        sections.detector(content.images, content.annotations, recipe.category_names),
        sections.attributes(summaries(others.attributes, recipe.attributes, content.images.num_rows)),
        "\n".join((_groups(store, state, recipe, content.images), sections.unread(others.unread))),
    )


def _boxes(
    annotations: pa.Table, record_ids: list[str], least_score: float, *, by_people: bool
) -> dict[int, list[list[float]]]:
    """xywh_px of these records by image_id: people's, where they have drawn any in what is shown, else the detector's
    good ones.
    """
    found: dict[int, list[list[float]]] = {}
    mine = pc.is_in(annotations["record_id"], value_set=pa.array(record_ids, pa.string()))
    for row in annotations.filter(mine).to_pylist():
        if (row["origin"] != "detector") if by_people else row["score"] >= least_score:
            found.setdefault(row["image_id"], []).append(row["xywh_px"])
    return found


def _facts(store: Store, recipe: Recipe, state: State, record_ids: list[str]) -> dict[str, dict[str, Any]]:
    ids = pa.chunked_array([pa.array(sorted(set(record_ids)), pa.string())])
    known = [
        columns_of(store, state.records, ids, (*_RECORD_FIELDS, "is_annotated")),
        columns_of(store, state.outcome("fetch"), ids, ("sha256", "bytes")),
        columns_of(store, state.outcome("hash"), ids, ("width_px", "height_px", "format")),
    ]
    rows = [
        dict(chain.from_iterable(row.items() for row in of))
        for of in zip(*(table.to_pylist() for table in known), strict=True)
    ]
    # of several stages that choose among copies, the last one's word
    prefer = next((stage.prefer for stage in reversed(recipe.stages_of(Dedup)) if stage.prefer), ())
    counted = {
        "metadata": metadata_counts(store, state, ids),
        "preference": preferences(copy_preferences(store, state, prefer, ids)),
    }
    return {
        name: {**row, "record_id": name, **{field: int(values[place]) for field, values in counted.items()}}
        for place, (name, row) in enumerate(zip(ids.to_pylist(), rows, strict=True))
    }


def _groups(store: Store, state: State, recipe: Recipe, images: pa.Table) -> str:
    """The page's HTML. images: record_id and split of the release."""
    ids = images["record_id"]
    known = grouping_values(store, state, recipe, ids, recipe.split.by)
    strata = {stratum_column(field): values for field, values in known.items()}
    is_query = pc.fill_null(pc.not_equal(roles_of(store, recipe, state, ids), "gallery"), True)
    view = pa.table({"record_id": ids, **strata}).filter(is_query)
    found, _ = drift.gaps(view, images["split"].filter(is_query), recipe.split)
    return f"{sections.empty_splits(found)}\n{sections.spellings(_names(store, state, recipe))}"


def _names(store: Store, state: State, recipe: Recipe) -> list[Name]:
    """Names in several spellings, of fields by which the recipe draws or divides, in what the draw chose from."""
    draws = (sample.name_columns(stage) for stage in recipe.stages_of(Sample))
    columns = {
        column: field_of_column(column) for of in (*draws, split_decision.name_columns(recipe.split)) for column in of
    }
    known = grouping_values(store, state, recipe, ids_before_the_draw(store, state), set(columns.values()))
    return joined_names(pa.table({column: known[field] for column, field in columns.items()}), [*columns])
