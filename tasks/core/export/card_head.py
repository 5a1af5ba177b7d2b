"""The head of the dataset card, by which Hugging Face's hub and `datasets` know the files of each split.

It gives no numbers of rows: `datasets` refuses a folder whose counts are not those of the card, and a purge changes
them.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from schemas.contract import SPLIT_TABLES, parse_part
from schemas.manifests import FileEntry
from tasks.core import rights

_OF_THE_HUB = frozenset(
    {
        *(
            "cc0-1.0",
            "cc-by-2.0",
            "cc-by-2.5",
            "cc-by-3.0",
            "cc-by-4.0",
            "cc-by-sa-3.0",
            "cc-by-sa-4.0",
            "cc-by-nc-2.0",
        ),
        *("cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0", "cc-by-nc-sa-2.0"),
        *("cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0"),
    }
)
"""The Creative Commons licences among those that the hub has words for, which are SPDX's in small letters
(https://huggingface.co/docs/hub/repositories-licenses)."""

_SPLIT_LINES = re.compile(r"  - split: .*\n    path: (?P<table>\w+)/(?P<split>.+)-\?{5}-of-\?{5}\.parquet\n")
_EMPTY_CONFIG = re.compile(r"- config_name: .*\n(?:  default: true\n)?  data_files:\n(?!  -)")


def card_head(title: str, files: Mapping[str, FileEntry], rights_uris: Iterable[str]) -> dict[str, Any]:
    """What stands above the card, as YAML.

    rights_uris: of the kept images. A split without rows is left out, since `datasets` has none without.
    """
    configs = [_config(table, files) for table in SPLIT_TABLES]
    return {
        "pretty_name": title,
        "license": sorted({hub_licence(uri) for uri in rights_uris}) or ["unknown"],
        "configs": [config for config in configs if config["data_files"]],
    }


def hub_licence(rights_uri: str) -> str:
    """The hub's word for a licence.

    >>> hub_licence("https://creativecommons.org/licenses/by-sa/4.0/"), hub_licence("NOASSERTION")
    ('cc-by-sa-4.0', 'unknown')
    """
    if rights_uri == "NOASSERTION":
        return "unknown"
    word = (rights.spdx_id(rights_uri) or "").lower()
    return word if word in _OF_THE_HUB else "other"


def _config(table: str, files: Mapping[str, FileEntry]) -> dict[str, Any]:
    parts = {path: part for path in files if (part := parse_part(path)) is not None and part.table == table}
    splits = dict.fromkeys(part.split for path, part in parts.items() if files[path].rows)
    return {
        "config_name": table,
        **({"default": True} if table == "images" else {}),
        "data_files": [
            # `datasets` takes no hyphens in a name; and val-*.parquet would be the files of val-2, too
            {"split": split.replace("-", "_"), "path": f"{table}/{split}-?????-of-?????.parquet"}
            for split in splits
        ],
    }


def without_empty_splits(text: str, rows: Mapping[str, int]) -> str:
    """A card whose head names only splits that have rows, as after a purge; one without a head stays as it is.

    rows: of each file of the tables that lie by split.
    """
    if not text.startswith("---\n"):
        return text
    head, end, rest = text.partition("\n---\n")
    filled = {(part.table, part.split) for path in rows if rows[path] and (part := parse_part(path)) is not None}
    head = _SPLIT_LINES.sub(lambda found: found[0] if (found["table"], found["split"]) in filled else "", f"{head}\n")
    return _EMPTY_CONFIG.sub("", head).removesuffix("\n") + end + rest
