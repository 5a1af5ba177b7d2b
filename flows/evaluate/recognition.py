"""How photographs of artworks are recognised among a museum's exhibits (docs/evaluating/recognition.md)."""

from prefect import flow

from flows.evaluate.options import files_by_name, settings_of
from flows.evaluate.running import run
from flows.parameters import Count, Device, Resamples, Seed
from schemas.evaluate_recognition import RecognitionSettings
from tasks.evaluate.evaluation import Evaluation, Resampling
from tasks.evaluate.recognition import Images
from tasks.evaluate.recognition import evaluate_recognition as recognition


@flow(name="evaluate_recognition", persist_result=False)
def evaluate_recognition(
    gallery: str,
    test: str,
    systems: list[str] | None = None,
    predictions: list[str] | None = None,
    val: str | None = None,
    changes: list[str] | None = None,
    by: list[str] | None = None,
    out: str | None = None,
    bootstrap: Resamples = 1000,
    seed: Seed = 0,
    workers: Count = 2,
    device: Device = "auto",
) -> Evaluation:
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
        workers: Number of threads of the search, 1 or more.
        device: Where vectors are multiplied: auto (a GPU if there is one), cpu, cuda, cuda:1 ...

    """

    def work() -> Evaluation:
        files, tables = files_by_name("--system", systems or ()), files_by_name("--predictions", predictions or ())
        settings, resampling = settings_of(RecognitionSettings, changes or ()), Resampling(bootstrap, seed)
        images, groups = Images(gallery, test, val), tuple(by or ())
        return recognition(images, files, settings, resampling, groups, workers, device, tables)

    return run("recognition", out, work)
