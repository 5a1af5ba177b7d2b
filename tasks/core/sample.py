"""Which records of each style are drawn, rare artists before prolific ones."""

from collections import Counter

import pyarrow as pa

from schemas.draw import Sample
from schemas.reasons import Reason
from schemas.tables import SAMPLE
from tasks.core import tables
from tasks.core.draws import ticket, weighted_key

COLUMNS = ("record_id", "style", "artist")


def decide(view: pa.Table, settings: Sample) -> pa.Table:
    """SAMPLE outcome of a view with COLUMNS: at most n records of each of the top styles.

    Inside a style a record's weight is 1 / (works of its artist in that style), so that each artist has the same odds
    (ArtBench-10, Algorithm 1; PoPArt, section 3.1); works without an artist count as one artist's. Draws without
    replacement, by tickets: a record that comes or goes moves only its own artist's odds. A record without a style is dropped.
    """
    names, styles, artists = (view[column].to_pylist() for column in COLUMNS)
    chosen = _top(Counter(style for style in styles if style), settings.top)
    works = Counter(zip(styles, artists, strict=True))
    keys: dict[str, list[tuple[float, str]]] = {style: [] for style in chosen}
    for name, style, artist in zip(names, styles, artists, strict=True):
        if style in keys:
            weight = 1 / works[style, artist] if settings.weight == "inverse_artist" else 1.0
            keys[style].append((weighted_key(ticket(settings.seed or 0, settings.label, name), weight), name))
    drawn = {name for drawn in keys.values() for _, name in sorted(drawn)[: settings.at_most]}
    verdicts = [_verdict(name, style, keys, drawn, settings) for name, style in zip(names, styles, strict=True)]
    return tables.outcome(SAMPLE, view["record_id"], reason=[r for r, _ in verdicts], detail=[d for _, d in verdicts])


def _top(counted: "Counter[str]", top: int | None) -> list[str]:
    """The most frequent styles, ties by name."""
    return [style for style, _ in sorted(counted.items(), key=lambda entry: (-entry[1], entry[0]))[:top]]


def _verdict(
    name: str, style: str | None, keys: dict[str, list[tuple[float, str]]], drawn: set[str], settings: Sample
) -> tuple[str | None, str | None]:
    if not style:
        return Reason.NO_STYLE, None
    if style not in keys:
        return Reason.STYLE_NOT_CHOSEN, f"{style} is not among the top {settings.top}"
    if name not in drawn:
        return Reason.NOT_DRAWN, f"{settings.at_most} of {len(keys[style])} of {style}"
    return None, None
