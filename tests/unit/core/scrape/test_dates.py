"""Years of dates in words: real forms of the Met, the Carnegie, the Tate and others, and what is no date."""

import csv
import re
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.word_lists import DateWords
from tasks.core.scrape.date_reader import Reader
from tasks.core.scrape.date_statements import FIRST_YEAR, LAST_YEAR, UnreadError, YearRange
from tasks.core.scrape.date_words import Lexicon, lexicon_with, plain_text
from tasks.core.scrape.dates import (
    DateReading,
    one_year,
    read_date,
    year_of_cell,
    years_of_work,
)

BY_HAND = Path(__file__).with_name("dates.csv")
"""Dates as museums of many countries write them, with what they say: written down before they were read."""
NOTHING = (None, None)
FORMS: dict[str | None, tuple[int | None, int | None]] = {
    # no year at all
    None: NOTHING,
    "": NOTHING,
    "n.d.": NOTHING,
    "undated": NOTHING,
    "date not known": NOTHING,
    "Ming dynasty": NOTHING,
    "2000 years ago": NOTHING,
    "ca. 1.5 million years old": NOTHING,
    "12": NOTHING,
    "no. 31415": NOTHING,
    "after 1900, before 1850": NOTHING,
    # years
    "1890": (1890, 1890),
    "c. 1890": (1890, 1890),
    "c.1890": (1890, 1890),
    "[1890?]": (1890, 1890),
    "ca. 850": (850, 850),
    "um 1500": (1500, 1500),
    "vers 1870": (1870, 1870),
    "1890-05-12": (1890, 1890),
    "1890-05": (1890, 1890),
    "12.05.1890": (1890, 1890),
    "18th May 1890": (1890, 1890),
    "May 12, 1890": (1890, 1890),
    "Spring 1890": (1890, 1890),
    "dated A.H. 860/1455–56 CE": (1455, 1456),
    # ranges
    "1871-73": (1871, 1873),
    "1871–1873": (1871, 1873),
    "1871-73.": (1871, 1873),
    "1908–9": (1908, 1909),
    "ca. 1780–90": (1780, 1790),
    "1690/1700": (1690, 1700),
    "1750 - 1799": (1750, 1799),
    "1899—1901": (1899, 1901),
    "between 1880 and 1890": (1880, 1890),
    "from 1880 to 1890": (1880, 1890),
    "1871 or 1872": (1871, 1872),
    "Edo period (1615–1868)": (1615, 1868),
    "designed 1860, made about 1872": (1860, 1872),
    "1783, printed 1820": (1783, 1820),
    # decades and hundreds
    "1850s": (1850, 1859),
    "1850's": (1850, 1859),
    "1850er Jahre": (1850, 1859),
    "années 1850": (1850, 1859),
    "mid-1850s": (1853, 1856),
    "late 1850s": (1857, 1859),
    "1850-60s": (1850, 1869),
    "1880s–90s": (1880, 1899),
    "1870–1880s": (1870, 1889),
    "1800s": (1800, 1899),
    "early 1800s": (1800, 1832),
    # centuries, and parts of them
    "19th century": (1801, 1900),
    "nineteenth century": (1801, 1900),
    "19th-century": (1801, 1900),
    "19th c.": (1801, 1900),
    "4th cent.": (301, 400),
    "1st century": (1, 100),
    "c. mid- to late-19th century": (1834, 1900),
    "early 16th c.": (1501, 1533),
    "probably late 16th century": (1568, 1600),
    "late 15th-early 16th century": (1468, 1533),
    "mid-19th–early 20th century": (1834, 1933),
    "18th–19th century": (1701, 1900),
    "15th–first half 20th century": (1401, 1950),
    "17th or 18th century": (1601, 1800),
    "second quarter of the 17th century": (1626, 1650),
    "last quarter 18th century": (1776, 1800),
    "2nd half of the 19th century": (1851, 1900),
    "first third of the 18th century": (1701, 1733),
    "20th century, after a 15th century original": (1901, 2000),
    # before Christ
    "5th century BC": (-500, -401),
    "5th–4th century B.C.": (-500, -301),
    "late 6th century BCE": (-533, -501),
    "ca. 1550–1295 B.C.": (-1550, -1295),
    "Dynasty 18, ca. 1479–1458 B.C.": (-1479, -1458),
    "125–75 BC": (-125, -75),
    "27 BC–AD 14": (-27, 14),
    "1st century B.C.–1st century A.D.": (-100, 100),
    "A.D. 79": (79, 79),
    "ca. 41–54 CE": (41, 54),
    "AD 50-75": (50, 75),
    "440s BC": (-449, -440),
    "ca. 10,000 BC": (-10_000, -10_000),
    "3rd millennium B.C.": (-3000, -2001),
    "ca. early 1st millennium BCE": (-1000, -668),
    # one end only
    "before 1900": (None, 1900),
    "by 1850": (None, 1850),
    "not after 1700": (None, 1700),
    "vor 1900": (None, 1900),
    "after 1632": (1632, None),
    "nach 1632": (1632, None),
    "after 1632, before 1650": (1632, 1650),
    "before the 19th century": (None, 1801),
    "after the 16th century": (1600, None),
    "ca. 1889 or later": (1889, None),
    "12th century or earlier": (None, 1200),
    "1960s–present": (1960, None),
    "after a print by Dürer, 1510": (1510, 1510),
    "by Rembrandt, 1650": (1650, 1650),
    # German, French, Italian, Spanish
    "17. Jahrhundert": (1601, 1700),
    "15./16. Jh.": (1401, 1600),
    "1. Hälfte 19. Jh.": (1801, 1850),
    "Ende des 18. Jahrhunderts": (1768, 1800),
    "5. Jh. v. Chr.": (-500, -401),
    "XVIe siècle": (1501, 1600),
    "fin XIXe s.": (1868, 1900),
    "première moitié du XVIIe siècle": (1601, 1650),
    "prima metà del XVI secolo": (1501, 1550),
    "XV-XVI secolo": (1401, 1600),
    "siglo XIX": (1801, 1900),
}


def years_of_text(text: str | None) -> YearRange:
    return read_date(text).years


@pytest.mark.parametrize(("text", "years"), FORMS.items(), ids=lambda value: str(value))
def test_years_of_a_date_in_words(text: str | None, years: tuple[int | None, int | None]) -> None:
    assert tuple(years_of_text(text)) == years


def test_there_are_enough_forms() -> None:
    assert len(FORMS) >= 60


@pytest.mark.parametrize(
    ("cell", "year"),
    [
        (1850, 1850), ("1850", 1850), (" 1850 ", 1850), ("1850-01-01", 1850), ("1850-01", 1850), (1850.0, 1850),
        ("1850.0", 1850), ("1850-01-01T00:00:00Z", 1850), (date(1850, 1, 1), 1850), (-500, -500), ("-500", -500),
        ("-0500-01-01", -500), ("500 BC", -500), ("500 B.C.", -500), ("500 BCE", -500), ("79 AD", 79), ("AD 79", 79),
        (datetime(1850, 1, 1, tzinfo=UTC), 1850),
        (None, None), ("", None), (0, None), ("0", None), (float("nan"), None), (float("inf"), None), (True, None),
        ("1850s", None), ("c. 1850", 1850), ("1850-60", None), ([1850], None), ({"year": 1850}, None),
        (99999, None), ("\ud800", None),
        (10**30, None),
        pytest.param(10**5000, None, id="a number too long to be written"),
        ("9" * 10_000, None), (LAST_YEAR, LAST_YEAR), (LAST_YEAR + 1, None), (FIRST_YEAR, FIRST_YEAR),
        (FIRST_YEAR - 1, None),
    ],
)  # fmt: skip
def test_the_year_of_a_cell(cell: Any, year: int | None) -> None:
    assert year_of_cell(cell) == year


WORDS = st.sampled_from(
    [
        *(
            "c.",
            "early",
            "mid",
            "late",
            "to",
            "-",
            "/",
            ",",
            "19th",
            "5th",
            "century",
            "BC",
            "AD",
            "1850",
            "1850s",
            "73",
        ),
        *("73", "before", "after", "XVI", "secolo", ".", "first", "half", "of", "(", ")", "2099", "siglo"),
    ]
)


@given(st.text(max_size=40) | st.lists(WORDS, max_size=9).map(" ".join))
def test_any_text_has_years_in_order_or_none(text: str) -> None:
    first, last = years_of_text(text)
    assert all(year is None or FIRST_YEAR <= year <= LAST_YEAR for year in (first, last))
    assert first is None or last is None or first <= last


@given(st.integers(1, 21), st.booleans())
def test_a_century_is_a_hundred_years_and_its_thirds_are_all_of_it(number: int, is_bc: bool) -> None:
    words = f"{number}th century{' BC' if is_bc else ''}"
    first, last = years_of_text(words)
    assert first is not None
    assert last == first + 99
    thirds = [years_of_text(f"{part} {words}") for part in ("early", "mid", "late")]
    assert (thirds[0].first, thirds[2].last) == (first, last)
    assert [third.first for third in thirds[1:]] == [(third.last or 0) + 1 for third in thirds[:-1]]


def test_a_text_of_any_length_is_cut() -> None:
    assert years_of_text("1850 " * 1_000_000) == (1850, 1850)
    assert years_of_text("x" * 300 + "1850") == (None, None)


def test_nearly_all_real_dates_of_the_met_are_read(shared_data: Path) -> None:
    path = shared_data / "met_openaccess" / "metmuseum_curated_full_columns_2000.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["Object Date"].strip()]
    read = [(row, years_of_text(row["Object Date"])) for row in rows]
    assert len([row for row, years in read if None in years]) <= 0.02 * len(rows)
    near = [
        row
        for row, years in read
        if years.first is not None and abs(years.first - int(row["Object Begin Date"] or 0)) <= 50
    ]
    assert len(near) >= 0.97 * len(rows)


@pytest.mark.parametrize(
    "row", list(csv.DictReader(BY_HAND.read_text(encoding="utf-8").splitlines())), ids=lambda row: row["text"]
)
def test_dates_of_many_languages(row: dict[str, str]) -> None:
    """Thirds of a century are a year more or less."""
    got = years_of_text(row["text"])
    for year, expected in zip(got, (row["first"], row["last"]), strict=True):
        assert (year is None) == (expected == "")
        assert year is None or abs(year - int(expected)) <= 1


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("1024 AH", "AH"),
        ("1500 BP", "BP"),
        ("Samvat 1850", "Samvat"),
        ("1850 zorblax", "zorblax"),
        ("1850 zorblax era of the moon", "zorblax"),
        ("2009.137", "2009.137"),
        ("1,500", "1,500"),
        ("20021", "20021"),
        ("24 x 30 cm, 1850", "cm"),
        ("1850", None),
        ("", None),
        ("İS 19th century", None),  # a capital that is no Roman one
        ("ıv 1850", "ıv"),
    ],
)
def test_what_is_not_understood_is_named(text: str, unread: str | None) -> None:
    assert read_date(text).unread == unread


@pytest.mark.parametrize(
    ("text", "years"),
    [
        # reported: years before Christ in words, other calendars and masks
        *((text, (-500, -500)) for text in ("500 avant J.-C.", "500 avanti Cristo", "500 antes de Cristo")),
        *(
            (text, (-500, -500))
            for text in ("500 a. de C.", "500 voor Christus", "500 v.C.", "500 av. n. è.", "500 aC")
        ),
        ("500 vor unserer Zeitrechnung", (-500, -500)),
        ("Ve siècle avant J.-C.", (-500, -401)),
        ("-500/-400", (-500, -400)),
        ("-0044-03-15", (-44, -44)),
        ("2 000 av. J.-C.", (-2000, -2000)),
        ("5-4th century BC", (-500, -301)),
        ("[189-?]", (1890, 1899)),
        ("between 189- and 191-", (1890, 1919)),
        ("dated 1024 AH", NOTHING),
        ("1190/85 BC", (-1190, -1185)),
        ("451/50 BC", (-451, -450)),
        ("490–80 B.C.", (-490, -480)),
        ("340–30 BC", (-340, -330)),
        ("1479–58 BC", (-1479, -1458)),
        ("431–04 BC", (-431, -404)),
        ("332–30 B.C.", (-332, -30)),  # the Ptolemaic Period
        ("664–30 BCE", (-664, -30)),
        ("100-50 v. Chr.", (-100, -50)),
        ("180–50 BC", NOTHING),  # 180-150, or 180-50?
        ("1203–4 BC", NOTHING),
        ("Zorblax era 1850", NOTHING),
        ("era Zorblax 1850", NOTHING),
        ("Meiji era (1868–1912)", (1868, 1912)),
        ("Edo period 1850", (1850, 1850)),
        ("16-17th century", (1501, 1700)),
        ("siglos XVI-XVII", (1501, 1700)),
        ("1,500", NOTHING),
        ("1500 BP", NOTHING),
        ("AH 1024", NOTHING),
        ("-1200", (-1200, -1200)),
    ],
)
def test_dates_that_were_reported(text: str, years: tuple[int | None, int | None]) -> None:
    assert tuple(years_of_text(text)) == years


BC = ("BC", "B.C.", "BCE", "v. Chr.", "av. J.-C.", "avant notre ère", "a.C.", "a. de C.", "v.Chr.", "f.Kr.", "eKr.")
MORE_BC = ("p.n.e.", "př. n. l.", "до н. э.", "π.Χ.", "pr. Kr.", "î.Hr.", "antes de Cristo", "voor Christus")


@given(
    st.integers(1, 9999), st.sampled_from([*BC, *MORE_BC]), st.sampled_from(["{} {}", "c. {} {}", "{}{}", "({} {})"])
)
def test_a_year_before_christ_is_negative(year: int, era: str, form: str) -> None:
    assert years_of_text(form.format(year, era)) == (-year, -year)


@given(st.integers(2, 21), st.sampled_from([*BC[:3], *MORE_BC[6:]]))
def test_all_years_before_christ_of_a_range_are_negative(century: int, era: str) -> None:
    assert years_of_text(f"{century}th-{century - 1}th century {era}") == (-century * 100, -(century - 2) * 100 - 1)
    assert years_of_text(f"{century * 100}-{century * 100 - 99} {era}") == (-century * 100, -century * 100 + 99)


UNKNOWN = st.text("bcdfghjklmnpqrstvwxz", min_size=6, max_size=9)


@given(st.integers(100, 2099), UNKNOWN)
def test_beside_a_word_that_nobody_knows_there_is_no_year(year: int, word: str) -> None:
    for text in (f"{year} {word}", f"{word} {year}", f"c. {year} {word}", f"{word} {year}-{year}"):
        assert years_of_text(text) == NOTHING


LEXICON = lexicon_with(None)


def reading_alone(text: str, lexicon: Lexicon) -> DateReading:
    """The reading of a text that shares nothing with texts read before."""
    try:
        return DateReading(Reader(plain_text(text[:300]), lexicon).years())
    except UnreadError as problem:
        return DateReading(unread=str(problem))


@given(st.integers(1000, 2099), st.integers(0, 99), st.sampled_from(["", "c. ", "ca. ", "um ", "vers ", "circa "]))
def test_a_text_is_read_as_if_it_were_the_only_one(year: int, short: int, words: str) -> None:
    for text in (f"{words}{year}", f"{words}{year}-{short:02}", f"{words}{year} - {year + short}"):
        assert read_date(text) == reading_alone(text, LEXICON)


@given(st.sampled_from([text for text in FORMS if text]), st.lists(st.integers(1000, 2099), min_size=4, max_size=4))
@settings(max_examples=500)
def test_texts_that_differ_in_their_years_alone_are_read_each_by_its_own(form: str, years: list[int]) -> None:
    others = iter(years)
    text = re.sub(r"(?<!\d)\d{4}(?!\d)", lambda year: str(next(others, year[0])), form)
    assert read_date(text) == reading_alone(text, LEXICON)


YEARS = st.none() | st.integers(-3000, -1) | st.integers(1, 2100)


@given(YEARS, YEARS, YEARS, st.text(max_size=30) | st.lists(WORDS, max_size=6).map(" ".join))
def test_the_year_of_a_work_lies_within_its_years(
    first: int | None, last: int | None, stated: int | None, text: str
) -> None:
    years = years_of_work((first, last), text, stated, None)
    year = one_year(years, stated, text)
    assert None in years or years.first <= years.last  # type: ignore[operator]
    assert years.first is None or years.first != years.last or year == years.first
    if year is not None:
        assert years != NOTHING
        assert years.first is None or years.first <= year
        assert years.last is None or year <= years.last


def test_a_text_that_says_none_has_no_year() -> None:
    assert one_year(YearRange(), 1850, "1850") is None
    assert one_year(years_of_text("c. 1479-1458 B.C."), None, "c. 1479-1458 B.C.") is None


@pytest.mark.parametrize(
    "piece", ["1850 ", "M. ", "a.c. ", "1-", "(", "(?", "IVX ", "年", "1,", "first half ", "昭和", "[1", "1四分之一 "]
)
def test_no_text_takes_long_or_raises(piece: str) -> None:
    read_date(piece)
    read_date(piece * 5000)


def test_most_dates_of_the_corpus_are_read_and_none_wrong(shared_data: Path) -> None:
    with (shared_data / "words" / "dates.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    given = [(row, years_of_text(row["text"])) for row in rows]
    wrong = [
        (row["text"], years)
        for row, years in given
        if years != NOTHING
        and any(
            (year is None) != (expected == "")
            or (year is not None and abs(year - int(expected)) > int(row["tolerance"] or 0))
            for year, expected in zip(years, (row["first"], row["last"]), strict=True)
        )
    ]
    missed = [
        row["text"]
        for row, years in given
        if years == NOTHING and row["first"] + row["last"] and row["abstain_ok"] == "0"
    ]
    assert len(wrong) <= 0.01 * len(rows), wrong
    assert len(missed) <= 0.04 * len(rows), missed


YEARS = st.one_of(st.integers(1, 2200), st.sampled_from([100, 200, 1000, 1001, 1800, 1850, 1900, 2100, 2101])).map(str)
ENDS = st.one_of(st.just(""), YEARS, st.integers(0, 99).map("{:02}".format)).map(lambda end: end and f"-{end}")
QUIET = [phrase for phrase, means in LEXICON.meanings.items() if {kind for kind, _ in means} == {"little"}]
WORDS = st.sampled_from(sorted(QUIET)).flatmap(lambda word: st.sampled_from([f"{word} ", f"{word}. "]))
ERAS = [phrase for phrase, means in LEXICON.meanings.items() if {kind for kind, _ in means} == {"era"}]
ERAS = st.one_of(st.just(""), st.sampled_from(sorted(ERAS)).map(lambda era: f" {era.upper()}"))


@pytest.mark.slow
@given(st.one_of(st.just(""), WORDS), YEARS, ENDS, ERAS)
@settings(max_examples=1500)
def test_most_dates_are_read_as_if_they_were_the_only_one(word, year, end, era):
    text = f"{word.lstrip('. ')}{year}{end}{era}"
    assert read_date(text) == reading_alone(text, LEXICON)


@pytest.mark.parametrize(
    ("text", "years"),
    [
        pytest.param("c. 618-907 CE", (618, 907), id="three digits"),
        pytest.param("ca. 323-146 BCE", (-323, -146), id="before Christ"),
        pytest.param("vers 1871-73", (1871, 1873), id="short for its year"),
        pytest.param("490-80 BC", (-490, -480), id="short, before Christ"),
        pytest.param("146-323 BC", NOTHING, id="backwards"),
        pytest.param("1850 AH", NOTHING, id="no era"),
        pytest.param("2101", NOTHING, id="not yet"),
    ],
)
def test_the_plainest_dates(text, years):
    assert years_of_text(text) == years


def test_words_with_which_a_museum_says_why_a_date_is_none_are_not_told_as_unread():
    own = DateWords(no_date=("bla data",), calendars=("Teyrnasiad",)).model_dump_json()
    for text in ("bla data", "teyrnasiad 1203"):
        assert read_date(text, own) == DateReading()
        assert read_date(text).unread
    assert read_date("1024 AH", own).unread == "AH"
