"""evaluate generation: the images of a generator against a reference set (ArtBench, section 4.2 to 4.4)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_generation import GENERATION_SCORES, GenerationSettings
from tasks.core.evaluate.generation.memorisation import copy_share, nearest_training_images, neighbour_table
from tasks.core.evaluate.generation.tables import Extracts, score_table
from tasks.core.evaluate.markdown import cell, number, table
from tasks.core.evaluate.picture_page import Picture, PictureRow, picture_page
from tasks.evaluate.evaluation import Evaluation
from tasks.evaluate.pictures import jpeg_of
from tasks.io.files.arrays import read_table, read_vectors
from tasks.io.files.folders import Folder
from tasks.io.store.store import parquet_bytes

_IDS = pa.schema([("id", pa.string()), ("class", pa.string())])
_LABELS = {
    "fid": "FID",
    "kid": "KID",
    "inception_score": "IS",
    "precision": "precision",
    "recall": "recall",
    "density": "density",
    "coverage": "coverage",
}
_MOST_ROWS, _LONGEST_PX = 40, 160


class GenerationFiles(NamedTuple):
    """Files whose rows belong together; each a path or URL, or None. Features: .npy, or a table with `vector`.

    features: of samples and reference, for FID and KID. manifold: likewise, for precision, recall, density and
    coverage; None: those of `features`. probabilities: of the samples, for the Inception score. training: of samples
    and training images, for the nearest ones. samples, reference, training_ids: tables with `id` and, if there is one,
    `class`, a row for each row of the features. images: folders of the samples and of the training images, whose files
    have the ids' names, for a page of pictures.
    """

    features: tuple[str, str] | None = None
    manifold: tuple[str, str] | None = None
    probabilities: str | None = None
    training: tuple[str, str] | None = None
    samples: str | None = None
    reference: str | None = None
    training_ids: str | None = None
    images: tuple[str, str] | None = None


def evaluate_generation(files: GenerationFiles, settings: GenerationSettings) -> Evaluation:
    """FID, KID, Inception score, precision, recall, density, coverage, overall and by class; nearest training images.

    Raises BadInput for files that are none, or do not fit together.
    """
    samples, reference = _table("samples", files.samples), _table("reference", files.reference)
    extracts = Extracts(
        _pair("features", files.features),
        _pair("manifold", files.manifold or files.features),
        None if files.probabilities is None else read_vectors("probabilities", files.probabilities),
        _classes(samples),
        _classes(reference),
    )
    has_extracts = files.features is not None or files.manifold is not None or files.probabilities is not None
    if not has_extracts and files.training is None:
        raise BadInput("expected --features, --probabilities or --training, got none of them")
    scores, notes = score_table(extracts, settings) if has_extracts else (GENERATION_SCORES.empty_table(), ())
    tables, pages = {"generation": scores}, dict[str, bytes]()
    summary = [f"## Generated images: {_count(scores)}", "", *_score_lines(scores)] if has_extracts else []
    if files.training is not None:
        tables["neighbours"], lines = _memorisation(files, files.training, samples, settings)
        if files.images is not None:
            pages["neighbours.html"] = _page(files.images, tables["neighbours"])
        summary += [*([""] if summary else []), *lines]
    if notes:
        summary += ["", *(f"- {cell(note)}" for note in notes)]
    page = "\n".join(["# Generated images", "", *summary]) + "\n"
    written = {f"{name}.parquet": parquet_bytes(rows) for name, rows in tables.items()}
    return Evaluation("generation", "\n".join(summary), {"generation.md": page.encode(), **pages, **written})


def _pair(name: str, urls: tuple[str, str] | None) -> tuple[NDArray[Any], NDArray[Any]] | None:
    if urls is None:
        return None
    return read_vectors(f"{name} of the samples", urls[0]), read_vectors(f"{name} of the reference", urls[1])


def _table(name: str, url: str | None) -> pa.Table | None:
    return None if url is None else read_table(name, url, _IDS, ("class",))


def _classes(rows: pa.Table | None) -> Sequence[str] | None:
    return None if rows is None or "class" not in rows.column_names else rows["class"].to_pylist()


def _memorisation(
    files: GenerationFiles, training: tuple[str, str], samples: pa.Table | None, settings: GenerationSettings
) -> tuple[pa.Table, list[str]]:
    """NEIGHBOURS, and a line on how many samples are copies."""
    ours, theirs = read_vectors("training, samples", training[0]), read_vectors("training, images", training[1])
    known = _table("training ids", files.training_ids)
    ids = [
        [str(row) for row in range(len(vectors))] if rows is None else rows["id"].to_pylist()
        for rows, vectors in ((samples, ours), (known, theirs))
    ]
    found = nearest_training_images(ours, theirs, settings.training_neighbours)
    share = copy_share(found.similarities, settings.copy_similarity)
    nearest = float(np.mean(found.similarities[:, 0]))
    words = f"cosine similarity of at least {settings.copy_similarity:g} with a training image"
    return neighbour_table(found, *ids), [
        f"{share:.1%} of the samples have a {words}; the mean of the nearest is {number(nearest)}."
    ]


def _page(images: tuple[str, str], neighbours: pa.Table) -> bytes:
    """The samples that are most like a training image, each with its nearest ones in a row (ArtBench, A.8)."""
    ours, theirs = Folder("samples", images[0]), Folder("training", images[1])
    rows_of: dict[str, list[dict[str, Any]]] = {}
    for row in neighbours.to_pylist():
        rows_of.setdefault(row["sample_id"], []).append(row)
    most_alike = sorted(rows_of, key=lambda sample: (-rows_of[sample][0]["similarity"], sample))[:_MOST_ROWS]
    rows = [
        PictureRow(
            f"{sample}: {rows_of[sample][0]['similarity']:.3f}",
            [
                Picture(jpeg_of(ours, sample, _LONGEST_PX), "the sample"),
                *(
                    Picture(
                        jpeg_of(theirs, row["training_id"], _LONGEST_PX),
                        f"{row['training_id']}: {row['similarity']:.3f}",
                    )
                    for row in rows_of[sample]
                ),
            ],
        )
        for sample in most_alike
    ]
    explanation = "Each sample, and beside it the training images with the largest cosine similarity of features."
    return picture_page("Nearest training images", explanation, rows).encode()


def _count(scores: pa.Table) -> str:
    first = scores.slice(0, 1).to_pylist()[0]
    reference = "" if first["reference"] is None else f", {first['reference']:,} of the reference"
    return f"{first['samples']:,} samples{reference}"


def _score_lines(scores: pa.Table) -> list[str]:
    """A line for all images and one for each class."""
    rows = scores.to_pylist()
    metrics = [metric for metric in _LABELS if any(row["metric"] == metric for row in rows)]
    value_of = {(row["class"], row["metric"]): row for row in rows}
    lines = [
        ["all" if name is None else cell(name), *(_value(value_of[name, metric]) for metric in metrics)]
        for name in dict.fromkeys(row["class"] for row in rows)
    ]
    return table(["class", *(_LABELS[metric] for metric in metrics)], lines)


def _value(row: dict[str, Any]) -> str:
    """With as many digits as KID needs, which is small."""
    if row["value"] is None:
        return ""
    digits = 5 if row["metric"] == "kid" else 3
    sd = "" if row["sd"] is None else f" ± {row['sd']:.{digits}f}"
    return f"{row['value']:.{digits}f}{sd}"
