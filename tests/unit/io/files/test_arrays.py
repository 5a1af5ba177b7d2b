"""Tables and arrays of other programs: read in the types that are asked for, or refused in a sentence."""

import base64
import io
import json
import struct
import subprocess
import sys
import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest

from schemas.errors import BadInput
from tasks.io.files import inputs, parquet_files
from tasks.io.files.arrays import read_table, read_vectors, vectors_of
from tests.support.desk import ROOT

COLUMNS = pa.schema([("id", pa.string()), ("score", pa.float64()), ("class", pa.string())])


def parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def write(folder, name: str, data: bytes) -> str:
    (folder / name).write_bytes(data)
    return str(folder / name)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        pytest.param(
            "a.parquet", parquet(pa.table({"id": [1, 2], "score": [1, None], "class": ["7", None]})), id="Parquet"
        ),
        pytest.param("a.csv", b"\xef\xbb\xbfid,score,class\r\n1,1,7\r\n2,,\r\n", id="CSV with a mark and empty cells"),
        pytest.param("a.JSON", b'[{"id": 1, "score": 1}, {"id": 2, "class": null}, {}]', id="JSON with holes"),
    ],
)
def test_a_table_has_the_types_that_are_asked_for(tmp_path, name, data):
    table = read_table("works", write(tmp_path, name, data), COLUMNS, optional=["class"])
    assert table.schema == COLUMNS
    assert table["id"].to_pylist()[:2] == ["1", "2"]
    assert table["score"].to_pylist()[:2] == [1.0, None]


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        pytest.param([10.0, None, -5.0], ["10", None, "-5"], id="pandas writes whole numbers with a null so"),
        pytest.param([123456789012.0, 2.0**53], ["123456789012", "9007199254740992"], id="large"),
        pytest.param([1.5, 2.0], ["1.5", "2"], id="not all whole"),
        pytest.param([None, None], [None, None], id="nulls"),
        pytest.param([1e300, 0.0], ["1e+300", "0"], id="beyond whole numbers"),
    ],
)
def test_whole_numbers_that_came_as_floats_are_texts_without_a_fraction(tmp_path, ids, expected):
    for name, column in (("a", pa.array(ids, pa.float64())), ("b", pa.array(ids, pa.float32()))):
        url = write(tmp_path, f"{name}.parquet", parquet(pa.table({"id": column})))
        if name == "a" or max(map(abs, filter(None, ids)), default=0) < 2**24:
            assert read_table("works", url, COLUMNS, COLUMNS.names)["id"].to_pylist() == expected
    url = write(tmp_path, "a.json", json.dumps([{"id": value} for value in ids]).encode())
    assert read_table("works", url, COLUMNS, COLUMNS.names)["id"].to_pylist() == expected


def test_texts_of_parquet_stay_as_they_are(tmp_path):
    url = write(tmp_path, "a.parquet", parquet(pa.table({"class": ["1.0", "2.0"]})))
    assert read_table("works", url, COLUMNS, COLUMNS.names)["class"].to_pylist() == ["1.0", "2.0"]


def test_other_columns_follow_as_they_are_and_optional_ones_may_be_missing(tmp_path):
    url = write(tmp_path, "a.csv", b"style,score,id\n1900,0.5,x\n")
    table = read_table("works", url, COLUMNS, optional=["class"], others=["style"])
    assert table.to_pylist() == [{"id": "x", "score": 0.5, "style": "1900"}]


def test_an_empty_list_is_a_table_without_rows(tmp_path):
    assert read_table("works", write(tmp_path, "a.json", b"[]"), COLUMNS).num_rows == 0


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        pytest.param(
            "a.txt", b"", "works: expected a file that ends in .parquet, .csv, .tsv or .json, got '", id="kind"
        ),
        pytest.param("a.parquet", b"PAR1", "works: expected a Parquet file, got ", id="no Parquet"),
        pytest.param("a.csv", b"", "works: expected CSV, got ", id="empty"),
        pytest.param("a.csv", b"id,score,class\na\n", "works: expected CSV, got ", id="ragged CSV"),
        pytest.param(
            "a.csv",
            b"id,score,class\na,high,b\n",
            "works: expected numbers in the column 'score', got 'high'",
            id="a word",
        ),
        pytest.param(
            "a.csv",
            b"id,score,class\n\xff,1,b\n",
            "works: expected CSV in UTF-8, got other bytes in line 2",
            id="not UTF-8",
        ),
        pytest.param(
            "a.csv", b"id,id,score,class\na,b,1,c\n", "expected one column of each name, got 'id' twice", id="twice"
        ),
        pytest.param(
            "a.csv",
            b"id,score\na,1\n",
            "works: expected the column 'class', got the columns 'id', 'score'",
            id="missing",
        ),
        pytest.param(
            "a.csv",
            b"name,value\na,1\n",
            "works: expected the columns 'id', 'score', 'class', got the columns 'name', 'value'",
            id="several missing",
        ),
        pytest.param("a.json", b"{}", "works: expected a JSON list of flat objects, got something else", id="object"),
        pytest.param("a.json", b"[1]", "works: expected a JSON list of flat objects, got something else", id="numbers"),
        pytest.param("a.json", b'[{"score": NaN}]', "got NaN, which JSON does not have", id="NaN"),
        pytest.param("a.json", b"[" * 100_000, "works: expected a JSON list of flat objects, got ", id="deep"),
        pytest.param(
            "a.json", b'[{"id": "a"}, {"id": 1}]', "works: expected a JSON list of flat objects, got ", id="mixed"
        ),
        pytest.param(
            "a.json",
            b'[{"id": "a", "score": "1", "class": "b"}]',
            "expected the column 'score' of the type double, got values of the type string",
            id="text in JSON",
        ),
        pytest.param(
            "a.parquet",
            parquet(pa.table({"id": [[1]], "score": [1], "class": ["a"]})),
            "expected the column 'id' of the type string, got ",
            id="lists",
        ),
    ],
)
def test_what_is_no_such_table_is_refused_in_one_sentence(tmp_path, name, data, sentence):
    with pytest.raises(BadInput) as problem:
        read_table("works", write(tmp_path, name, data), COLUMNS)
    assert sentence in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_small_file_with_very_many_rows_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_files, "MAX_ROWS", 3)
    table = pa.table({"id": ["a"] * 4, "score": [1] * 4, "class": ["a"] * 4})
    with pytest.raises(BadInput, match="got 4 rows, more than 3"):
        read_table("works", write(tmp_path, "a.parquet", parquet(table)), COLUMNS)


def test_vectors_of_a_file_of_another_kind_are_refused_with_the_kinds_that_there_are(tmp_path):
    with pytest.raises(BadInput, match=r"mine: expected vectors in a file that ends in \.npy .*, got '.*a\.pt'"):
        read_vectors("mine", write(tmp_path, "a.pt", b""))


@pytest.mark.parametrize("kind", [pa.list_(pa.float32()), pa.list_(pa.float32(), 2), pa.large_list(pa.float32())])
def test_vectors_of_a_column(kind):
    table = pa.table({"vector": pa.array([[1, 2], [3, 4]], kind)})
    assert vectors_of("gallery", table, "vector").tolist() == [[1, 2], [3, 4]]
    assert vectors_of("gallery", table.slice(1), "vector").tolist() == [[3, 4]]


@pytest.mark.parametrize(
    ("lists", "sentence"),
    [
        pytest.param([[1.0], [1.0, 2.0]], "expected lists of one length in 'vector', got 1 and 2 numbers", id="ragged"),
        pytest.param([[1.0], None], "expected a list of numbers in each row of 'vector', got a null", id="null"),
        pytest.param([[1.0, None]], "expected a list of numbers in each row of 'vector', got a null", id="null inside"),
    ],
)
def test_lists_that_are_no_vectors_are_refused(lists, sentence):
    with pytest.raises(BadInput, match=sentence):
        vectors_of("gallery", pa.table({"vector": lists}), "vector")


def test_numbers_in_json_are_read_as_they_are_written(tmp_path):
    rows = [{"id": "a", "score": 1e308, "class": "x"}, {"id": "b", "score": -0.1, "class": "x"}]
    table = read_table("works", write(tmp_path, "a.json", json.dumps(rows).encode()), COLUMNS)
    assert table["score"].to_pylist() == [1e308, -0.1]


def test_only_columns_that_are_asked_for_are_read(tmp_path):
    table = pa.table({"id": ["a"], "score": [1.0], "style": ["Cubism"], "note": ["x"]})
    url = write(tmp_path, "a.parquet", parquet(table))
    assert read_table("works", url, COLUMNS, ["class"], ["style"]).column_names == ["id", "score", "style"]
    assert read_table("works", url, COLUMNS, ["class"], ["id"]).column_names == ["id", "score"]
    with pytest.raises(BadInput, match="works: expected the column 'class', got the columns 'id', 'score', 'style'"):
        read_table("works", url, COLUMNS, ["class"], ["class"])


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(pa.array(["x" * 1000] * 2000), id="texts"),
        pytest.param(pa.array(["x" * 1000] * 2000).dictionary_encode(), id="texts of a dictionary"),
        pytest.param(pa.array(["x" * 1000] * 2000, pa.large_string()), id="long texts"),
        pytest.param(pa.array([[1.5] * 200] * 2000), id="lists"),
    ],
)
def test_a_small_file_of_very_many_bytes_is_refused_unless_nobody_asks_for_them(tmp_path, monkeypatch, column):
    monkeypatch.setattr(parquet_files, "MAX_DECODED_BYTES", 100_000)
    table = pa.table({"id": ["a"] * 2000, "score": [1.0] * 2000, "more": column})
    data = parquet(table)
    url = write(tmp_path, "a.parquet", data)
    assert len(data) < 20_000
    assert read_table("works", url, COLUMNS, ["class"]).num_rows == 2000
    sentence = "works: expected a Parquet file, got columns of more than 100,000 bytes once they are decoded"
    with pytest.raises(BadInput, match=sentence):
        read_table("works", url, COLUMNS, ["class"], ["more"])


@pytest.mark.slow
def test_a_text_of_ten_megabytes_a_million_times_is_refused_before_it_is_written_out(tmp_path):
    table = pa.table({"id": pa.DictionaryArray.from_arrays(pa.array([0] * 10**6, pa.int32()), ["x" * 10**7])})
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd", store_schema=False)
    url = write(tmp_path, "a.parquet", sink.getvalue())
    with pytest.raises(BadInput, match="bytes once they are decoded"):
        read_table("works", url, COLUMNS.remove(1).remove(1))


def test_rows_of_several_batches_and_groups_are_all_there(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_files, "_BATCH_ROWS", 3)
    rows = {"id": [f"{row}" for row in range(20)], "score": [row / 2 for row in range(20)], "class": [None, "x"] * 10}
    sink = io.BytesIO()
    pq.write_table(pa.table(rows), sink, row_group_size=7)
    assert read_table("works", write(tmp_path, "a.parquet", sink.getvalue()), COLUMNS).to_pydict() == rows


def test_names_with_dots_categories_and_lists_of_texts(tmp_path):
    table = pa.table(
        {
            "id": pa.array(["a", "b"]).dictionary_encode(),
            "score": [1, 2],
            "class": pa.array([1, 2]).dictionary_encode(),
            "id.x": [1, 2],
            "words": [["x"], []],
            "when": pa.array([0, 1], pa.timestamp("s")),
        }
    )
    url = write(tmp_path, "a.parquet", parquet(table))
    assert read_table("works", url, COLUMNS, (), ["id.x", "when"]).select(["id", "class", "id.x"]).to_pylist() == [
        {"id": "a", "class": "1", "id.x": 1},
        {"id": "b", "class": "2", "id.x": 2},
    ]
    with pytest.raises(BadInput, match="got lists of texts in the column 'words"):
        read_table("works", url, COLUMNS, (), ["words"])


@pytest.mark.parametrize("dictionary", [False, True])
def test_a_text_that_is_no_utf8_is_refused(tmp_path, dictionary):
    offsets, letters = pa.array([0, 1, 2], pa.int32()).buffers()[1], pa.py_buffer(b"a\xff")
    column = pa.Array.from_buffers(pa.string(), 2, [None, offsets, letters])
    url = write(tmp_path, "a.parquet", parquet(pa.table({"id": column.dictionary_encode() if dictionary else column})))
    with pytest.raises(BadInput, match=r"works: expected a Parquet file, got .*UTF8"):
        read_table("works", url, pa.schema([("id", pa.string())]))


def test_an_encrypted_column_is_refused_and_does_not_end_the_process(tmp_path):
    kms = pe.KmsConnectionConfig()
    keys = pe.CryptoFactory(lambda _: _Keys()).file_encryption_properties(
        kms, pe.EncryptionConfiguration(footer_key="f", column_keys={"c": ["id"]}, plaintext_footer=True)
    )
    rows = pa.table({"id": ["a"], "score": [1.0]})
    with pq.ParquetWriter(tmp_path / "a.parquet", rows.schema, encryption_properties=keys) as writer:
        writer.write_table(rows)
    code = (
        "import sys, pyarrow as pa\n"
        "from tasks.io.files.arrays import read_table\n"
        "print(read_table('works', sys.argv[1], pa.schema([('score', pa.float64())])).num_rows)\n"
        "read_table('works', sys.argv[1], pa.schema([('id', pa.string())]))\n"
    )
    # a process of its own: Arrow ends it where the size of such a column is asked for
    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.parquet")], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert ended.stdout == "1\n"
    assert "BadInput: works: expected a Parquet file, got Cannot decrypt" in ended.stderr


class _Keys(pe.KmsClient):
    def wrap_key(self, key_bytes, _master):
        return base64.b64encode(key_bytes)

    def unwrap_key(self, wrapped_key, _master):
        return base64.b64decode(wrapped_key)


def test_a_page_that_is_not_what_its_checksum_says_is_refused(tmp_path):
    sink = io.BytesIO()
    rows, plain = pa.table({"score": [1.5, 3.5, 2.5]}), {"compression": "none", "use_dictionary": False}
    pq.write_table(rows, sink, write_page_checksum=True, write_statistics=False, **plain)
    damaged = sink.getvalue().replace(struct.pack("<d", 3.5), struct.pack("<d", 1.25), 1)
    with pytest.raises(BadInput, match=r"works: expected a Parquet file, got .*CRC"):
        read_table("works", write(tmp_path, "a.parquet", damaged), pa.schema([("score", pa.float64())]))


def test_a_name_twice_in_one_object_is_refused(tmp_path):
    data = b'[{"id": "a"}, {"id": "b", "score": 1, "id": "c"}]'
    with pytest.raises(BadInput, match="works: expected a JSON list of flat objects, got 'id' twice in one of them"):
        read_table("works", write(tmp_path, "a.json", data), pa.schema([("id", pa.string())]))


def test_objects_with_thousands_of_names_of_their_own_take_no_room(monkeypatch):
    data = json.dumps([{"id": str(place), f"more {place}": 1} for place in range(4000)]).encode()
    monkeypatch.setattr(inputs, "read", lambda *_: data)
    tracemalloc.start()
    assert read_table("works", "a.json", pa.schema([("id", pa.string())]), others=["more 7"]).num_rows == 4000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32e6  # a column for each name had 16 million cells


def test_a_text_column_of_floats_has_no_text_where_there_is_no_number(tmp_path):
    column = pa.array([1.5, float("nan"), 7.0], pa.float64())
    url = write(tmp_path, "a.parquet", parquet(pa.table({"id": column})))
    assert read_table("works", url, pa.schema([("id", pa.string())]))["id"].to_pylist() == ["1.5", None, "7"]
    whole = write(tmp_path, "b.parquet", parquet(pa.table({"id": column.slice(1)})))
    assert read_table("works", whole, pa.schema([("id", pa.string())]))["id"].to_pylist() == [None, "7"]


@pytest.mark.parametrize("values", [["1", "2"], [True, False]])
def test_lists_of_other_values_are_no_lists_of_numbers(tmp_path, values):
    url = write(tmp_path, "a.json", json.dumps([{"vector": values}]).encode())
    with pytest.raises(BadInput, match="expected the column 'vector' of the type list<item: double>, got values of"):
        read_table("works", url, pa.schema([("vector", pa.list_(pa.float64()))]))
