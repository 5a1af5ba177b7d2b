"""evaluate raters: people's boxes and ratings, each against the consensus of the others (Picasso, 5.4 and 7)."""

import functools
import json
from collections.abc import Sequence

from schemas.errors import BadInput
from schemas.evaluate_figures import RATINGS, RaterSettings
from schemas.keypoints import KeypointScheme, shipped_schemes
from schemas.phrases import quoted
from tasks.core.evaluate.deformation import UNRATED
from tasks.core.evaluate.raters import consensus, page
from tasks.core.evaluate.raters.agreement import alpha_scorer, compare_pairs, pairs_scorer
from tasks.core.evaluate.raters.leave_one_out import disagreement_table, leave_one_out, mean_rater_scorer, rater_scorer
from tasks.core.evaluate.raters.ratings import Ratings, deformation_buckets, read_ratings
from tasks.core.evaluate.systems import joined, score_systems
from tasks.evaluate.evaluation import Evaluation, Resampling, evaluation
from tasks.evaluate.pictures import find_files, jpeg_of, missing_note
from tasks.io.files.arrays import read_table
from tasks.io.files.folders import Folder

MEAN = "mean of raters"
_OPTIONAL, _SIDES = ("rating", "keypoints_xyv"), ("width_px", "height_px")
_LONGEST_PX = 480


def evaluate_raters(
    ratings: str,
    settings: RaterSettings,
    resampling: Resampling,
    pictures: str | None = None,
    images: str | None = None,
    category: str = "person",
    scheme: str = "coco-17",
) -> Evaluation:
    """Precision, recall and F of each rater, by how deformed the figures are, agreement, and the consensus as COCO.

    ratings: a table of RATINGS. pictures: a table that says the file and size of each image, for the COCO file. images:
    the folder of the images, for a page that shows where raters differ most; its files have the images' names, or those
    of `pictures`. category: what the figures of the COCO file are. scheme: of the keypoints, if there are any. Raises
    BadInput for a table that is none, for a rater who is called like the mean, and for a category without a name.
    """
    if scheme not in shipped_schemes():
        raise BadInput(f"--scheme: expected one of {', '.join(shipped_schemes())}, got {quoted(scheme)}")
    if not category.strip():
        raise BadInput(f"--category: expected the name of a category, got {quoted(category)}")
    drawn = read_ratings(read_table("ratings", ratings, RATINGS, _OPTIONAL))
    if MEAN in drawn.raters:
        raise BadInput(f"ratings: expected other names of raters than that of their mean, got {quoted(MEAN)}")
    sigmas, keypoint_notes = _sigmas(drawn, shipped_schemes()[scheme])
    known = None if pictures is None else read_table("pictures", pictures, consensus.PICTURES, _SIDES)
    folder, picture_notes = None, list[str]()
    if images is not None:
        folder, wanted = Folder("images", images), consensus.wanted_files(drawn, known)
        found = find_files(folder, wanted)
        known, picture_notes = consensus.pictures_with_files(drawn, known, found), missing_note(images, wanted, found)
    agreed, counts = consensus.find_consensus(drawn, settings), leave_one_out(drawn, settings)
    figures, differences = consensus.figure_table(drawn, agreed), disagreement_table(drawn, counts)
    scorers = {name: rater_scorer(counts, place) for place, name in enumerate(drawn.raters)}
    buckets = deformation_buckets(drawn).tolist()
    groups = {"deformation": [None if bucket == UNRATED else str(bucket) for bucket in buckets]}
    units = len(drawn.images)
    scores = score_systems({MEAN: mean_rater_scorer(counts), **scorers}, units, groups, page.RANKING, *resampling)
    all_raters = joined(alpha_scorer(drawn.rating), pairs_scorer(compare_pairs(drawn, settings.iou, sigmas)))
    agreement = score_systems({"all raters": all_raters}, units, {}, page.BY_ALPHA, *resampling)
    files = {"consensus.json": json.dumps(consensus.consensus_document(drawn, agreed, known, category)).encode()}
    if folder is not None:
        draw = functools.partial(jpeg_of, folder, longest_px=_LONGEST_PX)
        files["disagreement.html"] = page.disagreement_page(drawn, settings, differences, known, draw).encode()
    return evaluation(
        "raters",
        scores,
        page.HEADINGS,
        page.RANKING,
        resampling,
        more=page.page_lines(agreement, differences),
        notes=[*page.notes(figures, settings), *keypoint_notes, *picture_notes],
        tables={"agreement": agreement, "figures": figures, "disagreement": differences},
        plots={"distribution": page.distribution_chart(counts, buckets, settings.bandwidth)},
        files=files,
    )


def _sigmas(drawn: Ratings, scheme: KeypointScheme) -> tuple[Sequence[float] | None, list[str]]:
    """(K,) by which joints are compared, None without keypoints or without sigmas; and a note on the latter."""
    if drawn.keypoints_xyv is None:
        return None, []
    joints, expected = drawn.keypoints_xyv.shape[1], len(scheme.joints)
    if joints != expected:
        wanted = f"{3 * expected} numbers in keypoints_xyv, x, y and v of each of {expected} joints of {scheme.name}"
        raise BadInput(f"ratings: expected {wanted}, got {3 * joints} (--scheme names another scheme)")
    if scheme.sigmas is None:
        return None, [f"no OKS of pairs: nobody has measured the sigmas of {scheme.name}"]
    return scheme.sigmas, []
