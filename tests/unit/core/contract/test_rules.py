"""The rules that follow from a contract, and the sentences that tell of broken ones."""

from typing import Any

import pytest

from schemas.contract import TABLES, DataContract
from tasks.core.contract.rules import Rule, completed, foretold, is_kept, problem, rules
from tasks.io.files import contracts


def contract(*columns: dict[str, Any], quality: tuple[dict[str, Any], ...] = ()) -> DataContract:
    properties = [{"name": name, "physicalType": "string", **of} for name, of in zip("ab", columns, strict=False)]
    table = {"name": "pairs", "properties": properties, "quality": list(quality)}
    return DataContract.model_validate({"apiVersion": "v3.2.0", "id": "x", "version": "1.0.0", "schema": [table]})


KEY = {"primaryKey": True, "primaryKeyPosition": 1}


def test_a_required_column_has_no_null():
    assert rules(contract({"required": True, "logicalType": "string"})) == [
        Rule("pairs", "no null in a", 'SELECT count(*) FROM "pairs" WHERE "a" IS NULL', "", "=", 0)
    ]
    assert rules(contract({"required": True, "logicalType": "object"})) == []
    assert rules(contract({})) == []


def test_a_column_with_an_enumeration_has_these_words_alone():
    words = [{"value": "it's"}, {"value": "not"}]
    (rule,) = rules(contract({"enum": words}))
    assert rule.expected == "a of it's, not"
    assert rule.query == "SELECT count(*) FROM \"pairs\" WHERE \"a\" NOT IN ('it''s', 'not')"
    (many,) = rules(contract({"enum": [{"value": str(number)} for number in range(9)]}))
    assert many.expected == "a of the contract's 9 words"


def test_keys_stand_once_and_rows_are_called_by_them():
    once, nulls = rules(contract(KEY, {"required": True}))[::-1]
    twice = '(SELECT "a" FROM "pairs" GROUP BY "a" HAVING count(*) > 1) AS twice'
    assert once == Rule(
        "pairs",
        "each a once",
        f"SELECT count(*) FROM {twice}",
        f'SELECT "a" FROM {twice} ORDER BY 1 LIMIT 3',
        "=",
        0,
    )
    assert nulls.rows == 'SELECT "a" FROM "pairs" WHERE "b" IS NULL ORDER BY 1 LIMIT 3'
    (both,) = rules(contract(KEY, {"primaryKey": True, "primaryKeyPosition": 2}))
    assert both.expected == "each a and b once"
    assert both.rows.startswith('SELECT concat("a", chr(32), "b") FROM (SELECT "a", "b" FROM "pairs" GROUP BY "a", "b"')
    (unique,) = rules(contract({"unique": True}))
    assert unique.expected == "each a once"


def test_sql_of_the_contract_is_asked_as_it_stands():
    query = "SELECT count(*) FROM pairs WHERE a >= b"
    (rule,) = rules(contract({}, quality=({"name": "a before b", "type": "sql", "query": query, "mustBe": 0},)))
    assert rule == Rule("pairs", "a before b", query, "", "=", 0)
    row = {"customProperties": [{"property": "rows", "value": "concat(a, b)"}]}
    (rule,) = rules(contract({}, quality=({"name": "x", "type": "sql", "query": query, "mustBe": 0, **row},)))
    assert rule.rows == "SELECT concat(a, b) FROM pairs WHERE a >= b ORDER BY 1 LIMIT 3"
    few = {"name": "some", "type": "sql", "query": "SELECT count(*) FROM pairs", "mustBeGreaterOrEqualTo": 1}
    (rule,) = rules(contract(KEY, quality=(few,)))[1:]
    assert (rule.rows, rule.comparison, rule.bound) == ("", ">=", 1)
    assert rules(contract({}, quality=({"name": "by hand", "type": "text"},))) == []


def test_a_rule_has_one_bound():
    two = {"name": "x", "type": "sql", "query": "SELECT 1", "mustBe": 0, "mustBeLessThan": 3}
    with pytest.raises(ValueError, match=r"expected one bound in the rule 'x' of pairs, got several"):
        rules(contract({}, quality=(two,)))


@pytest.mark.parametrize(
    ("comparison", "kept", "broken"),
    [("=", 2, 1), ("!=", 1, 2), (">", 3, 2), (">=", 2, 1), ("<", 1, 2), ("<=", 2, 3)],
)
def test_a_number_is_compared_as_the_contract_says(comparison: str, kept: int, broken: int):
    rule = Rule("t", "", "", "", comparison, 2)
    assert is_kept(rule, kept)
    assert not is_kept(rule, broken)
    assert not is_kept(rule, None)


RULE = Rule("images", "each group in one split", "", "", "=", 0)


@pytest.mark.parametrize(
    ("value", "rows", "said"),
    [
        (1, [("m:1",)], "got 1 that breaks it: m:1"),
        (1234, [(7,), (8,), (9,)], "got 1,234 that break it: 7, 8, 9 and 1,231 more"),
        (2, [("a\x1bb",), (None,)], r"got 2 that break it: 'a\x1bb', None"),
        (0.25, [], "got 0.25"),
        (None, [], "got nothing that it can be computed from"),
    ],
)
def test_a_broken_rule_is_told_in_one_sentence(value: Any, rows: list[Any], said: str):
    assert problem(RULE, value, rows) == f"images: expected each group in one split, {said}"


def test_a_row_is_shown_with_the_values_that_the_rule_is_about():
    rule = RULE._replace(columns=("split", "title"))
    assert problem(rule, 1, [("m:1", "val", "x" * 99)]).endswith(
        f"got 1 that breaks it: m:1 (split 'val', title '{'x' * 40}...')"
    )


def test_the_values_of_a_row_are_those_of_the_rules_own_table():
    shown = {"customProperties": [{"property": "columns", "value": ["a", "b"]}]}
    query = "SELECT count(*) FROM pairs JOIN others USING (b)"
    (_, rule) = rules(contract(KEY, {}, quality=({"name": "x", "type": "sql", "query": query, "mustBe": 0, **shown},)))
    assert rule.columns == ("a", "b")
    assert rule.rows == 'SELECT "a", "pairs"."a", "pairs"."b" FROM pairs JOIN others USING (b) ORDER BY 1 LIMIT 3'


def attribute(arrow: str, *, is_content: bool = True) -> dict[str, Any]:
    values = {"attribute": True, "arrowType": arrow, "content": is_content}
    return {"customProperties": [{"property": name, "value": value} for name, value in values.items()]}


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        pytest.param(attribute("string"), ["a text without NUL, or null, in a"], id="a text"),
        pytest.param(attribute("list<string>"), ["texts without NUL, or null, in a"], id="texts"),
        pytest.param(attribute("int64"), [], id="a number"),
        pytest.param(attribute("string", is_content=False), [], id="of records, which may be others'"),
    ],
)
def test_attributes_say_nothing_by_null_alone(column: dict[str, Any], expected: list[str]):
    assert [rule.expected for rule in rules(contract(column))] == expected


def quality(name: str, query: str, **custom: str) -> dict[str, Any]:
    entries = [{"property": key, "value": value} for key, value in custom.items()]
    return {"name": name, "type": "sql", "query": query, "mustBe": 0, "customProperties": entries}


def test_a_release_of_an_earlier_contract_is_asked_what_it_kept_before_that_was_written_down():
    old = contract({}, quality=(quality("sides", "1"), quality("years", "2"), quality("own", "3")))
    new = contract(
        {},
        quality=(
            quality("finite sides", "4", replaces="sides", since="1.0"),
            quality("other years", "5", replaces="years"),
            quality("texts", "6", since="1.0"),
            quality("later", "7", since="1.1"),
            quality("own", "3"),
        ),
    )
    assert [rule.expected for rule in rules(completed(old, new))] == ["years", "own", "finite sides", "texts"]
    assert completed(old, new).version == old.version


def test_a_release_of_a_later_contract_is_asked_the_programs_rules_over_its_own_columns():
    now = contract({"enum": [{"value": "x"}]}, quality=(quality("own", "1"),))
    later = contract({"enum": [{"value": "x"}, {"value": "y"}]}, quality=(quality("theirs", "2"),))
    assert [rule.expected for rule in rules(foretold(later, now))] == ["a of x, y", "own"]


@pytest.mark.parametrize("table", TABLES)
def test_every_rule_of_the_contracts_says_what_it_expects(table: str):
    found = rules(contracts.contracts()[table])
    assert found
    assert all(rule.expected for rule in found)
    assert len({rule.expected for rule in found}) == len(found)
    # where rows are counted, they can be named
    assert all(rule.rows for rule in found if rule.bound == 0 and contracts.contracts()[table].table.primary_key)
