"""Answers of sources on the web, parsed by the module of their source, as tables."""

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.compute as pc

from schemas.attributes import AttributeFields, check_offer, with_attribute_columns
from schemas.errors import BadInput
from schemas.manifests import PassedOver
from schemas.reasons import Reason
from schemas.sources import AnySource
from schemas.tables import PASSED_OVER, RECORDS, SOURCE_REQUESTS
from tasks.core.fetch import is_url
from tasks.core.passed_over import Tally
from tasks.core.scrape import artic, commons, flickr, met, records, surrealism, ukiyoe, wikiart
from tasks.core.scrape.attributes import with_attributes
from tasks.core.scrape.page_opt_outs import page_opt_out
from tasks.core.scrape.web_source import BadAnswer, ParsedAnswer, SourceRequest, WebMuseum, can_become, quoted

MUSEUMS: Mapping[str, WebMuseum] = {
    "artic": artic.MUSEUM,
    "commons": commons.MUSEUM,
    "flickr": flickr.MUSEUM,
    "met": met.MUSEUM,
    "surrealism": surrealism.MUSEUM,
    "ukiyoe": ukiyoe.MUSEUM,
    "wikiart": wikiart.MUSEUM,
}

ANSWER_URL = pa.field("answer_url", pa.string())
PARSED_RECORDS = pa.schema([ANSWER_URL, *RECORDS])
PARSED_REQUESTS = pa.schema([ANSWER_URL, *SOURCE_REQUESTS])
ANSWER_REPORTS = pa.schema(
    [
        ANSWER_URL,
        ("work_count", pa.int64()),
        ("claim", pa.string()),
        ("claimed_count", pa.int64()),
        ("style", pa.string()),
        ("problem", pa.string()),
    ]
)
"""Of each answer: the number of works in it, what the source claims to have (a row per claim), and what is wrong."""

PARSED_PASSED_OVER = pa.schema([ANSWER_URL, *(field for field in PASSED_OVER if field.name != "sources")])
"""Of each answer: how long each of its lists is, or a part of it (`listed` adds up), and what of it was passed over."""
_BATCH = 5000
Body = Callable[[Mapping[str, Any]], bytes]


@dataclass(frozen=True)
class AnswerTables:
    """The content of several answers; each row has the URL of its answer."""

    records: pa.Table
    requests: pa.Table
    reports: pa.Table
    passed_over: pa.Table


def needs_secret(source: AnySource) -> bool:
    """Whether any request of a source needs its secret, be it one of the first or a later one."""
    museum = MUSEUMS[source.source]
    return museum.credential is not None and museum.needs_secret(source)


def start_requests(source: AnySource) -> pa.Table:
    """SOURCE_REQUESTS: the first requests of a source."""
    return requests_table(MUSEUMS[source.source].start_requests(source))


def check_offers(source: AnySource, attributes: AttributeFields) -> None:
    """Raise BadInput for what an attribute can't be taken from, or not in its type, before hours of requests."""
    museum = MUSEUMS[source.source]
    offered = museum.sentences(source)
    for name, attribute in attributes.items():
        if (field := attribute.field) is None:
            continue
        if field in museum.offers and field not in offered:
            settings = f"more_offers: [{field}]" if "more_offers" in type(source).model_fields else "other settings"
            raise BadInput(
                f"attributes.{name}.from: expected what source '{source.name}' asks for, got {quoted(field)}, which it "
                f"asks for only with {settings} (docs/sources/{source.source}.md)"
            )
        for problem in check_offer(name, field, source.name, list(offered), "a name that the source offers,"):
            raise BadInput(problem)
        kind = museum.offers[field].type
        if not can_become(kind, attribute.type):
            offered_as = f"which source '{source.name}' offers as {field}"
            raise BadInput(f"attributes.{name}.type: expected {kind}, {offered_as}, got {attribute.type}")


def parse_answers(
    source: AnySource, answers: Iterable[Mapping[str, Any]], body: Body, attributes: AttributeFields | None = None
) -> AnswerTables:
    """The content of answers (rows of ANSWERS). body: gives an answer's bytes.

    A work whose own answer failed or can't be parsed is a record with the reason, such a listing a problem in reports.
    """
    attributes = attributes or {}
    record_rows, request_rows = _Rows(with_attribute_columns(PARSED_RECORDS, attributes)), _Rows(PARSED_REQUESTS)
    reports, passed_rows = _Rows(ANSWER_REPORTS), _Rows(PARSED_PASSED_OVER)
    for answer in answers:
        parsed, problem, failure = _parse_answer(source, answer, body)
        url = answer["url"]
        for row in parsed.rows:
            record_rows.add({"answer_url": url, **_record_row(source, row, attributes, parsed.opt_out)})
        if failure is not None:
            record_rows.add({"answer_url": url, **records.dropped_record(source, answer["key"], *failure)})
        for request in parsed.requests:
            request_rows.add({"answer_url": url, **_request_row(request)})
        for kind in _passed_over(answer, parsed, has_failed=problem is not None or failure is not None):
            passed_rows.add({"answer_url": url, **kind.model_dump(exclude={"sources"})})
        for claim in parsed.claims or ((None,) if parsed.works or problem else ()):
            claimed = {"claim": claim.name, "claimed_count": claim.count, "style": claim.style} if claim else {}
            reports.add({"answer_url": url, "work_count": parsed.works, "problem": problem, **claimed})
    return AnswerTables(record_rows.table(), request_rows.table(), reports.table(), passed_rows.table())


def _passed_over(answer: Mapping[str, Any], parsed: ParsedAnswer, *, has_failed: bool) -> Iterator[PassedOver]:
    """What an answer lists, and what of it is no work; a work's own answer is about an entry that was counted."""
    if has_failed or answer["reason"] is not None:
        return
    yield from parsed.passed_over
    says_nothing = not (parsed.works or parsed.passed_over)
    if answer["key"] is not None:
        if says_nothing:
            yield PassedOver(kind="works whose own answer says nothing", count=1, examples=(answer["url"],))
        return
    yield PassedOver(listed=parsed.works + sum(kind.count for kind in parsed.passed_over if kind.unit == "entries"))
    yield PassedOver(unit="listings", listed=1)
    if says_nothing and not (parsed.requests or parsed.claims):
        yield PassedOver(unit="listings", kind="listings that list nothing", count=1, examples=(answer["url"],))


def passed_over_rows(source: AnySource, passed: pa.Table, later: Tally) -> tuple[PassedOver, ...]:
    """What yields no record: by PARSED_PASSED_OVER of all answers, each once; later: after the entries were read."""
    rows: list[PassedOver] = []
    tallies = {"entries": later} | {unit: Tally() for unit in sorted({*passed["unit"].to_pylist()} - {"entries"})}
    for unit, left_out in tallies.items():
        mine = passed.filter(pc.equal(passed["unit"], unit)).sort_by("answer_url").to_pylist()
        for row in mine:
            left_out.add(row["kind"], *row["examples"], count=row["count"])
        rows += left_out.rows((source.name,), unit, sum(row["listed"] for row in mine))
    return tuple(rows)


def next_listing_requests(source: AnySource, answer: Mapping[str, Any], body: Body) -> list[dict[str, Any]]:
    """SOURCE_REQUESTS rows of further listings in a listing's answer; none if it can't be parsed: an error later."""
    parsed, _, _ = _parse_answer(source, answer, body)
    return [_request_row(request) for request in parsed.requests if request.source_key is None]


def requests_table(requests: Iterable[SourceRequest]) -> pa.Table:
    """SOURCE_REQUESTS, each URL once, in the given order."""
    by_url = {request.url: request for request in requests}
    return pa.Table.from_pylist([*map(_request_row, by_url.values())], schema=SOURCE_REQUESTS)


def count_notes(reports: pa.Table, records: pa.Table) -> list[str]:
    """A sentence for each count claimed in ANSWER_REPORTS but not that of a listing's works or a style's RECORDS."""
    claims: dict[tuple[str, str | None], list[int]] = {}
    for row in reports.filter(pc.is_valid(reports["claim"])).to_pylist():
        counts = claims.setdefault((row["claim"], row["style"]), [row["claimed_count"], 0])
        counts[0] = max(counts[0], row["claimed_count"])
        counts[1] += row["work_count"]
    by_style = {}
    if any(style for _, style in claims):
        styles = records.filter(pc.is_null(records["reason"]))["styles"].combine_chunks()
        named = pa.table({"record": pc.list_parent_indices(styles), "style": pc.list_flatten(styles)})
        # a record that names a style twice counts once
        once = named.group_by(["record", "style"]).aggregate([])["style"]
        by_style = {row["values"]: row["counts"] for row in pc.value_counts(once).to_pylist()}
    sentences = []
    for (name, style), (claimed, works) in sorted(claims.items(), key=lambda entry: (entry[0][0], entry[0][1] or "")):
        count = by_style.get(style, 0) if style else works
        if count != claimed:
            sentences.append(f"{name}: the source states {claimed}, found {count}")
    return sentences


def _parse_answer(
    source: AnySource, answer: Mapping[str, Any], body: Body
) -> tuple[ParsedAnswer, str | None, tuple[Reason, str] | None]:
    """The parsed answer; the problem of a listing, if any; why a work's answer failed, if it did."""
    if answer["reason"] is not None:
        failure = (Reason(answer["reason"]), answer["detail"] or "") if answer["key"] is not None else None
        return ParsedAnswer(), None, failure
    request = SourceRequest(answer["url"], answer["kind"], answer["key"], answer["expects"], answer["needs_secret"])
    try:
        data = body(answer)
        parsed = MUSEUMS[source.source].parse(source, request, data)
        _check_hosts(source, parsed.requests)
    except BadAnswer as problem:
        if answer["key"] is None:
            # the quote may not be valid UTF-8
            return ParsedAnswer(), str(problem).encode("utf-8", "replace").decode(), None
        return ParsedAnswer(), None, (Reason.BAD_RECORD, str(problem))
    # a page speaks for the works that are taken from it; the pages that it links to speak for themselves
    if parsed.rows and request.expects == "html":
        parsed = dataclasses.replace(parsed, opt_out=page_opt_out(data.decode("utf-8", "replace")))
    return parsed, None, None


def _check_hosts(source: AnySource, requests: Iterable[SourceRequest]) -> None:
    allowed = MUSEUMS[source.source].hosts
    for request in requests:
        try:
            host = urlsplit(request.url).netloc
        except ValueError:  # such as "https://["
            host = ""
        if host not in allowed:
            raise BadAnswer(f"expected addresses at {sorted(allowed)}, got '{request.url[:80]}'")


def _record_row(
    source: AnySource, row: Mapping[str, Any], attributes: AttributeFields, opt_out: str | None
) -> dict[str, Any]:
    """A row of RECORDS; with a reason if its image is not a web address, as there is no folder to look in, or if its
    page opts it out.
    """
    record = records.record(source, row)
    key = record["record_id"].removeprefix(f"{source.name}:")  # as in the record: trimmed, in NFC
    if record["reason"] is None and not is_url(record["locator"]):
        problem = f"expected an image's address, got {quoted(record['locator'])}"
        return records.dropped_record(source, key, Reason.BAD_RECORD, problem)
    if record["reason"] is None and opt_out is not None:
        return records.dropped_record(source, key, Reason.OPTED_OUT, opt_out)
    return with_attributes(record, attributes, (row.get("offers") or {}).get)


def _request_row(request: SourceRequest) -> dict[str, Any]:
    values = (request.url, request.kind, request.source_key, request.expects, request.needs_secret)
    return dict(zip(SOURCE_REQUESTS.names, values, strict=True))


class _Rows:
    """Rows that become Arrow in batches, so that a million of them are never in memory as dictionaries."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._rows: list[dict[str, Any]] = []
        self._tables = [schema.empty_table()]

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        if len(self._rows) >= _BATCH:
            self._pack()

    def table(self) -> pa.Table:
        self._pack()
        return pa.concat_tables(self._tables)

    def _pack(self) -> None:
        if self._rows:
            self._tables.append(pa.Table.from_pylist(self._rows, schema=self._schema))
            self._rows = []


def json_lines(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Records as JSON, one line each, without empty fields."""
    full = ({name: value for name, value in row.items() if value not in (None, [])} for row in rows)
    return [json.dumps(row, ensure_ascii=False) for row in full]
