"""The loop for every source on the web: send requests, parse the answers, send the further requests in them."""

import dataclasses
import functools
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from schemas.attributes import AttributeField, AttributeFields, Attributes, fields_of, with_attribute_columns
from schemas.base import Frozen, Later
from schemas.errors import BrokenPromise
from schemas.manifests import Context, Manifest, PassedOver, TableRef
from schemas.manners import Manners
from schemas.reasons import PASSING_WORDS, Reason
from schemas.sources import AnyWebSource
from schemas.tables import RECORDS, SOURCE_REQUESTS
from tasks.core.passed_over import Tally
from tasks.core.scrape import answers as core
from tasks.core.scrape import records
from tasks.core.scrape.attributes import check_some_fit
from tasks.engine.cache_keys import code_digest
from tasks.engine.parts import run_in_parts
from tasks.engine.steps import decide_once
from tasks.io.store.layout import answers_folder, outcome_folder
from tasks.io.store.store import Store
from tasks.scrape.answers import AnswerIndex, answer_body, download_answers_part, open_answers

CODE = code_digest(core)
_PARSED = [field.name for field in dataclasses.fields(core.AnswerTables)]
_REPEATED = "works that a listing has had before"


class SourceListing(Manifest):
    """The records of one source, the boxes that people drew, and the work that was done to get them."""

    records: TableRef
    figures: TableRef | None = None
    coco_files: TableRef | None = None
    computed: int = 0  # listings parsed now, or requests sent
    pending: int = 0  # in a plan: requests that have no answer yet
    notes: tuple[str, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    listings: int = 0
    unreached: int = 0  # listings that failed, and have no earlier answer
    is_complete: bool = True


class _ParseSettings(Frozen):
    """What the parsed tables of a part of answers depend on."""

    source: AnyWebSource
    part: str
    attributes: Later[dict[str, AttributeField]]


def crawl_source(
    store: Store,
    source: AnyWebSource,
    manners: Manners,
    limit: int | None,
    context: Context,
    purged: pa.Array | pa.ChunkedArray | None = None,
    attributes: Attributes | None = None,
) -> SourceListing:
    """All records of a source on the web; in a plan, those of the stored answers. purged: none is sent for these ids.

    limit: in each round, only so many requests for works are sent, those with the smallest SHA-256(<source>:<key>).
    Raises BrokenPromise for an unreadable listing, BadInput for no works, or for no value of an attribute's type.
    """
    index = (AnswerIndex if context.plan else open_answers)(store, answers_folder(source.name))
    fields = fields_of(attributes or {}, source.name)
    frontier, requested = core.start_requests(source), pa.chunked_array([], pa.string())
    # of one part only: all pages of a listing are in one part
    parse = functools.lru_cache(maxsize=1)(functools.partial(_parse_part, store, source, fields))
    record_tables: list[pa.Table] = []
    reports, passed = [core.ANSWER_REPORTS.empty_table()], [core.PARSED_PASSED_OVER.empty_table()]
    later, equal = Tally(), Counter[str]()
    listing_urls: list[pa.Array] = []
    computed = pending = refused = 0
    is_first = True
    while frontier.num_rows:
        # the number counts all listings, though download_answers_part follows those after the first by itself
        to_send = index.requests_to_send(frontier, source.refresh, is_first=True)
        computed += to_send.num_rows
        if context.plan:
            pending += pc.sum(pc.is_null(index.best_answers(to_send["url"])["part"])).as_py() or 0
        else:
            to_send = index.requests_to_send(frontier, source.refresh, is_first=is_first)
            _send_requests(to_send, source, manners, index, context)
            refused += pc.sum(index.are_open_refusals(frontier)).as_py() or 0
        is_first = False
        requested = pa.chunked_array([*requested.chunks, *frontier["url"].chunks], pa.string())
        listing_urls += frontier.filter(pc.is_null(frontier["key"]))["url"].chunks
        requests = []
        for parsed in _parsed_parts(parse, index, frontier["url"]):
            record_tables.append(parsed.records)
            requests.append(parsed.requests)
            reports.append(parsed.reports)
            passed.append(parsed.passed_over)
        new = _new_requests(requests, requested)
        _count_repeats(later, requests, new)
        del requests
        # null for a listing, which stays
        record_ids = pc.binary_join_element_wise(pa.scalar(source.name), new["key"], ":")
        wanted = new.filter(pc.invert(pc.is_in(record_ids, value_set=purged))) if purged else new
        frontier = _limit_requests(source, wanted, limit)
        later.add("works that were purged", count=new.num_rows - wanted.num_rows)
        later.add("works beyond the limit of this trial", count=wanted.num_rows - frontier.num_rows)
    all_reports = pa.concat_tables(reports)
    _check_readable(source, all_reports)
    table = records.merge(_release_one_by_one(record_tables), with_attribute_columns(RECORDS, fields), equal)
    later.add(_REPEATED, *sorted(equal), count=equal.total())
    check_some_fit(source.name, table, fields)
    listing = _listing_status(index, pa.chunked_array(listing_urls, pa.string()), source)
    if not table.num_rows and listing.is_complete and not context.plan:
        raise source.bad_input("works", f"none{'; ' if listing.notes else ''}{' '.join(listing.notes)}")
    notes = core.count_notes(all_reports, table)
    if refused:
        were = f"{refused} work was" if refused == 1 else f"{refused} works were"
        why = "refused by a host that answered for no other in this build; the next build asks again"
        notes = [f"{were} {why}", *notes]
    found = {
        "records": store.write_table(outcome_folder("listed"), table, is_remembered=False),
        "computed": computed,
        "pending": pending,
        "passed_over": core.passed_over_rows(source, pa.concat_tables(passed), later),
        "notes": (*listing.notes, *(f"{source.name}: {note}" for note in notes)),
    }
    return listing.model_copy(update=found)


def _send_requests(
    to_send: pa.Table, source: AnyWebSource, manners: Manners, index: AnswerIndex, context: Context
) -> None:
    """Send the requests: listings first, with all further listings, then works in parts."""
    is_listing, into, label = pc.is_null(to_send["key"]), answers_folder(source.name), f"scrape · {source.name}"
    # one part for all listings: two parts would both request the pages to which both lead
    one_part = context.model_copy(update={"part_rows": max(to_send.num_rows, 1)})
    listings, works = to_send.filter(is_listing), to_send.filter(pc.invert(is_listing))
    run_in_parts(download_answers_part, listings, ((source, manners, True), into), one_part, label)
    run_in_parts(download_answers_part, works, ((source, manners, False), into), context, label)
    index.refresh()


def _release_one_by_one(tables: list[pa.Table]) -> Iterator[pa.Table]:
    """The tables without `answer_url`, each removed from the list: a million records need the memory."""
    while tables:
        yield tables.pop(0).drop_columns("answer_url")


def _parsed_parts(
    parse: Callable[[TableRef], core.AnswerTables], index: AnswerIndex, urls: pa.ChunkedArray
) -> Iterator[core.AnswerTables]:
    """The content of the best answers to these URLs, part by part."""
    best = index.best_answers(urls)
    answered = best.filter(pc.is_valid(best["part"]))
    for number in sorted(pc.unique(answered["part"]).to_pylist()):
        wanted = answered.filter(pc.equal(answered["part"], number))["url"]
        whole = parse(index.part_table(number))
        tables = (getattr(whole, word) for word in _PARSED)
        yield core.AnswerTables(*(table.filter(pc.is_in(table["answer_url"], value_set=wanted)) for table in tables))


def _parse_part(store: Store, source: AnyWebSource, attributes: AttributeFields, part: TableRef) -> core.AnswerTables:
    """The content of a part of answers, parsed once by each version of the parser and for each choice of attributes."""
    settings = _ParseSettings(source=source, part=part.sha256, attributes=dict(attributes))

    @functools.cache
    def parse() -> core.AnswerTables:
        answers = store.read_table(part, is_remembered=False)
        rows = (row for batch in answers.to_batches(max_chunksize=500) for row in batch.to_pylist())
        return core.parse_answers(source, rows, functools.partial(answer_body, store), attributes)

    def parsed(word: str) -> pa.Table:
        ref, _ = decide_once(store, f"parsed-{word}", settings, CODE, pa.table({}), lambda: getattr(parse(), word))
        return store.read_table(ref, is_remembered=False)

    return core.AnswerTables(*map(parsed, _PARSED))


def _new_requests(tables: list[pa.Table], requested: pa.ChunkedArray) -> pa.Table:
    """SOURCE_REQUESTS with new URLs, each once, in an order that does not depend on the parts."""
    everything = pa.concat_tables([core.PARSED_REQUESTS.empty_table(), *tables]).drop_columns("answer_url")
    # of different requests with one URL, always the same one is kept
    by_all = [(name, "ascending") for name in SOURCE_REQUESTS.names]
    new = everything.filter(pc.invert(pc.is_in(everything["url"], value_set=requested))).sort_by(by_all)
    if new.num_rows < 2:
        return new
    urls = new["url"].combine_chunks()
    is_first_of_url = pc.not_equal(urls.slice(1), urls.slice(0, len(urls) - 1))
    return new.filter(pa.concat_arrays([pa.array([True]), is_first_of_url]))


def _count_repeats(later: Tally, tables: list[pa.Table], new: pa.Table) -> None:
    """Count the requests for works to which several answers lead, or that were sent before."""
    keys = pa.chunked_array([chunk for table in tables for chunk in table["key"].chunks], pa.string()).drop_null()
    count = len(keys) - (new.num_rows - new["key"].null_count)
    times = pc.value_counts(keys)
    again = times.field("values").filter(pc.greater(times.field("counts"), 1)).to_pylist() if count else []
    later.add(_REPEATED, *sorted(again), count=count)


def _limit_requests(source: AnyWebSource, requests: pa.Table, limit: int | None) -> pa.Table:
    if limit is None:
        return requests
    works = requests.filter(pc.is_valid(requests["key"]))
    digests = [hashlib.sha256(f"{source.name}:{key}".encode()).hexdigest() for key in works["key"].to_pylist()]
    drawn = works.take(pc.sort_indices(pa.array(digests, pa.string()))[:limit])
    return pa.concat_tables([requests.filter(pc.is_null(requests["key"])), drawn])


def _check_readable(source: AnyWebSource, reports: pa.Table) -> None:
    problems = reports.filter(pc.is_valid(reports["problem"])).sort_by("answer_url").to_pylist()
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise BrokenPromise(
            f"source '{source.name}': {problems[0]['problem']}{more}; if the recipe asks for nothing that the source "
            "does not have, the format of the source has changed, so its parser must be changed too"
        )


def _listing_status(index: AnswerIndex, urls: pa.ChunkedArray, source: AnyWebSource) -> SourceListing:
    """How many listings failed, with notes; the records are still to come."""
    best = index.best_answers(urls)
    is_failing, is_unasked = pc.is_in(best["reason"], value_set=PASSING_WORDS), pc.is_null(best["part"])
    is_unreached = pc.or_(is_failing, is_unasked)
    is_stale = pc.and_(pc.invert(is_unreached), pc.fill_null(best["has_failed_since"], False))
    is_refused = pc.and_(pc.is_valid(best["reason"]), pc.invert(is_failing))
    # a listing that no longer exists is empty
    is_empty = pc.fill_null(pc.equal(best["reason"], str(Reason.NOT_FOUND)), False)
    notes = []
    for which, words in (
        (is_failing, "failed; requested again in the next build"),
        (is_unasked, "not requested yet"),
        (is_stale, "failed; the earlier answer is used"),
        (is_refused, "failed permanently"),
    ):
        if count := pc.sum(which).as_py():
            row, url = best.filter(which).to_pylist()[0], urls.filter(which)[0].as_py()
            example = f"{url}: {row['reason']}, {row['detail']}" if row["reason"] else url
            notes.append(f"{source.name}: {count} listing{'s' * (count > 1)} {words} (such as {example})")
    is_lost = pc.or_(pc.or_(is_unreached, is_stale), pc.and_(is_refused, pc.invert(is_empty)))
    return SourceListing(
        records=TableRef(path="", rows=0),
        notes=tuple(notes),
        listings=len(urls),
        unreached=int(pc.sum(is_unreached).as_py() or 0),
        is_complete=not pc.any(is_lost).as_py(),
    )
