"""Poses in photos and sketches, and mOKS: how well a sketch keeps the poses of its photo (SketchRef, Eq. 1)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_images import Sigmas
from schemas.keypoints import shipped_schemes
from schemas.phrases import counted, quoted
from tasks.core.evaluate.oks import oks
from tasks.core.evaluate.sketches.table import Sketches
from tasks.core.evaluate.table_columns import list_column, names_column, number_column, require_columns

_MOST_AREA_PX2 = 1e15
_ANIMAL = (0.025, 0.025, 0.026, 0.035, 0.035, *[0.1] * 3, *[0.107] * 4, *[0.087] * 4, *[0.089] * 4)
"""Those of MMPose's configs/_base_/datasets/animalpose.py, marked there as made from COCO's: nobody measured them."""


class SketchPoses(NamedTuple):
    """The poses in one picture. xyv: (N, K, 3), as of `oks`; area_px2: (N,), NaN where the table has none."""

    xyv: NDArray[np.float64]
    area_px2: NDArray[np.float64]


def check_poses(name: str, table: pa.Table) -> dict[str, SketchPoses]:
    """The poses in each picture of a table, one pose a row.

    Columns: picture, the id of a photo or a sketch; keypoints_xyv, a flat list of x, y in px and visibility of each
    joint; area_px2, a number of at least 0 or null. In a truth, joints with v > 0 count: COCO's 1 and 2, or a
    confidence. A picture in which no pose was seen has one row without keypoints (null); its arrays are empty.

    Raises BadInput for a table without area_px2, numbers that are not finite, lists that are not three numbers a joint,
    and a picture that has poses and also a row without any.
    """
    require_columns(name, table, ["area_px2"])
    pictures, lists = names_column(name, table, "picture"), list_column(name, table, "keypoints_xyv")
    areas = number_column(name, table, "area_px2", 0, _MOST_AREA_PX2, null=True).tolist()
    rows_of: dict[str, list[int]] = {}
    for row, (picture, numbers) in enumerate(zip(pictures, lists, strict=True)):
        if numbers is not None and (not numbers or len(numbers) % 3):
            got = counted(len(numbers), "number")
            raise BadInput(f"{name}[{row}]: expected x, y and v of each joint in keypoints_xyv, got {got}")
        rows_of.setdefault(picture, []).append(row)
    return {picture: _poses(name, picture, rows, lists, areas) for picture, rows in sorted(rows_of.items())}


def _poses(
    name: str, picture: str, rows: Sequence[int], lists: Sequence[list[float] | None], areas: Sequence[float]
) -> SketchPoses:
    """The poses of one picture's rows, in an order of their own, whatever the order of the table."""
    poses = [(numbers, areas[row]) for row in rows if (numbers := lists[row]) is not None]
    if len(poses) < len(rows) and len(rows) > 1:
        raise BadInput(f"{name}: expected one row of picture {quoted(picture)} where it has no pose, got {len(rows)}")
    sizes = sorted({len(numbers) for numbers, _ in poses})
    if len(sizes) > 1:
        got = f"{sizes[0] // 3} and {sizes[1] // 3}"
        raise BadInput(f"{name}: expected as many joints in each pose of picture {quoted(picture)}, got {got}")
    poses.sort(key=lambda pose: (pose[0], np.nan_to_num(pose[1], nan=-1.0)))
    joints = sizes[0] // 3 if sizes else 0
    xyv = np.array([numbers for numbers, _ in poses], np.float64).reshape(len(poses), joints, 3)
    return SketchPoses(xyv, np.array([area for _, area in poses], np.float64))


def mean_oks_of_sketches(
    name: str, sketches: Sketches, poses: Mapping[str, SketchPoses], sigmas: Mapping[str, Sigmas]
) -> NDArray[np.float64]:
    """(S,) mOKS of each sketch, from poses of its photo as the truth and its own as the prediction.

    NaN for photos of which the table has nothing, nor of their sketches, and where there is nobody in both. name: the
    poses' table, for messages. sigmas: of each subset, as in the settings.

    Raises BadInput where mOKS are given already, for poses of other pictures, an id of a photo and a sketch, a photo
    with rows and a sketch without or the other way round, a true pose without an area, a subset without sigmas, and
    poses whose joints are not as many as those.
    """
    if not np.isnan(sketches.mean_oks).all():
        raise BadInput(f"{name}: expected poses or a column mean_oks, got both")
    photos, ids = {*sketches.photos}, {*sketches.ids}
    if both := sorted(photos & ids & poses.keys()):
        raise BadInput(f"{name}: expected a picture to be a photo or a sketch, got {quoted(both[0])} as both")
    if others := sorted(poses.keys() - photos - ids):
        raise BadInput(f"{name}: expected photos and sketches of the table of sketches, got {quoted(others[0])}")
    values = np.full(len(ids), np.nan)
    for row, (sketch, place) in enumerate(zip(sketches.ids, sketches.photo.tolist(), strict=True)):
        photo = sketches.photos[place]
        without = [picture for picture in (photo, sketch) if picture not in poses]
        if len(without) == 1:
            got = f"none of {quoted(without[0])}"
            raise BadInput(f"{name}: expected a row of each picture, also without a pose, got {got}")
        if not without:
            values[row] = _score(name, photo, sketch, sketches.subsets[place], poses, sigmas)
    return values


def _score(
    name: str, photo: str, sketch: str, subset: str, poses: Mapping[str, SketchPoses], sigmas: Mapping[str, Sigmas]
) -> float:
    """MOKS of one sketch."""
    truth, predicted = poses[photo], poses[sketch]
    if np.isnan(truth.area_px2).any():
        raise BadInput(f"{name}: expected an area_px2 of each pose of photo {quoted(photo)}, got an empty cell")
    if subset not in sigmas:
        raise BadInput(f"{name}: expected sigmas of each subset with poses, got none of {quoted(subset)}")
    joints = max(truth.xyv.shape[1], predicted.xyv.shape[1])
    for picture, these in ((photo, truth), (sketch, predicted)):
        if len(these.xyv) and these.xyv.shape[1] != joints:
            raise BadInput(f"{name}: expected {joints} joints in {quoted(picture)}, got {these.xyv.shape[1]}")
    values = subset_sigmas(subset, sigmas[subset], joints) if joints else np.zeros(0)
    # a picture without poses has no number of joints of its own
    true_xyv, predicted_xyv = (these.xyv.reshape(len(these.xyv), joints, 3) for these in (truth, predicted))
    return assignment_mean(oks(true_xyv[:, None], predicted_xyv[None], truth.area_px2[:, None], values))


def sigma_sets() -> Mapping[str, tuple[float, ...]]:
    """Sets of sigmas by name: those of keypoint schemes that have some, and the guess for animals.

    >>> sorted(sigma_sets())
    ['animal-20-guessed', 'coco-17']
    """
    measured = {name: scheme.sigmas for name, scheme in shipped_schemes().items() if scheme.sigmas is not None}
    return {**measured, "animal-20-guessed": _ANIMAL}


def subset_sigmas(subset: str, setting: Sigmas, joints: int) -> NDArray[np.float64]:
    """(joints,) sigmas of a subset: a set by its name, one for all joints, or a list. Raises BadInput for a name that
    no set has, and for another number than that of the joints.

    >>> subset_sigmas("face", 0.025, 2).tolist()
    [0.025, 0.025]
    """
    if isinstance(setting, str):
        sets = sigma_sets()
        if setting not in sets:
            raise BadInput(f"sigmas of {quoted(subset)}: expected one of {', '.join(sets)}, got {quoted(setting)}")
        setting = sets[setting]
    values = np.full(joints, setting) if isinstance(setting, float) else np.array(setting, np.float64)
    if len(values) != joints:
        expected = f"{joints}, one for each joint of its poses"
        raise BadInput(f"sigmas of {quoted(subset)}: expected {expected}, got {len(values)}")
    return values


def assignment_mean(similarity: NDArray[np.float64]) -> float:
    """Sum of the best one-to-one assignment between rows and columns, divided by the larger of their numbers.

    similarity: (N, M), 0..1, of true and predicted poses: one too many or too few has no partner and counts 0. NaN
    where nobody is, N = M = 0 (ours).

    >>> assignment_mean(np.array([[0.9, 0.5]])), assignment_mean(np.zeros((2, 0)))
    (0.45, 0.0)
    """
    larger, smaller = int(max(similarity.shape)), int(min(similarity.shape))
    if not larger:
        return float("nan")
    if smaller < 2:
        return float(similarity.max(initial=0.0)) / larger
    from scipy.optimize import linear_sum_assignment  # nearly half a second to import

    return float(similarity[linear_sum_assignment(similarity, maximize=True)].sum()) / larger
