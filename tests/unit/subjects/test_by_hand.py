"""Lists by hand, the shell: which pages of purged records a crawl still needs."""

from types import SimpleNamespace

import pyarrow as pa
import pytest

from schemas.tables import LEDGER, TOMBSTONES
from tasks.subjects import by_hand


@pytest.mark.parametrize(
    ("stones", "ledger", "expected"),
    [
        pytest.param([], ["s:1"], [], id="nothing purged"),
        pytest.param(["s:1"], None, ["s:1"], id="no release before"),
        pytest.param(
            ["s:1", "s:2"], ["s:1", "s:2", "s:2-3"], ["s:1"], id="a page that holds another image is asked for"
        ),
        pytest.param(["s:2", "s:2-3"], ["s:2", "s:2-3"], ["s:2", "s:2-3"], id="if that is not purged too"),
        pytest.param(["s:a"], ["s:a", "s:a-night"], ["s:a"], id="a name that only begins alike is another page"),
    ],
)
def test_pages_that_hold_further_images_are_still_asked_for(
    monkeypatch: pytest.MonkeyPatch, stones: list[str], ledger: list[str] | None, expected: list[str]
):
    def table(names: list[str], schema: pa.Schema) -> pa.Table:
        return pa.Table.from_pylist([{"record_id": name} for name in names], schema=schema)

    known = None if ledger is None else SimpleNamespace(ledger=lambda: table(ledger, LEDGER))
    monkeypatch.setattr(by_hand, "all_tombstones", lambda *_: table(stones, TOMBSTONES))
    assert by_hand.purged_ids(None, None, known).to_pylist() == expected  # type: ignore[arg-type]
