"""How a source's secret is sent: to one host, in one way.

The secret itself stands nowhere but in the machine's keeping.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Credential:
    """How a secret is sent: as a parameter of the query, to this host alone; by way of a log-in where there is one.

    parameter: name of the query parameter that carries the key (or, after a log-in, the session's key).
    login_url: where a session begins; the secret is then `<first>:<second>`, sent there under `login_parameters`; the
    JSON answer's `session_field` is the session's key, good for `session_s` seconds.
    """

    host: str
    parameter: str
    login_url: str | None = None
    login_parameters: tuple[str, str] = ("", "")
    session_field: str = ""
    session_s: float = 0.0
