"""How a source's secret is sent: to one host, in one way. The secret itself is not part of it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Credential:
    """How a secret is sent: as a query parameter, to this host only; with a log-in, a session token in its place.

    parameter: name of the query parameter for the secret (or, after a log-in, for the session token).
    login_url: the secret is then `<first>:<second>`, sent there as the two `login_parameters`; `session_field` of the
    JSON answer is the session token, which is valid for `session_s` seconds.
    """

    host: str
    parameter: str
    login_url: str | None = None
    login_parameters: tuple[str, str] = ("", "")
    session_field: str = ""
    session_s: float = 0.0
