"""Pages as tests read them."""


def without_isolation(html: str) -> str:
    """HTML without the tags that keep texts from outside by themselves."""
    return html.replace("<bdi>", "").replace("</bdi>", "")
