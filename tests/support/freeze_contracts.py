"""`python -m tests.support.freeze_contracts [2.4.0]`: keep the contracts as they are now, as what was published.

From then on a test fails where a later text of the same version differs, or a later version of the same major breaks
readers. Run it when what a contract promises has changed, with the new version, before the first release by it: the
number is written into each file of the product whose major version it is.
"""

import re
import shutil
import sys
from pathlib import Path

import yaml

CONTRACTS = Path(__file__).resolve().parents[2] / "data_contracts"
PRODUCTS = {"release": CONTRACTS / "v3", "evaluation": CONTRACTS / "evaluation/v3"}

_NUMBER = re.compile(r"^(version: |# What a release holds: contract )\d+\.\d+\.\d+$", re.MULTILINE)


def raise_version(folder: Path, version: str) -> None:
    """Write the version, such as 2.4.0, into every file of the folder that states one."""
    for path in sorted(folder.iterdir()):
        text = path.read_text(encoding="utf-8")
        path.write_text(_NUMBER.sub(rf"\g<1>{version}", text, count=1), encoding="utf-8")


def freeze() -> None:
    """Copy each product's contracts into the folder of their version."""
    for product, folder in PRODUCTS.items():
        for path in sorted(folder.glob("*.odcs.yaml")):
            version = yaml.safe_load(path.read_text(encoding="utf-8"))["version"]
            target = CONTRACTS / "published" / product / version / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


if __name__ == "__main__":
    for version in sys.argv[1:]:
        for folder in PRODUCTS.values():
            if folder.name == f"v{version.partition('.')[0]}":
                raise_version(folder, version)
    freeze()
