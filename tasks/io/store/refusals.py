"""The ledger of a dataset's last build, if a gate refused it: one file for each dataset, whole or not at all."""

import json
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import BadInput
from schemas.tables import LEDGER
from tasks.io.store.layout import REFUSALS, refusal_path
from tasks.io.store.store import Store

_WORDS = b"refusal"
_SUFFIX = ".parquet"


class RefusedBuild(NamedTuple):
    """A build that published nothing.

    ledger: LEDGER, as far as the build came. sentence: what the gate said. labels: of the stages that were done. day:
    on which it was refused.
    """

    ledger: pa.Table
    sentence: str
    labels: tuple[str, ...]
    day: str


def write_refusal(store: Store, name: str, build: RefusedBuild) -> None:
    """Keep a refused build, in place of an earlier one."""
    words = {"sentence": build.sentence, "labels": build.labels, "day": build.day}
    sink = pa.BufferOutputStream()
    pq.write_table(build.ledger.replace_schema_metadata({_WORDS: json.dumps(words)}), sink, compression="zstd")
    store.write_bytes(refusal_path(name), bytes(sink.getvalue()))


def read_refusal(store: Store, name: str) -> RefusedBuild | None:
    """The dataset's last build, if it was refused; else None. Raises BadInput if the file can't be read."""
    if not store.exists(refusal_path(name)):
        return None
    try:
        table = pq.read_table(pa.BufferReader(store.read_bytes(refusal_path(name))))
        words = json.loads((table.schema.metadata or {})[_WORDS])
        ledger = table.select(LEDGER.names).replace_schema_metadata(None)
        return RefusedBuild(ledger, str(words["sentence"]), tuple(map(str, words["labels"])), str(words["day"]))
    except (pa.ArrowException, KeyError, TypeError, ValueError) as problem:
        raise BadInput(
            f"expected the ledger of a refused build in {refusal_path(name)}, got a file that can't be read: build "
            "again"
        ) from problem


def remove_refusal(store: Store, name: str) -> None:
    """Forget a refused build, if there is one."""
    if store.exists(refusal_path(name)):
        store.remove(refusal_path(name))


def refused_datasets(store: Store) -> list[str]:
    """Names of the datasets whose last build was refused, sorted."""
    return [name.removesuffix(_SUFFIX) for name in store.list_folder(REFUSALS) if name.endswith(_SUFFIX)]
