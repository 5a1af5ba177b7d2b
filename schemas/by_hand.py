"""What a person says of single records, whatever was measured of them: the words of the file that a recipe names."""

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
"""What each action may be said of; the first is meant where the file says nothing."""

MEANING: dict[Action, str] = {
    "exclude": "The record is not wanted: it is dropped before it is fetched.",
    "include": "The record is wanted: it passes every screen, and is drawn first.",
    "replace": "The record is sent back after the draw: the next in the order of its stratum takes its place.",
    "takedown": "The record must go, and stay away: it is never fetched again, and none of its copies takes its place.",
}
"""One sentence for people for each action."""
