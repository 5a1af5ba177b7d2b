"""How two releases can differ, and why: the words of `bilderatlas diff`, and the tables that it writes."""

import pyarrow as pa

from schemas.phrases import Word
from schemas.tables import schema


class Kind(Word):
    """What has changed in a record between two releases; the value is what stands in the table."""

    CAME = "came", "The image is only in the newer release."
    RETURNED = "returned", "The image is only in the newer release, and was published before the older one."
    WENT = "went", "The image is only in the older release."
    SPLIT = "split", "The image lies in another split."
    ANNOTATION = "annotation", "Boxes of the image came, went or changed; a row for each origin."
    RIGHTS = "rights", "The rights statement, its text, or who asserts it."
    ATTRIBUTE = (
        "attribute",
        "What is said of the work: title, artist, style, year, addresses, attributes of the recipe.",
    )
    BYTES = "bytes", "The image file, or what was measured of it."
    GROUP = "group", "The group of images that lie in one split has another name, or other members."
    ID = "id", "The image's number."


KINDS = {word: word.meaning for word in Kind}
"""One sentence for people for each kind."""


class ChangeReason(Word):
    """Why something has changed; the value is what stands in the table."""

    # people
    TAKEN_DOWN = "taken_down", "The record, or another copy of its work, was taken down."
    PURGED = "purged", "The record was taken down, and a purge has removed it from the release itself."
    TAKEDOWN_WITHDRAWN = "takedown_withdrawn", "The takedown's row is no longer in the list by hand."
    EXCLUDED = "excluded", "A person has excluded the record."
    REPLACED = "replaced", "A person has sent the record back after the draw."
    BY_HAND = "by_hand", "A row about the record came into the list by hand, or left it."
    VERDICT = "verdict", "A person's verdict on a pair of records came, went or changed."
    # the source
    NEW_AT_SOURCE = "new_at_source", "No build before had listed the record: the source has it now."
    BACK_AT_SOURCE = "back_at_source", "The source had lost the record, and lists it again."
    GONE_FROM_SOURCE = "gone_from_source", "The source's complete listing no longer has the record."
    RENUMBERED = "renumbered", "The source lists the same file under another key."
    NOT_LISTED = (
        "not_listed",
        "The newer release's builds have never listed the record: they do not go on from the older one.",
    )
    SOURCE_METADATA = "source_metadata", "The source says something else about the work."
    SOURCE_FILE = "source_file", "The source gives another file."
    SOURCE_ANNOTATIONS = "source_annotations", "The source, or people, have drawn other figures."
    FETCHED_NOW = "fetched_now", "The image could not be had, or not be read, and now can."
    NOT_FETCHED = "not_fetched", "The image can't be had or read any more, or not this time."
    # the recipe
    SETTINGS = "settings", "The recipe's settings of the stage or source that decides it have changed."
    DETECTOR = "detector", "Another detector, or another version of its weights, has looked at the images."
    SPLITS_DRAWN_AFRESH = "splits_drawn_afresh", "The lineage is another: all splits were assigned anew."
    # other records
    COPY_CAME = "copy_came", "A copy of the work came, and stands for it."
    COPY_WENT = "copy_went", "The copy that stood for the work is no longer among the candidates."
    COPY_PREFERRED = "copy_preferred", "Of the same copies of the work, another one is kept."
    CLUSTER = "cluster", "Other records like it came, went or changed, so that its pairs were weighed anew."
    COPIES = "copies", "Copies of the work came, went, or are described elsewhere."
    NEWCOMERS = "newcomers", "The candidates of the draw are others, and its place went to one of them."
    PLACE_FREE = "place_free", "The candidates of the draw are others, and a place was free."
    JOINED_ACROSS_SPLITS = (
        "joined_across_splits",
        "A copy or partner lies in a split of higher rank; nothing published moves.",
    )
    PARTNER_WENT = "partner_went", "The copy or partner in another split no longer keeps it out."
    GROUP_MEMBERS = "group_members", "Records that are tied to it came, went or changed."
    # the program
    MEASURE = "measure", "What was measured or drawn in the image is other than before; bytes and settings are not."
    READ_ANEW = "read_anew", "The museum says the same as before; the program reads its words otherwise."
    PROGRAM = "program", "Another version of the program, of a library or of the contract."
    PREDECESSOR = (
        "predecessor",
        "Neither release goes on directly from the other, and they have inherited other things.",
    )
    UNKNOWN = "unknown", "Nothing in the two releases explains it."


MEANING = {word: word.meaning for word in ChangeReason}
"""One sentence for people for each reason."""

CHANGES = schema(
    "record_id kind",
    "field",  # the column; of annotations their origin; null where a whole image came or went
    "before after reason detail split_before split_after",
    **dict.fromkeys(("before", "after", "split_before", "split_after"), pa.string()),
)
"""One row a change, sorted by record_id, kind and field: changes.parquet of `bilderatlas diff`."""

OPT_OUTS = schema("record_id image_id sha256 reason detail date")
"""What left since the older release because somebody wanted it so, for whoever has copies: opt-outs.parquet. reason and
detail as of LEDGER, date such as 2024-12-31; sha256 and date null where they are not known."""
