"""The images of a generator against a reference set (docs/evaluating/generation.md)."""

from prefect import flow

from flows.evaluate.options import settings_of
from flows.evaluate.running import run
from schemas.errors import BadInput
from schemas.evaluate_generation import GenerationSettings
from schemas.phrases import quoted
from tasks.evaluate.evaluation import Evaluation
from tasks.evaluate.generation import GenerationFiles
from tasks.evaluate.generation import evaluate_generation as generation


@flow(name="evaluate_generation", persist_result=False)
def evaluate_generation(
    features: list[str] | None = None,
    manifold: list[str] | None = None,
    probabilities: str | None = None,
    training: list[str] | None = None,
    samples: str | None = None,
    reference: str | None = None,
    training_ids: str | None = None,
    images: list[str] | None = None,
    changes: list[str] | None = None,
    out: str | None = None,
) -> str:
    """The images of a generator against a reference set: FID, KID, IS, precision, recall, nearest images (ArtBench).

    Args:
        features: Two files: the features of the samples and of the reference, for FID and KID.
        manifold: Two files likewise, for precision, recall, density and coverage; by default those of `features`.
        probabilities: A file with the class probabilities of the samples, for the Inception score.
        training: Two files: features of the samples and of the training images, for the nearest ones.
        samples: A table with id and class of each sample.
        reference: A table with id and class of each image of the reference.
        training_ids: A table with the id of each training image.
        images: Two folders: the samples and the training images, whose files are named by the ids: a page of pictures.
        changes: Each as FIELD=VALUE: a setting, such as neighbours=5.
        out: Folder for the page and the tables (Parquet); by default nothing is written.

    """

    def work() -> Evaluation:
        settings = settings_of(GenerationSettings, changes or ())
        files = GenerationFiles(
            _pair("--features", features),
            _pair("--manifold", manifold),
            probabilities,
            _pair("--training", training),
            samples,
            reference,
            training_ids,
            _pair("--images", images),
        )
        return generation(files, settings)

    return run("generation", out, work)


def _pair(option: str, files: list[str] | None) -> tuple[str, str] | None:
    if not files:
        return None
    if len(files) != 2:
        raise BadInput(f"{option}: expected two files, got {quoted(files)}")
    return files[0], files[1]
