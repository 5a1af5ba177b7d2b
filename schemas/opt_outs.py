"""How hosts and pages say that an image is not for training: the signals that are honoured, and how they are read.

Headers and files of hosts (tasks/io) and tags of pages (tasks/core) have the same values, so that their rules are here.
"""

import re
from collections.abc import Callable, Iterable

from schemas.manners import AGENT
from schemas.phrases import Word

_LONGEST_POLICY = 120
_OPTING_OUT = {"noai", "noimageai"}
_WITH_VALUE = {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
_ROBOT = re.compile(r"[a-z*][\w.-]*", re.IGNORECASE)  # a date has colons too, but does not match

TRAINING_LABELS = ("train-ai", "train-genai", "ai-train", "genai", "ai", "tdm", "bots")
"""train-ai: draft-ietf-aipref-vocab-06. ai-train: contentsignals.org. The others: earlier drafts, for training or more
than that. `search`, `ai-use` and `ai-input` are about what is done with an answer or a model, not about training.
"""
_NO = re.compile(
    # a quoted text as a whole, so that nothing in it counts; or a label and its no
    r'"[^"]*"|(?<![\w.*-])(?P<label>' + "|".join(TRAINING_LABELS) + r")[ \t]*=[ \t]*"
    r'(?:(?P<no>no?|\?0)(?![\w!#$%&\'*+.^`|~:/-])|"(?P<text>no?)")',
    re.IGNORECASE | re.ASCII,
)


class OptOutSignal(Word):
    """A way to say no to training. The value is how the ledger's `detail` begins, the meaning is where it stands."""

    X_ROBOTS_TAG = "X-Robots-Tag", "Header of the image's response: `noai` or `noimageai`."
    CONTENT_USAGE = "Content-Usage", "Header of the image's response: `train-ai=n` (IETF AI Preferences)."
    CONTENT_SIGNAL = "Content-Signal", "Header of the image's response: `ai-train=no` (contentsignals.org)."
    TDM = "TDM", "Header of the image's response: `tdm-reservation: 1` (W3C TDM Reservation Protocol)."
    ROBOTS_CONTENT_USAGE = "robots.txt Content-Usage", "Rule of the host's robots.txt: `train-ai=n`, of all or a path."
    ROBOTS_CONTENT_SIGNAL = (
        "robots.txt Content-Signal",
        "Rule of the host's robots.txt: `ai-train=no`, of all or a path.",
    )
    TDM_FILE = "tdmrep.json", "Rule of the host's `/.well-known/tdmrep.json`: `tdm-reservation` is 1."
    META_ROBOTS = "meta robots", "Tag of the work's page, for all robots or `bilderatlas`: `noai` or `noimageai`."
    META_CONTENT_USAGE = "meta Content-Usage", "Tag of the work's page: `train-ai=n`."
    META_CONTENT_SIGNAL = "meta Content-Signal", "Tag of the work's page: `ai-train=no`."
    META_TDM = "meta tdm-reservation", "Tag of the work's page: `tdm-reservation` is 1."

    def detail(self, value: str) -> str:
        """What the ledger says of a record that the signal leaves out: `<signal>: <value>`."""
        return f"{self}: {value}"


def signal_of_detail(detail: str | None) -> OptOutSignal | None:
    """The signal in a ledger's `detail`; None for one that has none that is known.

    >>> signal_of_detail("robots.txt Content-Usage: /images/ train-ai=n").value, signal_of_detail("because: x") is None
    ('robots.txt Content-Usage', True)
    """
    word = (detail or "").partition(":")[0]
    return OptOutSignal(word) if word in {str(signal) for signal in OptOutSignal} else None


def refusal_of_training(statement: str) -> str | None:
    """The first label in a statement of preferences that says no to training, with its no; None if none does.

    The statement is a dictionary (RFC 9651), but what reads as a no counts also where the rest is broken, where the
    label stands again with another value, or in another case. Linear in the length of the statement.

    >>> refusal_of_training("search=y, train-ai=n;p=1"), refusal_of_training("Search=yes,AI-Train = No")
    ('train-ai=n', 'ai-train=no')
    >>> refusal_of_training('train-ai=y, ai-use=n, note="train-ai=n"') is None
    True
    """
    # quotes that are not in pairs say nothing about what is quoted
    for match in _NO.finditer(statement.replace('"', " ") if statement.count('"') % 2 else statement):
        if match["label"]:
            return f"{match['label']}={match['no'] or match['text']}".lower()
    return None


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


def tdm_reservation(values: Iterable[str]) -> bool | None:
    """Whether rights are reserved, by the values of `tdm-reservation`: any 1, else any 0; None if there is neither.

    >>> tdm_reservation(["1"]), tdm_reservation(["0, 0"]), tdm_reservation(["yes"]), tdm_reservation(["0", "1"])
    (True, False, None, True)
    """
    words = {word.strip() for value in values for word in value.split(",")}
    return True if "1" in words else False if "0" in words else None


def reserved(policies: Iterable[object]) -> str:
    """The value of a detail for reserved rights: "1", and where the policy is, if that is an https address.

    >>> reserved([]), reserved([None, "ftp://a.example/", "https://a.example/policy.json"])
    ('1', '1, policy https://a.example/policy.json')
    """
    for policy in policies:
        address = policy.strip() if isinstance(policy, str) else ""
        if re.fullmatch(r"https://[!-~]+", address):
            return f"1, policy {shortened(address, _LONGEST_POLICY)}"
    return "1"


def shortened(text: str, most: int) -> str:
    """The first characters of a text, with dots if it goes on.

    >>> shortened("/images/", 8), shortened("/images/1", 8)
    ('/images/', '/images/...')
    """
    return text if len(text) <= most else f"{text[:most]}..."


def header_opt_out(values_of: Callable[[str], Iterable[str]]) -> str | None:
    """The detail of the first header of an image's response that says no to training; None if none does.

    values_of: gives the values of all header lines of a name.
    """
    if directive := opt_out_directive(values_of("X-Robots-Tag")):
        return OptOutSignal.X_ROBOTS_TAG.detail(directive)
    for signal in (OptOutSignal.CONTENT_USAGE, OptOutSignal.CONTENT_SIGNAL):
        if refusal := next(filter(None, map(refusal_of_training, values_of(signal))), None):
            return signal.detail(refusal)
    if tdm_reservation(values_of("tdm-reservation")):
        return OptOutSignal.TDM.detail(reserved(values_of("tdm-policy")))
    return None
