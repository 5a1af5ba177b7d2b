"""What a host asks of robots: robots.txt (RFC 9309) and the X-Robots-Tag of an answer."""

import re
from collections.abc import Iterable

from protego import Protego

AGENT = "bilderatlas"
MAX_BYTES = 500_000
"""RFC 9309, section 2.5: a parser reads at least 500 kibibytes; what follows is not looked at."""
_OPTING_OUT = {"noai", "noimageai"}
_WITH_VALUE = {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
_ROBOT = re.compile(r"[a-z*][\w.-]*", re.IGNORECASE)  # a date, which has colons too, does not look like one


class Rules:
    """One host's robots.txt."""

    def __init__(self, data: bytes) -> None:
        """Nothing allows everything; so do bytes that are no robots.txt. The line that MAX_BYTES cut is passed over."""
        if len(data) > MAX_BYTES:
            data = data[: data.rfind(b"\n", 0, MAX_BYTES) + 1]
        self._rules = Protego.parse(data.decode("utf-8-sig", "replace"))
        delay = self._rules.crawl_delay(AGENT)
        self.crawl_delay_s = float(delay) if delay is not None else 0.0

    def allow(self, url: str) -> bool:
        """Whether this robot may ask for the address."""
        return bool(self._rules.can_fetch(url, AGENT))


def opts_out(tags: Iterable[str]) -> str | None:
    """The directive of X-Robots-Tag values by which a host asks not to take the image for training; None without.

    What follows the name of a robot is for that one alone.

    >>> opts_out(["noindex, NoAI"]), opts_out(["otherbot: noai"]), opts_out(["bilderatlas: noimageai"])
    ('noai', None, 'noimageai')
    """
    for value in tags:
        is_for_us = True
        for said in re.split("[,;]", value):
            name, separator, rest = said.strip().partition(":")
            if separator and name.lower() not in _WITH_VALUE and _ROBOT.fullmatch(name.strip()):
                is_for_us, said = name.strip().lower() in {AGENT, "*"}, rest
            if is_for_us and said.strip().lower() in _OPTING_OUT:
                return said.strip().lower()
    return None
