"""Museums' own words: which records are read by which."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

OwnWords = Mapping[str, str]
"""By source, the JSON of its own words. Most sources have none."""
NO_WORDS: OwnWords = MappingProxyType({})


def rows_by_words(sources: pa.ChunkedArray, own: OwnWords) -> Iterator[tuple[str | None, NDArray[np.int64]]]:
    """Each own words with the rows of the sources that have them, ascending; first None with those that have none.

    sources: (N,) names. Each row comes once; nothing comes for no rows.
    """
    named: defaultdict[str, list[str]] = defaultdict(list)
    for source in pc.unique(sources).to_pylist():
        named[own.get(source, "")].append(source)
    for words, names in sorted(named.items()):
        yield words or None, np.flatnonzero(pc.is_in(sources, value_set=pa.array(names, pa.string())))
