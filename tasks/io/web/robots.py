"""What a host's robots.txt says to our robot: what it may request (RFC 9309), and what of that is not for training.

Usage rules: draft-ietf-aipref-attach, section 3; `Content-Signal` of contentsignals.org is read in the same way.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from protego import Protego

from schemas.manners import AGENT
from schemas.opt_outs import OptOutSignal, refusal_of_training, shortened
from schemas.phrases import printable
from tasks.io.web.path_patterns import PathPattern, path_of_url

MAX_BYTES = 500 * 1024
"""RFC 9309, section 2.5: a parser reads at least 500 kibibytes; the rest is ignored."""
_LONGEST_PATH = 80
_SIGNALS = {"content-usage": OptOutSignal.ROBOTS_CONTENT_USAGE, "content-signal": OptOutSignal.ROBOTS_CONTENT_SIGNAL}
_AGENT_LINE = re.compile(r"(?:user-agent|useragent|user agent)(?:\s*:|\s|$)(.*)", re.IGNORECASE)
# as Protego reads them, also without a colon; rules of no group do not end a list of robots
_OTHER_RULE = re.compile(
    r"(?:dis+al+[oa]w|diasllow|allow|crawl[- ]delay|request[- ]rate|visit[- ]time)\b", re.IGNORECASE
)
_OF_NO_GROUP = re.compile(r"(?:sitemaps?|site-map|host)\b", re.IGNORECASE)
_STATEMENT = re.compile(r"\s*[a-z*][\w.*-]*\s*(?:[=,;]|$)", re.IGNORECASE | re.ASCII)


class UsageRule(NamedTuple):
    """A rule of one group: what a signal says of the paths that match. refusal: its no to training, if it says one."""

    signal: OptOutSignal
    path: str  # as written; empty for all
    pattern: PathPattern
    refusal: str | None

    @property
    def detail(self) -> str:
        """The ledger's words."""
        path = printable(shortened(self.path, _LONGEST_PATH))
        return self.signal.detail(f"{path} {self.refusal}".strip())


class RobotsRules:
    """One host's robots.txt."""

    def __init__(self, data: bytes) -> None:
        """Empty data allow everything; so do data that are no robots.txt. The line that MAX_BYTES cut is ignored."""
        if len(data) > MAX_BYTES:
            data = data[: data.rfind(b"\n", 0, MAX_BYTES) + 1]
        text = data.decode("utf-8-sig", "replace")
        self._rules = Protego.parse(text)
        delay = self._rules.crawl_delay(AGENT)
        self.crawl_delay_s = float(delay) if delay is not None else 0.0
        # the longest path first, and of equal ones what forbids
        in_order = sorted(_usage_rules(text), key=lambda rule: (-rule.pattern.octets, rule.refusal is None))
        self._usage_rules = {
            signal: [rule for rule in in_order if rule.signal == signal] for signal in _SIGNALS.values()
        }

    def is_allowed(self, url: str) -> bool:
        """Whether this robot may request the address."""
        return bool(self._rules.can_fetch(url, AGENT))

    def opt_out(self, url: str) -> str | None:
        """The detail of a rule by which what is at the address is not for training; None if there is none.

        Of each signal the rule with the longest path that matches counts. Asked of addresses that are allowed.
        """
        path = path_of_url(url)
        for rules in self._usage_rules.values():
            rule = next((rule for rule in rules if rule.pattern.matches(path)), None)
            if rule is not None and rule.refusal is not None:
                return rule.detail
        return None


def _usage_rules(text: str) -> list[UsageRule]:
    """The rules of the group that means us: of the longest name with which ours begins, else of "*"; as in Protego."""
    rules_by_agent: dict[str, list[UsageRule]] = {}
    agents: list[str] = []
    is_list_open = False
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if match := _AGENT_LINE.fullmatch(line):
            names = _agents(match[1])
            agents = [*agents, *names] if is_list_open else names
            for name in names:
                rules_by_agent.setdefault(name, [])
            is_list_open = True
        elif (":" in line or _OTHER_RULE.match(line)) and not _OF_NO_GROUP.match(line):
            is_list_open = False
            for rule in _usage_rule(line):
                for name in dict.fromkeys(agents):
                    rules_by_agent[name].append(rule)
    group = max(rules_by_agent, key=_likeness, default="")
    return rules_by_agent[group] if _likeness(group) else []


def _agents(value: str) -> list[str]:
    """The names that a line of robots means: in small letters, and also without the wildcards that nobody defines."""
    name = value.strip().lower()
    return [each for each in dict.fromkeys((name, name if name == "*" else name.replace("*", ""))) if each]


def _likeness(agent: str) -> int:
    """How well the name of a group fits ours; 0: not at all."""
    return 1 if agent == "*" else len(agent) if AGENT.startswith(agent) else 0


def _usage_rule(line: str) -> Iterator[UsageRule]:
    """The rule in a line; none if it is another rule, or says nothing that can be read."""
    field, _, value = line.partition(":")
    signal, value = _SIGNALS.get(field.strip().lower()), value.strip()
    if signal is None:
        return
    path, statement = "", value
    if value.startswith("/"):
        path, statement = _first_word(value)
    refusal = refusal_of_training(statement)
    if refusal is not None or _STATEMENT.match(statement):
        yield UsageRule(signal, path, PathPattern(path or "/"), refusal)


def _first_word(value: str) -> tuple[str, str]:
    first, *rest = re.split(r"[ \t]", value, maxsplit=1)
    return first, "".join(rest)
