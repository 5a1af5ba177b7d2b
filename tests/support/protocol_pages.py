"""The pages of the protocols that read tables: their files and their command."""

import re
import shlex
from pathlib import Path

from tests.support.desk import ROOT

PAGES = sorted(
    page for page in (ROOT / "docs/evaluating").glob("*.md") if "## Run it" in page.read_text(encoding="utf-8")
)


def section(page: Path) -> str:
    """What stands below "Run it", to the end of the table of files."""
    before, head, after = page.read_text(encoding="utf-8").partition("## Run it\n")[2].partition("| file in `--out`")
    return before + head + after.partition("\n\n")[0]


def type_files(text: str, folder: Path) -> None:
    """Write the files of a page, each of which is named before its block."""
    for name, data in re.findall(r"`([\w-]+\.(?:csv|json))`[^`]*```(?:csv|json)\n(.*?)```", text, re.DOTALL):
        (folder / name).write_text(data, encoding="utf-8")


def command(text: str) -> list[str]:
    line = re.findall(r"```sh\nbilderatlas (.*?)```", text, re.DOTALL)[0]
    return shlex.split(line.replace("\\\n", " "))
