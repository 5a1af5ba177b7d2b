"""What a person starts to measure by the protocols that read tables, of which each has a page in docs/evaluating/."""

import os
from typing import TYPE_CHECKING, Annotated

from flows.parameters import (
    Argument,
    Attributes,
    Categories,
    Changes,
    Count,
    Device,
    File,
    Folder,
    Option,
    Out,
    Resamples,
    SeedOfResamples,
    Split,
    Truth,
    documented,
)
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


@documented
def evaluate_keypoints(
    truth: Truth,
    results: Annotated[list[str], Option("NAME=FILE")],
    categories: Categories | None = None,
    split: Split | None = None,
    by: Attributes | None = None,
    changes: Changes | None = None,
    out: Out | None = None,
    bootstrap: Resamples = 1000,
    seed: SeedOfResamples = 0,
) -> "Evaluation":
    """Compare pose estimators with the keypoints that people gave: AP and AR by object keypoint similarity (COCO).

    Args:
        truth: A release (its folder or URL, or its name's `latest`), or a COCO JSON file. No image is needed.
        results: Each as NAME=FILE: the poses of a system, in COCO's results format, with the truth's image ids.
        categories: Figures of these categories count, by default person; of several each is scored, and their mean.
            all: every category of the truth.
        changes: Each as FIELD=VALUE: a setting, such as keypoints=coco-17 or at_most=20.
        out: Folder for the page, the table (Parquet) and the chart (SVG); by default nothing is written.

    """
    from flows.evaluate import running
    from schemas.evaluate_figures import KeypointSettings
    from tasks.evaluate import keypoints

    def work() -> "Evaluation":
        files = running.files_by_name("--results", results)
        settings = running.settings_of(KeypointSettings, changes)
        chosen = running.Chosen(tuple(categories or ("person",)), split, tuple(by or ()))
        return keypoints.evaluate_keypoints(truth, chosen, files, settings, running.Resampling(bootstrap, seed))

    return running.run("keypoints", out, work)


@documented
def evaluate_raters(
    ratings: Annotated[str, Argument("RATINGS")],
    pictures: File | None = None,
    images: Folder | None = None,
    category: Annotated[str, Option("NAME")] = "person",
    scheme: Annotated[str, Option("NAME")] = "coco-17",
    changes: Changes | None = None,
    out: Out | None = None,
    bootstrap: Resamples = 1000,
    seed: SeedOfResamples = 0,
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

    """
    from flows.evaluate import running
    from schemas.evaluate_figures import RaterSettings
    from tasks.evaluate import raters

    def work() -> "Evaluation":
        settings, resampling = running.settings_of(RaterSettings, changes), running.Resampling(bootstrap, seed)
        return raters.evaluate_raters(ratings, settings, resampling, pictures, images, category, scheme)

    return running.run("raters", out, work)


@documented
def evaluate_recognition(
    gallery: File,
    test: File,
    systems: Annotated[list[str], Option("NAME=GALLERY,VAL,TEST", "--system")] | None = None,
    predictions: Annotated[list[str], Option("NAME=FILE")] | None = None,
    val: File | None = None,
    changes: Changes | None = None,
    by: Attributes | None = None,
    out: Out | None = None,
    bootstrap: Resamples = 1000,
    seed: SeedOfResamples = 0,
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
        bootstrap: Number of resamples of the queries for the 95 % intervals; 0 for no intervals.
        workers: Number of threads of the search, 1 or more; by default one for each core.
        device: Where vectors are multiplied: auto (a GPU if there is one), cpu, cuda, cuda:1 ...

    """
    from flows.evaluate import running
    from schemas.evaluate_images import RecognitionSettings
    from tasks.evaluate.recognition import evaluate_recognition as recognition

    def work() -> "Evaluation":
        files = running.files_by_name("--system", systems)
        tables = running.files_by_name("--predictions", predictions)
        settings, resampling = running.settings_of(RecognitionSettings, changes), running.Resampling(bootstrap, seed)
        groups, threads = tuple(by or ()), workers or os.cpu_count() or 2
        return recognition(gallery, test, val, files, settings, resampling, groups, threads, device, tables)

    return running.run("recognition", out, work)


@documented
def evaluate_sketches(
    sketches: Annotated[str, Argument("SKETCHES")],
    poses: File | None = None,
    answers: File | None = None,
    metrics: Annotated[list[str], Option("NAME=FILE", "--metric")] | None = None,
    changes: Changes | None = None,
    by: Attributes | None = None,
    out: Out | None = None,
    bootstrap: Resamples = 1000,
    seed: SeedOfResamples = 0,
) -> "Evaluation":
    """How recognisable and how simple sketches are, by method, and whether people agree (SketchRef).

    Args:
        sketches: A table (.parquet, .csv, .tsv or .json) with one row for each sketch.
        poses: A table of the figures' keypoints in photos and sketches; mOKS is computed from it.
        answers: A table of what people said.
        metrics: Each as NAME=FILE: a table of another metric, which is compared with what people said.
        changes: Each as FIELD=VALUE: a setting, such as alphas=[0.75, 1.75].
        by: Columns of the table of sketches: every number also for each of their values.
        bootstrap: Number of resamples of the photos for the 95 % intervals; 0 for no intervals.

    """
    from flows.evaluate import running
    from schemas.evaluate_images import SketchSettings
    from tasks.evaluate.sketches import evaluate_sketches as sketches_of

    def work() -> "Evaluation":
        settings, resampling = running.settings_of(SketchSettings, changes), running.Resampling(bootstrap, seed)
        given = running.files_by_name("--metric", metrics)
        return sketches_of(sketches, settings, resampling, poses, answers, given, tuple(by or ()))

    return running.run("sketches", out, work)


@documented
def evaluate_generation(
    systems: Annotated[list[str], Option("NAME=FEATURES[,KIND=FILE...]", "--system")],
    reference: SetText | None = None,
    training: SetText | None = None,
    changes: Changes | None = None,
    out: Out | None = None,
    bootstrap: Resamples = 1000,
    seed: SeedOfResamples = 0,
) -> "Evaluation":
    """The images of generators against a reference set: FID, KID, IS, precision, recall, nearest images (ArtBench).

    Args:
        systems: Each as NAME=FEATURES[,KIND=FILE ...]: samples; manifold, probabilities, training, table, images.
        reference: FEATURES[,KIND=FILE ...] of the reference: manifold, table.
        training: FEATURES[,KIND=FILE ...] of the training images, for the nearest ones: table, images.
        changes: Each as FIELD=VALUE: a setting, such as neighbours=5.
        out: Folder for the page and the tables (Parquet); by default nothing is written.
        bootstrap: Number of resamples of the samples for the 95 % intervals; 0 for no intervals.

    """
    from flows.evaluate import running
    from schemas.evaluate_images import GenerationSettings
    from tasks.evaluate.generation import evaluate_generation as generation

    def work() -> "Evaluation":
        named = {
            name: parse_files("--system", text) for name, text in running.files_by_name("--system", systems).items()
        }
        beside = None if reference is None else parse_files("--reference", reference)
        known = None if training is None else parse_files("--training", training)
        settings = running.settings_of(GenerationSettings, changes)
        return generation(named, beside, known, settings, running.Resampling(bootstrap, seed))

    return running.run("generation", out, work)


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
            kind, url = "features", part
        if not url or kind in files:
            raise BadInput(f"{option}: expected one file of each kind, got {quoted(text)}")
        files[kind] = url
    return SetFiles(**files)


@documented
def evaluate_classification(
    predictions: Annotated[list[str], Option("NAME=FILE")],
    changes: Changes | None = None,
    by: Attributes | None = None,
    out: Out | None = None,
    bootstrap: Resamples = 1000,
    seed: SeedOfResamples = 0,
) -> "Evaluation":
    """How often classifiers are right, and what they take for what (ArtBench).

    Args:
        predictions: Each as NAME=FILE: a classifier and its table (.parquet, .csv, .tsv or .json), a row an image.
        changes: Each as FIELD=VALUE: a setting, such as top=[1, 5].
        by: Columns of the first table: every number also for each of their values.

    """
    from flows.evaluate import running
    from schemas.evaluate_images import ClassificationSettings
    from tasks.evaluate.classification import evaluate_classification as classification

    def work() -> "Evaluation":
        files = running.files_by_name("--predictions", predictions)
        if not files:
            raise BadInput("--predictions: expected at least one classifier as NAME=FILE, got none")
        settings = running.settings_of(ClassificationSettings, changes)
        return classification(files, settings, running.Resampling(bootstrap, seed), tuple(by or ()))

    return running.run("classification", out, work)
