"""hash (measure): size in the upright frame, format and perceptual hash of each blob."""

from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from schemas.stages import Hash
from schemas.tables import HASH
from tasks.engine import inspection
from tasks.engine.measure import measure_step


def hash_(settings: Hash, state: State, recipe: Recipe, context: Context) -> Step:
    """The measurements of each kept record; only blobs that fetch has not measured already are decoded."""
    return measure_step(
        inspection.inspect_part, settings, state, context, inspection.HASHES, HASH, is_measured_by_fetch=True
    )
