"""evaluate keypoints: pose estimators by COCO's object keypoint similarity, with any scheme of joints."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError

from schemas.errors import BadInput
from schemas.evaluate_figures import KeypointSettings
from schemas.keypoints import Joints, KeypointScheme
from schemas.phrases import LONGEST_PLACE, counted, quoted
from schemas.yaml_text import MAX_BYTES, NotYaml, parse_yaml
from tasks.core.coco.ids import Id
from tasks.core.coco.keypoints import scheme_name
from tasks.core.evaluate import matching
from tasks.core.evaluate.categories import category_notes, score_categories
from tasks.core.evaluate.keypoints import distances
from tasks.core.evaluate.keypoints.poses import Poses, posed_figures_of, poses_of
from tasks.core.evaluate.keypoints.schemes import ComparedJoints, compared_joints
from tasks.core.evaluate.keypoints.scorer import MEASURES, keypoint_scorer, match_poses
from tasks.core.evaluate.systems import Ranking, joined
from tasks.core.evaluate.systems_page import Headings
from tasks.evaluate.evaluation import Evaluation, Resampling, evaluation
from tasks.io.files import inputs
from tasks.io.files.arrays import read_table
from tasks.subjects.ground_truth import GroundTruth
from tasks.subjects.truth import Chosen, load_ground_truth

_WHOLE, _NUMBERS = pa.int64(), pa.list_(pa.float64())
_RESULTS = pa.schema(
    {"image_id": _WHOLE, "category_id": _WHOLE, "keypoints": _NUMBERS, "bbox": _NUMBERS, "score": pa.float64()}
)
_COLUMN_OF = {"keypoints": "keypoints_xyv", "bbox": "xywh_px"}
_RANKING = Ranking("AP")


def evaluate_keypoints(
    url: str, chosen: Chosen, results: Mapping[str, str], settings: KeypointSettings, resampling: Resampling
) -> Evaluation:
    """AP and AR of each system, overall and by group; of several categories with the same joints, which are scored one
    by one, their means.

    url: a release or a COCO file. results: by name, a file in COCO's results format (.json; or a table with its
    columns). Raises BadInput.
    """
    if not results:
        raise BadInput("--results: expected at least one system as NAME=FILE, got none")
    of_file = None if settings.keypoints is None else _scheme_of_file(settings.keypoints)
    truth = load_ground_truth(url, None, None, chosen)
    joints, more_notes = compared_joints(truth.name, truth.schemes, truth.figures, settings, of_file)
    posed = {
        category: posed_figures_of(truth.images, drawn, joints.first, joints.lengths)
        for category, drawn in matching.by_category(truth.figures, truth.category_ids).items()
    }
    labelled = {category: int(own.is_labelled.sum()) for category, own in posed.items()}
    scorers, of_joints, left_out = {}, list[distances.JointRow](), list[str]()
    reference = distances.joint_places(settings.pck_joints, joints)
    measures = [*MEASURES, *([] if settings.pck is None else distances.distance_measures(settings.pck_at))]
    for name, file in results.items():
        poses, notes = _poses(name, file, truth, joints)
        left_out += notes
        scorers[name] = {
            category: keypoint_scorer(match_poses(own, poses[category], joints.sigmas, settings.at_most))
            for category, own in posed.items()
        }
        for category, own in posed.items() if settings.pck is not None else ():
            found = distances.joint_distances(own, poses[category], joints.sigmas, settings.at_most, reference)
            of_distances = distances.distance_scorer(found, settings.pck_at)
            scorers[name][category] = joined(scorers[name][category], of_distances)
            of_joints += distances.joint_rows(name, category, joints, found, settings.pck_at)
    scores = score_categories(scorers, measures, truth.images.num_rows, truth.groups, _RANKING, *resampling)
    return evaluation(
        "keypoints",
        scores,
        Headings(f"Keypoints on {truth.name}", "system", "image", "images", {name: name for name in measures}),
        _RANKING,
        resampling,
        details=distances.joint_lines(of_joints, len(posed) > 1),
        tables={"joints": pa.Table.from_pylist(of_joints)} if of_joints else {},
        notes=[
            *truth.notes,
            *truth.keypoint_notes,
            *more_notes,
            *left_out,
            *category_notes(labelled, "every number"),
            f"{counted(sum(labelled.values()), 'figure')} with keypoints of {joints.scheme.name}"
            + (f", the first {joints.first} joints" if joints.first < len(joints.scheme.joints) else ""),
        ],
    )


def _poses(name: str, url: str, truth: GroundTruth, joints: ComparedJoints) -> tuple[dict[str, Poses], list[str]]:
    """The poses of one system in the truth's images, by category, and notes: how many others were passed over.

    Raises BadInput where all are, and where a file does not say the category and the truth has several.
    """
    every = rows = read_table(name, url, _RESULTS, ("category_id", "bbox"))
    ids = truth.category_ids
    if "category_id" in rows.column_names:
        rows = rows.filter(pc.is_in(rows["category_id"], value_set=_numbers([*ids.values()])))
    elif len(ids) > 1:
        raise BadInput(f"{name}: expected a column category_id, as {len(ids)} categories are compared, got none")
    of_category = rows.num_rows
    rows = rows.filter(pc.invert(pc.is_in(rows["image_id"], value_set=_numbers([*truth.others]))))
    passed_over = {"of other categories": every.num_rows - of_category, "in other images": of_category - rows.num_rows}
    if every.num_rows and not rows.num_rows:
        got = ", ".join(
            [counted(every.num_rows, "pose"), *(f"{count:,} {where}" for where, count in passed_over.items())]
        )
        expected = f"poses of the category {' or '.join(map(quoted, ids.values()))}"
        raise BadInput(f"{name}: expected {expected} in the truth's images, got {got}")
    notes = [f"{name}: left out {counted(count, 'pose')} {where}" for where, count in passed_over.items() if count]
    poses = {}
    for category, number in ids.items():
        own = rows.filter(pc.equal(rows["category_id"], number)) if len(ids) > 1 else rows
        own = own.rename_columns([_COLUMN_OF.get(column, column) for column in own.column_names])
        poses[category] = poses_of(name, truth.images, own, joints.first, joints.lengths)
    return poses, notes


def _scheme_of_file(path: str) -> KeypointScheme | None:
    """The scheme of a YAML file, as a recipe writes one; None for what is a name. Raises BadInput."""
    stem, dot, ending = path.rpartition(".")
    if not dot or ending.lower() not in {"yaml", "yml"}:
        return None
    data = inputs.read("keypoints", path, MAX_BYTES)
    try:
        joints = Joints.model_validate(parse_yaml(data.decode("utf-8-sig")))
    except (UnicodeDecodeError, NotYaml) as problem:
        raise BadInput(f"keypoints: {quoted(path, LONGEST_PLACE)}: {problem}") from problem
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        got = f"{quoted(path, LONGEST_PLACE)} ({'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']})"
        expected = "a scheme with `joints`, as under a recipe's keypoint_schemes"
        raise BadInput(f"keypoints: expected {expected}, got {got}") from problem
    return KeypointScheme(name=scheme_name(PurePosixPath(stem).name), **dict(joints))


def _numbers(ids: Sequence[Id]) -> pa.Array:
    """Those of the ids that are numbers: a table of poses has no others."""
    return pa.array([number for number in ids if isinstance(number, int)], pa.int64())
