"""Releases on disk, which `drafts` writes: one version, and which versions there are. Without manifest.json, none."""

import contextlib
import functools
import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem
from pydantic import BaseModel, ValidationError

from schemas.attributes import with_attribute_columns
from schemas.contract import SPLIT_TABLES, DataContract, contract_path, major, numbers
from schemas.errors import BadInput, DamagedFile
from schemas.manifests import VERSION, FileEntry, ReleaseManifest
from schemas.phrases import LONGEST_PLACE, error_line, quoted, quoted_name
from schemas.release import ReleaseAttribute, ReleaseAttributes, ReleaseRecipe, ReleaseScores
from schemas.stand_ins import LOOK_BYTES, stand_in
from schemas.tables import ANNOTATIONS, BOXES, COCO_FILES, DETECTIONS, LABELS, TAKEDOWNS, TOMBSTONES
from schemas.yaml_text import NotYaml, parse_yaml
from tasks.io.files import inputs
from tasks.io.files.parquet_files import leaf_paths
from tasks.io.store import layout, release_tables
from tasks.io.store.store import Store

OLDEST_CONTRACT = (2, 1)
"""Nothing was released before."""
_YAML_TOLERANCE = 10
"""A release has its recipe with all defaults written out: it may be so many times as long as what a person wrote."""
_MEMORY = ("ledger.parquet", "records.parquet", "labels.parquet", "takedowns.parquet", "tombstones.parquet")
_Fields = TypeVar("_Fields", bound=BaseModel)


class Release:
    """A published version, from any folder or fsspec URL. What reads a file raises DamagedFile if it is gone or odd."""

    def __init__(self, url: str) -> None:
        """Raises BadInput if there is no intact manifest at the URL; `.../latest` is followed to the newest version."""
        try:
            self.fs, self.root = fsspec.core.url_to_fs(url.rstrip("/"))
            folder, _, name = self.root.rpartition("/")
            self.latest_text: bytes | None = None  # of the file by which it was found, if it was
            if name == "latest" and not self.fs.exists(f"{self.root}/manifest.json"):
                self.latest_text = inputs.read_from(self.fs, self.root)
                version = self.latest_text.decode().strip()
                if not VERSION.fullmatch(version):  # it may not lead to another dataset's folder
                    raise ValueError(f"`latest` holds {quoted(version, 40)}, which is no version")
                self.root = f"{folder}/{version}"
            self.manifest_text = inputs.read_from(self.fs, f"{self.root}/manifest.json")
            if (words := stand_in(self.manifest_text)) is not None:
                raise ValueError(f"manifest.json is {words}")
            self.manifest = ReleaseManifest.model_validate_json(self.manifest_text)
        # the last: of a file system that asks for more
        except (OSError, ValueError, ImportError, TypeError) as problem:
            place = quoted(url, LONGEST_PLACE)
            if isinstance(problem, FileNotFoundError) and url.rstrip("/").endswith("/latest"):
                expected = (
                    "release: expected a release that is the latest, which those of builds with a limit never become"
                )
                raise BadInput(f"{expected}; got {place}, where there is none") from problem
            said: Exception = problem
            if isinstance(problem, ValidationError):
                first = problem.errors(include_url=False)[0]
                where = ".".join(map(quoted_name, first["loc"][:2]))
                said = ValueError(f"{where}: {first['msg'].removeprefix('Value error, ')}" if where else first["msg"])
            expected = "release: expected a folder with a manifest.json"
            raise BadInput(f"{expected}, got {place} ({error_line(said)})") from problem
        if numbers(promised := self.manifest.contract_version) < OLDEST_CONTRACT:
            expected = f"release: expected one by contract {'.'.join(map(str, OLDEST_CONTRACT))} or later"
            got = f"{quoted(url, LONGEST_PLACE)}, whose manifest.json says {quoted(promised, 20)}: build it again"
            raise BadInput(f"{expected}, got {got}")

    @property
    def url(self) -> str:
        """Where it lies, as a path or URL."""
        return self.root if isinstance(self.fs, LocalFileSystem) else str(self.fs.unstrip_protocol(self.root))

    def read(self, path: str) -> bytes:
        """Bytes of one of its files."""
        with self._open(path) as file:
            return bytes(file.read())

    def read_json(self, path: str) -> Any:
        """The value of one of its JSON files."""
        try:
            return json.loads(self.read(path))
        except (ValueError, RecursionError) as problem:
            raise self.damage(path, "JSON", problem) from problem

    @contextlib.contextmanager
    def _open(self, path: str) -> Iterator[Any]:
        if not {"", ".", ".."}.isdisjoint(path.split("/")):  # a manifest may come from anybody
            got = quoted(path, LONGEST_PLACE)
            raise DamagedFile(f"expected only paths inside release {self.manifest.version}, got {got}")
        try:
            file = inputs.open_on(self.fs, f"{self.root}/{path}")
        except (FileNotFoundError, NotADirectoryError) as problem:
            raise DamagedFile(f"expected {path} in release {self.manifest.version}, got nothing there") from problem
        except inputs.NotRegular as problem:
            raise self.damage(path, "a file", problem) from problem
        with file:
            yield file

    @contextlib.contextmanager
    def open_parquet(self, path: str, footer: pq.FileMetaData | None = None) -> Iterator[pq.ParquetFile]:
        """One of its Parquet files, read in the block. footer: what an earlier look at the file found at its end."""
        with self._open(path) as file:
            try:
                parquet = pq.ParquetFile(file, metadata=footer)
                rows, length = parquet.metadata.num_rows, file.seek(0, os.SEEK_END)
                # each row of a release has a key of its own; but a column of a billion nulls takes no room in a file
                if rows > length:
                    raise self.damage(path, "a table", ValueError(f"{rows:,} rows in {length:,} bytes"))
                yield parquet
            except pa.ArrowException as problem:
                raise self.damage(path, "a Parquet file", problem) from problem
            except OSError as problem:
                if problem.errno is not None:  # the machine's fault, not the file's: Arrow's own have no number
                    raise
                raise self.damage(path, "a Parquet file", problem) from problem

    def damage(self, path: str, expected: str, problem: Exception) -> DamagedFile:
        """The error for a file that is not what releases have there."""
        got = error_line(problem)
        with contextlib.suppress(OSError), inputs.open_on(self.fs, f"{self.root}/{path}") as file:
            got = stand_in(file.read(LOOK_BYTES)) or got
        return DamagedFile(f"expected {path} in release {self.manifest.version} to be {expected}, got {got}")

    def read_mapping(self, path: str) -> dict[str, Any]:
        """One of its YAML files, such as `recipe.yaml`, read with limits: a release may come from anybody."""
        try:
            value = parse_yaml(self.read(path).decode(), tolerance=_YAML_TOLERANCE)
        except (UnicodeDecodeError, NotYaml) as problem:
            raise DamagedFile(f"{path} of release {self.manifest.version}: {problem}") from problem
        if not isinstance(value, dict):
            raise DamagedFile(f"{path} of release {self.manifest.version}: expected a mapping, got {quoted(value)}")
        return value

    def recipe(self) -> ReleaseRecipe:
        """What is read of its recipe."""
        return self._fields("recipe.yaml", ReleaseRecipe)

    def contract_files(self, tables: Collection[str]) -> dict[str, DataContract]:
        """Its contracts of these tables, which it needs to have."""
        return {table: self._fields(contract_path(table), DataContract) for table in tables}

    @functools.cached_property
    def attributes(self) -> Mapping[str, ReleaseAttribute]:
        """What its recipe declares beyond the columns of all releases, whatever else it says; none without a recipe."""
        is_there = "recipe.yaml" in self.manifest.files
        return self._fields("recipe.yaml", ReleaseAttributes).attributes if is_there else {}

    def release_table(self, name: str) -> release_tables.ReleaseTable:
        """A table as this release has it, with its attributes but those called as a column of the program's own."""
        table = (release_tables.UNTIL_3 if self._is_before_3 else {}).get(name, release_tables.TABLES[name])
        if name not in release_tables.WITH_ATTRIBUTES:
            return table
        free = {attribute: of for attribute, of in self.attributes.items() if attribute not in table.schema.names}
        return table._replace(schema=with_attribute_columns(table.schema, free))

    @property
    def _is_before_3(self) -> bool:
        return major(self.manifest.contract_version) < 3

    def scores(self) -> ReleaseScores:
        """What `evaluation.json` says of its detector."""
        return self._fields("evaluation.json", ReleaseScores)

    def _fields(self, path: str, kind: type[_Fields]) -> _Fields:
        try:
            return kind.model_validate(self.read_json(path) if path.endswith(".json") else self.read_mapping(path))
        except ValidationError as problem:
            first = problem.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"])) or "it"
            expected = f"{path} of release {self.manifest.version}: expected '{place}' as releases have it"
            raise DamagedFile(f"{expected}, got {quoted(first['input'])} ({first['msg']})") from problem

    def ledger(self) -> pa.Table:
        """Its ledger."""
        return self.read_columns("ledger.parquet", self.release_table("ledger").schema.names)

    def records(self) -> pa.Table:
        """What was known of every record when it was built."""
        return self.read_columns("records.parquet", ("record_id", "source"))

    def relations(self) -> pa.Table:
        """EDGES: what pairs of its records are to each other."""
        return self.read_columns("relations.parquet", self.release_table("relations").schema.names)

    def coco_files(self) -> pa.Table:
        """COCO_FILES: what its sources' COCO files say of no single image; empty if there are none."""
        return self._table_or_empty("coco_files.parquet", COCO_FILES)

    def tombstones(self) -> pa.Table:
        """TOMBSTONES of what was purged before it was published or since; empty if there are none."""
        return self._table_or_empty("tombstones.parquet", TOMBSTONES)

    def labels(self) -> pa.Table:
        """LABELS: numbers for words of its images; empty before contract 3.1."""
        return self._table_or_empty("labels.parquet", LABELS)

    def takedowns(self) -> pa.Table:
        """TAKEDOWNS of what its ledger had as taken down when it was published; empty if there are none."""
        return self._table_or_empty("takedowns.parquet", TAKEDOWNS)

    def _table_or_empty(self, path: str, schema: pa.Schema) -> pa.Table:
        return self.read_columns(path, schema.names) if path in self.manifest.files else schema.empty_table()

    def rows(self, table: str, columns: Sequence[str]) -> pa.Table:
        """Columns of a table, of all its files, in a release's types (`release_tables.check_columns`). Raises
        DamagedFile also for no file, a column missing or of another kind, nulls where releases have none, text or
        numbers that are none.
        """
        if not (paths := self.parts(table)):
            raise DamagedFile(f"expected files of the table {table} in release {self.manifest.version}, got none")
        return pa.concat_tables([self.read_columns(path, columns, columns).select(columns) for path in paths])

    def boxes(self, columns: Sequence[str]) -> pa.Table:
        """Columns of BOXES, read as `rows` reads a table: what is drawn in its images, and what a detector found."""
        if self._is_before_3:
            return self.rows("annotations", columns)
        named = [release_tables.OF_DETECTIONS.get(name, name) for name in columns]
        # of each at least one column, which says how many rows there are
        drawn = [name for name in columns if name in ANNOTATIONS.names] or ["annotation_id"]
        detected = [name for name in named if name in DETECTIONS.names] or ["detection_id"]
        return release_tables.boxes_of(self.rows("annotations", drawn), self.rows("detections", detected), columns)

    def box_columns(self) -> list[str]:
        """The columns of BOXES that it has: releases of some contracts lack some."""
        schemas = [set(self.schema(path).names) for path in self.parts("annotations")]
        names = self.release_table("annotations").schema.names if self._is_before_3 else BOXES.names
        return [name for name in names if name == "score" or all(name in schema for schema in schemas)]

    def read_columns(self, path: str, needed: Collection[str] = (), only: Collection[str] | None = None) -> pa.Table:
        """Those of the columns (all, or `only` these) that a file has, all `needed` among them; never image bytes."""
        if (name := release_tables.table_of_path(path)) is None:
            raise AssertionError(f"expected a file of a release's table, got {path}")
        with self.open_parquet(path) as parquet:
            leaves = leaf_paths(parquet)
            expected = self.release_table(name)
            wanted = set(expected.schema.names if only is None else only) - {"image"}
            found = parquet.read(columns=[leaf for leaf in leaves if leaf.partition(".")[0] in wanted])
        try:
            return release_tables.check_columns(found, expected, needed)
        except ValueError as problem:  # Arrow's errors are some, too
            raise self.damage(path, f"a table of {name} as releases have them", problem) from problem

    def damaged_memory(self) -> list[str]:
        """Paths of what the next build goes by (the kept, known and purged) that is not as the manifest has it."""
        listed = [(path, entry) for path, entry in self.manifest.files.items() if path in _MEMORY]
        return [path for path, entry in listed if self.file_entry(path) != entry.model_copy(update={"rows": None})]

    @functools.cached_property
    def manifest_fields(self) -> dict[str, Any]:
        """The manifest as it is written, with all fields, those that this program does not know too."""
        fields: dict[str, Any] = json.loads(self.manifest_text)
        return fields

    def paths(self) -> list[str]:
        """Paths of all files that lie in it, sorted."""
        return sorted(path[len(self.root) + 1 :] for path in self.fs.find(self.root))

    def parts(self, table: str) -> list[str]:
        """Paths of a table's Parquet files, by the manifest."""
        paths = [path for path in self.manifest.files if path.endswith(".parquet")]
        return sorted(path for path in paths if path == f"{table}.parquet" or path.startswith(f"{table}/"))

    def batches(self, table: str, rows: int = 256, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """A table's rows, file by file, never more than a row group in memory. columns: by default all."""
        for path in self.parts(table):
            with self.open_parquet(path) as parquet:
                yield from parquet.iter_batches(batch_size=rows, columns=columns)

    def column_names(self, table: str) -> list[str]:
        """Names of all columns that any of a table's files has, as they come."""
        return list(dict.fromkeys(name for path in self.parts(table) for name in self.schema(path).names))

    def column_reader(self, table: str) -> Callable[[str], pa.ChunkedArray]:
        """What gives a column by its name, of all files of a table, in plain types; of `image` all but the bytes. It
        raises DamagedFile for a file without the column, too, and ValueError where files have it in several types.
        """
        footers: dict[str, pq.FileMetaData] = {}  # of thousands of row groups, each takes longer than a column

        def read(name: str) -> pa.ChunkedArray:
            found = []
            for path in self.parts(table):
                with self.open_parquet(path, footers.get(path)) as parquet:
                    footers[path] = parquet.metadata
                    found.append(self._plain_column(parquet, path, name))
            if len(types := {str(column.type) for column in found}) > 1:
                raise ValueError(f"{name}: expected one type in all files, got {' and '.join(sorted(types))}")
            return pa.chunked_array([chunk for column in found for chunk in column.chunks], found[0].type)

        return read

    def _plain_column(self, parquet: pq.ParquetFile, path: str, name: str) -> pa.ChunkedArray:
        leaves = leaf_paths(parquet)
        if not (wanted := [leaf for leaf in leaves if leaf.partition(".")[0] == name and leaf != "image.bytes"]):
            raise self.damage(path, f"a file of {path.partition('/')[0]}", ValueError(f"no column {name}"))
        try:
            return release_tables.to_plain_types(parquet.read(columns=wanted)).column(name)
        except (ValueError, KeyError) as problem:
            raise self.damage(path, "of types that releases have", problem) from problem

    def embedded_images(self) -> Iterator[tuple[str, bytes]]:
        """SHA-256 (as the table says it) and bytes of each image that stands in the images table itself."""
        for path in self.parts("images"):
            sha256s = self.read_columns(path, ("sha256",))["sha256"].to_pylist()
            with self.open_parquet(path) as parquet:
                leaves = leaf_paths(parquet)
                if "image.bytes" not in leaves:
                    continue
                batches = parquet.iter_batches(batch_size=256, columns=["image.bytes"])
                rows = (row for batch in batches for row in batch["image"])
                for sha256, row in zip(sha256s, rows, strict=True):
                    if row.is_valid and isinstance(data := row.as_py()["bytes"], bytes):
                        yield sha256, data

    def schema(self, path: str) -> pa.Schema:
        """The Arrow schema of one Parquet file."""
        with self.open_parquet(path) as parquet:
            return parquet.schema_arrow

    def part_schemas(self) -> dict[str, pa.Schema]:
        """The Arrow schema of each table that lies by split, as its first file has it."""
        return {table: self.schema(paths[0]) for table in SPLIT_TABLES if (paths := self.parts(table))}

    def table(self, path: str, *, but: str = "") -> pa.Table:
        """One Parquet file, without one of its columns, or one field of a struct: `image.bytes`."""
        with self.open_parquet(path) as parquet:
            leaves = leaf_paths(parquet)
            return parquet.read(columns=[leaf for leaf in leaves if leaf != but and not leaf.startswith(f"{but}.")])

    def row_count(self, path: str) -> int:
        """How many rows a Parquet file has."""
        with self.open_parquet(path) as parquet:
            return int(parquet.metadata.num_rows)

    def byte_count(self, path: str) -> int:
        """How large a file is."""
        return int(self.fs.size(f"{self.root}/{path}"))

    def file_entry(self, path: str) -> FileEntry | None:
        """Digest and bytes of a file as it lies there; None if it is gone, or no file."""
        with contextlib.suppress(DamagedFile), self._open(path) as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            return FileEntry(sha256=sha256, bytes=file.seek(0, os.SEEK_END))
        return None

    def is_half_amended(self) -> bool:
        """Whether a purge has begun to amend it, and not ended: its tombstones are not those of the manifest."""
        found, listed = self.file_entry("tombstones.parquet"), self.manifest.files.get("tombstones.parquet")
        return found is not None and (listed is None or found.sha256 != listed.sha256)

    def is_intact(self, hashed_up_to_bytes: int = 64 * 2**20) -> bool:
        """Whether every file is there in its size, and those up to a size with their digest (`verify` reads all)."""
        for path, entry in self.manifest.files.items():
            try:
                is_same = int(self.fs.size(f"{self.root}/{path}")) == entry.bytes
            except FileNotFoundError:
                return False
            # formats follow from the tables, and may be many times as large
            if is_same and entry.bytes <= hashed_up_to_bytes and not path.startswith(f"{layout.FORMATS}/"):
                is_same = getattr(self.file_entry(path), "sha256", None) == entry.sha256
            if not is_same:
                return False
        return True


def release_url(store: Store, name: str, version: str) -> str:
    """Where a version lies, or would."""
    path = layout.release_folder(name, version)
    return store.full(path) if store.is_local else f"{store.url.rstrip('/')}/{path}"


def find_release(store: Store, name: str, version: str) -> Release | None:
    """That version, or None where the store has no such version with a readable manifest."""
    if not VERSION.fullmatch(version):
        return None
    with contextlib.suppress(BadInput):
        return Release(release_url(store, name, version))
    return None


def version_names(store: Store, name: str) -> list[str]:
    """Names of the folders of a dataset that are called as versions are, readable or not, sorted."""
    return [entry for entry in store.list_folder(layout.releases_folder(name)) if VERSION.fullmatch(entry)]


def versions(store: Store, name: str) -> list[Release]:
    """All releases of a dataset that have a readable manifest, by version."""
    found = (find_release(store, name, version) for version in version_names(store, name))
    return [release for release in found if release is not None]


def remnants(store: Store, name: str, readable: Collection[str], done: str, verb: str) -> list[str]:
    """Folders called as versions are that hold no release, for what removes or purges: such as "purged", "purge".

    Raises DamagedFile where there may have been one: nobody could tell what it needs or shows. On an object store, a
    publication or a prune that was killed leaves a folder without a manifest: that is none.
    """
    unknown = [version for version in version_names(store, name) if version not in readable]
    folders = [layout.release_folder(name, version) for version in unknown]
    for folder in folders:
        if store.is_local or store.exists(f"{folder}/manifest.json"):
            raise DamagedFile(
                f"expected a readable manifest.json in {store.url}/{folder}, got none; nothing is {done} yet: restore "
                f"it, or remove that folder, then {verb} again"
            )
    return folders


def latest_text(store: Store, name: str) -> str | None:
    """The newest version, also one whose publication ended before `latest` was written; None where there is none."""
    return _announced(store, name) or _line(store, layout.latest_path(name))


def latest(store: Store, name: str) -> Release | None:
    """The newest version, or None before the first, and where `latest` names none that is readable."""
    return find_release(store, name, latest_text(store, name) or "")


def announce(store: Store, name: str, version: str) -> None:
    """Say which version is about to be published as the newest: a kill before `latest` is written can be healed."""
    store.write_bytes(layout.announced_path(name), f"{version}\n".encode())


def point_latest(store: Store, name: str, version: str) -> None:
    """Make `latest` name a version, if it does not already."""
    if _line(store, layout.latest_path(name)) != version:
        store.write_bytes(layout.latest_path(name), f"{version}\n".encode())
    if store.exists(layout.announced_path(name)):
        store.remove(layout.announced_path(name))


def finish_publication(store: Store, name: str) -> None:
    """Write `latest` where a build was killed just before it would have."""
    if (announced := _announced(store, name)) is not None:
        point_latest(store, name, announced)


def _announced(store: Store, name: str) -> str | None:
    announced = _line(store, layout.announced_path(name)) or ""
    return announced if find_release(store, name, announced) is not None else None


def _line(store: Store, path: str) -> str | None:
    with contextlib.suppress(DamagedFile):
        return store.read_bytes(path).decode(errors="replace").strip()
    return None
