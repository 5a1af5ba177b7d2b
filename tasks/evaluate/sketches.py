"""evaluate sketches: how recognisable and how simple sketches are, and whether people agree (SketchRef)."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_sketches import SketchSettings
from schemas.phrases import quoted
from tasks.core.evaluate.markdown import cell, number, table
from tasks.core.evaluate.sketches.agreement import agreement, agreement_scorer
from tasks.core.evaluate.sketches.answers import RECOGNISABILITY, PeopleScores, check_answers
from tasks.core.evaluate.sketches.metric import check_metric
from tasks.core.evaluate.sketches.poses import check_poses, mean_oks_of_sketches
from tasks.core.evaluate.sketches.scores import alpha_text, method_scorer
from tasks.core.evaluate.sketches.strokes import stroke_studies
from tasks.core.evaluate.sketches.table import Sketches, check_sketches
from tasks.core.evaluate.systems import Ranking, score_systems
from tasks.core.evaluate.systems_page import Headings, summary_lines
from tasks.evaluate.evaluation import Evaluation, Resampling, evaluation, groups_of
from tasks.io.files.arrays import read_table

_TEXT, _NUMBER = pa.string(), pa.float64()
_SKETCHES = pa.schema(
    [(name, _TEXT) for name in ("sketch", "method", "photo", "subset", "class")]
    + [("strokes", pa.int64())]
    + [(name, _NUMBER) for name in ("mean_oks", "clip_cosine", "photo_complexity", "sketch_complexity")]
)
_POSES = pa.schema([("picture", _TEXT), ("keypoints_xyv", pa.list_(_NUMBER)), ("area_px2", _NUMBER)])
_ANSWERS = pa.schema([("person", _TEXT), ("sketch", _TEXT), ("question", _TEXT), ("value", _NUMBER)])
_METRIC = pa.schema([("sketch", _TEXT), ("value", _NUMBER)])
_AGREEMENT = {
    "rho": "rho",
    "tau": "tau",
    "rho_pooled": "rho, pooled",
    "tau_pooled": "tau, pooled",
    "sets": "sets",
    "sets_left_out": "left out",
}


def evaluate_sketches(
    sketches: str,
    settings: SketchSettings,
    resampling: Resampling,
    *,
    poses: str | None = None,
    answers: str | None = None,
    metrics: Mapping[str, str] | None = None,
    by: Sequence[str] = (),
) -> Evaluation:
    """mOKS, mRS and mRC of each method, the study of strokes, and how well metrics agree with people.

    sketches, poses, answers: tables (docs/evaluating/sketches.md says with which columns). metrics: by name, the tables
    of other metrics that are compared with people, too. by: columns of the sketches' table that are the same for all
    sketches of a photo. Raises BadInput for a table that is none.
    """
    rows = read_table("sketches", sketches, _SKETCHES, _SKETCHES.names)
    known = check_sketches("sketches", rows)
    if poses is not None:
        seen = check_poses("poses", read_table("poses", poses, _POSES, _POSES.names))
        known = known._replace(mean_oks=mean_oks_of_sketches("poses", known, seen, settings.sigmas))
    columns = _columns(known, settings.alphas)
    ranking = Ranking(next(iter(columns)))
    scorers = {method: method_scorer(known, method, settings.alphas, settings.clip_scale) for method in known.methods}
    groups = {name: _of_photos(name, known, values) for name, values in _by_sketch(known, rows, by).items()}
    scores = score_systems(scorers, len(known.photos), groups, ranking, *resampling)
    more = list(_stroke_lines(known, settings))
    tables = {}
    for question, people in _people(answers, known, settings).items():
        tables[question] = _agreement(question, known, people, settings, resampling, metrics or {})
        headings = Headings(
            f"Agreement with people: {question}", "metric", "photo", "photos", _AGREEMENT, {"sets", "sets_left_out"}
        )
        more += [*([""] if more else []), *summary_lines(tables[question], headings, Ranking("rho"))]
    return evaluation(
        "sketches",
        scores,
        Headings("Sketches", "method", "photo", "photos", columns, {"sketches"}),
        ranking,
        resampling,
        more=more,
        notes=[
            f"S_CLIP is the cosine times {settings.clip_scale:g}; `of all`: divided by all sketches, as in Eq. 4 and 5"
        ],
        tables=tables,
    )


def _columns(known: Sketches, alphas: Sequence[float]) -> dict[str, str]:
    """The metrics that have a value, by key; the one by which methods are ranked first. Raises BadInput for none."""
    columns = {}
    for has, name, short in ((known.mean_oks, "mOKS", "mRS"), (known.cosine, "S_CLIP", "mRC")):
        if np.isnan(has).all():
            continue
        columns[name] = name
        for alpha in map(alpha_text, alphas) if not np.isnan(known.ratio).all() else ():
            columns |= {f"{short}_{alpha}": f"{short}@{alpha}", f"{short}_{alpha}_of_all": f"{short}@{alpha} of all"}
    if not columns:
        raise BadInput(
            "sketches: expected mean_oks or clip_cosine, or --poses, got nothing that says how recognisable a sketch is"
        )
    return {**columns, **({"SR": "SR"} if not np.isnan(known.ratio).all() else {}), "sketches": "sketches"}


def _by_sketch(known: Sketches, rows: pa.Table, by: Sequence[str]) -> dict[str, dict[str, str | None]]:
    """By column, the value of each sketch by its id."""
    ids = rows["sketch"].to_pylist()
    return {column: dict(zip(ids, values, strict=True)) for column, values in groups_of("sketches", rows, by).items()}


def _of_photos(column: str, known: Sketches, value_of: Mapping[str, str | None]) -> list[str | None]:
    """The value of each photo. Raises BadInput where two of its sketches differ."""
    values: dict[int, str | None] = {}
    for sketch, photo in zip(known.ids, known.photo.tolist(), strict=True):
        if values.setdefault(photo, value_of[sketch]) != value_of[sketch]:
            raise BadInput(
                f"--by {column}: expected one value for all sketches of a photo, got {quoted(values[photo])} and "
                f"{quoted(value_of[sketch])} for {quoted(known.photos[photo])}"
            )
    return [values[photo] for photo in range(len(known.photos))]


def _people(answers: str | None, known: Sketches, settings: SketchSettings) -> dict[str, PeopleScores]:
    if answers is None:
        return {}
    scores = check_answers("answers", read_table("answers", answers, _ANSWERS, _ANSWERS.names), known, settings)
    return {question: people for question, people in scores.items() if people.responses.any()}


def _agreement(
    question: str,
    known: Sketches,
    people: PeopleScores,
    settings: SketchSettings,
    resampling: Resampling,
    metrics: Mapping[str, str],
) -> pa.Table:
    """SYSTEM_SCORES of metrics, against people's answers to a question."""
    own: dict[str, NDArray[np.float64]] = {"mOKS": known.mean_oks, "S_CLIP": settings.clip_scale * known.cosine}
    values = own if question == RECOGNISABILITY else {"SR": known.ratio}
    for name, url in metrics.items():
        values[name] = check_metric(name, read_table(name, url, _METRIC, _METRIC.names), known)
    compared = {
        name: agreement(value, people.score, known.photo) for name, value in values.items() if not np.isnan(value).all()
    }
    sets = max((len(one.sets) for one in compared.values()), default=0)
    scorers = {name: agreement_scorer(one) for name, one in compared.items()}
    return score_systems(scorers, sets, {}, Ranking("rho"), *resampling)


def _stroke_lines(known: Sketches, settings: SketchSettings) -> Iterator[str]:
    """The study of strokes as a table, where there is one."""
    lines = []
    for method, subset, metric, study in stroke_studies(known, settings.clip_scale):
        means = ", ".join(f"{n}: {number(float(mean))}" for n, mean in zip(study.strokes, study.means, strict=True))
        cells = (means, number(study.rises_throughout), number(study.rho), str(study.photos))
        lines.append([cell(f"{method}, {subset}, {metric}"), *cells])
    if lines:
        yield "By number of strokes:"
        yield ""
        yield from table(["sketches", "means", "rises throughout", "rho", "photos"], lines)
