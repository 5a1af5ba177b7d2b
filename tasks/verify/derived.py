"""Files of a release that follow from its tables, its recipe and its manifest: whoever writes digests anew may forget
them. Of the report, and of what a card says beside these lines, nobody can tell.
"""

import importlib.metadata
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError

from schemas.contract import ATTRIBUTION, CROISSANT, DATASHEET, SUMS, schema_path
from schemas.phrases import quoted
from schemas.recipe import Recipe
from tasks.core import tables
from tasks.core.attribute_statistics import attribute_statistics, summaries
from tasks.core.diff.columns import differ
from tasks.core.evaluate.scores import detector_scores
from tasks.core.export import card, digest, hub, summary
from tasks.core.export.attribution import ASKED, attribution_page, attributions
from tasks.core.export.datasheet import datasheet
from tasks.core.export.images import FROM_RECORDS
from tasks.io.files import contracts
from tasks.io.store.releases import Release
from tasks.subjects.croissant import croissant_of
from tasks.verify import checks

_PROGRAM = "bilderatlas"


def problems(release: Release) -> Iterator[str]:
    """Files that say something else than what they follow from. Of what a purge has amended, only what it amends."""
    manifest = release.manifest
    sums = digest.sums(manifest.files)
    if SUMS in manifest.files and release.read(SUMS) != sums.encode():
        yield f"{SUMS}: expected the digests of manifest.json, got others"
    yield from _of_records(release)
    if manifest.contract_version != contracts.version():  # other programs wrote other words
        return
    yield from _schemas(release)
    yield from _attribution(release)
    if _is_of_this_program(release):
        yield from _croissant(release)
    if manifest.amended is None:
        yield from _as_published(release)


def _is_of_this_program(release: Release) -> bool:
    """Whether this version has written it: others use other words."""
    return release.manifest.environment.get(_PROGRAM) == importlib.metadata.version(_PROGRAM)


def _as_published(release: Release) -> Iterator[str]:
    """What a purge leaves as it was: numbers of the day of publication."""
    try:
        recipe = Recipe.model_validate(release.read_mapping("recipe.yaml"))
    except ValidationError:  # which the digest of the recipe tells
        return
    splits = recipe.split.splits
    images = checks.columns_of(release, "images", [*summary.OF_IMAGES, *recipe.attributes])
    if not pc.all(pc.is_in(images["split"], value_set=pa.array(splits))).as_py():  # which a rule tells
        return
    attributes = attribute_statistics(images, list(recipe.attributes), splits)
    path = "statistics/attributes.parquet"
    if path in release.manifest.files and not release.table(path).equals(attributes):
        yield f"{path}: expected what follows from the images, got other numbers"
    yield from _evaluation(release, recipe)
    if _is_of_this_program(release):
        yield from _pages(release, recipe, images, attributes)


def _schemas(release: Release) -> Iterator[str]:
    """Arrow schemas that are not the contract's."""
    for table, schema in contracts.arrow_schemas(release.attributes).items():
        try:
            found = pa.ipc.read_schema(pa.BufferReader(release.read(schema_path(table))))
        except (pa.ArrowException, OSError) as problem:
            yield f"{schema_path(table)}: expected an Arrow schema, got none ({quoted(str(problem))})"
            continue
        if not found.equals(schema):
            yield f"{schema_path(table)}: expected the schema of contract {contracts.version()}, got another"


def _attribution(release: Release) -> Iterator[str]:
    """Lines of attribution that do not follow from the other columns, and a page that does not follow from them."""
    images = checks.columns_of(release, "images", [*ASKED, "image_id", "attribution"])
    is_other = differ(images["attribution"], attributions(images))
    if is_other.any():
        first = quoted(images["record_id"][int(is_other.argmax())].as_py())
        yield f"images.attribution: expected what other columns say, got another line in {first}"
    elif release.read(ATTRIBUTION) != b"".join(attribution_page(images)):
        yield f"{ATTRIBUTION}: expected the lines of images, got others"


def _of_records(release: Release) -> Iterator[str]:
    """Columns of images that are not as their records have them."""
    records = release.records()
    known = {*records.column_names} & {*release.column_names("images")}
    ids = checks.columns_of(release, "images", ["record_id"])["record_id"]
    mine = tables.lookup(records, "record_id", ids)
    for name in [name for name in (*FROM_RECORDS, *release.attributes) if name in known]:
        is_other = differ(checks.columns_of(release, "images", [name])[name], mine[name])
        if is_other.any():
            first = int(is_other.argmax())
            expected = quoted(mine[name][first].as_py())
            yield (
                f"images.{name}: expected what records.parquet has, {expected}, got another value in "
                f"{quoted(ids[first].as_py())}, and {int(is_other.sum()) - 1} more"
            )


def _evaluation(release: Release, recipe: Recipe) -> Iterator[str]:
    """Scores of the detector that are not those of the tables. Where it has not looked at all annotated images, which
    no table says, there is nothing to compare with.
    """
    if "evaluation.json" not in release.manifest.files:
        return
    names = [name for name in release.column_names("images") if name != "image"]
    images = pa.concat_tables([release.read_columns(path, only=names) for path in release.parts("images")])
    drawn, detected = (
        checks.columns_of(release, table, release.column_names(table)) for table in ("annotations", "detections")
    )
    said = release.read_json("evaluation.json")
    annotated = images.filter(images["is_annotated"])
    if not isinstance(said, dict) or said.get("images") != annotated.num_rows:
        if not isinstance(said, dict) or not 0 < said.get("images", 0) < annotated.num_rows:
            yield f"evaluation.json: expected at most the {annotated.num_rows} annotated images, got {quoted(said)}"
        return
    bare = annotated.append_column("image", pa.nulls(annotated.num_rows, pa.struct([("path", pa.string())])))
    scores = detector_scores(bare, drawn, detected, recipe.coco_categories, recipe.looked_for)
    if not _are_same(scores, said):
        yield "evaluation.json: expected the scores of detections against annotations, got others"


def _are_same(scores: Mapping[str, Any] | None, said: Mapping[str, Any]) -> bool:
    """Whether scores are equal but for the last digits, which other machines compute otherwise."""
    return (
        scores is not None
        and scores.keys() == said.keys()
        and all(
            value == said[name]
            or (isinstance(value, float) and isinstance(said[name], float) and math.isclose(value, said[name]))
            for name, value in scores.items()
        )
    )


def _croissant(release: Release) -> Iterator[str]:
    """What `croissant.json` says otherwise than it follows from the release, as all of it does."""
    manifest, said = release.manifest, release.read_json(CROISSANT)
    data = croissant_of(release, manifest, manifest.amended.date if manifest.amended else None)
    expected = json.loads(data)
    if said != expected:
        known = said if isinstance(said, dict) else {}
        first = next(name for name in {**expected, **known} if known.get(name, ...) != expected.get(name, ...))
        yield f"{CROISSANT}: expected {quoted(first)} as it follows from the release, got another"
    elif release.read(CROISSANT) != data:
        yield f"{CROISSANT}: expected its values as releases write them, got another spelling"


def _pages(release: Release, recipe: Recipe, images: pa.Table, attributes: pa.Table) -> Iterator[str]:
    """What the card's head and its tables say that follows from the release, and the datasheet, which all does."""
    manifest = release.manifest
    annotations = checks.columns_of(release, "annotations", [*summary.OF_ANNOTATIONS])
    detections = sum(release.row_count(path) for path in release.parts("detections"))
    found = summary.summarized(images, annotations, detections, release.ledger())
    head, body = hub.head_and_text(release.read("README.md").decode(errors="replace"))
    if not _is_head(head or {}, release, recipe, found):
        yield "README.md: expected the head that follows from recipe.yaml and manifest.json, got another"
    scores = release.read_json("evaluation.json") if "evaluation.json" in manifest.files else None
    declared = summaries(attributes, recipe.attributes, images.num_rows)
    diversity = release.table("statistics/diversity.parquet")
    for part in card.known_parts(recipe, manifest, found, scores, diversity, declared):
        if part not in body:
            first = quoted(next(filter(None, part.splitlines())))
            yield f"README.md: expected the part that begins with {first} as it follows from the tables, got another"
    if release.read(DATASHEET).decode(errors="replace") != datasheet(recipe, manifest, found):
        yield f"{DATASHEET}: expected what follows from recipe.yaml and the tables, got another page"


def _is_head(head: Mapping[str, Any], release: Release, recipe: Recipe, found: summary.ReleaseSummary) -> bool:
    """Whether a card's head is as it follows from the release, but for the bytes of files."""
    try:
        expected = hub.card_head(recipe, found, release.manifest.files, release.part_schemas())
        return hub.without_sizes(head) == hub.without_sizes(expected)
    except ValueError:  # other types than releases have, or another form
        return False
