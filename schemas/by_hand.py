"""The words of the list by hand: actions of people on single records, whatever was measured of them."""

from typing import Literal, get_args

Action = Literal["exclude", "include", "replace", "takedown"]
Scope = Literal["record", "work", "artist"]

ACTIONS: tuple[Action, ...] = get_args(Action)
SCOPES: dict[Action, tuple[Scope, ...]] = {
    "exclude": ("record", "artist"),
    "include": ("record",),
    "replace": ("record",),
    "takedown": ("work", "record", "artist"),
}
"""The scopes of each action; the first is the default."""

MEANING: dict[Action, str] = {
    "exclude": "The record is not wanted: it is dropped before it is fetched.",
    "include": "The record is wanted: it passes every screen, and is drawn first.",
    "replace": "The draw leaves the record out: the next in the order of its stratum takes its place.",
    "takedown": "The record is removed and never comes back: it is not fetched again, and no copy takes its place.",
}
"""One sentence for people for each action."""

ALONE = "the record alone: "
"""How the detail of a drop begins, for people, where a record was taken down without its copies."""
