"""Commands from functions: a parameter of a signature is an argument or an option, a line of the docstring its help."""

import argparse
import functools
import types
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, cleandoc, signature
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union, get_args, get_origin

from annotated_types import Ge, Le

from flows.parameters import MOST, Argument, Option, descriptions
from schemas.phrases import quoted

if TYPE_CHECKING:
    # the class is private to argparse, and takes a type only where types are checked
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

Function = Callable[..., Any]
Command = Callable[[argparse.Namespace], int]
"""Runs with the parsed arguments and returns the exit status."""
Run = Callable[[dict[str, Any], Sequence[str]], int | None]
"""Runs with a function's parameters, by name, and the words that were typed; returns the exit status, None for 0."""


class _Kind(NamedTuple):
    """What a parameter's annotation says. of: the type of a value."""

    of: Any
    typed: Argument | Option | None = None
    least: int = 0
    most: int = MOST

    @property
    def is_many(self) -> bool:
        """Whether it may be given several times."""
        return (get_origin(self.of) or self.of) in {list, dict, Mapping, Sequence}


def add_command(
    commands: "Commands", name: str, function: Function, run: Run | None = None, summary: str | None = None
) -> None:
    """Add a command that takes what a function takes. run: what runs in its place. summary: in place of its own."""
    text = summary or summary_of(function)
    first = text.partition(". ")[0].removesuffix(".")
    parser = commands.add_parser(name, help=first[:1].lower() + first[1:], description=text)
    parameters, texts = signature(function).parameters, descriptions(function)
    for parameter in parameters.values():
        _add_parameter(parser, parameter, texts[parameter.name])
    chosen: Run = run or (lambda given, _: function(**given))
    parser.set_defaults(command=functools.partial(_call, chosen, parameters))


def add_group(commands: "Commands", name: str, summary: str, metavar: str = "COMMAND") -> "Commands":
    """The place for commands below a new command, such as `evaluate detector`."""
    parser = commands.add_parser(name, help=summary, description=f"{summary[:1].upper()}{summary[1:]}.")
    return parser.add_subparsers(required=True, metavar=metavar)


def summary_of(function: Function) -> str:
    """The first paragraph of a function's docstring, in one line."""
    return " ".join(cleandoc(function.__doc__ or "").partition("\n\n")[0].split())


def _call(run: Run, parameters: Mapping[str, Parameter], arguments: argparse.Namespace) -> int:
    given = {name: getattr(arguments, name) for name in parameters}
    for name in given:
        if (get_origin(of := _kind(parameters[name].annotation).of) or of) in {dict, Mapping}:
            from flows.recipes import bindings_from_pairs

            given[name] = bindings_from_pairs(given[name])
    return run(given, arguments.words) or 0


def _add_parameter(parser: argparse.ArgumentParser, parameter: Parameter, text: str) -> None:
    kind, default = _kind(parameter.annotation), parameter.default
    is_required = default is Parameter.empty
    metavar = kind.typed.metavar if kind.typed else None
    more: dict[str, Any] = {"help": _help(text, default, is_many=kind.is_many)}
    if isinstance(kind.typed, Argument):
        optional = {} if is_required else {"nargs": "?", "default": default}
        parser.add_argument(parameter.name, metavar=metavar, **more, **({"nargs": "+"} if kind.is_many else optional))
        return
    if kind.of is bool:
        more["action"] = "store_true"
    elif kind.is_many:
        more |= {"action": "append", "metavar": metavar, "default": [] if is_required or default is None else default}
    elif get_origin(kind.of) is Literal:
        more |= {"choices": get_args(kind.of), "default": default}
    else:
        of = {int: functools.partial(whole, kind.least, kind.most), float: number}.get(kind.of, str)
        more |= {"type": of, "metavar": metavar, "default": default, "required": is_required}
    name = (kind.typed.name if kind.typed else None) or f"--{parameter.name.replace('_', '-')}"
    parser.add_argument(name, dest=parameter.name, **more)


def _help(text: str, default: Any, *, is_many: bool) -> str:
    has_default = isinstance(default, str | int | float) and not isinstance(default, bool) and default != ""
    end = f" (default: {default})" if has_default else "; may be repeated" if is_many else ""
    start = text if text[1:2].isupper() else text[:1].lower() + text[1:]
    return f"{start if start.endswith('...') else start.removesuffix('.')}{end}".replace("%", "%%")


def _kind(annotation: Any) -> _Kind:
    """Of Annotated[X, ...], of X | None, and of both within each other."""
    if get_origin(annotation) in {Union, types.UnionType}:
        kinds = [_kind(one) for one in get_args(annotation) if one is not types.NoneType]
        is_plain = len(kinds) > 1 and not kinds[0].is_many  # a path may be more than a text
        return _Kind(str) if is_plain else kinds[0]
    if not hasattr(annotation, "__metadata__"):
        return _Kind(annotation)
    notes = annotation.__metadata__[::-1]  # the last word on it holds
    return _Kind(
        _kind(annotation.__origin__).of,
        next((note for note in notes if isinstance(note, Argument | Option)), None),
        next((int(str(note.ge)) for note in notes if isinstance(note, Ge)), 0),
        next((int(str(note.le)) for note in notes if isinstance(note, Le)), MOST),
    )


def whole(least: int, most: int, text: str) -> int:
    """A whole number in a range."""
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        end = "on" if most == MOST else f"to {most:,}"
        raise argparse.ArgumentTypeError(f"expected a whole number from {least} {end}, got {quoted(text)}")
    return value


def number(text: str) -> float:
    """A number; what range it must be in, the command says."""
    try:
        return float(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(f"expected a number, got {quoted(text)}") from problem
