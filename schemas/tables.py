"""The Arrow schema of every stored table. What the columns of a release's tables mean, data_contracts/v2/ says.

Rows are unique in the primary key and sorted by it (byte order of UTF-8), unless a schema says otherwise; in which
order a release's images and annotations stand in its files is said in tasks/core/export/row_groups.py. Boxes are
(x_min, y_min, width, height) in pixels of the upright image: EXIF orientation applied, first frame of an animation.
"""

import pyarrow as pa

from schemas.scores import SCORES

XYWH = pa.list_(pa.float64(), 4)
TIME = pa.timestamp("us", tz="UTC")


def columns(kind: pa.DataType, *names: str) -> list[pa.Field]:
    """Columns of one type."""
    return [pa.field(name, kind) for name in names]


RECORDS = pa.schema(
    [
        *columns(pa.string(), "record_id", "source", "locator", "source_url", "image_url", "title"),
        *columns(pa.string(), "artist", "artist_text", "artist_qualifier"),
        *columns(pa.list_(pa.string()), "artists", "artist_roles"),
        ("style", pa.string()),
        ("styles", pa.list_(pa.string())),
        ("date_text", pa.string()),
        *columns(pa.int32(), "year", "year_first", "year_last"),
        *columns(pa.string(), "rights_uri", "rights_text", "rights_basis", "declared_group", "series"),
        ("is_annotated", pa.bool_()),
        *columns(pa.string(), "reason", "detail"),
    ]
)

FIGURE = pa.struct(
    [
        ("category", pa.string()),
        ("xywh_px", XYWH),
        ("is_crowd", pa.bool_()),
        ("keypoints_xyv", pa.list_(pa.float64())),
        ("score", pa.float64()),
    ]
)
"""One box in one image, from the source (score null) or a detector. keypoints: x, y, visibility of each, or null."""

SOURCE_FIGURE = pa.struct(
    [*FIGURE, ("source_area_px2", pa.float64()), *columns(pa.string(), "segmentation", "source_coco")]
)
"""One box that people drew. The last three, as of ANNOTATIONS, detectors' boxes lack."""

SOURCE_FIGURES = pa.schema(
    [
        ("record_id", pa.string()),
        ("figures", pa.list_(SOURCE_FIGURE)),  # null: nobody has looked, or it can't be read what they drew
        *columns(pa.int32(), "width_px", "height_px"),  # of the image, as the annotations' file says it, or null
        ("source_coco", pa.string()),  # as of IMAGES
    ]
)

COCO_FILES = pa.schema(
    [
        *columns(pa.string(), "source", "path"),
        *columns(pa.int64(), "images", "annotations"),
        *columns(pa.string(), "info", "licenses", "categories", "other_fields"),
    ]
)
"""The COCO files that sources took annotations from: what such a file says of no single image."""

RETRIEVALS = pa.schema(
    [
        *columns(pa.string(), "locator", "validator", "sha256"),
        ("bytes", pa.int64()),
        *columns(pa.int32(), "width_px", "height_px"),
        *columns(pa.string(), "reason", "detail"),
        ("rules", pa.string()),  # digest of limits and code under which a failure was found
        ("retrieved_at", TIME),
        *columns(pa.string(), "etag", "last_modified"),
        ("run", pa.string()),  # the build that has asked, of images on the web; null: before this was noted
    ]
)
"""What was asked for and what came. locator: a path below a binding or a URL; width and height upright, of images."""

ANSWERS = pa.schema(
    [
        *columns(pa.string(), "url", "kind"),  # without any secret
        *columns(pa.string(), "key", "expects"),  # key: of the one work that the answer is about; null: a listing
        ("needs_secret", pa.bool_()),
        ("body", pa.binary()),  # null where it is too long to stand here: then it is a blob
        ("sha256", pa.string()),
        ("bytes", pa.int64()),
        *columns(pa.string(), "reason", "detail"),
        ("retrieved_at", TIME),
        *columns(pa.string(), "etag", "last_modified"),
        ("run", pa.string()),  # the build that has asked; null: before this was noted
    ]
)
"""What a source on the web was asked, and its raw answers."""

SOURCE_REQUESTS = pa.schema([ANSWERS.field(name) for name in ("url", "kind", "key", "expects", "needs_secret")])

OUTCOME = pa.schema(columns(pa.string(), "record_id", "reason", "detail", "kept_record_id"))
"""What one stage did with each record that reached it (reason null: it kept it). A stage's own columns follow these."""


def outcome(*columns: tuple[str, pa.DataType]) -> pa.Schema:
    """The outcome schema of a stage that adds columns to the records that it keeps."""
    return pa.schema([*OUTCOME, *(pa.field(name, kind) for name, kind in columns)])


FETCH = outcome(
    ("sha256", pa.string()),
    ("bytes", pa.int64()),
    ("retrieved_at", TIME),
    *(("width_px", pa.int32()), ("height_px", pa.int32())),  # upright
)

HASH = pa.schema(
    [
        *columns(pa.string(), "sha256", "reason", "detail"),
        *columns(pa.int32(), "width_px", "height_px"),
        ("format", pa.string()),
        ("orientation", pa.int8()),  # EXIF's 1..8, as the bytes have it; sizes are those after it is applied
        ("phash", pa.uint64()),
        ("phash_recipe", pa.string()),  # name and version: hashes of different recipes must not be compared
    ]
)
THUMBNAILS = pa.schema([("sha256", pa.string()), ("jpeg", pa.binary())])
"""Small upright copies, in sRGB, longest side 256 px."""

THUMBNAIL_PLACES = pa.schema([("sha256", pa.string()), ("path", pa.string())])
"""In which table a blob's thumbnail is, or its keypoints are. path: the table's."""

VIEW_HASHES = pa.schema([("sha256", pa.string()), ("keys", pa.list_(pa.uint64()))])
"""keys: a blob's view hashes, of how it would look mirrored, turned or cropped; one for each view, in their order."""

SEARCH_PAIRS = pa.schema(
    [("left", pa.uint64()), ("right", pa.uint64()), ("distance_bits", pa.uint8()), ("is_view", pa.bool_())]
)
"""Pairs of hashes within the radius. is_view: left is the hash of a view, right that of a whole; else left < right,
both wholes."""

SEARCH_HASHES = pa.schema([("key", pa.uint64()), ("is_view", pa.bool_()), ("pairs", pa.uint32())])
"""The distinct hashes (key) that were searched for near pairs; pairs: how many rows of SEARCH_PAIRS have it left."""

KEYPOINTS = pa.schema([("sha256", pa.string()), ("codes", pa.list_(pa.uint64())), ("places", pa.list_(pa.uint8()))])
"""codes: of the clearest corners of a blob's thumbnail; places: four numbers for each (`core.dedup.local`)."""

LOCAL_BLOBS = pa.schema([("sha256", pa.string()), ("pairs", pa.uint32())])
"""Blobs whose keypoints were all compared with each other's; pairs: how many of LOCAL_PAIRS have it as the smaller."""

LOCAL_PAIRS = pa.schema([*columns(pa.string(), "piece", "a", "b"), ("matches", pa.int64())])
"""Two blobs (SHA-256) that share so many places. piece: of the work; its first row has no pair, and as matches the
number of its pairs."""

RELATIONS = pa.schema(
    [
        *columns(pa.string(), "a", "b"),
        ("view", pa.int16()),  # the view of a that was compared with b: a place in `dedup.views.ALL_VIEWS`
        ("relation", pa.string()),
        ("score", pa.float64()),  # 0..1: how well the two agree where both have something to show
        ("share", pa.float64()),  # 0..1: how much of the larger picture the smaller one shows
        ("tone", pa.float64()),  # 0..1: how far the tones of one are from those of the other
    ]
)
"""What the comparison of two blobs has found. a, b: SHA-256."""

EDGES = pa.schema(
    [
        *columns(pa.string(), "a", "b", "relation"),
        ("distance_bits", pa.int16()),  # `local`: of the wholes' hashes
        ("score", pa.float64()),
        ("verdict", pa.string()),
        ("is_joined", pa.bool_()),
    ]
)
"""Pairs of records that were compared or have a verdict, a < b, sorted. Published as relations.parquet."""

VERDICTS = pa.schema(columns(pa.string(), "a", "b", "verdict", "note"))
"""People's verdicts on pairs of records: copy, related or different."""

BY_HAND = pa.schema(columns(pa.string(), "action", "scope", "name", "reason", "date"))
"""The list by hand: actions on records, works or artists (schemas/by_hand.py). date: such as 2024-12-31."""

TAKEN_DOWN = pa.schema(
    [*columns(pa.string(), "record_id", "sha256", "detail"), ("is_work", pa.bool_()), ("reached_by", pa.string())]
)
"""Records that are taken down. sha256: of the file, if it was ever stored; is_work: copies of the work go, too;
reached_by: as of TAKEDOWNS."""

TAKEDOWNS = pa.schema(columns(pa.string(), "record_id", "scope", "reached_by"))
TOMBSTONES = pa.schema(columns(pa.string(), "record_id", "date", "reason", "sha256", "scope"))

DETECT = pa.schema([*columns(pa.string(), "sha256", "reason", "detail"), ("figures", pa.list_(FIGURE))])
"""figures: null where the detector has not run (an image that another program's results do not list)."""

LIBRARY_HASHES = pa.schema([("sha256", pa.string()), ("hash", pa.string()), ("keys", pa.list_(pa.uint64()))])
"""One of imagehash's hashes of a blob's thumbnail, as the library writes it, and its bits in words of 64."""

QUALITY = pa.schema(
    [
        *columns(pa.string(), "sha256", "reason", "detail"),  # no reasons: what has a thumbnail has scores
        *columns(pa.float64(), *SCORES),
    ]
)
"""Scores of a blob's thumbnail (core.quality)."""

SCREEN = outcome()
DEDUP = outcome(("group_id", pa.string()))
SAMPLE = outcome()
SPLIT = outcome(("group_id", pa.string()), ("split", pa.string()))

IMAGES = pa.schema(
    [
        ("record_id", pa.string()),
        ("image_id", pa.int64()),
        *columns(pa.string(), "source", "source_url"),
        ("source_urls", pa.list_(pa.string())),
        *columns(pa.string(), "image_url", "title", "artist", "artist_text", "artist_qualifier"),
        *columns(pa.list_(pa.string()), "artists", "artist_roles"),
        ("style", pa.string()),
        ("styles", pa.list_(pa.string())),
        ("date_text", pa.string()),
        *columns(pa.int32(), "year", "year_first", "year_last"),
        *columns(pa.string(), "rights_uri", "rights_spdx", "rights_text", "rights_basis", "sha256"),
        ("phash", pa.uint64()),
        ("phash_recipe", pa.string()),
        *columns(pa.int32(), "width_px", "height_px"),
        ("format", pa.string()),
        ("is_annotated", pa.bool_()),
        *columns(pa.string(), "group_id", "split", "source_coco"),
        ("retrieved_at", TIME),
        ("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())])),
    ]
)

ANNOTATIONS = pa.schema(
    [
        *columns(pa.int64(), "annotation_id", "image_id"),
        *columns(pa.string(), "record_id", "split"),
        ("category_id", pa.int32()),
        ("xywh_px", XYWH),
        ("area_px2", pa.float64()),
        ("is_crowd", pa.bool_()),
        ("keypoints_xyv", pa.list_(pa.float64())),
        ("keypoint_scheme", pa.string()),
        ("score", pa.float64()),
        *columns(pa.string(), "origin", "origin_name"),
        ("source_area_px2", pa.float64()),
        *columns(pa.string(), "segmentation", "source_coco"),
    ]
)

CATEGORIES = pa.schema(
    [
        ("category_id", pa.int32()),
        *columns(pa.string(), "name", "supercategory", "keypoint_scheme"),
        ("keypoints", pa.list_(pa.string())),
        *columns(pa.list_(pa.int32()), "skeleton", "flip_pairs"),  # flat: fastparquet reads no lists of lists
        ("sigmas", pa.list_(pa.float64())),
    ]
)

LEDGER = pa.schema(
    [
        *columns(pa.string(), "record_id", "source"),
        ("kept", pa.bool_()),
        *columns(pa.string(), "stage", "reason", "detail", "kept_record_id", "last_split"),
        ("image_id", pa.int64()),
        ("sha256", pa.string()),
        ("retrieved_at", TIME),
    ]
)

ANNOTATED_IMAGES = pa.schema(
    [
        ("image_id", pa.int64()),
        *columns(pa.string(), "sha256", "split", "style"),
        *columns(pa.int32(), "width_px", "height_px"),
    ]
)
"""Images that people have looked at, sorted by image_id; their bytes are blobs of the store."""

ANNOTATED_FIGURES = pa.schema(
    [
        ("image_id", pa.int64()),
        ("category", pa.string()),
        ("xywh_px", XYWH),
        ("area_px2", pa.float64()),  # what COCO's sizes go by: a file's own `area`, else that of the box
        ("is_crowd", pa.bool_()),
        ("keypoints_xyv", pa.list_(pa.float64())),
    ]
)
"""The figures that people drew in these images, sorted by image_id and box."""

THRESHOLDS = pa.schema(
    [
        *columns(pa.string(), "system", "attribute", "group"),  # as in SYSTEM_SCORES
        ("threshold", pa.float64()),  # an image is kept that has a box of at least this score
        ("images", pa.int64()),
        ("with_figure", pa.int64()),  # by people
        *columns(pa.int64(), "kept", "kept_with_figure"),
        ("kept_share", pa.float64()),
        ("recall", pa.float64()),  # of images with a figure, those kept
        *columns(pa.float64(), "recall_low", "recall_high"),
        ("precision", pa.float64()),  # of images kept, those with a figure
        *columns(pa.float64(), "precision_low", "precision_high"),
    ]
)
"""What a threshold keeps, and what it loses: thresholds.parquet of `bilderatlas evaluate detector`."""

SYSTEM_SCORES = pa.schema(
    [
        ("system", pa.string()),  # a detector, a rater, a model, a generator ...
        ("attribute", pa.string()),  # what the units are grouped by, or `category`; null: all units
        ("group", pa.string()),  # a value of the attribute; "unknown": it has none
        ("metric", pa.string()),  # docs/evaluating/ says what each is
        ("value", pa.float64()),  # null: not defined, such as the recall of no figure
        *columns(pa.float64(), "low", "high"),  # 95 % interval; null where it has none
        ("ahead_of", pa.string()),  # null: the system's own value; else by how much it is better than this system
        ("units", pa.int64()),  # images, queries, sketches ...: how many the number is of
    ]
)
"""How systems compare, one number a row: scores.parquet of `bilderatlas evaluate`."""

DIVERSITY = pa.schema(
    [
        *columns(pa.string(), "moment", "stratum"),  # stratum: null: all together
        *columns(pa.int64(), "images", "artists"),
        *columns(pa.float64(), "effective_artists", "gini"),
        ("largest_artist", pa.string()),
        ("largest_share", pa.float64()),
        ("unknown_artist", pa.int64()),
    ]
)

HISTOGRAMS = pa.schema(
    [
        *columns(pa.string(), "statistic", "moment", "stratum"),
        *columns(pa.float64(), "least", "below"),
        ("count", pa.int64()),
    ]
)

UNREAD = pa.schema(
    [
        *columns(pa.string(), "field", "source", "words", "text"),
        ("records", pa.int64()),
        ("record_id", pa.string()),
    ]
)

SHARES = pa.schema(
    [
        *columns(pa.string(), "stratum", "split"),
        *columns(pa.int64(), "images", "figures"),
        *columns(pa.float64(), "wanted_share", "images_share", "figures_share"),
    ]
)

ATTRIBUTES = pa.schema(
    [
        *columns(pa.string(), "attribute", "split", "kind", "value"),
        *columns(pa.float64(), "least", "below"),
        *columns(pa.int64(), "images", "distinct"),
    ]
)

PASSED_OVER = pa.schema(
    [
        ("sources", pa.list_(pa.string())),
        ("unit", pa.string()),  # of which list: files, rows, entries, annotations ...
        ("listed", pa.int64()),  # the length of that list
        ("kind", pa.string()),
        ("count", pa.int64()),
        ("examples", pa.list_(pa.string())),
    ]
)
"""What a source lists and what yields no record, or no figure, by its kind. Kept in the store; the card shows it."""

CURVES = pa.schema([("step", pa.int64()), ("name", pa.string()), ("value", pa.float64())])
"""How a training went: mean loss and its parts since the last point, learning rate, scores, seconds so far (`s`)."""

_MAY_BE_NULL = {"keypoints_xyv", "keypoint_scheme", "score", "source_area_px2", "segmentation", "source_coco"}
_IMAGES_FILLED = (
    *("record_id", "image_id", "source", "source_urls", "artists", "artist_roles", "styles", "rights_uri"),
    *("rights_basis", "sha256", "phash", "phash_recipe", "width_px", "height_px", "format", "is_annotated"),
    *("group_id", "split", "retrieved_at", "image"),
)
_RELEASED: dict[str, tuple[pa.Schema, tuple[str, ...]]] = {
    "images": (IMAGES, _IMAGES_FILLED),
    "annotations": (ANNOTATIONS, tuple(name for name in ANNOTATIONS.names if name not in _MAY_BE_NULL)),
    "categories": (CATEGORIES, ("category_id", "name", "supercategory")),
    "ledger": (LEDGER, ("record_id", "source", "kept", "image_id")),
    "records": (RECORDS, ("record_id", "source")),
    "relations": (EDGES, ("a", "b")),
    "takedowns": (TAKEDOWNS, ("record_id", "scope")),
    "tombstones": (TOMBSTONES, ("record_id", "date", "reason")),
    "coco_files": (COCO_FILES, ("source", "path", "images", "annotations")),
    "statistics/diversity": (DIVERSITY, ("moment", "images", "artists", "unknown_artist")),
    "statistics/histograms": (HISTOGRAMS, ("statistic", "moment", "count")),
    "statistics/shares": (SHARES, ("split", "images", "figures")),
    "statistics/attributes": (ATTRIBUTES, ("attribute", "kind", "images")),
    "statistics/unread": (UNREAD, ("field", "source", "words", "text", "records", "record_id")),
}
"""The tables of a release by their paths in it, and the columns that have no null."""

FILLED = {path: frozenset(filled) for path, (_, filled) in _RELEASED.items()}
"""Columns of a release's tables that have no null, by the tables' paths."""

BY_CONTRACT = {path.rpartition("/")[2]: schema for path, (schema, _) in _RELEASED.items()}
"""The tables of a release by the names of their contracts."""
