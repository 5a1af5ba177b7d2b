"""How photographs of artworks are recognised among a museum's exhibits (docs/evaluating/recognition.md)."""

import os
from typing import TYPE_CHECKING, Annotated

from flows.parameters import Attributes, Changes, Count, Device, File, Folder, Option, Resamples, Seed

if TYPE_CHECKING:
    from tasks.evaluate.evaluation import Evaluation


def evaluate_recognition(
    gallery: File,
    test: File,
    systems: Annotated[list[str], Option("NAME=GALLERY,VAL,TEST", "--system")] | None = None,
    predictions: Annotated[list[str], Option("NAME=FILE")] | None = None,
    val: File | None = None,
    changes: Changes | None = None,
    by: Attributes | None = None,
    out: Folder | None = None,
    bootstrap: Resamples = 1000,
    seed: Seed = 0,
    workers: Count | None = None,
    device: Device = "auto",
) -> "Evaluation":
    """How photographs of artworks are recognised among a museum's exhibits: GAP, GAP- and ACC (The Met dataset).

    Args:
        gallery: A table (.parquet, .csv, .tsv or .json) of the exhibits' images: id and class.
        test: A table of the queries that are scored: id and class, which is empty for distractors.
        systems: Each as NAME=GALLERY,VAL,TEST: files with the vectors of one system, in the order of the tables.
        predictions: Each as NAME=FILE: a table of what another system says: id, prediction and confidence.
        val: A table of the queries by which k and the temperature are chosen.
        changes: Each as FIELD=VALUE: a setting, such as k=[1, 5].
        by: Columns of the test queries' table: every number also for each of their values.
        out: Folder for the page, the tables (Parquet) and charts (SVG); by default nothing is written.
        bootstrap: Number of resamples of the queries for the 95 % intervals; 0 for no intervals.
        seed: Seed of the resamples, 0 or more.
        workers: Number of threads of the search, 1 or more; by default one for each core.
        device: Where vectors are multiplied: auto (a GPU if there is one), cpu, cuda, cuda:1 ...

    """
    from flows.evaluate.options import files_by_name, settings_of
    from flows.evaluate.running import run
    from schemas.evaluate_images import RecognitionSettings
    from tasks.evaluate.evaluation import Resampling
    from tasks.evaluate.recognition import Images
    from tasks.evaluate.recognition import evaluate_recognition as recognition

    def work() -> "Evaluation":
        files, tables = files_by_name("--system", systems or ()), files_by_name("--predictions", predictions or ())
        settings, resampling = settings_of(RecognitionSettings, changes or ()), Resampling(bootstrap, seed)
        images, groups = Images(gallery, test, val), tuple(by or ())
        return recognition(images, files, settings, resampling, groups, workers or os.cpu_count() or 2, device, tables)

    return run("recognition", out, work)
