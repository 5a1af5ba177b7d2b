"""The Arrow schema of every stored table. What the columns of a release's tables mean, data_contracts/v3/ says.

Rows are unique in the primary key and sorted by it (byte order of UTF-8), unless a schema says otherwise; in which
order a release's images and annotations stand in its files is said in tasks/core/export/row_groups.py. Boxes are
(x_min, y_min, width, height) in pixels of the upright image: EXIF orientation applied, first frame of an animation.
"""

import pyarrow as pa

from schemas.scores import SCORES

XYWH = pa.list_(pa.float64(), 4)
TIME = pa.timestamp("us", tz="UTC")
_STRINGS = pa.list_(pa.string())
_TYPES: dict[str, pa.DataType] = {
    name: kind
    for kind, names in (
        (pa.string(), "record_id source locator source_url image_url title artist artist_text artist_qualifier style"),
        (
            pa.string(),
            "date_text rights_uri rights_text rights_basis rights_spdx declared_group series reason detail",
        ),
        (pa.string(), "category segmentation source_coco path info licenses categories other_fields validator sha256"),
        (pa.string(), "rules etag last_modified run url kind expects kept_record_id format phash_recipe a b"),
        (pa.string(), "relation verdict note action scope name date reached_by hash group_id split keypoint_scheme"),
        (pa.string(), "origin origin_name supercategory stage last_split system attribute group metric ahead_of"),
        (pa.string(), "moment stratum largest_artist statistic field words text unit model"),
        (pa.string(), "id class prediction nearest type compared_with method subset classifier true_class"),
        (pa.string(), "predicted_class sample_id training_id rater views_recipe column other other_image other_split"),
        (pa.string(), "rendition_sha256 attribution"),
        (_STRINGS, "artists artist_roles styles source_urls keypoints sources examples"),
        (pa.bool_(), "is_annotated is_crowd needs_secret is_view is_joined is_work kept is_right"),
        (pa.bool_(), "has_rater_twice is_minority"),
        (pa.int8(), "orientation"),
        (pa.int16(), "view"),
        (pa.int32(), "year year_first year_last width_px height_px category_id rank"),
        (
            pa.int64(),
            "images annotations bytes matches image_id annotation_id detection_id with_figure kept_with_figure units",
        ),
        (pa.int64(), "unknown_artist count records distinct listed step k distractors queries strokes rho_photos"),
        (pa.int64(), "photos left_out predictions samples reference figure raters boxes seen_by missed extra"),
        (pa.int64(), "range row label style_label category_label"),
        (pa.uint32(), "pairs"),
        (pa.uint64(), "phash left right near"),
        (pa.float64(), "score source_area_px2 area_px2 share tone threshold value low high recall recall_low"),
        (pa.float64(), "recall_high precision precision_low precision_high kept_share effective_artists gini"),
        (pa.float64(), "largest_share least below wanted_share images_share figures_share worst_iou"),
        (pa.float64(), "confidence tau gap acc points relative mean rises falls rises_throughout rho f1 sd"),
        (pa.float64(), "x_min y_min x_max y_max"),
        (pa.float64(), " ".join(SCORES)),
        (pa.float32(), "similarity"),
        (pa.list_(pa.uint8()), "places"),
        (pa.list_(pa.int32()), "skeleton flip_pairs"),
        (pa.list_(pa.uint64()), "keys codes view_hashes"),
        (pa.list_(pa.float64()), "keypoints_xyv sigmas"),
        (XYWH, "xywh_px"),
        (pa.binary(), "body jpeg"),
        (TIME, "retrieved_at"),
        (pa.struct([("bytes", pa.binary()), ("path", pa.string())]), "image"),
    )
    for name in names.split()
}
"""The type that columns of a name have in all tables, but where a schema says another."""


def _fields(*names: str, **others: pa.DataType) -> list[pa.Field]:
    kinds = _TYPES | others
    return [pa.field(name, kinds[name]) for text in names for name in text.split()]


def schema(*names: str, **others: pa.DataType) -> pa.Schema:
    """Columns by their names, between blanks. others: types of those that have none, or another one, in all tables."""
    return pa.schema(_fields(*names, **others))


RECORDS = schema(
    "record_id source locator source_url image_url title artist artist_text artist_qualifier artists artist_roles",
    "style styles date_text year year_first year_last rights_uri rights_text rights_basis declared_group series",
    "is_annotated reason detail",
)

FIGURE = pa.struct(_fields("category xywh_px is_crowd keypoints_xyv score"))
"""One box in one image, from the source (score null) or a detector. keypoints: x, y, visibility of each, or null."""

SOURCE_FIGURE = pa.struct([*FIGURE, *_fields("source_area_px2 segmentation source_coco")])
"""One box that people drew. The last three, as of ANNOTATIONS, detectors' boxes lack."""

SOURCE_FIGURES = schema("record_id figures width_px height_px source_coco", figures=pa.list_(SOURCE_FIGURE))
"""figures: null: nobody has looked, or it can't be read what they drew. The sides are those of the image, as the
annotations' file says them, or null; source_coco as of IMAGES."""

COCO_FILES = schema("source path images annotations info licenses categories other_fields")
"""The COCO files that sources took annotations from: what such a file says of no single image."""

RETRIEVALS = schema(
    "locator validator sha256 bytes width_px height_px reason detail",
    "rules",  # digest of limits and code under which a failure was found
    "retrieved_at etag last_modified",
    "run",  # the build that has asked, of images on the web; null: before this was noted
)
"""What was asked for and what came. locator: a path below a binding or a URL; width and height upright, of images."""

ANSWERS = schema(
    "url kind",  # without any secret
    "key expects needs_secret",  # key: of the one work that the answer is about; null: a listing
    "body",  # null where it is too long to stand here: then it is a blob
    "sha256 bytes reason detail retrieved_at etag last_modified",
    "run",  # the build that has asked; null: before this was noted
    key=pa.string(),
)
"""What a source on the web was asked, and its raw answers."""

SOURCE_REQUESTS = schema("url kind key expects needs_secret", key=pa.string())

OUTCOME = schema("record_id reason detail kept_record_id")
"""What one stage did with each record that reached it (reason null: it kept it). A stage's own columns follow these."""

FETCH = pa.schema([*OUTCOME, *_fields("sha256 bytes retrieved_at width_px height_px")])
"""Sides are upright."""

HASH = schema(
    "sha256 reason detail width_px height_px format",
    "orientation",  # EXIF's 1..8, as the bytes have it; sizes are those after it is applied
    "phash phash_recipe",  # phash_recipe: name and version; hashes of different recipes must not be compared
)

THUMBNAILS = schema("sha256 jpeg")
"""Small upright copies, in sRGB, longest side 256 px."""

THUMBNAIL_PLACES = schema("sha256 path")
"""In which table a blob's thumbnail is. path: the table's."""

VIEW_HASHES = schema("sha256 keys")
"""keys: a blob's view hashes, of how it would look mirrored, turned or cropped; one for each view, in their order."""

SEARCH_PAIRS = schema("left right distance_bits is_view", distance_bits=pa.uint8())
"""Pairs within the radius. is_view: left is the hash of a view, right of a whole; else both of wholes, left < right."""

SEARCH_HASHES = schema("key is_view pairs", key=pa.uint64())
"""The distinct hashes (key) that were searched for near pairs; pairs: how many rows of SEARCH_PAIRS have it left."""

KEYPOINTS = schema("sha256 codes places")
"""codes: of the clearest corners of a blob's thumbnail; places: four numbers for each (`core.dedup.local`)."""

KEYPOINT_PLACES = schema("sha256 path row")
"""In which table, and which of its rows, a blob's keypoints are."""

LOCAL_NEAR = schema("near")
"""Keypoints of two pictures that look alike, each pair as one number (`core.dedup.local_lists`)."""

LOCAL_PAIRS = schema("range a b matches")
"""Two blobs that share so many places. range: of pictures; its first row is no pair, and its matches count them."""

RELATIONS = schema(
    "a b",
    "view",  # the view of a that was compared with b: a place in `dedup.views.ALL_VIEWS`
    "relation",
    "score",  # 0..1: how well the two agree where both have something to show
    "share",  # 0..1: how much of the larger picture the smaller one shows
    "tone",  # 0..1: how far the tones of one are from those of the other
)
"""What the comparison of two blobs has found. a, b: SHA-256."""

EDGES = schema("a b relation distance_bits score verdict is_joined", distance_bits=pa.int16())
"""Pairs of records that were compared or have a verdict, a < b, sorted. Published as relations.parquet. distance_bits:
in a pair that was found by `local`, of the wholes' hashes."""

VERDICTS = schema("a b verdict note")
"""People's verdicts on pairs of records: copy, related or different."""

BY_HAND = schema("action scope name reason date")
"""The list by hand: actions on records, works or artists (schemas/by_hand.py). date: such as 2024-12-31."""

TAKEN_DOWN = schema("record_id sha256 detail is_work reached_by")
"""sha256: of the file, if it was ever stored; is_work: copies of the work go, too; reached_by: as of TAKEDOWNS."""

OVERLAPS = schema(
    "image_id record_id split other",  # other: the other dataset, as it was named
    "other_image other_split",  # other_image: its record_id, or a file's path
    "distance_bits relation score",
    distance_bits=pa.int16(),
)
"""Images of a release that another dataset has, too, or one like them. distance_bits: of the hashes by which the pair
was found, 0 of equal files. relation: null where nobody could look at both pictures (schemas/relations.py)."""

TAKEDOWNS = schema("record_id scope reached_by")
TOMBSTONES = schema("record_id date reason sha256 scope")

DETECT = schema("sha256 reason detail figures", figures=pa.list_(FIGURE))
"""figures: null where the detector has not run (an image that another program's results do not list)."""

LIBRARY_HASHES = schema("sha256 hash keys")
"""One of imagehash's hashes of a blob's thumbnail, as the library writes it, and its bits in words of 64."""

RENDITIONS = schema("sha256 rendition_sha256")
"""A blob, and the digest of the file of its rendition; null where it can't be decoded."""

QUALITY = schema("sha256 reason detail", *SCORES)
"""Scores of a blob's thumbnail (core.quality). No reasons: what has a thumbnail has scores."""

SCREEN = OUTCOME
DEDUP = pa.schema([*OUTCOME, *_fields("group_id")])
SAMPLE = OUTCOME
SPLIT = pa.schema([*OUTCOME, *_fields("group_id split")])

IMAGES = schema(
    "record_id image_id source source_url source_urls image_url title artist artist_text artist_qualifier artists",
    "artist_roles style style_label styles date_text year year_first year_last rights_uri rights_spdx rights_text",
    "rights_basis attribution sha256 phash phash_recipe width_px height_px format is_annotated group_id split",
    "source_coco retrieved_at image",
)

BOXES = schema(
    "annotation_id image_id record_id split category_id xywh_px area_px2 is_crowd keypoints_xyv keypoint_scheme score",
    "origin origin_name source_area_px2 segmentation source_coco",
)
"""All boxes of a release's images: those that people or sources drew (score null), and a detector's (origin detector).
A release has them as ANNOTATIONS and DETECTIONS; until contract 3 they were one table, annotations, of this form."""

ANNOTATIONS = schema(
    "annotation_id image_id record_id split category_id category_label xywh_px area_px2 is_crowd keypoints_xyv",
    "keypoint_scheme origin origin_name source_area_px2 segmentation source_coco",
)
DETECTIONS = schema(
    "detection_id image_id record_id split category_id category_label xywh_px area_px2 keypoints_xyv keypoint_scheme",
    "score model",
)
"""category_label: category_id - 1, of the type that class labels have (Hugging Face takes int64 alone)."""

LABELS = schema("column label name")
"""Numbers for the words of a column of images, sorted by both: a word keeps its number from release to release."""

FINGERPRINTS = schema("image_id record_id split sha256 phash phash_recipe views_recipe view_hashes")
"""What tells an image from others, sorted by image_id. view_hashes: of the views that views_recipe names
(`core.overlap.recipe_of`), 0 where the picture has no such view; both null where the recipe looks for none."""

CATEGORIES = schema("category_id name supercategory keypoint_scheme keypoints skeleton flip_pairs sigmas")
"""skeleton and flip_pairs are flat, since fastparquet reads no lists of lists."""

LEDGER = schema("record_id source kept stage reason detail kept_record_id last_split image_id sha256 retrieved_at")

ANNOTATED_IMAGES = schema("image_id sha256 split style width_px height_px")
"""Images that people have looked at, sorted by image_id; their bytes are blobs of the store."""

ANNOTATED_FIGURES = schema("image_id category xywh_px area_px2 is_crowd keypoints_xyv")
"""The figures that people drew in these images, sorted by image_id and box. area_px2: what COCO's sizes go by, a file's
own `area`, else that of the box."""

THRESHOLDS = schema(
    "system attribute group",  # as in SYSTEM_SCORES
    "threshold",  # an image is kept that has a box of at least this score
    "images with_figure kept kept_with_figure kept_share",  # with_figure: by people
    "recall recall_low recall_high",  # of images with a figure, those kept
    "precision precision_low precision_high",  # of images kept, those with a figure
    kept=pa.int64(),
)
"""What a threshold keeps, and what it loses: thresholds.parquet of `bilderatlas evaluate detector`."""

SYSTEM_SCORES = schema(
    "system",  # a detector, a rater, a model, a generator ...
    "attribute",  # what the units are grouped by, or `category`; null: all units
    "group",  # a value of the attribute; "unknown": it has none
    "metric",  # docs/evaluating/ says what each is
    "value",  # null: not defined, such as the recall of no figure
    "low high",  # 95 % interval; null where it has none
    "ahead_of",  # null: the system's own value; else by how much it is better than this system
    "units",  # images, queries, sketches ...: how many the number is of
)
"""How systems compare, one number a row: scores.parquet of `bilderatlas evaluate`."""

DIVERSITY = schema(
    "moment stratum images artists effective_artists gini largest_artist largest_share unknown_artist",
    artists=pa.int64(),
)
HISTOGRAMS = schema("statistic moment stratum least below count")
UNREAD = schema("field source words text records record_id")
SHARES = schema("stratum split images figures wanted_share images_share figures_share", figures=pa.int64())
ATTRIBUTES = schema("attribute split kind value least below images distinct", value=pa.string())

PASSED_OVER = schema(
    "sources",
    "unit",  # of which list: files, rows, entries, annotations ...
    "listed",  # the length of that list
    "kind count examples",
)
"""What a source lists and what yields no record, or no figure, by its kind. Kept in the store; the card shows it."""

CURVES = schema("step name value")
"""How a training went: mean loss and its parts since the last point, learning rate, scores, seconds so far (`s`)."""

TRUTH_IMAGES = schema("split style artist year width_px height_px is_annotated")
"""All images that a truth of `bilderatlas statistics` lists."""

TRUTH_FIGURES = schema("image category xywh_px is_crowd keypoints", image=pa.int64(), keypoints=pa.int64())
"""What people drew in them, sorted by image. image: the row of TRUTH_IMAGES; keypoints: how many have v > 0."""

TRUTH_STATISTICS = schema("truth split attribute group statistic value", truth=pa.string())
"""One number a row: statistics.parquet of `bilderatlas statistics`. split: null: all; attribute, group: as in
SYSTEM_SCORES; value: null where there is nothing to tell, such as the mean of no image."""

TRUTH_HISTOGRAMS = pa.schema([pa.field("truth", pa.string()), *HISTOGRAMS])
TRUTH_SHARES = pa.schema([pa.field("truth", pa.string()), *(field for field in SHARES if field.name != "wanted_share")])

CLASS_SIZES = schema("truth split images classes", truth=pa.string(), classes=pa.int64())
"""How many classes have so many images, of all splits (null) and of each."""

_MAY_BE_NULL = {"keypoints_xyv", "keypoint_scheme", "source_area_px2", "segmentation", "source_coco"}
_IMAGES_FILLED = (
    *("record_id", "image_id", "source", "source_urls", "artists", "artist_roles", "styles", "rights_uri"),
    *(
        "rights_basis",
        "attribution",
        "sha256",
        "phash",
        "phash_recipe",
        "width_px",
        "height_px",
        "format",
        "is_annotated",
    ),
    *("group_id", "split", "retrieved_at", "image"),
)
_RELEASED: dict[str, tuple[pa.Schema, tuple[str, ...]]] = {
    "images": (IMAGES, _IMAGES_FILLED),
    "annotations": (ANNOTATIONS, tuple(name for name in ANNOTATIONS.names if name not in _MAY_BE_NULL)),
    "detections": (DETECTIONS, tuple(name for name in DETECTIONS.names if name not in _MAY_BE_NULL)),
    "categories": (CATEGORIES, ("category_id", "name", "supercategory")),
    "labels": (LABELS, tuple(LABELS.names)),
    "fingerprints": (
        FINGERPRINTS,
        tuple(name for name in FINGERPRINTS.names if name not in {"views_recipe", "view_hashes"}),
    ),
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
