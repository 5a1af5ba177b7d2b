"""What people say of sketches, and how well metrics agree with them on which sketches of a photo are better.

SketchRef, "Collecting Human Assessment", and Tables 4 and 5.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_images import SketchSettings
from schemas.phrases import quoted
from tasks.core.evaluate.means import mean_of_defined
from tasks.core.evaluate.sketches.correlation import kendall, spearman
from tasks.core.evaluate.sketches.table import Sketches
from tasks.core.evaluate.systems import Scorer
from tasks.core.evaluate.table_columns import names_column, number_column, refuse_repeats

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
RECOGNISABILITY, SIMPLICITY = "recognisability", "simplicity"
QUESTIONS = (RECOGNISABILITY, SIMPLICITY)
OWN = ("mOKS", "S_CLIP", "SR")
"""The metrics that are computed here."""
_MOST = float(np.finfo(np.float64).max)


class PeopleScores(NamedTuple):
    """What people say of each sketch. score: (S,), NaN where nobody was asked; responses: (S,) how many answered."""

    score: Floats
    responses: Integers


def check_answers(name: str, table: pa.Table, sketches: Sketches, settings: SketchSettings) -> dict[str, PeopleScores]:
    """People's scores of each sketch by question, from one answer a row; an empty table has none.

    Columns: person (text), sketch (its id), question, value (whole number). Of `recognisability`, value is a rating
    from 1 to the highest; of `simplicity`, the place in a person's ranking of a photo's sketches, 1 the simplest.
    The score of recognisability is the mean rating; that of simplicity the average rank score (Eq. 6): the mean
    weight, which is `places` for the first place and falls by 1 for each that follows. Both rise with what they name.

    name: the table's, for messages. Raises BadInput for values out of range, sketches that are not in the table of
    sketches, another question, a person's second answer to one question about a sketch, and two sketches of a photo in
    one place of a person's ranking.
    """
    person, sketch, question = (names_column(name, table, column) for column in ("person", "sketch", "question"))
    places = _places(name, sketch, sketches)
    _check_words(name, question, QUESTIONS, f"a question, {' or '.join(QUESTIONS)}")
    refuse_repeats(name, list(zip(person, question, sketch, strict=True)), "one answer of each person to each question")
    value = number_column(name, table, "value", 1, max(settings.highest_rating, settings.places), whole_numbers=True)
    asked = np.array(question, object)
    _check_ranking(name, person, sketches.photo[places], value, asked == SIMPLICITY)
    scores = {}
    for one, most in ((RECOGNISABILITY, settings.highest_rating), (SIMPLICITY, settings.places)):
        is_asked = asked == one
        for row in np.flatnonzero(is_asked & (value > most))[:1].tolist():
            raise BadInput(f"{name}[{row}]: expected {one} from 1 to {most}, got {value[row]:g}")
        weights = value if one == RECOGNISABILITY else settings.places + 1 - value
        responses, total = (
            np.bincount(places[is_asked], counted, len(sketches.ids)) for counted in (None, weights[is_asked])
        )
        score = np.divide(total, responses, out=np.full(len(total), np.nan), where=responses > 0)
        scores[one] = PeopleScores(score, responses.astype(np.int64))
    return scores


def _check_words(name: str, words: Sequence[str], known: Collection[str], what: str) -> None:
    for row, word in enumerate(words):
        if word not in known:
            raise BadInput(f"{name}[{row}]: expected {what}, got {quoted(word)}")


def _places(name: str, ids: Sequence[str], sketches: Sketches) -> Integers:
    """(R,) places of sketches in the table of sketches."""
    place_of = {one: place for place, one in enumerate(sketches.ids)}
    _check_words(name, ids, place_of, "a sketch of the table of sketches")
    return np.array([place_of[one] for one in ids], np.int64)


def _check_ranking(
    name: str, person: Sequence[str], photo: Integers, value: Floats, is_ranking: NDArray[np.bool_]
) -> None:
    first: dict[tuple[str, int, float], int] = {}
    for row in np.flatnonzero(is_ranking).tolist():
        before = first.setdefault((person[row], int(photo[row]), float(value[row])), row)
        if before != row:
            expected = "each place once in a person's ranking of a photo's sketches"
            got = f"{value[row]:g} again by {quoted(person[row])}, as in row {before}"
            raise BadInput(f"{name}[{row}]: expected {expected}, got {got}")


def refuse_own_names(names: Iterable[str]) -> None:
    """Raises BadInput where another metric would have the name of one of ours, and so take its place."""
    for name in set(OWN).intersection(names):
        expected = f"another name than those of our own metrics, {', '.join(OWN)}"
        raise BadInput(f"--metric: expected {expected}, got {quoted(name)}")


def check_metric(name: str, table: pa.Table, sketches: Sketches) -> Floats:
    """(S,) another metric's value of each sketch, such as those of SketchRef's tables; NaN where the table has none.

    Columns: sketch, its id; value, a number or null. Only the order of values matters; the better or simpler sketch has
    the larger one, or the correlations are negative. Raises BadInput for values that are not finite, a sketch that
    stands twice, and one that is not in the table of sketches.
    """
    ids = names_column(name, table, "sketch")
    refuse_repeats(name, ids, "each sketch once")
    given = number_column(name, table, "value", -_MOST, _MOST, null=True)
    values = np.full(len(sketches.ids), np.nan)
    values[_places(name, ids, sketches)] = given
    return values


class MetricAgreement(NamedTuple):
    """A metric and people's scores on G sets, which are the sketches of one photo each. sets: (G,) the photos' places,
    ascending. rho, tau: (G,) of each set, NaN where not defined. metric, people: (R,) of all sketches that have both;
    set_of: (R,) the place of each one's set in `sets`.
    """

    sets: Integers
    rho: Floats
    tau: Floats
    metric: Floats
    people: Floats
    set_of: Integers


def agreement(metric: Floats, people: Floats, photo: Integers) -> MetricAgreement:
    """metric, people: (S,) of each sketch, NaN where there is none; photo: (S,) the place of its photo.

    A set is a photo of which people have scored a sketch, so that all metrics have the same sets. A sketch without a
    value of the metric is left out of its set. Where one side is constant in a set, there is no correlation.
    """
    sets = np.unique(photo[~np.isnan(people)])
    has_both = ~np.isnan(people) & ~np.isnan(metric)
    ours, theirs = metric[has_both], people[has_both]
    set_of = np.searchsorted(sets, photo[has_both])
    members = [np.flatnonzero(set_of == place) for place in range(len(sets))]
    rho, tau = (np.array([measure(ours[rows], theirs[rows]) for rows in members]) for measure in (spearman, kendall))
    return MetricAgreement(sets, rho, tau, ours, theirs, set_of)


def agreements(values: Mapping[str, Floats], people: Floats, photo: Integers) -> dict[str, MetricAgreement]:
    """The agreement of each metric that has a value at all. values: by name, (S,); people, photo: as of `agreement`."""
    return {name: agreement(own, people, photo) for name, own in values.items() if not np.isnan(own).all()}


def has_same_sets(one: MetricAgreement, other: MetricAgreement) -> bool:
    """Whether two metrics have correlations on the same of their sets: only then is one better than the other."""
    return bool(np.array_equal(np.isnan(one.rho), np.isnan(other.rho)))


def agreement_scorer(compared: MetricAgreement) -> Scorer:
    """The scorer of a metric over sets: (G,) how often each set counts.

    `rho` and `tau` are the means over the sets for which they are defined, as in SketchRef ("on the same sets");
    `rho_pooled` and `tau_pooled` are those of all sketches together (ours). `sets` is how many sets have a correlation,
    `sets_left_out` how many have none. NaN where there is no set, or one side is constant.
    """

    def score(times: Integers) -> dict[str, float]:
        is_defined = ~np.isnan(compared.rho)
        each = times[compared.set_of]
        return {
            "rho": mean_of_defined(compared.rho, times),
            "tau": mean_of_defined(compared.tau, times),
            "rho_pooled": spearman(compared.metric, compared.people, each),
            "tau_pooled": kendall(compared.metric, compared.people, each),
            "sets": float((times * is_defined).sum()),
            "sets_left_out": float((times * ~is_defined).sum()),
        }

    return score
