"""The rules that follow from a contract, and the sentences that tell of broken ones."""

from typing import Any

import pytest

from schemas.contract import TABLES, DataContract
from tasks.core.contract.rules import Rule, is_kept, problem, rules
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
        (1, ["m:1"], "got 1 that breaks it: m:1"),
        (1234, [7, 8, 9], "got 1,234 that break it: 7, 8, 9 and 1,231 more"),
        (2, ["a\x1bb", None], r"got 2 that break it: 'a\x1bb', None"),
        (0.25, [], "got 0.25"),
        (None, [], "got nothing that it can be computed from"),
    ],
)
def test_a_broken_rule_is_told_in_one_sentence(value: Any, rows: list[Any], said: str):
    assert problem(RULE, value, rows) == f"images: expected each group in one split, {said}"


@pytest.mark.parametrize("table", TABLES)
def test_every_rule_of_the_contracts_says_what_it_expects(table: str):
    found = rules(contracts.contracts()[table])
    assert found
    assert all(rule.expected for rule in found)
    assert len({rule.expected for rule in found}) == len(found)
    # where rows are counted, they can be named
    assert all(rule.rows for rule in found if rule.bound == 0 and contracts.contracts()[table].table.primary_key)
