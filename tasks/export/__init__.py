"""export (publish): the release. A release that is already published and intact is not written again."""

import functools
import hashlib
from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError

from schemas.base import Frozen
from schemas.errors import DamagedFile, Refusal, WorkToDo
from schemas.export import Export
from schemas.manifests import Context, State, Step
from schemas.phrases import and_more
from schemas.reasons import PASSING, Reason
from schemas.recipe import Recipe
from schemas.stages import with_scores_as_published
from schemas.tables import LEDGER, SCREEN
from tasks.core import moved_ids, tables
from tasks.core.coco.document import category_table
from tasks.core.export import ledger
from tasks.core.split import decide
from tasks.engine import runs, steps
from tasks.engine.cache_keys import is_same_split
from tasks.engine.rendition_parts import ensure_renditions
from tasks.engine.steps import decide_once
from tasks.engine.views import kept_ids
from tasks.export.changes import write_changes
from tasks.export.content import (
    CODE,
    Content,
    ReleaseBuild,
    content,
    detector_names,
    known_labels,
    publication,
    recipe_sha256,
    settings_sha256,
)
from tasks.export.files import write_release
from tasks.export.formats import write_formats
from tasks.export.other_tables import OtherTables, other_tables
from tasks.export.report import report_page
from tasks.io.files import contracts
from tasks.io.files.lmdb_files import check_lmdb
from tasks.io.store import releases
from tasks.io.store.layout import outcome_folder
from tasks.io.store.store import parquet_bytes
from tasks.subjects import by_hand
from tasks.subjects import previous as lineage
from tasks.subjects.promises import broken_promises
from tasks.subjects.roles import roles_by_id
from tasks.subjects.view_hashes import ensure_view_hashes

_SHOWN_PROBLEMS = 10
_ASKED_OF_RECORDS = ("record_id", "source")
"""The columns of the widest table that rules ask for."""


class PublicationInputs(Frozen):
    """Everything that decides the content of a release: digests of tables, and the recipe."""

    recipe: Recipe
    recipe_sha256: str
    tables: tuple[str, ...]
    labels: str
    contract: dict[str, str]
    detectors: tuple[str, ...]


def export(settings: Export, state: State, recipe: Recipe, context: Context) -> Step:
    """Publish what the tables show, unless that very release is there and whole. Raises Refusal, with nothing
    published, if no image is left, a gate of the recipe does not allow it, or a rule of the contract is broken.
    """
    store = runs.store_of(context)
    if any(form.layout == "lsun" for form in settings.formats):
        check_lmdb()
    ids = kept_ids(store, state)
    if state.pending:
        return steps.planned_step(store, settings, tables.outcome(SCREEN, ids), computed=1, pending=state.pending)
    build = ReleaseBuild(
        store, settings, state, recipe, context, lineage.open_predecessor(store, recipe, state.previous)
    )
    _check_ids(build)
    _check_gates(build, len(ids))
    _check_transient(build)
    memory = _memory(build)
    files = () if state.coco_files is None else (state.coco_files,)
    memory_ref = store.write_table(outcome_folder("memory"), memory)
    refs = (state.records, state.figures, *files, memory_ref, *(step.outcome for step in state.steps))
    inputs = PublicationInputs(
        recipe=recipe,
        recipe_sha256=recipe_sha256(recipe, context),
        tables=tuple(ref.sha256 for ref in refs),
        labels=hashlib.sha256(parquet_bytes(known_labels(build))).hexdigest(),
        contract=contracts.texts(),
        detectors=detector_names(recipe, context),
    )

    release, is_new = _publish(build, inputs, memory)
    step = steps.step_of(store, settings, ids, tables.outcome(SCREEN, ids), computed=int(is_new))
    notes = (*by_hand.missing_inclusion_notes(store, state, recipe, context), *_notes(release))
    return step.model_copy(update={"release": release.url if release else "", "notes": notes})


def _publish(build: ReleaseBuild, inputs: PublicationInputs, memory: pa.Table) -> tuple[releases.Release | None, bool]:
    """The release (a plan has none that is not there yet), and whether it was not there, or damaged."""
    store, recipe, context, previous = build.store, build.recipe, build.context, build.previous
    is_rebuilt = previous is not None and previous.manifest.recipe_sha256 == inputs.recipe_sha256

    @functools.cache
    def whole() -> Content:
        if context.is_stored_only and not is_rebuilt:  # most likely it will be published, and be needed again then
            raise WorkToDo
        return content(build, memory)

    ref, _ = decide_once(store, "publication", inputs, CODE, memory, lambda: publication(whole(), inputs.recipe_sha256))
    (row,) = store.read_table(ref).to_pylist()
    version = row["version"]
    lineage.check_restored(recipe, build.state.previous, version)
    release = releases.find_release(store, recipe.name, version)
    is_new = release is None or not release.is_intact()
    is_publication = not context.plan and recipe.limit is None
    if is_publication:
        lineage.check_not_overtaken(store, recipe, build.state.previous, version)
    if is_new and context.is_stored_only:
        raise WorkToDo
    if is_new and not context.plan:
        others = other_tables(store, build.state, recipe, whole().images, whole().ledger, previous)
        pa.default_memory_pool().release_unused()
        _check_promises(build, whole(), others)
        if is_publication:
            releases.announce(store, recipe.name, version)
        hashes_of = functools.partial(ensure_view_hashes, context=context, label="export")
        ensure = functools.partial(ensure_renditions, context=context, label=build.settings.label)
        beside = (functools.partial(write_formats, ensure=ensure), write_changes)
        release = releases.Release(write_release(build, whole(), others, row, hashes_of, beside, report_page))
    if is_publication:
        lineage.check_not_overtaken(store, recipe, build.state.previous, version)  # again: to write it may take minutes
        releases.point_latest(store, recipe.name, version)
    return release, is_new


def _check_ids(build: ReleaseBuild) -> None:
    """Refuse to publish, by any recipe, where many images have other ids: readers and people's decisions go by them."""
    store, recipe, previous, ref = build.store, build.recipe, build.previous, build.state.outcome("fetch")
    if previous is None or recipe.limit is not None or ref is None:
        return
    fetched = store.read_table(ref, ["record_id", "sha256"])
    moves = lineage.moved_records(previous, store.read_table(build.state.records, moved_ids.MOVED_BY), fetched)
    if moved_ids.is_many(moves, recipe.max_renamed_fraction):
        raise Refusal(
            f"export: expected the images of release {previous.manifest.version} under their ids, got others: "
            f"{' '.join(moved_ids.moved_sentences(moves))} Nothing is published: {moved_ids.WAY_OUT}; then look "
            "through what names ids, such as lists by hand"
        )


def _check_gates(build: ReleaseBuild, kept: int) -> None:
    recipe, previous = build.recipe, build.previous
    if not kept:
        # a plan leaves no ledger
        for_each = "" if build.context.plan else ", and `bilderatlas why --last` for each record"
        raise Refusal(
            "export: expected at least one image to publish, got none: every record was dropped; the table says "
            f"why{for_each}"
        )
    if previous is None or recipe.limit is not None or not _is_same_recipe(previous, recipe, build.context):
        return  # another recipe may keep as few as its author wants
    ledger_before = previous.ledger()
    before = ledger_before.filter(ledger_before["kept"])["record_id"]
    if kept < len(before) * (1 - recipe.max_loss_fraction):
        raise Refusal(
            f"export: expected at least {1 - recipe.max_loss_fraction:.0%} of the {len(before)} images of release "
            f"{previous.manifest.version}, got {kept}; nothing is published. {_what_went(build, before)}: if "
            "the loss is right, raise max_loss_fraction"
        )


def _is_same_recipe(previous: releases.Release, recipe: Recipe, context: Context) -> bool:
    """Whether a release was built by this recipe, but for scores, which may follow from a screen since contract 2.2,
    and for settings that there were not yet: they have their defaults.
    """
    expected = previous.manifest.recipe_sha256
    if expected == recipe_sha256(recipe, context):
        return True
    try:
        said = previous.read_mapping("recipe.yaml")
        published = Recipe.model_validate(said)
    except (DamagedFile, ValidationError):
        return False
    has_same_files = expected == settings_sha256(said, recipe, context)
    stages = tuple(with_scores_as_published(recipe.stages, said["stages"]))
    as_published = recipe.model_copy(update={"stages": stages})
    return has_same_files and recipe_sha256(as_published, context) == recipe_sha256(published, context)


def _what_went(build: ReleaseBuild, before: pa.ChunkedArray) -> str:
    """Why images of the last release are not kept now: "Of its images 12 are dropped as not_found"."""
    store, state = build.store, build.state
    found: Counter[str] = Counter()
    spelled = 0
    for step in state.steps:
        outcome = store.read_table(step.outcome, ["record_id", "reason", "detail"])
        mine = outcome.filter(pc.and_(pc.is_in(outcome["record_id"], value_set=before), pc.is_valid(outcome["reason"])))
        found.update(mine["reason"].to_pylist())
        spelled += decide.joined_by_spelling(mine) if step.stage == "split" else 0
    if gone := len(before) - found.total() - pc.sum(pc.is_in(kept_ids(store, state), value_set=before)).as_py():
        found["gone"] += gone
    why = [f"{count} {reason}" for reason, count in sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))]
    also = f" ({spelled} of them only because spellings of one name count as one)" if spelled else ""
    return f"Of its images these are dropped now: {', '.join(why)}{also}"


def _check_transient(build: ReleaseBuild) -> None:
    """Refuse to publish where too many images failed for reasons that may be over in the next build."""
    most = build.recipe.max_transient_fraction
    failed = sum(step.dropped.get(str(reason), 0) for step in build.state.steps for reason in PASSING)
    listed = build.store.read_table(build.state.records, ["reason"])["reason"]
    wanted = len(listed) - pc.sum(pc.equal(listed, str(Reason.OVER_LIMIT)), min_count=0).as_py()
    if failed > most * wanted:
        raise Refusal(
            f"export: expected at most {most:.1%} of {wanted} records to fail for "
            f"reasons that may pass, got {failed}; nothing is published: build again, which retries only these, or "
            "raise max_transient_fraction"
        )


def _memory(build: ReleaseBuild) -> pa.Table:
    store, state, recipe, previous = build.store, build.state, build.recipe, build.previous
    if previous is None:
        return LEDGER.empty_table()
    listed = store.read_table(state.records, ["record_id", "reason"])
    outcomes = [store.read_table(step.outcome) for step in state.steps[1:]]
    return ledger.inherited_rows(
        previous.ledger(),
        listed["record_id"],
        kept_ids(store, state),
        ledger.splits_of_copies(outcomes, roles_by_id(store, recipe, state)),
        same_splits=is_same_split(recipe.split, previous.manifest.split_sha256),
        taken_down=listed.filter(pc.equal(listed["reason"], str(Reason.TAKEN_DOWN)))["record_id"],
    )


def _notes(release: releases.Release | None) -> tuple[str, ...]:
    """The release's scores of the detector, if people have annotated images too."""
    if release is None or "evaluation.json" not in release.manifest.files:
        return ()
    scores = release.scores()
    if scores.AP is None or scores.AP50 is None or scores.AR100 is None:
        return ()
    return (
        f"detector against people's boxes, {scores.images} annotated images, {scores.figures} figures: "
        f"AP {scores.AP:.3f}, AP50 {scores.AP50:.3f}, AR100 {scores.AR100:.3f}",
    )


def _check_promises(build: ReleaseBuild, content: Content, others: OtherTables) -> None:
    """Raise Refusal, with a line for each rule that is broken, and the first rows that break it."""
    tables = {
        "images": content.images.drop_columns("image"),
        "annotations": content.annotations,
        "detections": content.detections,
        "categories": category_table(build.recipe.coco_categories),
        "ledger": content.ledger,
        "labels": content.labels,
        "records": build.store.read_table(build.state.records, _ASKED_OF_RECORDS),
        "relations": others.relations,
        "takedowns": others.takedowns,
        "tombstones": others.tombstones,
        "coco_files": content.coco_files,
        "diversity": others.statistics.diversity,
        "histograms": others.statistics.histograms,
        "shares": others.statistics.shares,
    }
    may_be_empty = {"attributes": others.attributes, "unread": others.unread}
    tables |= {name: table for name, table in may_be_empty.items() if table.num_rows}
    problems = list(broken_promises(tables, contracts.contracts()))
    if problems:
        more = and_more(len(problems) - _SHOWN_PROBLEMS)
        raise Refusal(
            f"export: expected tables that keep contract {contracts.version()}, got others; nothing is published:\n"
            + "\n".join([*problems[:_SHOWN_PROBLEMS], *([f"...{more}"] if more else [])])
        )
