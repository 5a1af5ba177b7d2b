"""The Metropolitan Museum of Art: a CSV or a list of ids, then one request for each object."""

import codecs
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from schemas.sources.met import MetSource
from schemas.stand_ins import stand_in
from tasks.core.passed_over import Tally
from tasks.core.scrape.web_source import (
    QUALIFIER,
    BadAnswer,
    ClaimedCount,
    Offer,
    OfferedValues,
    ParsedAnswer,
    SourceRequest,
    WebMuseum,
    field_of_items,
    object_of_json,
    quoted,
    text_without_tags,
)

HOSTS = ("collectionapi.metmuseum.org", "media.githubusercontent.com")

_TABLE = "https://media.githubusercontent.com/media/metmuseum/openaccess/master/MetObjects.csv"
_OBJECTS = "https://collectionapi.metmuseum.org/public/collection/v1/objects"
_PAGE = "https://www.metmuseum.org/art/collection/search"
_CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
_ID, _IS_OPEN = "Object ID", "Is Public Domain"
_ID_TEXT = "^0*[1-9][0-9]{0,8}$"
_ADDRESS = re.compile(r"https?://[^/\s]+/[^\x00-\x1f\x7f]*")
_BLOCK_BYTES = 4 << 20
_MOST_BROKEN_ROWS = 100
_trimmed = pc.utf8_trim_whitespace

_OFFERS = {
    "object_id": Offer("objectID", "integer", "the museum's number of the object"),
    "accession_number": Offer("accessionNumber", "string", "the object's inventory number"),
    "accession_year": Offer("accessionYear", "integer", "the year in which the museum acquired the object"),
    "department": Offer("department", "string", "the museum's department that has the object"),
    "object_name": Offer("objectName", "string", "what kind of object it is, e.g. Hanging scroll"),
    "classification": Offer("classification", "string", "the museum's class of the object, e.g. Paintings"),
    "culture": Offer("culture", "string", "the culture, people or place that the object comes from"),
    "period": Offer("period", "string", "the period of that culture"),
    "dynasty": Offer("dynasty", "string", "the dynasty under which the object was made"),
    "reign": Offer("reign", "string", "the reign under which the object was made"),
    "portfolio": Offer("portfolio", "string", "the portfolio or set that the object belongs to"),
    "medium": Offer("medium", "string", "materials and technique in words"),
    "dimensions": Offer("dimensions", "string", "the object's size in words"),
    "credit_line": Offer("creditLine", "string", "how the object came to the museum, in words"),
    "artist_role": Offer("artistRole", "string", "the first artist's role, e.g. Artist or Publisher"),
    "artist_prefix": Offer("artistPrefix", "string", "words before the first artist's name, e.g. Attributed to"),
    "artist_suffix": Offer("artistSuffix", "string", "words after the first artist's name"),
    "artist_display_bio": Offer("artistDisplayBio", "string", "the first artist's nationality and years in words"),
    "artist_nationality": Offer("artistNationality", "string", "the first artist's nationality"),
    "artist_gender": Offer("artistGender", "string", "Female, where the museum says so of the first artist"),
    "artist_begin_year": Offer("artistBeginDate", "integer", "the first artist's year of birth or first work"),
    "artist_end_year": Offer("artistEndDate", "integer", "the first artist's year of death or last work"),
    "artist_ulan_url": Offer("artistULAN_URL", "string", "the first artist's address in the Getty's list of names"),
    "artist_wikidata_url": Offer("artistWikidata_URL", "string", "the first artist's address in Wikidata"),
    "constituents": Offer("constituents", "strings", "names of all who had a part in the object, in any role"),
    "object_begin_year": Offer(
        "objectBeginDate", "integer", "the first year in which it may be made, negative before Christ"
    ),
    "object_end_year": Offer(
        "objectEndDate", "integer", "the last year in which it may be made, negative before Christ"
    ),
    "geography_type": Offer("geographyType", "string", "what the places say, e.g. Made in or From"),
    "city": Offer("city", "string", "the city where it was made or comes from"),
    "state": Offer("state", "string", "the state where it was made or comes from"),
    "county": Offer("county", "string", "the county where it was made or comes from"),
    "country": Offer("country", "string", "the country where it was made or comes from"),
    "region": Offer("region", "string", "the region where it was made or comes from"),
    "subregion": Offer("subregion", "string", "the part of that region"),
    "locale": Offer("locale", "string", "where in the place it was found"),
    "locus": Offer("locus", "string", "the exact spot where it was found"),
    "excavation": Offer("excavation", "string", "the excavation that found it"),
    "river": Offer("river", "string", "the river that it comes from"),
    "tags": Offer("tags", "strings", "words for what it shows, e.g. Birds"),
    "object_wikidata_url": Offer("objectWikidata_URL", "string", "the object's address in Wikidata"),
    "is_public_domain": Offer("isPublicDomain", "boolean", "whether the museum counts it as in the public domain"),
    "is_highlight": Offer("isHighlight", "boolean", "whether it is one of the museum's best-known works"),
    "is_timeline_work": Offer("isTimelineWork", "boolean", "whether it is in the museum's Timeline of Art History"),
    "image_position": Offer("image_position", "integer", "place of this image among the object's; 0 is the main one"),
    "image_count": Offer("image_count", "integer", "how many images of the object the museum has on the web"),
}


def start_requests(source: MetSource) -> list[SourceRequest]:
    """The request for the whole table, or for the list of ids, which may be limited to departments."""
    if source.listing == "csv":
        return [SourceRequest(_TABLE, "table", expects="csv")]
    departments = quote("|".join(str(number) for number in source.department_ids))
    return [SourceRequest(f"{_OBJECTS}?departmentIds={departments}" if departments else _OBJECTS, "list")]


def parse(source: MetSource, request: SourceRequest, data: bytes) -> ParsedAnswer:
    """Of a listing, requests for wanted objects, by ascending id; of an object, its images. Raises BadAnswer."""
    parsers = {"table": _parse_table, "list": _parse_list}
    return parsers.get(request.kind, _parse_object)(source, request, data)


def _parse_table(source: MetSource, request: SourceRequest, data: bytes) -> ParsedAnswer:
    broken, left_out = list[str](), Tally()
    ids: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    filters = _filters(source)
    try:
        for batch in _batches(data, [_ID, *filters], broken):
            is_wanted = pa.array(np.ones(len(batch), bool))
            for name, wanted in filters.items():
                values = pa.array([value.strip().casefold() for value in wanted], pa.string())
                is_wanted = pc.and_(is_wanted, pc.is_in(pc.utf8_lower(_trimmed(batch[name])), value_set=values))
            listed = batch[_ID].filter(is_wanted)
            left_out.add("objects that the recipe does not want", count=len(batch) - len(listed))
            is_id = pc.match_substring_regex(_trimmed(listed), _ID_TEXT)
            broken += listed.filter(pc.invert(is_id)).to_pylist()
            ids.append(np.asarray(pc.cast(_trimmed(listed.filter(is_id)), pa.int64())))
    except (pa.ArrowException, ValueError, KeyError) as error:
        got = f"got {quoted(data[:80])}: {stand_in(data) or quoted(str(error), 200)}"
        raise BadAnswer(f"{request.url}: expected a CSV with columns {[_ID, *filters]}, {got}") from error
    return _object_requests(source, np.concatenate(ids), [text[:200] for text in broken], left_out)


def _filters(source: MetSource) -> dict[str, tuple[str, ...]]:
    """The values that are wanted of each column by which the recipe chooses, in any case."""
    is_open = ("true",) if source.open_access_only else ()
    by_column = {_IS_OPEN: is_open, "Department": source.departments, "Classification": source.classifications}
    return {name: wanted for name, wanted in by_column.items() if wanted}


def _batches(data: bytes, columns: list[str], broken: list[str]) -> Iterator[pa.RecordBatch]:
    """These columns, block by block; rows with another number of cells than the header go to `broken`."""

    def skip_row(row: csv.InvalidRow) -> str:
        broken.append(row.text)
        return "skip" if len(broken) <= _MOST_BROKEN_ROWS else "error"

    yield from csv.open_csv(
        pa.BufferReader(_utf8(data)),
        csv.ReadOptions(use_threads=False, block_size=_BLOCK_BYTES),
        csv.ParseOptions(newlines_in_values=True, invalid_row_handler=skip_row),
        csv.ConvertOptions(include_columns=columns, column_types=dict.fromkeys(columns, pa.string())),
    )


def _utf8(data: bytes) -> bytes:
    """The bytes, with a replacement character for each that is no UTF-8; checked in blocks: a text takes 1 GB."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for begin in range(0, len(data), _BLOCK_BYTES):
            decoder.decode(data[begin : begin + _BLOCK_BYTES])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return data.decode(errors="replace").encode()
    return data


def _parse_list(source: MetSource, request: SourceRequest, data: bytes) -> ParsedAnswer:
    answer = object_of_json(request, data)
    total = answer.get("total")
    if type(total) is not int or total < 0:
        raise request.bad_answer("total to be a number from 0 on", total)
    # null where nothing is found
    listed = request.checked(answer.get("objectIDs") or [], list, "objectIDs to be a list")
    is_id = [type(number) is int and 0 < number < 10**9 for number in listed]
    ids = np.array(list(itertools.compress(listed, is_id)), np.int64)
    broken = [quoted(number) for number, is_good in zip(listed, is_id, strict=True) if not is_good]
    parsed = _object_requests(source, ids, broken, Tally())
    left_out = len(listed) - len(parsed.requests) - len(parsed.rows)
    return replace(parsed, claims=(ClaimedCount("objects", max(total - left_out, 0)),))


def _object_requests(source: MetSource, ids: NDArray[np.int64], broken: list[str], left_out: Tally) -> ParsedAnswer:
    """Requests for these objects in the recipe's ranges, each once. broken: items without an id, rows without a key."""
    listed, ids, ranges = len(ids), np.unique(ids), source.id_ranges()
    left_out.add("objects that are listed twice", count=listed - len(ids))
    if ranges:
        is_within = np.any([(ids >= low) & (ids <= high) for low, high in ranges], axis=0)
        outside = ids[~is_within]
        left_out.add("objects outside the recipe's ranges of ids", *map(str, outside[:3]), count=len(outside))
        ids = ids[is_within]
    rows = tuple({"title": text} for text in broken)
    requests = tuple(SourceRequest(f"{_OBJECTS}/{number}", "object", str(number)) for number in ids.tolist())
    return ParsedAnswer(rows, requests, (ClaimedCount("objects", len(requests) + len(rows)),), left_out.kinds())


def _parse_object(source: MetSource, request: SourceRequest, data: bytes) -> ParsedAnswer:
    answer = object_of_json(request, data)
    number = answer.get("objectID")
    if type(number) is not int or str(number) != request.source_key:
        raise request.bad_answer(f"objectID {request.source_key}", number)
    is_open = request.checked(answer.get("isPublicDomain"), bool, "isPublicDomain to be true or false")
    images = _images(request, answer) if is_open or not source.open_access_only else []
    name, prefix = text_without_tags(answer.get("artistDisplayName")), text_without_tags(answer.get("artistPrefix"))
    is_qualified = name and prefix and QUALIFIER.search(prefix)
    # as the museum gives them, wider than the text for "ca."
    years = {"year_first": "objectBeginDate", "year_last": "objectEndDate"} if _has_years(answer) else {}
    work = {
        "source_url": f"{_PAGE}/{number}",  # objectURL names a staging host in some answers
        "title": text_without_tags(answer.get("title")),
        "artist": f"{prefix} {name}" if is_qualified else name,
        "date_text": text_without_tags(answer.get("objectDate")),
        **{year: answer.get(field) for year, field in years.items()},
        "rights_uri": _CC0 if is_open else None,
        "rights_text": text_without_tags(answer.get("rightsAndReproduction")),
        "group": request.source_key,
    }
    rows = [
        {
            "key": f"{request.source_key}-{place + 1}" if place else request.source_key,
            "image": image,
            **work,
            "offers": OfferedValues(_OFFERS, _offered_fields, answer, place if images else None, len(images)),
        }
        for place, image in enumerate(images[: source.images_per_object] or [None])
    ]
    return ParsedAnswer(tuple(rows))


def _images(request: SourceRequest, answer: dict[str, Any]) -> list[str | None]:
    """Addresses of the images, in the museum's order, each once; None for an invalid one."""
    main = request.checked(answer.get("primaryImage"), str | None, "primaryImage to be text")
    further = request.checked(answer.get("additionalImages"), list | None, "additionalImages to be a list")
    given = [value for value in [main, *(further or [])] if value is not None and value != ""]
    texts = [value.strip() if isinstance(value, str) else "" for value in given]
    # names of the museum's files have blanks
    return list(dict.fromkeys(text.replace(" ", "%20") if _ADDRESS.fullmatch(text) else None for text in texts))


def _offered_fields(answer: dict[str, Any], image_position: int | None, image_count: int) -> dict[str, Any]:
    return {
        **answer,
        "tags": field_of_items(answer.get("tags"), "term"),
        "constituents": field_of_items(answer.get("constituents"), "name"),
        **({} if _has_years(answer) else {"objectBeginDate": None, "objectEndDate": None}),
        "image_position": image_position,
        "image_count": image_count,
    }


def _has_years(answer: dict[str, Any]) -> bool:
    """Whether an object has years: 0 and 0 stand where they are unknown."""
    return not answer.get("objectBeginDate") == answer.get("objectEndDate") == 0


MUSEUM = WebMuseum(HOSTS, start_requests, parse, _OFFERS)
