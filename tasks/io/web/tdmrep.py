"""What a host reserves in /.well-known/tdmrep.json: the TDM Reservation Protocol, W3C community group, 10 May 2024."""

import json
from typing import Any

from schemas.opt_outs import OptOutSignal, reserved, shortened
from schemas.phrases import printable
from tasks.io.web.path_patterns import PathPattern, path_of_url

ADDRESS = "/.well-known/tdmrep.json"
_LONGEST_LOCATION = 80


class TdmFile:
    """One host's tdmrep.json: rules in order, of which the first whose location matches counts."""

    def __init__(self, data: bytes) -> None:
        """Data that are no list of rules have none; rules without a location, or without 0 or 1, are passed over."""
        self._rules: list[tuple[PathPattern, str | None]] = []
        try:
            entries: Any = json.loads(data)
        except (ValueError, RecursionError):
            return
        # a single rule must stand in a list, too, but it can only mean itself
        for entry in [entries] if isinstance(entries, dict) else entries if isinstance(entries, list) else []:
            location = entry.get("location") if isinstance(entry, dict) else None
            if isinstance(location, str) and (value := _reservation(entry)) is not None:
                location = location.strip()
                pattern = PathPattern(location if location.startswith(("/", "*")) else f"/{location}")
                shown = printable(shortened(location, _LONGEST_LOCATION))
                words = OptOutSignal.TDM_FILE.detail(f"{shown} {reserved([entry.get('tdm-policy')])}")
                self._rules.append((pattern, words if value else None))

    def opt_out(self, url: str) -> str | None:
        """The detail of the rule that reserves what is at the address; None if it is not reserved."""
        path = path_of_url(url)
        return next((words for pattern, words in self._rules if pattern.matches(path)), None)


def _reservation(entry: dict[str, Any]) -> bool | None:
    value = entry.get("tdm-reservation")
    return True if value in (1, "1") else False if value in (0, "0") else None
