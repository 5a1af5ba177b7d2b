"""How two releases can differ, and why: the words of `bilderatlas diff`, and the tables that it writes."""

from enum import StrEnum

import pyarrow as pa


class Kind(StrEnum):
    """What has changed in a record between two releases; the value is what stands in the table."""

    CAME = "came"
    RETURNED = "returned"
    WENT = "went"
    SPLIT = "split"
    ANNOTATION = "annotation"
    RIGHTS = "rights"
    ATTRIBUTE = "attribute"
    BYTES = "bytes"
    GROUP = "group"
    ID = "id"


KINDS: dict[Kind, str] = {
    Kind.CAME: "The image is only in the newer release.",
    Kind.RETURNED: "The image is only in the newer release, and was published before the older one.",
    Kind.WENT: "The image is only in the older release.",
    Kind.SPLIT: "The image lies in another split.",
    Kind.ANNOTATION: "Boxes of the image came, went or changed; a row for each origin.",
    Kind.RIGHTS: "The rights statement, its text, or who asserts it.",
    Kind.ATTRIBUTE: "What is said of the work: title, artist, style, year, addresses, attributes of the recipe.",
    Kind.BYTES: "The image file, or what was measured of it.",
    Kind.GROUP: "The group of images that lie in one split has another name, or other members.",
    Kind.ID: "The image's number.",
}
"""One sentence for people for each kind."""


class ChangeReason(StrEnum):
    """Why something has changed; the value is what stands in the table."""

    # people
    TAKEN_DOWN = "taken_down"
    PURGED = "purged"
    TAKEDOWN_WITHDRAWN = "takedown_withdrawn"
    EXCLUDED = "excluded"
    REPLACED = "replaced"
    BY_HAND = "by_hand"
    VERDICT = "verdict"
    # the source
    NEW_AT_SOURCE = "new_at_source"
    BACK_AT_SOURCE = "back_at_source"
    GONE_FROM_SOURCE = "gone_from_source"
    RENUMBERED = "renumbered"
    NOT_LISTED = "not_listed"
    SOURCE_METADATA = "source_metadata"
    SOURCE_FILE = "source_file"
    SOURCE_ANNOTATIONS = "source_annotations"
    FETCHED_NOW = "fetched_now"
    NOT_FETCHED = "not_fetched"
    # the recipe
    SETTINGS = "settings"
    DETECTOR = "detector"
    SPLITS_DRAWN_AFRESH = "splits_drawn_afresh"
    # other records
    COPY_CAME = "copy_came"
    COPY_WENT = "copy_went"
    COPY_PREFERRED = "copy_preferred"
    CLUSTER = "cluster"
    COPIES = "copies"
    NEWCOMERS = "newcomers"
    PLACE_FREE = "place_free"
    JOINED_ACROSS_SPLITS = "joined_across_splits"
    PARTNER_WENT = "partner_went"
    GROUP_MEMBERS = "group_members"
    # the program
    MEASURE = "measure"
    READ_ANEW = "read_anew"
    PROGRAM = "program"
    PREDECESSOR = "predecessor"
    UNKNOWN = "unknown"


MEANING: dict[ChangeReason, str] = {
    ChangeReason.TAKEN_DOWN: "The record, or another copy of its work, was taken down.",
    ChangeReason.PURGED: "The record was taken down, and a purge has removed it from the release itself.",
    ChangeReason.TAKEDOWN_WITHDRAWN: "The takedown's row is no longer in the list by hand.",
    ChangeReason.EXCLUDED: "A person has excluded the record.",
    ChangeReason.REPLACED: "A person has sent the record back after the draw.",
    ChangeReason.BY_HAND: "A row about the record came into the list by hand, or left it.",
    ChangeReason.VERDICT: "A person's verdict on a pair of records came, went or changed.",
    ChangeReason.NEW_AT_SOURCE: "No build before had listed the record: the source has it now.",
    ChangeReason.BACK_AT_SOURCE: "The source had lost the record, and lists it again.",
    ChangeReason.GONE_FROM_SOURCE: "The source's complete listing no longer has the record.",
    ChangeReason.RENUMBERED: "The source lists the same file under another key.",
    ChangeReason.NOT_LISTED: "The newer release's builds have never listed the record: they do not go on from the "
    "older one.",
    ChangeReason.SOURCE_METADATA: "The source says something else about the work.",
    ChangeReason.SOURCE_FILE: "The source gives another file.",
    ChangeReason.SOURCE_ANNOTATIONS: "The source, or people, have drawn other figures.",
    ChangeReason.FETCHED_NOW: "The image could not be had, or not be read, and now can.",
    ChangeReason.NOT_FETCHED: "The image can't be had or read any more, or not this time.",
    ChangeReason.SETTINGS: "The recipe's settings of the stage or source that decides it have changed.",
    ChangeReason.DETECTOR: "Another detector, or another version of its weights, has looked at the images.",
    ChangeReason.SPLITS_DRAWN_AFRESH: "The lineage is another: all splits were assigned anew.",
    ChangeReason.COPY_CAME: "A copy of the work came, and stands for it.",
    ChangeReason.COPY_WENT: "The copy that stood for the work is no longer among the candidates.",
    ChangeReason.COPY_PREFERRED: "Of the same copies of the work, another one is kept.",
    ChangeReason.CLUSTER: "Other records like it came, went or changed, so that its pairs were weighed anew.",
    ChangeReason.COPIES: "Copies of the work came, went, or are described elsewhere.",
    ChangeReason.NEWCOMERS: "The candidates of the draw are others, and its place went to one of them.",
    ChangeReason.PLACE_FREE: "The candidates of the draw are others, and a place was free.",
    ChangeReason.JOINED_ACROSS_SPLITS: "A copy or partner lies in a split of higher rank; nothing published moves.",
    ChangeReason.PARTNER_WENT: "The copy or partner in another split no longer keeps it out.",
    ChangeReason.GROUP_MEMBERS: "Records that are tied to it came, went or changed.",
    ChangeReason.MEASURE: "What was measured or drawn in the image is other than before; bytes and settings are not.",
    ChangeReason.READ_ANEW: "The museum says the same as before; the program reads its words otherwise.",
    ChangeReason.PROGRAM: "Another version of the program, of a library or of the contract.",
    ChangeReason.PREDECESSOR: "Neither release goes on directly from the other, and they have inherited other things.",
    ChangeReason.UNKNOWN: "Nothing in the two releases explains it.",
}
"""One sentence for people for each reason."""

CHANGES = pa.schema(
    [
        ("record_id", pa.string()),
        ("kind", pa.string()),
        ("field", pa.string()),  # the column; of annotations their origin; null where a whole image came or went
        ("before", pa.string()),
        ("after", pa.string()),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("split_before", pa.string()),
        ("split_after", pa.string()),
    ]
)
"""One row a change, sorted by record_id, kind and field: changes.parquet of `bilderatlas diff`."""

OPT_OUTS = pa.schema(
    [
        ("record_id", pa.string()),
        ("image_id", pa.int64()),
        ("sha256", pa.string()),  # of the file; null where its tombstone does not say it
        ("reason", pa.string()),  # the ledger's word
        ("detail", pa.string()),
        ("date", pa.string()),  # such as 2024-12-31; null where none is known
    ]
)
"""What left since the older release because somebody wanted it so, for whoever has copies: opt-outs.parquet."""
