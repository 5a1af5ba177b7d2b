"""A PostgreSQL server of a test's own, in a temporary folder, that only this machine reaches."""

import contextlib
import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.support.processes import free_port

DEBIAN = Path("/usr/lib/postgresql")
USER, DATABASE = "prefect", "prefect"
_AS_USER = ["runuser", "--user", "postgres", "--"] if os.geteuid() == 0 else []


class Postgres:
    """A database for Prefect, by its URL. `stop` and `start` are what happens to a database server in the night."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.password = secrets.token_hex(16)
        self.url = f"postgresql+asyncpg://{USER}:{self.password}@127.0.0.1:{self.port}/{DATABASE}"
        self._data, self._log = folder / "data", folder / "log"
        password_file = folder / "password"
        password_file.write_text(self.password)
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root; its package has made a user
            for path in (folder, password_file):
                shutil.chown(path, "postgres")
        options = [f"--username={USER}", f"--pwfile={password_file}", "--auth=scram-sha-256", "--encoding=UTF8"]
        self._run("initdb", f"--pgdata={self._data}", *options)
        self.start()
        self._run("createdb", "--host=127.0.0.1", f"--port={self.port}", f"--username={USER}", DATABASE)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self._data}"
        self._run("pg_ctl", "start", "--wait", f"--pgdata={self._data}", f"--log={self._log}", f"--options={options}")

    def stop(self) -> None:
        """End it with all its connections."""
        self._run("pg_ctl", "stop", "--wait", "--mode=fast", f"--pgdata={self._data}")

    def is_running(self) -> bool:
        """Whether its process lives: it ends by itself where it can write no log of its transactions."""
        return self._status("pg_ctl", "status", f"--pgdata={self._data}") == 0

    def ask(self, sql: str) -> str:
        """What psql answers, without headings."""
        place = ["--host=127.0.0.1", f"--port={self.port}", f"--username={USER}", DATABASE]
        return self._run("psql", "--no-align", "--tuples-only", f"--command={sql}", *place)

    def _status(self, program: str, *words: str) -> int:
        return subprocess.run([*_AS_USER, _program(program), *words], cwd="/", stdout=subprocess.DEVNULL).returncode

    def _run(self, program: str, *words: str) -> str:
        done = subprocess.run(
            [*_AS_USER, _program(program), *words],
            env={**os.environ, "PGPASSWORD": self.password, "LC_ALL": "C.UTF-8"},
            cwd="/",
            # pg_ctl's server keeps what it inherits open: a pipe would never end
            stdout=subprocess.DEVNULL if program == "pg_ctl" else subprocess.PIPE,
            stderr=subprocess.DEVNULL if program == "pg_ctl" else subprocess.PIPE,
            text=True,
        )
        assert done.returncode == 0, f"expected that {program} ends well, got {done.stderr or self._log.read_text()}"
        return done.stdout or ""


def _program(name: str) -> str:
    """A program of PostgreSQL's: Debian keeps those of the server out of the PATH."""
    of_debian = sorted(DEBIAN.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    found = str(of_debian[-1]) if of_debian else shutil.which(name)
    assert found, f"expected PostgreSQL (`make setup-postgres`), got no {name}"
    return found


@contextlib.contextmanager
def running_postgres(disk: Path | None = None) -> Iterator[Postgres]:
    """A PostgreSQL server for as long as the block takes, with its data on that disk or in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="postgres-", dir=disk) as scratch:
        postgres = Postgres(Path(scratch))
        try:
            yield postgres
        finally:
            if postgres.is_running():
                postgres.stop()
