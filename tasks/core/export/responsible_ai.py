"""The responsible-AI properties of `croissant.json` (Croissant RAI 1.0): what a build knows of itself, and no more.

What only people know (who annotated, for which uses, which harm) is there where the recipe's `about` says it: nothing
is guessed.
https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from schemas.fetch import SCRAPE
from schemas.manifests import ReleaseManifest
from schemas.phrases import counted, listed
from schemas.reasons import MEANING, Reason
from schemas.release import ReleaseAbout, ReleaseRecipe, ReleaseSource
from schemas.sources import SOURCES
from schemas.sources.common import NOASSERTION
from tasks.core.columns import bools

_ASKED_FOR = ("title", "artist", "style", "year")
"""Columns of images of which a release says how many images lack them."""
_SPREAD = ("source", "style", "artist")
FACTS_FROM = {
    "images": ("is_annotated", "retrieved_at", "rights_uri", *dict.fromkeys((*_ASKED_FOR, *_SPREAD))),
    "annotations": ("origin",),
    "detections": ("model",),
    "ledger": ("source", "kept", "stage", "reason"),
}
"""The columns that `collection_facts` needs of each table."""
_TOOLS = {"coco_annotator": "COCO Annotator", "cvat": "CVAT", "label_studio": "Label Studio"}
"""Annotation tools by the formats that they alone write."""
_MOST_NAMES = 20


class Spread(NamedTuple):
    """How images are spread over the values of a column. most: images of the most frequent one."""

    values: int
    most: int


class CollectionFacts(NamedTuple):
    """What the tables of a release say of how it came about.

    listed: records by source; dropped: records by stage and reason; rights: images by rights_uri; without: images that
    lack a value, by column; spread: by column, where any image has a value; figures: annotations by origin; found:
    detections by model; retrieved: the first and the last moment at which bytes came, None without images.
    """

    listed: Mapping[str, int]
    dropped: Mapping[tuple[str, str], int]
    images: int
    annotated: int
    rights: Mapping[str, int]
    without: Mapping[str, int]
    spread: Mapping[str, Spread]
    figures: Mapping[str, int]
    found: Mapping[str, int]
    retrieved: tuple[str, str] | None


def collection_facts(tables: Mapping[str, pa.Table]) -> CollectionFacts:
    """The facts of a release with these tables, each with at least the columns of FACTS_FROM; tables may be empty."""
    images, book = tables["images"], tables["ledger"]
    dropped = book.select(["stage", "reason"]).filter(pc.invert(book["kept"]))
    by_reason = dropped.group_by(["stage", "reason"]).aggregate([([], "count_all")])
    return CollectionFacts(
        listed=_counts(book["source"]),
        dropped={(row["stage"], row["reason"]): row["count_all"] for row in by_reason.to_pylist()},
        images=images.num_rows,
        annotated=int(bools(images["is_annotated"]).sum()),
        rights=_counts(images["rights_uri"]),
        without={name: images[name].null_count for name in _ASKED_FOR},
        spread={name: spread for name in _SPREAD if (spread := _spread(images[name])).values},
        figures=_counts(tables["annotations"]["origin"]),
        found=_counts(tables["detections"]["model"]),
        retrieved=_ends(images["retrieved_at"]),
    )


def _counts(column: pa.ChunkedArray) -> dict[str, int]:
    """How often each value stands in a column, by value; nulls apart."""
    return dict(sorted((entry["values"], entry["counts"]) for entry in _value_counts(column).to_pylist()))


def _spread(column: pa.ChunkedArray) -> Spread:
    counts = _value_counts(column).field("counts")
    return Spread(len(counts), pc.max(counts).as_py() or 0)


def _value_counts(column: pa.ChunkedArray) -> pa.StructArray:
    plain = column.drop_null()
    if pa.types.is_dictionary(plain.type):  # chunks may have dictionaries of their own
        plain = plain.cast(plain.type.value_type)
    return pc.value_counts(plain)


def _ends(column: pa.ChunkedArray) -> tuple[str, str] | None:
    ends = pc.min_max(column).as_py()
    if ends["min"] is None:
        return None
    first, last = (ends[name].strftime("%Y-%m-%dT%H:%M:%SZ") for name in ("min", "max"))
    return first, last


def responsible_ai(recipe: ReleaseRecipe, manifest: ReleaseManifest, facts: CollectionFacts) -> dict[str, Any]:
    """The properties of the vocabulary that follow from a release; those without a value are left out."""
    sources = [(word, source) for entry in recipe.sources for word, source in entry.items()]
    said = {
        "dataCollection": _collection(facts),
        "dataCollectionType": _collection_types(sources),
        "dataCollectionRawData": "; ".join(_raw_data(sources, facts)),
        "dataCollectionTimeframe": list(dict.fromkeys(facts.retrieved or ())),
        "dataCollectionMissingData": _missing(facts),
        "dataPreprocessingProtocol": list(_steps(recipe, facts)),
        "dataManipulationProtocol": "The bytes of the images are as the sources gave them. Sizes and boxes are those "
        "of the upright picture.",
        "dataAnnotationProtocol": _annotation(recipe, facts),
        "dataAnnotationPlatform": list(_platforms(sources)),
        "machineAnnotationTools": [
            f"{model}: {counted(count, 'box', 'boxes')} in detections, none in annotations"
            for model, count in facts.found.items()
        ],
        "dataBiases": list(_biases(facts)),
        "dataLimitations": list(_limitations(recipe, facts)),
        "personalSensitiveInformation": list(_personal(recipe, facts)),
        "dataReleaseMaintenancePlan": _maintenance(manifest),
    }
    return {
        f"rai:{name}": value for name, value in _with_answers(said, recipe.about or ReleaseAbout()).items() if value
    }


_ANSWERS = {
    "annotatorDemographics": ("annotators",),
    "dataBiases": ("bias",),
    "dataLimitations": ("unfit_uses",),
    "dataReleaseMaintenancePlan": ("maintainer", "updates"),
    "dataSocialImpact": ("harms",),
    "dataUseCases": ("other_uses",),
    "personalSensitiveInformation": ("people", "confidential"),
}
"""The questions of the datasheet whose answers a property takes, after what the build knows."""


def _with_answers(said: Mapping[str, Any], about: ReleaseAbout) -> dict[str, Any]:
    found = dict(said)
    for name, keys in _ANSWERS.items():
        answers = [about.answers[key] for key in keys if key in about.answers]
        if name == "dataLimitations" and about.limitations:
            answers = [about.limitations, *answers]
        if answers:
            known = found.get(name) or []
            found[name] = [*([known] if isinstance(known, str) else known), *answers]
    return found


def _collection(facts: CollectionFacts) -> str:
    listed_records, kept = counted(sum(facts.listed.values()), "record"), counted(facts.images, "image")
    return (
        f"A program (bilderatlas) has listed {listed_records} and kept {kept}, by the settings in recipe.yaml. "
        "ledger.parquet has a row for each record, with the stage and the reason where it was dropped."
    )


def _collection_types(sources: list[tuple[str, ReleaseSource]]) -> list[str]:
    """In the words that the vocabulary recommends. How files came to lie in a folder nobody has said."""
    kinds = [SOURCES[word] for word, _ in sources if word in SOURCES]
    on_web = [kind for kind in kinds if kind.is_on_web]
    return sorted({"Web API" if getattr(kind, "has_api", False) else "Web Scraping" for kind in on_web})


def _raw_data(sources: list[tuple[str, ReleaseSource]], facts: CollectionFacts) -> Iterator[str]:
    for word, source in sources:
        yield f"{source.name} (source of the kind {word}): {counted(facts.listed.get(source.name, 0), 'record')}"


def _missing(facts: CollectionFacts) -> str:
    lacking = [f"{count:,} have no {name}" for name, count in facts.without.items() if count]
    of = f"Of {counted(facts.images, 'image')}"
    return f"{of}, {', '.join(lacking)}." if lacking else f"{of}, each has {', '.join(_ASKED_FOR)}."


def _steps(recipe: ReleaseRecipe, facts: CollectionFacts) -> Iterator[str]:
    """A line for each stage that dropped records, in the recipe's order; what the recipe does not name comes last."""
    words = {SCRAPE.label: SCRAPE.label}
    words |= {stage.label: word for entry in recipe.stages for word, stage in entry.items()}
    order = [*words, *sorted({label for label, _ in facts.dropped} - words.keys())]
    for label in order:
        mine = sorted((reason, count) for (of, reason), count in facts.dropped.items() if of == label)
        if mine:
            why = "; ".join(f"{count:,} {reason} ({_meaning(reason)})" for reason, count in mine)
            name = label if words.get(label) == label else f"{label} ({words.get(label, 'a stage')})"
            yield f"{name} dropped {counted(sum(count for _, count in mine), 'record')}: {why}"


def _meaning(reason: str) -> str:
    known = {str(word): MEANING[word] for word in Reason}
    return known.get(reason, "a reason of another version").rstrip(".")


def _annotation(recipe: ReleaseRecipe, facts: CollectionFacts) -> str:
    """What people have drawn; empty where nobody has looked at any image."""
    if not facts.annotated:
        return ""
    origins = ", ".join(f"{count:,} from {origin}" for origin, count in facts.figures.items())
    drawn = counted(sum(facts.figures.values()), "figure")
    return (
        f"{facts.annotated:,} of {counted(facts.images, 'image')} were looked at by people or sources, who drew "
        f"{drawn} of the categories {listed(recipe.category_names, _MOST_NAMES)}{f' ({origins})' if origins else ''}. "
        "An image of which is_annotated is true and which has no annotation shows none."
    )


def _platforms(sources: list[tuple[str, ReleaseSource]]) -> Iterator[str]:
    for _, source in sources:
        if source.annotations is not None and (tool := _TOOLS.get(source.annotations.format)):
            yield f"{tool} (source {source.name})"


def _biases(facts: CollectionFacts) -> Iterator[str]:
    """How unevenly images are spread; no value is named, since a name may have to go later."""
    for name, spread in facts.spread.items():
        values = counted(spread.values, "value")
        yield f"{name}: {values}; {spread.most:,} of {counted(facts.images, 'image')} have the most frequent one"


def _limitations(recipe: ReleaseRecipe, facts: CollectionFacts) -> Iterator[str]:
    if unknown := facts.rights.get(NOASSERTION, 0):
        yield f"The rights of {counted(unknown, 'image')} are not known (rights_uri is {NOASSERTION})."
    if unseen := facts.images - facts.annotated:
        yield f"Nobody has annotated {counted(unseen, 'image')}: these are no negatives."
    if facts.found:
        yield "detections is what a model found, and no truth."
    if recipe.limit is not None:
        yield f"This is a trial: at most {recipe.limit:,} records of each source were taken."


def _personal(recipe: ReleaseRecipe, facts: CollectionFacts) -> Iterator[str]:
    if facts.images:
        yield "artist, artist_text, artists and attribution hold names of makers; title may name people."
    if drawn := sum(facts.figures.values()) + sum(facts.found.values()):
        names = listed(recipe.category_names, _MOST_NAMES)
        yield f"annotations and detections mark {counted(drawn, 'figure')} of the categories {names} in the images."


def _maintenance(manifest: ReleaseManifest) -> str:
    before = f" It follows version {manifest.previous}; CHANGES.md says what is another." if manifest.previous else ""
    return (
        f"This is version {manifest.version}.{before} A version does not change, but where records are taken down: "
        "they leave all of its files, and tombstones.parquet lists them with the reason."
    )
