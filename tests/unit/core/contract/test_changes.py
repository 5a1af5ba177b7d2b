"""What a change of a contract means to readers."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from schemas.contract import TABLES, DataContract
from tasks.core.contract.changes import Change, changes, is_allowed
from tasks.io.files import contracts

Text = dict[str, Any]


def text(table: str = "images") -> Text:
    value: Text = yaml.safe_load(contracts.texts()[f"contract/{table}.odcs.yaml"])
    return value


def between(old: Text, new: Text) -> list[Change]:
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
            lambda c: column(c, "split")["enum"].pop(), "images.split: values that are gone: test", False, id="a word"
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
    assert Change(sentence, is_breaking=True) in between(text(), new)
    back = between(new, text())
    assert back
    assert any(of.is_breaking for of in back) is is_back_breaking


def test_a_rule_that_says_which_one_it_replaces_breaks_nobody():
    new = text()
    rule = new["schema"][0]["quality"][0]
    rule.update(name="each group where it belongs", customProperties=[{"property": "replaces", "value": rule["name"]}])
    assert between(text(), new) == [
        Change("images: the rule 'each group in one split' is now 'each group where it belongs'", is_breaking=False),
        Change("images: a new rule 'each group where it belongs'", is_breaking=False),
    ]


def test_to_promise_more_breaks_nobody():
    old = text()
    remove(old, "rights_spdx")
    column(old, "split")["enum"].pop()
    column(old, "format")["required"] = False
    assert between(old, text()) == [
        Change("images.format: may not be null any more", is_breaking=False),
        Change("images.split: values that are new: test", is_breaking=False),
        Change("images.rights_spdx: a new column", is_breaking=False),
    ]


def test_words_of_a_description_may_change():
    new = text()
    column(new, "title")["description"] = "What it is called"
    assert between(text(), new) == []


def test_tables_come_and_go():
    all_tables = contracts.contracts()
    fewer = {table: all_tables[table] for table in TABLES if table != "shares"}
    assert changes(all_tables, fewer) == [Change("shares: the table is gone", is_breaking=True)]
    assert changes(fewer, all_tables) == [Change("shares: a new table", is_breaking=False)]


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
    assert is_allowed(old, new, [Change("x", is_breaking=is_breaking)]) is allowed
