"""Which release a build goes on from, in stores of every state: never by chance, and never without a word."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

from schemas.errors import BadInput, DamagedFile, Refusal
from schemas.manifests import Context, Predecessor, ReleaseManifest
from schemas.recipe import Recipe
from schemas.tables import LEDGER, RECORDS, TOMBSTONES
from tasks.core.export import digest
from tasks.core.verify import needed_files, promised_files
from tasks.io.store import releases
from tasks.io.store.drafts import Draft
from tasks.io.store.store import Store, parquet_bytes
from tasks.subjects import previous

CONTRACT = "2.1.0"
CONTENT = {"annotations": "a" * 64, "images": "b" * 64, "ledger": "c" * 64}


def version_of(number: int) -> str:
    return digest.version(digest.content_digest(CONTENT), f"{number:064x}", CONTRACT)


V1, V2, V3 = (version_of(number) for number in (1, 2, 3))


class Archive:
    """A store with releases of `art`, and what may happen to them."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(str(folder))

    def publish(
        self,
        number: int,
        before: str | None = None,
        *,
        limit: int | None = None,
        records: pa.Table | None = None,
        **changes: Any,
    ) -> None:
        fields: dict[str, Any] = {
            "name": "art",
            "version": version_of(number),
            "previous": before,
            "lineage": 1,
            "split_sha256": "e" * 64,
            "contract_version": CONTRACT,
            "content_sha256": digest.content_digest(CONTENT),
            "recipe_sha256": f"{number:064x}",
            "counts": {},
            "content": CONTENT,
            "environment": {},
        } | changes
        with Draft(self.store) as draft:
            draft.write("ledger.parquet", parquet_bytes(LEDGER.empty_table()))
            draft.write(
                "recipe.yaml",
                yaml.safe_dump({"limit": limit, "categories": ["person"], "stages": []}).encode(),
            )
            known = RECORDS.empty_table() if records is None else records
            draft.write("records.parquet", parquet_bytes(known))
            for path in {*needed_files(CONTRACT), *promised_files(CONTRACT)} - {*draft.files}:
                draft.write(path, b"")
            draft.publish(digest.sealed(ReleaseManifest(**fields, files=draft.files)))
        if limit is None:
            releases.point_latest(self.store, "art", version_of(number))

    def write(self, path: str, data: bytes) -> None:
        self.store.write_bytes(f"releases/art/{path}", data)

    def remove(self, *paths: str) -> None:
        for path in paths:
            self.store.fs.rm(self.store.full(f"releases/art/{path}"), recursive=True)

    def link(self, path: str, target: str) -> None:
        Path(self.store.full(f"releases/art/{path}")).symlink_to(target)

    def forge(self, version: str, /, **fields: Any) -> None:
        manifest = json.loads(self.store.read_bytes(f"releases/art/{version}/manifest.json"))
        self.write(f"{version}/manifest.json", json.dumps(manifest | fields).encode())

    def choose(self, wanted: str = "", *, plan: str = "") -> Predecessor:
        recipe = Recipe.model_construct(name="art")
        chosen = previous.choose_predecessor(recipe, Context(store=self.store.url, previous=wanted, plan=plan))
        assert chosen.latest == (releases.latest_text(self.store, "art") or "")
        return chosen.model_copy(update={"latest": ""})


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """Three releases, each the predecessor of the next."""
    made = Archive(tmp_path / "store")
    made.publish(1)
    made.publish(2, V1)
    made.publish(3, V2)
    return made


Happening = Callable[[Archive], object]


def lose_first_two(archive: Archive) -> None:
    archive.remove(V1, V2)


@pytest.mark.parametrize(
    ("happening", "expected"),
    [
        pytest.param(lambda _: None, Predecessor(version=V3, lineage=1), id="nothing"),
        pytest.param(lose_first_two, Predecessor(version=V3, lineage=1), id="old ones removed"),
        pytest.param(lambda a: a.write("latest", f"{V1}\n".encode()), Predecessor(version=V1, lineage=1), id="back"),
        pytest.param(lambda a: a.write("latest", V2.encode()), Predecessor(version=V2, lineage=1), id="no newline"),
        pytest.param(lambda a: a.write(".DS_Store", b"?"), Predecessor(version=V3, lineage=1), id="a stray file"),
        pytest.param(
            lambda a: a.write(f"{V3}/ledger.parquet", b"?"),
            Predecessor(version=V2, lineage=1, damaged=V3),
            id="the newest ledger damaged",
        ),
        pytest.param(
            lambda a: (a.write(f"{V3}/ledger.parquet", b"?"), a.remove(f"{V2}/ledger.parquet")),
            Predecessor(version=V1, lineage=1, damaged=V3),
            id="two ledgers damaged",
        ),
        pytest.param(
            lambda a: [a.write(f"{version}/ledger.parquet", b"") for version in (V1, V2, V3)],
            Predecessor(version="", lineage=1, damaged=V3),
            id="every ledger damaged",
        ),
        pytest.param(
            lambda a: a.write(f"{V1}/manifest.json", b"{}"), Predecessor(version=V3, lineage=1), id="an old one broken"
        ),
        pytest.param(
            lambda a: (a.write("latest.next", V3.encode()), a.remove("latest")),
            Predecessor(version=V3, lineage=1),
            id="killed before latest was written",
        ),
        pytest.param(
            lambda a: a.write("latest.next", b"0" * 12),
            Predecessor(version=V3, lineage=1),
            id="killed before the release was there",
        ),
        pytest.param(
            lambda a: a.publish(4, limit=5, lineage=9), Predecessor(version=V3, lineage=1), id="a limited one beside"
        ),
    ],
)
@pytest.mark.parametrize("plan", ["", "a plan"])
def test_the_release_to_go_on_from(archive: Archive, happening: Happening, expected: Predecessor, plan: str):
    happening(archive)
    assert archive.choose(plan=plan) == expected


@pytest.mark.parametrize(
    ("happening", "expected"),
    [
        pytest.param(
            lambda a: a.remove("latest"), "latest to name the release to go on from, got no such file", id="lost"
        ),
        pytest.param(
            lambda a: (a.remove("latest"), a.write("latest/file", b"")),
            "something there that is no file",
            id="a folder",
        ),
        pytest.param(
            lambda a: (a.remove("latest"), a.link("latest", "nowhere")),
            "something there that is no file",
            id="a dead link",
        ),
        pytest.param(lambda a: a.write("latest", b""), "readable manifest, got ''", id="emptied"),
        pytest.param(lambda a: a.write("latest", b"\xff\x00"), "readable manifest, got", id="garbage"),
        pytest.param(lambda a: a.write("latest", b"x" * 9999), "readable manifest, got 'x{40}", id="long garbage"),
        pytest.param(lambda a: a.write("latest", b"two\nlines"), "readable manifest, got 'two", id="two lines"),
        pytest.param(lambda a: a.write("latest", b"000000000000"), "got '000000000000'", id="names another"),
        pytest.param(lambda a: a.remove(V3), f"got '{V3}'", id="the newest removed"),
        pytest.param(lambda a: a.remove(f"{V3}/manifest.json"), f"got '{V3}'", id="its manifest removed"),
        pytest.param(lambda a: a.write(f"{V3}/manifest.json", b"{}"), f"got '{V3}'", id="its manifest {}"),
        pytest.param(lambda a: a.write(f"{V3}/manifest.json", b'{"name": "art", "ver'), f"got '{V3}'", id="cut"),
        pytest.param(lambda a: a.remove(V1, V2, V3), f"got '{V3}'", id="every release removed"),
        pytest.param(lambda a: a.remove(V1, V2, f"{V3}/manifest.json", "latest"), "no such file", id="only rubble"),
        pytest.param(lambda a: a.forge(V3, content_sha256="0" * 64), "a manifest that holds", id="zeroed content"),
        pytest.param(lambda a: a.forge(V3, previous=None), "a manifest that holds", id="forged previous"),
        pytest.param(lambda a: a.forge(V3, previous=V1), "a manifest that holds", id="another previous"),
        pytest.param(lambda a: a.forge(V3, lineage=2), "a manifest that holds", id="forged lineage"),
        pytest.param(lambda a: a.forge(V3, files={}), r"expected contract/README\.md among its files", id="no files"),
        pytest.param(lambda a: a.forge(V3, split_sha256="0" * 64), "a manifest that holds", id="other settings"),
        pytest.param(lambda a: a.forge(V3, name="other"), "expected a release of art", id="of another dataset"),
        pytest.param(lambda a: a.forge(V3, version=V2), "a manifest that holds", id="of another version"),
        pytest.param(
            lambda a: (a.write(f"{V3}/ledger.parquet", b"?"), a.forge(V2, lineage=2)),
            "a manifest that holds",
            id="the one that stands in is forged",
        ),
        pytest.param(
            lambda a: (a.write(f"{V3}/ledger.parquet", b"?"), a.remove(V2)),
            "expected an intact releases/art/",
            id="the one that would stand in is gone",
        ),
        pytest.param(
            lambda a: a.write(f"{V3}/tombstones.parquet", parquet_bytes(TOMBSTONES.empty_table())),
            "half amended; nothing is published: run that purge again",
            id="a purge was killed",
        ),
    ],
)
@pytest.mark.parametrize("plan", ["", "a plan"])
def test_a_lost_or_forged_predecessor_is_refused_in_one_sentence(
    archive: Archive, happening: Happening, expected: str, plan: str
):
    happening(archive)
    with pytest.raises(Refusal, match=expected) as refusal:
        archive.choose(plan=plan)
    assert len(str(refusal.value)) < 600
    assert "\n" not in str(refusal.value)
    assert "nothing is published" in str(refusal.value)


def test_a_damaged_release_is_offered_to_nobody(archive: Archive):
    archive.remove("latest")
    archive.write(f"{V2}/ledger.parquet", b"?")
    with pytest.raises(Refusal, match=r"to go on from another release \(\w{12}, \w{12}\)") as refusal:
        archive.choose()
    assert V2 not in str(refusal.value)


def test_a_first_build_is_told_what_is_in_the_way(tmp_path: Path):
    archive = Archive(tmp_path / "store")
    archive.write("latest/file", b"")
    with pytest.raises(Refusal, match="something there that is no file"):
        archive.choose()


def test_a_person_may_name_the_predecessor(archive: Archive):
    archive.remove("latest")
    assert archive.choose(V2) == Predecessor(version=V2, lineage=1)
    assert archive.choose("none") == Predecessor(version="", lineage=1)


@pytest.mark.parametrize("wanted", ["000000000000", "latest", "None", "../x", "x" * 9999])
def test_a_predecessor_that_is_not_there_is_bad_input(archive: Archive, wanted: str):
    with pytest.raises(BadInput, match=r"--previous: expected a version in .* or 'none', got") as problem:
        archive.choose(wanted)
    assert len(str(problem.value)) < 400


@pytest.mark.parametrize("limits", [(), (5,), (5, 7)], ids=["nothing", "a limited release", "two of them"])
def test_a_first_build_goes_on_from_nothing(tmp_path: Path, limits: tuple[int, ...]):
    archive = Archive(tmp_path / "store")
    for number, limit in enumerate(limits):
        archive.publish(number, limit=limit)
    assert archive.choose() == Predecessor()


def test_a_finished_publication_is_written_by_a_build_but_not_by_a_plan(archive: Archive):
    archive.write("latest", V2.encode())
    archive.write("latest.next", V3.encode())
    assert archive.choose(plan="a plan").version == V3
    assert archive.store.read_bytes("releases/art/latest") == V2.encode()
    assert archive.choose().version == V3
    assert archive.store.read_bytes("releases/art/latest") == f"{V3}\n".encode()
    assert not archive.store.exists("releases/art/latest.next")


@pytest.mark.parametrize(
    ("chosen", "version", "is_refused"),
    [
        (Predecessor(version=V2), V3, False),
        (Predecessor(), V3, False),
        (Predecessor(version=V2, damaged=V3), V3, False),
        (Predecessor(version="", damaged=V3), V3, False),
        (Predecessor(version=V2, damaged=V3), V1, True),
        (Predecessor(version="", damaged=V3), V1, True),
    ],
)
def test_only_the_very_same_release_takes_the_place_of_a_damaged_one(
    chosen: Predecessor, version: str, is_refused: bool
):
    recipe = Recipe.model_construct(name="art")
    if is_refused:
        with pytest.raises(Refusal, match=rf"expected release {V3} again.*--previous (none|{V2})"):
            previous.check_restored(recipe, chosen, version)
    else:
        previous.check_restored(recipe, chosen, version)


def test_opening_the_predecessor(archive: Archive):
    recipe = Recipe.model_construct(name="art")
    assert previous.open_predecessor(archive.store, recipe, Predecessor()) is None
    opened = previous.open_predecessor(archive.store, recipe, Predecessor(version=V1))
    assert opened is not None
    assert opened.ledger().schema.equals(pa.schema(LEDGER))


@pytest.mark.parametrize("plan", ["", "a plan"])
def test_predecessors_in_a_circle_are_no_way_on(tmp_path: Path, plan: str):
    circle = Archive(tmp_path / "store")
    circle.publish(1, V2)
    circle.publish(2, V1)
    for version in (V1, V2):
        circle.write(f"{version}/ledger.parquet", b"?")
    with pytest.raises(Refusal, match=f"expected an intact releases/art/{V2}, since .*{V1} is damaged"):
        circle.choose(plan=plan)


LEDGER_ROW = {"record_id": "s:1", "source": "s", "kept": True, "last_split": "val", "image_id": 2**53 - 1}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"last_split": "\x1b[2J"}, r"got '\\x1b\[2J'"),
        ({"last_split": ""}, "got ''"),
        ({"image_id": 2**53}, "got the image_id 9007199254740992"),
        ({"image_id": 0}, "got the image_id 0"),
        ({"image_id": -7}, "got the image_id -7"),
    ],
)
def test_no_build_goes_on_from_splits_or_ids_that_no_release_has(archive, change, line):
    for row in (LEDGER_ROW, {**LEDGER_ROW, **change}):
        data = parquet_bytes(pa.Table.from_pylist([row], LEDGER))
        archive.write(f"{V3}/ledger.parquet", data)
        path = f"releases/art/{V3}/manifest.json"
        fields = json.loads(archive.store.read_bytes(path))
        fields["files"]["ledger.parquet"] |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        fields["manifest_sha256"] = digest.manifest_digest(fields)
        archive.forge(V3, **fields)
        if row is LEDGER_ROW:
            assert archive.choose().version == V3
    with pytest.raises(DamagedFile, match=line):
        archive.choose()


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param(None, [None, None, None], id="no table of records"),
        pytest.param(pa.table({"record_id": ["a"]}), [None, None, None], id="no such column then"),
        pytest.param(
            pa.table({"record_id": ["b", "a"], "kind": ["query", "exhibit"]}),
            ["exhibit", None, "query"],
            id="what it knew",
        ),
        pytest.param(
            pa.table({"record_id": ["a", "b"], "kind": [1, 2]}), [None, None, None], id="of another type then"
        ),
    ],
)
def test_what_the_release_before_knew_of_records(tmp_path: Path, records: pa.Table | None, expected: list[str | None]):
    archive = Archive(tmp_path / "store")
    archive.publish(1, records=records)
    recipe, ids = Recipe.model_construct(name="art"), pa.chunked_array([["a"], ["c", "b"]], pa.string())
    known = previous.known_column(archive.store, recipe, Predecessor(version=V1), ids, "kind", pa.string())
    assert (known.type, known.to_pylist()) == (pa.string(), expected)
    nothing = previous.known_column(archive.store, recipe, Predecessor(), ids, "kind", pa.string())
    assert nothing.to_pylist() == [None, None, None]
