"""The museum as the Met would publish it: a CSV of objects, a list of ids, and an answer for each object with all its
images.
"""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from examples.museum.serve.facts import facts_of, with_odd_values
from examples.museum.serve.hall import NOT_FOUND, Answer, Entry, Hall, Request

HOSTS = ("collectionapi.metmuseum.org", "media.githubusercontent.com", "images.metmuseum.org")

# how many images the objects have in turn: six in twelve have one, two have more than the ten that The Met dataset
# takes
_IMAGES = (1, 1, 2, 1, 3, 1, 1, 5, 1, 2, 12, 11)
_STARTS = (0, *accumulate(_IMAGES))
_DEPARTMENTS = {6: "Asian Art", 9: "Drawings and Prints", 11: "European Paintings", 21: "Modern and Contemporary Art"}
_CODES = {6: "as", 9: "dp", 11: "ep", 21: "ma"}
_KINDS = {6: "Paintings", 9: "Prints", 11: "Paintings", 21: "Paintings"}
_MAY_BE_ODD = frozenset(
    {"accessionYear", "artistNationality", "city", "country", "creditLine", "culture", "dimensions", "isHighlight"}
    | {"medium", "period", "tags"}
)
_API = "/public/collection/v1"
_TABLE = "/media/metmuseum/openaccess/master/MetObjects.csv"
_IMAGE = "/CRDImages/"
_HEAD = (
    "\ufeffObject Number,Is Highlight,Is Timeline Work,Is Public Domain,Object ID,Gallery "
    "Number,Department,AccessionYear,Object Name,"
    "Title,Culture,Period,Dynasty,Reign,Portfolio,Constituent ID,Artist Role,Artist Prefix,Artist Display Name,Artist "
    "Display Bio,"
    "Artist Suffix,Artist Alpha Sort,Artist Nationality,Artist Begin Date,Artist End Date,Artist "
    "Gender,Artist ULAN URL,"
    "Artist Wikidata URL,Object Date,Object Begin Date,Object End Date,Medium,Dimensions,Credit Line,Geography "
    "Type,City,State,"
    "County,Country,Region,Subregion,Locale,Locus,Excavation,River,Classification,Rights and "
    "Reproduction,Link Resource,"
    "Object Wikidata URL,Metadata Date,Repository,Tags,Tags AAT URL,Tags Wikidata URL"
)


def answer(hall: Hall, request: Request) -> Answer | None:
    """The Met's answer, or None where the request is for somebody else's host."""
    if request.host == "media.githubusercontent.com" and request.path == _TABLE:
        return _table(hall, request)
    if request.host == "images.metmuseum.org":
        return _image(hall, request.path)
    if request.host == "collectionapi.metmuseum.org":
        return _api(hall, request)
    return NOT_FOUND if request.host in HOSTS else None


def objects(hall: Hall) -> int:
    """How many objects there are: each owns the next rows, from 1 to 12 of them."""
    whole, rest = divmod(hall.size, _STARTS[-1])
    return whole * len(_IMAGES) + sum(start < rest for start in _STARTS[:-1])


def rows_of_object(hall: Hall, place: int) -> range:
    """The rows that are the images of the object in this place, 0 to objects - 1. The last object may lack some."""
    whole, number = divmod(place, len(_IMAGES))
    begin = whole * _STARTS[-1] + _STARTS[number]
    return range(begin, min(begin + _IMAGES[number], hall.size))


def id_of_object(place: int) -> int:
    """The Object ID, which leaves gaps as the Met's do."""
    return 3 * place + 1


def is_open(place: int) -> bool:
    """Whether the object is in the public domain; the Met gives no images of those that are not."""
    return place % 9 != 4


def has_image(place: int) -> bool:
    """Whether the object has been photographed; without that it has no image, in the public domain or not."""
    return place % 17 != 9


def _api(hall: Hall, request: Request) -> Answer:
    if request.path == f"{_API}/departments":
        listed = [{"departmentId": number, "displayName": name} for number, name in _DEPARTMENTS.items()]
        return _json({"departments": listed})
    if request.path == f"{_API}/objects":
        asked = request.query.get("departmentIds", "")
        departments = {int(part) for part in asked.split("|") if part.isdecimal()} or set(_DEPARTMENTS)
        ids = [id_of_object(place) for place in range(objects(hall)) if _department(place) in departments]
        return _json({"total": len(ids), "objectIDs": ids})
    return _object(hall, request.path.removeprefix(f"{_API}/objects/"))


def _object(hall: Hall, text: str) -> Answer:
    if not text.isdecimal() or len(text) > 9:
        return _json({"message": "could not parse objectID"}, 400)
    place, rest = divmod(int(text) - 1, 3)
    if rest or not 0 <= place < objects(hall):
        return _json({"message": "ObjectID not found"}, 404)
    rows = rows_of_object(hall, place)
    addresses = [_address(place, row) for row in rows] if is_open(place) and has_image(place) else []
    images = {"primaryImage": "", "primaryImageSmall": "", "additionalImages": addresses[1:]}
    if addresses:
        small = addresses[0].replace("/original/", "/web-large/")
        images |= {"primaryImage": addresses[0], "primaryImageSmall": small}
    labelled = with_odd_values(_labelled(place, hall.entry(rows[0])), place, _MAY_BE_ODD)
    return _json(labelled | images)


def _labelled(place: int, entry: Entry) -> dict[str, object]:
    """What the API says of an object, all fields in the order of a real answer, but for the images."""
    number, department = id_of_object(place), _department(place)
    name = "" if entry.artist == "Unknown" else entry.artist
    begin, end = _years(entry)
    facts = facts_of(entry)
    maker = {"constituentULAN_URL": "", "constituentWikidata_URL": "", "gender": "", "name": name, "role": "Artist"}
    tags = [{"AAT_URL": "", "Wikidata_URL": "", "term": word} for word in facts.tags]
    return {
        "objectID": number,
        "isHighlight": place % 50 == 7,
        "accessionNumber": entry.key,
        "accessionYear": str(facts.accession_year),
        "isPublicDomain": is_open(place),
        "primaryImage": "",
        "primaryImageSmall": "",
        "additionalImages": [],
        "constituents": [maker] if name else None,
        "department": _DEPARTMENTS[department],
        "objectName": "Painting",
        "title": entry.title,
        "culture": facts.nationality,
        "period": facts.period,
        "dynasty": "",
        "reign": "",
        "portfolio": "",
        "artistRole": "Artist" if name else "",
        "artistPrefix": "",
        "artistDisplayName": name,
        "artistDisplayBio": "",
        "artistSuffix": "",
        "artistAlphaSort": ", ".join(reversed(name.rsplit(" ", 1))),
        "artistNationality": facts.nationality if name else "",
        "artistBeginDate": "",
        "artistEndDate": "",
        "artistGender": "",
        "artistWikidata_URL": "",
        "artistULAN_URL": "",
        "objectDate": entry.date_text,
        "objectBeginDate": begin,
        "objectEndDate": end,
        "medium": facts.medium,
        "dimensions": f"{facts.height_cm:g} x {facts.width_cm:g} cm",
        "measurements": None,
        "creditLine": facts.credit_line,
        "geographyType": "Made in",
        "city": facts.city,
        "state": "",
        "county": "",
        "country": facts.country,
        "region": "",
        "subregion": "",
        "locale": "",
        "locus": "",
        "excavation": "",
        "river": "",
        "classification": _KINDS[department],
        "rightsAndReproduction": "" if is_open(place) else f"© {name or 'the maker'}",
        "linkResource": "",
        "metadataDate": "2020-02-07T15:50:59.677Z",
        "repository": "Metropolitan Museum of Art, New York, NY",
        "objectURL": f"https://www.metmuseum.org/art/collection/search/{number}",
        "tags": tags or None,
        "objectWikidata_URL": "",
        "isTimelineWork": False,
        "GalleryNumber": "",
    }


def _years(entry: Entry) -> tuple[int, int]:
    """First and last year. "c. 1890" becomes ten years, as the Met widens it; without a year, 0 and 0."""
    if entry.year is None:
        return 0, 0
    return (entry.year, entry.year) if entry.date_text == str(entry.year) else (entry.year - 5, entry.year + 5)


def _department(place: int) -> int:
    return tuple(_DEPARTMENTS)[place % len(_DEPARTMENTS)]


def _address(place: int, row: int) -> str:
    blank = " " if row % 29 == 7 else "-"  # some of the Met's file names have blanks
    return f"https://images.metmuseum.org{_IMAGE}{_CODES[_department(place)]}/original/DP{blank}{row:07d}.jpg"


def _image(hall: Hall, path: str) -> Answer:
    """The image of that address, large or small; an object without images keeps them to itself."""
    text = path[-len("0000000.jpg") : -len(".jpg")]
    row = int(text) if text.isdecimal() else hall.size
    if row >= hall.size:
        return NOT_FOUND
    whole, rest = divmod(row, _STARTS[-1])
    place = whole * len(_IMAGES) + bisect_right(_STARTS, rest) - 1
    is_right = f"https://images.metmuseum.org{path.replace('/web-large/', '/original/')}" == _address(place, row)
    return Answer(image=row) if is_right and is_open(place) and has_image(place) else NOT_FOUND


def _table(hall: Hall, request: Request) -> Answer:
    """The CSV, which takes a second for a million rows; whoever has it is told so by its ETag, and nothing is made."""
    seen = f"{hall.size} {hall.entry(0).key if hall.size else ''} {_IMAGES}"
    tag = f'"{hashlib.sha256(seen.encode()).hexdigest()}"'
    if tag in request.headers.get("if-none-match", ""):
        return Answer(304, headers={"ETag": tag})
    body = "\n".join([_HEAD, *_lines(hall), ""]).encode()
    return Answer(200, body, "text/plain; charset=utf-8", {"ETag": tag})


def _lines(hall: Hall) -> Iterator[str]:
    """One line for each object.

    Titles and artists stand in the object's own answer: labels take too long for a million.
    """
    repository = '"Metropolitan Museum of Art, New York, NY"'
    for place in range(objects(hall)):
        number, department = id_of_object(place), _department(place)
        makers = (
            'Artist|Publisher, |Published by,A. Brush|B. Press,"French|Dutch, 1780-1860", | ,"Brush, A.|Press, '
            'B.",French|Dutch'
        )
        dates = "1780      |          ,1860      |          "
        artist = f"100|101,{makers},{dates},|,|,|" if place % 5 == 3 else "," * 12
        size = '"Sheet: 10 x 12 in.\r\nImage: 8 x 9 in. (""sight"")"' if place % 4 == 1 else "10 x 12 in."
        yield (
            f"{number}.1,False,False,{is_open(place)},{number},,{_DEPARTMENTS[department]},1901,Painting,Painting,,,,,,{artist},,0,0,"
            f'Oil on canvas,{size},"Gift of the Brush, 1901",,,,,,,,,,,,{_KINDS[department]},,'
            f"http://www.metmuseum.org/art/collection/search/{number},,,{repository},,,"
        )


def _json(value: object, status: int = 200) -> Answer:
    return Answer(status, json.dumps(value, ensure_ascii=False).encode())
