"""Years of statements, and of several together."""

import pytest

from tasks.core.scrape.date_statements import Statement, UnreadError, settled, widest


def year(number: int, **fields: object) -> Statement:
    return Statement(str(number), number, "year", digits=len(str(number)), **fields)  # type: ignore[arg-type]


def test_the_years_of_one_statement() -> None:
    assert year(1850).years() == (1850, 1850)
    assert year(500, era="bc").years() == (-500, -500)
    assert Statement("5th", 5, "count", unit=100, era="bc").years() == (-500, -401)
    assert Statement("19th", 19, "count", unit=100, parts=((0, 0.5),)).years() == (1801, 1850)


def test_the_widest_range_of_all() -> None:
    assert widest([year(1860), year(1872)]) == (1860, 1872)
    assert widest([year(1946), Statement("later", 1, "later", bound="later")]) == (1946, None)
    assert widest([year(1939), year(1962, bound="before")]) == (1939, 1962)
    assert widest([year(1900, bound="after"), year(1850, bound="before")]) == (None, None)
    assert widest([]) == (None, None)


def test_an_era_is_shared_and_a_short_year_made_whole() -> None:
    short = Statement("85", 85, "count", digits=2, era="bc", link="/")
    assert widest(settled([year(1190), short], is_all=True)) == (-1190, -1185)


def test_a_range_that_runs_backwards_is_not_understood() -> None:
    with pytest.raises(UnreadError):
        widest(settled([year(1850), year(1800, link="-")], is_all=True))
