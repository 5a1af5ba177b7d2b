"""How a build behaves as a guest: how fast it asks, how often it tries, when it stops."""

from pydantic import Field

from schemas.frozen import Frozen


class HostManners(Frozen):
    """What one host may be asked. All workers of a run share it."""

    rate_per_s: float = Field(
        5, gt=0, le=100_000, description="Requests per second at most: a ceiling, from which throttling slows down"
    )
    connections: int = Field(4, ge=1, le=256, description="Requests at once at most")


class Manners(HostManners):
    """What every host may be asked, and where one host has terms of its own."""

    hosts: dict[str, HostManners] = Field(
        default_factory=dict, description="Host: other limits than the general ones, e.g. those of an API's terms"
    )
    tries: int = Field(
        4, ge=1, le=10, description="Times that a failing request is sent in one build, the first included"
    )
    longest_wait_s: float = Field(
        300, ge=0, le=86_400, description="A host that asks for a longer pause is left alone for the rest of the build"
    )
    max_requests: int | None = Field(None, ge=1, description="Requests per build, all hosts together")
    max_bytes: int | None = Field(None, ge=1, description="Bytes received per build, all hosts together")

    def of(self, host: str) -> HostManners:
        """The limits of one host."""
        return self.hosts.get(host, self)
