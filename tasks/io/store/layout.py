"""Every path of a store: what lies where, who owns it, and what `purge` and `prune` do with it.

No other file spells such a path. A cache that is not in this table can be neither written (`measure_folder`) nor
forgotten by `purge`, which refuses a store with an unknown folder. docs/store.md shows the table to people.
"""

import re
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

import pyarrow as pa

from schemas.tables import ANSWERS, RETRIEVALS


class PurgeRule(StrEnum):
    """What `purge` does with an area; the value is the sentence that people read."""

    KEEP = "stays: it names no record and holds no image"
    RECORD = "gains a tombstone for each purged record"
    AMEND = "every release of the dataset loses the rows, boxes and files of the purged records"
    DROP_REQUESTS = "loses the rows that asked for, or got, a purged file"
    DROP_ANSWERS = "loses the answers about a purged record, or in which one is mentioned"
    REMOVE_FILES = "loses the files of the purged records that no other record keeps"
    REMOVE_BY_HASH = "loses the tables with a hash of a purged file"
    DROP_ROWS = "loses the rows about a purged file"
    DROP_POINTERS = "loses the rows about a purged file; the others follow the tables that they point to"
    REMOVE_MENTIONS = "loses the tables that mention a purged record"
    REMOVE_LEDGERS = "loses the ledgers in which a purged record stands"
    REMOVE_ALL = "is emptied"


class PruneRule(StrEnum):
    """What `prune` does with an area; the value is the sentence that people read."""

    KEEP = "stays"
    RELEASES = "loses releases beyond those to keep"
    BLOBS = "loses images that no kept release has ever seen, and answers that newer ones have replaced"
    UNUSED = "loses what the last builds have not looked at"


class Area(NamedTuple):
    """One kind of thing that a store holds, and where.

    pattern: its path below the store; `<word>` stands for one name, and a path that ends in / is a folder.
    owner: the stage or module that writes it. holds: one sentence.
    is_recomputable: whether a build makes it again without asking anybody outside.
    columns: where a table names what `purge` looks for: SHA-256 of files, or hashes (`PurgeRule.REMOVE_BY_HASH`).
    hash_column: the column with the perceptual hashes of the files that its `columns` name, if it has one.
    journal: the schema of rows that a killed build may have left in a journal; None where there is no journal.
    prune: what goes where, if it is older than the time of grace.
    """

    pattern: str
    owner: str
    holds: str
    is_recomputable: bool
    purge: PurgeRule
    columns: tuple[str, ...] = ()
    hash_column: str = ""
    journal: pa.Schema | None = None
    prune: PruneRule = PruneRule.KEEP

    @property
    def root(self) -> str:
        """The path as far as it is the same for all of the area: `measures/hash` of `measures/hash/<cache key>/`."""
        return self.pattern.partition("<")[0].rstrip("/")

    def match(self, path: str) -> dict[str, str] | None:
        """What the pattern's words stand for in a path of this area; None if the path is not of its shape."""
        names = re.split("[<>]", self.pattern)[1::2]
        expression = "([^/]+)".join(re.escape(text) for text in re.split("<[^>]+>", self.pattern))
        found = re.match(expression + ("" if self.pattern.endswith("/") else "$"), path)
        return dict(zip(names, found.groups(), strict=True)) if found else None


_BY_FILE, _BY_PAIR, _BY_HASH, _BY_HASHES = ("sha256",), ("a", "b"), ("key",), ("left", "right")


def _measure(name: str, owner: str, holds: str, columns: tuple[str, ...] = _BY_FILE, hash_column: str = "") -> Area:
    """A cache with rows about files."""
    folder = f"measures/{name}/<cache key>/"
    return Area(folder, owner, holds, True, PurgeRule.DROP_ROWS, columns, hash_column, prune=PruneRule.UNUSED)


def _search(folder: str, holds: str, columns: tuple[str, ...]) -> Area:
    """A cache with hashes of files that can't be told from each other."""
    return Area(folder, "dedup.search", holds, True, PurgeRule.REMOVE_BY_HASH, columns, prune=PruneRule.UNUSED)


def _outcome(folder: str, owner: str, holds: str) -> Area:
    return Area(folder, owner, holds, True, PurgeRule.REMOVE_MENTIONS, prune=PruneRule.UNUSED)


def _images(name: str, holds: str) -> Area:
    columns = ("sha256", "locator")
    return Area(f"retrievals/{name}/", "fetch", holds, False, PurgeRule.DROP_REQUESTS, columns, journal=RETRIEVALS)


def _answers(name: str, holds: str, key: str, journal: pa.Schema) -> Area:
    columns = (key, "sha256")
    return Area(f"retrievals/{name}/", "scrape", holds, False, PurgeRule.DROP_ANSWERS, columns, journal=journal)


AREAS = (
    Area(
        "blobs/<first two digits>/<sha256>",
        "fetch, scrape",
        "Images and large raw answers, each once, under the SHA-256 of its bytes; never altered.",
        False,
        PurgeRule.REMOVE_FILES,
        prune=PruneRule.BLOBS,
    ),
    # the more special patterns first: a path belongs to the first area that it fits
    _images("web-images", "Which images were asked for on the web, and what came."),
    _answers("<source>-web", "Raw answers of a source on the web.", "key", ANSWERS),
    _answers(
        "<source>-answers",
        "Which files of a source list its works, and the sizes of images that its boxes need; each answer is a blob.",
        "locator",
        RETRIEVALS,
    ),
    _images("<source>", "Which images of a folder or table were read, and what came."),
    _measure("hash", "engine.inspection", "Size, format and perceptual hash of each image.", hash_column="phash"),
    _measure("thumbnail", "engine.inspection", "A small upright copy of each image."),
    _measure("thumbnail-places", "engine.inspection", "In which table of thumbnails each image has its own.")._replace(
        purge=PurgeRule.DROP_POINTERS
    ),
    _measure("rendition-digests", "engine.rendition_parts", "Which bytes the rendition of each image has."),
    Area(
        "renditions/<cache key>/<first two digits>/<sha256>",
        "engine.rendition_parts",
        "Images drawn anew in another size, for formats of releases, each under the SHA-256 of its blob.",
        True,
        PurgeRule.REMOVE_FILES,
        prune=PruneRule.UNUSED,
    ),
    _measure("quality", "quality", "Scores of each thumbnail."),
    _measure("detect", "detect", "What one detector has found in each image."),
    _measure(
        "view-hashes",
        "subjects.view_hashes",
        "Perceptual hashes of each thumbnail mirrored, turned or cropped.",
        hash_column="keys",
    ),
    _measure(
        "library-hashes", "subjects.library_hashes", "One of imagehash's hashes of each thumbnail.", hash_column="keys"
    ),
    _search("measures/search-hashes/<cache key>/", "Hashes among which all near pairs have been searched.", _BY_HASH),
    _search(
        "measures/search-pairs/<cache key>/<search>/", "The pairs of near hashes that a search has found.", _BY_HASHES
    ),
    _search("measures/search-pieces/<cache key>/", "The pairs of one piece of a large search.", _BY_HASHES),
    _measure(
        "keypoints",
        "dedup.local_pairs",
        "The clearest corners of each thumbnail, by which parts of pictures are found.",
    ),
    _measure("local-pairs", "dedup.local_pairs", "Pairs of images of one collection with places in common.", _BY_PAIR),
    Area(
        "measures/local-near/<cache key>/<range>/<list>/",
        "dedup.local_pairs",
        "Which corners of a large collection look alike, by their numbers: on the way to its pairs.",
        True,
        PurgeRule.KEEP,
        prune=PruneRule.UNUSED,
    ),
    _measure("relations", "dedup.relate", "What two images are to each other: the second look.", _BY_PAIR),
    _outcome(
        "decisions/<decision>/<cache key>/",
        "engine.steps, dedup",
        "One table: a whole decision of a stage, such as the split.",
    ),
    _search("outcomes/search-hashes/", "Hashes that the pieces of a large search compare.", _BY_HASH),
    _measure(
        "local-places", "dedup.local_pairs", "Where the corners of each image of a large collection lie."
    )._replace(pattern="outcomes/local-places/"),
    _outcome("outcomes/<stage>/", "every stage", "What a stage did with each record of a build."),
    Area(
        "releases/<dataset>/",
        "export",
        "Published versions, and `latest`, which names the newest; `latest.next` while one is being published.",
        False,
        PurgeRule.AMEND,
        prune=PruneRule.RELEASES,
    ),
    Area(
        "tombstones/<dataset>.parquet",
        "purge",
        "What was purged, when and why, so that it never comes back.",
        False,
        PurgeRule.RECORD,
    ),
    Area(
        "refusals/<dataset>.parquet",
        "every build",
        "The ledger of the last build, if a gate refused it: what `why --last` answers from.",
        True,
        PurgeRule.REMOVE_LEDGERS,
    ),
    Area(
        "trainings/<cache key>/",
        "train",
        "Weights, curves, scores and checkpoints of a trained detector.",
        True,
        PurgeRule.KEEP,
    ),
    Area(
        "uses/<dataset>.json",
        "every full build",
        "Which tables and folders the last build of a dataset has looked at: what `prune` goes by.",
        True,
        PurgeRule.KEEP,
    ),
    Area(
        "leases/<run>.json",
        "whoever is at work",
        "Who is at work in the store; renewed every minute, gone at the end.",
        True,
        PurgeRule.KEEP,
    ),
    Area("tmp/", "every stage", "Unfinished files; never read, removed after a day.", True, PurgeRule.REMOVE_ALL),
)
BLOBS, RELEASES, REFUSALS, SCRATCH, USES, LEASES = "blobs", "releases", "refusals", "tmp", "uses", "leases"
RENDITIONS = "renditions"
FORMATS = "formats"
"""Of a release: the folder of its formats."""
DOWNLOADS = "retrievals/web-images"
"""Downloads of all sources: an address gives the same image, whichever source names it."""
JOURNAL_SUFFIX = ".journal"
CHECKPOINT_SUFFIX = ".safetensors"
TRAINED_WEIGHTS, TRAINING_CURVES, TRAINING_PLOT = "model.safetensors", "curves.parquet", "curves.svg"
TRAINING_METRICS, TRAINING_TRUTHS = "metrics.json", "truths.json"


def area_of(path: str) -> Area | None:
    """The area to which a path below the store belongs; None if it belongs to none.

    >>> area_of("retrievals/met-web/0.parquet").holds
    'Raw answers of a source on the web.'
    """
    return next((area for area in AREAS if area.match(path) is not None), None)


def areas(rule: PurgeRule) -> list[Area]:
    """The areas that `purge` treats by a rule, in the table's order."""
    return [area for area in AREAS if area.purge is rule]


def unknown_entries(list_folder: Callable[[str], list[str]]) -> list[str]:
    """Paths that belong to no area, sorted; of an unknown folder only itself; names with a dot are left out."""
    found = []
    tops = {area.root.partition("/")[0] for area in AREAS}
    for top in [name for name in list_folder("") if not name.startswith(".")]:
        if top not in tops:
            found.append(top)
        elif all(area.root != top for area in AREAS if area.root.partition("/")[0] == top):
            found += [f"{top}/{name}" for name in list_folder(top) if area_of(f"{top}/{name}/x/x/x") is None]
    return sorted(found)


def blob_path(sha256: str) -> str:
    """Where a blob lies."""
    return f"{BLOBS}/{sha256[:2]}/{sha256}"


def rendition_path(cache_key: str, sha256: str) -> str:
    """Where a blob's rendition lies."""
    return f"{RENDITIONS}/{cache_key}/{sha256[:2]}/{sha256}"


def measure_folder(measure: str, *keys: str) -> str:
    """Where the rows of a measure with this cache key lie. Raises ValueError for one that `purge` would not know."""
    folder = "/".join(("measures", measure, *keys))
    if area_of(f"{folder}/x.parquet") is None:
        raise ValueError(f"expected a measure of the table in {__name__}, got '{measure}': add it there first")
    return folder


_ByName = Callable[[str], str]
_ByNames = Callable[[str, str], str]
# paths of the areas above, by what stands for the <words> of their patterns
images_folder: _ByName = "retrievals/{}".format
listings_folder: _ByName = "retrievals/{}-answers".format
answers_folder: _ByName = "retrievals/{}-web".format
decision_folder: _ByNames = "decisions/{}/{}".format
outcome_folder: _ByName = "outcomes/{}".format
releases_folder: _ByName = "releases/{}".format
release_folder: _ByNames = "releases/{}/{}".format
latest_path: _ByName = "releases/{}/latest".format
announced_path: _ByName = "releases/{}/latest.next".format
tombstones_path: _ByName = "tombstones/{}.parquet".format
refusal_path: _ByName = "refusals/{}.parquet".format
uses_path: _ByName = "uses/{}.json".format
lease_path: _ByName = "leases/{}.json".format
training_folder: _ByName = "trainings/{}".format
checkpoints_folder: _ByName = "{}/checkpoints".format
"""Where the checkpoints of a training lie, whose folder is given."""
scratch_path: _ByName = "tmp/{}".format
