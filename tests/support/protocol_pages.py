"""The pages of the protocols that read tables: their files and their command."""

import re
import shlex
from pathlib import Path

from tests.support.desk import ROOT
from tests.support.documented import PROTOCOLS, commands_of

PAGES = [ROOT / f"docs/evaluating/{protocol}.md" for protocol in PROTOCOLS]


def section(page: Path) -> str:
    """What stands below "Run it", to the end of the table of files."""
    before, head, after = page.read_text(encoding="utf-8").partition("## Run it\n")[2].partition("| file in `--out`")
    return before + head + after.partition("\n\n")[0]


def type_files(text: str, folder: Path) -> None:
    """Write the files of a page, each of which is named before its block."""
    for name, data in re.findall(r"`([\w-]+\.(?:csv|json))`[^`]*```(?:csv|json)\n(.*?)```", text, re.DOTALL):
        (folder / name).write_text(data, encoding="utf-8")


def command(text: str) -> list[str]:
    return shlex.split(commands_of(text)[0][0])[1:]
