"""What a host allows robots: robots.txt (RFC 9309) and the X-Robots-Tag of a response."""

import re
from collections.abc import Iterable

from protego import Protego

AGENT = "bilderatlas"
MAX_BYTES = 500 * 1024
"""RFC 9309, section 2.5: a parser reads at least 500 kibibytes; the rest is ignored."""
_OPTING_OUT = {"noai", "noimageai"}
_WITH_VALUE = {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
_ROBOT = re.compile(r"[a-z*][\w.-]*", re.IGNORECASE)  # a date has colons too, but does not match


class RobotsRules:
    """One host's robots.txt."""

    def __init__(self, data: bytes) -> None:
        """Empty data allow everything; so do data that are no robots.txt. The line that MAX_BYTES cut is ignored."""
        if len(data) > MAX_BYTES:
            data = data[: data.rfind(b"\n", 0, MAX_BYTES) + 1]
        self._rules = Protego.parse(data.decode("utf-8-sig", "replace"))
        delay = self._rules.crawl_delay(AGENT)
        self.crawl_delay_s = float(delay) if delay is not None else 0.0

    def is_allowed(self, url: str) -> bool:
        """Whether this robot may request the address."""
        return bool(self._rules.can_fetch(url, AGENT))


def opt_out_directive(tags: Iterable[str]) -> str | None:
    """The directive of X-Robots-Tag values that forbids the image for training; None if there is none.

    Directives after the name of a robot are for that robot only.

    >>> opt_out_directive(["noindex, NoAI"]), opt_out_directive(["bilderatlas: noimageai"])
    ('noai', 'noimageai')
    >>> opt_out_directive(["otherbot: noai"]) is None
    True
    """
    for value in tags:
        is_for_us = True
        for part in re.split("[,;]", value):
            name, separator, rest = part.strip().partition(":")
            if separator and name.lower() not in _WITH_VALUE and _ROBOT.fullmatch(name.strip()):
                is_for_us, part = name.strip().lower() in {AGENT, "*"}, rest
            if is_for_us and part.strip().lower() in _OPTING_OUT:
                return part.strip().lower()
    return None
