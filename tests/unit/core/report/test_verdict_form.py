"""The page's script and its policy: one script alone may run, and it knows the words that a build reads.

What the script does is tried in a browser (tests/integration/test_report_page.py).
"""

import base64
import hashlib
import re

from schemas.relations import VERDICTS
from tasks.core.dedup import verdicts
from tasks.core.report.verdict_form import POLICY, SCRIPT


def test_the_policy_lets_this_script_run_and_no_other():
    (digest,) = re.findall(r"script-src 'sha256-([^']+)'", POLICY)
    assert base64.b64decode(digest) == hashlib.sha256(SCRIPT.encode()).digest()
    assert POLICY.startswith("default-src 'none'; ")
    assert "unsafe-eval" not in POLICY
    assert not re.search(r"https?:", POLICY)


def test_the_script_asks_nothing_of_the_web_and_writes_no_markup():
    for word in ("fetch(", "XMLHttpRequest", "WebSocket", "innerHTML", "outerHTML", "document.write", "eval("):
        assert word not in SCRIPT
    assert "</script" not in SCRIPT.lower(), "it would end the element that holds it"


def listed(name: str) -> list[str]:
    found = re.search(rf"{name} = \[([^\]]*)\]", SCRIPT)
    assert found is not None
    return re.findall(r'"([^"]*)"', found[1])


def test_its_words_and_columns_are_those_that_a_build_reads():
    assert listed("WORDS") == [*VERDICTS]
    table = verdicts.parse_verdicts(
        "verdicts", [(1, listed("COLUMNS")), (2, ["s:1", "s:2", listed("WORDS")[0], "seen"])]
    )
    assert table.select(["a", "b", "verdict", "note"]).to_pylist() == [
        {"a": "s:1", "b": "s:2", "verdict": "copy", "note": "seen"}
    ]
