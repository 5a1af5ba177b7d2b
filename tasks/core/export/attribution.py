"""Whom to name when an image is shown or passed on: title, author, source and licence, as Creative Commons recommends
(wiki.creativecommons.org/wiki/Recommended_practices_for_attribution), whether its licence asks for it or not.
"""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from schemas.sources.common import NOASSERTION
from tasks.core.columns import whole
from tasks.core.markdown import DIRECTIONS, SIGNS, as_text, visible
from tasks.core.rights import allowed_use, licence_name

ASKED = ("record_id", "title", "artist", "artist_text", "source", "source_url", "rights_uri")
"""Columns of images from which it follows."""
_AT_ONCE = 10_000


def attributions(images: pa.Table) -> pa.Array:
    """(N,) of each image its line; none is null. images: ASKED.

    The author stands in the words of the source, and is left out where it names nobody; a work without a title is
    called by its record_id, and one without a page by its source. Blanks and line ends of any kind are one blank.

    >>> row = {"record_id": "m:1", "title": "Lilies", "artist": "Claude Monet", "artist_text": None, "source": "m",
    ...        "source_url": "https://a.example/1", "rights_uri": "https://creativecommons.org/licenses/by/4.0/"}
    >>> attributions(pa.Table.from_pylist([row]))[0].as_py()
    '"Lilies" by Claude Monet, https://a.example/1, CC-BY-4.0 (https://creativecommons.org/licenses/by/4.0/)'
    """
    title = _line(images["title"])
    author = pc.coalesce(_line(images["artist_text"]), _line(images["artist"]))
    named = pc.binary_join_element_wise('"', title, '"', "")
    work = pc.coalesce(named, pc.binary_join_element_wise("record ", _line(images["record_id"]), ""))
    by = pc.coalesce(pc.binary_join_element_wise(" by ", author, ""), "")
    place = pc.coalesce(_line(images["source_url"]), _line(images["source"]))
    uris = whole(images["rights_uri"]).dictionary_encode()
    licences = pa.array([_licence(uri) for uri in uris.dictionary.to_pylist()], pa.string()).take(uris.indices)
    return whole(pc.binary_join_element_wise(work, by, ", ", place, ", ", licences, ""))


def _line(texts: pa.ChunkedArray) -> pa.Array:
    """Each text in one line; null where nothing stands in it."""
    lines = pc.utf8_trim_whitespace(
        pc.replace_substring_regex(whole(texts).cast(pa.string()), r"[\s\x00-\x1f\x7f]+", " ")
    )
    return pc.if_else(pc.equal(lines, ""), None, lines)


def _licence(uri: str) -> str:
    return "rights not known" if uri == NOASSERTION else f"{licence_name(uri)} ({uri})"


def attribution_page(images: pa.Table) -> Iterator[bytes]:
    """ATTRIBUTION.md in pieces. images: image_id, rights_uri and attribution.

    A section for each licence, by how many images have it, with what it allows; images in the order of their ids.
    """
    yield (
        b"# Attribution\n\nWhom to name when an image is shown or passed on. The same lines are the column "
        b"`attribution` of `images`. What each licence allows is a summary: its own text counts.\n"
    )
    counts = pc.value_counts(whole(images["rights_uri"])).to_pylist()
    for entry in sorted(counts, key=lambda entry: (-entry["counts"], entry["values"])):
        uri = entry["values"]
        name = "Rights not known" if uri == NOASSERTION else as_text(f"{licence_name(uri)} ({uri})")
        yield f"\n## {name}\n\n{allowed_use(uri)}\n\n".encode()
        mine = images.filter(pc.equal(images["rights_uri"], uri)).sort_by("image_id")
        for batch in mine.select(["image_id", "attribution"]).to_batches(_AT_ONCE):
            texts = pc.replace_substring_regex(_without_turns(batch["attribution"]), SIGNS, r"\\\1")
            lines = pc.binary_join_element_wise("- ", pc.cast(batch["image_id"], pa.string()), ": ", texts, "\n", "")
            yield "".join(lines.to_pylist()).encode()


def _without_turns(lines: pa.Array) -> pa.Array:
    """The lines with the names of signs that would turn what follows them, as `markdown.visible` writes them."""
    if pc.any(pc.match_substring_regex(lines, f"[{DIRECTIONS}]")).as_py():
        for sign in DIRECTIONS:
            lines = pc.replace_substring(lines, sign, visible(sign))
    return lines
