"""What a card says of opt-outs: which signals were honoured, and how many records each has left out."""

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from schemas.opt_outs import OptOutSignal, signal_of_detail
from schemas.reasons import Reason

_OTHER = "another signal"


def opt_out_lines(ledger: pa.Table) -> list[str]:
    """Lines of Markdown; of a ledger without a drop `opted_out` they say so. ledger: its reason and detail."""
    details = ledger.filter(pc.equal(ledger["reason"], str(Reason.OPTED_OUT)))["detail"].to_pylist()
    counts = Counter(str(signal_of_detail(detail) or _OTHER) for detail in details)
    names = [name for name in (*map(str, OptOutSignal), _OTHER) if counts[name]]
    return [
        "## Opt-outs",
        "",
        "Images are taken from the web only where none of these signals says no to training: "
        f"{', '.join(f'`{signal}`' for signal in OptOutSignal)}. They count from when an image is asked for: what "
        "was fetched before is kept until it is asked for again.",
        "",
        *(
            ["| signal | records left out |", "|---|---|", *(f"| {name} | {counts[name]} |" for name in names)]
            if names
            else ["No record was left out for such a signal."]
        ),
        "",
    ]
