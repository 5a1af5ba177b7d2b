"""`python -m tests.support.freeze_contracts`: keep the contracts as they are now, as what was published.

From then on a test fails where a later text of the same version differs, or a later version of the same major breaks
readers. Run it when a contract gets a new version, before the first release by it.
"""

import shutil
from pathlib import Path

import yaml

CONTRACTS = Path(__file__).resolve().parents[2] / "data_contracts"
PRODUCTS = {"release": CONTRACTS / "v2", "evaluation": CONTRACTS / "evaluation/v3"}


def freeze() -> None:
    """Copy each product's contracts into the folder of their version."""
    for product, folder in PRODUCTS.items():
        for path in sorted(folder.glob("*.odcs.yaml")):
            version = yaml.safe_load(path.read_text(encoding="utf-8"))["version"]
            target = CONTRACTS / "published" / product / version / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


if __name__ == "__main__":
    freeze()
