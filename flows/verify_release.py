"""A release, checked from its files alone: the example of a flow that starts when a dataset is published."""

from prefect import flow

from flows.parameters import Against, Deep, Expect, RadiusBits, Release, documented
from schemas.errors import BrokenPromise
from schemas.phrases import counted
from tasks.orchestration import flow_runs
from tasks.page import artifacts
from tasks.verify import verify


@flow(name="verify_release", persist_result=False)
@documented
def verify_release(
    release: Release,
    deep: Deep = False,
    expect: Expect | None = None,
    against: Against | None = None,
    radius_bits: RadiusBits | None = None,
) -> str:
    """Check a release: digests, contract, counts, copies across splits. The run fails where a check fails."""

    def work() -> str:
        flow_runs.rename_run("verify")
        found = verify(release, is_deep=deep, expected_sha256=expect, against=against or [], radius_bits=radius_bits)
        flow_runs.rename_run(f"{found.name} · verify {found.version}")
        artifacts.create_verification(found.name, found.version, found.text)
        if not found.is_good:
            raise BrokenPromise(
                f"verify: expected release {found.version} of {found.name} to hold all that it promises, got "
                f"{counted(len(found.problems), 'problem')}, the first of which is: {found.problems[0]}"
            )
        return flow_runs.completed_run(found.text, f"{found.name} {found.version} holds all that it promises")

    return flow_runs.end_in_a_sentence(work)
