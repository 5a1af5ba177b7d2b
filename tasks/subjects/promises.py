"""The rules of contracts, asked of a release's tables: before it is published, and of any that lies there."""

from collections.abc import Iterator, Mapping

import pyarrow as pa

from schemas.contract import DataContract
from tasks.core.contract import rules
from tasks.io.files import sql_rules


def broken_promises(tables: Mapping[str, pa.Table], contracts: Mapping[str, DataContract]) -> Iterator[str]:
    """A sentence for each rule that these tables break.

    tables: by the contracts' names, without image bytes; of a table that is not there nothing is asked.
    """
    # a rule names its own table by its name, and others by their path
    paths = {contracts[name].path: table for name, table in tables.items()}
    with sql_rules.opened({**tables, **paths}) as answer:
        for name in tables:
            for rule in rules.rules(contracts[name]):
                try:
                    ((value,),) = answer(rule.query)
                    if not rules.is_kept(rule, value):
                        yield rules.problem(rule, value, answer(rule.rows) if rule.rows else [])
                except sql_rules.NoAnswer as problem:
                    yield f"{name}: expected {rule.expected}, got tables that can't be asked ({problem})"
