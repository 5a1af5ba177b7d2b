"""A wall of pictures, some of them copies, and what dedup makes of it."""

from typing import Any

import numpy as np
import pyarrow as pa
import simplejpeg
from numpy.typing import NDArray
from scipy import ndimage

from schemas.dedup import Dedup
from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from schemas.tables import FETCH, HASH, OUTCOME, RECORDS, SOURCE_FIGURES
from tasks.dedup import dedup
from tasks.engine import inspection
from tasks.engine.measure import stored_measurements
from tasks.io.images.inspection import PHASH
from tasks.io.store.store import Store

Pixels = NDArray[np.uint8]


RADIUS = Dedup(label="dedup")


WALL = Recipe.model_validate(
    {
        "name": "wall",
        "bindings": {"images": "pictures"},
        "sources": [{"folder": {"name": "m", "at": "images", "pattern": "{title}.jpg"}}],
        "stages": ["fetch", "hash", "dedup", "split", "export"],
    }
)


BLACK = np.zeros((90, 120, 3), np.uint8)


def painted(seed: int) -> Pixels:
    rng = np.random.default_rng(seed)
    parts = [ndimage.gaussian_filter(rng.normal(size=(150, 200)), sigma) for sigma in (22, 2)]
    field = sum(weight * part / part.std() for weight, part in zip((55, 20), parts, strict=True))
    return np.clip(128 + field[:, :, None] + [8, 0, -8], 0, 255).astype(np.uint8)


def jpeg(pixels: Pixels, quality: int = 92) -> bytes:
    return bytes(simplejpeg.encode_jpeg(np.ascontiguousarray(pixels), quality=quality))


ONE, OTHER = painted(1), painted(2)


HANGING = {
    "m:black-1": jpeg(BLACK),
    "m:black-2": jpeg(BLACK, 50),
    "m:black-3": jpeg(BLACK[:60]),
    "m:one": jpeg(ONE),
    "m:one-again": jpeg(ONE),
    "m:one-cropped": jpeg(ONE[12:, 15:]),
    "m:one-worse": jpeg(ONE, 40),
    "m:other": jpeg(OTHER),
    "m:other-lighter": jpeg(np.rint(255 * (OTHER / 255) ** 0.75).astype(np.uint8)),
    "m:third": jpeg(painted(3)),
}


STAYS = {"m:one-again": "m:one", "m:one-cropped": "m:one", "m:one-worse": "m:one", "m:other-lighter": "m:other"}


class Wall:
    """A store with images of some records, hashed."""

    def __init__(self, url: str, **more: Any) -> None:
        self.context = Context(store=url, **more)
        self.store = Store(url)

    def state(self, hanging: dict[str, bytes], recipe: str = PHASH) -> State:
        names = sorted(hanging)
        blobs = {name: self.store.write_blob(hanging[name]) for name in names}
        known = stored_measurements(
            self.store, inspection.HASHES, pa.array(sorted(set(blobs.values())), pa.string()), HASH
        )["sha256"].to_pylist()
        todo = sorted(set(blobs.values()) - set(known))
        inspection.inspect_part.fn(
            pa.table({"sha256": pa.array(todo, pa.string())}), None, inspection.HASHES, self.context
        )
        rows = [
            {"record_id": name, "source": "m", "rights_uri": "NOASSERTION", "is_annotated": False} for name in names
        ]
        fetched = [{"record_id": name, "sha256": blobs[name], "bytes": len(hanging[name])} for name in names]
        hashed = stored_measurements(
            self.store, inspection.HASHES, pa.array(sorted(set(blobs.values())), pa.string()), HASH
        )
        of = {row["sha256"]: {**row, "phash_recipe": recipe} for row in hashed.to_pylist()}
        schema = pa.schema([*OUTCOME, *(field for field in HASH if field.name not in {"reason", "detail"})])
        steps = [
            self.step("fetch", pa.Table.from_pylist(fetched, schema=FETCH)),
            self.step(
                "hash", pa.Table.from_pylist([{**of[blobs[name]], "record_id": name} for name in names], schema=schema)
            ),
        ]
        records = self.store.write_table("records", pa.Table.from_pylist(rows, schema=RECORDS))
        return State(
            records=records, figures=self.store.write_table("figures", SOURCE_FIGURES.empty_table()), steps=tuple(steps)
        )

    def step(self, stage: str, table: pa.Table) -> Step:
        return Step(
            label=stage,
            stage=stage,
            kind="measure",
            outcome=self.store.write_table(stage, table),
            kept=table.num_rows,
            dropped={},
        )

    def decided(self, hanging: dict[str, bytes], asked: Dedup = RADIUS) -> Step:
        return dedup(asked, self.state(hanging), WALL, self.context)

    def stays(self, hanging: dict[str, bytes], asked: Dedup = RADIUS) -> dict[str, str]:
        """What was dropped, and for what."""
        table = self.store.read_table(self.decided(hanging, asked).outcome).select(["record_id", "kept_record_id"])
        return {row["record_id"]: row["kept_record_id"] for row in table.to_pylist() if row["kept_record_id"]}
