"""The images of generators against a reference set (docs/evaluating/generation.md)."""

from typing import TYPE_CHECKING, Annotated

from flows.parameters import Changes, Folder, Option, Resamples, Seed
from schemas.errors import BadInput
from schemas.phrases import quoted

if TYPE_CHECKING:
    from tasks.evaluate.evaluation import Evaluation
    from tasks.evaluate.generation import SetFiles

SetText = Annotated[str, Option("FEATURES[,KIND=FILE...]")]
_KINDS = {
    "--system": ("manifold", "probabilities", "training", "table", "images"),
    "--reference": ("manifold", "table"),
    "--training": ("table", "images"),
}
_FEATURES = "features"


def evaluate_generation(
    systems: Annotated[list[str], Option("NAME=FEATURES[,KIND=FILE...]", "--system")],
    reference: SetText | None = None,
    training: SetText | None = None,
    changes: Changes | None = None,
    out: Folder | None = None,
    bootstrap: Resamples = 1000,
    seed: Seed = 0,
) -> "Evaluation":
    """The images of generators against a reference set: FID, KID, IS, precision, recall, nearest images (ArtBench).

    Args:
        systems: Each as NAME=FEATURES[,KIND=FILE ...]: samples; manifold, probabilities, training, table, images.
        reference: FEATURES[,KIND=FILE ...] of the reference: manifold, table.
        training: FEATURES[,KIND=FILE ...] of the training images, for the nearest ones: table, images.
        changes: Each as FIELD=VALUE: a setting, such as neighbours=5.
        out: Folder for the page and the tables (Parquet); by default nothing is written.
        bootstrap: Number of resamples of the samples for the 95 % intervals; 0 for no intervals.
        seed: Seed of the resamples, 0 or more.

    """
    from flows.evaluate.options import files_by_name, settings_of
    from flows.evaluate.running import run
    from schemas.evaluate_images import GenerationSettings
    from tasks.evaluate.evaluation import Resampling
    from tasks.evaluate.generation import evaluate_generation as generation

    def work() -> "Evaluation":
        named = {name: parse_files("--system", text) for name, text in files_by_name("--system", systems).items()}
        beside = None if reference is None else parse_files("--reference", reference)
        known = None if training is None else parse_files("--training", training)
        return generation(
            named, beside, known, settings_of(GenerationSettings, changes or ()), Resampling(bootstrap, seed)
        )

    return run("generation", out, work)


def parse_files(option: str, text: str) -> "SetFiles":
    """The files of FEATURES[,KIND=FILE ...]; a set without features begins with KIND=FILE. Raises BadInput."""
    from tasks.evaluate.generation import SetFiles

    kinds = _KINDS[option]
    files: dict[str, str] = {}
    for place, part in enumerate(text.split(",")):
        kind, separator, url = part.partition("=")
        if not separator or kind not in kinds:  # a path may have a "=" too
            if place:
                expected = f"{option}: expected KIND=FILE after a comma, KIND one of {', '.join(kinds)}"
                raise BadInput(f"{expected}, got {quoted(part)}")
            kind, url = _FEATURES, part
        if not url or kind in files:
            raise BadInput(f"{option}: expected one file of each kind, got {quoted(text)}")
        files[kind] = url
    return SetFiles(**files)
