"""People's boxes and ratings, each against the consensus of the others (docs/evaluating/raters.md)."""

from typing import TYPE_CHECKING, Annotated

from flows.parameters import Argument, Changes, File, Folder, Option, Resamples, Seed

if TYPE_CHECKING:
    from tasks.evaluate.evaluation import Evaluation


def evaluate_raters(
    ratings: Annotated[str, Argument("RATINGS")],
    pictures: File | None = None,
    images: Folder | None = None,
    category: Annotated[str, Option("NAME")] = "person",
    scheme: Annotated[str, Option("NAME")] = "coco-17",
    changes: Changes | None = None,
    out: Folder | None = None,
    bootstrap: Resamples = 1000,
    seed: Seed = 0,
) -> "Evaluation":
    """People's boxes and ratings, each against the consensus of the others; the consensus as a COCO file (Picasso).

    Args:
        ratings: A table (.parquet, .csv, .tsv or .json) with one row for each box of a rater.
        pictures: A table with the file name and size of each image, for the COCO file.
        images: The folder of the images, for a page that shows where raters differ most.
        category: What the figures of the COCO file are.
        scheme: The keypoints' scheme, if raters gave any.
        changes: Each as FIELD=VALUE: a setting, such as consensus=overlap.
        out: Folder for the page, the tables (Parquet), charts (SVG) and consensus.json; by default nothing is written.
        bootstrap: Number of resamples of the images for the 95 % intervals; 0 for no intervals.
        seed: Seed of the resamples, 0 or more.

    """
    from flows.evaluate.options import settings_of
    from flows.evaluate.running import run
    from schemas.evaluate_figures import RaterSettings
    from tasks.evaluate.evaluation import Resampling
    from tasks.evaluate.raters import evaluate_raters as raters

    def work() -> "Evaluation":
        settings = settings_of(RaterSettings, changes or ())
        resampling = Resampling(bootstrap, seed)
        return raters(ratings, settings, resampling, pictures=pictures, images=images, category=category, scheme=scheme)

    return run("raters", out, work)
