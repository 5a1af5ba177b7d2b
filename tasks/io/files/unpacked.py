"""A folder into which a release is unpacked: every file whole or not there, nothing outside it, begun again at will.

Until `unpacked.json` is written, last, its folder `.unpacking` holds what is not whole yet, and which release it is.
"""

import contextlib
import fcntl
import hashlib
import itertools
import json
import os
import re
import shutil
import stat
import uuid
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from schemas.errors import BadInput, Refusal
from schemas.formats import Format
from schemas.phrases import LONGEST_PLACE, error_line, quoted
from tasks.io.files import inputs

RECEIPT, _UNFINISHED = "unpacked.json", ".unpacking"
_SETTINGS = tuple(name for name in Format.model_fields if name != "name")
"""Of which a receipt says those that are not by default."""
_IMAGE = re.compile(r"\d+\.[a-z0-9]+")


@contextlib.contextmanager
def alone(path: str) -> Iterator[None]:
    """Let nobody else fill the folder meanwhile, who would take away what is not whole yet; else raise Refusal. A place
    that can't be such a folder is passed over (`UnpackFolder` says why), as is a network share that knows no locks.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, ValueError):
            if "://" not in path:
                Path(path).mkdir(parents=True, exist_ok=True)
                handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                stack.callback(os.close, handle)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    place = quoted(path, LONGEST_PLACE)
                    raise Refusal(f"unpack: expected nobody else to fill {place}, got another unpack at work") from None
        yield


class UnpackFolder:
    """The folder, opened for one release."""

    def __init__(self, path: str, release: dict[str, Any]) -> None:
        """Make it, or go on where an earlier run has ended. release: what says which release it is. Raises BadInput if
        it is no local folder, and if it holds anything but what was unpacked from that release.
        """
        if "://" in path:
            raise BadInput(f"unpack: expected a folder of this machine, got {quoted(path, LONGEST_PLACE)}")
        self._root, self._unfinished = Path(path), Path(path, _UNFINISHED)
        try:
            self._begin(release)
        except (OSError, ValueError, RecursionError) as problem:
            got = f"{quoted(path, LONGEST_PLACE)} ({error_line(problem)})"
            raise BadInput(f"unpack: expected a folder that can be filled, got {got}") from None

    def _begin(self, release: dict[str, Any]) -> None:
        self._root.mkdir(parents=True, exist_ok=True)
        names = {entry.name for entry in self._root.iterdir()}
        known = self._json(RECEIPT) or self._json(f"{_UNFINISHED}/{RECEIPT}")
        if known:  # earlier programs turned none
            known = {"pictures": "as stored", **known}
        if known is None and names - {_UNFINISHED}:
            raise ValueError(f"it holds other files, such as {quoted(min(names - {_UNFINISHED}))}")
        if known is not None and any(known.get(name) != release.get(name) for name in (*release, *_SETTINGS)):
            layout = f", as {quoted(known['layout'])} has it" if "layout" in known else ""
            pictures = f", pictures {known['pictures']}" if known.get("pictures") in {"upright", "as stored"} else ""
            others = [name for name in _SETTINGS if name != "layout" and name in known]
            pictures += "".join(f", {name} {quoted(known[name])}" for name in others)
            release_name = f"{quoted(known.get('version'))} of {quoted(known.get('name'))}"
            raise ValueError(f"it holds release {release_name}{layout}{pictures}")
        splits, files = (known or {}).get("splits"), (known or {}).get("files")
        self.splits: dict[str, Any] = splits if isinstance(splits, dict) else {}
        self._files = {name for name in files if isinstance(name, str)} if isinstance(files, list) else set[str]()
        archives = (known or {}).get("archives")
        self._archives = {
            path: (of[0], of[1])
            for path, of in (archives if isinstance(archives, dict) else {}).items()
            if isinstance(of, list) and len(of) == 2
        }
        documents = (known or {}).get("documents")
        self._documents = {
            part: [path for path in of if isinstance(path, str)]
            for part, of in (documents if isinstance(documents, dict) else {}).items()
            if isinstance(of, list)
        }
        self._expected: dict[str, tuple[str, str]] = {}
        self._release, self._made = release, set[str]()
        self.folder(_UNFINISHED)
        for left in self._unfinished.iterdir():
            if left.name != RECEIPT:
                left.unlink()
        self._write_receipt(f"{_UNFINISHED}/{RECEIPT}")
        (self._root / RECEIPT).unlink(missing_ok=True)

    def _json(self, name: str) -> dict[str, Any] | None:
        try:
            with inputs.open_file(str(self._root / name), follows_link=False) as file:
                value = json.loads(file.read())
        except FileNotFoundError:
            return None
        return value if isinstance(value, dict) else {}

    def folder(self, name: str) -> None:
        """Make a folder in it. Raises BadInput where something else, such as a link, is in its place."""
        place = self._root / name
        with contextlib.suppress(FileExistsError):
            place.mkdir()
        if not stat.S_ISDIR(place.lstat().st_mode):
            raise BadInput(f"unpack: expected a folder of its own at '{place}', got a link or a file: move it away")

    def expect(self, folder: str, names: Collection[str]) -> None:
        """Make the folders of these files. Later runs take away what they don't expect: numbers, and what is noted."""
        for place in sorted({f"{folder}/{name}".rpartition("/")[0] for name in (*names, "")}):
            self._folders(place)
        self._files |= {f"{folder}/{name}" for name in names if not _IMAGE.fullmatch(name)}
        self._write_receipt(f"{_UNFINISHED}/{RECEIPT}")

    def _folders(self, place: str) -> None:
        if place not in self._made:
            if place.startswith("/") or not {"", ".", ".."}.isdisjoint(place.split("/")):
                raise AssertionError(f"expected a folder below the one that is filled, got {place!r}")
            for step in itertools.accumulate(place.split("/"), "{}/{}".format):
                self.folder(step)
            self._made.add(place)

    def has(self, name: str, sha256: str) -> bool:
        """Whether a file is there as it should be."""
        return _sha256_of(self._root / name, follows_link=False) == sha256

    def write(self, name: str, data: bytes) -> None:
        """A file, in place of whatever file or link has that name."""
        beside = self._unfinished / uuid.uuid4().hex
        beside.write_bytes(data)
        beside.replace(self._root / name)

    def write_below(self, name: str, data: bytes) -> None:
        """As `write`; its folders are made."""
        if "/" in name:
            self._folders(name.rpartition("/")[0])
        self.write(name, data)

    def link(self, name: str, source: str, sha256: str) -> bool:
        """Make the name another one for a local file, if that is intact and can be linked to; whether it is done."""
        if not Path(source).is_file() or Path(source).is_symlink() or _sha256_of(Path(source)) != sha256:
            return False
        beside = self._unfinished / uuid.uuid4().hex
        try:
            os.link(source, beside)
        except OSError:  # another file system, or one without hard links
            return False
        beside.replace(self._root / name)
        # where both are the same file already, to rename does nothing, and the new name stays
        beside.unlink(missing_ok=True)
        return True

    def beside(self) -> str:
        """A place for a file that is not whole yet, until `keep_archive`."""
        return str(self._unfinished / uuid.uuid4().hex)

    def expect_archives(self, part: str, keys: dict[str, str]) -> None:
        """Remove archives of a part that it no longer has, or of which others are expected now, and note these. keys:
        what says which images they have, by their paths.
        """
        for path, (of, key) in [*self._archives.items()]:
            if of == part and keys.get(path) != key:
                self._remove(path)
                del self._archives[path]
        self._expected |= {path: (part, key) for path, key in keys.items()}

    def expect_document(self, part: str, path: str) -> None:
        """Note a file that says something of a part's images, and does not lie in a folder of such files alone."""
        if path not in (of := self._documents.setdefault(part, [])):
            of.append(path)
            self._write_receipt(f"{_UNFINISHED}/{RECEIPT}")

    def remove_other_documents(self, part: str, paths: Collection[str]) -> None:
        """Remove those that were noted before, and that the part no longer has."""
        for path in [path for path in self._documents.get(part, ()) if path not in paths]:
            self._remove(path)
            self._documents[part].remove(path)

    def _remove(self, path: str) -> None:
        """Remove a file of which a note says that it is ours, and folders that it leaves empty."""
        if self._is_file(path):
            (self._root / path).unlink()
            folders = [str(folder) for folder in PurePosixPath(path).parents][:-1]
            with contextlib.suppress(OSError):  # the first that holds something
                for folder in itertools.takewhile(lambda folder: folder not in self._made, folders):
                    (self._root / folder).rmdir()

    def has_archive(self, path: str) -> bool:
        """Whether an archive is there that was whole when it was noted."""
        return path in self._archives and self._is_file(path)

    def keep_archive(self, place: str, path: str) -> None:
        """Give an archive that is whole now its name, and note it before: what is not noted, nothing takes away."""
        if "/" in path:
            self._folders(path.rpartition("/")[0])
        (self._root / path).unlink(missing_ok=True)  # else a kill between the note and the name would make it count
        self._archives[path] = self._expected[path]
        self._write_receipt(f"{_UNFINISHED}/{RECEIPT}")
        Path(place).replace(self._root / path)

    def remove_others(self, folder: str, names: Collection[str], numbers: Collection[str] = ()) -> int:
        """Remove from a folder images, or what stands there of each image, that the release no longer has; how many.
        numbers: of images whose files stay, whatever they are called.
        """
        stay = {*numbers}
        found = {entry.name for entry in (self._root / folder).iterdir() if _IMAGE.fullmatch(entry.name)}
        found = {name for name in found if name.partition(".")[0] not in stay}
        noted = {name.removeprefix(f"{folder}/") for name in self._files if name.startswith(f"{folder}/")}
        gone = [name for name in sorted((found | noted) - {*names}) if self._is_file(f"{folder}/{name}")]
        for name in gone:
            self._remove(f"{folder}/{name}")
        self._files -= {f"{folder}/{name}" for name in noted - {*names}}
        return len(gone)

    def _is_file(self, name: str) -> bool:
        """Whether a file is there, and no link on the way to it leads elsewhere: notes may be anybody's."""
        if not {"", ".", ".."}.isdisjoint(name.split("/")):
            return False
        *folders, file = itertools.accumulate(name.split("/"), Path.joinpath, initial=self._root)
        are_real = all(folder.is_dir() and not folder.is_symlink() for folder in folders[1:])
        return are_real and (file.is_file() or file.is_symlink())

    def finish(self, splits: dict[str, Any]) -> None:
        """Say that these splits, and those unpacked before, are whole."""
        self.splits |= splits
        self._write_receipt(RECEIPT)
        shutil.rmtree(self._unfinished)

    def _write_receipt(self, path: str) -> None:
        files: dict[str, Any] = {"files": sorted(self._files)} if self._files else {}
        files |= {"archives": self._archives} if self._archives else {}
        files |= {"documents": self._documents} if any(self._documents.values()) else {}
        receipt = {**self._release, "splits": self.splits, **files}
        self.write(path, f"{json.dumps(receipt, indent=1, sort_keys=True, ensure_ascii=False)}\n".encode())


def _sha256_of(path: Path, *, follows_link: bool = True) -> str | None:
    with contextlib.suppress(OSError), inputs.open_file(str(path), follows_link=follows_link) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
    return None
