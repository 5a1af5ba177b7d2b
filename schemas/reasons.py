"""Every reason for which a stage may drop a record. The ledger, the terminal's table and the report use these words."""

from enum import StrEnum

import pyarrow as pa


class Reason(StrEnum):
    """Why a record was dropped; the value is what stands in the ledger."""

    # by hand, at any stage
    EXCLUDED = "excluded"
    TAKEN_DOWN = "taken_down"
    REPLACED = "replaced"
    # scrape
    OVER_LIMIT = "over_limit"
    GONE = "gone"
    BAD_RECORD = "bad_record"
    BAD_ATTRIBUTE = "bad_attribute"
    SAME_KEY = "same_key"
    # fetch
    NOT_FOUND = "not_found"
    NOT_ALLOWED = "not_allowed"
    UNREACHABLE = "unreachable"
    SERVER_ERROR = "server_error"
    THROTTLED = "throttled"
    CUT_SHORT = "cut_short"
    OVER_BUDGET = "over_budget"
    HTTP_ERROR = "http_error"
    REDIRECT_LOOP = "redirect_loop"
    ROBOTS_DISALLOW = "robots_disallow"
    OPTED_OUT = "opted_out"
    EMPTY_FILE = "empty_file"
    TOO_MANY_BYTES = "too_many_bytes"
    NOT_AN_IMAGE = "not_an_image"
    UNSUPPORTED_FORMAT = "unsupported_format"
    BROKEN_IMAGE = "broken_image"
    TOO_MANY_PIXELS = "too_many_pixels"
    UNSUPPORTED_PIXELS = "unsupported_pixels"
    # screen
    TOO_SMALL = "too_small"
    TOO_ELONGATED = "too_elongated"
    TOO_FEW_FIGURES = "too_few_figures"
    TOO_MANY_FIGURES = "too_many_figures"
    RIGHTS_NOT_OPEN = "rights_not_open"
    STYLE_NOT_WANTED = "style_not_wanted"
    WHERE_NOT_MET = "where_not_met"
    OUTSIDE_PIXELS = "outside_pixels"
    OUTSIDE_BYTES = "outside_bytes"
    NOT_IN_COLOUR = "not_in_colour"
    IN_COLOUR = "in_colour"
    BLANK = "blank"
    BLURRED = "blurred"
    FRAMED = "framed"
    OBJECT_PHOTO = "object_photo"
    # dedup
    EXACT_DUPLICATE = "exact_duplicate"
    NEAR_DUPLICATE = "near_duplicate"
    # sample
    STYLE_NOT_CHOSEN = "style_not_chosen"
    NO_STYLE = "no_style"
    NOT_DRAWN = "not_drawn"
    OVER_CAP = "over_cap"
    # split
    JOINED_ACROSS_SPLITS = "joined_across_splits"
    COPY_ACROSS_ROLES = "copy_across_roles"


MEANING: dict[Reason, str] = {
    Reason.EXCLUDED: "A person has excluded the record; the detail says why and when.",
    Reason.TAKEN_DOWN: "The record, or another copy of its work, was taken down; the detail says why and when.",
    Reason.REPLACED: "A person has sent the record back after the draw; the next in the order of its stratum "
    "took its place.",
    Reason.OVER_LIMIT: "The build was limited to fewer records; this one was not among the chosen.",
    Reason.GONE: "An earlier build knew the record; the source's complete listing no longer has it.",
    Reason.BAD_RECORD: "The source's row can't be read as a record.",
    Reason.BAD_ATTRIBUTE: "An attribute has a value that is not of the type that the recipe declares.",
    Reason.SAME_KEY: "The source lists this key more than once; the first row in the order of its content stays.",
    Reason.NOT_FOUND: "The image is not where the record says it is.",
    Reason.NOT_ALLOWED: "The address is outside what the recipe and its bindings allow.",
    Reason.UNREACHABLE: "The image could not be had this time (no connection, no answer in time); asked again in "
    "the next build.",
    Reason.SERVER_ERROR: "The server failed (a 5xx status), each time; asked again in the next build.",
    Reason.THROTTLED: "The server asked to slow down, and went on asking; asked again in the next build.",
    Reason.CUT_SHORT: "The server broke off before all of the promised bytes had come; asked again in the next build.",
    Reason.OVER_BUDGET: "The build's budget of requests or bytes was spent before; asked for in the next build.",
    Reason.HTTP_ERROR: "The server refused the request for good (a 4xx status).",
    Reason.REDIRECT_LOOP: "The server redirects in a circle, or to ever new addresses (more than 5 redirects).",
    Reason.ROBOTS_DISALLOW: "The host's robots.txt asks not to fetch this address.",
    Reason.OPTED_OUT: "The server says X-Robots-Tag: noai or noimageai.",
    Reason.EMPTY_FILE: "The file has no bytes.",
    Reason.TOO_MANY_BYTES: "The file is larger than the fetch stage's max_bytes.",
    Reason.NOT_AN_IMAGE: "The bytes are no image of a known format.",
    Reason.UNSUPPORTED_FORMAT: "The image is of a format that is not read; the detail names it.",
    Reason.BROKEN_IMAGE: "The bytes begin like an image but do not decode to the end: truncated or corrupt.",
    Reason.TOO_MANY_PIXELS: "The image has more pixels than the fetch stage's max_pixels, or than its decoder takes.",
    Reason.UNSUPPORTED_PIXELS: "The image's pixels, or their coding, have no stated way to 8-bit sRGB.",
    Reason.TOO_SMALL: "The shorter side is below the screen's least_side_px.",
    Reason.TOO_ELONGATED: "Width / height lies outside the screen's aspect range.",
    Reason.TOO_FEW_FIGURES: "Fewer figures than the screen asks for.",
    Reason.TOO_MANY_FIGURES: "More figures than the screen allows.",
    Reason.RIGHTS_NOT_OPEN: "The rights statement is none of those that the screen lets pass.",
    Reason.STYLE_NOT_WANTED: "The style is none of those that the screen lets pass.",
    Reason.WHERE_NOT_MET: "What the record says, or does not say, is none of what the screen asks for; the detail "
    "tells it.",
    Reason.OUTSIDE_PIXELS: "Width x height lies outside the screen's range of pixels.",
    Reason.OUTSIDE_BYTES: "The file's size lies outside the screen's range of bytes.",
    Reason.NOT_IN_COLOUR: "The picture is in greys, or in one tone; the screen asks for colour.",
    Reason.IN_COLOUR: "The picture is in colour; the screen asks for greys.",
    Reason.BLANK: "There is next to nothing in the picture: it is of one tone.",
    Reason.BLURRED: "The picture is less sharp than the screen asks for.",
    Reason.FRAMED: "More of the picture is frame or border than the screen allows.",
    Reason.OBJECT_PHOTO: "The picture is likely a photograph of an object before a plain ground.",
    Reason.EXACT_DUPLICATE: "The bytes are those of another record that stays.",
    Reason.NEAR_DUPLICATE: "A second look has found the work of a record that stays; the detail says in what guise.",
    Reason.STYLE_NOT_CHOSEN: "The style is not among the most frequent ones that the sample keeps.",
    Reason.NO_STYLE: "The record has no style, and the sample keeps only the most frequent ones.",
    Reason.NOT_DRAWN: "The draw of its stratum did not fall on the record.",
    Reason.OVER_CAP: "The sample has as many of that object, artist or attribute's value as it may.",
    Reason.JOINED_ACROSS_SPLITS: "A copy or partner was already published in a split of higher rank (train < val < "
    "test); nothing published moves.",
    Reason.COPY_ACROSS_ROLES: "A query shows the same photograph as an image of the gallery: queries may show its "
    "works, never be its images.",
}
"""One sentence for people for each reason."""

BY_HAND: frozenset[Reason] = frozenset({Reason.EXCLUDED, Reason.TAKEN_DOWN, Reason.REPLACED})
"""What people decide: any stage may drop a record for these."""

PASSING: frozenset[Reason] = frozenset(
    {Reason.UNREACHABLE, Reason.SERVER_ERROR, Reason.THROTTLED, Reason.CUT_SHORT, Reason.OVER_BUDGET}
)
"""Failures that may be over by the next build: they are asked for again; all others are permanent until the input
changes."""

PASSING_WORDS = pa.array(sorted(str(reason) for reason in PASSING))
"""These, as columns of tables have them."""

REFUSALS: frozenset[Reason] = frozenset(
    {Reason.NOT_FOUND, Reason.HTTP_ERROR, Reason.REDIRECT_LOOP, Reason.EMPTY_FILE, Reason.NOT_AN_IMAGE}
)
"""Failures for good that a server in trouble may also give for everything: from the web, they are final only if the
host has sent other images in that build, or a later build has met them again."""

FAILURES_IN_BYTES: frozenset[Reason] = frozenset(
    {
        Reason.EMPTY_FILE,
        Reason.TOO_MANY_BYTES,
        Reason.NOT_AN_IMAGE,
        Reason.UNSUPPORTED_FORMAT,
        Reason.BROKEN_IMAGE,
        Reason.TOO_MANY_PIXELS,
        Reason.UNSUPPORTED_PIXELS,
    }
)
"""Failures that our own limits and code found in bytes that did come: asked for again when these change."""
