"""The contract as it ships."""

import yaml

from tasks.io.files import contracts


def test_the_contract_is_its_own_text_read():
    assert contracts.contract() == yaml.safe_load(contracts.text())


def test_the_contract_has_a_version_and_the_tables_of_a_release():
    found = contracts.contract()

    assert str(found["version"])
    assert {"images", "annotations", "ledger"} <= set(found["tables"])


def test_each_reader_has_a_contract_of_its_own():
    contracts.contract().clear()

    assert contracts.contract()
