"""LMDB: one file of keys and values, which a reader maps into memory. The library is an extra (`bilderatlas[lsun]`)."""

import importlib.util

from schemas.errors import BadInput

_BYTES = 2**28
"""What is mapped at first, of each of many open files; twice as much where it is full."""
_AT_ONCE = 100
"""Values in one transaction, which are in memory."""


def check_lmdb() -> None:
    """Raise BadInput where the library is not installed."""
    if importlib.util.find_spec("lmdb") is None:
        raise BadInput("--layout lsun: expected the library lmdb, got none; install bilderatlas[lsun]")


class LmdbFile:
    """A file, written value by value; readers open the folder in which it is called data.mdb."""

    def __init__(self, path: str) -> None:
        """Begin it at a place of this machine. Raises ImportError as `check_lmdb` tells beforehand."""
        import lmdb

        # nobody else knows of the file yet: so no lock, and one flush at the end
        self._file = lmdb.open(path, map_size=_BYTES, subdir=False, lock=False, sync=False)
        self._waiting: list[tuple[bytes, bytes]] = []

    def add(self, key: bytes, value: bytes) -> None:
        """Put in a value; of one key the last counts."""
        self._waiting.append((key, value))
        if len(self._waiting) == _AT_ONCE:
            self._write()

    def close(self) -> None:
        """Write what waits."""
        self._write()
        self._file.sync(True)
        self._file.close()

    def _write(self) -> None:
        import lmdb

        while True:
            try:
                with self._file.begin(write=True) as transaction:
                    for key, value in self._waiting:
                        transaction.put(key, value)
                break
            except lmdb.MapFullError:
                self._file.set_mapsize(2 * self._file.info()["map_size"])
        self._waiting.clear()
