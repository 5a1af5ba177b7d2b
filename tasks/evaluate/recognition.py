"""evaluate recognition: how photographs of artworks are recognised among a museum's exhibits (The Met dataset)."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_images import RecognitionSettings
from schemas.phrases import counted, quoted
from tasks.core.evaluate.recognition import page
from tasks.core.evaluate.recognition.neighbours import multiply
from tasks.core.evaluate.recognition.recognise import Recognition, predictions_of, recognise
from tasks.core.evaluate.recognition.scores import (
    LABELS,
    distractor_parts,
    distractors_table,
    gallery_sizes,
    scorer,
    sizes_table,
)
from tasks.core.evaluate.recognition.tables import (
    Gallery,
    Queries,
    check_gallery,
    check_predictions,
    check_queries,
    check_vectors,
    foreign_notes,
    leak_notes,
)
from tasks.core.evaluate.systems import Ranking, groups_of, score_systems
from tasks.core.evaluate.systems_page import Headings
from tasks.evaluate.evaluation import Evaluation, Resampling, evaluation
from tasks.io.files.arrays import read_table, read_vectors
from tasks.io.matrix_products import product_on

_COLUMNS = pa.schema([(name, pa.string()) for name in ("id", "class", "type", "photographer")])
_GALLERY = pa.schema([("id", pa.string()), ("class", pa.string())])
_PREDICTIONS = pa.schema([("id", pa.string()), ("prediction", pa.string()), ("confidence", pa.float64())])
_RANKING = Ranking("GAP")
_FILES = ("gallery", "val", "test")


class Images(NamedTuple):
    """The tables that say what is compared; each a path or URL. val: None where k and the temperature are given."""

    gallery: str
    test: str
    val: str | None


class _Comparison(NamedTuple):
    """What is compared, read; all by id, so that it does not matter how the files are sorted.

    val: none where k and the temperature are given. test_rows: the whole table of the test queries. orders: by the name
    of each file, the places of its rows.
    """

    gallery: Gallery
    val: Queries
    test: Queries
    test_rows: pa.Table
    orders: Mapping[str, NDArray[Any]]


def evaluate_recognition(
    images: Images,
    systems: Mapping[str, str],
    settings: RecognitionSettings,
    resampling: Resampling,
    by: Sequence[str] = (),
    threads: int = 2,
    device: str = "cpu",
    predictions: Mapping[str, str] | None = None,
) -> Evaluation:
    """GAP, GAP- and ACC of each system on the test queries, with k and the temperature that are best on val.

    systems: by name, its vectors as "GALLERY,VAL,TEST", or "GALLERY,TEST" without val: files whose rows are those of
    the tables (.npy, or a table with a column `vector`). by: columns of the test queries' table. device: where vectors
    are multiplied. predictions: by the name of each system that is not compared by vectors, a table of what it says of
    the test queries. Raises BadInput.
    """
    given = predictions or {}
    _check_names(systems, given)
    comparison = _read(images, settings, by, has_systems=bool(systems))
    gallery, test = comparison.gallery, comparison.test
    leaks = leak_notes(comparison.val, test)
    found, zeros = _recognise_all(comparison, systems, settings, threads, device)
    notes = [*leaks, *zeros, *page.tie_notes(found, settings.ties)]
    several = {name: predictions_of(one, gallery) for name, one in found.items()}
    for name, url in given.items():
        several[name] = check_predictions(name, read_table(name, url, _PREDICTIONS), gallery, test)
        notes += foreign_notes(name, several[name], gallery)
    outcomes = {name: own.outcomes for name, own in several.items()}
    parts = distractor_parts(test.ids, test.is_met, test.type, settings.distractors, settings.seed)
    distractors = distractors_table(parts, outcomes, *resampling)
    sizes = sizes_table(outcomes, gallery_sizes(test.class_of, gallery.class_of))
    tables = {
        "predictions": page.predictions_table(test, gallery, several),
        "grid": page.grid_table(found, settings),
        "distractors": distractors,
        "sizes": sizes,
    }
    scores = score_systems(
        {name: scorer(own) for name, own in outcomes.items()},
        len(test.ids),
        groups_of(comparison.test_rows, by),
        _RANKING,
        *resampling,
    )
    return evaluation(
        "recognition",
        scores,
        Headings("Recognition", "system", "query", "queries", LABELS),
        _RANKING,
        resampling,
        more=page.page_lines(found, distractors, sizes),
        notes=notes,
        tables={name: rows for name, rows in tables.items() if rows.num_rows},
    )


def _check_names(systems: Mapping[str, str], predictions: Mapping[str, str]) -> None:
    if not systems and not predictions:
        expected = "expected a system as NAME=GALLERY,VAL,TEST, or --predictions NAME=FILE"
        raise BadInput(f"--system: {expected}, got neither")
    if both := [name for name in predictions if name in systems]:
        raise BadInput(f"--predictions: expected other names than those of --system, got {quoted(both[0])} in both")


def _recognise_all(
    comparison: _Comparison,
    systems: Mapping[str, str],
    settings: RecognitionSettings,
    threads: int,
    device: str,
) -> tuple[dict[str, Recognition], list[str]]:
    """What each system's vectors say, and a note for each that has vectors of zeros."""
    found: dict[str, Recognition] = {}
    notes: list[str] = []
    if not systems:
        return found, notes
    product = product_on(device) or multiply
    for name, files in systems.items():
        vectors, zeros = _vectors(name, files, comparison)
        found[name] = recognise(
            comparison.gallery,
            vectors["gallery"],
            (comparison.val, vectors.get("val", vectors["test"][:0])),
            (comparison.test, vectors["test"]),
            settings,
            threads,
            product,
        )
        if zeros:
            notes.append(f"{name}: {counted(zeros, 'vector')} of zeros, as near to everything")
    return found, notes


def _read(images: Images, settings: RecognitionSettings, by: Sequence[str], *, has_systems: bool) -> _Comparison:
    if has_systems and images.val is None and len(settings.k) * len(settings.tau) > 1:
        raise BadInput(
            "--val: expected queries to choose k and the temperature by, or one of each (--set k=3 --set tau=50), "
            "got none"
        )
    tables = {"gallery": read_table("gallery", images.gallery, _GALLERY)}
    for name, url in (("val", images.val), ("test", images.test)):
        if url is not None:
            tables[name] = read_table(name, url, _COLUMNS, ("type", "photographer"), by if name == "test" else ())
    orders = {name: pc.sort_indices(rows["id"]) for name, rows in tables.items()}
    tables = {name: rows.take(orders[name]) for name, rows in tables.items()}
    gallery = check_gallery(tables["gallery"])
    nobody = Queries(gallery.ids.slice(0, 0), gallery.class_of[:0], (), ())
    val = check_queries(tables["val"], gallery, "val") if "val" in tables else nobody
    test = check_queries(tables["test"], gallery, "test")
    return _Comparison(gallery, val, test, tables["test"], {name: order.to_numpy() for name, order in orders.items()})


def _vectors(name: str, files: str, comparison: _Comparison) -> tuple[dict[str, NDArray[Any]], int]:
    """The vectors by file, in the order of the ids; and how many are zero. Raises BadInput."""
    wanted = [part for part in _FILES if part in comparison.orders]
    urls = files.split(",")
    if len(urls) != len(wanted):
        expected = f"{name}={','.join(wanted).upper()}"
        raise BadInput(f"--system: expected {expected}, got {counted(len(urls), 'file')} in {quoted(files)}")
    vectors = {part: read_vectors(f"{name}, {part}", url) for part, url in zip(wanted, urls, strict=True)}
    dimensions = vectors["gallery"].shape[1]
    orders = comparison.orders
    zeros = sum(check_vectors(vectors[part], len(orders[part]), f"{name}, {part}", dimensions) for part in wanted)
    for part in wanted:
        if (orders[part][1:] < orders[part][:-1]).any():  # else a memory map stays one
            vectors[part] = vectors[part][orders[part]]
    return vectors, zeros
