"""The one filter: which records pass, by their rights, styles, sizes, scores and figures."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import quoted
from schemas.reasons import Reason
from schemas.scores import LIMIT_REASONS, SCORES
from schemas.screen import Between, Screen
from schemas.tables import SCREEN
from tasks.core import rights, tables, where
from tasks.core.columns import bools
from tasks.core.names import styles

_FIRST = "least_contrast"
COLUMNS = (
    *("record_id", "is_included", "rights_uri", "style", "has_wanted_style", "bytes", "width_px", "height_px"),
    *SCORES,
    "figures",
)
"""What a view may have; and for each condition of `where` and `applies_to` the column that `where_column` names."""

Check = tuple[NDArray[np.bool_], Reason, Sequence[str] | NDArray[np.object_]]


def decide(view: pa.Table, settings: Screen) -> pa.Table:
    """SCREEN outcome of a view with COLUMNS, of which only those are read that the settings need.

    `figures`: null where nobody has counted them, which passes no limit. `is_included` (optional): by a person; such a
    record passes every check, and so does one that `applies_to` leaves out. The reason is the first of: rights, style,
    where (by name), bytes, pixels, side, aspect, blank, colour, the other limits of scores as they are declared, too
    few figures, too many.
    """
    parts = _record_checks, _size_checks, _score_checks, _figure_checks
    checks = [check for part in parts for check in part(view, settings)]
    is_judged = applies_to(view, settings)
    if "is_included" in view.column_names:
        is_judged &= ~bools(view["is_included"])
    if not is_judged.all():
        checks = [(fails & is_judged, reason, details) for fails, reason, details in checks]
    reasons, details = tables.first_reason(view.num_rows, checks)
    return tables.outcome(SCREEN, view["record_id"], reason=reasons, detail=details)


def applies_to(view: pa.Table, settings: Screen) -> NDArray[np.bool_]:
    """(N,) whether the screen looks at each record of a view."""
    met = [where.meets(view[where_column(name)], condition) for name, condition in settings.applies_to.items()]
    return np.asarray(np.all([np.ones(view.num_rows, bool), *met], axis=0))


def where_column(name: str) -> str:
    """What a view calls the column that a condition is about; attributes may have the names of other columns."""
    return f"where.{name}"


def where_notes(view: pa.Table, settings: Screen) -> tuple[str, ...]:
    """A sentence for each condition that no record meets, with the values that may have been meant."""
    found = (
        where.nothing_meets_note(f"`{setting}` of {name}", view[where_column(name)], condition)
        for setting, conditions in (("applies_to", settings.applies_to), ("where", settings.where))
        for name, condition in sorted(conditions.items())
    )
    return tuple(f"{settings.label}: {note}" for note in found if note)


def has_style(style: pa.ChunkedArray, wanted: Sequence[str], names: Mapping[str, str]) -> pa.Array:
    """(N,) whether each record's style is among the wanted ones, by any of its names; false where it has no style."""
    forms = {_compared_style(text, names) for text in wanted}
    is_wanted = [text is not None and _compared_style(text, names) in forms for text in style.to_pylist()]
    return pa.array(is_wanted, pa.bool_())


def check_styles(settings: Screen, names: Mapping[str, str]) -> None:
    """Raise BadInput where a wanted style is probably misspelled: unknown, but very similar to a known one."""
    for text, near in styles.likely_typos(settings.styles or (), names):
        raise BadInput(
            f"stages ({settings.label}).styles: expected a known style or a source's own word, got {quoted(text)}: "
            f"did you mean {' or '.join(near)}? If the spelling is right, add it to the recipe: "
            f"styles: {{aliases: {{{text}: {text}}}}}"
        )


def uncounted_notes(figures: pa.ChunkedArray, settings: Screen) -> tuple[str, ...]:
    """A sentence on (N,) counts of figures of which some are null, where the settings have a limit for them.

    Raises BadInput where all are null: then the recipe lacks a detect stage.
    """
    wanted, uncounted = settings.figures, figures.null_count
    if wanted is None or not uncounted or (not wanted.least and wanted.most is None):
        return ()
    is_by_people = wanted.counted_by == "people_first"
    if uncounted == len(figures):
        needed = f"{'annotated records or ' if is_by_people else ''}a detect stage for {wanted.category}"
        raise BadInput(
            f"stages ({settings.label}).figures: expected {needed} before it, got {uncounted} records without a count"
        )
    counted_by = "detector or annotation" if is_by_people else "detector"
    figure = "people" if wanted.category == "person" else f"'{wanted.category}'"
    return (f"{settings.label}: no {counted_by} has counted {figure} in {uncounted} of {len(figures)} images",)


def _compared_style(text: str, names: Mapping[str, str]) -> str:
    return styles.normalize_style(styles.style_name(text, names) or "") or text


def _record_checks(view: pa.Table, settings: Screen) -> Iterator[Check]:
    """By the records' own fields, and the sizes of their files."""
    if settings.rights is not None:
        uris = view["rights_uri"].to_pylist()
        passing = {uri: rights.passes(uri, settings.rights) for uri in set(uris)}
        yield np.array([not passing[uri] for uri in uris], bool), Reason.RIGHTS_NOT_OPEN, uris
    if settings.styles is not None:
        names = [style or "no style" for style in view["style"].to_pylist()]
        yield ~bools(view["has_wanted_style"]), Reason.STYLE_NOT_WANTED, names
    for name, condition in sorted(settings.where.items()):
        column = view[where_column(name)]
        fails = ~where.meets(column, condition)
        yield fails, Reason.WHERE_NOT_MET, where.details(name, column, fails)
    if settings.bytes is not None:
        yield _range_check(view["bytes"].to_numpy(), settings.bytes, Reason.OUTSIDE_BYTES, "bytes")


def _size_checks(view: pa.Table, settings: Screen) -> Iterator[Check]:
    if (settings.pixels, settings.least_side_px, settings.aspect) == (None, None, None):
        return
    width, height = view["width_px"].to_numpy(), view["height_px"].to_numpy()
    if settings.pixels is not None:
        yield _range_check(width.astype(np.int64) * height, settings.pixels, Reason.OUTSIDE_PIXELS, "px")
    if settings.least_side_px is not None:
        side = np.minimum(width, height)
        yield side < settings.least_side_px, Reason.TOO_SMALL, [f"{n} px < {settings.least_side_px} px" for n in side]
    if (aspect := settings.aspect) is not None:
        outside = (width < aspect.least * height) | (width > aspect.most * height)
        yield outside, Reason.TOO_ELONGATED, [f"{w} x {h} px" for w, h in zip(width, height, strict=True)]


def _score_checks(view: pa.Table, settings: Screen) -> Iterator[Check]:
    """By the scores: blank first, since an empty picture has neither colour nor sharpness."""
    yield from _limit_checks(view, settings, _FIRST)
    if settings.colour is not None:
        chroma, line = view["chroma"].to_numpy(), settings.least_chroma
        if settings.colour == "colour":
            yield chroma < line, Reason.NOT_IN_COLOUR, [f"chroma {score} < {line}" for score in chroma]
        else:
            yield chroma >= line, Reason.IN_COLOUR, [f"chroma {score} >= {line}" for score in chroma]
    for limit in (name for name in LIMIT_REASONS if name != _FIRST):
        yield from _limit_checks(view, settings, limit)


def _limit_checks(view: pa.Table, settings: Screen, name: str) -> Iterator[Check]:
    if (line := getattr(settings.scores, name, None)) is not None:
        kind, _, score = name.partition("_")
        found, sign = view[score].to_numpy(), "<" if kind == "least" else ">"
        fails = found < line if kind == "least" else found > line
        yield fails, LIMIT_REASONS[name], [f"{score} {value} {sign} {line}" for value in found]


def _figure_checks(view: pa.Table, settings: Screen) -> Iterator[Check]:
    if (wanted := settings.figures) is None:
        return
    found = view["figures"]
    is_unknown, count = found.is_null().to_numpy(), found.fill_null(0).to_numpy()
    words = ("nobody has counted" if n is None else f"{n} of" for n in found.to_pylist())  # the ledger's: they stay
    details = [f"{said} {wanted.category}" for said in words]
    if wanted.least:
        yield is_unknown | (count < wanted.least), Reason.TOO_FEW_FIGURES, details
    if wanted.most is not None:
        yield is_unknown | (count > wanted.most), Reason.TOO_MANY_FIGURES, details


def _range_check(values: NDArray[np.int64], allowed: Between, reason: Reason, unit: str) -> Check:
    """The check of numbers outside a range; its details say on which side."""
    least, most = allowed.least, allowed.most
    is_below = np.zeros(len(values), bool) if least is None else values < least
    is_above = np.zeros(len(values), bool) if most is None else values > most
    over = [f"< {least}" if low else f"> {most}" for low in is_below]
    details = [f"{n} {unit} {limit} {unit}" for n, limit in zip(values, over, strict=True)]
    return is_below | is_above, reason, details
