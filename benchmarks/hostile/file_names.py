"""Names that files can have, and things in a folder that are no files: one build for each."""

import hashlib
import os
import random
import socket
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Fault, Scene, Wrong, one_by_one
from benchmarks.hostile.commands import as_nobody, wrong_ending
from benchmarks.hostile.pictures import KEPT, drawing, encoded
from schemas.reasons import Reason

_LOST = frozenset(map(str, (Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.UNREACHABLE, Reason.BAD_RECORD)))
"""What is true of a name that leads to no file which may be read."""


class Put(NamedTuple):
    """What was put into the folder, and the ends of the records that are not the good image's.

    ends: for each record how it may end. files: digests of the files that must be kept with these bytes. may_lack: how
    many records may also not be there, since what was put is no file.
    """

    what: str
    ends: tuple[frozenset[str], ...]
    files: tuple[str, ...] = ()
    statuses: frozenset[int] = frozenset({0})
    may_lack: int = 0


_LETTERS = (
    *("ä", "ａ", "ﬀ", "İ", "ß", "ſ", "K", "日本", "😀", "👩‍🎨", "\u202e", "\u200b", "\ufeff", "\u2028", "\x85", "\xa0"),
    *("\t", "\n", "\r", "\x01", "\x1b[31m", "\x7f", " ", "  ", "'", '"', "`", "$(id)", ";", "&", "|", "*", "?", "#"),
    *("%", "%00", "%2e%2e%2f", "{title}", "{", "}", "[a]", "~", "!", "@", "=", ",", "..", "...", "-", "--help", "."),
    *("con", "NUL", "<b>", "://", ":", "::", "http:", "s3:", "\u0301", "e\u0301", "é", "\ufffd", "\ue000"),
    *("\U0010ffff", "a" * 200),
)


def _plain(folder: Path, chance: random.Random) -> Put:
    letters = [chance.choice(_LETTERS) for _ in range(chance.randint(1, 3))]
    name = "".join(letters).replace("/", "")[:80] + chance.choice((".png", ".PNG", "", ".jpg", " .png", ".png "))
    while len(name.encode()) > 250:
        name = name[1:]
    name = f"_{name}" if name in {"", ".", ".."} else name
    data = _painted(folder / name, chance)
    if not name.strip():  # no key is left of it
        return Put(f"a file named {name!r}", (frozenset({KEPT, str(Reason.BAD_RECORD)}),))
    return Put(f"a file named {name!r}", (frozenset({KEPT}),), (data,))


def _twins(folder: Path, chance: random.Random) -> Put:
    letter = chance.choice(("é", "ä", "ñ", "Å", "각", "が"))
    names = [unicodedata.normalize(form, f"caf{letter}.png") for form in ("NFC", "NFD")]
    for name in names:
        _painted(folder / name, chance)
    return Put(f"{names[0]} in NFC and in NFD", (frozenset({KEPT}), frozenset({KEPT, str(Reason.SAME_KEY)})))


def _cases(folder: Path, chance: random.Random) -> Put:
    names = chance.choice((("A.png", "a.png"), ("Straße.png", "STRASSE.png"), ("İ.png", "i.png"), ("a.png", "a.PNG")))
    files = tuple(_painted(folder / name, chance) for name in names)
    return Put(f"{names[0]} and {names[1]}", (frozenset({KEPT}),) * 2, files)


def _bytes(folder: Path, chance: random.Random) -> Put:
    name = chance.choice((b"\xff.png", b"caf\xe9.png", b"\xed\xa0\x80.png", b"\xc3.png", b"a\x80b.png", b"\xfe\xff"))
    data = _data(chance)
    Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(data)
    # no table can hold the name, so that no image is found under it: docs/sources.md
    return Put(f"a file named {name!r}", (frozenset({str(Reason.NOT_FOUND)}),))


def _slashed(folder: Path, chance: random.Random) -> Put:
    name = chance.choice(
        ("a\\b.png", "\\.png", "..\\x.png", "C:\\x.png", "\\\\server\\x.png", "\\u0041.png", "a\\xff.png")
    )
    _painted(folder / name, chance)
    return Put(f"a file named {name!r}", (frozenset({KEPT, str(Reason.BAD_RECORD)}),))


def _long(folder: Path, chance: random.Random) -> Put:
    name = chance.choice(("a" * 251, "é" * 125, "日" * 83, "😀" * 62)) + ".png"
    return Put(f"a name of {len(name.encode())} bytes", (frozenset({KEPT}),), (_painted(folder / name, chance),))


def _fifo(folder: Path, _: random.Random) -> Put:
    os.mkfifo(folder / "pipe.png")
    return Put("a FIFO", (_LOST | {str(Reason.NOT_AN_IMAGE)},))


def _socket(folder: Path, _: random.Random) -> Put:
    before = Path.cwd()
    os.chdir(folder)  # a socket's path may have 107 bytes
    try:
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind("socket.png")
    finally:
        os.chdir(before)
    return Put("a socket", (_LOST | {str(Reason.NOT_AN_IMAGE)},))


def _linked(folder: Path, chance: random.Random) -> Put:
    outside = folder.parent / "outside.png"
    _painted(outside, chance)
    (folder.parent / "sub").mkdir(exist_ok=True)
    target, ends = chance.choice(
        (
            ("good.png", frozenset({KEPT})),
            ("nowhere.png", _LOST),
            ("link.png", _LOST),
            (str(outside), _LOST),
            ("../outside.png", _LOST),
            ("/dev/zero", _LOST),
            ("/dev/stdin", _LOST),
            ("/proc/self/mem", _LOST),
            ("/proc/self/fd/0", _LOST),
            ("/etc/passwd", _LOST),
            ("a" * 300, _LOST),
            (".", None),
            ("..", None),
            ("/", None),
        )
    )
    (folder / "link.png").symlink_to(target)
    if ends is None:
        return Put(f"a link to the folder {target}", (_LOST,), may_lack=1)
    return Put(f"a link to {target[:40]}", (ends,))


def _ring(folder: Path, _: random.Random) -> Put:
    (folder / "a.png").symlink_to("b.png")
    (folder / "b.png").symlink_to("a.png")
    return Put("two links to each other", (_LOST, _LOST))


def _folder(folder: Path, chance: random.Random) -> Put:
    (folder / "x.jpg").mkdir()
    if chance.random() < 0.5:
        _painted(folder / "x.jpg" / "deep.png", chance)
    return Put("a folder named x.jpg", ())


def _locked(folder: Path, chance: random.Random) -> Put:
    _painted(folder / "locked.png", chance)
    (folder / "locked.png").chmod(0)
    return Put("a file that may not be read", (_LOST,))


def _locked_folder(folder: Path, chance: random.Random) -> Put:
    (folder / "sub").mkdir()
    _painted(folder / "sub" / "x.png", chance)
    (folder / "sub").chmod(0)
    return Put("a folder that may not be read", (), statuses=frozenset({0, 2}))


def _locked_source(folder: Path, _: random.Random) -> Put:
    folder.chmod(0)
    return Put("a source's folder that may not be read", (), statuses=frozenset({2}))


def _data(chance: random.Random) -> bytes:
    return encoded(drawing((chance.randint(20, 60), chance.randint(20, 60)), "RGB", chance), "PNG")


def _painted(path: Path, chance: random.Random) -> str:
    data = _data(chance)
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


_KINDS: tuple[Callable[[Path, random.Random], Put], ...] = (
    *(*[_plain] * 8, _twins, _cases, _bytes, _slashed, _long, _fifo, _socket, *[_linked] * 3, _ring, _folder),
    *(_locked, _locked_folder, _locked_source),
)


def _case(number: int, chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    images = scene.folder / "images"
    images.mkdir()
    _painted(images / "good.png", chance)
    put = _KINDS[number % len(_KINDS)](images, chance)
    with as_nobody(scene.folder):
        ended = builds.build(builds.folder_recipe(), images, scene.folder, limit_s=20)
    images.chmod(0o755)
    wrong = wrong_ending(ended, put.statuses)
    if wrong is not None or ended.status != 0:
        return put.what, wrong
    rows = [row for name, row in builds.ledger(scene.folder / "store").items() if name != "odd:good.png"]
    return put.what, _wrong_count(put, rows) or _wrong_ends(put, rows) or _wrong_bytes(put, rows)


def _wrong_count(put: Put, rows: list[builds.Row]) -> Wrong | None:
    if 0 <= len(put.ends) - len(rows) <= put.may_lack:
        return None
    return Wrong(Fault.CHANGE, f"{len(rows)} records for {len(put.ends)}: {[row['record_id'] for row in rows][:5]}")


def _wrong_ends(put: Put, rows: list[builds.Row]) -> Wrong | None:
    """Ends in any order: what may only end well comes first."""
    ends = sorted(((KEPT if row["kept"] else row["reason"]) for row in rows), key=lambda end: end != KEPT)
    for end, allowed in zip(ends, put.ends, strict=False):
        if end not in allowed:
            return Wrong(Fault.UNTRUE, f"{end} ({rows[0]['detail']}) for {' or '.join(sorted(allowed))}")
    return None


def _wrong_bytes(put: Put, rows: list[builds.Row]) -> Wrong | None:
    lost = set(put.files) - {row["sha256"] for row in rows}
    return Wrong(Fault.CHANGE, f"kept with other bytes: {rows[:1]}") if lost else None


FAMILY = Family("names", "names of files, links, pipes, permissions", 130, 4, one_by_one("names", _case), limit_s=30)
