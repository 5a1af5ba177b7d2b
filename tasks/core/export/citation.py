"""How a release is cited."""

import re
from collections.abc import Sequence
from typing import Protocol

from schemas.manifests import ReleaseManifest
from tasks.core.markdown import one_line


class Cited(Protocol):
    """What people say of their dataset, in a recipe or in a release's."""

    @property
    def authors(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def homepage(self) -> str | None: ...  # noqa: D102
    @property
    def citation(self) -> str | None: ...  # noqa: D102


def citation(title: str, about: Cited, manifest: ReleaseManifest) -> str:
    """BibTeX: people's own words, else authors, title, version and digest."""
    if about.citation:
        return about.citation.strip()
    fields = {
        "title": title,
        "author": " and ".join(about.authors),
        "version": manifest.version,
        "url": about.homepage or "",
        "note": f"content sha256:{manifest.content_sha256}",
    }
    lines = (f"  {name} = {{{_in_a_field(text)}}}" for name, text in fields.items() if text)
    return "\n".join([f"@misc{{{manifest.name}-{manifest.version},", ",\n".join(lines), "}"])


def _in_a_field(text: str) -> str:
    """The text in one line, without signs that lead out of a field."""
    return one_line(re.sub(r"[\\{}]", "", text))
