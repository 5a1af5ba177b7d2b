"""Keypoint schemes: which joints figures of a category have, in which order, and what joins them; as data.

The schemes that ship lie beside this file, one a YAML file. A published scheme never changes, since releases only name
it: another order, or one joint more, is another scheme with another name. docs/keypoints.md shows them.
"""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Annotated, Any, Self

import yaml
from pydantic import ConfigDict, Field, model_serializer, model_validator

from schemas.base import Frozen, Name
from schemas.phrases import listed, quoted

MOST_JOINTS = 1000
MOST_BONES = 10_000
DEFAULT = "coco-17"
"""The scheme of a category that says nothing else: COCO's 17 points of a person."""

_MOST_NAMES = 20
_BREAK = re.compile(r"[\s_-]+")
Joint = Annotated[str, Field(min_length=1, max_length=100)]


class Joints(Frozen):
    """A keypoint scheme but for its name, as a recipe writes one of its own."""

    joints: tuple[Joint, ...] = Field(
        min_length=1,
        max_length=MOST_JOINTS,
        description="Names of the joints in the order of `keypoints`; they differ in more than case, blanks, hyphens "
        "and underscores",
    )
    skeleton: tuple[tuple[Joint, Joint], ...] = Field(
        (), max_length=MOST_BONES, description="Pairs of joints, by name, between which a line is drawn"
    )
    flip_pairs: tuple[tuple[Joint, Joint], ...] = Field(
        (),
        max_length=MOST_JOINTS // 2,
        description="Left and right: joints, by name, that change places in a mirror image",
    )
    sigmas: tuple[Annotated[float, Field(gt=0, le=1)], ...] | None = Field(
        None,
        description="For each joint how far people's points lie from each other, as COCO's OKS takes it; null where "
        "nobody has measured it",
    )
    source: str | None = Field(None, max_length=1000, description="Where the scheme comes from")

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        for problem in _problems(self):
            raise ValueError(problem)
        return self

    @property
    def skeleton_numbers(self) -> list[list[int]]:
        """The skeleton as COCO writes it: pairs of places, which count from 1."""
        return _numbers(self.joints, self.skeleton)

    @property
    def flip_pair_numbers(self) -> list[list[int]]:
        """The flip pairs as places, which count from 1."""
        return _numbers(self.joints, self.flip_pairs)


class KeypointScheme(Joints):
    """A keypoint scheme. Left and right are the figure's own."""

    name: Name = Field(description="What categories and tables call it")


def _or_name(schema: dict[str, Any]) -> None:
    """Allow a name in the place of a mapping, as `_from_name` does."""
    mapping = dict(schema)
    schema.clear()
    schema["anyOf"] = [{"type": "string"}, mapping]


class Category(Frozen):
    """A category: its name alone, or a mapping that says more."""

    model_config = ConfigDict(json_schema_extra=_or_name)

    name: str = Field(description="COCO's name of the category")
    supercategory: str | None = Field(None, description="COCO's supercategory; by default the name")
    keypoints: Name | None = Field(
        DEFAULT, description="The scheme of its figures' keypoints, or null: no keypoints are taken"
    )

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"name": value}
        if not isinstance(value, dict | Category):
            raise ValueError(f"expected text or a mapping, got {quoted(value)}")
        return value

    @model_serializer(mode="wrap")
    def _to_name(self, handler: Any) -> Any:
        is_name_alone = self.supercategory is None and self.keypoints == DEFAULT
        return self.name if is_name_alone else handler(self)


class CocoCategory(Frozen):
    """A category with all that follows from a recipe."""

    name: str = Field(description="COCO's name of the category")
    supercategory: str = Field(description="COCO's supercategory")
    scheme: KeypointScheme | None = Field(description="The scheme of its keypoints; null: it has none")


def bare_name(name: Any) -> str:
    """A joint's name without case, blanks, hyphens and underscores; empty for what is no text.

    >>> bare_name("Left Eye") == bare_name("left_eye") == "lefteye"
    True
    """
    return _BREAK.sub("", name).casefold() if isinstance(name, str) else ""


@functools.cache
def shipped_schemes() -> Mapping[str, KeypointScheme]:
    """The schemes that come with the program, by their names."""
    files = [file for file in resources.files(__name__).iterdir() if file.name.endswith(".yaml")]
    schemes = [KeypointScheme.model_validate(yaml.safe_load(file.read_text(encoding="utf-8"))) for file in files]
    return {scheme.name: scheme for scheme in sorted(schemes, key=lambda scheme: scheme.name)}


def scheme_problems(categories: Sequence[Category], own: Mapping[str, Joints]) -> Iterator[str]:
    """A sentence for each scheme that can't have its name, and for each that a category names and nobody has."""
    known = list(dict.fromkeys([*shipped_schemes(), *own]))
    for name in own:
        if name in shipped_schemes():
            yield f"keypoint_schemes: expected a name that no scheme of the program has, got {quoted(name)}"
    for place, category in enumerate(categories):
        if category.keypoints is not None and category.keypoints not in known:
            names = listed(known, _MOST_NAMES)
            yield f"categories[{place}].keypoints: expected one of {names}, got {quoted(category.keypoints)}"


def resolve_categories(
    categories: Sequence[Category], own: Mapping[str, Joints] | None = None
) -> tuple[CocoCategory, ...]:
    """Categories of a recipe with the schemes that they name. own: the recipe's. Raises ValueError for a problem."""
    for problem in scheme_problems(categories, own or {}):
        raise ValueError(problem)
    schemes = {name: KeypointScheme(name=name, **dict(joints)) for name, joints in (own or {}).items()}
    schemes |= shipped_schemes()
    return tuple(
        CocoCategory(
            name=entry.name,
            supercategory=entry.supercategory or entry.name,
            scheme=schemes[entry.keypoints] if entry.keypoints else None,
        )
        for entry in categories
    )


def _numbers(joints: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[list[int]]:
    place = {joint: number for number, joint in enumerate(joints, 1)}
    return [[place[one], place[other]] for one, other in pairs]


def _problems(scheme: Joints) -> Iterator[str]:
    names: set[str] = set()
    for joint in scheme.joints:
        bare = bare_name(joint)
        if not bare or bare in names:
            yield f"joints: expected names that differ in more than case, blanks, - and _, got {quoted(joint)}"
        names.add(bare)
    for field, pairs in (("skeleton", scheme.skeleton), ("flip_pairs", scheme.flip_pairs)):
        yield from _pair_problems(field, pairs, {*scheme.joints})
    paired = [joint for pair in scheme.flip_pairs for joint in pair]
    if twice := [joint for joint in paired if paired.count(joint) > 1]:
        yield f"flip_pairs: expected each joint in one pair, got {quoted(twice[0])} in several"
    if scheme.sigmas is not None and len(scheme.sigmas) != len(scheme.joints):
        yield f"sigmas: expected {len(scheme.joints)}, one for each joint, got {len(scheme.sigmas)}"


def _pair_problems(field: str, pairs: Sequence[tuple[str, str]], joints: set[str]) -> Iterator[str]:
    for one, other in pairs:
        if unknown := sorted({one, other} - joints):
            yield f"{field}: expected names of joints, got {quoted(unknown[0])}"
        elif one == other:
            yield f"{field}: expected two joints, got {quoted(one)} twice"
