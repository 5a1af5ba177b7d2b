"""What people say of sketches: how recognisable, how simple (SketchRef, "Collecting Human Assessment")."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_images import SketchSettings
from schemas.phrases import quoted
from tasks.core.evaluate.sketches.table import Sketches
from tasks.core.evaluate.table_columns import names_column, number_column, refuse_repeats, require_columns

COLUMNS = ("person", "sketch", "question", "value")
RECOGNISABILITY, SIMPLICITY = "recognisability", "simplicity"
QUESTIONS = (RECOGNISABILITY, SIMPLICITY)


class PeopleScores(NamedTuple):
    """What people say of each sketch. score: (S,), NaN where nobody was asked; responses: (S,) how many answered."""

    score: NDArray[np.float64]
    responses: NDArray[np.int64]


def check_answers(name: str, table: pa.Table, sketches: Sketches, settings: SketchSettings) -> dict[str, PeopleScores]:
    """People's scores of each sketch by question, from one answer a row.

    Columns: person (text), sketch (its id), question, value (whole number). Of `recognisability`, value is a rating
    from 1 to the highest; of `simplicity`, the place in a person's ranking of a photo's sketches, 1 the simplest.
    The score of recognisability is the mean rating; that of simplicity the average rank score (Eq. 6): the mean
    weight, which is `places` for the first place and falls by 1 for each that follows. Both rise with what they name.

    name: the table's, for messages. An empty table has no answer to either question. Raises BadInput for missing
    columns, values of the wrong kind or out of range, sketches that are not in the table of sketches, another
    question, a person's second answer to one question about a sketch, and two sketches of a photo in one place of a
    person's ranking.
    """
    require_columns(name, table, COLUMNS)
    person, sketch, question = (names_column(name, table, column) for column in COLUMNS[:3])
    _check_words(name, sketch, set(sketches.ids), "a sketch of the table of sketches")
    _check_words(name, question, set(QUESTIONS), f"a question, {' or '.join(QUESTIONS)}")
    refuse_repeats(name, list(zip(person, question, sketch, strict=True)), "one answer of each person to each question")
    value = number_column(name, table, "value", 1, max(settings.highest_rating, settings.places), whole_numbers=True)
    place_of = {one: place for place, one in enumerate(sketches.ids)}
    places = np.array([place_of[one] for one in sketch], np.int64)
    asked = np.array(question, object)
    _check_ranking(name, person, sketches.photo[places], value, asked == SIMPLICITY)
    most = {RECOGNISABILITY: settings.highest_rating, SIMPLICITY: settings.places}
    scores = {}
    for one in QUESTIONS:
        is_asked = asked == one
        for row in np.flatnonzero(is_asked & (value > most[one]))[:1].tolist():
            raise BadInput(f"{name}[{row}]: expected {one} from 1 to {most[one]}, got {value[row]:g}")
        weights = value if one == RECOGNISABILITY else settings.places + 1 - value
        scores[one] = _means(places[is_asked], weights[is_asked], len(sketches.ids))
    return scores


def _means(places: NDArray[np.int64], weights: NDArray[np.float64], sketches: int) -> PeopleScores:
    responses = np.bincount(places, minlength=sketches)
    total = np.bincount(places, weights, minlength=sketches)
    score = np.full(sketches, np.nan)
    np.divide(total, responses, out=score, where=responses > 0)
    return PeopleScores(score, responses.astype(np.int64))


def _check_words(name: str, words: list[str], known: set[str], what: str) -> None:
    for row, word in enumerate(words):
        if word not in known:
            raise BadInput(f"{name}[{row}]: expected {what}, got {quoted(word)}")


def _check_ranking(
    name: str, person: list[str], photo: NDArray[np.int64], value: NDArray[np.float64], is_ranking: NDArray[np.bool_]
) -> None:
    """Raises BadInput where somebody gives one place to two sketches of a photo."""
    first: dict[tuple[str, int, float], int] = {}
    for row in np.flatnonzero(is_ranking).tolist():
        before = first.setdefault((person[row], int(photo[row]), float(value[row])), row)
        if before != row:
            raise BadInput(
                f"{name}[{row}]: expected each place once in a person's ranking of a photo's sketches, got "
                f"{value[row]:g} again by {quoted(person[row])}, as in row {before}"
            )
