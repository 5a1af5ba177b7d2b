"""One name in several spellings: letters composed or not, whole numbers as floats. One or two builds for each."""

import csv
import io
import json
import random
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Fault, Scene, Wrong, one_by_one
from benchmarks.hostile.commands import wrong_ending
from benchmarks.hostile.pictures import drawing, encoded

_ACCENTED = ("é", "ä", "Å", "ñ", "각", "が", "ệ", "ǟ", "ﬁé", "Ωé", "שּׁ")
_WORKS = 6
_ENDINGS = ("csv", "json", "jsonl", "parquet")


def _forms(name: str, chance: random.Random) -> str:
    """The name with each letter in a form by chance."""
    return "".join(unicodedata.normalize(chance.choice(("NFC", "NFD")), letter) for letter in name)


def _painted(path: Path, chance: random.Random) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded(drawing((chance.randint(20, 60), chance.randint(20, 60)), "RGB", chance), "PNG"))


def _table(ending: str, columns: Mapping[str, list[Any]]) -> bytes:
    """A table of these columns in a format by its ending; None is a hole."""
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    if ending == "parquet":
        sink = io.BytesIO()
        pq.write_table(pa.table({name: pa.array(values) for name, values in columns.items()}), sink)
        return sink.getvalue()
    if ending == "csv":
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, list(columns))
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue().encode()
    return (json.dumps(rows) if ending == "json" else "\n".join(map(json.dumps, rows))).encode()


def _letters(chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    """A file on disk in one form, and named in another, by a table and by a COCO file."""
    path = f"{chance.choice(_ACCENTED)}/{chance.choice(_ACCENTED)}{chance.randint(0, 9)}.png"
    disk, named, boxes = (_forms(path, chance) for _ in range(3))
    images, ending = scene.folder / "images", chance.choice(_ENDINGS)
    _painted(images / disk, chance)
    _painted(images / "good.png", chance)
    (images / f"works.{ending}").write_bytes(_table(ending, {"key": ["a", "b"], "image": [named, "good.png"]}))
    entry = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 9, 9]}
    document = {"images": [{"id": 1, "file_name": boxes}], "annotations": [entry]}
    (images / "a.json").write_text(json.dumps({**document, "categories": [{"id": 1, "name": "person"}]}))
    recipe = builds.table_recipe(f"works.{ending}")
    recipe["sources"][0]["table"]["annotations"] = {"format": "coco", "path": "a.json"}
    what = f"{disk!r} on disk, {named!r} in a .{ending}, {boxes!r} in a COCO file"
    ended = builds.build(recipe, images, scene.folder, limit_s=60)
    if (wrong := wrong_ending(ended, {0})) is not None:
        return what, wrong
    row, image = builds.ledger(scene.folder / "store")["odd:a"], builds.images(scene.folder / "store").get("odd:a")
    if image is None:
        return what, Wrong(Fault.UNTRUE, f"{row['reason']} ({row['detail']})")
    return what, None if image["is_annotated"] else Wrong(Fault.CHANGE, "its boxes are left out")


_SPELLINGS: Mapping[str, Callable[[list[int]], list[Any]]] = {
    "whole numbers": lambda numbers: [*numbers],
    "floats": lambda numbers: [float(number) for number in numbers],
    "floats with a hole": lambda numbers: [*(float(number) for number in numbers[:-1]), None],
    "texts of floats": lambda numbers: [f"{number}.0" for number in numbers],
    "texts": lambda numbers: [str(number) for number in numbers],
}


def _numbers(chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    """Two builds of the same works, whose keys come in two spellings; one is excluded, one taken down."""
    first = chance.choice((0, 1, 436501, 2**53 - 2 * _WORKS))
    numbers = [first + place for place in range(_WORKS)]
    before, after = chance.choice([*_SPELLINGS]), chance.choice([*_SPELLINGS])
    endings = chance.choice(_ENDINGS), chance.choice(_ENDINGS)
    images = scene.folder / "images"
    for number in numbers:
        _painted(images / f"{number}.png", chance)
    dot = chance.choice(("", ".0"))
    rows = [f"exclude,,odd:{numbers[1]}{dot},asked,2026-01-01", f"takedown,,odd:{numbers[2]}{dot},asked,2026-01-01"]
    (scene.folder / "hand.csv").write_text("\n".join(["action,scope,name,reason,date", *rows]), encoding="utf-8")
    what = f"keys from {first}: {before} in a .{endings[0]}, then {after} in a .{endings[1]}"
    ledgers = []
    for spelling, ending in ((before, endings[0]), (after, endings[1])):
        columns = {"key": _SPELLINGS[spelling](numbers), "image": [f"{number}.png" for number in numbers]}
        (images / f"works.{ending}").write_bytes(_table(ending, columns))
        recipe = builds.table_recipe(f"works.{ending}")
        recipe |= {"by_hand": "hand", "bindings": {"images": "a folder", "hand": "a list"}}
        (scene.folder / "recipe.yaml").unlink(missing_ok=True)
        ended = builds.build_bound(recipe, images, scene.folder, [f"hand={scene.folder / 'hand.csv'}"], limit_s=60)
        if (wrong := wrong_ending(ended, {0})) is not None:
            return what, wrong
        ledgers.append(builds.ledger(scene.folder / "store"))
    return what, _wrong_numbers(*ledgers, numbers)


def _wrong_numbers(before: dict[str, builds.Row], after: dict[str, builds.Row], numbers: list[int]) -> Wrong | None:
    """What must stay of each work that both tables have, and of what people decided."""
    for number in numbers[:-1]:
        was, now = ([row for name, row in rows.items() if _is(name, number)] for rows in (before, after))
        if len(was) != 1 or len(now) != 1:
            return Wrong(Fault.CHANGE, f"{number} is {[row['record_id'] for row in (*was, *now)]}")
        for column in ("record_id", "kept", "reason", "last_split", "image_id"):
            if was[0][column] != now[0][column]:
                return Wrong(Fault.CHANGE, f"{column} of {number}: {was[0][column]}, then {now[0][column]}")
    reasons = [next(row["reason"] for name, row in after.items() if _is(name, numbers[place])) for place in (1, 2)]
    return None if reasons == ["excluded", "taken_down"] else Wrong(Fault.CHANGE, f"decisions by hand: {reasons}")


def _is(name: str, number: int) -> bool:
    return name in {f"odd:{number}", f"odd:{number}.0"}


def _case(number: int, chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    return (_letters if number % 2 else _numbers)(chance, scene)


_JUDGE = one_by_one("spellings", _case)
FAMILY = Family("spellings", "letters in two forms; numbers as floats", 60, 2, _JUDGE, limit_s=130)
