"""The datasheet: questions on how a dataset came about, with what the build knows, what people say, and what is open
(T. Gebru et al., Datasheets for Datasets, 2021; R. Srinivasan et al., Artsheets for Art Datasets, 2021). Its words, and
those of the card's limitations, stand in `schemas/datasheet`; here is what fills them.
"""

import string
from collections.abc import Iterable, Iterator, Mapping

from schemas.about import About
from schemas.datasheet import Question, limitations, sections
from schemas.dedup import Dedup
from schemas.export import Export
from schemas.manifests import ReleaseManifest
from schemas.phrases import counted
from schemas.recipe import Recipe
from schemas.sample import Sample
from schemas.screen import Screen
from schemas.sources.common import NOASSERTION
from tasks.core.export.summary import ReleaseSummary
from tasks.core.markdown import as_text, paragraphs
from tasks.core.rights import allowed_use

_DRAWN_BY = {"person": "people", "source": "the sources", "consensus": "several people together"}


def datasheet(recipe: Recipe, manifest: ReleaseManifest, summary: ReleaseSummary) -> str:
    """The page, as Markdown. What people say in the recipe stands as text, after what the build knows."""
    values, said = values_of(recipe, manifest, summary), (recipe.about or About()).answers
    lines = [
        f"# Datasheet of {as_text(recipe.title or recipe.name)}",
        "",
        f"Version `{manifest.version}`. The questions are those of Gebru et al., Datasheets for Datasets (2021), and, "
        "where marked, of Srinivasan et al., Artsheets for Art Datasets (2021), in short words. What the build knows "
        "stands first, then what the dataset's makers say. *Open* is what nobody has answered.",
        "",
    ]
    for section, questions in sections().items():
        lines += [f"## {section}", ""]
        for question in questions:
            lines += [f"### {question.ask}{' (Artsheets)' if question.of == 'srinivasan' else ''}", ""]
            lines += _answer(question, values, said.get(question.key))
    return "\n".join(lines)


def _answer(question: Question, values: Mapping[str, str], said: str | None) -> Iterator[str]:
    known = [*filled(question.build, values)]
    for paragraph in known:
        yield from (paragraph, "")
    if said is not None:
        yield from paragraphs(said)
    elif not (known and question.is_whole):
        yield from (f"*Open*{': what people know beside this' if known else ''} (`{question.key}`).", "")


def limitation_sentences(values: Mapping[str, str]) -> list[str]:
    """What one should know before using the images, as Markdown. values: of `values_of`."""
    return [*filled(limitations(), values)]


def filled(texts: Iterable[str], values: Mapping[str, str]) -> Iterator[str]:
    """The texts with their values, without those of which a value is empty.

    >>> [*filled(["{count} of {all}.", "By {whom}."], {"count": "1", "all": "2", "whom": ""})]
    ['1 of 2.']
    """
    for text in texts:
        names = [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]
        if all(values[name] for name in names):
            yield text.format_map(values)


def values_of(recipe: Recipe, manifest: ReleaseManifest, summary: ReleaseSummary) -> dict[str, str]:
    """What the words of `schemas/datasheet` have places for, as Markdown; empty where there is nothing to say."""
    return {**_of_recipe(recipe, summary), **_of_rows(manifest, summary), **_of_people(recipe.about or About())}


def _of_recipe(recipe: Recipe, summary: ReleaseSummary) -> dict[str, str]:
    (settings,), seeks_copies = recipe.stages_of(Export), bool(recipe.stages_of(Dedup))
    draws = _coded(stage.label for stage in recipe.stages_of(Sample))
    holds_images = settings.parquet.images == "embedded" or settings.media
    screens = [(stage.label, stage.figures) for stage in recipe.stages_of(Screen)]
    sources = (
        f"- `{source.name}`: {'on the web' if source.is_on_web else 'files'} ({source.source}), "
        f"{counted(summary.sources.get(source.name, 0), 'image')}"
        for source in recipe.sources
    )
    return {
        "attributes": _coded(recipe.attributes),
        "by_detector": _coded(label for label, figures in screens if figures and figures.counted_by == "detector"),
        "categories": ", ".join(as_text(name) for name in recipe.category_names),
        "copies": counted(summary.copies, "record") if seeks_copies else "",
        "draws": draws,
        "no_copies": ""
        if seeks_copies
        else "Near-duplicates were not looked for: a picture may be in it several times.",
        "no_draw": "" if draws else "It was not drawn: all records that pass the stages of `recipe.yaml` are in it.",
        "self_contained": "Yes: it holds the images."
        if holds_images
        else "No: it names images by address and digest, and holds none.",
        "sources": "\n".join(sources),
        "stages": _coded(stage.label for stage in recipe.stages),
    }


def _of_rows(manifest: ReleaseManifest, summary: ReleaseSummary) -> dict[str, str]:
    counts = manifest.counts["by_split"]
    by_split = counts if isinstance(counts, dict) else {}
    unknown, unseen = summary.rights.get(NOASSERTION, 0), summary.images - summary.annotated if summary.annotated else 0
    first_year, last_year, low, high = summary.years or ("",) * 4
    first_day, last_day = summary.retrieved or ("", "")
    rights = (f"- {as_text(uri)}: {counted(n, 'image')}. {allowed_use(uri)}" for uri, n in summary.rights.items())
    drawn = (f"{n:,} by {_DRAWN_BY.get(origin, as_text(origin))}" for origin, n in summary.origins.items())
    styles = (f"{as_text(name)} {_share(n, summary.images)}" for name, n in summary.commonest_styles.items())
    return {
        "annotations": counted(sum(summary.origins.values()), "annotation"),
        "artists": counted(summary.artists, "artist") if summary.artists else "",
        "busiest": _share(summary.of_busiest_artists, summary.images) if summary.artists else "",
        "commonest": ", ".join(styles),
        "detections": counted(summary.detections, "detection"),
        "drawn": ", ".join(drawn),
        "dropped": ", ".join(f"{count:,} as `{reason}`" for reason, count in summary.reasons.items()),
        "first_day": first_day,
        "first_year": str(first_year),
        "images": counted(summary.images, "image"),
        "kept": f"{manifest.counts['kept']:,}",
        "last_day": last_day,
        "last_year": str(last_year),
        "middle_years": f"{low} to {high}" if summary.years else "",
        "missing": ", ".join(f"{count:,} have no {name}" for name, count in summary.missing.items()),
        "noassertion": allowed_use(NOASSERTION),
        "previous": manifest.previous or "",
        "program_version": manifest.environment.get("bilderatlas", ""),
        "records": f"{manifest.counts['records']:,}",
        "rights": "\n".join(rights),
        "some_detections": counted(summary.detections, "box", "boxes") if summary.detections else "",
        "splits": ", ".join(f"{as_text(split)} {count:,}" for split, count in sorted(by_split.items())),
        "styles": counted(summary.styles, "style"),
        "unknown_rights": counted(unknown, "image has", "images have") if unknown else "",
        "unseen": counted(unseen, "image has", "images have") if unseen else "",
    }


def _of_people(about: About) -> dict[str, str]:
    """What the recipe says in fields of their own."""
    return {
        "authors": as_text(", ".join(about.authors)),
        "contact": as_text(about.contact or ""),
        "homepage": about.homepage or "",
    }


def _coded(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _share(count: int, of: int) -> str:
    """A share of all images, of which there is at least one, as people write it: 12 %."""
    return f"{100 * count / of:.0f} %"
