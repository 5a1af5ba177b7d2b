"""How far a stage is: how long is left, in words; keys of artifacts; how often one is written."""

import pytest

from tasks.orchestration import progress
from tasks.orchestration.progress import artifact_key, time_left


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(8, "8 s"), (59.4, "59 s"), (95, "2 min"), (5399, "90 min"), (5400, "1.5 h"), (400_000, "4.6 days")],
)
def test_times_are_told_in_the_unit_that_fits(seconds, words):
    assert time_left(seconds) == words


def test_a_key_has_small_letters_digits_and_hyphens_only():
    assert artifact_key("museum", "progress", "has_a_figure") == "museum-progress-has-a-figure"
    assert artifact_key("", "progress", "scrape · Wiki Art") == "progress-scrape-wiki-art"


def test_the_time_that_is_left_goes_by_the_speed_so_far(monkeypatch):
    now_s = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now_s[0])
    with progress.progress("fetch", 100) as advance:
        now_s[0] = 60.0
        assert advance(25) == ", about 3 min left"
        assert advance(0) == ", about 3 min left"
        now_s[0] = 61.0
        assert advance(75) == ""


def test_an_artifact_of_a_week_is_written_each_hundredth_and_each_half_minute(monkeypatch):
    now_s, written = [0.0], []
    monkeypatch.setattr(progress.time, "monotonic", lambda: now_s[0])
    monkeypatch.setattr(progress.reports, "report", lambda _, tell: tell())
    monkeypatch.setattr(progress, "create_progress_artifact", lambda **_: progress.UUID(int=1))
    monkeypatch.setattr(progress, "update_progress_artifact", lambda _, **told: written.append(told["description"]))
    with progress.progress("scrape", 604_800) as advance:
        for second in range(7200):
            now_s[0] = float(second)
            advance(1, "")
    assert 7200 / 31 - 2 <= len(written) <= 7200 / 30 + 2, "one of 7,200 that were done"
    written.clear()
    with progress.progress("fetch", 1000) as advance:
        for tenth in range(1000):
            now_s[0] = 7200 + tenth / 10
            advance(1)
    assert len(written) <= 100
    assert written[-1] == "fetch: 1,000 of 1,000"
