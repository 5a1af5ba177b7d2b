"""What every protocol gives back: one look for all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from prefect.artifacts import create_markdown_artifact
from prefect.context import FlowRunContext

from tasks.core.evaluate import charts, systems_page
from tasks.core.evaluate.systems import LEAST_REPLICATES, LEAST_UNITS, Ranking
from tasks.core.evaluate.systems_page import Headings
from tasks.io.files import outputs
from tasks.io.store.store import parquet_bytes


class Resampling(NamedTuple):
    """How intervals are computed: so many resamples of the units (0: no intervals), drawn with this seed."""

    replicates: int = 1000
    seed: int = 0


@dataclass(frozen=True)
class Evaluation:
    """summary: Markdown. files: by name, the page, tables and charts. notes: sentences, as on what was left out."""

    protocol: str
    summary: str
    files: Mapping[str, bytes]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The summary."""
        return self.summary

    def _repr_markdown_(self) -> str:
        """What a notebook shows."""
        return self.summary

    def table(self, name: str = "scores") -> pa.Table:
        """One of its tables. Raises KeyError for a name that is none."""
        return pq.ParquetFile(pa.BufferReader(self.files[f"{name}.parquet"])).read()

    def write(self, out: str) -> None:
        """Write all files into a folder, which is made if need be. Raises BadInput where that can't be."""
        outputs.write("--out", out, dict(self.files))

    def show(self) -> None:
        """Leave the summary on Prefect's page; nothing outside a flow."""
        if FlowRunContext.get() is not None:
            create_markdown_artifact(self.summary, key=self.protocol, description="What was measured")


def make_folder(out: str) -> None:
    """Raise BadInput where no such folder can be made: better before an hour's work than after."""
    outputs.write("--out", out, {})


def evaluation(
    protocol: str,
    scores: pa.Table,
    headings: Headings,
    ranking: Ranking,
    resampling: Resampling,
    *,
    more: Sequence[str] = (),
    details: Sequence[str] = (),
    notes: Sequence[str] = (),
    tables: Mapping[str, pa.Table] | None = None,
    plots: Mapping[str, str] | None = None,
    files: Mapping[str, bytes] | None = None,
) -> Evaluation:
    """more: lines of Markdown that only this protocol has; details: that only the page has. tables, plots: what is
    written besides, by name without ending; a plot without anything to show is left out. files: other files, by name.
    """
    drawn = {"scores": charts.plot_systems(scores, ranking, headings.metrics[ranking.metric]), **(plots or {})}
    lines = [*more, *([""] if more and details else []), *details]
    page = systems_page.page(scores, headings, ranking, lines, notes, _how(headings, resampling))
    summary = "\n".join([*systems_page.summary_lines(scores, headings, ranking), *(["", *more] if more else [])])
    written = {
        **(files or {}),
        f"{protocol}.md": page.encode(),
        **{f"{name}.parquet": parquet_bytes(table) for name, table in {"scores": scores, **(tables or {})}.items()},
        **{f"{name}.svg": plot.encode() for name, plot in drawn.items() if plot},
    }
    return Evaluation(protocol, summary, written, tuple(notes))


def _how(headings: Headings, resampling: Resampling) -> str:
    blank = "A blank means that there is nothing to score."
    if not resampling.replicates:
        return blank
    if resampling.replicates < LEAST_REPLICATES:
        return f"No intervals: they need {LEAST_REPLICATES} resamples. {blank}"
    drawn = f"{resampling.replicates:,} resamples of the {headings.units} (seed {resampling.seed})"
    few = f"which are the same for all systems; none of fewer than {LEAST_UNITS} {headings.units}"
    return f"Numbers in brackets are 95 % intervals of {drawn}, {few}. {blank}"
