"""evaluate generation: the images of generators against a reference set (ArtBench, section 4.2 to 4.4)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_images import GenerationSettings
from tasks.core.evaluate.generation.features import Extracts, SetArrays, check_ids, check_shape, extracts_of, named
from tasks.core.evaluate.generation.memorisation import nearest_training_images, neighbour_page, neighbour_table
from tasks.core.evaluate.generation.page import page, summary_lines
from tasks.core.evaluate.generation.tables import score_table
from tasks.evaluate.evaluation import Evaluation, Resampling
from tasks.evaluate.pictures import jpeg_of
from tasks.io.files.arrays import read_table, read_vectors
from tasks.io.files.folders import Folder
from tasks.io.store.store import parquet_bytes

_IDS = pa.schema({"id": pa.string(), "class": pa.string()})
_LONGEST_PX = 160


class SetFiles(NamedTuple):
    """Files of one set, whose rows belong together; each a path or URL, or None. Arrays: .npy, or a table of `vector`.

    features: for FID and KID. manifold: for precision, recall, density and coverage; by default `features`.
    probabilities: for the Inception score. training: of samples, by the network of the training images' features; by
    default `features`. table: `id` and, if there is one, `class` of each row; by default an id is the row's number from
    0. images: a folder whose files have the ids' names, for a page of pictures.
    """

    features: str | None = None
    manifold: str | None = None
    probabilities: str | None = None
    training: str | None = None
    table: str | None = None
    images: str | None = None


def evaluate_generation(
    systems: Mapping[str, SetFiles],
    reference: SetFiles | None,
    training: SetFiles | None,
    settings: GenerationSettings,
    resampling: Resampling,
) -> Evaluation:
    """FID, KID, Inception score, precision, recall, density, coverage and copies, overall and by class.

    systems: by name, the samples of each generator. reference, training: what they are compared with; None: no such
    score. Raises BadInput for files that are none, or do not fit together.
    """
    if not systems:
        raise BadInput("--system: expected at least one generator as NAME=FEATURES, got none")
    theirs = SetArrays() if reference is None else _read("reference", reference)[0]
    known = None if training is None else _read("training", training)
    extracts: dict[str, Extracts] = {}
    neighbours: list[pa.Table] = []
    for name, files in systems.items():
        ours, vectors, ids = _read(name, files)
        with named(name):
            similarities = None
            if known is not None:
                _, known_vectors, known_ids = known
                if vectors is None or known_vectors is None:
                    raise BadInput("expected features of samples and training images, got those of one or of neither")
                found = nearest_training_images(vectors, known_vectors, settings.training_neighbours)
                similarities = found.similarities
                neighbours.append(neighbour_table(name, found, ids, known_ids))
            extracts[name] = extracts_of(ours, theirs, similarities)
    scores, notes = score_table(extracts, settings, *resampling)
    files_by_name = {
        "generation.md": page(scores, notes, settings, *resampling).encode(),
        "generation.parquet": parquet_bytes(scores),
    }
    if neighbours and training is not None:
        nearest = pa.concat_tables(neighbours).combine_chunks()
        files_by_name["neighbours.parquet"] = parquet_bytes(nearest)
        if training.images is not None:
            files_by_name["neighbours.html"] = _pictures(nearest, systems, training.images)
    return Evaluation("generation", "\n".join(summary_lines(scores, notes)), files_by_name)


def _read(name: str, files: SetFiles) -> tuple[SetArrays, NDArray[Any] | None, list[str]]:
    """One set, what of it is compared with training images, and its ids."""
    urls = {f"{name}, {kind}": url for kind, url in zip(SetFiles._fields, files[:4], strict=False)}
    arrays = {kind: None if url is None else read_vectors(kind, url) for kind, url in urls.items()}
    for kind, array in arrays.items():
        if array is not None:  # a header may promise any number of rows where each has no column
            check_shape(kind, array)
    rows = next((len(array) for array in arrays.values() if array is not None), None)
    if rows is None:
        raise BadInput(f"{name}: expected features, got none")
    ids, classes = [str(row) for row in range(rows)], None
    if files.table is not None:
        table = read_table(f"{name}, table", files.table, _IDS, _IDS.names)
        if not table.column_names:
            raise BadInput(f"{name}, table: expected the column 'id' or 'class', got neither")
        ids = table["id"].to_pylist() if "id" in table.column_names else ids
        check_ids(f"{name}, table", ids, rows)
        classes = table["class"].to_pylist() if "class" in table.column_names else None
    features, manifold, probabilities, training = arrays.values()
    return SetArrays(features, manifold, probabilities, classes), features if training is None else training, ids


def _pictures(neighbours: pa.Table, systems: Mapping[str, SetFiles], training: str) -> bytes:
    samples = {
        name: Folder(f"{name}, images", files.images) for name, files in systems.items() if files.images is not None
    }
    known = Folder("training, images", training)
    return neighbour_page(
        neighbours,
        lambda system, sample: jpeg_of(samples[system], sample, longest_px=_LONGEST_PX) if system in samples else None,
        lambda image: jpeg_of(known, image, longest_px=_LONGEST_PX),
    ).encode()
