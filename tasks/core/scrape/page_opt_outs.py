"""Tags in a page of HTML by which the works that it shows are not for training."""

from html import unescape

from schemas.manners import AGENT
from schemas.opt_outs import OptOutSignal, opt_out_directive, refusal_of_training, reserved, tdm_reservation
from tasks.core.scrape.page_tokens import page_tokens

_ROBOTS = {"robots", AGENT, "x-robots-tag"}
_STATEMENTS = {
    "content-usage": OptOutSignal.META_CONTENT_USAGE,
    "content-signal": OptOutSignal.META_CONTENT_SIGNAL,
}
_WORDS = ("noai", "noimageai", "tdm-reservation", *_STATEMENTS)


def page_opt_out(html: str) -> str | None:
    """The detail of the first tag that says no to training; None if none does. Any text is a page, in linear time.

    Tags are read wherever they stand, also those that repeat a header (`http-equiv`).

    >>> page_opt_out('<meta name="robots" content="noindex, noai"><meta name="tdm-reservation" content="1">')
    'meta robots: noai'
    """
    text = unescape(html).lower()
    if not any(word in text for word in _WORDS):  # most pages have none, and need not be taken apart
        return None
    tags = [
        ((token.attributes.get("name") or token.attributes.get("http-equiv", "")).strip().lower(), content)
        for token in page_tokens(html)
        if token.tag == "meta" and (content := token.attributes.get("content"))
    ]
    policies = [content for name, content in tags if name == "tdm-policy"]
    return next(filter(None, (_detail(name, content, policies) for name, content in tags)), None)


def _detail(name: str, content: str, policies: list[str]) -> str | None:
    if name in _ROBOTS:
        directive = opt_out_directive([content])
        return directive and OptOutSignal.META_ROBOTS.detail(directive)
    if signal := _STATEMENTS.get(name):
        refusal = refusal_of_training(content)
        return refusal and signal.detail(refusal)
    if name == "tdm-reservation" and tdm_reservation([content]):
        return OptOutSignal.META_TDM.detail(reserved(policies))
    return None
