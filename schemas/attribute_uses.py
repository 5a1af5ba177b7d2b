"""What stages may do with the attributes of a recipe, and with the columns that all records have."""

import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence

from schemas.attributes import Attribute, AttributeType
from schemas.phrases import LONGEST_PLACE, LONGEST_QUOTE, quoted
from schemas.roles import RolesByValue
from schemas.sample import Sample
from schemas.screen import Screen
from schemas.split import BALANCED_FIELDS, BOUND_FIELDS, Split
from schemas.stages import AnyStage, Dedup
from schemas.strata import STRATUM_FIELDS
from schemas.where import column_types, condition_problem

Types = Mapping[str, AttributeType]

_STRATA: tuple[AttributeType, ...] = ("string", "integer", "boolean")
_BONDS: tuple[AttributeType, ...] = ("string", "integer", "strings")


def use_problems(stages: Sequence[AnyStage], attributes: Mapping[str, Attribute]) -> Iterator[str]:
    """A sentence for each use of an attribute that the recipe does not have, or that is not of the right type."""
    declared: Types = {name: attribute.type for name, attribute in attributes.items()}
    for position, stage in enumerate(stages):
        where = f"stages[{position}] ({stage.label})"
        if isinstance(stage, Screen):
            yield from _where_problems(f"{where}.where", stage, column_types(attributes))
        elif isinstance(stage, Sample):
            yield from _type_problems(f"{where}.by", stage.by, STRATUM_FIELDS, declared, _STRATA)
            caps = stage.at_most_per.of_attributes
            yield from _type_problems(f"{where}.at_most_per", caps, ("artist", "object"), declared, _STRATA)
        elif isinstance(stage, Dedup):
            yield from _preference_problems(f"{where}.prefer", stage, column_types(attributes))
        elif isinstance(stage, Split):
            yield from _split_problems(where, stage, declared, column_types(attributes))


def _where_problems(where: str, stage: Screen, columns: Types) -> Iterator[str]:
    for name, condition in stage.where.items():
        if name not in columns:
            yield _unknown(where, f"an attribute or a column of records, {_all_of(columns)}", columns, name)
        elif problem := condition_problem(condition, columns[name]):
            yield f"{where}.{name}: {problem}"


def _preference_problems(where: str, stage: Dedup, columns: Types) -> Iterator[str]:
    for known in (rule.plain.known for rule in stage.prefer):
        if known is not None and known not in columns:
            yield _unknown(where, f"an attribute or a column of records, {_all_of(columns)}", columns, known)


def _split_problems(where: str, stage: Split, declared: Types, columns: Types) -> Iterator[str]:
    yield from _type_problems(f"{where}.by", stage.by, BALANCED_FIELDS, declared, (*_STRATA, "strings"))
    several = [name for name in stage.by if declared.get(name) == "strings"]
    if several and stage.method == "batches":
        yield (
            f"{where}.by: expected method: iterative with '{several[0]}', of which a record may have several values, "
            "got batches"
        )
    yield from _type_problems(f"{where}.together", stage.together, BOUND_FIELDS, declared, _BONDS)
    if stage.keep is not None:
        yield from _type_problems(f"{where}.keep", [stage.keep], (), declared, ("string",))
    if isinstance(stage.roles, RolesByValue):
        yield from _role_problems(f"{where}.roles", stage.roles, columns)


def _role_problems(where: str, roles: RolesByValue, columns: Types) -> Iterator[str]:
    if roles.by not in columns:
        yield _unknown(f"{where}.by", f"an attribute or a column of records, {_all_of(columns)}", columns, roles.by)
        return
    kind = columns[roles.by]
    for role, condition in (("gallery", roles.gallery), ("query", roles.query)):
        if condition is not None and (problem := condition_problem(condition, kind)):
            yield f"{where}.{role}: {problem}"
    values = [{str(value).lower() for value in (of and of.any_of) or ()} for of in (roles.gallery, roles.query)]
    if both := sorted(values[0] & values[1]):
        yield f"{where}: expected each value in one role, got {quoted(both[0])} in both"


def _type_problems(
    where: str, names: Collection[str], fields: Collection[str], declared: Types, allowed: Sequence[AttributeType]
) -> Iterator[str]:
    """A sentence for each name that is neither one of the fields nor an attribute of an allowed type."""
    for name in names:
        if name in fields:
            continue
        if name not in declared:
            expected = f"{', '.join([*fields, ''])}an attribute of the recipe ({_all_of(declared)})"
            yield _unknown(where, expected, [*fields, *declared], name)
        elif declared[name] not in allowed:
            yield f"{where}: {_other_type(name, declared[name], allowed)}"


def _other_type(name: str, kind: AttributeType, allowed: Sequence[AttributeType]) -> str:
    return f"expected an attribute of the type {' or '.join(allowed)}, got '{name}', which is of the type {kind}"


def _unknown(where: str, expected: str, known: Collection[str], name: str) -> str:
    near = difflib.get_close_matches(name[:LONGEST_QUOTE], sorted(known), n=1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return f"{where}: expected {expected}, got {quoted(name)}{hint}"


def _all_of(names: Collection[str]) -> str:
    return quoted(sorted(names), 3 * LONGEST_PLACE) if names else "it has none"
