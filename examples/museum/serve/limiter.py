"""Whether a host is asked more often than it wishes, and how many requests were too many."""

from collections import Counter, deque
from math import ceil

# requests leave at even distances and arrive at uneven ones
_JITTER_FRACTION = 0.1


class Limiter:
    """Lets through so many requests of a host in any second as its rate says; under one a second, one in its time.

    The second is a tenth shorter than it should be, so that nobody is blamed for the way that requests had. Requests
    that are turned away do not count against later ones.
    """

    def __init__(self, rate_per_s: float | None) -> None:
        if rate_per_s is not None and not rate_per_s > 0:
            raise ValueError(f"expected a rate above 0 requests/s, got {rate_per_s}")
        self.violations: Counter[str] = Counter()
        self._most = None if rate_per_s is None else max(1, int(rate_per_s))
        self._window_s = (1.0 - _JITTER_FRACTION) * (self._most or 1) / (rate_per_s or 1.0)
        self._let_in: dict[str, deque[float]] = {}

    def pause_s(self, host: str, now_s: float) -> int | None:
        """None for a request that is let through; else whole seconds to wait, at least 1."""
        if self._most is None:
            return None
        times = self._let_in.setdefault(host, deque())
        while times and times[0] <= now_s - self._window_s:
            times.popleft()
        if len(times) < self._most:
            times.append(now_s)
            return None
        self.violations[host] += 1
        return max(1, ceil(times[0] + self._window_s - now_s))
