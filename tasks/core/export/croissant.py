"""`croissant.json`: a release as MLCommons' Croissant 1.1 describes datasets, for search engines and `mlcroissant`.

https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html, and what mlcroissant 1.1.1 makes of it
(docs/decisions/046-croissant.md): a record set whose files are many is a FileSet, which it reads file by file; what a
column refers to stands in an `annotation`, since of a field with `references` of its own mlcroissant reads no row the
second time (mlcommons/croissant#1049).
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.contract import SPLIT_TABLES, ContractObject, ContractProperty, parse_part
from schemas.manifests import FileEntry, ReleaseManifest
from schemas.phrases import counted
from schemas.release import ReleaseAbout, ReleaseRecipe
from schemas.sources.common import NOASSERTION
from schemas.split import SPLITS
from tasks.core.export.citation import citation
from tasks.core.export.responsible_ai import CollectionFacts, responsible_ai
from tasks.core.rights import allowed_use

Node = dict[str, Any]
"""A node of JSON-LD."""

_CROISSANT_TERMS = (
    *("arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract", "field", "fileProperty"),
    *("fileObject", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath", "key", "md5"),
    *("parentField", "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator"),
    *("source", "subField", "transform", "annotation"),
)
_CONTEXT: Node = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    **{term: f"cr:{term}" for term in _CROISSANT_TERMS},
}
"""The specification's own. `https` of schema.org: with its `http` mlcroissant finds no dataset (croissant#1018)."""
_CONFORMS_TO = ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]
_PARQUET = "application/x-parquet"
"""Not the registered application/vnd.apache.parquet, which mlcroissant does not read."""

IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
_SPLIT_URLS = {"train": "cr:TrainingSplit", "val": "cr:ValidationSplit", "test": "cr:TestSplit"}
_ENUMERATIONS = frozenset({"categories"})

REFERENCES = {
    **{(table, "split"): "splits/name" for table in (*SPLIT_TABLES, "fingerprints")},
    **{(table, "image_id"): "images/image_id" for table in ("annotations", "detections", "fingerprints")},
    **{(table, "category_id"): "categories/category_id" for table in ("annotations", "detections")},
    **{(table, "record_id"): "ledger/record_id" for table in ("images", "annotations", "detections", "records")},
}
"""Columns whose values are all in a field of another record set, as (table, column), and that field."""

MOST_KEY_SETS = 300
"""More files get no record set of their keys: mlcroissant would take a minute to open the metadata."""


class PromisedTable(NamedTuple):
    """A table as its release's contract describes it, and the Arrow schema of its files."""

    contract: ContractObject
    schema: pa.Schema


def croissant(
    recipe: ReleaseRecipe,
    manifest: ReleaseManifest,
    promised: Mapping[str, PromisedTable],
    facts: CollectionFacts,
    modified: str | None = None,
) -> Node:
    """The metadata of a release.

    manifest: of all its Parquet files, and nothing else is asked of its `files`. promised: the release's tables by
    their names; those without a row are left out. modified: the day of its last amendment, such as 2025-01-31, if there
    was any. There is no other clock in it: without one nobody knows the day on which a release is published.

    Raises ValueError for a column of a type that no release has.
    """
    paths = {name: _paths(name, manifest.files) for name in promised}
    filled = {name: found for name, found in paths.items() if any(manifest.files[path].rows for path in found)}
    splits = _splits(manifest.files)
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": _CONFORMS_TO,
        "name": recipe.title or manifest.name,
        "alternateName": manifest.name,
        "description": (recipe.description or "").strip() or f"{counted(facts.images, 'image')}.",
        "version": f"{manifest.lineage}.0.0+{manifest.version}",
        "identifier": f"sha256:{manifest.content_sha256}",
        **({"dateModified": modified} if modified else {}),
        **_said_by_people(recipe, manifest),
        "license": _licences(facts.rights),
        "keywords": list(recipe.category_names),
        **responsible_ai(recipe, manifest, facts),
        "distribution": [*_file_objects(filled, manifest.files), *_file_sets(filled)],
        "recordSet": [
            *_split_records(splits),
            *(_record_set(name, promised[name], found, splits, recipe) for name, found in filled.items()),
            *_key_sets(filled, promised),
        ],
    }


def _said_by_people(recipe: ReleaseRecipe, manifest: ReleaseManifest) -> Node:
    about = recipe.about or ReleaseAbout()
    said = {
        "creator": [{"@type": "sc:Person", "name": name} for name in about.authors],
        "url": about.homepage,
        "subjectOf": about.paper,
        "inLanguage": about.languages,
        "citeAs": citation(recipe.title or manifest.name, about, manifest),
    }
    return {name: value for name, value in said.items() if value}


def croissant_text(document: Node) -> bytes:
    r"""The file of it: plain ASCII, in which no text can end an HTML element or turn the direction of writing.

    >>> croissant_text({"name": "</script>"})
    b'{"name":"\\u003c/script\\u003e"}\n'
    """
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    for sign in "<>&":  # which stand in texts alone
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f"{text}\n".encode()


def _paths(table: str, files: Collection[str]) -> list[str]:
    """The Parquet files of a table; those of statistics lie in a folder."""
    if table in SPLIT_TABLES:
        return sorted(path for path in files if (part := parse_part(path)) is not None and part.table == table)
    return [path for path in (f"{table}.parquet", f"statistics/{table}.parquet") if path in files]


def _splits(files: Collection[str]) -> list[str]:
    """The splits that have files of images, by rank, then by name."""
    found = {part.split for path in files if (part := parse_part(path)) is not None and part.table == "images"}
    return [*(name for name in SPLITS if name in found), *sorted(found - {*SPLITS})]


def _licences(rights: Mapping[str, int]) -> list[Any]:
    """The URIs of the rights of its images; images of which nobody says them are a work under terms without a URI."""
    unknown = {"@type": "sc:CreativeWork", "name": NOASSERTION, "description": allowed_use(NOASSERTION)}
    return [unknown if uri == NOASSERTION else uri for uri in sorted(rights)]


def _file_objects(filled: Mapping[str, list[str]], files: Mapping[str, FileEntry]) -> Iterator[Node]:
    for path in (path for paths in filled.values() for path in paths):
        yield {
            "@type": "cr:FileObject",
            "@id": path,
            "contentUrl": path,
            "contentSize": f"{files[path].bytes} B",
            "encodingFormat": _PARQUET,
            "sha256": files[path].sha256,
        }


def _file_sets(tables: Collection[str]) -> Iterator[Node]:
    for table in tables:
        if table in SPLIT_TABLES:
            includes = f"{table}/*.parquet"
            yield {"@type": "cr:FileSet", "@id": f"{table}-files", "encodingFormat": _PARQUET, "includes": includes}


def _split_records(splits: Sequence[str]) -> Iterator[Node]:
    if splits:
        yield {
            "@type": "cr:RecordSet",
            "@id": "splits",
            "name": "splits",
            "dataType": "cr:Split",
            "key": {"@id": "splits/name"},
            "field": [
                {"@type": "cr:Field", "@id": "splits/name", "name": "name", "dataType": "sc:Text"},
                {"@type": "cr:Field", "@id": "splits/url", "name": "url", "dataType": ["sc:URL", "cr:Split"]},
            ],
            "data": [{"splits/name": name, "splits/url": _SPLIT_URLS.get(name)} for name in splits],
        }


def _record_set(
    name: str, promised: PromisedTable, paths: Sequence[str], splits: Sequence[str], recipe: ReleaseRecipe
) -> Node:
    contract = promised.contract
    source: Node = {"fileSet": {"@id": f"{name}-files"}}
    if name not in SPLIT_TABLES:
        source = {"fileObject": {"@id": paths[0]}}
    fields: list[Node] = []
    for column in promised.schema:
        if column.type.equals(IMAGE):
            fields += _image_fields(name, source, contract.column(column.name), recipe)
        elif column.name == "split" and name in SPLIT_TABLES:
            fields.append(_split_field(name, source, contract.column(column.name), splits))
        else:
            fields.append(_field(name, source, column, contract.column(column.name)))
    key = [{"@id": f"{name}/{column}"} for column in contract.primary_key]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": contract.description,
        **({"dataType": "sc:Enumeration"} if name in _ENUMERATIONS else {}),
        **({"key": key[0] if len(key) == 1 else key} if key else {}),
        "field": fields,
    }


def _field(table: str, source: Node, column: pa.Field, promised: ContractProperty | None) -> Node:
    where = {**source, "extract": {"column": column.name}}
    return _described(table, column.name, promised) | croissant_type(column.type) | {"source": where}


def _described(table: str, name: str, promised: ContractProperty | None) -> Node:
    """What any field of a record set has, with what it refers to."""
    node: Node = {"@type": "cr:Field", "@id": f"{table}/{name}", "name": name}
    if promised is not None and promised.description:
        unit = promised.custom_value("unit")
        node["description"] = f"{promised.description} ({unit})" if unit else promised.description
    if (target := REFERENCES.get((table, name))) is not None:
        node["annotation"] = {
            "@type": "cr:Field",
            "@id": f"{table}/{name}/references",
            "references": {"field": {"@id": target}},
        }
    return node


def _split_field(table: str, source: Node, promised: ContractProperty | None, splits: Sequence[str]) -> Node:
    """The split by the path of the file, which says it as the column does: so a reader of one split opens its files
    alone (`records(table, filters={"images/split": "train"})`).
    """
    names, digits = "|".join(map(re.escape, splits)), "[0-9]" * 5  # which a glob and a regular expression read alike
    pattern = rf"^{table}/({names})-{digits}-of-{digits}\.parquet$"
    where = {**source, "extract": {"fileProperty": "fullpath"}, "transform": {"regex": pattern}}
    return _described(table, "split", promised) | {"dataType": ["sc:Text", "cr:Split"], "source": where}


def _image_fields(table: str, source: Node, promised: ContractProperty | None, recipe: ReleaseRecipe) -> Iterator[Node]:
    """The image itself, where the table holds its bytes, and the path of its file, where the release has files."""
    export = recipe.stage("export")
    is_embedded = export is None or export.parquet is None or export.parquet.images == "embedded"
    for name, member, data_type, is_there in (
        ("image", "bytes", "sc:ImageObject", is_embedded),
        ("image_path", "path", "sc:Text", export is not None and export.media is True),
    ):
        if is_there:
            where = {**source, "extract": {"column": "image"}, "transform": {"jsonPath": member}}
            yield _described(table, name, promised) | {"dataType": data_type, "source": where}


def _key_sets(filled: Mapping[str, list[str]], promised: Mapping[str, PromisedTable]) -> Iterator[Node]:
    """For each of the files of a FileSet a record set of its rows' keys: mlcroissant holds a file against its digest
    where it is read alone, and never as one of a set. None where files are many.
    """
    files = [(name, path) for name, paths in filled.items() if name in SPLIT_TABLES for path in paths]
    for table, path in files if len(files) <= MOST_KEY_SETS else ():
        keys = promised[table].contract.primary_key
        name = f"files/{path.removesuffix('.parquet')}"
        source = {"fileObject": {"@id": path}}
        fields = [_field(name, source, promised[table].schema.field(key), None) for key in keys]
        yield {
            "@type": "cr:RecordSet",
            "@id": name,
            "name": name,
            "description": f"Keys of one file of {table}: reading them checks its SHA-256.",
            "field": fields,
        }


_KINDS = (
    (pa.types.is_boolean, "sc:Boolean"),
    (pa.types.is_integer, "sc:Integer"),
    (pa.types.is_floating, "sc:Float"),
    (pa.types.is_string, "sc:Text"),
    (pa.types.is_timestamp, "sc:DateTime"),
)


def croissant_type(kind: pa.DataType) -> Node:
    """The properties of a field of that Arrow type: `dataType`, and of lists `isArray` and `arrayShape`.

    >>> croissant_type(pa.list_(pa.float64(), 4))
    {'dataType': 'sc:Float', 'isArray': True, 'arrayShape': '4'}

    Raises ValueError for a type that no release has.
    """
    for is_such, data_type in _KINDS:
        if is_such(kind):
            return {"dataType": data_type}
    if pa.types.is_fixed_size_list(kind):
        return _array(kind, kind.list_size)
    if pa.types.is_list(kind):
        return _array(kind, -1)
    raise ValueError(f"expected a type that a column of a release has, got {kind}")


def _array(kind: pa.DataType, length: int) -> Node:
    """A list of single values; -1: of any length."""
    if pa.types.is_nested(kind.value_type):
        raise ValueError(f"expected a list of single values, got {kind}")
    return croissant_type(kind.value_type) | {"isArray": True, "arrayShape": str(length)}
