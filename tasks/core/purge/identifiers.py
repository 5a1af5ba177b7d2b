"""By which texts a purged record can be recognized, and how they are found in raw answers."""

import html
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

import pyarrow as pa

from tasks.core.purge.rows import is_one_of, lone_texts

_ADDRESSES = ("source_url", "image_url", "locator")
_TOKEN = re.compile(rb"[0-9A-Za-z_]+")


class Identifiers(NamedTuple):
    """Texts by which records can be recognized."""

    addresses: frozenset[str]  # wherever they stand
    by_source: Mapping[str, frozenset[str]]  # keys, paths and titles: another source may mean something else by them

    def within(self, source: str) -> frozenset[str]:
        """Those that identify a record in an answer of that source."""
        return self.addresses | self.by_source.get(source, frozenset())

    def all(self) -> frozenset[str]:
        """Addresses, and the others of all sources."""
        return self.addresses.union(*self.by_source.values())


def identifiers_of(records: Sequence[pa.Table], record_ids: Collection[str]) -> Identifiers:
    """Addresses, source keys, and titles that no other record has.

    records: RECORDS of releases; a record in none of them has its source key alone, one may stand in several. A path
    below a source's folder is no address.
    """
    addresses, titles = set[str](), lone_texts(records, record_ids, "title") - {""}
    own: defaultdict[str, set[str]] = defaultdict(set)
    for record_id in record_ids:
        own[record_id.partition(":")[0]].add(record_id.partition(":")[2])
    for table in records:
        rows = table.filter(is_one_of(table["record_id"], record_ids))
        for row in rows.select(["record_id", "title", *_ADDRESSES]).to_pylist():
            texts = {row[column] for column in _ADDRESSES if row[column]}
            addresses |= {text for text in texts if "://" in text}
            own[row["record_id"].partition(":")[0]] |= texts | ({row["title"]} & titles)
    return Identifiers(frozenset(addresses), {source: frozenset(texts) for source, texts in own.items()})


def finder(texts: Collection[str]) -> Callable[[bytes], bool]:
    r"""A function that says whether bytes hold one of the texts whole, as text, JSON, HTML or an address may write it.

    >>> is_mentioned = finder({"42", "s/déjà vu"})
    >>> is_mentioned(b'{"id": 42}'), is_mentioned(b'{"id": 142}'), is_mentioned(rb'"s\/d\u00e9j\u00e0 vu"')
    (True, False, True)
    >>> is_mentioned(b"")
    False
    """
    forms = {form.encode() for text in texts for form in _forms(text)}
    frequency = Counter(token for form in forms for token in {*_TOKEN.findall(form)})
    by_token: defaultdict[bytes, list[bytes]] = defaultdict(list)  # by the form's rarest token
    for form in forms:
        rarest = min(_TOKEN.findall(form), key=lambda token: (frequency[token], -len(token)), default=b"")
        by_token[rarest].append(form)

    def is_mentioned(data: bytes) -> bool:
        tokens = {b"", *_TOKEN.findall(data)} & by_token.keys() if by_token else ()
        return any(_stands_whole(form, data) for token in tokens for form in by_token[token])

    return is_mentioned


def _stands_whole(form: bytes, data: bytes) -> bool:
    at = data.find(form)
    while at >= 0:
        if not _TOKEN.match(data[max(at - 1, 0) : at]) and not _TOKEN.match(data[at + len(form) : at + len(form) + 1]):
            return True
        at = data.find(form, at + 1)
    return False


def _forms(text: str) -> set[str]:
    escaped = json.dumps(text)[1:-1]
    plain = json.dumps(text, ensure_ascii=False)[1:-1]
    slashed = {form.replace("/", "\\/") for form in (escaped, plain)}
    in_html = {html.escape(text), html.escape(text, quote=False)}
    return {text, escaped, plain, *slashed, *in_html, quote(text), quote(text, safe="")}
