"""statistics: what releases, COCO files and VOC folders hold, side by side: the papers' tables and figures of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import BadInput
from tasks.core.statistics import curves, page, side_by_side
from tasks.core.statistics.contents import CountedBy
from tasks.core.statistics.figures import TruthContents
from tasks.io.files import outputs
from tasks.io.store.store import parquet_bytes
from tasks.statistics.truths import read_truth


@dataclass(frozen=True)
class TruthStatistics:
    """What `statistics` has found. text: Markdown. files: by name, the page, tables and plots."""

    text: str
    files: Mapping[str, bytes]

    def __str__(self) -> str:
        """The page."""
        return self.text

    def _repr_markdown_(self) -> str:
        """What a notebook shows."""
        return self.text

    def table(self, name: str = "statistics") -> pa.Table:
        """One of its tables: statistics, histograms, splits, classes. Raises KeyError for a name that is none."""
        return pq.ParquetFile(pa.BufferReader(self.files[f"{name}.parquet"])).read()

    def write(self, out: str) -> None:
        """Write all files into a folder, which is made if need be. Raises BadInput where that can't be."""
        outputs.write("--out", out, dict(self.files))


def statistics(
    truths: Sequence[str],
    *,
    by: Sequence[str] = (),
    categories: Sequence[str] | None = None,
    has_crowds: bool = True,
) -> TruthStatistics:
    """The statistics of some truths. by: attributes; categories: None: all; has_crowds: a crowd counts as a figure.

    Raises BadInput for what is no truth, and for an attribute or a category that one of them does not have.
    """
    if not truths:
        raise BadInput("statistics: expected at least one truth, got none")
    counted_by = CountedBy(tuple(dict.fromkeys(categories or CountedBy().categories)), tuple(dict.fromkeys(by)))
    contents = _with_own_names([read_truth(truth, counted_by) for truth in truths])
    tables = side_by_side.truth_tables(contents, has_crowds=has_crowds)
    notes = [f"{one.name}: {note}" for one in contents for note in one.notes]
    text = page.page(tables.statistics, tables.splits, notes, page.how(has_crowds=has_crowds))
    written = {name: table for name, table in tables._asdict().items() if table.num_rows or name == "statistics"}
    files = {
        "statistics.md": text.encode(),
        **{f"{name}.parquet": parquet_bytes(table) for name, table in written.items()},
        **{f"{name}.svg": plot.encode() for name, plot in curves.plots(tables).items()},
    }
    return TruthStatistics(text, files)


def _with_own_names(truths: Sequence[TruthContents]) -> list[TruthContents]:
    """The truths; of those of one name the second has (2) behind it, and so on."""
    times: Counter[str] = Counter()
    found = []
    for truth in truths:
        times[truth.name] += 1
        again = times[truth.name]
        found.append(truth if again == 1 else truth._replace(name=f"{truth.name} ({again})"))
    return found
