"""CSV with whole numbers as people and pandas write them."""

import pandas as pd
import pyarrow as pa
import pytest

from schemas.errors import BadInput
from tasks.io.files.arrays import read_table

COLUMNS = pa.schema([("id", pa.string()), ("score", pa.float64()), ("class", pa.string())])


def write(folder, name: str, data: bytes) -> str:
    (folder / name).write_bytes(data)
    return str(folder / name)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        pytest.param(["10.0", "", "-5.0"], ["10", None, "-5"], id="as pandas writes them"),
        pytest.param(["10.0", "11"], ["10.0", "11"], id="not all with a fraction"),
        pytest.param(["10.0", "1.5", "-0.25"], ["10", "1.5", "-0.25"], id="not all whole, as in Parquet"),
        pytest.param(["10.0", "1.50"], ["10", "1.50"], id="a last 0 that is not all of the fraction"),
        pytest.param(["1.0", "1.0.0"], ["1.0", "1.0.0"], id="versions"),
        pytest.param(["1.0 ", "2.0"], ["1.0 ", "2.0"], id="a blank"),
        pytest.param(["", ""], [None, None], id="nulls"),
    ],
)
def test_whole_numbers_in_csv_are_texts_without_a_fraction(tmp_path, cells, expected):
    data = "\n".join(["class,score,edition", *(f"{cell},1,1.0" for cell in cells)]) + "\n"
    table = read_table("works", write(tmp_path, "a.csv", data.encode()), COLUMNS, COLUMNS.names, ["edition"])
    assert table["class"].to_pylist() == expected
    assert table["edition"].to_pylist() == ["1.0"] * len(cells), "a column that nobody asked for stays"


WHOLE = pa.schema([("image_id", pa.int64()), ("rating", pa.int8()), ("x", pa.float64())])


def test_whole_numbers_that_pandas_has_written_as_fractions(tmp_path):
    """A column of whole numbers with a gap is one of floats to pandas."""
    data = b"image_id,rating,x\n9007199254740993,2.0,1.5\n8.000, +3 ,\n1e3,,2\n-7.,4.0,3\n"
    table = read_table("ratings", write(tmp_path, "a.csv", data), WHOLE)
    assert table.schema == WHOLE
    assert table["image_id"].to_pylist() == [9007199254740993, 8, 1000, -7]
    assert table["rating"].to_pylist() == [2, 3, None, 4]
    assert table["x"].to_pylist() == [1.5, None, 2, 3]


def test_a_table_that_pandas_itself_has_written(tmp_path):
    pd.DataFrame({"image_id": [1, 2], "rating": [3, None], "x": [0.5, 1]}).to_csv(tmp_path / "a.csv", index=False)
    table = read_table("ratings", str(tmp_path / "a.csv"), WHOLE)
    assert table.to_pydict() == {"image_id": [1, 2], "rating": [3, None], "x": [0.5, 1.0]}


@pytest.mark.parametrize("text", ["2.5", "two", "2.0.0", "N/A", "inf", "1e17", "1e999", "1_0", "2. 0"])
def test_what_is_no_whole_number_is_refused_in_one_sentence(tmp_path, text):
    with pytest.raises(BadInput) as problem:
        read_table("ratings", write(tmp_path, "a.csv", f"image_id,rating,x\n{text},1,1\n".encode()), WHOLE)
    assert "ratings: expected whole numbers from " in str(problem.value)
    assert str(problem.value).endswith(f" in the column 'image_id', got '{text}'")


@pytest.mark.parametrize("text", ["128", "-129.0", "9" * 30])
def test_whole_numbers_beyond_their_type_are_refused(tmp_path, text):
    with pytest.raises(BadInput, match="expected whole numbers from -128 to 127 in the column 'rating', got '"):
        read_table("ratings", write(tmp_path, "a.csv", f"image_id,rating,x\n1,{text},1\n".encode()), WHOLE)


SCORES = pa.schema([("id", pa.string()), ("score", pa.float64()), ("rank", pa.int8())])
EXPECTED = {"id": ["007", "NA"], "score": [1.5, None], "rank": [2, None]}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b'"id","score","rank"\n"007",1.5,2\n"NA",NA,NA\n', id="R"),
        pytest.param(b"id;score;rank\r\n007;1,5;2\r\nNA;;\r\n", id="a spreadsheet in German"),
        pytest.param(b'\xef\xbb\xbf"id";"score";"rank"\n"007";1.5;2,0\n"NA";NA;NA\n', id="R's write.csv2, mixed"),
        pytest.param(b"id\tscore\trank\n007\t1.5\t2\nNA\t\t\n", id="tabs"),
        pytest.param(b"id,score,rank\n007,1.5,2\nNA,nan,NaN\n", id="NumPy"),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_tables_as_other_programs_write_them(tmp_path, name, data):
    assert read_table("scores", write(tmp_path, name, data), SCORES).to_pydict() == EXPECTED


def test_a_comma_in_the_header_or_in_quotes_is_what_it_is(tmp_path):
    url = write(tmp_path, "a.csv", b"id,score,rank;x\na;b,1,2\n")
    assert read_table("scores", url, SCORES, SCORES.names)["id"].to_pylist() == ["a;b"]
    url = write(tmp_path, "a.csv", b'id;score;rank;"a, b"\nx;1;2;3\n')
    assert read_table("scores", url, SCORES, (), ["a, b"]).to_pylist() == [
        {"id": "x", "score": 1, "rank": 2, "a, b": "3"}
    ]


@pytest.mark.parametrize("text", ["1,5", "1.5.2", "high", "0x10", "1_0"])
def test_what_is_no_number_is_refused_with_its_column(tmp_path, text):
    with pytest.raises(BadInput) as problem:
        read_table("scores", write(tmp_path, "a.csv", f'id,score,rank\na,"{text}",1\n'.encode()), SCORES)
    assert str(problem.value) == f"scores: expected numbers in the column 'score', got '{text}'"


LISTS = pa.schema([("id", pa.string()), ("vector", pa.list_(pa.float64()))])


def test_lists_are_read_as_pandas_writes_them(tmp_path):
    pd.DataFrame({"id": ["a", "b", "c"], "vector": [[1, 2.5], [], None]}).to_csv(tmp_path / "a.csv")
    table = read_table("poses", str(tmp_path / "a.csv"), LISTS)
    assert table.to_pydict() == {"id": ["a", "b", "c"], "vector": [[1, 2.5], [], None]}


@pytest.mark.parametrize(
    "text", ["[1. 2.]", "1", "[[1]]", "[1, null]", "[NaN]", "[true]", "[1e999]", "[1" + "0" * 400 + "]"]
)
def test_what_is_no_list_of_numbers_is_refused(tmp_path, text):
    data = f'id,vector\na,"{text}"\n'.encode()
    with pytest.raises(BadInput, match=r"poses: expected lists such as \[1, 2\.5\] in the column 'vector', got '"):
        read_table("poses", write(tmp_path, "a.csv", data), LISTS)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
@pytest.mark.parametrize("line", ["Zoë,1,2", "Zoe,ä,2"])
def test_another_encoding_is_refused_with_its_name_and_the_line(tmp_path, encoding, line):
    with pytest.raises(
        BadInput, match=r"^scores: expected CSV in UTF-8, got other bytes in line [12] .*: save it as UTF-8$"
    ):
        read_table("scores", write(tmp_path, "a.csv", f"id,score,rank\n{line}\n".encode(encoding)), SCORES)


@pytest.mark.parametrize("column", ["score", "rank"])
def test_points_that_may_part_thousands_are_refused_beside_decimal_commas(tmp_path, column):
    url = write(tmp_path, "a.csv", f"id;{column}\na;1.000\nb;1,0\n".encode())
    wanted = pa.schema([SCORES.field("id"), SCORES.field(column)])
    expected = f"^scores: expected one decimal sign in the column '{column}', got '1.000' and '1,0'$"
    with pytest.raises(BadInput, match=expected):
        read_table("scores", url, wanted)


def test_line_ends_in_quotes_are_part_of_a_name_also_where_a_file_is_longer_than_a_block(tmp_path):
    rows = 120_000  # some 2 MB, twice what is parsed at once
    data = "id,score,class\n" + "".join(f'{row},1,"The Kiss\n{row % 3}"\n' for row in range(rows))
    table = read_table("works", write(tmp_path, "a.csv", data.encode()), COLUMNS)
    assert table.num_rows == rows
    assert set(table["class"].to_pylist()) == {"The Kiss\n0", "The Kiss\n1", "The Kiss\n2"}
