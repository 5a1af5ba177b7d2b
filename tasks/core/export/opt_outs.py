"""What a card says of opt-outs: which signals were honoured, and how many records each has left out."""

from collections import Counter
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from schemas.opt_outs import OptOutSignal, signal_of_detail
from schemas.reasons import Reason

_OTHER = "another signal"


def opt_outs_by_signal(ledger: pa.Table) -> dict[str, int]:
    """How many records each signal has left out, in the order of signals. ledger: its reason and detail."""
    details = ledger.filter(pc.equal(ledger["reason"], str(Reason.OPTED_OUT)))["detail"].to_pylist()
    counts = Counter(str(signal_of_detail(detail) or _OTHER) for detail in details)
    return {name: counts[name] for name in (*map(str, OptOutSignal), _OTHER) if counts[name]}


def opt_out_lines(counts: Mapping[str, int]) -> list[str]:
    """Lines of Markdown; where nothing was left out they say so. counts: of `opt_outs_by_signal`."""
    return [
        "## Opt-outs",
        "",
        "Images are taken from the web only where none of these signals says no to training: "
        f"{', '.join(f'`{signal}`' for signal in OptOutSignal)}. They count from when an image is asked for: what "
        "was fetched before is kept until it is asked for again.",
        "",
        *(
            ["| signal | records left out |", "|---|---|", *(f"| {name} | {count} |" for name, count in counts.items())]
            if counts
            else ["No record was left out for such a signal."]
        ),
        "",
    ]
