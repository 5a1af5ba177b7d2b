"""The last build that a gate refused, kept until one is published: it has no release that could be asked why."""

from datetime import UTC, datetime

from schemas.errors import Refusal
from schemas.manifests import Context, State
from schemas.recipe import Recipe
from schemas.tables import LEDGER
from tasks.core.export import ledger
from tasks.engine import runs
from tasks.io.store import datasets


def keep_refusal(state: State | None, recipe: Recipe, context: Context, problem: Refusal) -> None:
    """Keep a refused build's ledger as far as it came, in place of an earlier one's; not in a plan. No state: empty."""
    if context.plan:
        return
    store, book, labels = runs.store_of(context), LEDGER.empty_table(), list[str]()
    if state is not None:
        outcomes = [(step.label, store.read_table(step.outcome)) for step in state.steps[1:]]
        book = ledger.ledger(store.read_table(state.records), outcomes, LEDGER.empty_table())
        labels = [step.label for step in state.steps]
    day = datetime.now(UTC).date().isoformat()
    datasets.write_refusal(store, recipe.name, datasets.RefusedBuild(book, str(problem), tuple(labels), day))


def forget_refusal(recipe: Recipe, context: Context) -> None:
    """A release was published: the last build is no refused one; not in a plan."""
    if not context.plan:
        datasets.remove_refusal(runs.store_of(context), recipe.name)
