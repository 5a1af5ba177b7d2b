"""The recipe: the story of one dataset, read from top to bottom. Immutable; every setting has a reason.

What a machine provides (folders, weights) is only named, as a *binding*: a build is given its path, no digest has it.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Self, TypeVar

from pydantic import Field, ValidationInfo, field_validator, model_serializer, model_validator

from schemas.about import About
from schemas.attributes import MOST_ATTRIBUTES, Attribute, AttributeName, attribute_problems
from schemas.base import Frozen, Later, Name, Positive, Score, Some
from schemas.fetch import SCRAPE
from schemas.hash import Hash
from schemas.hash_kinds import with_hash_attributes
from schemas.keypoints import Category, CocoCategory, Joints, KeypointScheme, resolve_categories, scheme_problems
from schemas.manners import Manners
from schemas.names import Artists, Styles
from schemas.phrases import LONGEST_PLACE, listed, quoted
from schemas.sources import AnyFileSource, AnySource, AnyWebSource
from schemas.split import Split
from schemas.stage import Stage, Surroundings
from schemas.stages import SEEDED, STAGES, AnyStage, with_figure_scores

ALWAYS_BINDABLE = ("contact", "origins")
"""Bindings that any recipe with web sources takes: a contact address, and other origins to ask in place of hosts."""

_RESERVED_ENDINGS, _RESERVED_NAME = ("-web", "-answers"), "web-images"
"""Folders of the store: what a source `a` answered is in `a-web` and `a-answers`, downloads are in `web-images`."""

OneStage = TypeVar("OneStage", bound=Stage)

_MOST_WORDS = 20  # of stages, in a message

RENAMED_FRACTION = 0.2
"""By default. Recipes from before there was a choice have no such setting in their dumps."""


class Recipe(Frozen):
    """One dataset: its sources, its stages in order and its seed."""

    name: Name = Field(description="The dataset's name; its releases are in <store>/releases/<name>")
    title: str | None = Field(None, description="Title for people")
    description: str | None = Field(None, description="One or two sentences for the dataset card")
    seed: int = Field(0, ge=0, description="Seed of every stage that draws by chance and has no seed of its own")
    categories: Some[Category] = Field(
        ("person",),
        validate_default=True,
        description="COCO categories, each a name or a mapping of name, supercategory and keypoints (the name of a "
        "keypoint scheme, by default coco-17, or null); their ids count from 1 in this order",
    )
    keypoint_schemes: Later[dict[Name, Joints]] = Field(
        default_factory=dict,
        description="Keypoint schemes of one's own by their names, each a mapping of joints, skeleton, flip_pairs, "
        "sigmas and source; the program has some (docs/keypoints.md)",
    )
    bindings: dict[Name, str] = Field(
        default_factory=dict,
        description="What a machine must provide, as name: explanation; given with --bind NAME=VALUE",
    )
    limit: Positive | None = Field(
        None,
        description="For trials: only the N records of each source with the smallest SHA-256(record_id); never becomes "
        "`latest`",
    )
    max_loss_fraction: Score = Field(
        0.05,
        description="If the same recipe ends with fewer images than its last release, by more than this share, "
        "nothing is published: probably a source is broken. Only numbers are compared: a draw may put others in the "
        "place of what is lost",
    )
    max_transient_fraction: Score = Field(
        0.02,
        description="If more than this share of records or of listing pages failed for a passing reason, nothing is "
        "published: probably the network or a host is down",
    )
    max_renamed_fraction: Score = Field(
        RENAMED_FRACTION,
        exclude_if=lambda fraction: fraction == RENAMED_FRACTION,
        description="If more than this share of the last release's images of one source (and more than one) stand "
        "under other record_ids, nothing is published: probably the keys of a source have changed, and what people "
        "decided about the old ids would be lost",
    )
    manners: Manners = Field(
        default_factory=Manners, description="How politely web hosts are asked; never changes what a release holds"
    )
    artists: Artists = Field(default_factory=Artists, description="Which names mean the same artist")
    styles: Styles = Field(default_factory=Styles, description="Which names mean the same style")
    attributes: Later[dict[AttributeName, Attribute]] = Field(
        default_factory=dict,
        max_length=MOST_ATTRIBUTES,
        description="What records say beyond the columns that every release has, as name: settings; each becomes a "
        "column of images and records (docs/attributes.md)",
    )
    about: Later[About | None] = Field(
        None, description="What only people know of the dataset: for its card, its datasheet and its Croissant file"
    )
    by_hand: Name | None = Field(
        None,
        description="Binding of a table in which people exclude, include, replace or take down single records "
        "(docs/by-hand.md)",
    )
    sources: Some[AnySource] = Field(description="The collections to take records from, each with its own name")
    stages: Some[AnyStage] = Field(description="What is done with the records, in this order; export is the last")

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            raise ValueError(f"expected a mapping with name, sources and stages, got {type(value).__name__}")
        value = dict(value)
        for field, word in (("sources", "source"), ("stages", "stage")):
            if isinstance(value.get(field), list | tuple):
                value[field] = tuple(_tagged(entry, word) for entry in value[field])
        seed = value.get("seed", 0)
        if isinstance(value.get("stages"), tuple):
            value["stages"] = tuple(_filled_in(stage, seed) for stage in value["stages"])
            hashes = [stage for stage in value["stages"] if isinstance(stage, dict) and stage.get("stage") == "hash"]
            lists = [also for stage in hashes if isinstance(also := stage.get("also"), list | tuple)]
            if isinstance(own := value.get("attributes", {}), dict):  # so that a release says what its columns are
                value["attributes"] = with_hash_attributes(own, list(itertools.chain(*lists)))
        return value

    @field_validator("stages")
    @classmethod
    def _with_figure_scores(cls, stages: tuple[AnyStage, ...], info: ValidationInfo) -> tuple[AnyStage, ...]:
        """One score for what a figure is, written out, so that a release shows what was used."""
        return with_figure_scores(stages, [entry.name for entry in info.data.get("categories", ())])

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        for problem in _problems(self):
            raise ValueError(problem)
        return self

    @model_serializer(mode="wrap")
    def _to_short_form(self, handler: Any) -> dict[str, Any]:
        plain = handler(self)
        plain["sources"] = [{entry.pop("source"): entry} for entry in plain["sources"]]
        plain["stages"] = [{entry.pop("stage"): entry} for entry in plain["stages"]]
        return dict(plain)

    @property
    def category_names(self) -> tuple[str, ...]:
        """Names of the categories; their ids count from 1 in this order."""
        return tuple(entry.name for entry in self.categories)

    @property
    def coco_categories(self) -> tuple[CocoCategory, ...]:
        """The categories with their keypoint schemes."""
        return resolve_categories(self.categories, self.keypoint_schemes)

    @property
    def schemes_by_category(self) -> dict[str, KeypointScheme | None]:
        """The keypoint scheme of each category by its name; None: it has no keypoints."""
        return {category.name: category.scheme for category in self.coco_categories}

    @property
    def date_words(self) -> dict[str, str]:
        """By source, the JSON of its own words for dates, where it has some."""
        return {source.name: words for source in self.sources if (words := source.date_words)}

    @property
    def maker_words(self) -> dict[str, str]:
        """By source, the JSON of its own words for makers, where it has some."""
        return {source.name: words for source in self.sources if (words := source.maker_words)}

    @property
    def file_sources(self) -> tuple[AnyFileSource, ...]:
        """The sources in files, in the recipe's order."""
        return tuple(source for source in self.sources if not source.is_on_web)

    @property
    def web_sources(self) -> tuple[AnyWebSource, ...]:
        """The sources on the web, in the recipe's order."""
        return tuple(source for source in self.sources if source.is_on_web)

    @property
    def split(self) -> Split:
        """The split stage, of which every recipe has one: export needs it, and it may stand only once."""
        return self.stages_of(Split)[0]

    def stages_of(self, kind: type[OneStage]) -> tuple[OneStage, ...]:
        """The stages of one kind, in the recipe's order."""
        return tuple(stage for stage in self.stages if isinstance(stage, kind))

    @property
    def looked_for(self) -> frozenset[str]:
        """The categories whose figures a detector looks for."""
        return frozenset(name for stage in self.stages for name in stage.looked_for)

    def stage(self, label: str) -> "AnyStage | None":
        """The stage of that label, or None."""
        return next((stage for stage in self.stages if stage.label == label), None)


def _tagged(entry: Any, word: str) -> Any:
    """`{dedup: {radius_bits: 8}}`, or just `dedup`, as the tagged mapping that the models read."""
    if isinstance(entry, str):
        return {word: entry}
    if isinstance(entry, dict) and len(entry) == 1 and word not in entry:
        tag, settings = next(iter(entry.items()))
        if not isinstance(settings, dict | None):
            raise ValueError(f"{word} {quoted(tag)}: expected its settings as a mapping, got {quoted(settings)}")
        return {word: tag, **(settings or {})}
    return entry


def _filled_in(stage: Any, seed: Any) -> Any:
    """The stage with its default label and the recipe's seed written out, so that a release shows what was used."""
    if not isinstance(stage, dict) or "stage" not in stage:
        return stage
    filled = {**stage, "label": stage.get("label") or stage["stage"]}
    if stage["stage"] in (*SEEDED,) and stage.get("seed") is None:  # a tuple: what stands there may be a list
        filled["seed"] = seed
    return filled


def _problems(recipe: Recipe) -> Iterator[str]:
    yield from _repeated("sources[].name", [source.name for source in recipe.sources])
    yield from _reserved([source.name for source in recipe.sources])
    yield from _repeated("stages[].label", [stage.label for stage in recipe.stages])
    if any(stage.label == SCRAPE.label for stage in recipe.stages):
        yield f"stages[].label: expected another word than '{SCRAPE.label}', which names the first step of every build"
    yield from _repeated("categories", list(recipe.category_names))
    yield from scheme_problems(recipe.categories, recipe.keypoint_schemes)
    yield from _hash_attribute_problems(recipe)
    yield from attribute_problems(recipe.attributes, recipe.sources)
    used = [name for entry in (*recipe.sources, *recipe.stages) for name in entry.uses]
    used += [recipe.by_hand] if recipe.by_hand else []
    given = quoted(sorted(recipe.bindings), LONGEST_PLACE) if recipe.bindings else "none"
    for name in used:
        if name not in recipe.bindings:
            yield f"bindings: expected an entry that says what '{name}' is, got {given}"
    yield from _misplaced([stage.stage for stage in recipe.stages])
    said = {name: attribute for name, attribute in recipe.attributes.items() if attribute.from_ != {}}
    for position, stage in enumerate(recipe.stages):
        where, before = f"stages[{position}] ({stage.label})", [earlier.stage for earlier in recipe.stages[:position]]
        known = recipe.attributes if "hash" in before else said  # the others have no values yet
        around = Surroundings(tuple(source.name for source in recipe.sources), recipe.categories, known)
        yield from stage.problems(where, around)
        yield from _unmet(where, stage, before, recipe.category_names)
    # otherwise a list of takedowns could be given and never read
    for name in sorted({*recipe.bindings} - {*used, *ALWAYS_BINDABLE}):
        yield (
            f"bindings: expected each to be used, got '{name}', which nothing in the recipe names "
            f"(for a list by hand write `by_hand: {name}`)"
        )


def _hash_attribute_problems(recipe: Recipe) -> Iterator[str]:
    filled = {kind for stage in recipe.stages_of(Hash) for kind in stage.also}
    for name, attribute in recipe.attributes.items():
        if name in filled and attribute.from_ != {}:
            yield f"attributes: expected no '{name}' beside that of the stage hash, got one: choose another name"
        if name not in filled and attribute.from_ == {}:
            yield f"attributes.{name}.from: expected a source and its field, got none"


def _misplaced(words: Sequence[str]) -> Iterator[str]:
    if words[-1] != "export" or words.count("export") != 1:
        yield f"stages: expected one export, as the last stage, got {listed(words, _MOST_WORDS, ' > ')}"
    for word, kind in STAGES.items():
        if kind.is_single and words.count(word) > 1:
            yield f"stages: expected {word} at most once, got it {words.count(word)} times"


def _unmet(where: str, stage: AnyStage, before: Sequence[str], categories: tuple[str, ...]) -> Iterator[str]:
    for needed in stage.needs:
        if needed not in before:
            yield f"{where}: expected {needed} before it, got {listed(before, _MOST_WORDS, ' > ') or 'nothing'}"
    for category in stage.used_categories:
        if category not in categories:
            known = quoted(list(categories), LONGEST_PLACE)
            yield f"{where}: expected one of categories {known}, got {quoted(category)}"


def _repeated(where: str, names: list[str]) -> Iterator[str]:
    for name, count in sorted(Counter(names).items()):
        if count > 1:
            yield f"{where}: expected each name once, got {quoted(name)} {count} times"


def _reserved(names: list[str]) -> Iterator[str]:
    for name in names:
        if name.endswith(_RESERVED_ENDINGS) or name == _RESERVED_NAME:
            yield (
                f"sources[].name: expected a name that does not end in {' or '.join(_RESERVED_ENDINGS)} and is not "
                f"{_RESERVED_NAME}, since the store uses these, got '{name}': choose another"
            )
