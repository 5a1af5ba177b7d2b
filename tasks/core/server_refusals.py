"""Which refusals of servers are final, by all that a store has of what was asked for; and what a person is told."""

import pyarrow as pa
import pyarrow.compute as pc

from schemas.phrases import counted, listed
from schemas.reasons import FAILURES_IN_BYTES, REFUSALS
from tasks.core import tables
from tasks.core.fetch import host_of, hosts

_REFUSALS = pa.array(sorted(map(str, REFUSALS)))
_BAD_IMAGES = pa.array(sorted(str(reason) for reason in FAILURES_IN_BYTES - REFUSALS))
_MOST_HOSTS = 3


def are_refused(answers: pa.Table) -> pa.ChunkedArray:
    """(N,) whether each RETRIEVALS row is a server's refusal, of which a busy or broken one gives many, too."""
    return pc.and_(pc.is_in(answers["reason"], value_set=_REFUSALS), pc.is_valid(host_of(answers["locator"])))


def are_open(answers: pa.Table, stored: pa.Table) -> pa.ChunkedArray:
    """(N,) whether each RETRIEVALS row is a refusal that is not final: it is asked for again by the next build.

    stored: all rows of RETRIEVALS (locator, reason, sha256, run), those of `answers` too. A refusal is final if its
    host has sent any image in the same build, or if two builds have met it; rows without a `run` are of one build.
    """
    refused = are_refused(answers)
    has_answered = pc.or_(pc.is_valid(stored["sha256"]), pc.is_in(stored["reason"], value_set=_BAD_IMAGES))
    answering = pc.unique(_run_and_host(stored.filter(has_answered)))
    met = stored.filter(are_refused(stored)).select(["locator", "run"])
    met = met.set_column(1, "run", pc.fill_null(met["run"], ""))
    times = met.group_by("locator").aggregate([("run", "count_distinct")])
    met_again = times.filter(pc.greater(times["run_count_distinct"], 1))["locator"]
    is_final = pc.or_(
        pc.is_in(_run_and_host(answers), value_set=answering), pc.is_in(answers["locator"], value_set=met_again)
    )
    return pc.and_(refused, pc.invert(is_final))


def _run_and_host(rows: pa.Table) -> pa.ChunkedArray:
    host = pc.utf8_lower(pc.fill_null(host_of(rows["locator"]), ""))
    return pc.binary_join_element_wise(pc.fill_null(rows["run"], ""), host, "\n")


def refusal_notes(refused: pa.Table, is_open: pa.ChunkedArray, command: str, command_for_all: str) -> list[str]:
    """A sentence about refusals that are asked for again, and one about those that are final, each with its remedy.

    refused: locator and reason. command, command_for_all: what a person types to build again, or to ask for all.
    """
    open_, final = refused.filter(is_open), refused.filter(pc.invert(is_open))
    notes = []
    if open_.num_rows:
        places = listed(hosts(open_["locator"]), _MOST_HOSTS)
        notes.append(
            f"fetch: {_refusals(open_)}, and no image came from {places} in this build, so that the next build asks "
            "again" + (f": `{command}`" if command else "")
        )
    if final.num_rows:
        remedy = f"`{command_for_all}`" if command_for_all else "a build with `refresh: failed` at its fetch stage"
        notes.append(f"fetch: {_refusals(final)} for good; to ask again: {remedy}")
    return notes


def _refusals(refused: pa.Table) -> str:
    reasons = ", ".join(f"{number} {reason}" for reason, number in tables.dropped_counts(refused).items())
    return f"{counted(refused.num_rows, 'image')} {'was' if refused.num_rows == 1 else 'were'} refused ({reasons})"
