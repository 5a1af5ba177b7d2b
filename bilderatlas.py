"""bilderatlas in Python: what the commands do, as functions (docs/python.md).

    import bilderatlas

    release = bilderatlas.build("museum", store="store", bind={"images": "build/museum", "weights": "figures.onnx"})
    images = release.pandas("images", columns=["record_id", "split"])

They work in a program, in a notebook, where an event loop is running, and within a Prefect flow of one's own. What a
person can do something about is an exception with one sentence: `BadInput` (what was given), `Refusal` (a gate has
refused a release), `BrokenPromise` (a check fails).
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Annotated, Any

from flows.environment import set_environment
from flows.parameters import BINDINGS, RECIPE, STORE, Argument, Count, Device, Option, documented, with_texts
from schemas.errors import BadInput, BrokenPromise, Refusal
from schemas.layouts import FilterWord, LayoutWord, Light

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from tasks.evaluate.evaluation import Evaluation
    from tasks.statistics import TruthStatistics
    from tasks.subjects.comparison import Comparison
    from tasks.verify import Verification

__all__ = [
    "BadInput",
    "BrokenPromise",
    "OpenRelease",
    "Refusal",
    "build",
    "diff",
    "evaluate",
    "open_release",
    "plan",
    "statistics",
    "unpack",
    "verify",
    "why",
]

Place = str | PathLike[str]
"""A path, or an fsspec URL."""
Recipe = Annotated[Place, Argument("RECIPE"), RECIPE]
Url = Annotated[Place, Option("URL"), STORE]
Bindings = Annotated[Mapping[str, Place], Option("NAME=VALUE"), BINDINGS]
Changes = Annotated[Sequence[str] | Mapping[str, Any], Option("stages.LABEL.FIELD=VALUE", "--set")]
Version = Annotated[str, Option("VERSION")]

set_environment()


class OpenRelease:
    """A published release, whose tables are read when they are asked for. It never changes.

    Raises BadInput where there is none, and DamagedFile where one of its files is damaged.
    """

    def __init__(self, place: Place) -> None:
        from tasks.io.store.releases import Release

        self._release = Release(fspath(place))

    def __repr__(self) -> str:
        """Name, version and number of images."""
        return f"<{self.name} {self.version}: {self.manifest['counts']['kept']:,} images, {self.url}>"

    @property
    def url(self) -> str:
        """Where it is: the folder of this version."""
        return self._release.url

    @property
    def name(self) -> str:
        """The dataset's name."""
        return str(self._release.manifest.name)

    @property
    def version(self) -> str:
        """Twelve hex digits, of the content and the recipe."""
        return str(self._release.manifest.version)

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """All of `manifest.json`."""
        return self._release.manifest_fields

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """The names of its tables: annotations, images, ledger, statistics/images ..."""
        from schemas.contract import SPLIT_TABLES

        paths = [path for path in self._release.manifest.files if path.endswith(".parquet")]
        by_split = {path: folder for path in paths if (folder := path.partition("/")[0]) in SPLIT_TABLES}
        return tuple(sorted({by_split.get(path, path.removesuffix(".parquet")) for path in paths}))

    def arrow(self, table: str, columns: Sequence[str] | None = None) -> "pa.Table":
        """A table, all splits together, in the order of its files. columns: only these. Raises BadInput for others."""
        import pyarrow as pa

        if table not in self.tables:
            raise BadInput(f"expected one of the tables {', '.join(self.tables)}, got '{table}'")
        known = self._release.column_names(table)
        if unknown := [name for name in columns or () if name not in known]:
            raise BadInput(f"expected columns of {table}, {', '.join(known)}, got '{unknown[0]}'")
        parts = []
        for path in self._release.parts(table):
            with self._release.open_parquet(path) as parquet:
                parts.append(parquet.read(columns=columns and [*columns]))
        return pa.concat_tables(parts)

    def pandas(self, table: str, columns: Sequence[str] | None = None) -> "pd.DataFrame":
        """As `arrow`, as a data frame. Leave out `image` of the images where their bytes are not needed."""
        frame: pd.DataFrame = self.arrow(table, columns).to_pandas()
        return frame


def open_release(place: Place) -> OpenRelease:
    """A release: its folder or URL, or the file `latest` beside the versions."""
    return OpenRelease(place)


@documented
def build(
    recipe: Recipe,
    *,
    store: Url = "./store",
    bind: Bindings | None = None,
    changes: Changes | None = None,
    limit: Count | None = None,
    dask: Annotated[str, Option("ADDRESS")] | None = None,
    workers: Count | None = None,
    part_rows: Count | None = None,
    device: Device = "auto",
    previous: Version | None = None,
) -> OpenRelease:
    """Build the dataset of a recipe and publish a release. Only what the store lacks is computed.

    Args:
        changes: Settings for this run, such as stages.sample.at_most (`bilderatlas settings` lists them all).
        limit: Number of records to take of each source; such a release never becomes `latest`.
        dask: Address of a Dask cluster on which the parts run, such as tcp://scheduler:8786.
        workers: Number of parts of a stage that run at the same time, 1 or more; by default one for each core.
        part_rows: Number of rows in a part; by default chosen by the number of workers.
        previous: Version whose splits images keep; by default the newest; `none` to assign all splits anew.

    """
    given = {name: value for name, value in locals().items() if name != "dask"}
    from flows.local_build import build_here, parameters_of

    return open_release(build_here(parameters_of(given), dask).release)


def plan(
    recipe: Recipe,
    *,
    store: Url = "./store",
    bind: Bindings | None = None,
    changes: Changes | None = None,
    limit: Count | None = None,
    previous: Version | None = None,
) -> str:
    """Show what a build would do, without doing it: a table. Parameters as of `build`."""
    given = dict(locals())
    from flows.build_dataset import plan as planned
    from flows.build_dataset import request
    from flows.local_build import parameters_of
    from tasks.page.terminal import plan_summary

    return plan_summary(planned(*request(parameters_of(given))))


def verify(
    release: Place,
    *,
    deep: bool = False,
    expect: str | None = None,
    against: Place | Sequence[Place] = (),
    radius_bits: int | None = None,
) -> "Verification":
    """Check a release: digests, contract, counts, copies across splits. `is_good` says whether all holds, `problems`
    what does not, `text` all of it, `sha256` which release it is. deep: also decode every image and measure it again.
    expect: the `sha256` that it should have. against: releases, files of fingerprints or folders of images; `overlaps`
    lists the images that they have, too, as an Arrow table. radius_bits: as `--radius-bits`.
    """
    from tasks.verify import verify as verified

    others = [fspath(other) for other in ([against] if isinstance(against, str | PathLike) else against)]
    return verified(fspath(release), is_deep=deep, expected_sha256=expect, against=others, radius_bits=radius_bits)


def diff(before: Place, after: Place) -> "Comparison":
    """What changed between two releases, and why: `text`, `json`, and `changes`, a row a change."""
    from tasks.diff import diff as compared

    return compared(fspath(before), fspath(after))


def why(release: Place, record_id: str) -> str:
    """What each stage decided about a record: <source>:<key>."""
    from tasks.why import why as told

    return told(fspath(release), record_id)


def unpack(
    release: Place,
    folder: Place,
    *,
    splits: Sequence[str] = (),
    store: Place | None = None,
    layout: LayoutWord = "release",
    side_px: int | None = None,
    rights: Sequence[str] = (),
    filter: FilterWord = "robidoux",
    light: Light = "levels",
    as_stored: bool = False,
) -> str:
    """Lay out a release's images as files beside COCO files that name them; a sentence on what was done.

    splits: only these. store: where it was built, needed if it holds no images itself. layout, side_px,
    rights, filter, light: as in docs/unpacking.md. as_stored: pictures that lie on their side are not turned upright.
    """
    from schemas.formats import format_of
    from tasks.unpack import unpack as unpacked

    place = None if store is None else fspath(store)
    return unpacked(
        fspath(release),
        fspath(folder),
        [*splits],
        place,
        layout=format_of(layout, side_px=side_px, rights=rights, filter=filter, light=light),
        is_as_stored=as_stored,
    )


def statistics(
    *truths: Place,
    by: str | Sequence[str] = (),
    categories: str | Sequence[str] = (),
    without_crowds: bool = False,
) -> "TruthStatistics":
    """What releases, COCO files and VOC folders hold, side by side: a text in Markdown; `table()` gives its numbers
    (Arrow), `write(folder)` writes the page, the tables and the plots. Parameters as of the command
    (docs/statistics.md).
    """
    from tasks.statistics import statistics as counted

    names, attributes = ([value] if isinstance(value, str) else [*value] for value in (categories, by))
    return counted([fspath(truth) for truth in truths], by=attributes, categories=names, has_crowds=not without_crowds)


def evaluate(protocol: str, *inputs: Place, **options: Any) -> "Evaluation":
    """Measure as the papers do. `table()` of what comes back is `scores` (Arrow), its text the summary in Markdown;
    `write(folder)` writes the page, the tables and the charts.

    protocol: a word of `bilderatlas evaluate --help`, such as "detector". inputs, options: as of its command
    (docs/evaluating.md), where an option that may be repeated is a list, and `--set FIELD=VALUE` is
    `changes={field: value}`: evaluate("classification", predictions=["a=a.csv"], bootstrap=0).
    """
    from inspect import signature

    from flows.evaluate import evaluate_by, function_of
    from flows.settings import changes_of

    function = function_of(protocol)
    if "changes" in options:
        options["changes"] = changes_of(options["changes"] or ())
    try:
        given = signature(function).bind(*inputs, **options).arguments
    except TypeError as problem:
        raise BadInput(f"evaluate {protocol}: expected its inputs and options, got other ones: {problem}") from None
    return evaluate_by(protocol, with_texts(given))
