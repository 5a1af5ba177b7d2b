"""The data contracts that come with the program: of the releases that it writes, and of those that it wrote before."""

import functools
import json
import re
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

import fsspec
import pyarrow as pa
import yaml
from pydantic import ValidationError

from schemas.attributes import AttributeType, Described, with_attribute_columns
from schemas.contract import README, TABLES, ContractProperty, DataContract, contract_path, major, numbers
from schemas.errors import BadInput
from schemas.manifests import VERSION
from schemas.phrases import LONGEST_PLACE, quoted
from schemas.tables import BY_CONTRACT
from schemas.yaml_text import MAX_BYTES, NotYaml, parse_yaml
from tasks.io.files import inputs

_END = ".odcs.yaml"
_MOST_FILES = 100
_WITH_ATTRIBUTES = ("images", "records")
_TYPES: dict[AttributeType, tuple[str, str, str]] = {
    "string": ("string", "string", "string"),
    "integer": ("integer", "int64", "int64"),
    "number": ("number", "double", "double"),
    "boolean": ("boolean", "boolean", "bool"),
    "strings": ("array", "array", "list<string>"),
}
"""logicalType, physicalType and arrowType."""
_ITEMS = "    items:\n      logicalType: string\n      physicalType: string\n"
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Attributes = Mapping[str, Described]
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # where PyYAML has libyaml, it is ten times as fast


def version() -> str:
    """The version of the contract that releases are written by."""
    return contracts()["images"].version


def texts(attributes: Attributes | None = None) -> dict[str, str]:
    """The contract's files, by their paths in a release whose recipe declares these attributes."""
    folder = _folder() / "v3"
    names = {README: "README.md", **{contract_path(table): f"{table}.odcs.yaml" for table in TABLES}}
    found = {path: (folder / name).read_text(encoding="utf-8") for path, name in names.items()}
    return _completed(found, attributes or {})


def arrow_schemas(attributes: Attributes | None = None) -> dict[str, pa.Schema]:
    """The Arrow schema of each table's files, by the table's name, in a release whose recipe declares attributes."""
    return {
        table: with_attribute_columns(schema, attributes or {}) if table in _WITH_ATTRIBUTES else schema
        for table, schema in BY_CONTRACT.items()
    }


def known_texts(of_version: str, attributes: Attributes) -> dict[str, str]:
    """The contract's files in a release by that version, as far as the program has kept them; of another none."""
    if of_version == version():
        return texts(attributes)
    folders = {folder.name: folder for folder in (_folder() / "published/release").iterdir()}
    files = folders[of_version].iterdir() if of_version in folders else ()
    found = {contract_path(file.name.removesuffix(_END)): file.read_text(encoding="utf-8") for file in files}
    return _completed(found, attributes)


def _completed(written: Mapping[str, str], attributes: Attributes) -> dict[str, str]:
    lines = {contract_path(table): _attribute_lines(attributes, table) for table in _WITH_ATTRIBUTES}
    return {path: text + lines.get(path, "") for path, text in written.items()}


@functools.cache
def contracts() -> dict[str, DataContract]:
    """The contract of each table, by the table's name."""
    written = texts()
    return {table: DataContract.model_validate(_parse(written[contract_path(table)])) for table in TABLES}


def with_attributes(known: Mapping[str, DataContract], attributes: Attributes) -> dict[str, DataContract]:
    """These contracts, of a release whose recipe declares attributes: they are columns of images and records."""
    found = dict(known)
    for name in known.keys() & _WITH_ATTRIBUTES if attributes else ():
        table = known[name].table
        columns = map(ContractProperty.model_validate, _parse(_attribute_lines(attributes, name)))
        table = table.model_copy(update={"properties": [*table.properties, *columns]})
        found[name] = known[name].model_copy(update={"objects": [table]})
    return found


def _attribute_lines(attributes: Attributes, table: str) -> str:
    """Attributes as further columns, in YAML that any version of any program writes alike."""
    is_content = "    - {property: content, value: true}\n" if table == "images" else ""
    lines = []
    for name, attribute in attributes.items():
        logical, physical, arrow = _TYPES[attribute.type]
        description = " ".join(_NOT_YAML.sub("?", attribute.description).split())
        description = json.dumps(description or "An attribute that the recipe declares", ensure_ascii=False)
        lines.append(
            f"  - name: {name}\n    logicalType: {logical}\n    physicalType: {physical}\n    required: false\n"
            f"    description: {description}\n"
            f"{_ITEMS if attribute.type == 'strings' else ''}"
            f"    customProperties:\n    - {{property: arrowType, value: {arrow}}}\n{is_content}"
            "    - {property: attribute, value: true}\n"
        )
    return "".join(lines)


def newest(of_major: int) -> Mapping[str, DataContract]:
    """The contract of each table by the newest version of a major that the program knows; empty where it knows none."""
    if of_major == major(version()):
        return contracts()
    kept = {number: of for number, of in published("release").items() if major(number) == of_major}
    return kept[max(kept, key=numbers)] if kept else {}


def with_descriptions(schema: pa.Schema, table: str, known: Mapping[str, DataContract] | None = None) -> pa.Schema:
    """The schema with each column's description, unit and example by the contracts: the program's, or `known` ones."""
    promised = {column.name: column for column in (known or contracts())[table].table.properties}
    for place, field in enumerate(schema):
        if (column := promised.get(field.name)) is not None:
            said = {"description": column.description}
            if unit := column.custom_value("unit"):
                said["unit"] = str(unit)
            if column.examples:
                said["example"] = str(column.examples[0])
            schema = schema.set(place, field.with_metadata({**(field.metadata or {}), **said}))
    return schema


def published(product: str) -> dict[str, dict[str, DataContract]]:
    """Contracts as they were published, by version, then by table; product: release, or evaluation."""
    return {
        folder.name: {
            file.name.removesuffix(_END): DataContract.model_validate(_parse(file.read_text(encoding="utf-8")))
            for file in folder.iterdir()
            if file.name.endswith(_END)
        }
        for folder in (_folder() / "published" / product).iterdir()
        if folder.is_dir()
    }


def read(url: str) -> dict[str, DataContract]:
    """Contracts by their tables: of a file, a folder, or a release, which has them below. Raises BadInput for none."""
    with inputs.reword_errors("contract: expected a file or a folder of contracts", url):
        fs, root = fsspec.core.url_to_fs(url.rstrip("/"))
        if root.rpartition("/")[2] == "latest" and fs.isfile(root):
            named = inputs.read_from(fs, root).decode("utf-8", "replace").strip()
            if not VERSION.fullmatch(named):  # it may not lead elsewhere
                raise BadInput(f"contract: expected a version in `latest`, got {quoted(named, 40)}")
            root = f"{root.rpartition('/')[0]}/{named}"
        folder = f"{root}/contract" if fs.isdir(f"{root}/contract") else root
        names = sorted(fs.ls(folder, detail=False)) if fs.isdir(folder) else [root]
        paths = [path for path in names if path.endswith(_END)] if fs.isdir(folder) else names
        found = [_read(fs, path) for path in paths[:_MOST_FILES]]
    if not found:
        raise BadInput(f"contract: expected files <table>{_END}, got none in {quoted(url, LONGEST_PLACE)}")
    return {contract.table.name: contract for contract in found}


def _read(fs: Any, path: str) -> DataContract:
    with inputs.open_on(fs, path) as file:
        data = inputs.read_at_most(file, MAX_BYTES + 1)
    place = quoted(path, LONGEST_PLACE)
    try:
        return DataContract.model_validate(parse_yaml(data.decode()))
    except (UnicodeDecodeError, NotYaml) as problem:
        raise BadInput(f"contract: {place}: {problem}") from problem
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "it"
        expected = "contract: expected a contract of one table in the Open Data Contract Standard"
        raise BadInput(f"{expected}, got {place} ({where}: {first['msg']})") from problem


def _parse(text: str) -> Any:
    return yaml.load(text, Loader=_LOADER)


def _folder() -> Traversable:
    return resources.files("data_contracts")
