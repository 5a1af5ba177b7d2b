"""The one loop that drives every source on the web: ask, read, ask for what the answers lead to, until nothing is
left.
"""

import functools
import hashlib
from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput, BrokenPromise
from schemas.frozen import Frozen
from schemas.manifests import Context, Manifest, TableRef
from schemas.manners import Manners
from schemas.reasons import Reason
from schemas.sources import AnyWebSource
from schemas.tables import ASKS
from tasks.core.scrape import answers as core
from tasks.core.scrape import records
from tasks.engine.cache_keys import code_digest
from tasks.engine.decide import decide_once
from tasks.engine.parts import run_in_parts
from tasks.engine.retrieve import PASSING_WORDS
from tasks.io.store.layout import answers_folder, outcome_folder
from tasks.io.store.store import Store
from tasks.scrape.answers import Answers, absorbed, ask_part, body

CODE = code_digest(core)


class Listed(Manifest):
    """What a source lists: its records, the boxes that people drew, and what was done to know them."""

    records: TableRef
    figures: TableRef | None = None
    computed: int = 0  # listings read anew, or requests sent
    pending: int = 0  # in a plan: requests whose answers nobody knows yet
    notes: tuple[str, ...] = ()
    listings: int = 0
    unreached: int = 0  # listings that could not be had, and that no older answer stands in for
    is_complete: bool = True


class _Read(Frozen):
    """What decides what a part of answers is read as."""

    source: AnyWebSource
    part: str


def crawled(
    store: Store,
    source: AnyWebSource,
    manners: Manners,
    limit: int | None,
    context: Context,
    buried: pa.Array | pa.ChunkedArray | None = None,
) -> Listed:
    """All records of a source on the web; in a plan, those of the answers that are there already.

    limit: of works that have answers of their own, so many are asked for in each round, those with the smallest
    SHA-256(<source>:<key>). buried: record_ids that were purged, for which
    nothing is asked. Raises BrokenPromise where a listing can't be read; BadInput where there is nothing.
    """
    known = (
        Answers(store, answers_folder(source.name)) if context.plan else absorbed(store, answers_folder(source.name))
    )
    frontier, seen = core.first(source), pa.chunked_array([], pa.string())
    read = functools.lru_cache(maxsize=1)(functools.partial(_read, store, source))  # a chain's pages lie in one part
    heard: list[pa.Table] = []
    told = core.HEARD.empty_table()
    lists: list[pa.ChunkedArray] = []
    computed = pending = 0
    while frontier.num_rows:
        # in all, listings being followed from the first on
        sent = known.to_ask(frontier, source.refresh, is_first=True)
        computed += sent.num_rows
        if context.plan:
            pending += pc.sum(pc.is_null(known.of(sent["url"])["part"])).as_py() or 0
        else:
            _ask(known.to_ask(frontier, source.refresh, is_first=not lists), source, manners, known, context)
        seen = pa.chunked_array([*seen.chunks, *frontier["url"].chunks], pa.string())
        lists.append(frontier.filter(pc.is_null(frontier["key"]))["url"])
        asks = []
        for entry in _heard(read, known, frontier["url"]):
            heard.append(entry.records)
            asks.append(entry.asks)
            told = pa.concat_tables([told, entry.heard])
        frontier = _limited(source, _without_buried(source, _unseen(asks, seen), buried), limit)
        del asks
    _check_readable(source, told)
    table = records.merged(_given(heard))
    listed = _reached(known, pa.chunked_array([chunk for urls in lists for chunk in urls.chunks], pa.string()), source)
    if not table.num_rows and listed.is_complete and not context.plan:
        raise BadInput(
            f"source '{source.name}': expected works, got none{'; ' if listed.notes else ''}{' '.join(listed.notes)}"
        )
    return listed.model_copy(
        update={
            "records": store.write_table(outcome_folder("listed"), table, is_remembered=False),
            "computed": computed,
            "pending": pending,
            "notes": (*listed.notes, *(f"{source.name}: {note}" for note in core.completeness(told, table))),
        }
    )


def _ask(todo: pa.Table, source: AnyWebSource, manners: Manners, known: Answers, context: Context) -> None:
    """Send what must be sent: listings first, with all that they lead to, then works in parts."""
    is_listing, into, label = pc.is_null(todo["key"]), answers_folder(source.name), f"ask-{source.name}"
    # one part follows all listings: two would ask for what both lead to
    alone = context.model_copy(update={"part_rows": max(todo.num_rows, 1)})
    run_in_parts(ask_part, todo.filter(is_listing), ((source, manners, True), into), alone, label)
    run_in_parts(ask_part, todo.filter(pc.invert(is_listing)), ((source, manners, False), into), context, label)
    known.refresh()


def _given(heard: list[pa.Table]) -> Iterator[pa.Table]:
    """The tables, kept no longer by the list: a million records need the room."""
    while heard:
        yield heard.pop(0).drop_columns("said_by")


def _heard(read: Callable[[TableRef], core.Heard], known: Answers, urls: pa.ChunkedArray) -> Iterator[core.Heard]:
    """What the best answers to these URLs say, part by part."""
    best = known.of(urls)
    answered = best.filter(pc.is_valid(best["part"]))
    for number in sorted(pc.unique(answered["part"]).to_pylist()):
        mine = answered.filter(pc.equal(answered["part"], number))["url"]
        whole = read(known.ref(number))
        yield core.Heard(
            *(
                table.filter(pc.is_in(table["said_by"], value_set=mine))
                for table in (whole.records, whole.asks, whole.heard)
            )
        )


def _read(store: Store, source: AnyWebSource, part: TableRef) -> core.Heard:
    """What a part of answers says, read once by each parser."""
    asked = _Read(source=source, part=part.sha256)

    @functools.cache
    def heard() -> core.Heard:
        answers = store.read_table(part, is_remembered=False)
        rows = (row for batch in answers.to_batches(max_chunksize=500) for row in batch.to_pylist())
        return core.heard(source, rows, functools.partial(body, store))

    nothing = pa.table({})
    refs = [
        decide_once(store, f"heard-{word}", asked, CODE, nothing, functools.partial(_one, heard, word))[0]
        for word in ("records", "asks", "heard")
    ]
    return core.Heard(*(store.read_table(ref, is_remembered=False) for ref in refs))


def _one(heard: "functools._lru_cache_wrapper[core.Heard]", word: str) -> pa.Table:
    return getattr(heard(), word)


def _unseen(asks: list[pa.Table], seen: pa.ChunkedArray) -> pa.Table:
    """ASKS that are new, each URL once, in one order whatever the parts were."""
    everything = pa.concat_tables([core.SAID_ASKS.empty_table(), *asks]).drop_columns("said_by")
    # of asks of one URL that differ, one stays whoever says so first
    by_all = [(name, "ascending") for name in ASKS.names]
    new = everything.filter(pc.invert(pc.is_in(everything["url"], value_set=seen))).sort_by(by_all)
    if new.num_rows < 2:
        return new
    urls = new["url"].combine_chunks()
    begins = pc.not_equal(urls.slice(1), urls.slice(0, len(urls) - 1))
    return new.filter(pa.concat_arrays([pa.array([True]), begins]))


def _without_buried(source: AnyWebSource, asks: pa.Table, buried: pa.Array | pa.ChunkedArray | None) -> pa.Table:
    if buried is None or not len(buried):
        return asks
    name = pc.binary_join_element_wise(pa.scalar(source.name), asks["key"], ":")  # null for a listing: it stays
    return asks.filter(pc.invert(pc.is_in(name, value_set=buried)))


def _limited(source: AnyWebSource, asks: pa.Table, limit: int | None) -> pa.Table:
    if limit is None:
        return asks
    works = asks.filter(pc.is_valid(asks["key"]))
    lots = [hashlib.sha256(f"{source.name}:{key}".encode()).hexdigest() for key in works["key"].to_pylist()]
    drawn = works.take(pc.sort_indices(pa.array(lots, pa.string()))[:limit])
    return pa.concat_tables([asks.filter(pc.is_null(asks["key"])), drawn])


def _check_readable(source: AnyWebSource, told: pa.Table) -> None:
    problems = told.filter(pc.is_valid(told["problem"])).sort_by("said_by").to_pylist()
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise BrokenPromise(
            f"source '{source.name}': {problems[0]['problem']}{more}; the source has changed, or is not what "
            "it should be"
        )


def _reached(known: Answers, urls: pa.ChunkedArray, source: AnyWebSource) -> Listed:
    """Which listings could be had this time."""
    best = known.of(urls)
    is_failing = pc.is_in(best["reason"], value_set=PASSING_WORDS)
    is_unreached = pc.or_(is_failing, pc.is_null(best["part"]))
    is_stale = pc.and_(pc.invert(is_unreached), pc.fill_null(best["has_failed_since"], False))
    is_refused = pc.and_(pc.is_valid(best["reason"]), pc.invert(is_failing))
    is_empty = pc.fill_null(pc.equal(best["reason"], str(Reason.NOT_FOUND)), False)  # what is no more lists nothing
    notes = []
    for which, words in (
        (is_unreached, "could not be had; asked for again in the next build"),
        (is_stale, "could not be had this time; what was said before stands in"),
        (is_refused, "refused for good"),
    ):
        if count := pc.sum(which).as_py():
            row = best.filter(which).to_pylist()[0]
            example = f"{row['url']}: {row['reason']}, {row['detail']}" if row["reason"] else row["url"]
            notes.append(f"{source.name}: {count} listing{'s' * (count > 1)} {words} (such as {example})")
    unreached, stale = (int(pc.sum(which).as_py() or 0) for which in (is_unreached, is_stale))
    return Listed(
        records=TableRef(path="", rows=0),
        notes=tuple(notes),
        listings=len(urls),
        unreached=unreached,
        is_complete=not (unreached or stale or pc.any(pc.and_(is_refused, pc.invert(is_empty))).as_py()),
    )
