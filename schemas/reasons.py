"""Every reason for which a stage may drop a record. The ledger, the terminal's table and the report use these words."""

import pyarrow as pa

from schemas.phrases import Word


class Reason(Word):
    """Why a record was dropped; the value is what stands in the ledger."""

    # by hand, at any stage
    EXCLUDED = "excluded", "A person has excluded the record; the detail says why and when."
    TAKEN_DOWN = "taken_down", "The record, or another copy of its work, was taken down; the detail says why and when."
    REPLACED = (
        "replaced",
        "A person has sent the record back after the draw; the next in the order of its stratum took its place.",
    )
    # scrape
    OVER_LIMIT = "over_limit", "The build was limited to fewer records; this one was not among the chosen."
    GONE = "gone", "An earlier build knew the record; the source's complete listing no longer has it."
    BAD_RECORD = "bad_record", "The source's row can't be read as a record."
    BAD_ATTRIBUTE = "bad_attribute", "An attribute has a value that is not of the type that the recipe declares."
    SAME_KEY = "same_key", "The source lists this key more than once; the first row in the order of its content stays."
    # fetch
    NOT_FOUND = "not_found", "The image is not where the record says it is."
    NOT_ALLOWED = "not_allowed", "The address is outside what the recipe and its bindings allow."
    UNREACHABLE = (
        "unreachable",
        "The image could not be had this time (no connection, no answer in time); asked again in the next build.",
    )
    SERVER_ERROR = "server_error", "The server failed (a 5xx status), each time; asked again in the next build."
    THROTTLED = "throttled", "The server asked to slow down, and went on asking; asked again in the next build."
    CUT_SHORT = (
        "cut_short",
        "The server broke off before all of the promised bytes had come; asked again in the next build.",
    )
    OVER_BUDGET = (
        "over_budget",
        "The build's budget of requests or bytes was spent before; asked for in the next build.",
    )
    HTTP_ERROR = "http_error", "The server refused the request for good (a 4xx status)."
    REDIRECT_LOOP = (
        "redirect_loop",
        "The server redirects in a circle, or to ever new addresses (more than 5 redirects).",
    )
    ROBOTS_DISALLOW = "robots_disallow", "The host's robots.txt asks not to fetch this address."
    OPTED_OUT = (
        "opted_out",
        "The image's server or the work's page says that it is not for training; the detail has the signal.",
    )
    EMPTY_FILE = "empty_file", "The file has no bytes."
    TOO_MANY_BYTES = "too_many_bytes", "The file is larger than the fetch stage's max_bytes."
    NOT_AN_IMAGE = "not_an_image", "The bytes are no image of a known format."
    UNSUPPORTED_FORMAT = "unsupported_format", "The image is of a format that is not read; the detail names it."
    BROKEN_IMAGE = "broken_image", "The bytes begin like an image but do not decode to the end: truncated or corrupt."
    TOO_MANY_PIXELS = (
        "too_many_pixels",
        "The image has more pixels than the fetch stage's max_pixels, or than its decoder takes.",
    )
    UNSUPPORTED_PIXELS = "unsupported_pixels", "The image's pixels, or their coding, have no stated way to 8-bit sRGB."
    # screen
    TOO_SMALL = "too_small", "The shorter side is below the screen's least_side_px."
    TOO_ELONGATED = "too_elongated", "Width / height lies outside the screen's aspect range."
    TOO_FEW_FIGURES = "too_few_figures", "Fewer figures than the screen asks for."
    TOO_MANY_FIGURES = "too_many_figures", "More figures than the screen allows."
    RIGHTS_NOT_OPEN = "rights_not_open", "The rights statement is none of those that the screen lets pass."
    STYLE_NOT_WANTED = "style_not_wanted", "The style is none of those that the screen lets pass."
    WHERE_NOT_MET = (
        "where_not_met",
        "What the record says, or does not say, is none of what the screen asks for; the detail tells it.",
    )
    OUTSIDE_PIXELS = "outside_pixels", "Width x height lies outside the screen's range of pixels."
    OUTSIDE_BYTES = "outside_bytes", "The file's size lies outside the screen's range of bytes."
    NOT_IN_COLOUR = "not_in_colour", "The picture is in greys, or in one tone; the screen asks for colour."
    IN_COLOUR = "in_colour", "The picture is in colour; the screen asks for greys."
    BLANK = "blank", "There is next to nothing in the picture: it is of one tone."
    BLURRED = "blurred", "The picture is less sharp than the screen asks for."
    FRAMED = "framed", "More of the picture is frame or border than the screen allows."
    OBJECT_PHOTO = "object_photo", "The picture is likely a photograph of an object before a plain ground."
    # dedup
    EXACT_DUPLICATE = "exact_duplicate", "The bytes are those of another record that stays."
    NEAR_DUPLICATE = (
        "near_duplicate",
        "A second look has found the work of a record that stays; the detail says in what guise.",
    )
    # sample
    STYLE_NOT_CHOSEN = "style_not_chosen", "The style is not among the most frequent ones that the sample keeps."
    NO_STYLE = "no_style", "The record has no style, and the sample keeps only the most frequent ones."
    NOT_DRAWN = "not_drawn", "The draw of its stratum did not fall on the record."
    OVER_CAP = "over_cap", "The sample has as many of that object, artist or attribute's value as it may."
    # split
    JOINED_ACROSS_SPLITS = (
        "joined_across_splits",
        "A copy or partner is published, kept or held out in a split of higher rank (train < val < test < ood); "
        "nothing published moves.",
    )
    COPY_ACROSS_ROLES = (
        "copy_across_roles",
        "A query shows the same photograph as an image of the gallery: queries may show its works, never be its "
        "images.",
    )


MEANING = {word: word.meaning for word in Reason}
"""One sentence for people for each reason."""

BY_HAND: frozenset[Reason] = frozenset({Reason.EXCLUDED, Reason.TAKEN_DOWN, Reason.REPLACED})
"""What people decide: any stage may drop a record for these."""

PASSING: frozenset[Reason] = frozenset(
    {Reason.UNREACHABLE, Reason.SERVER_ERROR, Reason.THROTTLED, Reason.CUT_SHORT, Reason.OVER_BUDGET}
)
"""Failures that may be over by the next build, which asks again; all others are permanent until the input changes."""

PASSING_WORDS = pa.array(sorted(str(reason) for reason in PASSING))
"""These, as columns of tables have them."""

REFUSALS: frozenset[Reason] = frozenset(
    {Reason.NOT_FOUND, Reason.HTTP_ERROR, Reason.REDIRECT_LOOP, Reason.EMPTY_FILE, Reason.NOT_AN_IMAGE}
)
"""Failures for good that a server in trouble may also give for everything: from the web, they are final only if the
host has sent other images in that build, or a later build has met them again."""

FAILURES_IN_BYTES: frozenset[Reason] = frozenset(
    {
        *(Reason.EMPTY_FILE, Reason.TOO_MANY_BYTES, Reason.NOT_AN_IMAGE, Reason.UNSUPPORTED_FORMAT),
        *(Reason.BROKEN_IMAGE, Reason.TOO_MANY_PIXELS, Reason.UNSUPPORTED_PIXELS),
    }
)
"""Failures that our own limits and code found in bytes that did come: asked for again when these change."""

PICTURED: frozenset[Reason] = frozenset(
    {
        *(Reason.EXACT_DUPLICATE, Reason.NEAR_DUPLICATE),
        *(Reason.TOO_SMALL, Reason.TOO_ELONGATED, Reason.OUTSIDE_PIXELS, Reason.OUTSIDE_BYTES),
        *(Reason.TOO_FEW_FIGURES, Reason.TOO_MANY_FIGURES, Reason.STYLE_NOT_WANTED),
        *(Reason.NOT_IN_COLOUR, Reason.IN_COLOUR, Reason.BLANK, Reason.BLURRED, Reason.FRAMED, Reason.OBJECT_PHOTO),
        *(Reason.STYLE_NOT_CHOSEN, Reason.NO_STYLE, Reason.NOT_DRAWN, Reason.OVER_CAP),
        *(Reason.JOINED_ACROSS_SPLITS, Reason.COPY_ACROSS_ROLES),
    }
)
"""Drops whose pictures a report may show. All others stay unseen, a new reason too until it is named here: who had a
picture taken down, excluded or sent back, opted out, or gives no open rights, does not want it published, and a report
is published; `where` may ask for rights; what is gone may have been withdrawn; failures have no picture."""
