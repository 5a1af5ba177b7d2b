"""Pictures of what was dropped, in the report of a whole build: none without open rights, none that a purge leaves."""

import base64
from typing import Any

import pyarrow as pa
import pytest

from tasks.core.purge.release import REMOVED_REPORT
from tasks.core.rights import passes
from tasks.engine import thumbnails
from tasks.io.store.releases import Release
from tasks.io.store.store import Store
from tasks.purge import purge
from tests.support.desk import Desk

pytestmark = pytest.mark.live


def pictures(store: str, blobs: list[str]) -> dict[str, str]:
    """The stored thumbnail of each blob as a page has it."""
    opened = Store(store)
    places = thumbnails.stored_thumbnails(opened, pa.array(sorted({*blobs}), pa.string()))
    return {sha256: base64.b64encode(jpeg).decode() for sha256, jpeg in thumbnails.jpegs(opened, places)}


def dropped(release: Release) -> list[dict[str, Any]]:
    """The rows of its ledger of records that were dropped and whose files came, each with its rights."""
    rights = {row["record_id"]: row["rights_uri"] for row in release.records().to_pylist()}
    rows = [row for row in release.ledger().to_pylist() if not row["kept"] and row["sha256"]]
    return [{**row, "rights_uri": rights[row["record_id"]]} for row in rows]


def test_what_has_no_open_rights_is_not_seen_whatever_stage_dropped_it(measured: Desk):
    measured.build("stages.has-a-figure.rights=public_domain")
    release = measured.latest
    page, rows = release.read("report.html").decode(), dropped(release)
    picture_of = pictures(measured.store, [row["sha256"] for row in rows])
    kept = {row["sha256"] for row in release.ledger().to_pylist() if row["kept"]}
    closed = [row for row in rows if not passes(row["rights_uri"], ["public_domain"])]
    assert {"rights_not_open"} < {row["reason"] for row in closed}, "another stage was first for some"
    assert not [row for row in closed if row["sha256"] not in kept and picture_of[row["sha256"]] in page]
    shown = {row["reason"] for row in rows if picture_of.get(row["sha256"], "no picture") in page}
    assert {"too_small", "too_few_figures", "near_duplicate", "style_not_chosen"} <= shown
    assert "records <code>rights_not_open</code>" in page


def test_each_reason_of_a_build_has_pictures_that_are_its_own(built: Desk):
    page, rows = built.latest.read("report.html").decode(), dropped(built.latest)
    _, _, section = page.partition("What was dropped, and why")
    for reason in {row["reason"] for row in rows if row["reason"] in {"too_small", "too_few_figures"}}:
        _, _, own = section.partition(f"<code>{reason}</code>")
        names = {row["record_id"] for row in rows if row["reason"] == reason}
        assert 1 <= sum(f"<code><bdi>{name}</bdi></code>" in own.partition("<h3>")[0] for name in names) <= 4


def test_a_purge_of_a_dropped_record_that_is_pictured_takes_the_report_with_it(built: Desk):
    page = built.latest.read("report.html").decode()
    rows = [row for row in dropped(built.latest) if row["reason"] == "too_small"]
    shown = next(row["record_id"] for row in rows if f"<code><bdi>{row['record_id']}</bdi></code>" in page)
    purge("museum", built.store, [shown], "withdrawn", "2025-01-02", is_alone=True)
    assert built.latest.read("report.html").decode() == REMOVED_REPORT
