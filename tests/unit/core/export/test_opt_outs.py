"""Opt-outs as a card counts them."""

import pyarrow as pa
import pytest

from schemas.opt_outs import OptOutSignal
from tasks.core.export.opt_outs import opt_out_lines, opt_outs_by_signal

NONE = "No record was left out for such a signal."


def opted_out(*rows: tuple[str | None, str | None]) -> dict[str, int]:
    schema = pa.schema([("reason", pa.string()), ("detail", pa.string())])
    ledger = pa.Table.from_pylist([{"reason": reason, "detail": detail} for reason, detail in rows], schema=schema)
    return opt_outs_by_signal(ledger)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [(None, None)],
        [("robots_disallow", "robots.txt of a.example"), ("not_found", "TDM: 1"), (None, "Content-Usage: train-ai=n")],
    ],
)
def test_without_opt_outs_the_card_says_so(rows):
    lines = opt_out_lines(opted_out(*rows))
    assert NONE in lines
    assert not [line for line in lines if line.startswith("|")]


def test_records_are_counted_by_signal_in_the_order_of_the_signals():
    rows = [
        ("opted_out", "TDM: 1, policy https://a.example/p"),
        ("opted_out", "robots.txt Content-Signal: ai-train=no"),
        ("opted_out", "X-Robots-Tag: noai"),
        ("opted_out", "robots.txt Content-Signal: /images/ ai-train=no"),
        ("opted_out", None),
        ("opted_out", "a word of an older program: x"),
        (None, None),
    ]
    lines = opt_out_lines(opted_out(*rows))
    assert NONE not in lines
    assert [line for line in lines if line.startswith("|")] == [
        "| signal | records left out |",
        "|---|---|",
        "| X-Robots-Tag | 1 |",
        "| TDM | 1 |",
        "| robots.txt Content-Signal | 2 |",
        "| another signal | 2 |",
    ]


@pytest.mark.parametrize("signal", list(OptOutSignal), ids=str)
def test_every_signal_is_named_and_counted(signal):
    lines = opt_out_lines(opted_out(("opted_out", signal.detail("x"))))
    assert f"| {signal} | 1 |" in lines
    assert f"`{signal}`" in "\n".join(lines)
