"""Small JSON values that tasks hand to each other: they name tables in the store, and never hold one."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from schemas.contract import major
from schemas.phrases import quoted

StageKind = Literal["retrieve", "measure", "decide", "publish"]

VERSION = re.compile("[0-9a-f]{12}")
"""What versions of releases look like, which are names of folders too."""


class Manifest(BaseModel):
    """Immutable and JSON-able."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TableRef(Manifest):
    """A stored table: its path below the store, ending in the SHA-256 of its bytes, and its rows."""

    path: str
    rows: int

    @property
    def sha256(self) -> str:
        """Digest of the table's file."""
        return self.path.rsplit("/", 1)[-1].removesuffix(".parquet")


class PassedOver(Manifest):
    """What of a source's list yields no record, of one kind: a row of PASSED_OVER."""

    sources: tuple[str, ...] = ()  # several may share a folder
    unit: str = "entries"  # of which list, in the plural: files, rows, annotations ...
    listed: int = 0  # length of that list: what yields something, and all kinds together
    kind: str = ""  # for people, in the plural: "image files that end in .webp"
    count: int = 0
    examples: tuple[str, ...] = ()


class Step(Manifest):
    """What one stage did in this build. in = kept + dropped always."""

    label: str
    stage: str
    kind: StageKind
    outcome: TableRef
    kept: int
    dropped: dict[str, int]
    computed: int = 0  # rows (retrieve, measure) or whole decisions (decide) that were not in the store
    pending: int = 0  # in a plan: rows of which no more can be said before earlier stages have run
    notes: tuple[str, ...] = ()  # what a person should know, in sentences
    passed_over: tuple[PassedOver, ...] = ()  # from scrape: what sources list and what yields no record
    release: str = ""  # URL of the release, from export
    edges: TableRef | None = None  # from dedup: what pairs of records are to each other
    # from fetch: records and figures without annotations of images of another size; they hold from here on
    records: TableRef | None = None
    figures: TableRef | None = None
    seconds: float = 0.0


class Predecessor(Manifest):
    """The release that a build goes on from. It is chosen once, before the first stage."""

    version: str = ""  # empty: the build inherits nothing
    lineage: int = 0  # the highest of all releases of the dataset
    # the newest version, if what a build needs of it is damaged: then the build may only give that very release again
    damaged: str = ""
    latest: str = ""  # what `latest` named then; empty: there was no such file


class State(Manifest):
    """Where a build stands: every record, the sources' own annotations, and the outcome of each stage so far."""

    records: TableRef
    figures: TableRef
    coco_files: TableRef | None = None  # what sources' COCO files say of no single image, where there are any
    taken_down: TableRef | None = None  # what may not come back, if there is any
    unread: TableRef | None = None  # what was not understood in the words of the sources
    previous: Predecessor = Predecessor()
    steps: tuple[Step, ...] = ()
    pending: int = 0

    def then(self, step: Step) -> "State":
        """The state after one more stage."""
        tables = {"records": step.records or self.records, "figures": step.figures or self.figures}
        more = {"steps": (*self.steps, step), "pending": max(self.pending, step.pending)}
        return self.model_copy(update=tables | more)

    def outcome(self, stage: str) -> TableRef | None:
        """The outcome of the last stage of that word, or None where the recipe has none so far."""
        return next((step.outcome for step in reversed(self.steps) if step.stage == stage), None)


class Context(Manifest):
    """What a machine provides to one build. Nothing of it is content, nor part of any key."""

    store: str
    bindings: dict[str, str] = {}
    part_rows: int | None = None
    workers: int = 2
    device: str = "auto"  # auto (a GPU where there is one), cpu, cuda, cuda:1 ...: what detectors and training run on
    dataset: str = ""  # the recipe's name: what is shown of a run begins with it
    run: str = ""  # a name of the build's own: what its workers share, such as each host's budget, goes by it
    began_s: float = 0.0  # when, in seconds since 1970: what was answered since need not be asked again in a second try
    # the version to go on from; empty: the one that `latest` names; "none": nothing, and all splits are assigned anew
    previous: str = ""
    command: tuple[str, ...] = ()  # the words by which a person has begun it on a terminal; empty: elsewhere
    # nothing is asked for, measured or published: where the store lacks something, WorkToDo is raised
    is_stored_only: bool = False
    plan: str = ""  # a name of its own if this is a plan: then the store is read, never written


class FileEntry(Manifest):
    """One file of a release."""

    sha256: str
    bytes: int
    rows: int | None = None


class Amendment(Manifest):
    """What a purge has left of a release: digests of its tables as they are now."""

    date: str  # of the newest tombstone in it
    tombstones: int
    content: dict[str, str]


def _one_line(text: str) -> str:
    """A release may come from anybody, and its names are printed."""
    if not text.isprintable():
        raise ValueError(f"expected text of one line, got {quoted(text)}")
    return text


def _path_inside(path: str) -> str:
    if not path.isprintable() or not {"", ".", ".."}.isdisjoint(path.split("/")):
        raise ValueError(f"expected paths inside the release, got {quoted(path)}")
    return path


_Line = Annotated[str, AfterValidator(_one_line)]
_Path = Annotated[str, AfterValidator(_path_inside)]


class ReleaseManifest(Manifest):
    """manifest.json of a release; written last."""

    name: _Line
    version: _Line
    previous: str | None
    lineage: int
    split_sha256: str
    contract_version: str
    content_sha256: str
    recipe_sha256: str
    counts: dict[str, int | dict[str, int]]
    content: dict[str, str]
    files: dict[_Path, FileEntry]
    environment: dict[str, str]
    amended: Amendment | None = None  # content and content_sha256 stay what they were when it was published
    manifest_sha256: str | None = None  # of all other fields, as RFC 8785 JSON

    @property
    def contract_major(self) -> int:
        """The first number of its contract's version, by which readers go; 0 where it is none."""
        return major(self.contract_version)
