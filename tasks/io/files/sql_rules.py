"""SQL over tables in memory, by DuckDB shut off from everything else: no file, no network, no extension, no setting."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import duckdb
import pyarrow as pa

from schemas.phrases import error_line

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",  # Python's own variables are no tables
    "temp_directory": "",
    "memory_limit": "2GB",
    "threads": "2",
    # what a query no longer needs is given back at once, not kept for the next
    "allocator_flush_threshold": "1MB",
    "allocator_bulk_deallocation_flush_threshold": "1MB",
}


class NoAnswer(ValueError):
    """A query that these tables can't answer, as the part of a sentence that comes after "got"."""


@contextlib.contextmanager
def opened(tables: Mapping[str, pa.Table]) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
    """What answers a query with rows of these tables, by name. Raises NoAnswer for one that DuckDB can't take in."""
    with duckdb.connect(":memory:", config=_CONFIG) as connection:
        for name, table in tables.items():
            try:
                connection.register(name, table)
            except (duckdb.Error, pa.ArrowException) as problem:
                raise NoAnswer(f"{name}: {error_line(problem)}") from problem
        connection.execute("SET lock_configuration = true")

        def answer(query: str) -> list[tuple[Any, ...]]:
            try:
                return connection.execute(query).fetchall()
            except (duckdb.Error, pa.ArrowException) as problem:
                raise NoAnswer(error_line(problem)) from problem

        yield answer
