"""Images of every format, damaged, lying and odd: hundreds of them in one build, each a case."""

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Fault, Scene, Verdict, Wrong
from benchmarks.hostile.commands import wrong_ending
from benchmarks.hostile.pictures import KEPT, File, drawing, encoded, some_file
from tasks.io.images import decode
from tasks.io.images.decode import UnreadableImage

_MOST_PIXELS = 50_000_000
_DARKER = 3
"""Two decodings of one file may differ by rounding; a damage shows."""


def _judge(numbers: Sequence[int], scene: Scene) -> Iterator[Verdict]:
    files = {number: some_file(scene.chance("images", number)) for number in numbers}
    folder = scene.folder / "images"
    folder.mkdir()
    for number, file in files.items():
        (folder / _name(number, file)).write_bytes(file.data)
    # without one good image nothing would be published
    (folder / "good.png").write_bytes(encoded(drawing((70, 50), "RGB", scene.chance("images", -1)), "PNG"))
    ended = builds.build(builds.folder_recipe(), folder, scene.folder, limit_s=200)
    wrong = wrong_ending(ended, {0}, seconds=240)
    if wrong is not None:
        if len(numbers) > 1:
            raise RuntimeError(wrong.came_out)  # one of them ends the whole build: halves will show which
        yield Verdict(numbers[0], files[numbers[0]].what, wrong)
        return
    ledger, kept = builds.ledger(scene.folder / "store"), builds.images(scene.folder / "store")
    for number, file in files.items():
        record = f"odd:{_name(number, file)}"
        yield Verdict(number, file.what, _wrong(file, ledger.get(record), kept.get(record)))


def _name(number: int, file: File) -> str:
    return f"{number:04}-{file.name}"


def _wrong(file: File, row: builds.Row | None, image: builds.Row | None) -> Wrong | None:
    if row is None:
        return Wrong(Fault.CHANGE, "no row in the ledger")
    end = KEPT if row["kept"] else row["reason"]
    if end not in file.ends:
        return Wrong(Fault.UNTRUE, f"{end} ({row['detail']}) for {' or '.join(sorted(file.ends))}")
    if not row["kept"]:
        return None
    if image is None or image["sha256"] != hashlib.sha256(file.data).hexdigest():
        return Wrong(Fault.CHANGE, "kept, but with other bytes, or without a row in images")
    size = (image["width_px"], image["height_px"])
    if file.size is not None and size != file.size:
        return Wrong(Fault.CHANGE, f"{size[0]} x {size[1]} px for {file.size[0]} x {file.size[1]}")
    return _other_pixels(file)


def _other_pixels(file: File) -> Wrong | None:
    """Where the damage is known: a file that is kept has the pixels of the undamaged one."""
    if file.whole is None or file.whole == file.data:
        return None
    try:
        damaged, whole = (decode.picture(data, _MOST_PIXELS).pixels().astype(int) for data in (file.data, file.whole))
    except UnreadableImage as problem:
        return Wrong(Fault.CHANGE, f"kept, though it can't be decoded: {problem}")
    share = float(np.mean(np.abs(damaged - whole).max(axis=2) > _DARKER))
    return Wrong(Fault.CHANGE, f"kept, with {share:.1%} of its pixels changed") if share else None


FAMILY = Family(
    "images", "images of every format, cut, flipped, lying, bombs", 720, 30, _judge, at_once=120, limit_s=240
)
