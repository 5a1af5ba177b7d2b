"""The commands of the docs, as they stand there: which are typed by tests of their own, and which nobody can type here.

All others are typed by tests/integration/test_documented_commands.py: so a new command is typed from its first day.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.support.desk import ROOT

PAGES = [
    str(path.relative_to(ROOT))
    for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md", "deployments/**/*.yaml")
    for path in sorted(ROOT.glob(pattern))
]
_FENCED = re.compile(r"^ *```(?:sh|console)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`((?:bilderatlas|dask|make|pip|prefect|python -m [\w.]+|uv) (?:[^`]* )?-[^`]*)`")
"""Code in a sentence that has an option. Without one it is a name, such as `bilderatlas build`; with ... a pattern."""


class Block(NamedTuple):
    """Commands that are typed one after the other, without what a console prints between them."""

    page: str
    commands: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.commands)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def fenced(page: str, containing: str = "") -> list[Block]:
    """The page's blocks of code in `sh` and `console`; of these, those that contain a text."""
    blocks = [Block(page, commands) for commands in commands_of(text_of(page))]
    return [block for block in blocks if containing in block.text]


def commands_of(text: str) -> list[tuple[str, ...]]:
    """The commands of each block of code in a page, or in a part of one."""
    return [tuple(_commands(code)) for code in _FENCED.findall(text)]


def inline(page: str) -> list[Block]:
    """The commands in the page's sentences."""
    sentences = re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)
    return [Block(page, (command,)) for command in _INLINE.findall(sentences) if "..." not in command]


def _commands(code: str) -> Iterator[str]:
    lines = [line.strip() for line in code.replace("\\\n", " ").splitlines() if line.strip()]
    typed = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    yield from typed or lines


BLOCKS = [block for page in PAGES for block in (*fenced(page), *inline(page))]

OPERATE = fenced("docs/operate.md")
RUNNING = fenced("docs/running.md")
PROTOCOLS = {
    Path(page).stem: fenced(page)[0]
    for page in PAGES
    if page.startswith("docs/evaluating/") and "\n## Run it\n" in text_of(page)
}
ANIMALS = fenced("docs/evaluating/keypoints.md", "animals.json")
BACK_UP = fenced("docs/operate-team.md", "pg_dump")
DEPLOY = fenced("docs/operate-team.md", "bilderatlas deploy")
CONTRACT_TOOL = fenced("docs/contract.md", "datacontract test")
WHEEL = fenced("README.md", "make wheel")
POPART = [block for word in ("build popart ", "popart-annotated") for block in fenced("docs/recipes.md", word)]
MUSEUM_SERVE = fenced("docs/museum.md", "bilderatlas museum serve")
IMAGENET = fenced("docs/unpacking.md", "mkdir build/imagenet/train")

OWN_TESTS = {
    "OPERATE": OPERATE,
    "RUNNING": RUNNING,
    "PROTOCOLS": [*PROTOCOLS.values()],
    "ANIMALS": ANIMALS,
    "BACK_UP": BACK_UP,
    "DEPLOY": DEPLOY,
    "CONTRACT_TOOL": CONTRACT_TOOL,
    "WHEEL": WHEEL,
    "POPART": POPART,
    "MUSEUM_SERVE": MUSEUM_SERVE,
    "IMAGENET": IMAGENET,
}
"""What other tests type, by the names under which they take it from here."""

EXCEPTIONS = {
    "needs root: it changes the machine's users, packages and services": (
        "useradd --system ",
        "git clone PROJECT ",
        "make -C /opt/bilderatlas setup",
        "install -d -o bilderatlas ",
        "chown -R bilderatlas ",
        "cd /opt/bilderatlas",
        "apt install ",
        "runuser -u postgres ",
        "systemctl ",
    ),
    "needs GPUs": (
        "CUDA_VISIBLE_DEVICES=",
        "bilderatlas build RECIPE --store s3://bucket/store --dask tcp://scheduler:8786 --device cuda ",
        "python -m benchmarks.train --works 3000 --epochs 2 --device cuda:0",
    ),
    "asks a package index": ("uv tool install ", "pip install --require-hashes "),
}
"""Beginnings of commands that no test types, by the reason."""


def is_excepted(command: str) -> bool:
    return any(command.startswith(begin) for begins in EXCEPTIONS.values() for begin in begins)


def rest() -> list[Block]:
    """What has no test of its own, without exceptions; what stands in several pages is of the first."""
    others = {block for blocks in OWN_TESTS.values() for block in blocks}
    left: dict[tuple[str, ...], str] = {}
    for block in BLOCKS:
        if block not in others:
            left.setdefault(tuple(command for command in block.commands if not is_excepted(command)), block.page)
    return [Block(page, commands) for commands, page in left.items() if commands]


LATEST = "store/releases/museum/latest"
NAMES = {
    r"RECIPE\b": "recipe.yaml",
    r"STORE\b": "store",
    r"FOLDER\b": "data/paintings",
    r"RATINGS\b": "ratings",
    r"OLD\b": "data_contracts/v3",
    r"NEW\b": LATEST,
    r"TRUTH\b": LATEST,
    r"NAME\b": "museum",
    r"URL\b": "store",
    r"FAMILY/NUMBER\b": "images/3",
    r"SEED\b": "1",
    "/data/": "data/",
    "/etc/": "etc/",
    r"grade ./museum ": "grade build/museum ",
}
"""What stands for a name, in each page."""
SIZES = {r"--records \d+": "--records 120", r"--paintings \d+": "--paintings 5"}
TINY = {"epochs": 1, "least_side_px": 64, "most_side_px": 64, "threads": 1}
ADDED = {
    "bilderatlas train": " ".join(f"--set {name}={value}" for name, value in TINY.items()),
    "python -m examples.museum.train_detector": "--works 64 --epochs 1",
    "bilderatlas museum raters": "--works 12 --each 8 --raters 4",
    "bilderatlas scrape": "WEB",
    "bilderatlas build met": "WEB",
}
"""What makes a training small, and sends requests to the pretend museum, which needs no patience."""
WEB = "--bind 'origins=*={url}' --set 'manners={{rate_per_s: 2000, connections: 8}}'"
_PROGRAMS = re.compile(
    r"bilderatlas |python -m (examples|benchmarks)\.|make build$|export "
    r"|(mkdir -p|cp|install -m 600|sed -i) [^;&|]*\betc/"
)
_OUTSIDE = re.compile(r"""(^|[\s="'])[/~]|:/(?!/)|\.\./|[;&|]|\$\(""")


def typed(command: str, names: Mapping[str, str]) -> str:
    """The command as a test types it: without its comment, with what stands for names, in its own folder.

    A program that is not known, or a place outside of the folder, is refused: a page may say how to change a machine.
    """
    bare = re.sub(r"\s+# .*", "", command)
    for pattern, meaning in {**{rf"(?<![\w./]){name}": NAMES[name] for name in NAMES}, **SIZES}.items():
        bare = re.sub(pattern, meaning, bare)
    done = " ".join([bare, *(more for begin, more in ADDED.items() if bare.startswith(begin))])
    for pattern, meaning in names.items():
        done = re.sub(pattern, meaning, done)
    assert _PROGRAMS.match(done), f"expected a test of its own, or an exception with its reason, for: {done}"
    assert not _OUTSIDE.search(done), f"expected a command that stays in its folder, got: {done}"
    assert "..." not in done, f"expected a whole command, got: {done}"
    return done
