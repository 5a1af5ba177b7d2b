"""evaluate raters: people's boxes and ratings, each against the consensus of the others (Picasso, 5.4 and 7)."""

import json
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_raters import RATINGS, RaterSettings
from schemas.keypoints import KeypointScheme, shipped_schemes
from schemas.phrases import quoted
from tasks.core.evaluate import charts
from tasks.core.evaluate.deformation import UNRATED
from tasks.core.evaluate.markdown import cell, number, table
from tasks.core.evaluate.picture_page import Picture, PictureRow, picture_page
from tasks.core.evaluate.raters.alpha import alpha_scorer
from tasks.core.evaluate.raters.buckets import deformation_buckets
from tasks.core.evaluate.raters.consensus import Consensus, figure_table, find_consensus
from tasks.core.evaluate.raters.disagreement import disagreement_table
from tasks.core.evaluate.raters.distribution import GRID, density
from tasks.core.evaluate.raters.document import PICTURES, consensus_document
from tasks.core.evaluate.raters.leave_one_out import (
    BoxCounts,
    leave_one_out,
    mean_scorer,
    rater_scorer,
    score_raters,
)
from tasks.core.evaluate.raters.pairs import compare_pairs, pairs_scorer
from tasks.core.evaluate.raters.ratings import Ratings, read_ratings
from tasks.core.evaluate.systems import Ranking, score_systems
from tasks.core.evaluate.systems_page import Headings, summary_lines
from tasks.evaluate.evaluation import Evaluation, Resampling, evaluation
from tasks.evaluate.pictures import jpeg_of
from tasks.io.files.arrays import read_table
from tasks.io.files.folders import Folder

MEAN = "mean of raters"
_OPTIONAL = ("keypoints_xyv",)
_RANKING = Ranking("f1", has_leads=False)
_METRICS = {"f1": "F", "precision": "precision", "recall": "recall", "mean_iou": "mean IoU"}
_AGREEMENT = {
    "alpha_ordinal": "alpha, ordinal",
    "alpha_interval": "alpha, interval",
    "alpha_nominal": "alpha, nominal",
    "pairwise_f1": "F of pairs",
    "pairwise_oks": "OKS of pairs",
}
_MOST_SHOWN, _MOST_PICTURES = 10, 40
_LONGEST_PX = 480
_RATER_COLOUR, _CONSENSUS_COLOUR = "#e0601e", "#1f5a8a"


def evaluate_raters(
    ratings: str,
    settings: RaterSettings,
    resampling: Resampling,
    *,
    pictures: str | None = None,
    images: str | None = None,
    category: str = "person",
    scheme: str = "coco-17",
) -> Evaluation:
    """Precision, recall and F of each rater, by how deformed the figures are, agreement, and the consensus as COCO.

    ratings: a table of RATINGS. pictures: a table that says the file and size of each image, for the COCO file. images:
    the folder of the images, for a page that shows where raters differ most; its files have the images' names, or those
    of `pictures`. category: what the figures of the COCO file are. scheme: of the keypoints, if there are any. Raises
    BadInput for a table that is none, and for a rater who is called like the mean.
    """
    if scheme not in shipped_schemes():
        raise BadInput(f"--scheme: expected one of {', '.join(shipped_schemes())}, got {quoted(scheme)}")
    drawn = read_ratings(read_table("ratings", ratings, RATINGS, _OPTIONAL))
    if MEAN in drawn.raters:
        raise BadInput(f"ratings: expected other names of raters than that of their mean, got {quoted(MEAN)}")
    sigmas, keypoint_notes = _sigmas(drawn, shipped_schemes()[scheme])
    known = None if pictures is None else read_table("pictures", pictures, PICTURES, ("width_px", "height_px"))
    folder = None if images is None else Folder("images", images)
    consensus, counts = find_consensus(drawn, settings), leave_one_out(drawn, settings)
    figures = figure_table(drawn, consensus)
    scorers = {name: rater_scorer(counts, place) for place, name in enumerate(drawn.raters)}
    buckets = deformation_buckets(drawn).tolist()
    groups = {"deformation": [None if bucket == UNRATED else str(bucket) for bucket in buckets]}
    units = len(drawn.images)
    scores = score_systems({MEAN: mean_scorer(counts), **scorers}, units, groups, _RANKING, *resampling)
    agreement = _agreement(drawn, settings, sigmas, resampling)
    headings = Headings("Agreement", "of", "image", "images", _AGREEMENT)
    differences = disagreement_table(drawn, counts)
    return evaluation(
        "raters",
        scores,
        Headings("Raters, each against the consensus of the others", "rater", "image", "images", _METRICS),
        _RANKING,
        resampling,
        more=[*summary_lines(agreement, headings, Ranking("alpha_ordinal", has_leads=False)), "", *_most(differences)],
        notes=[*_notes(figures, settings), *keypoint_notes],
        tables={
            "agreement": agreement,
            "figures": figures,
            "disagreement": differences,
        },
        plots={"distribution": _distribution(counts, buckets, settings)},
        files={
            "consensus.json": json.dumps(consensus_document(drawn, consensus, known, category)).encode(),
            **({} if folder is None else {"disagreement.html": _page(folder, known, drawn, consensus, differences)}),
        },
    )


def _sigmas(drawn: Ratings, scheme: KeypointScheme) -> tuple[Sequence[float] | None, list[str]]:
    """(K,) by which joints are compared, None without keypoints or without sigmas; and a note on the latter.

    Raises BadInput for keypoints of another number of joints than the scheme's.
    """
    if drawn.keypoints_xyv is None:
        return None, []
    if (joints := drawn.keypoints_xyv.shape[1]) != len(scheme.joints):
        raise BadInput(
            f"ratings: expected {3 * len(scheme.joints)} numbers in keypoints_xyv, x, y and v of each of "
            f"{len(scheme.joints)} joints of {scheme.name}, got {3 * joints} (--scheme names another scheme)"
        )
    if scheme.sigmas is None:
        return None, [f"no OKS of pairs: nobody has measured the sigmas of {scheme.name}"]
    return scheme.sigmas, []


def _agreement(
    drawn: Ratings, settings: RaterSettings, sigmas: Sequence[float] | None, resampling: Resampling
) -> pa.Table:
    """SYSTEM_SCORES of all raters together: Krippendorff's alpha of the ratings, F and OKS of pairs of raters."""
    of_ratings = alpha_scorer(drawn.rating)
    of_pairs = pairs_scorer(compare_pairs(drawn, settings.iou, sigmas))

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        return {**of_ratings(times), **of_pairs(times)}

    ranking = Ranking("alpha_ordinal", has_leads=False)
    return score_systems({"all raters": score}, len(drawn.images), {}, ranking, *resampling)


def _most(differences: pa.Table) -> list[str]:
    """The images in which a rater differs most from the others."""
    lines = [
        [cell(f"{row['rater']}, {row['image']}"), str(row["missed"]), str(row["extra"]), number(row["worst_iou"])]
        for row in differences.slice(0, _MOST_SHOWN).to_pylist()
        if row["missed"] + row["extra"]
    ]
    if not lines:
        return ["No rater misses a figure or has an extra box."]
    return ["Where a rater differs most:", "", *table(["rater, image", "missed", "extra", "worst IoU"], lines)]


def _page(folder: Folder, known: pa.Table | None, drawn: Ratings, consensus: Consensus, differences: pa.Table) -> bytes:
    """The images in which raters differ most, with the rater's boxes and the consensus of all."""
    files = {} if known is None else dict(zip(known["image"].to_pylist(), known["file_name"].to_pylist(), strict=True))
    rows = []
    for row in differences.slice(0, _MOST_PICTURES).to_pylist():
        rater, image = drawn.raters.index(row["rater"]), drawn.images.index(row["image"])
        own = drawn.xyxy_px[(drawn.image == image) & (drawn.rater == rater)].tolist()
        boxes = [(tuple(box), _CONSENSUS_COLOUR) for box in consensus.xyxy_px[consensus.image == image].tolist()]
        boxes += [(tuple(box), _RATER_COLOUR) for box in own]
        jpeg = jpeg_of(folder, files.get(row["image"]) or row["image"], _LONGEST_PX, boxes)
        caption = f"{row['missed']} missed, {row['extra']} extra"
        rows.append(PictureRow(f"{row['rater']}, {row['image']}", [Picture(jpeg, caption)]))
    explanation = "Orange: the rater's boxes. Blue: the consensus of all raters."
    return picture_page("Where raters differ most", explanation, rows).encode()


def _notes(figures: pa.Table, settings: RaterSettings) -> list[str]:
    """figures: FIGURES."""
    twice, few = (sum(figures[name].to_pylist()) for name in ("has_rater_twice", "is_minority"))
    return [
        f"consensus by {settings.consensus}: {figures.num_rows:,} figures; in {twice:,} of them a rater has two boxes, "
        f"{few:,} have fewer than half of the raters",
        f"a box is right from an IoU of {settings.iou:g} with a figure of the other raters' consensus on, one to one",
    ]


def _distribution(counts: BoxCounts, buckets: Sequence[int], settings: RaterSettings) -> str:
    """The density of F over raters, over all images and in each bucket (Fig. 3 and 8)."""
    of = np.array(buckets)
    lines: Mapping[str, NDArray[np.float64]] = {
        "all": score_raters(counts)[:, 2],
        **{f"deformation {one}": score_raters(counts, (of == one) * 1)[:, 2] for one in sorted({*buckets})},
    }
    drawn = {
        name: np.stack([GRID, density(values, settings.bandwidth)], axis=1)
        for name, values in lines.items()
        if not np.isnan(values).all() and name != f"deformation {UNRATED}"
    }
    return charts.plot_densities("F of raters", drawn)
