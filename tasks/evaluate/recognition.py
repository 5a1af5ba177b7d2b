"""evaluate recognition: how photographs of artworks are recognised among a museum's exhibits (The Met dataset)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_recognition import GRID, PREDICTIONS, RecognitionSettings
from schemas.phrases import counted, quoted
from tasks.core.evaluate.markdown import cell, number, table
from tasks.core.evaluate.recognition.distractors import score_shares
from tasks.core.evaluate.recognition.gallery_sizes import accuracy_by_size, gain_by_size, gallery_sizes
from tasks.core.evaluate.recognition.neighbours import multiply
from tasks.core.evaluate.recognition.recognise import Recognition, recognise
from tasks.core.evaluate.recognition.scores import LABELS, scorer
from tasks.core.evaluate.recognition.tables import (
    Gallery,
    Queries,
    check_gallery,
    check_queries,
    check_vectors,
    leak_notes,
)
from tasks.core.evaluate.systems import Ranking, score_systems
from tasks.core.evaluate.systems_page import Headings
from tasks.evaluate.evaluation import Evaluation, Resampling, evaluation, groups_of
from tasks.io.files.arrays import read_table, read_vectors
from tasks.io.matrix_products import product_on

_COLUMNS = pa.schema([(name, pa.string()) for name in ("id", "class", "type", "photographer")])
_GALLERY = pa.schema([("id", pa.string()), ("class", pa.string())])
_RANKING = Ranking("GAP")
_FILES = ("gallery", "val", "test")


class Images(NamedTuple):
    """The tables that say what is compared; each a path or URL. val: None where k and the temperature are given."""

    gallery: str
    test: str
    val: str | None


class _Compared(NamedTuple):
    """What is compared, read; all by id, so that it does not matter how the files are sorted.

    test_rows: the whole table of the test queries. orders: by the name of each file, the places of its rows.
    """

    gallery: Gallery
    val: Queries | None
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
) -> Evaluation:
    """GAP, GAP- and ACC of each system on the test queries, with k and the temperature that are best on val.

    systems: by name, its vectors as "GALLERY,VAL,TEST", or "GALLERY,TEST" without val: files whose rows are those of
    the tables (.npy, or a table with a column `vector`). by: columns of the test queries' table. device: where vectors
    are multiplied. Raises BadInput.
    """
    if not systems:
        raise BadInput("--system: expected at least one system as NAME=GALLERY,VAL,TEST, got none")
    product = product_on(device) or multiply
    compared = _read(images, settings)
    notes = [] if compared.val is None else [*leak_notes(compared.val, compared.test)]
    found: dict[str, Recognition] = {}
    for name, files in systems.items():
        vectors, zeros = _vectors(name, files, compared)
        val = compared.val or _nobody(compared.test)
        found[name] = recognise(
            compared.gallery,
            vectors["gallery"],
            (val, vectors.get("val", vectors["test"][:0])),
            (compared.test, vectors["test"]),
            settings,
            threads,
            product,
        )
        if zeros:
            notes.append(f"{name}: {counted(zeros, 'vector')} of zeros, as near to everything")
    scorers = {name: scorer(one.outcomes) for name, one in found.items()}
    scores = score_systems(
        scorers,
        len(compared.test.ids),
        groups_of("the test queries", compared.test_rows, by),
        _RANKING,
        *resampling,
    )
    return evaluation(
        "recognition",
        scores,
        Headings("Recognition", "system", "query", "queries", LABELS),
        _RANKING,
        resampling,
        more=[*_lines(compared, found, settings)],
        notes=notes,
        tables={"predictions": _predictions(compared, found), "grid": _grid(found, settings)},
    )


def _read(images: Images, settings: RecognitionSettings) -> _Compared:
    if images.val is None and len(settings.k) * len(settings.tau) > 1:
        raise BadInput(
            "--val: expected queries to choose k and the temperature by, or one of each (--set k=[3]), got none"
        )
    tables = {"gallery": read_table("gallery", images.gallery, _GALLERY)}
    for name, url in (("val", images.val), ("test", images.test)):
        if url is not None:
            tables[name] = read_table(name, url, _COLUMNS, ("type", "photographer"))
    orders = {name: pc.sort_indices(rows["id"]) for name, rows in tables.items()}
    tables = {name: rows.take(orders[name]) for name, rows in tables.items()}
    gallery = check_gallery(tables["gallery"])
    val = check_queries(tables["val"], gallery, "val") if "val" in tables else None
    test = check_queries(tables["test"], gallery, "test")
    return _Compared(gallery, val, test, tables["test"], {name: order.to_numpy() for name, order in orders.items()})


def _vectors(name: str, files: str, compared: _Compared) -> tuple[dict[str, NDArray[Any]], int]:
    """The vectors by file, in the order of the ids; and how many are zero. Raises BadInput."""
    wanted = [part for part in _FILES if part in compared.orders]
    urls = files.split(",")
    if len(urls) != len(wanted):
        expected = f"{name}={','.join(wanted).upper()}"
        raise BadInput(f"--system: expected {expected}, got {counted(len(urls), 'file')} in {quoted(files)}")
    vectors = {part: read_vectors(f"{name}, {part}", url) for part, url in zip(wanted, urls, strict=True)}
    dimensions = vectors["gallery"].shape[1]
    orders = compared.orders
    zeros = sum(check_vectors(vectors[part], len(orders[part]), f"{name}, {part}", dimensions) for part in wanted)
    for part in wanted:
        if (orders[part][1:] < orders[part][:-1]).any():  # else a memory map stays one
            vectors[part] = vectors[part][orders[part]]
    return vectors, zeros


def _nobody(queries: Queries) -> Queries:
    return Queries(queries.ids.slice(0, 0), queries.class_of[:0], (), ())


def _lines(compared: _Compared, found: Mapping[str, Recognition], settings: RecognitionSettings) -> Iterator[str]:
    """What was chosen, GAP with fewer distractors (Table 7), and accuracy by images per class (Fig. 8)."""
    yield "## k, temperature and dimensions"
    yield ""
    chosen = [[cell(name), str(one.tuned.k), f"{one.tuned.tau:g}", str(one.dimensions)] for name, one in found.items()]
    yield from table(["system", "k", "tau", "dimensions"], chosen)
    test = compared.test
    shares = {
        name: score_shares(scorer(one.outcomes), test.ids, test.is_met, settings.distractors, settings.seed)
        for name, one in found.items()
    }
    if not test.is_met.all() and settings.distractors:
        yield from ("", "## GAP with shares of the distractors", "")
        heads = [f"{share:.0%}" for share in settings.distractors]
        yield from table(
            ["system", *heads], [[cell(name), *(number(one.gap) for one in own)] for name, own in shares.items()]
        )
    yield from _size_lines(compared, found)


def _size_lines(compared: _Compared, found: Mapping[str, Recognition]) -> Iterator[str]:
    sizes = gallery_sizes(compared.test.class_of, compared.gallery.class_of)
    several = [accuracy_by_size(one.outcomes, sizes) for one in found.values()]
    if not several[0]:
        return
    yield from ("", "## ACC by images per class in the gallery", "")
    (first, second), names = ([*found.values(), None, None][:2]), [*map(cell, found)]
    gains = gain_by_size(first.outcomes, second.outcomes, sizes) if first and second else []
    heads = ["images per class", *names, *(["gain"] if gains else []), "queries"]
    lines = [
        [
            str(several[0][place].images),
            *(number(own[place].acc) for own in several),
            *([number(gains[place].points)] if gains else []),
            str(several[0][place].queries),
        ]
        for place in range(len(several[0]))
    ]
    yield from table(heads, lines)


def _predictions(compared: _Compared, found: Mapping[str, Recognition]) -> pa.Table:
    """PREDICTIONS."""
    classes = pa.array(compared.gallery.classes)
    parts = [
        pa.table(
            {
                "system": pa.array([name] * len(compared.test.ids), pa.string()),
                "id": compared.test.ids,
                "class": classes.take(pa.array(compared.test.class_of, mask=~compared.test.is_met)),
                "prediction": classes.take(pa.array(one.prediction)),
                "confidence": one.confidence,
                "nearest": compared.gallery.ids.take(pa.array(one.nearest)),
                "is_right": one.outcomes.is_right,
            },
            schema=PREDICTIONS,
        )
        for name, one in found.items()
    ]
    return pa.concat_tables(parts).combine_chunks()


def _grid(found: Mapping[str, Recognition], settings: RecognitionSettings) -> pa.Table:
    """GRID."""
    rows = [
        {"system": name, "k": k, "tau": tau, "gap": None if (gap := float(one.tuned.gap[row, column])) != gap else gap}
        for name, one in found.items()
        for row, k in enumerate(settings.k)
        for column, tau in enumerate(settings.tau)
    ]
    return pa.Table.from_pylist(rows, schema=GRID)
