"""What was taken down leaves the store and all releases: every file is looked through, packed columns unpacked."""

import csv
import hashlib
import math
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from examples.museum.folder import write_museum
from examples.museum.serve.server import serving
from examples.museum.serve.works import CatalogueHall
from flows.build_dataset import run_stages
from flows.cli import main
from flows.recipes import recipe_from_file
from schemas.errors import BadInput, DamagedFile, Refusal
from schemas.manifests import Context
from tasks.io.store import store as stores
from tasks.io.store.amend import ReleaseEditor
from tasks.io.store.layout import blob_path
from tasks.io.store.releases import Release
from tasks.io.store.store import Store
from tasks.purge import purge
from tasks.verify import verify
from tests.support.guesthouse import Guesthouse
from tests.support.manifests import rewrite_manifest

pytestmark = pytest.mark.live

TITLE = "Nocturne of the Purged Heron"
URL = "https://museum.example/heron-of-the-night"
ARTIST, STYLE = "Aurelia Heronwright", "Heronism"
ENTRY = {"sha256": "0" * 64, "bytes": 0}
RECIPE: dict[str, Any] = {
    "name": "small",
    "by_hand": "said",
    "max_loss_fraction": 1,
    "bindings": {"images": "a museum", "said": "lists by hand"},
    "sources": [
        {
            "table": {
                "name": "museum",
                "at": "images",
                "table": "works.csv",
                "columns": {
                    name: name for name in ("key", "image", "title", "artist", "style", "source_url", "rights_uri")
                },
                "annotations": {"format": "coco", "path": "truth/annotations.json"},
            }
        }
    ],
    "stages": ["fetch", "hash", "dedup", "split", {"export": {"media": True}}],
}


@pytest.fixture(scope="module")
def painted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A museum of 40 records."""
    folder = tmp_path_factory.mktemp("small") / "museum"
    write_museum(folder, 40, 77, processes=1)
    return folder


class House:
    """A museum in which one kept work, which has a copy, has a title and an address that no other has, and a store of
    its releases.
    """

    def __init__(self, folder: Path, painted: Path) -> None:
        self.folder, self.store = folder, str(folder / "store")
        self.images = Path(shutil.copytree(painted, folder / "museum"))
        (folder / "recipe.yaml").write_text(yaml.safe_dump(RECIPE), encoding="utf-8")
        self.build()
        kept = [row for row in self.latest.ledger().to_pylist() if row["kept"]]
        boxes = {box["record_id"] for batch in self.latest.batches("annotations") for box in batch.to_pylist()}
        copied = {
            row["kept_record_id"] for row in self.latest.ledger().to_pylist() if row["reason"] == "near_duplicate"
        }
        self.gone = next(row["record_id"] for row in kept if row["record_id"] in boxes & copied)
        rows = list(csv.DictReader((self.images / "works.csv").read_text(encoding="utf-8").splitlines()))
        for row in rows:
            if f"museum:{row['key']}" == self.gone:
                row |= {"title": TITLE, "source_url": URL, "artist": ARTIST, "style": STYLE}
        with (self.images / "works.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        shutil.rmtree(self.store)
        self.build()

    def build(self, *rows: str) -> Release:
        text = "\n".join(["action,name,reason,date", *(f"{row},asked by the heirs,2024-05-01" for row in rows)])
        (self.folder / "said.csv").write_text(f"{text}\n", encoding="utf-8")
        context = Context(
            store=self.store, bindings={"images": str(self.images), "said": str(self.folder / "said.csv")}
        )
        return Release(run_stages(recipe_from_file(str(self.folder / "recipe.yaml")), context)[-1].release)

    @property
    def latest(self) -> Release:
        return Release(f"{self.store}/releases/small/latest")

    def row(self, release: Release) -> dict[str, Any]:
        return next(row for row in release.ledger().to_pylist() if row["record_id"] == self.gone)

    def traces(self, *needles: bytes) -> list[str]:
        """Files of the store in which one of these stands, in a column or in the bytes."""
        return [
            str(path.relative_to(self.store))
            for path in sorted(Path(self.store).rglob("*"))
            if path.is_file() and any(needle in data for data in contents(path) for needle in needles)
        ]


def contents(path: Path) -> Iterator[bytes]:
    yield path.read_bytes()
    if path.suffix == ".parquet":
        for column in pq.ParquetFile(path).read().columns:  # as it lies
            yield from (flat if isinstance(flat, bytes) else str(flat).encode() for flat in leaves(column.to_pylist()))


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    elif value is not None:
        yield value


def files(store: str) -> dict[str, bytes]:
    return {
        str(path.relative_to(store)): path.read_bytes() for path in sorted(Path(store).rglob("*")) if path.is_file()
    }


@pytest.fixture(scope="module")
def standing(painted: Path, tmp_path_factory: pytest.TempPathFactory) -> House:
    """Two releases: one that shows the work, and one after its takedown. No test may change it."""
    house = House(tmp_path_factory.mktemp("standing"), painted)
    house.build(f"takedown,{house.gone}")
    return house


@pytest.fixture
def house(standing: House, tmp_path: Path) -> House:
    copy: House = object.__new__(House)
    shutil.copytree(standing.folder, tmp_path / "house")
    copy.folder, copy.store, copy.gone = tmp_path / "house", str(tmp_path / "house" / "store"), standing.gone
    copy.images = copy.folder / "museum"
    return copy


def test_after_a_purge_nothing_is_left_in_any_file(house: House):
    first = next(release for release in both(house) if house.row(release)["kept"])
    picture = Path(f"{house.store}/blobs/{house.row(first)['sha256'][:2]}/{house.row(first)['sha256']}").read_bytes()
    # all files of a camera begin alike
    needles = (
        TITLE.encode(),
        URL.encode(),
        ARTIST.encode(),
        picture[len(picture) // 2 :][:200],
    )
    assert len(house.traces(*needles)) > 6
    report = purge("small", house.store)
    assert report.splitlines()[:2] == ["purge small: 2 records", f"  {house.gone}: asked by the heirs (2024-05-01)"]
    assert house.traces(*needles) == []
    assert not any(path.startswith("measures/") for path in house.traces(house.row(first)["sha256"].encode()))
    for release in both(house):
        assert verify(release.url, is_deep=True).problems == ()
        row = house.row(release)
        assert (row["kept"], row["reason"], row["detail"], row["retrieved_at"]) == (
            False,
            "taken_down",
            "asked by the heirs (2024-05-01)",
            None,
        )
    amended = Release(first.url).manifest
    assert (amended.version, amended.content_sha256) == (first.manifest.version, first.manifest.content_sha256)
    assert amended.counts["kept"] == int(str(first.manifest.counts["kept"])) - 1
    assert amended.amended is not None
    assert amended.amended.tombstones == 2
    shown = {box["record_id"] for batch in Release(first.url).batches("annotations") for box in batch.to_pylist()}
    assert house.gone not in shown


def both(house: House) -> list[Release]:
    return [Release(str(path)) for path in sorted(Path(house.store, "releases/small").iterdir()) if path.is_dir()]


def test_a_second_purge_does_nothing_and_says_so(house: House):
    purge("small", house.store)
    before = files(house.store)
    assert purge("small", house.store) == "purge small: 2 records purged already; nothing is left to remove"
    assert files(house.store) == before


def test_a_dry_run_says_the_same_and_touches_nothing(house: House):
    before = files(house.store)
    foreseen = purge("small", house.store, is_dry=True).splitlines()
    assert files(house.store) == before
    assert foreseen[2:] == purge("small", house.store).splitlines()[2:]


def test_a_store_that_is_no_folder_is_purged_the_same(house: House):
    memory = fsspec.filesystem("memory")
    memory.put(house.store, "/purged", recursive=True)
    report = purge("small", "memory://purged").splitlines()
    assert report == purge("small", house.store).splitlines()
    there = {path.removeprefix("/purged/"): memory.cat_file(path) for path in memory.find("/purged")}
    assert there == files(house.store)
    memory.rm("/purged", recursive=True)


@pytest.mark.live  # as other kills
@pytest.mark.parametrize("calls", [1, 4, 9, 14, 20])
def test_a_purge_that_is_killed_and_run_again_ends_the_same(house: House, monkeypatch: pytest.MonkeyPatch, calls: int):
    other = house.folder.parent / "whole"
    shutil.copytree(house.store, other)
    purge("small", str(other))
    left = iter(range(calls))

    def counted(inner: Any) -> Any:
        def dying(*given: Any, **more: Any) -> Any:
            if next(left, None) is None:
                raise KeyboardInterrupt
            return inner(*given, **more)

        return dying

    with monkeypatch.context() as patch:
        for owner, name in ((Store, "write_bytes"), (Store, "remove"), (Store, "adopt")):
            patch.setattr(owner, name, counted(getattr(owner, name)))
        with pytest.raises(KeyboardInterrupt):
            purge("small", house.store)
    stores._CACHE.clear()  # as another process would find it
    shutil.rmtree(Path(house.store, "leases"))  # the process of which is no more
    purge("small", house.store)
    assert files(house.store) == files(str(other))


def test_a_build_after_a_purge_neither_fetches_nor_publishes_the_work(house: House):
    purge("small", house.store)
    sha256 = house.row(house.latest)["sha256"]
    release = house.build(f"takedown,{house.gone}")
    assert release.manifest.version == house.latest.manifest.version
    assert house.row(release)["reason"] == "taken_down"
    assert not Store(house.store).exists(blob_path(sha256))
    traces = [path for path in house.traces(TITLE.encode()) if not path.startswith(("blobs/", "decisions/records/"))]
    assert traces == []
    again = house.build(f"takedown,{house.gone}")
    assert again.manifest == release.manifest


def test_no_build_goes_on_from_a_release_that_a_purge_has_left_half_way(house: House, monkeypatch: pytest.MonkeyPatch):
    whole = house.latest.manifest
    with monkeypatch.context() as patch:
        patch.setattr(ReleaseEditor, "close", lambda *_: None)
        purge("small", house.store)
    assert house.latest.manifest == whole
    with pytest.raises(Refusal, match="half amended; nothing is published: run that purge again"):
        house.build(f"takedown,{house.gone}")
    purge("small", house.store)
    assert house.latest.manifest.amended is not None
    assert house.gone in house.build(f"takedown,{house.gone}").tombstones()["record_id"].to_pylist()


def test_what_is_purged_stays_away_without_the_list(house: House):
    purge("small", house.store)
    release = house.build()
    assert house.row(release)["reason"] == "taken_down"
    assert release.tombstones()["record_id"].to_pylist() == sorted(release.tombstones()["record_id"].to_pylist())
    assert house.gone in release.tombstones()["record_id"].to_pylist()
    assert verify(release.url).problems == ()
    shutil.rmtree(Path(house.store, "tombstones"))  # as in a store to which only the release was taken
    assert house.build().manifest == release.manifest


def test_a_record_can_be_purged_that_no_list_names(house: House, capsys: pytest.CaptureFixture[str]):
    other = next(row["record_id"] for row in house.latest.ledger().to_pylist() if row["kept"])
    command = [
        "purge",
        "small",
        "--store",
        house.store,
        "--record",
        other,
        "--reason",
        "withdrawn",
        "--date",
        "2025-01-02",
    ]
    assert main(command) == 0
    assert f"{other}: withdrawn (2025-01-02)" in capsys.readouterr().out
    amended = house.latest
    assert amended.manifest.amended is not None
    assert b"## Amended" in amended.read("README.md")
    assert amended.read("DATASHEET.md").count(b"## Amended") == 1
    assert verify(amended.url).problems == ()
    later = house.build()
    assert later.manifest.version != amended.manifest.version
    assert "amended" not in purge("small", house.store)
    assert house.latest.manifest == later.manifest, "a release that never had the record is not amended"
    assert b"## Amended" not in house.latest.read("README.md")
    page = house.latest.read("report.html")
    assert b"<svg" in page or b"<img" in page


def add_twin(house: House) -> None:
    """Give the museum a second record with the file of one that is kept, and build."""
    kept = {row["record_id"] for row in house.latest.ledger().to_pylist() if row["kept"]}
    rows = list(csv.DictReader((house.images / "works.csv").read_text(encoding="utf-8").splitlines()))
    row = next(row for row in rows if f"museum:{row['key']}" in kept)
    shutil.copy(house.images / row["image"], house.images / "twin.jpg")
    with (house.images / "works.csv").open("a", encoding="utf-8", newline="") as file:
        csv.DictWriter(file, row.keys()).writerow({**row, "key": "twin", "image": "twin.jpg"})
    house.build(f"takedown,{house.gone}")


def test_a_file_that_another_record_uses_stays(house: House):
    add_twin(house)
    twins = [row for row in house.latest.ledger().to_pylist() if row["reason"] == "exact_duplicate"]
    twin = next(row for row in twins if "museum:twin" in (row["record_id"], row["kept_record_id"]))
    report = purge("small", house.store, [twin["record_id"]], "withdrawn", "2025-01-02", is_alone=True)
    assert f"kept: the file {twin['sha256']}, which {twin['kept_record_id']} uses too" in report
    assert Store(house.store).exists(blob_path(twin["sha256"]))
    assert verify(house.latest.url).problems == ()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param({"name": "nowhere"}, "expected a dataset with a release", id="no such dataset"),
        pytest.param({"name": "museum/"}, "expected a dataset with a release", id="a path, not a name"),
        pytest.param({"records": ["s:1"], "reason": "x"}, "expected a record that a release", id="no such record"),
        pytest.param({"records": ["s:1"]}, "--reason: expected why", id="no reason"),
        pytest.param({"day": "yesterday"}, "--date: expected a day such as 2024-12-31", id="no day"),
        pytest.param({"day": "2024-12-31"}, "--date: expected --record with it", id="a day without a record"),
        pytest.param({"reason": "x"}, "--reason: expected --record with it", id="a reason without a record"),
        pytest.param({"is_alone": True}, "--alone: expected --record with it", id="alone without a record"),
        pytest.param({"records": None, "reason": "x" * 501}, "--reason: expected 1 to 500 char", id="a long reason"),
        pytest.param(
            {"records": None, "reason": "a\nb"}, "in one line, got 3 characters in 2", id="a reason of two lines"
        ),
    ],
)
def test_what_can_not_be_purged_is_refused(standing: House, given: dict[str, Any], message: str):
    if given.get("records", ()) is None:
        given = {**given, "records": [standing.gone]}
    with pytest.raises(BadInput, match=message):
        purge(**{"name": "small", "store_url": standing.store, **given})


def test_a_store_with_something_unknown_is_refused_before_anything_is_removed(house: House):
    Path(house.store, "measures/embeddings").mkdir()
    Path(house.store, "measures/embeddings/1.parquet").write_bytes(b"x")
    before = files(house.store)
    with pytest.raises(BadInput, match=r"expected only what this version .* got measures/embeddings in"):
        purge("small", house.store)
    assert files(house.store) == before


def test_a_verify_finds_what_a_purge_should_have_taken(house: House):
    first = next(release for release in both(house) if house.row(release)["kept"])
    records = Path(first.url, "records.parquet").read_bytes()
    purge("small", house.store)
    Path(first.url, "records.parquet").write_bytes(records)
    entry = first.manifest.files["records.parquet"].model_dump()
    rewrite_manifest(first.url, lambda fields: fields["files"].update({"records.parquet": entry}))
    assert verify(first.url).problems == ("records.parquet: expected no rows of records with a tombstone, got 2",)


def test_a_verify_finds_a_picture_that_came_back(house: House):
    first = next(release for release in both(house) if house.row(release)["kept"])
    path = next(
        path for path in first.manifest.files if path.startswith("media/") and house.row(first)["sha256"] in path
    )
    data = first.read(path)
    purge("small", house.store)
    Path(first.url, path).parent.mkdir(exist_ok=True)
    Path(first.url, path).write_bytes(data)
    entry = first.manifest.files[path].model_dump()
    rewrite_manifest(first.url, lambda fields: fields["files"].update({path: entry}))
    assert verify(first.url).problems == (f"{path}: expected no image of a record with a tombstone, got one",)


def test_works_of_sources_on_the_web_are_forgotten_and_not_asked_for_again(tmp_path: Path):
    with serving(CatalogueHall(7, 40, 6)) as museum:
        desk = Guesthouse(tmp_path, "met", "wikiart")
        desk.build(museum, "first")
        before = desk.reasons()
        known = {row["record_id"]: row for row in desk.latest.records().to_pylist()}
        pages = [row["source_url"] or "" for row in known.values()]
        alone = [  # whose address begins no other's: looked for as it is, it would be found there
            name
            for name, row in sorted(known.items())
            if before[name] is None and sum(page.startswith(row["source_url"]) for page in pages) == 1
        ]
        names = [next(name for name in alone if name.startswith(word)) for word in ("met:", "wikiart:")]
        purge("web", desk.store, names, "withdrawn", "2025-01-02", is_alone=True)
        house = object.__new__(House)
        house.store = desk.store
        for name in names:
            addresses = [known[name][column] for column in ("source_url", "image_url", "locator")]
            assert house.traces(*(address.encode() for address in addresses if address)) == []
        since = len(museum.log)
        desk.build(museum, "second")
        asked = desk.asked(museum, since)
        for name in names:
            locator = known[name]["locator"].split("://")[1]
            assert not [address for address in asked if address == locator or address.endswith(f"/objects/{name[4:]}")]
        assert desk.reasons() == {**before, **dict.fromkeys(names, "taken_down")}
        assert verify(desk.latest.url).problems == ()


def reseal(release: Release) -> None:
    """Give each file of a release the digest that it has now, as whoever changed it would."""

    def change(fields: dict[str, Any]) -> None:
        for path in {*fields["files"], *release.paths()} - {"manifest.json"}:
            data = Path(release.url, path).read_bytes()
            entry = fields["files"].setdefault(path, {"rows": None})
            entry |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}

    rewrite_manifest(release.url, change)


def with_values(path: str, column: str, values: Any) -> Callable[[Release], None]:
    """Change a column of the release's first file of that name. values: of each row, or a function of its value."""

    def change(release: Release) -> None:
        file = min(Path(release.url).glob(path))
        table = pq.ParquetFile(file).read()
        old = table[column].to_pylist()
        new = pa.array([values(value) for value in old]) if callable(values) else pa.array([values] * len(old))
        pq.write_table(table.set_column(table.column_names.index(column), column, new), file)

    return change


def with_text(path: str, text: str) -> Callable[[Release], None]:
    def change(release: Release) -> None:
        file = Path(release.url, path)
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text(text, encoding="utf-8")

    return change


ODD_RELEASES = [
    pytest.param(with_values("ledger.parquet", "reason", "near_duplicate"), "neither kept in a split", id="a reason"),
    pytest.param(with_values("ledger.parquet", "detail", math.nan), "detail as double", id="the ledger's types"),
    pytest.param(with_values("images/*", "width_px", "wide"), "width_px as string", id="the images' types"),
    pytest.param(with_values("images/*", "title", 2**60), "title as int64", id="numbers as titles"),
    pytest.param(with_values("annotations/*", "area_px2", math.nan), "area_px2 with a number", id="no number"),
    pytest.param(with_values("relations.parquet", "a", 7), "a as int64", id="the relations' types"),
    pytest.param(with_values("records.parquet", "title", lambda _: [1]), "title as list", id="the records' types"),
    pytest.param(with_text("coco/val.json", "[]"), "in place of an object", id="COCO that is a list"),
    pytest.param(with_text("coco/val.json", "[" * 10**5), "to be JSON", id="COCO that is deep"),
    pytest.param(with_text("coco/val.detections.json", "{}"), "in place of a list", id="results that are no list"),
    pytest.param(with_values("images/*", "rights_text", "CC0"), "to be as it was published", id="forged rights"),
    pytest.param(with_text("index.csv", TITLE), "only files that releases have, got 'index.csv'", id="a file beside"),
    pytest.param(
        with_text("media/aa/picture.jpg", TITLE), "got 'media/aa/picture.jpg'", id="a picture that is called otherwise"
    ),
    pytest.param(
        with_text("coco/val.json", '{"images": [{"id": 1}], "annotations": []}'),
        "got the image id 1 for the record None",
        id="COCO with ids of its own",
    ),
]


@pytest.mark.parametrize(("change", "sentence"), ODD_RELEASES)
def test_a_release_that_can_not_be_amended_stops_a_purge_before_it_begins(house: House, change, sentence):
    oldest = next(release for release in both(house) if house.row(release)["kept"])
    change(oldest)
    reseal(oldest)
    before = files(house.store)
    for is_dry in (True, False):
        with pytest.raises(DamagedFile, match=sentence):
            purge("small", house.store, is_dry=is_dry)
    assert files(house.store) == before


@pytest.mark.parametrize("path", ["README.md", "notes.txt"])
def test_what_was_changed_after_a_release_was_published_is_not_vouched_for(house: House, path: str):
    oldest = next(release for release in both(house) if house.row(release)["kept"])
    Path(oldest.url, path).write_text(TITLE, encoding="utf-8")
    before = files(house.store)
    with pytest.raises(DamagedFile, match=r"README.md in .* as its manifest says, got other bytes|got 'notes.txt'"):
        purge("small", house.store)
    assert files(house.store) == before


def test_a_release_that_another_program_has_written_is_purged(house: House):
    """pandas and others write text as categories, and keep in the file those of rows that are gone."""
    oldest = next(release for release in both(house) if house.row(release)["kept"])
    for file in [*Path(oldest.url).glob("*.parquet"), *Path(oldest.url).glob("images/*.parquet")]:
        table = pq.ParquetFile(file).read()
        for place, field in enumerate(table.schema):
            if field.type == pa.string():
                table = table.set_column(place, field.name, table[field.name].dictionary_encode())
        pq.write_table(table, file)
    reseal(oldest)
    purge("small", house.store)
    assert house.traces(TITLE.encode(), URL.encode()) == []
    assert purge("small", house.store) == "purge small: 2 records purged already; nothing is left to remove"


def test_a_release_in_a_folder_of_another_name_stops_a_purge_before_it_begins(house: House):
    shutil.copytree(house.latest.url, Path(house.latest.url).with_name("0123456789ab"))
    before = files(house.store)
    with pytest.raises(DamagedFile, match="expected release 0123456789ab of small in"):
        purge("small", house.store)
    assert files(house.store) == before


ODD_MANIFESTS = [
    pytest.param(
        lambda fields: fields["files"].update({"../x.parquet": ENTRY}), "a readable manifest.json", id="outside"
    ),
    pytest.param(
        lambda fields: fields["files"].update({"/x.parquet": ENTRY}), "a readable manifest.json", id="from the root"
    ),
    pytest.param(lambda fields: fields.update(version="0123456789ab"), "got '0123456789ab' of 'small'", id="another"),
    pytest.param(lambda fields: fields.update(name="big"), "of 'big'", id="of another dataset"),
    pytest.param(lambda fields: fields.update(files=[]), "expected a readable manifest.json", id="no manifest"),
]


@pytest.mark.parametrize(("change", "sentence"), ODD_MANIFESTS)
def test_a_manifest_of_another_release_stops_a_purge_before_it_begins(house: House, change, sentence):
    rewrite_manifest(next(release for release in both(house) if house.row(release)["kept"]).url, change)
    before = files(house.store)
    with pytest.raises(DamagedFile, match=sentence):
        purge("small", house.store)
    assert files(house.store) == before
