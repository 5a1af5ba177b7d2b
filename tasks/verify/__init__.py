"""verify: does a release hold what its manifest says? All is computed anew, from its files alone: without a store."""

import contextlib
import functools
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from schemas.contract import major
from schemas.errors import BadInput, DamagedFile
from schemas.manifests import VERSION
from schemas.phrases import and_more, error_line, printable, quoted
from schemas.tables import OVERLAPS
from tasks.core import verify as core
from tasks.core.coco import source_file
from tasks.core.coco.document import category_table_problems
from tasks.core.export import digest, row_groups
from tasks.core.purge.rows import reveals
from tasks.core.report import overlaps as page
from tasks.core.verify_coco import count_coco_rows
from tasks.core.verify_rows import CHECKS, ReleaseFacts, row_problems
from tasks.io.files import contracts, outputs
from tasks.io.store.releases import Release
from tasks.io.store.store import parquet_bytes
from tasks.subjects.promises import table_digest
from tasks.verify import checks, derived
from tasks.verify.against import Overlap, compare, shown_pictures
from tasks.verify.datasets import Dataset, of_release, open_dataset

_SHOWN = 20
_NEEDED = {"files": "intact files", "contract": "tables that keep the contract"}
_OF_ODD_VALUES = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, pa.ArrowException)
"""What Python and Arrow raise for values of other kinds than a release has, in files whose digests are right."""


@dataclass(frozen=True)
class Verification:
    """The result of all checks: problems in sentences, and a text for people."""

    name: str
    version: str
    sha256: str
    """Of manifest.json, which has the digests of all other files: who knows it knows the whole release."""
    problems: tuple[str, ...]
    text: str
    overlaps: pa.Table
    """OVERLAPS: the images that the datasets have, too, with which it was compared."""
    datasets: tuple[Dataset, ...] = ()
    """The release itself and those, where there are any."""

    @property
    def is_good(self) -> bool:
        """Whether there is no problem."""
        return not self.problems


def verify(
    url: str,
    *,
    is_deep: bool = False,
    expected_sha256: str | None = None,
    against: Sequence[str] = (),
    radius_bits: int | None = None,
) -> Verification:
    """Check a release; with `is_deep` decode and measure every image too. Raises BadInput if it has no manifest.

    expected_sha256: of its manifest.json, in 64 hex digits, with or without `sha256:` before them. against: releases,
    files of fingerprints or folders of images; what the release has in common with them is a problem. radius_bits: see
    `against.compare`.
    """
    if radius_bits is not None and not 0 <= radius_bits <= 16:
        raise BadInput(f"verify: expected a radius of 0 to 16 bits, got {radius_bits}")
    release, others = Release(url), [open_dataset(other) for other in against]
    sha256 = hashlib.sha256(release.manifest_text).hexdigest()
    named = _checks(release, is_deep=is_deep)
    if expected_sha256 is not None:
        wanted = expected_sha256.removeprefix("sha256:")
        named.insert(0, ("the digest that you expect", functools.partial(_expected_digest, sha256, wanted)))
    lines = [
        f"{release.manifest.name} {release.manifest.version}: content sha256:{release.manifest.content_sha256}",
        f"manifest sha256:{sha256}",
    ]
    problems = []
    for name, check in named:
        found = _problems(check(release))
        lines += [f"{'FAILED' if found else 'ok':>6}  {name}", *(f"        {problem}" for problem in found[:_SHOWN])]
        lines += [f"        ...{and_more(len(found) - _SHOWN)}"] if len(found) > _SHOWN else []
        problems += found
        is_readable = set(core.needed_files(release.manifest.contract_version)) <= release.manifest.files.keys()
        if found and (name in _NEEDED or not is_readable):  # nothing more can be read without guessing
            lines.append(f"        the other checks need {_NEEDED.get(name, 'these files')} and were skipped")
            break
    itself, common = _compared(release, others, radius_bits)
    for other, each in zip(others, common, strict=True):
        lines += [f"{'FAILED' if each.is_problem else 'ok':>6}  against {printable(other.name)}"]
        lines += [f"        {printable(line)}" for line in each.text]
        problems += [printable(f"against {other.name}: {each.text[0]}")] * each.is_problem
    rows = pa.concat_tables([OVERLAPS.empty_table(), *(each.rows for each in common)])
    name, version = release.manifest.name, release.manifest.version
    return Verification(name, version, sha256, tuple(problems), "\n".join(lines), rows, (*itself, *others))


def _checks(release: Release, *, is_deep: bool) -> list[tuple[str, Callable[[Release], Iterator[str]]]]:
    """The checks of a release by their names, in the order in which they are told."""
    named: list[tuple[str, Callable[[Release], Iterator[str]]]] = [
        ("manifest", _manifest),
        ("files", _files),
        ("contract", _contract),
        ("content digest", _digests),
        ("image bytes", checks.stored_bytes),
        ("rules of the contract", checks.promises),
        ("counts, leaks", _tables),
        ("values", _values),
        ("what follows from others", derived.problems),
    ]
    if major(release.manifest.contract_version) >= 3:  # before, they had another form: their digests are checked alone
        named.append(("COCO", checks.coco_files))
    if release.manifest.amended or "tombstones.parquet" in release.manifest.files:
        named.append(("tombstones", _tombstones))
    if is_deep:
        named.append(("images, decoded and measured again", checks.images))
    return named


def _compared(
    release: Release, others: Sequence[Dataset], radius_bits: int | None
) -> tuple[list[Dataset], list[Overlap]]:
    """The release as a dataset, if it can be read as one, and what it has in common with each of the others."""
    itself: list[Dataset] = []
    common = []
    for other in others:
        try:
            itself = itself or [of_release(release, release.manifest.name)]
            common.append(compare(itself[0], other, radius_bits))
        except (DamagedFile, *_OF_ODD_VALUES) as problem:
            said = (f"expected images that can be compared, got {problem}",)
            common.append(Overlap(OVERLAPS.empty_table(), said, is_problem=True))
    return itself, common


def write(found: Verification, folder: str) -> None:
    """Write the images in common as a table and a page. Raises BadInput where it can't."""
    shown = found.overlaps.slice(0, page.MOST_PAIRS)
    pictures = shown_pictures(found.datasets, shown)
    more = found.overlaps.num_rows - shown.num_rows
    files = {
        "overlaps.parquet": parquet_bytes(found.overlaps),
        "overlaps.html": page.page(f"{found.name} {found.version}", found.text, shown, more, pictures).encode(),
    }
    outputs.write("--out", folder, files)


def _problems(check: Iterator[str]) -> list[str]:
    """What a check finds, a line each; the last is what it can't read at all: a release may come from anybody."""
    found: list[str] = []
    try:
        found.extend(map(printable, check))  # keeps what came before
    except DamagedFile as problem:
        found.append(str(problem))
    except _OF_ODD_VALUES as problem:
        said = f"{type(problem).__name__}: {error_line(problem)}"
        found.append(f"expected values that can be checked, got others ({said})")
    return found


def _expected_digest(sha256: str, expected: str, _release: Release) -> Iterator[str]:
    if sha256 != expected:
        yield f"manifest.json: expected SHA-256 {expected}, got {sha256}: this is another release"


def _manifest(release: Release) -> Iterator[str]:
    folder, siblings = release.root.rsplit("/", 1)[-1], {}
    if (before := release.manifest.previous) and VERSION.fullmatch(before):
        with contextlib.suppress(BadInput):  # a release may lie alone
            siblings[before] = Release(f"{release.url.rsplit('/', 1)[0]}/{before}").manifest
    if release.latest_text is not None:
        yield from core.latest_problems(release.latest_text)
    yield from core.manifest_text_problems(release.manifest_text, release.manifest)
    yield from core.manifest_problems(release.manifest_fields, release.manifest, folder, siblings)


def _files(release: Release) -> Iterator[str]:
    listed = release.manifest.files
    for path, entry in listed.items():
        found = release.file_entry(path)
        if found is None:
            yield f"{path}: expected the file, got none"
        elif (found.sha256, found.bytes) != (entry.sha256, entry.bytes):
            expected = f"{entry.bytes} bytes of SHA-256 {entry.sha256[:12]}..."
            yield f"{path}: expected {expected}, got {found.bytes} of {found.sha256[:12]}..."
    for path in release.paths():
        if path not in listed and path != "manifest.json":
            yield f"{path}: expected only files that the manifest lists, got this one"


def _contract(release: Release) -> Iterator[str]:
    promised = release.manifest.contract_version
    large = [*core.split_tables(promised), "ledger"]  # are looked through
    of_tables = release.contract_files(large)
    if (version := of_tables["images"].version) != promised:
        yield f"contract: expected version {promised}, got {quoted(version)}"
    for path, text in contracts.known_texts(promised, release.attributes).items():
        if release.read(path) != text.encode():
            yield f"{path}: expected the text of contract {promised}, got another"
    for table, contract in of_tables.items():
        columns = contract.table.properties
        if not (parts := release.parts(table)):
            yield f"{table}: expected at least one Parquet file, got none"
        for path in parts:
            yield from core.schema_problems(table, release.schema(path), columns)
        for batch in release.batches(table):
            yield from core.null_problems(table, batch, columns)
    yield from checks.schemas(release, but=large)


def _digests(release: Release) -> Iterator[str]:
    found, manifest = {}, release.manifest
    expected = manifest.amended.content if manifest.amended else manifest.content
    for table in digest.content_tables(manifest.files):
        try:
            found[table] = table_digest(release, table)
        except ValueError as problem:  # NaN or infinity
            found[table] = ""
            yield f"{table}: expected numbers that a digest can be computed of, got {problem}"
            continue
        if found[table] != expected.get(table):
            yield f"{table}: expected content {expected.get(table)}, got {found[table]}"
    # of a release that was amended, the version goes by the content that it had when it was published
    whole = digest.content_digest(manifest.content if manifest.amended else found)
    if whole != manifest.content_sha256:
        yield f"content: expected {manifest.content_sha256}, got {whole}"
    version = digest.version(whole, manifest.recipe_sha256, manifest.contract_version)
    if version != manifest.version:
        yield f"version: expected {manifest.version}, got {version}"


def _tables(release: Release) -> Iterator[str]:
    """What the manifest, the recipe and the names of files say of tables; rules of the contract are asked apart."""
    ledger = release.ledger()
    splits = checks.columns_of(release, "images", ["split"])["split"]
    yield from core.count_problems(release.manifest.counts, ledger["kept"], splits)
    split = release.recipe().stage("split")
    if split:
        yield from checks.kept_together(release, split)
    if not (split and split.roles):  # queries may show the works of the gallery
        yield from core.joined_problems(release.relations(), ledger)
    tables = core.split_tables(release.manifest.contract_version)
    yield from core.part_problems(release.manifest.files, checks.splits_of(release), tables)
    for path, entry in release.manifest.files.items():
        rows = release.row_count(path) if path.endswith(".parquet") else None
        yield from core.row_count_problems(path, entry.rows, rows)


def _values(release: Release) -> Iterator[str]:
    """What rows say of files, manifest and recipe, their outlines, and their order."""
    recipe, manifest = release.recipe(), release.manifest
    sizes = checks.columns_of(release, "images", ["image_id", "width_px", "height_px"])
    image_ids, *sides = map(pa.ChunkedArray.to_pylist, sizes)
    facts = ReleaseFacts(
        recipe.labels,
        dict(zip(image_ids, zip(*sides, strict=True), strict=True)),
        {path: entry.sha256 for path, entry in manifest.files.items()},
        manifest.environment.get("phash"),
    )
    there = digest.content_tables(manifest.files)
    for table, check in [(table, check) for table, check in CHECKS.items() if table in there]:
        key = digest.PRIMARY_KEYS[table]
        order = _order(release, table) or (key,)
        found = checks.rows_of(release, table, {key, *order, *check.columns})
        yield from row_problems(table, key, order, found, facts)
    if "categories.parquet" in manifest.files:
        yield from category_table_problems(release.table("categories.parquet"), recipe.coco_categories)
    yield from source_file.row_problems(release.coco_files().to_pylist())
    yield from core.name_problems(recipe.name, manifest.name)
    yield from core.recipe_problems(release.read_mapping("recipe.yaml"), manifest.recipe_sha256)


def _order(release: Release, table: str) -> Sequence[str]:
    """The columns by which the rows of a split stand."""
    if major(release.manifest.contract_version) < 3:
        return row_groups.UNTIL_3.get(table, ())
    export = release.recipe().stage("export")
    is_by_style = export and export.parquet and export.parquet.order == "style"
    return row_groups.BY_STYLE if is_by_style and table == "images" else row_groups.ORDER.get(table, ())


def _tombstones(release: Release) -> Iterator[str]:
    """What is left of records that were purged; media files go by the SHA-256 in their names."""
    amended = release.manifest.amended
    if "tombstones.parquet" not in release.manifest.files:
        yield "tombstones.parquet: expected the file in an amended release, got none"
        return
    stones = release.tombstones()
    if amended and stones.num_rows != amended.tombstones:
        yield f"tombstones.parquet: expected {amended.tombstones} rows, got {stones.num_rows}"
    book = release.ledger()
    is_mine = pc.is_in(book["record_id"], value_set=stones["record_id"])
    image_ids, names = {*book["image_id"].filter(is_mine).to_pylist()}, stones["record_id"].to_pylist()
    for path in release.manifest.files:
        left = 0
        if path.endswith(".parquet") and path not in {"ledger.parquet", "tombstones.parquet"}:
            left = sum(reveals(release.table(path, but="image"), names).to_pylist())
        elif path.startswith("coco/"):
            left = count_coco_rows(release.read_json(path), image_ids)
        if left:
            yield f"{path}: expected no rows of records with a tombstone, got {left}"
    shown = checks.columns_of(release, "images", ["record_id", "sha256"])
    yield from core.leftover_files(release.manifest.files, stones, shown)
