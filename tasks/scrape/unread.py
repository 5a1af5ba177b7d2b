"""What was not understood in the words of the sources, and what of them has clearly changed since the last release."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from schemas.base import Frozen
from schemas.manifests import State, TableRef
from schemas.names import Artists, Styles
from schemas.recipe import Recipe
from schemas.sources.common import NOASSERTION
from tasks.core import unread as core
from tasks.core.names import makers, matching, styles
from tasks.core.names.makers import is_uncertain
from tasks.core.scrape import dates
from tasks.core.tables import kept_rows
from tasks.engine.cache_keys import code_digest
from tasks.engine.steps import decide_once
from tasks.io.store.store import Store
from tasks.subjects import source_changes

CODE = code_digest(core, makers, styles, dates)
_ASKED = ["record_id", "source", "reason", "artist", "style", "date_text", "rights_uri", "rights_text"]


class _Settings(Frozen):
    """rights_by: the sources of which the recipe has a table of rights; words of dates and makers: the sources' own."""

    artists: Artists
    styles: Styles
    rights_by: tuple[str, ...]
    date_words: dict[str, str]
    maker_words: dict[str, str]


def find_unread(store: Store, recipe: Recipe, everything: pa.Table) -> TableRef:
    """UNREAD of the RECORDS that are not dropped."""
    settings = _Settings(
        artists=recipe.artists,
        styles=recipe.styles,
        rights_by=tuple(source.name for source in recipe.sources if source.rights.by is not None),
        date_words=recipe.date_words,
        maker_words=recipe.maker_words,
    )
    view = kept_rows(everything.select(_ASKED))
    ref, _ = decide_once(store, "unread", settings, CODE, view, lambda: _unread(view, settings))
    return ref


def _unread(records: pa.Table, settings: _Settings) -> pa.Table:
    known = styles.names_by_style(settings.styles)
    meant = set(matching.merge_aliases(settings.artists).values())  # what the recipe or our table names so
    has_rights_by = pc.is_in(records["source"], value_set=pa.array(settings.rights_by, pa.string()))
    without_rights = records.filter(pc.and_(pc.equal(records["rights_uri"], NOASSERTION), has_rights_by))

    def artist(name: str, own: str | None) -> str | None:
        return name if name not in meant and is_uncertain(name, own) else None

    def date(text: str, own: str | None) -> str | None:
        return dates.read_date(text, own).unread

    def style(text: str, _: str | None) -> str | None:
        return None if styles.normalize_style(text) in known else text

    return core.commonest_first(
        (
            core.unread(records, "artist", "artist", artist, settings.maker_words),
            core.unread(records, "date", "date_text", date, settings.date_words),
            core.unread(without_rights, "rights", "rights_text", lambda text, _: text),
            core.unread(records, "style", "style", style),
        )
    )


def notes(store: Store, recipe: Recipe, state: State) -> Iterator[str]:
    """Sentences for people."""
    if state.unread is not None:
        yield from core.notes(store.read_table(state.unread))
        for shift in source_changes.find_shifts(store, recipe, state.previous, state.records, state.unread):
            yield shift.sentence()
