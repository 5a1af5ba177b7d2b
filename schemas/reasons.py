"""Every reason for which a stage may drop a record. The ledger, the terminal's table and the report use these words."""

from enum import StrEnum


class Reason(StrEnum):
    """Why a record was dropped; the value is what stands in the ledger."""

    def __new__(cls, value: str, description: str) -> "Reason":
        """Carry a sentence for people beside the word for machines."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.__dict__["description"] = description
        return member

    @property
    def description(self) -> str:
        """One sentence for people."""
        return str(self.__dict__["description"])

    # scrape
    OVER_LIMIT = ("over_limit", "The build was limited to fewer records; this one was not among the chosen.")
    GONE = ("gone", "An earlier build knew the record; the source's complete listing no longer has it.")
    BAD_RECORD = ("bad_record", "The source's row can't be read as a record.")
    SAME_KEY = ("same_key", "The source lists this key more than once; the first row in the order of its content stays.")
    # fetch
    NOT_FOUND = ("not_found", "The image is not where the record says it is.")
    NOT_ALLOWED = ("not_allowed", "The address is outside what the recipe and its bindings allow.")
    UNREACHABLE = ("unreachable", "The image could not be had this time (network, time-out, server error); asked again in the next build.")
    HTTP_ERROR = ("http_error", "The server refused the request for good (a 4xx status).")
    EMPTY_FILE = ("empty_file", "The file has no bytes.")
    TOO_MANY_BYTES = ("too_many_bytes", "The file is larger than the fetch stage's max_bytes.")
    NOT_AN_IMAGE = ("not_an_image", "The bytes are no image of a known format.")
    BROKEN_IMAGE = ("broken_image", "The bytes begin like an image but do not decode to the end: truncated or corrupt.")
    TOO_MANY_PIXELS = ("too_many_pixels", "The image has more pixels than the fetch stage's max_pixels.")
    UNSUPPORTED_PIXELS = ("unsupported_pixels", "The image's pixel format has no stated way to 8-bit sRGB.")
    # screen
    TOO_SMALL = ("too_small", "The shorter side is below the screen's least_side_px.")
    TOO_ELONGATED = ("too_elongated", "Width / height lies outside the screen's aspect range.")
    TOO_FEW_FIGURES = ("too_few_figures", "Fewer figures than the screen asks for.")
    TOO_MANY_FIGURES = ("too_many_figures", "More figures than the screen allows.")
    RIGHTS_NOT_OPEN = ("rights_not_open", "The rights statement is none of those that the screen lets pass.")
    # dedup
    EXACT_DUPLICATE = ("exact_duplicate", "The bytes are those of another record that stays.")
    NEAR_DUPLICATE = ("near_duplicate", "The perceptual hash lies within the radius of a record that stays.")
    # sample
    STYLE_NOT_CHOSEN = ("style_not_chosen", "The style is not among the most frequent ones that the sample keeps.")
    NO_STYLE = ("no_style", "The record has no style, and the sample or split goes by style.")
    NOT_DRAWN = ("not_drawn", "The draw of its style did not fall on the record.")
    # split
    JOINED_ACROSS_SPLITS = (
        "joined_across_splits",
        "A copy or partner was already published in a split of higher rank (train < val < test); nothing published moves.",
    )


PASSING: frozenset[Reason] = frozenset({Reason.UNREACHABLE})
"""Failures that may be over by the next build: they are asked for again; all others are permanent until the input changes."""
