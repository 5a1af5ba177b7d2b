"""Manifests: what tasks hand to each other."""

import pytest
from pydantic import ValidationError

from schemas.manifests import ReleaseManifest, State, Step, TableRef


def ref(name: str) -> TableRef:
    return TableRef(path=f"outcomes/{name}/{name}{'0' * 60}.parquet", rows=3)


def step(label: str, stage: str, pending: int = 0) -> Step:
    return Step(label=label, stage=stage, kind="decide", outcome=ref(label), kept=3, dropped={}, pending=pending)


START = State(records=ref("r"), figures=ref("f"))


def test_the_digest_of_a_table_is_the_name_of_its_file():
    assert TableRef(path="a/b/ffee.parquet", rows=0).sha256 == "ffee"
    assert TableRef(path="ffee.parquet", rows=0).sha256 == "ffee"


def test_the_last_stage_of_a_word_is_the_one_that_counts():
    state = START.then(step("one", "screen")).then(step("two", "screen")).then(step("three", "dedup"))
    assert state.outcome("screen") == ref("two")
    assert state.outcome("split") is None
    assert START.outcome("screen") is None


def test_what_is_pending_stays_pending_in_all_later_stages():
    state = START.then(step("one", "fetch", pending=5)).then(step("two", "hash")).then(step("three", "hash", pending=2))
    assert state.pending == 5
    assert START.pending == 0


def test_a_state_is_never_changed_but_followed():
    START.then(step("one", "fetch"))
    assert START.steps == ()
    with pytest.raises(ValidationError, match="frozen"):
        START.pending = 3  # type: ignore[misc]


def test_a_release_manifest_reads_what_it_wrote_and_nothing_else():
    manifest = ReleaseManifest(
        name="a",
        version="0" * 12,
        previous=None,
        lineage=1,
        split_sha256="s",
        contract_version="1.0.0",
        content_sha256="c",
        recipe_sha256="r",
        counts={"records": 3, "by_split": {"train": 3}},
        content={},
        files={"x": {"sha256": "0", "bytes": 3}},
        environment={},
    )
    assert ReleaseManifest.model_validate_json(manifest.model_dump_json()) == manifest
    with pytest.raises(ValidationError, match="Extra inputs"):
        ReleaseManifest.model_validate({**manifest.model_dump(), "more": 1})
