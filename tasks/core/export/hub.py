"""The head of a release's card: what Hugging Face's hub and `datasets` know a dataset by
(huggingface.co/docs/hub/datasets-cards).
"""

import contextlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.types as kinds
import yaml

from schemas.about import About
from schemas.contract import SPLIT_TABLES, parse_part
from schemas.manifests import FileEntry
from schemas.phrases import quoted
from schemas.recipe import Recipe
from schemas.split import SPLITS
from schemas.yaml_text import NotYaml, parse_yaml
from tasks.core import rights
from tasks.core.export.summary import ReleaseSummary

_LICENCES = frozenset(
    {
        *("cc0-1.0", "cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0"),
        *("cc-by-nc-2.0", "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0"),
        *("cc-by-nc-sa-2.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0"),
    }
)
"""The Creative Commons licences among those that the hub has words for, which are SPDX's in small letters
(https://huggingface.co/docs/hub/repositories-licenses)."""
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "n>1B")
_DERIVED = ("configs", "dataset_info")
_NAMES: Mapping[str, str] = {"double": "float64", "float": "float32", "halffloat": "float16", "date32[day]": "date32"}
"""What `datasets` calls Arrow's types, where it calls them otherwise."""


class FileSize(NamedTuple):
    """Of a file of a table."""

    rows: int
    bytes: int


def with_head(head: Mapping[str, Any], text: str) -> str:
    """A card with its head."""
    return f"---\n{yaml.safe_dump(dict(head), sort_keys=False, allow_unicode=True, width=1000)}---\n\n{text}"


def head_and_text(card: str) -> tuple[dict[str, Any] | None, str]:
    """The head of a card, and what follows it; None and the whole card where it has none that can be read."""
    head, end, text = card.partition("\n---\n\n")
    with contextlib.suppress(NotYaml):
        if end and head.startswith("---\n") and isinstance(found := parse_yaml(head.removeprefix("---\n")), dict):
            return found, text
    return None, card


def card_head(
    recipe: Recipe,
    summary: ReleaseSummary,
    files: Mapping[str, FileEntry],
    schemas: Mapping[str, pa.Schema],
) -> dict[str, Any]:
    """What stands above the card, as YAML.

    files: of the release, with their rows; schemas: of the tables that lie by split, as their files have them. A split
    without rows is left out, since `datasets` has none without. What nobody said is left out, too, but for a licence.
    """
    about = recipe.about or About()
    optional = {"language": [*about.languages], "task_categories": _tasks(about, summary)}
    return {
        "pretty_name": recipe.title or recipe.name,
        "license": sorted({hub_licence(uri) for uri in summary.rights}) or ["unknown"],
        "license_details": "Each image has its own: columns rights_uri and attribution of images, and ATTRIBUTION.md",
        **{name: words for name, words in optional.items() if words},
        "annotations_creators": _annotators(about, summary),
        "size_categories": [_size(summary.images)],
        "tags": list(dict.fromkeys(["art", *about.tags, "bilderatlas"])),
        **_tables(
            {path: FileSize(entry.rows or 0, entry.bytes) for path, entry in files.items()},
            {table: hub_features(schema) for table, schema in schemas.items()},
        ),
    }


def head_after_purge(head: Mapping[str, Any], sizes: Mapping[str, FileSize]) -> dict[str, Any]:
    """The head of a card whose release has lost rows: without splits that are empty now, and with the numbers of
    others. What else it says is of the day of publication. sizes: of the tables' files as they are now, by path.
    """
    known = head.get("dataset_info")
    features = {
        entry["config_name"]: entry.get("features")
        for entry in (known if isinstance(known, list) else [])
        if isinstance(entry, dict) and "config_name" in entry
    }
    tables = _tables(sizes, features)
    return {name: tables.get(name, value) for name, value in head.items()}


def without_sizes(head: Mapping[str, Any]) -> dict[str, Any]:
    """The head without bytes of files, which are others where a program writes equal rows anew. Raises ValueError for
    one of another form.
    """
    try:
        infos = [
            {
                **{name: value for name, value in info.items() if name not in {"download_size", "dataset_size"}},
                "splits": [{**split, "num_bytes": None} for split in info["splits"]],
            }
            for info in head["dataset_info"]
        ]
    except (KeyError, TypeError, AttributeError) as problem:
        raise ValueError(
            f"expected dataset_info as the hub has it, got {quoted(head.get('dataset_info'))}"
        ) from problem
    return {**head, "dataset_info": infos}


def hub_licence(rights_uri: str) -> str:
    """The hub's word for a licence.

    >>> hub_licence("https://creativecommons.org/licenses/by-sa/4.0/"), hub_licence("NOASSERTION")
    ('cc-by-sa-4.0', 'unknown')
    """
    if rights_uri == "NOASSERTION":
        return "unknown"
    word = (rights.spdx_id(rights_uri) or "").lower()
    return word if word in _LICENCES else "other"


def hub_features(schema: pa.Schema) -> list[dict[str, Any]]:
    """The features of a table in the form that YAML has them in, by its Arrow types and what its own metadata says of
    images and classes. Raises ValueError for a type that `datasets` has no word for.

    >>> hub_features(pa.schema([("title", pa.string()), ("xywh_px", pa.list_(pa.float64()))]))
    [{'name': 'title', 'dtype': 'string'}, {'name': 'xywh_px', 'list': 'float64'}]
    """
    own = json.loads((schema.metadata or {}).get(b"huggingface", b"{}")).get("info", {}).get("features", {})
    return [{"name": field.name, **(_said(own.get(field.name)) or _feature(field.type))} for field in schema]


def _said(feature: Mapping[str, Any] | None) -> dict[str, Any]:
    if feature is None:
        return {}
    if feature["_type"] == "Image":
        return {"dtype": "image"}
    return {"dtype": {"class_label": {"names": {str(place): name for place, name in enumerate(feature["names"])}}}}


def _feature(kind: pa.DataType) -> dict[str, Any]:
    if kinds.is_dictionary(kind):
        return _feature(kind.value_type)
    if kinds.is_struct(kind):
        return {"struct": [{"name": field.name, **_feature(field.type)} for field in kind]}
    if kinds.is_list(kind) or kinds.is_fixed_size_list(kind):
        inner = _feature(kind.value_type)
        length = {"length": kind.list_size} if kinds.is_fixed_size_list(kind) else {}
        return {"list": inner["dtype"] if [*inner] == ["dtype"] else inner.get("struct", inner), **length}
    name = _NAMES.get(str(kind), str(kind))
    if not (kinds.is_primitive(kind) or name in {"string", "binary"}):
        raise ValueError(f"expected a type that features of Hugging Face have, got {name}")
    return {"dtype": name}


def _tasks(about: About, summary: ReleaseSummary) -> list[str]:
    by_facts = {
        "object-detection": bool(summary.origins),
        "keypoint-detection": summary.with_keypoints > 0,
        "image-classification": summary.styles > 1,
    }
    return list(dict.fromkeys([*(task for task, is_one in by_facts.items() if is_one), *about.tasks]))


def _annotators(about: About, summary: ReleaseSummary) -> list[str]:
    """Who made annotations and detections, in the hub's words. A source's annotations are found; of people's it is not
    known who they are, unless the recipe says so.
    """
    by_people = about.annotators or "other"
    words = {"source": "found", **dict.fromkeys(("person", "consensus"), by_people)}
    creators = [words.get(origin, "other") for origin in summary.origins]
    creators += ["machine-generated"] if summary.detections else []
    return sorted({*creators}) or ["no-annotation"]


def _size(images: int) -> str:
    """The hub's word for a size.

    >>> _size(0), _size(999), _size(1000), _size(81_446)
    ('n<1K', 'n<1K', '1K<n<10K', '10K<n<100K')
    """
    return _SIZES[min(max(len(str(images)) - 3, 0), len(_SIZES) - 1)]


def _tables(sizes: Mapping[str, FileSize], features: Mapping[str, Any]) -> dict[str, Any]:
    """`configs` and `dataset_info`: each table's files by split, its columns, and its rows and bytes."""
    configs, infos = [], []
    for table in SPLIT_TABLES:
        rows = _sizes_by_split(table, sizes)
        if not rows:
            continue
        # `datasets` takes no hyphens in a name; and val-*.parquet would be the files of val-2, too
        named = {split: split.replace("-", "_") for split in rows}
        paths = [{"split": named[split], "path": f"{table}/{split}-?????-of-?????.parquet"} for split in rows]
        configs.append({"config_name": table, **({"default": True} if table == "images" else {}), "data_files": paths})
        splits = [
            {"name": named[split], "num_bytes": size.bytes, "num_examples": size.rows} for split, size in rows.items()
        ]
        said = {"features": features[table]} if features.get(table) else {}
        whole_bytes = sum(size.bytes for size in rows.values())
        infos.append(
            {
                "config_name": table,
                **said,
                "splits": splits,
                "download_size": whole_bytes,
                "dataset_size": whole_bytes,
            }
        )
    return dict(zip(_DERIVED, (configs, infos), strict=True))


def _sizes_by_split(table: str, sizes: Mapping[str, FileSize]) -> dict[str, FileSize]:
    """Of each split that has any rows, in the order of splits, what its files have together."""
    found: dict[str, FileSize] = {}
    for path, size in sizes.items():
        part = parse_part(path)
        if part is not None and part.table == table and size.rows:
            before = found.get(part.split, FileSize(0, 0))
            found[part.split] = FileSize(before.rows + size.rows, before.bytes + size.bytes)
    order = [*(split for split in SPLITS if split in found), *sorted({*found} - {*SPLITS})]
    return {split: found[split] for split in order}
