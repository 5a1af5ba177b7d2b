"""Which source answers for which host."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from examples.museum.serve.hall import Answer, Hall, Request

SOURCES = ("wikiart", "met", "artic", "commons", "flickr", "ukiyoe", "surrealism", "house")
_PACKAGE = "examples.museum.serve"

Route = Callable[[Hall, Request], Answer | None]


def routes(sources: Sequence[str] = SOURCES) -> Mapping[str, Route]:
    """Answers by canonical host, of all sources' modules that are there.

    Raises:
        ValueError: two sources answer for one host.
    """
    found: dict[str, Route] = {}
    for source in sources:
        name = f"{_PACKAGE}.{source}"
        try:
            module = import_module(name)
        except ModuleNotFoundError as missing:
            if missing.name != name:
                raise
            continue
        for host in module.HOSTS:
            if host in found:
                raise ValueError(f"expected one source for {host}, got a second one, {source}")
            found[host] = module.answer
    return found
