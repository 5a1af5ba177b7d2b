"""The rules that follow from a contract, and the sentences that tell of broken ones."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from schemas.contract import TABLES, DataContract
from tasks.core.contract import ContractChange, Rule, changes, completed, foretold, is_allowed, is_kept, problem, rules
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


Text = dict[str, Any]


def text(table: str = "images") -> Text:
    value: Text = yaml.safe_load(contracts.texts()[f"contract/{table}.odcs.yaml"])
    return value


def between(old: Text, new: Text) -> list[ContractChange]:
    return changes({"images": DataContract.model_validate(old)}, {"images": DataContract.model_validate(new)})


def column(contract: Text, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(of for of in contract["schema"][0]["properties"] if of["name"] == name)
    return found


def remove(contract: Text, name: str) -> None:
    contract["schema"][0]["properties"].remove(column(contract, name))


def custom(of: dict[str, Any], name: str, value: Any) -> None:
    kept = [entry for entry in of["customProperties"] if entry["property"] != name]
    of["customProperties"] = [*kept, {"property": name, "value": value}]


def test_a_contract_does_not_differ_from_itself():
    assert changes(contracts.contracts(), contracts.contracts()) == []


@pytest.mark.parametrize(
    ("change", "sentence", "is_back_breaking"),
    [
        pytest.param(lambda c: remove(c, "title"), "images.title: the column is gone", False, id="a column"),
        pytest.param(
            lambda c: column(c, "title").update(name="name"), "images.title: is called name now", True, id="a name"
        ),
        pytest.param(
            lambda c: custom(column(c, "year"), "arrowType", "int64"),
            "images.year: type 'int64', before 'int32'",
            True,
            id="a type",
        ),
        pytest.param(
            lambda c: column(c, "title").update(required=True) or column(c, "format").update(required=False),
            "images.format: may be null now",
            True,
            id="nulls",
        ),
        pytest.param(
            lambda c: column(c, "image_id").pop("unique"),
            "images.image_id: values may stand more than once now",
            False,
            id="unique",
        ),
        pytest.param(
            lambda c: column(c, "split")["enum"].pop(), "images.split: values that are gone: ood", False, id="a word"
        ),
        pytest.param(
            lambda c: column(c, "split").pop("enum"), "images.split: may have any value now", False, id="all words"
        ),
        pytest.param(
            lambda c: custom(column(c, "width_px"), "unit", "mm"),
            "images.width_px: unit 'mm', before 'px'",
            True,
            id="a unit",
        ),
        pytest.param(
            lambda c: custom(column(c, "title"), "content", False),
            "images.title: is not part of the content digest any more",
            True,
            id="content",
        ),
        pytest.param(
            lambda c: column(c, "record_id").pop("primaryKey"),
            "images: primary key [], before ['record_id']",
            False,
            id="the key",
        ),
        pytest.param(
            lambda c: custom(c["schema"][0], "files", "x.parquet"),
            "images: files 'x.parquet', before 'images/<split>-<number>-of-<count>.parquet'",
            True,
            id="the place",
        ),
        pytest.param(
            lambda c: c["schema"][0]["quality"].pop(0),
            "images: the rule 'each group in one split' is gone",
            False,
            id="a rule",
        ),
        pytest.param(
            lambda c: c["schema"][0]["quality"][0].update(mustBe=3),
            "images: the rule 'each group in one split' is another one",
            True,
            id="another rule",
        ),
    ],
)
def test_what_takes_a_promise_away_breaks_readers(change: Callable[[Text], Any], sentence: str, is_back_breaking: bool):
    new = text()
    change(new)
    assert ContractChange(sentence, is_breaking=True) in between(text(), new)
    back = between(new, text())
    assert back
    assert any(of.is_breaking for of in back) is is_back_breaking


def test_a_rule_that_says_which_one_it_replaces_breaks_nobody():
    new = text()
    rule = new["schema"][0]["quality"][0]
    rule.update(name="each group where it belongs", customProperties=[{"property": "replaces", "value": rule["name"]}])
    assert between(text(), new) == [
        ContractChange(
            "images: the rule 'each group in one split' is now 'each group where it belongs'", is_breaking=False
        ),
        ContractChange("images: a new rule 'each group where it belongs'", is_breaking=False),
    ]


def test_to_promise_more_breaks_nobody():
    old = text()
    remove(old, "rights_spdx")
    column(old, "split")["enum"].pop()
    column(old, "format")["required"] = False
    assert between(old, text()) == [
        ContractChange("images.format: may not be null any more", is_breaking=False),
        ContractChange("images.split: values that are new: ood", is_breaking=False),
        ContractChange("images.rights_spdx: a new column", is_breaking=False),
    ]


def test_words_of_a_description_may_change():
    new = text()
    column(new, "title")["description"] = "What it is called"
    assert between(text(), new) == []


def test_tables_come_and_go():
    all_tables = contracts.contracts()
    fewer = {table: all_tables[table] for table in TABLES if table != "shares"}
    assert changes(all_tables, fewer) == [ContractChange("shares: the table is gone", is_breaking=True)]
    assert changes(fewer, all_tables) == [ContractChange("shares: a new table", is_breaking=False)]


@pytest.mark.parametrize(
    ("old", "new", "is_breaking", "allowed"),
    [
        ("2.0.0", "2.1.0", False, True),
        ("2.0.0", "2.1.0", True, False),
        ("2.9.0", "3.0.0", True, True),
        ("3.0.0", "2.0.0", True, False),
        ("2.0.0", "two", True, False),
    ],
)
def test_what_breaks_needs_a_new_major_version(old: str, new: str, is_breaking: bool, allowed: bool):
    assert is_allowed(old, new, [ContractChange("x", is_breaking=is_breaking)]) is allowed
