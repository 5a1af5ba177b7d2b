"""evaluate sketches: how recognisable and how simple sketches are, and whether people agree (SketchRef)."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from schemas.evaluate_images import SketchSettings
from tasks.core.evaluate.sketches import agreement, page
from tasks.core.evaluate.sketches.poses import check_poses, mean_oks_of_sketches
from tasks.core.evaluate.sketches.scores import method_scorer, stroke_studies
from tasks.core.evaluate.sketches.table import Sketches, check_sketches, values_of_photos
from tasks.core.evaluate.systems import Ranking, groups_of, score_systems
from tasks.evaluate.evaluation import Evaluation, Resampling, evaluation
from tasks.io.files.arrays import read_table

_TEXT, _NUMBER = pa.string(), pa.float64()
_SKETCHES = pa.schema(
    dict.fromkeys(("sketch", "method", "photo", "subset", "class"), _TEXT)
    | {"strokes": pa.int64()}
    | dict.fromkeys(("mean_oks", "clip_cosine", "photo_complexity", "sketch_complexity"), _NUMBER)
)
_OPTIONAL = _SKETCHES.names[4:]
_POSES = pa.schema([("picture", _TEXT), ("keypoints_xyv", pa.list_(_NUMBER)), ("area_px2", _NUMBER)])
_ANSWERS = pa.schema({"person": _TEXT, "sketch": _TEXT, "question": _TEXT, "value": _NUMBER})
_METRIC = pa.schema([("sketch", _TEXT), ("value", _NUMBER)])


def evaluate_sketches(
    sketches: str,
    settings: SketchSettings,
    resampling: Resampling,
    poses: str | None = None,
    answers: str | None = None,
    metrics: Mapping[str, str] | None = None,
    by: Sequence[str] = (),
) -> Evaluation:
    """mOKS, mRS and mRC of each method, the study of strokes, and how well metrics agree with people.

    sketches, poses, answers: tables (docs/evaluating/sketches.md). metrics: by name, those of other metrics that are
    compared with people, too. by: columns of the sketches' table that are the same for all sketches of a photo. Raises
    BadInput for a table that is none, and for another metric with the name of one of ours.
    """
    agreement.refuse_own_names(metrics or ())
    rows = read_table("sketches", sketches, _SKETCHES, _OPTIONAL, by)
    known = check_sketches("sketches", rows)
    if poses is not None:
        seen = check_poses("poses", read_table("poses", poses, _POSES, ("area_px2",)))
        known = known._replace(mean_oks=mean_oks_of_sketches("poses", known, seen, settings.sigmas))
    headings = page.headings(known, settings.alphas)
    ranking = Ranking(next(iter(headings.metrics)))
    values = groups_of(rows, by)
    ids = rows["sketch"].to_pylist()
    groups = {
        column: values_of_photos(column, known, dict(zip(ids, own, strict=True))) for column, own in values.items()
    }
    agreed = _agreements(known, answers, metrics or {}, settings)
    scorers = {method: method_scorer(known, method, settings.alphas, settings.clip_scale) for method in known.methods}
    scores = score_systems(scorers, len(known.photos), groups, ranking, *resampling)
    studies = list(stroke_studies(known, settings.clip_scale))
    more = list(page.stroke_lines(studies))
    tables = {"strokes": page.strokes_table(studies)} if studies else {}
    for question, compared in agreed.items():
        table, unlike = page.split_leads(_score_agreement(compared, groups, resampling), compared)
        tables |= {question: table} if table.num_rows else {}
        more += [*([""] if more else []), *page.agreement_lines(question, table, unlike)]
    note = f"S_CLIP is the cosine times {settings.clip_scale:g}; `of all`: divided by all sketches, as in Eq. 4 and 5"
    plots = page.stroke_charts(studies)
    return evaluation(
        "sketches", scores, headings, ranking, resampling, more=more, notes=[note], tables=tables, plots=plots
    )


def _agreements(
    known: Sketches, answers: str | None, metrics: Mapping[str, str], settings: SketchSettings
) -> dict[str, dict[str, agreement.MetricAgreement]]:
    """How each metric, ours and others, agrees with people, by each question that somebody was asked."""
    people = {}
    if answers is not None:
        people = agreement.check_answers("answers", read_table("answers", answers, _ANSWERS), known, settings)
    others = {
        name: agreement.check_metric(name, read_table(name, url, _METRIC), known) for name, url in metrics.items()
    }
    agreed = {}
    for question, own in people.items():
        if own.responses.any():
            compared = {**page.own_metrics(question, known, settings.clip_scale), **others}
            agreed[question] = agreement.agreements(compared, own.score, known.photo)
    return agreed


def _score_agreement(
    compared: Mapping[str, agreement.MetricAgreement], groups: Mapping[str, list[str | None]], resampling: Resampling
) -> pa.Table:
    """SYSTEM_SCORES of metrics over the sets of one question. groups: by column, the value of each photo."""
    sets: list[int] = next((one.sets.tolist() for one in compared.values()), [])
    of_sets = {column: [values[photo] for photo in sets] for column, values in groups.items()}
    systems = {name: agreement.agreement_scorer(one) for name, one in compared.items()}
    return score_systems(systems, len(sets), of_sets, page.BY_RHO, *resampling)
