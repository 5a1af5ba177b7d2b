"""A release in the folders of contract 1: `images/split=val/part-00000.parquet`, rows by primary key."""

import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.part_names import parse_part
from tasks.core.export.digest import PRIMARY_KEYS, manifest_digest


def to_folders_of_splits(release: Path) -> None:
    """Lay out the files of a release as contract 1 had them; nothing else of it changes."""
    manifest = json.loads((release / "manifest.json").read_text(encoding="utf-8"))
    for path in [path for path in manifest["files"] if parse_part(path)]:
        part = parse_part(path)
        assert part is not None
        table = pq.ParquetFile(release / path).read().sort_by(PRIMARY_KEYS[part.table])
        place = table.schema.get_field_index("split")
        table = table.set_column(place, "split", table["split"].cast(pa.dictionary(pa.int32(), pa.string())))
        new = f"{part.table}/split={part.split}/part-{part.number:05}.parquet"
        (release / new).parent.mkdir()
        pq.write_table(table.replace_schema_metadata(None), release / new)
        (release / path).unlink()
        del manifest["files"][path]
        data = (release / new).read_bytes()
        manifest["files"][new] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data), "rows": len(table)}
    manifest["manifest_sha256"] = manifest_digest(manifest)
    (release / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
