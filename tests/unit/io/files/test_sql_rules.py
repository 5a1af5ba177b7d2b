"""SQL over tables in memory, and nothing else."""

from pathlib import Path

import pyarrow as pa
import pytest

from tasks.io.files import sql_rules

TABLE = pa.table({"a": pa.array(["x", "y", "x"]).dictionary_encode(), "b": pa.array([1, 2**63, None], pa.uint64())})


def test_tables_are_asked_by_name_and_by_path():
    with sql_rules.opened({"images": TABLE, "images/*.parquet": TABLE}) as answer:
        assert answer("SELECT count(*) FROM images WHERE a = 'x'") == [(2,)]
        assert answer('SELECT max(b) FROM "images/*.parquet"') == [(2**63,)]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM '{file}'",
        "SELECT * FROM read_text('{file}')",
        "SELECT * FROM read_csv('{file}')",
        "COPY images TO '{file}.out'",
        "ATTACH '{file}.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET memory_limit = '100GB'",
        "SELECT * FROM TABLE",
        "SELECT count(*) FROM nowhere",
        "no SQL",
    ],
)
def test_nothing_else_can_be_reached(query: str, tmp_path: Path):
    file = tmp_path / "secret.csv"
    file.write_text("a,b\n1,2\n")
    with sql_rules.opened({"images": TABLE}) as answer, pytest.raises(sql_rules.NoAnswer):
        answer(query.format(file=file))
    assert list(tmp_path.iterdir()) == [file]


def test_a_query_that_needs_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sql_rules._CONFIG, "memory_limit", "10MB")
    query = "SELECT count(DISTINCT range::text) FROM range(3000000)"
    with sql_rules.opened({}) as answer, pytest.raises(sql_rules.NoAnswer, match="Out of Memory"):
        answer(query)


def test_a_table_that_cannot_be_asked_is_told():
    with (
        pytest.raises(sql_rules.NoAnswer, match=r"records: .*at least one column"),
        sql_rules.opened({"records": TABLE.select([])}),
    ):
        pass
