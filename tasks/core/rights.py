"""Rights statements: which are open, by the words that a recipe may use for many URIs, and what a licence is called."""

import re
from collections.abc import Sequence

from schemas.sources.common import NOASSERTION

_START = re.compile(r"https?://(?:www\.)?", re.IGNORECASE)
_PART_ENDS = re.compile(r"[?#]")

PUBLIC_DOMAIN = (
    "creativecommons.org/publicdomain/zero/",  # CC0
    "creativecommons.org/publicdomain/mark/",  # Public Domain Mark
    "creativecommons.org/licenses/publicdomain/",  # the dedication that both replaced in 2010
    # no copyright, United States; its other "no copyright" ones name further limits
    "rightsstatements.org/vocab/noc-us/",
    "rightsstatements.org/page/noc-us/",
)
"""Nobody has a copyright, as Creative Commons and rightsstatements.org word it."""

OPEN = (*PUBLIC_DOMAIN, "creativecommons.org/licenses/by/", "creativecommons.org/licenses/by-sa/")
"""Free to use for any purpose: those that the Open Definition 2.1 has as conformant (opendefinition.org/licenses)."""

_WORDS = {"public_domain": PUBLIC_DOMAIN, "open": OPEN, "all": ("",)}


_ALLOWED = {
    "CC0": "Any use; nothing is asked.",
    "CC-PDM": "Any use: nobody is known to have a right to it; in some countries somebody may.",
    "CC-PDDC": "Any use; nothing is asked.",
    "CC-BY": "Any use, if its author is named.",
    "CC-BY-SA": "Any use, if its author is named; what is made of it may be shared under the same licence alone.",
    "CC-BY-ND": "Any use as it is, if its author is named; what is changed may not be shared.",
    "CC-BY-NC": "No commercial use; its author is named.",
    "CC-BY-NC-SA": "No commercial use; its author is named; what is made of it may be shared under the same licence "
    "alone.",
    "CC-BY-NC-ND": "No commercial use; its author is named; what is changed may not be shared.",
    "NoC-US": "No copyright in the United States; elsewhere somebody may have one.",
    "NoC-NC": "No copyright, but a contract allows no commercial use.",
    "NoC-CR": "No copyright, but a contract limits its use: the source says how.",
    "NoC-OKLR": "No copyright, but another law limits its use: the source says which.",
    "InC": "In copyright: its holder has to be asked, where no exception of the law holds.",
    "InC-EDU": "In copyright: use in education is allowed.",
    "InC-NC": "In copyright: use that is not commercial is allowed.",
    "InC-OW-EU": "In copyright, an orphan work in the European Union: few uses are allowed.",
    "InC-RUU": "In copyright: its holder was not found.",
    "CNE": "Nobody has looked whether somebody has a copyright.",
    "NKC": "No copyright is known; nobody vouches for it.",
    "UND": "Whether somebody has a copyright could not be found out.",
    NOASSERTION: "Neither the source nor the author of this dataset says who has which rights. Whoever shows such an "
    "image, passes it on or trains on it has to find out, and answers for it.",
}
"""What licences and statements allow, in few words (creativecommons.org/licenses, rightsstatements.org/page)."""
_VERSION = re.compile(r"-\d.*")


def allowed_use(uri: str) -> str:
    """What a licence or statement allows, as a summary.

    >>> allowed_use("https://creativecommons.org/licenses/by/4.0/")
    'Any use, if its author is named.'
    >>> allowed_use("https://museum.example/terms")
    'Its own text says what is allowed.'
    """
    return _ALLOWED.get(_VERSION.sub("", licence_name(uri)), "Its own text says what is allowed.")


def passes(uri: str, allowed: Sequence[str]) -> bool:
    """Whether a rights statement is one of the allowed words (public_domain, open, all), or begins as an allowed URI.

    A beginning ends where a part of the address does: `.../licenses/by` lets CC BY pass, of any version, but not CC
    BY-NC. http and https, `www.`, case and a slash at the end make no difference.

    >>> passes("http://www.creativecommons.org/licenses/BY/4.0", ["open"])
    True
    >>> passes("NOASSERTION", ["public_domain", "open"])
    False
    """
    bare = _PART_ENDS.sub("/", _bare(uri)) + "/"
    return any(bare.startswith(start) for word in allowed for start in _WORDS.get(word, (_beginning(word),)))


def _beginning(uri: str) -> str:
    return _PART_ENDS.sub("/", _bare(uri)).rstrip("/") + "/"


def _bare(uri: str) -> str:
    return _START.sub("", uri.strip()).casefold()


_SPDX = frozenset(
    {
        *("CC0-1.0", "CC-PDDC", "CC-PDM-1.0", "CC-SA-1.0"),
        *(
            f"CC-{terms}-{version}"
            for terms in ("BY", "BY-NC", "BY-NC-ND", "BY-NC-SA", "BY-ND", "BY-SA")
            for version in ("1.0", "2.0", "2.5", "3.0", "4.0")
        ),
        *("CC-BY-2.5-AU", "CC-BY-3.0-AT", "CC-BY-3.0-AU", "CC-BY-3.0-DE", "CC-BY-3.0-IGO", "CC-BY-3.0-NL"),
        *("CC-BY-3.0-US", "CC-BY-NC-3.0-DE", "CC-BY-NC-ND-3.0-DE", "CC-BY-NC-ND-3.0-IGO", "CC-BY-NC-SA-2.0-DE"),
        *("CC-BY-NC-SA-2.0-FR", "CC-BY-NC-SA-2.0-UK", "CC-BY-NC-SA-3.0-DE", "CC-BY-NC-SA-3.0-IGO", "CC-BY-ND-3.0-DE"),
        *("CC-BY-SA-2.0-UK", "CC-BY-SA-2.1-JP", "CC-BY-SA-3.0-AT", "CC-BY-SA-3.0-DE", "CC-BY-SA-3.0-IGO"),
    }
)
"""Creative Commons' licences in the SPDX licence list 3.27 (spdx.org/licenses), with the few ports that it has."""

_ODD_TERMS = {"BY-ND-NC": "BY-NC-ND"}
"""Version 1.0 names its terms in another order."""
_CC = re.compile(
    r"creativecommons\.org/(licenses|publicdomain)/([a-z-]+)(?:/([0-9]\.[0-9]))?(?:/(?!deed|legalcode)([a-z]{2,4}))?(?:[/?#].*)?"
)
_STATEMENT = re.compile(r"rightsstatements\.org/(?:vocab|page)/([a-z-]+)/([0-9]\.[0-9])(?:[/?#].*)?", re.IGNORECASE)


def spdx_id(uri: str) -> str | None:
    """The licence's identifier in the SPDX list; None where it has none, as for rightsstatements.org.

    >>> spdx_id("http://creativecommons.org/licenses/by-sa/3.0/de/deed.en"), spdx_id("NOASSERTION")
    ('CC-BY-SA-3.0-DE', None)
    """
    name = _creative_commons_name(uri)
    return name if name in _SPDX else None


def licence_name(uri: str) -> str:
    """What people call a licence: in the way of SPDX, whether its list has it or not, else as the URI ends.

    >>> licence_name("http://rightsstatements.org/vocab/NoC-US/1.0/"), licence_name("NOASSERTION")
    ('NoC-US-1.0', 'NOASSERTION')
    """
    if name := _creative_commons_name(uri):
        return name
    if found := _STATEMENT.fullmatch(_START.sub("", uri.strip())):
        return f"{found[1]}-{found[2]}"
    return uri.rstrip("/").rsplit("/", 1)[-1]


def _creative_commons_name(uri: str) -> str | None:
    found = _CC.fullmatch(_bare(uri))
    if found is None:
        return None
    kind, terms, version, port = found.groups()
    if (kind, terms) == ("licenses", "publicdomain"):
        return "CC-PDDC"
    if version is None:
        return None
    if kind == "publicdomain":
        return {"zero": f"CC0-{version}", "mark": f"CC-PDM-{version}"}.get(terms)
    terms = terms.upper()
    return "-".join(["CC", _ODD_TERMS.get(terms, terms), version, *([port.upper()] if port else [])])
