"""evaluate recognition: how photographs of artworks are recognised among a museum's exhibits (The Met dataset)."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_images import RecognitionSettings
from schemas.phrases import counted, quoted
from tasks.core.evaluate.recognition import page, scores, tables
from tasks.core.evaluate.recognition.neighbours import multiply
from tasks.core.evaluate.recognition.recognise import Recognition, recognise
from tasks.core.evaluate.systems import Ranking, groups_of, score_systems
from tasks.core.evaluate.systems_page import Headings
from tasks.evaluate.evaluation import Evaluation, Resampling, evaluation
from tasks.io.files.arrays import read_table, read_vectors
from tasks.io.matrix_products import product_on

_COLUMNS = pa.schema(dict.fromkeys(("id", "class", "type", "photographer"), pa.string()))
_GALLERY = pa.schema({"id": pa.string(), "class": pa.string()})
_PREDICTIONS = pa.schema({"id": pa.string(), "prediction": pa.string(), "confidence": pa.float64()})
_RANKING = Ranking("GAP")
_FILES = ("gallery", "val", "test")


class _Comparison(NamedTuple):
    """What is compared, all by id, so that it does not matter how the files are sorted. val: none where k and the
    temperature are given. test_rows: the test queries' table. orders: by the name of each file, the places of its rows.
    """

    gallery: tables.Gallery
    val: tables.Queries
    test: tables.Queries
    test_rows: pa.Table
    orders: Mapping[str, NDArray[Any]]


def evaluate_recognition(
    gallery: str,
    test: str,
    val: str | None,
    systems: Mapping[str, str],
    settings: RecognitionSettings,
    resampling: Resampling,
    by: Sequence[str] = (),
    threads: int = 2,
    device: str = "cpu",
    predictions: Mapping[str, str] | None = None,
) -> Evaluation:
    """GAP, GAP- and ACC of each system on the test queries, with k and the temperature that are best on val.

    gallery, test, val: tables, each a path or URL; val: None where k and the temperature are given. systems: by name,
    its vectors as "GALLERY,VAL,TEST", or "GALLERY,TEST" without val: files whose rows are those of the tables (.npy, or
    a table with a column `vector`). by: columns of the test queries' table. device: where vectors are multiplied.
    predictions: by the name of each system that is not compared by vectors, a table of what it says of the test
    queries. Raises BadInput.
    """
    given = predictions or {}
    if not systems and not given:
        expected = "expected a system as NAME=GALLERY,VAL,TEST, or --predictions NAME=FILE"
        raise BadInput(f"--system: {expected}, got neither")
    if both := [name for name in given if name in systems]:
        raise BadInput(f"--predictions: expected other names than those of --system, got {quoted(both[0])} in both")
    if systems and val is None and len(settings.k) * len(settings.tau) > 1:
        expected = "queries to choose k and the temperature by, or one of each (--set k=3 --set tau=50)"
        raise BadInput(f"--val: expected {expected}, got none")
    comparison = _read(gallery, test, val, by)
    exhibits, queries = comparison.gallery, comparison.test
    leaks = tables.leak_notes(comparison.val, queries)
    found, zeros = _recognise_all(comparison, systems, settings, threads, device)
    notes = [*leaks, *zeros, *page.tie_notes(found, settings.ties)]
    several = {name: one.predictions for name, one in found.items()}
    for name, url in given.items():
        several[name] = tables.check_predictions(name, read_table(name, url, _PREDICTIONS), exhibits, queries)
        notes += tables.foreign_notes(name, several[name], exhibits)
    outcomes = {name: own.outcomes for name, own in several.items()}
    parts = scores.distractor_parts(queries.ids, queries.is_met, queries.type, settings.distractors, settings.seed)
    distractors = scores.distractors_table(parts, outcomes, *resampling)
    sizes = scores.sizes_table(outcomes, scores.gallery_sizes(queries.class_of, exhibits.class_of))
    written = {
        "predictions": page.predictions_table(queries, exhibits, several),
        "grid": page.grid_table(found, settings),
        "distractors": distractors,
        "sizes": sizes,
    }
    scorers = {name: scores.scorer(own) for name, own in outcomes.items()}
    groups = groups_of(comparison.test_rows, by)
    return evaluation(
        "recognition",
        score_systems(scorers, len(queries.ids), groups, _RANKING, *resampling),
        Headings("Recognition", "system", "query", "queries", scores.LABELS),
        _RANKING,
        resampling,
        more=page.page_lines(found, distractors, sizes),
        notes=notes,
        tables={name: rows for name, rows in written.items() if rows.num_rows},
    )


def _recognise_all(
    comparison: _Comparison, systems: Mapping[str, str], settings: RecognitionSettings, threads: int, device: str
) -> tuple[dict[str, Recognition], list[str]]:
    """What each system's vectors say, and a note for each that has vectors of zeros."""
    found: dict[str, Recognition] = {}
    notes: list[str] = []
    product = (product_on(device) if systems else None) or multiply
    for name, files in systems.items():
        vectors, zeros = _vectors(name, files, comparison)
        val = comparison.val, vectors.get("val", vectors["test"][:0])
        test = comparison.test, vectors["test"]
        found[name] = recognise(comparison.gallery, vectors["gallery"], val, test, settings, threads, product)
        if zeros:
            notes.append(f"{name}: {counted(zeros, 'vector')} of zeros, as near to everything")
    return found, notes


def _read(gallery_url: str, test_url: str, val_url: str | None, by: Sequence[str]) -> _Comparison:
    read = {"gallery": read_table("gallery", gallery_url, _GALLERY)}
    for name, url in (("val", val_url), ("test", test_url)):
        if url is not None:
            read[name] = read_table(name, url, _COLUMNS, ("type", "photographer"), by if name == "test" else ())
    orders = {name: pc.sort_indices(rows["id"]) for name, rows in read.items()}
    read = {name: rows.take(orders[name]) for name, rows in read.items()}
    gallery = tables.check_gallery(read["gallery"])
    nobody = tables.Queries(gallery.ids.slice(0, 0), gallery.class_of[:0], (), ())
    val = tables.check_queries(read["val"], gallery, "val") if "val" in read else nobody
    test = tables.check_queries(read["test"], gallery, "test")
    return _Comparison(gallery, val, test, read["test"], {name: order.to_numpy() for name, order in orders.items()})


def _vectors(name: str, files: str, comparison: _Comparison) -> tuple[dict[str, NDArray[Any]], int]:
    """The vectors by file, in the order of the ids; and how many are zero. Raises BadInput."""
    orders = {part: comparison.orders[part] for part in _FILES if part in comparison.orders}
    urls = files.split(",")
    if len(urls) != len(orders):
        expected = f"{name}={','.join(orders).upper()}"
        raise BadInput(f"--system: expected {expected}, got {counted(len(urls), 'file')} in {quoted(files)}")
    vectors = {part: read_vectors(f"{name}, {part}", url) for part, url in zip(orders, urls, strict=True)}
    dimensions = vectors["gallery"].shape[1]
    zeros = 0
    for part, order in orders.items():
        zeros += tables.check_vectors(vectors[part], len(order), f"{name}, {part}", dimensions)
        if (order[1:] < order[:-1]).any():  # else a memory map stays one
            vectors[part] = vectors[part][order]
    return vectors, zeros
