"""Answers of sources on the web, whichever source it is: what they say, as tables."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.compute as pc

from schemas.reasons import Reason
from schemas.sources import AnySource
from schemas.tables import ASKS, RECORDS
from tasks.core.fetch import is_url
from tasks.core.scrape import artic, commons, flickr, met, records, surrealism, ukiyoe, wikiart
from tasks.core.scrape.web_source import Ask, BadAnswer, Credential, Said, quoted

MODULES: Mapping[str, ModuleType] = {
    "artic": artic,
    "commons": commons,
    "flickr": flickr,
    "met": met,
    "surrealism": surrealism,
    "ukiyoe": ukiyoe,
    "wikiart": wikiart,
}

URL = pa.field("said_by", pa.string())
SAID_RECORDS = pa.schema([URL, *RECORDS])
SAID_ASKS = pa.schema([URL, *ASKS])
HEARD = pa.schema(
    [
        URL,
        ("works", pa.int64()),
        ("claim", pa.string()),
        ("claimed", pa.int64()),
        ("style", pa.string()),
        ("problem", pa.string()),
    ]
)
"""Of each answer: how many works it tells of, what the source claims to have (a row for each claim), what is wrong with
it."""

_BATCH = 5000
Body = Callable[[Mapping[str, Any]], bytes]


@dataclass(frozen=True)
class Heard:
    """What some answers say: each row names the answer (its URL) that says so."""

    records: pa.Table
    asks: pa.Table
    heard: pa.Table


def credential(source: AnySource) -> Credential | None:
    """How the source's secret is sent, if its API needs one."""
    found: Credential | None = _module(source).CREDENTIAL
    return found


def needs_secret(source: AnySource) -> bool:
    """Whether any of what a source asks for needs its secret: its first asks alone need not say so."""
    module = _module(source)
    if hasattr(module, "needs_secret"):  # of a source that has a secret for some of its routes only
        return bool(module.needs_secret(source))
    return module.CREDENTIAL is not None


def hosts(source: AnySource) -> list[str]:
    """The hosts that a source asks for what it has, sorted."""
    return sorted(_module(source).HOSTS)


def first(source: AnySource) -> pa.Table:
    """ASKS with which a source begins."""
    return asks_table(_module(source).first(source))


def heard(source: AnySource, answers: Iterable[Mapping[str, Any]], body: Body) -> Heard:
    """What answers (rows of ANSWERS) say; `body` gives an answer's bytes.

    A work whose own answer failed, or can't be read, is a record with the reason; of a listing it is a problem.
    """
    said_records, said_asks, told = _Rows(SAID_RECORDS), _Rows(SAID_ASKS), _Rows(HEARD)
    for answer in answers:
        said, problem, lost = _said(source, answer, body)
        url = answer["url"]
        for row in said.rows:
            said_records.add({"said_by": url, **_record(source, row)})
        if lost is not None:
            said_records.add({"said_by": url, **records.dropped(source, answer["key"], *lost)})
        for ask in said.asks:
            said_asks.add({"said_by": url, **_plain(ask)})
        works = len(said.rows) + sum(ask.key is not None for ask in said.asks)
        claims = said.claims or ((None,) if works or problem else ())
        for claim in claims:
            known = {"claim": claim.name, "claimed": claim.count, "style": claim.style} if claim else {}
            told.add({"said_by": url, "works": works, "problem": problem, **known})
    return Heard(said_records.table(), said_asks.table(), told.table())


def listings(asks: Sequence[Ask]) -> list[Ask]:
    """Those that ask for a listing."""
    return [ask for ask in asks if ask.key is None]


def next_listings(source: AnySource, answer: Mapping[str, Any], body: Body) -> list[dict[str, Any]]:
    """ASKS rows of the listings to which a listing's answer leads; none where it can't be read, which is told later."""
    said, _, _ = _said(source, answer, body)
    return [_plain(ask) for ask in listings(said.asks)]


def asks_table(asks: Iterable[Ask]) -> pa.Table:
    """ASKS, each URL once, in the order in which they come."""
    rows = _Rows(ASKS)
    for url, ask in {ask.url: ask for ask in asks}.items():
        rows.add(_plain(ask) | {"url": url})
    return rows.table()


def completeness(heard_rows: pa.Table, found: pa.Table) -> list[str]:
    """Sentences: what the source claims to have beside what was found, where the two differ.

    heard_rows: HEARD. found: RECORDS. A claim of a listing is compared with the works that its answers told of, a claim
    of a style with the records that have it.
    """
    claims: dict[tuple[str, str | None], list[int]] = {}
    for row in heard_rows.filter(pc.is_valid(heard_rows["claim"])).to_pylist():
        known = claims.setdefault((row["claim"], row["style"]), [row["claimed"], 0])
        known[0] = max(known[0], row["claimed"])
        known[1] += row["works"]
    by_style = _counted_styles(found) if any(style for _, style in claims) else {}
    sentences = []
    for (name, style), (claimed, works) in sorted(claims.items(), key=lambda entry: (entry[0][0], entry[0][1] or "")):
        have = by_style.get(style, 0) if style else works
        if have != claimed:
            sentences.append(f"{name}: the source says {claimed}, found {have}")
    return sentences


def _counted_styles(found: pa.Table) -> dict[str, int]:
    """How many records have each style; one that names it twice has it once."""
    styles = found.filter(pc.is_null(found["reason"]))["styles"].combine_chunks()
    named = pa.table({"record": pc.list_parent_indices(styles), "style": pc.list_flatten(styles)})
    once = named.group_by(["record", "style"]).aggregate([])["style"]
    return {row["values"]: row["counts"] for row in pc.value_counts(once).to_pylist()}


def _said(
    source: AnySource, answer: Mapping[str, Any], body: Body
) -> tuple[Said, str | None, tuple[Reason, str] | None]:
    """What an answer says; what is wrong with a listing; why a work is lost."""
    if answer["reason"] is not None:
        lost = (Reason(answer["reason"]), answer["detail"] or "") if answer["key"] is not None else None
        return Said(), None, lost
    ask = Ask(answer["url"], answer["kind"], answer["key"], answer["expects"], answer["needs_secret"])
    try:
        said: Said = _module(source).read(source, ask, body(answer))
        _check_hosts(source, said.asks)
    except BadAnswer as problem:
        if answer["key"] is None:
            return Said(), str(problem).encode("utf-8", "replace").decode(), None  # what it quotes may be no UTF-8
        return Said(), None, (Reason.BAD_RECORD, str(problem))
    return said, None, None


def _check_hosts(source: AnySource, asks: Iterable[Ask]) -> None:
    """No listing leads to a host that is not the source's own."""
    allowed = set(_module(source).HOSTS)
    for ask in asks:
        try:
            host = urlsplit(ask.url).netloc
        except ValueError:  # such as "https://["
            host = ""
        if host not in allowed:
            raise BadAnswer(f"expected addresses at {sorted(allowed)}, got '{ask.url[:80]}'")


def _record(source: AnySource, row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of RECORDS; one whose image is no address is a drop, since there is no folder to look for it in."""
    found = records.record(source, row)
    if found["reason"] is None and not is_url(found["locator"]):
        key = found["record_id"].removeprefix(f"{source.name}:")  # as a record has it: trimmed, composed
        return records.dropped(
            source, key, Reason.BAD_RECORD, f"expected an image's address, got {quoted(found['locator'])}"
        )
    return found


def _module(source: AnySource) -> Any:
    return MODULES[source.source]


def _plain(ask: Ask) -> dict[str, Any]:
    return {
        "url": ask.url,
        "kind": ask.kind,
        "key": ask.key,
        "expects": ask.expects,
        "needs_secret": ask.needs_secret,
    }


class _Rows:
    """Rows that become Arrow in batches, so that a million of them never stand in memory as dictionaries."""

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


def as_json(rows: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """Records as JSON, a line each, without what is not known: for people to look at."""
    for row in rows:
        yield json.dumps({name: value for name, value in row.items() if value not in (None, [])}, ensure_ascii=False)
