"""What mlcroissant reads of a release, held against its Parquet files. It runs in the readers' own environment.

Its arguments: croissant.json, and record sets (by default all). It prints JSON: how many records each had, errors of
reading by record set, and the warnings of the validation.
"""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
from PIL import Image


def as_read(value: Any) -> Any:
    """A value of Parquet as mlcroissant gives it: texts as bytes, moments as pandas'."""
    if isinstance(value, list):
        return [as_read(each) for each in value]
    if isinstance(value, str):
        return value.encode()
    return pd.Timestamp(value) if hasattr(value, "tzinfo") else value


def plain(value: Any) -> Any:
    """A picture as the bytes that it was opened from; all else as it is."""
    return value.fp.getvalue() if isinstance(value, Image.Image) else value


def expected(folder: Path, paths: list[str], record_set: Any) -> list[dict[str, Any]]:
    """The rows of the files, as records of the set's fields."""
    rows = [row for path in sorted(paths) for row in pq.ParquetFile(folder / path).read().to_pylist()]
    members = {"image": "bytes", "image_path": "path"}
    found = []
    for row in rows:
        record = {}
        for field in record_set.fields:
            name = field.id.rpartition("/")[2]
            member = members.get(name)
            value = row["image"][member] if member and "image" in row else row[name]
            record[field.id] = as_read(value)
        found.append(record)
    return found


def check(dataset: Any, folder: Path, record_set: Any) -> int:
    """How many records the set has; they are those of its files, twice, with pictures that can be decoded."""
    document = json.loads((folder / "croissant.json").read_text())
    files = [node["@id"] for node in document["distribution"] if node["@type"] == "cr:FileObject"]
    sources = {field.source.uuid for field in record_set.fields}
    (source,) = sources
    mine = [path for path in files if path == source or f"{path.partition('/')[0]}-files" == source]
    assert mine, record_set.id
    wanted = expected(folder, mine, record_set)
    for _ in range(2):
        found = [{name: plain(value) for name, value in record.items()} for record in dataset.records(record_set.id)]
        assert found == wanted, record_set.id
    for record in wanted:
        for name, value in record.items():
            if name.endswith("/image") and value is not None:
                Image.open(io.BytesIO(value)).load()
    return len(wanted)


def main(path: str, *names: str) -> None:
    """Check all record sets, or those of these names."""
    import mlcroissant as mlc  # which only the readers' environment has

    dataset = mlc.Dataset(path)
    counts: dict[str, int] = {}
    failed: dict[str, str] = {}
    for record_set in dataset.metadata.record_sets:
        if names and record_set.id not in names:
            continue
        try:
            if record_set.data:
                counts[record_set.id] = len(list(dataset.records(record_set.id)))
            else:
                counts[record_set.id] = check(dataset, Path(path).parent, record_set)
        except mlc.GenerationError as problem:
            failed[record_set.id] = str(problem.__cause__)
    issues = dataset.metadata.ctx.issues
    seen = {
        "counts": counts,
        "failed": failed,
        "warnings": sorted(issues.warnings),
        "errors": sorted(issues.errors),
        "name": dataset.metadata.name,
        "description": dataset.metadata.description,
    }
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
