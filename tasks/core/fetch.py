"""Which images to retrieve, and the outcome of each record by the row of its retrieval."""

import re
from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from schemas.fetch import Fetch
from schemas.phrases import counted, listed, quoted
from schemas.reasons import Reason
from schemas.stand_ins import says_stand_in
from schemas.tables import FETCH, RETRIEVALS
from tasks.core import tables
from tasks.core.coco import source_file

Failure = tuple[str, Reason, str]
"""A locator, and the reason and the detail of its drop."""
_EXAMPLES = 3
REQUESTS = pa.schema([RETRIEVALS.field("locator"), RETRIEVALS.field("validator")])
_SIDES = ["width_px", "height_px"]
_KEPT_COLUMNS = ["sha256", "bytes", "retrieved_at", *_SIDES]
_MOST_BYTES = 2**63 - 1

URL = "(?i)^https?://"
"""A regular expression for the beginning of locators that are requested over HTTP."""
_WITHOUT_SCHEME = re.compile(r"//[^\s/?#@\\:]+\.[^\s/?#@\\:]+(:\d+)?/")
_BLANKS = " \t\r\n\f\v\xa0\ufeff\u200b"


def locator_of(image: str) -> str:
    """Where an image is asked for: a path as it is given, an address without blanks around it and with its scheme.

    `//` means the scheme of the page on which it stands; a table is no page, so https.

    >>> locator_of(" //museum.example/1.jpg"), locator_of("//images/1.jpg"), locator_of(" 1.jpg")
    ('https://museum.example/1.jpg', '//images/1.jpg', ' 1.jpg')
    """
    text = image.strip(_BLANKS)
    if _WITHOUT_SCHEME.match(text):
        return f"https:{text}"
    return text if is_url(text) else image


def is_url(locator: str) -> bool:
    """Whether a locator is requested over HTTP, and not read from a folder.

    >>> is_url("HTTPS://museum.example/1.jpg"), is_url("images/http.jpg")
    (True, False)
    """
    return re.match(URL, locator) is not None


def hosts(locators: pa.ChunkedArray) -> list[str]:
    """The hosts, with their ports, of those locators that are URLs; sorted.

    >>> hosts(pa.chunked_array([["https://b.example:8000/1.jpg", "images/1.jpg", "http://a.example/2.jpg"]]))
    ['a.example', 'b.example:8000']
    """
    return sorted(host for host in pc.unique(host_of(locators)).to_pylist() if host)


def host_of(locators: pa.ChunkedArray) -> pa.ChunkedArray:
    """(N,) the host of each URL, with its port; null for other locators."""
    return pc.struct_field(pc.extract_regex(locators, r"(?i)^https?://(?P<host>[^/?#]+)"), "host")


def requests_table(locators: pa.ChunkedArray, validators: Mapping[str, str]) -> pa.Table:
    """REQUESTS, sorted: each locator once, with its validator ("" where it has none)."""
    unique = sorted(set(locators.to_pylist()))
    return pa.table([unique, [validators.get(locator, "") for locator in unique]], schema=REQUESTS)


def outcome(records: pa.Table, answers: pa.Table, settings: Fetch) -> pa.Table:
    """FETCH outcome of records (record_id, locator) by the RETRIEVALS rows of their locators.

    Limits are checked again: a stricter recipe needs no new download. In a plan, what was not requested has nulls.
    """
    at = pc.index_in(records["locator"].cast(pa.string()), value_set=answers["locator"])
    if at.null_count:
        raise KeyError(f"expected an answer for '{records['locator'].filter(pc.is_null(at))[0]}', got none")
    given = answers.select(["reason", "detail", *_KEPT_COLUMNS]).take(at)
    pixels = pc.multiply(*(pc.fill_null(given[side].cast(pa.int64()), 0) for side in _SIDES))
    failures = pc.make_struct(
        pc.is_valid(given["reason"]),
        pc.greater(pixels, settings.max_pixels),
        pc.fill_null(pc.greater(given["bytes"], min(settings.max_bytes, _MOST_BYTES)), False),
    )
    sizes = pc.binary_join_element_wise(*(given[side].cast(pa.string()) for side in _SIDES), " x ")
    too_large = pc.binary_join_element_wise(sizes, f" px, at most {settings.max_pixels} px allowed", "")
    reason = pc.case_when(failures, given["reason"], str(Reason.TOO_MANY_PIXELS), str(Reason.TOO_MANY_BYTES))
    detail = pc.case_when(failures, given["detail"], too_large, f"more than {settings.max_bytes} bytes")
    is_kept = pc.is_null(reason)
    kept = {name: pc.if_else(is_kept, given[name], None) for name in _KEPT_COLUMNS}
    return tables.outcome(FETCH, records["record_id"], reason=reason, detail=detail, **kept)


def with_failures(answers: pa.Table, failures: Sequence[Failure]) -> pa.Table:
    """RETRIEVALS in which the rows of these locators failed. failures: locator, reason and detail of each."""
    names = pa.array([locator for locator, _, _ in failures], answers["locator"].type)
    at = pc.index_in(answers["locator"], value_set=names)
    given = {"reason": [str(row[1]) for row in failures], "detail": [row[2] for row in failures]}
    columns = {
        name: pc.coalesce(pa.array(values, answers[name].type).take(at), answers[name])
        for name, values in given.items()
    }
    return tables.with_columns(answers, columns)


def look_notes(label: str, failures: Sequence[Failure], files: int, most: int) -> list[str]:
    """What a plan says of local files: it has looked at `most` at most, of which a build would drop `failures`."""
    seen = f"{min(files, most):,} of {files:,} local files" if files > most else counted(files, "local file")
    notes = []
    if failures:
        by_reason = _locators_by((str(reason), locator) for locator, reason, _ in failures)
        reasons = "; ".join(
            f"{reason} ({len(names):,}: {listed(names, _EXAMPLES)})" for reason, names in by_reason.items()
        )
        notes.append(f"{label}: a build would drop {len(failures):,} of {seen}: {reasons}")
    if files > most:
        notes.append(f"{label}: a plan looks at {most:,} local files at most; of {files - most:,} nothing is known yet")
    return notes


def stand_in_notes(label: str, failures: Iterable[Failure]) -> list[str]:
    """A sentence for each kind of thing that lies in the place of local files, and what to do; none for other drops."""
    names = _locators_by((detail, locator) for locator, _, detail in failures if says_stand_in(detail))
    return [
        f"{label}: of {counted(len(of_kind), 'file')} ({listed(of_kind, _EXAMPLES)}) each is {words}"
        if len(of_kind) > 1
        else f"{label}: {of_kind[0]} is {words}"
        for words, of_kind in names.items()
    ]


def _locators_by(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Locators, quoted, by the first of each pair, which are sorted."""
    found: dict[str, list[str]] = {}
    for key, locator in pairs:
        found.setdefault(key, []).append(quoted(locator))
    return dict(sorted(found.items()))


def no_images(answers: pa.Table) -> list[Failure]:
    """The failures among RETRIEVALS of files that are no image, in their order."""
    failed = answers.filter(pc.equal(answers["reason"], str(Reason.NOT_AN_IMAGE)))
    rows = failed.select(["locator", "detail"]).to_pylist()
    return [(row["locator"], Reason.NOT_AN_IMAGE, row["detail"] or "") for row in rows]


def unfit_annotations(figures: pa.Table, outcome: pa.Table) -> pa.Table:
    """Records whose annotations are of an image of another size, so that their boxes would lie elsewhere in the one
    that came: record_id and detail, in the order of SOURCE_FIGURES. A side that annotations do not say may be any.

    >>> drawn = pa.table({"record_id": ["a", "b"], "width_px": [640, None], "height_px": [480, None]})
    >>> unfit_annotations(drawn, drawn.set_column(1, "width_px", pa.array([320, 8])))["detail"].to_pylist()
    ['annotations left out: they are of an image of 640 x 480 px, this one has 320 x 480 px']
    """
    got = tables.lookup(outcome.select(["record_id", *_SIDES]), "record_id", figures["record_id"])
    is_unfit = pc.or_(*(pc.fill_null(pc.not_equal(figures[side], got[side]), False) for side in _SIDES))
    said, came = (
        pc.binary_join_element_wise(
            *(pc.fill_null(table[side].filter(is_unfit).cast(pa.string()), "?") for side in _SIDES), " x "
        )
        for table in (figures, got)
    )
    detail = pc.binary_join_element_wise(
        "annotations left out: they are of an image of ", said, " px, this one has ", came, " px", ""
    )
    return pa.table({"record_id": figures["record_id"].filter(is_unfit), "detail": detail})


def without_figures(figures: pa.Table, unfit: pa.Table) -> pa.Table:
    """SOURCE_FIGURES in which nobody has drawn anything in images of `unfit`; what a COCO file says of them is kept."""
    is_unfit = pc.is_in(figures["record_id"], value_set=unfit["record_id"])
    rows = figures.filter(is_unfit).to_pylist()
    for row in rows:
        row["source_coco"] = row["source_coco"] and source_file.with_figures(row["source_coco"], row["figures"])
        row["figures"] = None
    left = pa.Table.from_pylist(rows, schema=figures.schema)
    return pa.concat_tables([figures.filter(pc.invert(is_unfit)), left]).sort_by("record_id")


def without_annotations(records: pa.Table, unfit: pa.Table) -> pa.Table:
    """RECORDS in which those of `unfit` (record_id, detail) count as not annotated, with the detail."""
    at = pc.index_in(records["record_id"], value_set=unfit["record_id"])
    is_unfit = pc.is_valid(at)
    is_annotated = pc.if_else(is_unfit, False, records["is_annotated"])
    detail = pc.coalesce(unfit["detail"].take(at), records["detail"])
    return tables.with_columns(records, {"is_annotated": is_annotated, "detail": detail})
