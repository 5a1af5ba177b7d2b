"""export (publish): the release. What is already published, whole, is not written again."""

import importlib.metadata
import json
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import yaml
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.errors import Refused
from schemas.frozen import Frozen
from schemas.manifests import Context, ReleaseManifest, State, Step
from schemas.recipe import Recipe
from schemas.stages import Detect, Export, Split
from schemas.tables import ANNOTATIONS, IMAGES, LEDGER, SCREEN, as_written
from tasks import caching
from tasks.core import evaluate, tables
from tasks.core.export import annotations, card, coco, digest, images, ledger, report
from tasks.io import contracts, folders, releases
from tasks.io import images as images_in
from tasks.io.images import PHASH
from tasks.io.store import Store
from tasks.keys import code_of, key_of

CODE = code_of(annotations, card, coco, digest, evaluate, images, ledger, releases)
_ROWS_PER_PART = 1_000_000
_NO_LIMIT = 1_000_000_000  # pixels: a blob has passed the recipe's own limit
_LIBRARIES = ("bilderatlas", "pyarrow", "pillow", "imagehash", "numpy", "onnxruntime")


class _Shown(Frozen):
    """Everything that a publication shows: digests of tables, and the recipe."""

    recipe: Recipe
    tables: tuple[str, ...]
    contract: str


@dataclass(frozen=True)
class _Content:
    """The tables of a release, images without their bytes."""

    images: pa.Table
    annotations: pa.Table
    ledger: pa.Table


@task(task_run_name="{settings.label}", cache_policy=NO_CACHE, **caching.ONCE)
def export(settings: Export, state: State, recipe: Recipe, context: Context) -> Step:
    """Publish what the tables show, unless that very release is there and whole.

    Raises Refused, with nothing published, if no image is left, or the same recipe lost more than its gate allows.
    """
    store = caching.opened(context)
    ids = caching.kept_ids(store, state)
    if state.pending:
        return caching.planned(
            store,
            state,
            "publish",
            settings.label,
            "export",
            tables.outcome(SCREEN, ids),
            computed=1,
            pending=state.pending,
        )
    previous = releases.predecessor(store, recipe.name)
    _check_gates(recipe, previous, len(ids))
    memory = _memory(store, state, recipe, previous)
    memory_ref = store.write_table("outcomes/memory", memory)
    refs = (state.records, state.figures, memory_ref, *(step.outcome for step in state.steps))
    shown = _Shown(recipe=recipe, tables=tuple(ref.sha256 for ref in refs), contract=contracts.text())

    def content() -> _Content:
        return _content(store, settings, state, recipe, memory, context)

    ref, _ = caching.decided(store, "publication", shown, CODE, memory, lambda: _publication(content(), recipe))
    version = store.read_table(ref)["version"][0].as_py()
    release = releases.opened(store, recipe.name, version)
    is_new = release is None or not release.is_intact()
    if is_new and not context.plan:
        release = releases.Release(_published(store, settings, state, recipe, content(), previous))
    if not context.plan and recipe.limit is None:
        releases.point_latest(store, recipe.name, version)
    step = caching.step(
        store, "publish", settings.label, "export", ids, tables.outcome(SCREEN, ids), computed=int(is_new)
    )
    return step.model_copy(update={"release": release.url if release else "", "notes": _notes(release)})


def _check_gates(recipe: Recipe, previous: releases.Release | None, kept: int) -> None:
    if not kept:
        raise Refused(
            "export: expected at least one image to publish, got none: every record was dropped (see the table above)"
        )
    if previous is None or recipe.limit is not None or previous.manifest.recipe_sha256 != _recipe_sha256(recipe):
        return  # another recipe may keep as few as its author wants
    before = int(str(previous.manifest.counts["kept"]))
    if kept < before * (1 - recipe.max_loss_fraction):
        raise Refused(
            f"export: expected at least {1 - recipe.max_loss_fraction:.0%} of the {before} images of release {previous.manifest.version}, "
            f"got {kept}: nothing is published; if that is right, raise max_loss_fraction"
        )


def _memory(store: Store, state: State, recipe: Recipe, previous: releases.Release | None) -> pa.Table:
    if previous is None:
        return LEDGER.empty_table()
    records = store.read_table(state.records)["record_id"]
    same = previous.manifest.split_sha256 == _split_sha256(recipe)
    copies = ledger.splits_of_copies([store.read_table(step.outcome) for step in state.steps[1:]])
    return ledger.remembered(previous.ledger(), records, caching.kept_ids(store, state), copies, same_splits=same)


def _content(
    store: Store, settings: Export, state: State, recipe: Recipe, memory: pa.Table, context: Context
) -> _Content:
    ids = caching.kept_ids(store, state)
    outcomes = [(step.label, store.read_table(step.outcome)) for step in state.steps]
    book = ledger.ledger(store.read_table(state.records), outcomes[1:], memory)
    columns = {
        "record_id": ids,
        "image_id": tables.looked_up(book, "record_id", ids)["image_id"],
        **_named(caching.columns(store, state.records, ids, images.FROM_RECORDS)),
        **_named(caching.columns(store, state.outcome("fetch"), ids, ("sha256", "retrieved_at"))),
        **_named(caching.columns(store, state.outcome("hash"), ids, ("phash", "width_px", "height_px", "format"))),
        **_named(caching.columns(store, state.outcome("split"), ids, ("group_id", "split"))),
    }
    shown = images.images(columns, is_embedded=settings.parquet.images == "embedded", is_media=settings.media)
    boxes = [("source", "source", store.read_table(state.figures))]
    for stage in recipe.stages:
        if isinstance(stage, Detect):
            name = f"{stage.layout}@{folders.file_sha256(stage.weights, context.bindings[stage.weights])[:12]}"
            found = caching.columns(store, state.outcome("detect"), ids, ["figures"])
            boxes.append(("detector", name, pa.table({"record_id": ids, "figures": found["figures"]})))
    return _Content(shown, annotations.annotations(shown, boxes, recipe.categories), book)


def _publication(content: _Content, recipe: Recipe) -> pa.Table:
    """One row: the digest of each table, of all content, and the version."""
    digests = {name: digest.table_digest(getattr(content, name).to_batches()) for name in digest.KEYS}
    whole = digest.content_digest(digests)
    version = digest.version(whole, _recipe_sha256(recipe), str(contracts.contract()["version"]))
    return pa.table({**{name: [value] for name, value in digests.items()}, "content": [whole], "version": [version]})


def _published(
    store: Store, settings: Export, state: State, recipe: Recipe, content: _Content, previous: releases.Release | None
) -> str:
    """Write all files beside, then show them; the release's URL."""
    row = _publication(content, recipe).to_pylist()[0]
    splits = [split for stage in recipe.stages if isinstance(stage, Split) for split in stage.ratios]
    info = {
        "description": recipe.title or recipe.name,
        "version": row["version"],
        "bbox": "x_min, y_min, width, height in px of the upright image",
    }
    with releases.Draft(store) as draft:
        pairs = []
        for split in splits:
            shown = content.images.filter(pc.equal(content.images["split"], split))
            boxes = content.annotations.filter(pc.equal(content.annotations["split"], split))
            _write_images(draft, store, settings, split, shown)
            _write_annotations(draft, split, boxes)
            pairs.append(
                (coco.document(shown, boxes, recipe.categories, settings.coco.score, info), coco.detections(boxes))
            )
            draft.write_json(f"coco/{split}.json", pairs[-1][0])
            draft.write_json(f"coco/{split}.detections.json", pairs[-1][1])
        scores = evaluate.box_scores([pair for pair in pairs if pair[0]["info"]["annotation_origin"] == "people"])
        draft.write_json("evaluation.json", scores)
        draft.write_parquet("ledger.parquet", [content.ledger], LEDGER)
        draft.write(
            "recipe.yaml", yaml.safe_dump(recipe.model_dump(mode="json"), sort_keys=False, allow_unicode=True).encode()
        )
        draft.write("contract.yaml", contracts.text().encode())
        manifest = _manifest(draft, recipe, content, row, previous)
        rights = {
            entry["values"]: entry["counts"] for entry in pc.value_counts(content.images["rights_uri"]).to_pylist()
        }
        draft.write("README.md", card.card(recipe, manifest, state.steps, rights, scores).encode())
        draft.write("report.html", _report(store, recipe, manifest, state, content).encode())
        return draft.publish(manifest.model_copy(update={"files": dict(sorted(draft.files.items()))}))


def _report(store: Store, recipe: Recipe, manifest: ReleaseManifest, state: State, content: _Content) -> str:
    """The page to look at, with thumbnails of the few images that it shows."""
    kept, copies = report.shown_records(content.ledger.to_pylist())
    shown = tables.looked_up(content.images, "record_id", pa.chunked_array([pa.array(kept, pa.string())])).to_pylist()
    by_people = any(row["is_annotated"] for row in shown)
    boxes: dict[int, list[list[float]]] = {}
    for row in content.annotations.filter(
        pc.is_in(content.annotations["record_id"], value_set=pa.array(kept, pa.string()))
    ).to_pylist():
        if (row["origin"] != "detector") if by_people else row["score"] >= 0.5:
            boxes.setdefault(row["image_id"], []).append(row["xywh_px"])
    wanted = {row["kept_record_id"] for row in copies}
    stays = {
        row["record_id"]: row["sha256"]
        for row in content.ledger.select(["record_id", "sha256"]).to_pylist()
        if row["record_id"] in wanted
    }
    thumbnails = {
        sha256: report.Thumbnail(picture.thumbnail_uri(), picture.width_px, picture.height_px)
        for sha256 in {*(row["sha256"] for row in (*shown, *copies)), *stays.values()}
        for picture in [images_in.picture(store.read_blob(sha256), _NO_LIMIT)]
    }
    return report.report(recipe.title or recipe.name, manifest, state.steps, shown, boxes, copies, stays, thumbnails)


def _manifest(
    draft: releases.Draft, recipe: Recipe, content: _Content, row: dict[str, str], previous: releases.Release | None
) -> ReleaseManifest:
    before = previous.manifest if previous else None
    if before is not None and before.version == row["version"]:  # written again in place of itself
        lineage, predecessor = before.lineage, before.previous
    else:
        is_heir = before is not None and before.split_sha256 == _split_sha256(recipe)
        lineage = before.lineage + (not is_heir) if before else 1
        predecessor = before.version if before else None
    return ReleaseManifest(
        name=recipe.name, version=row["version"], previous=predecessor, lineage=lineage, split_sha256=_split_sha256(recipe),
        contract_version=str(contracts.contract()["version"]), content_sha256=row["content"], recipe_sha256=_recipe_sha256(recipe),
        counts=ledger.counts(content.ledger), content={name: row[name] for name in sorted(digest.KEYS)}, files=draft.files,
        environment={
            "python": platform.python_version(), "platform": platform.platform(), "phash": PHASH,
            **{name: importlib.metadata.version(name) for name in _LIBRARIES},
        },
    )  # fmt: skip


def _write_images(draft: releases.Draft, store: Store, settings: Export, split: str, shown: pa.Table) -> None:
    shas = shown["sha256"].to_pylist()
    if settings.media:
        for sha256, path in zip(shas, pc.struct_field(shown["image"], "path").to_pylist(), strict=True):
            draft.write(path, store.read_blob(sha256))
    sizes = store.blob_sizes()
    weights = [sizes[sha256] if settings.parquet.images == "embedded" else 0 for sha256 in shas]
    for number, groups in enumerate(
        images.files(weights, settings.parquet.row_group_bytes, settings.parquet.part_bytes)
    ):
        draft.write_parquet(
            f"images/split={split}/part-{number:05}.parquet", _groups(store, shown, groups), as_written(IMAGES)
        )


def _groups(store: Store, shown: pa.Table, ranges: list[tuple[int, int]]) -> Iterator[pa.Table]:
    """Row groups with the bytes filled in, one in memory at a time."""
    place = shown.schema.get_field_index("image")
    for start, stop in ranges:
        rows = shown.slice(start, stop - start)
        image = [
            {"bytes": store.read_blob(entry["bytes"]) if entry["bytes"] else None, "path": entry["path"]}
            for entry in rows["image"].to_pylist()
        ]
        yield rows.set_column(place, IMAGES.field("image"), pa.array(image, IMAGES.field("image").type)).cast(
            as_written(IMAGES)
        )


def _write_annotations(draft: releases.Draft, split: str, boxes: pa.Table) -> None:
    for number, start in enumerate(range(0, max(boxes.num_rows, 1), _ROWS_PER_PART)):
        part = boxes.slice(start, _ROWS_PER_PART).cast(as_written(ANNOTATIONS))
        draft.write_parquet(f"annotations/split={split}/part-{number:05}.parquet", [part], as_written(ANNOTATIONS))


def _notes(release: releases.Release | None) -> tuple[str, ...]:
    """What the release says of the detector, if people have annotated images too."""
    if release is None or "evaluation.json" not in release.manifest.files:
        return ()
    scores: dict[str, Any] = json.loads(release.read("evaluation.json"))
    if scores["AP"] is None:
        return ()
    return (
        f"detector against people's boxes, {scores['images']} annotated images, {scores['figures']} figures: "
        f"AP {scores['AP']:.3f}, AP50 {scores['AP50']:.3f}, AR100 {scores['AR100']:.3f}",
    )


def _named(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    return {name: table[name] for name in table.column_names}


def _recipe_sha256(recipe: Recipe) -> str:
    return key_of(recipe=recipe)


def _split_sha256(recipe: Recipe) -> str:
    return next(key_of(split=stage) for stage in recipe.stages if isinstance(stage, Split))
