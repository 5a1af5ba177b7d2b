"""What must hold in the rows of the images table of any release."""

import re
from collections.abc import Callable, Mapping

from schemas.attributes import Typed
from schemas.phrases import quoted
from tasks.core.coco.document import media_path
from tasks.core.coco.source_file import read_image
from tasks.core.verify_rows import SHA256, ReleaseFacts, Row, Rule, identity_rules, ledger_entry

_RIGHTS = re.compile(r"NOASSERTION|https?://(creativecommons\.org|rightsstatements\.org)/\S+")
_BASIS = re.compile(r"source|none|recipe: .+: .+", re.DOTALL)
_YEARS_BEFORE_RANGES = range(1000, 2100)
"""Of `year` in releases without first and last years; of others the contract says what it may be."""
_FIRST_YEAR_OF_CLOCKS = 1970


def image_rules(facts: ReleaseFacts) -> list[Rule]:
    """Rules of the images table, with a row's `split_of_file`: the split that the name of its file says."""
    return [
        *identity_rules(),
        Rule("image_id", lambda row: ledger_entry(facts, row).image_id == row["image_id"], "the ledger's image_id"),
        Rule("source_urls", _are_urls_of, "each page once, the image's own first"),
        Rule("year", _is_year, "a year from 1000 to 2099, or null"),
        Rule("year_first", _is_in_order, "a year that is not 0 and not after year_last, or null"),
        *_artist_rules(),
        *_text_rules(),
        *_rights_rules(),
        Rule("sha256", lambda row: bool(SHA256.fullmatch(row["sha256"])), "64 hex digits"),
        Rule("sha256", lambda row: ledger_entry(facts, row).sha256 == row["sha256"], "the ledger's sha256"),
        Rule("phash_recipe", lambda row: bool(row["phash_recipe"]), "the name of a recipe"),
        Rule(
            "phash_recipe",
            lambda row: facts.phash_recipe in {None, row["phash_recipe"]},
            f"{quoted(facts.phash_recipe)}, as in manifest.json",
        ),
        Rule("width_px", lambda row: row["width_px"] > 0, "at least 1 px"),
        Rule("height_px", lambda row: row["height_px"] > 0, "at least 1 px"),
        Rule("format", lambda row: bool(row["format"]), "the name of a format"),
        Rule("group_id", lambda row: row["group_id"] in facts.ledger, "a record_id of the ledger"),
        Rule("split", lambda row: row["split"] in facts.splits, f"one of {', '.join(facts.splits)}"),
        Rule("split", lambda row: row["split_of_file"] in {None, row["split"]}, "the split in the file's name"),
        Rule("split", lambda row: ledger_entry(facts, row).last_split == row["split"], "the ledger's last_split"),
        Rule("source_coco", _is_source_image, "null, or a JSON object with the `image` of a COCO file"),
        Rule(
            "path",
            lambda row: _is_media(row, facts.sha256_by_path),
            "a file of the release with the image's bytes, named by their sha256, or null",
        ),
        Rule(
            "retrieved_at",
            lambda row: ledger_entry(facts, row).retrieved_at == row["retrieved_at"],
            "the ledger's retrieved_at",
        ),
        Rule(
            "retrieved_at",
            lambda row: row["retrieved_at"].year >= _FIRST_YEAR_OF_CLOCKS,
            f"a time since {_FIRST_YEAR_OF_CLOCKS}",
        ),
    ]


def attribute_rules(attributes: Mapping[str, Typed]) -> list[Rule]:
    """Rules of the recipe's attributes, as scrape writes them: nothing is said by null, never by an empty value."""
    texts = [name for name, of in attributes.items() if of.type == "string"]
    lists = [name for name, of in attributes.items() if of.type == "strings"]
    return [
        *(Rule(name, _is_text(name), "null, or a text without NUL") for name in texts),
        *(Rule(name, _are_texts(name), "null, or a list of texts without NUL") for name in lists),
    ]


def _text_rules() -> list[Rule]:
    """Texts, as `records.record` writes them.

    Names of artists and styles, and addresses of pages, may be a recipe's own, which may hold a NUL. A style need not
    be among `styles`: it is one name across sources, and they are the source's words.
    """
    return [
        *(
            Rule(name, _is_text(name), "null, or a text without NUL")
            for name in ("title", "artist_text", "date_text", "image_url")
        ),
        *(
            Rule(name, _is_not_empty(name), "null, or a text")
            for name in ("source_url", "artist", "artist_qualifier", "style")
        ),
        Rule(
            "artist_qualifier",
            lambda row: row["artist_qualifier"] is None or row["artist"] is not None,
            "null where there is no artist",
        ),
        Rule("styles", lambda row: all(text and "\0" not in text for text in row["styles"]), "styles that have a name"),
        Rule("styles", lambda row: row["style"] is None or len(row["styles"]) > 0, "the source's words for its style"),
    ]


def _artist_rules() -> list[Rule]:
    return [
        Rule("artists", lambda row: all(row["artists"]), "artists that have a name"),
        Rule(
            "artist_roles",
            lambda row: len(row["artist_roles"]) == len(row["artists"]) and None not in row["artist_roles"],
            "one for each of the artists, empty text where nothing is said",
        ),
    ]


def _rights_rules() -> list[Rule]:
    return [
        Rule(
            "rights_uri",
            lambda row: bool(_RIGHTS.fullmatch(row["rights_uri"])),
            "a Creative Commons or rightsstatements.org URI, or NOASSERTION",
        ),
        Rule(
            "rights_basis",
            lambda row: bool(_BASIS.fullmatch(row["rights_basis"])),
            "source, `recipe: who: why`, or none",
        ),
        Rule(
            "rights_basis",
            lambda row: row["rights_basis"] != "none" or row["rights_uri"] == "NOASSERTION",
            "somebody who asserts the rights",
        ),
        Rule(
            "rights_basis",
            lambda row: not row["rights_basis"].startswith("recipe") or row["rights_uri"] != "NOASSERTION",
            "source or none where nobody asserts rights",
        ),
        Rule(
            "rights_text",
            lambda row: (
                (row["rights_basis"], row["rights_uri"]) != ("source", "NOASSERTION") or bool(row["rights_text"])
            ),
            "the words of a source that has no open URI",
        ),
    ]


def _is_year(row: Row) -> bool:
    return "year_first" in row or row["year"] is None or row["year"] in _YEARS_BEFORE_RANGES


def _is_in_order(row: Row) -> bool:
    first, last = row["year_first"], row["year_last"]
    return 0 not in {first, last} and (first is None or last is None or first <= last)


def _are_urls_of(row: Row) -> bool:
    urls = row["source_urls"]
    own = row["source_url"]
    return all(urls) and len({*urls}) == len(urls) and (own is None or urls[:1] == [own])


def _is_source_image(row: Row) -> bool:
    try:
        return row["source_coco"] is None or bool(read_image(row["source_coco"]).entry)
    except ValueError:
        return False


def _is_media(row: Row, files: Mapping[str, str]) -> bool:
    path = row["path"]
    return path is None or (files.get(path) == row["sha256"] and path == media_path(row["sha256"], row["format"]))


def _is_not_empty(name: str) -> Callable[[Row], bool]:
    return lambda row: row[name] != ""


def _are_texts(name: str) -> Callable[[Row], bool]:
    return lambda row: row[name] is None or (row[name] != [] and all(text and "\0" not in text for text in row[name]))


def _is_text(name: str) -> Callable[[Row], bool]:
    return lambda row: row[name] is None or (row[name] != "" and "\0" not in row[name])
