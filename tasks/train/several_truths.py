"""Several truths to train on as one: each with its own split, none with an image that is held out for evaluation."""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from schemas.errors import BadInput
from tasks.core.coco.ids import count_with_examples
from tasks.core.train import several_truths as core
from tasks.engine.cache_keys import cache_key
from tasks.subjects.ground_truth import GroundTruth, digest_of_tables


class TruthShare(NamedTuple):
    """What one of several truths gives: its name and digest, how many of its images and figures (crowds apart) are
    trained on, and how many images are not, as they are held out.
    """

    name: str
    sha256: str
    images: int
    figures: int
    left_out: int


class JoinedTruth(NamedTuple):
    """Truths to train on as one. shares: what each gives, by name; empty if there is but one. notes: on all of them."""

    truth: GroundTruth
    shares: tuple[TruthShare, ...]
    notes: tuple[str, ...]


def name_apart(truths: Sequence[GroundTruth], places: Sequence[str]) -> list[GroundTruth]:
    """The truths, those with one name (two files `train.json`) also named by the folder of their place: `popart/train`.

    places: the path or URL of each.
    """
    counts = Counter(truth.name for truth in truths)
    named = []
    for truth, place in zip(truths, places, strict=True):
        folder = PurePosixPath(place).parent.name if counts[truth.name] > 1 else ""
        named.append(truth._replace(name=f"{folder}/{truth.name}") if folder else truth)
    return named


def join_truths(truths: Sequence[GroundTruth], held_out: Collection[str]) -> JoinedTruth:
    """The truths as one, without the images that are held out. Their order changes nothing.

    An image that several truths have stays in each, with the figures of each.

    Raises BadInput if two truths are the same, one has no images but those that are held out, or no figures are left.
    """
    tables: dict[str, core.Tables] = {}
    notes: list[str] = []
    shares: list[TruthShare] = []
    for truth in sorted(truths, key=lambda truth: (truth.name, truth.sha256)):
        if truth.sha256 in tables:
            raise BadInput(f"--also: expected each truth once, got the images and figures of {truth.name} twice")
        images, left_out = core.separate_images(truth.images, held_out)
        reasons = (*truth.notes, *_notes(left_out["image_id"].to_pylist()))
        if not images.num_rows:
            raise BadInput(f"{truth.name}: expected images to train on, got none ({'; '.join(reasons)})")
        figures = core.figures_in(images, truth.figures)
        tables[truth.sha256] = (images, figures)
        notes += [f"{truth.name}: {reason}" for reason in reasons]
        count = figures["is_crowd"].to_pylist().count(False)
        shares.append(TruthShare(truth.name, truth.sha256, images.num_rows, count, left_out.num_rows))
    name = " + ".join(share.name for share in shares)
    if not any(share.figures for share in shares):
        raise BadInput(f"{name}: expected figures to train on, got none in the images that are not held out")
    if shared := core.count_shared(images for images, _ in tables.values()):
        notes.append(f"images that several truths have, trained on with the figures of each: {shared}")
    images, figures = core.join_truths(tables)
    digest = cache_key(truths=sorted(tables), joined=digest_of_tables(images, figures))
    return JoinedTruth(GroundTruth(name, images, figures, digest), tuple(shares), tuple(notes))


def _notes(left_out: Sequence[int]) -> list[str]:
    """A sentence on the images that are held out, by their ids."""
    if not left_out:
        return []
    return [f"left out, as they are held out for evaluation: {count_with_examples(left_out, 'image')}"]
