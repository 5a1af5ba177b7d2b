"""Odd but whole answers of servers, each of which has one right ending; and outages that end."""

import contextlib
import io
import random
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Fault, Scene, Wrong, first_wrong, one_by_one
from benchmarks.hostile.commands import run_here, wrong_ending
from benchmarks.hostile.pictures import KEPT, drawing, encoded
from schemas.reasons import Reason

LOOP, LOST, BUSY = str(Reason.REDIRECT_LOOP), str(Reason.NOT_FOUND), str(Reason.SERVER_ERROR)
_LABELS = ("aws-chunked", "binary", "utf-8", "none", "8bit", "br", "gzip", "deflate", "x-gzip", "gzip, aws-chunked", "")
_OUTAGES = (
    (404, b"no such file", LOST),
    (410, b"", LOST),
    (403, b"not now", str(Reason.HTTP_ERROR)),
    (200, b"<html><body>We will be back soon", str(Reason.NOT_AN_IMAGE)),
    (200, b"", str(Reason.EMPTY_FILE)),
)
_PER_KIND = 3


class Reply(NamedTuple):
    """What a path answers: raw heads before the answer, its status, headers and body; and how its record may end."""

    end: str
    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    before: bytes = b""


Kind = Callable[[random.Random, str, bytes], Reply]


def _interim(chance: random.Random, _path: str, data: bytes) -> Reply:
    heads = [
        chance.choice((b"100 Continue", b"102 Processing", b"103 Early Hints")) for _ in range(chance.randint(1, 9))
    ]
    return Reply(KEPT, data, before=b"".join(b"HTTP/1.1 %s\r\nLink: </x>\r\n\r\n" % head for head in heads))


def _too_many_interim(_chance: random.Random, _path: str, data: bytes) -> Reply:
    return Reply(str(Reason.UNREACHABLE), data, before=b"HTTP/1.1 103 Early Hints\r\n\r\n" * 30)


def _labelled(chance: random.Random, _path: str, data: bytes) -> Reply:
    return Reply(KEPT, data, headers=(("Content-Encoding", chance.choice(_LABELS)),))


def _packed_otherwise(chance: random.Random, _path: str, data: bytes) -> Reply:
    return Reply(
        BUSY, b"\0" + chance.randbytes(len(data)), headers=(("Content-Encoding", chance.choice(("br", "zstd"))),)
    )


def _broken_and_labelled(chance: random.Random, _path: str, data: bytes) -> Reply:
    label = chance.choice(("aws-chunked", "gzip", "none"))
    return Reply(str(Reason.BROKEN_IMAGE), data[: len(data) // 2], headers=(("Content-Encoding", label),))


def _loop(chance: random.Random, path: str, _data: bytes) -> Reply:
    cookie = (("Set-Cookie", "seen=1"),) * chance.randint(0, 1)
    return Reply(LOOP, status=chance.choice((301, 302, 303, 307, 308)), headers=(("Location", path), *cookie))


def _further(_chance: random.Random, path: str, _data: bytes) -> Reply:
    return Reply(LOOP, status=302, headers=(("Location", f"{path}x"),))


def _plain(_chance: random.Random, _path: str, data: bytes) -> Reply:
    return Reply(KEPT, data)


_KINDS: tuple[Kind, ...] = (
    *(
        _interim,
        _too_many_interim,
        _labelled,
        _labelled,
        _packed_otherwise,
        _broken_and_labelled,
        _loop,
        _further,
        _plain,
    ),
)
_ADDRESSES = ("http://{}{}", "//{}{}", " HTTP://{}{}", "https://{}{}", "\ufeff//{}{} ")


def _case(_number: int, chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    status, body, reason = chance.choice(_OUTAGES)
    rows, odd = ["key,image"], dict[str, Reply]()
    for place, kind in enumerate(_KINDS * _PER_KIND):
        path = f"/{place}.png"
        odd[path] = kind(chance, path, _picture(chance))
        rows.append(f'{place},"{chance.choice(_ADDRESSES).format("odd.example", path)}"')
    away = {f"/{place}.jpg": _picture(chance) for place in range(chance.randint(1, 6))}
    rows += [f"away{path},http://away.example{path}" for path in away]
    (scene.folder / "works.csv").write_text("\n".join(rows), encoding="utf-8")
    what = f"odd answers, and {len(away)} images of a host that answers {status} with {body[:20]!r} to all"
    ends = {f"odd:{path[1:-4]}": reply.end for path, reply in odd.items()}
    with _serving(odd) as (replies, url):
        replies |= {path: Reply(reason, body, status) for path in away}
        wrong = _wrong(scene.folder, url, {**ends, **{f"odd:away{path}": reason for path in away}})
        replies |= {path: Reply(KEPT, data) for path, data in away.items()}
        return what, wrong or _wrong(scene.folder, url, {**ends, **{f"odd:away{path}": KEPT for path in away}})


def _picture(chance: random.Random) -> bytes:
    return encoded(drawing((60, 40), "RGB", chance), chance.choice(("PNG", "JPEG", "WEBP", "BMP", "GIF")))


def _wrong(folder: Path, url: str, ends: dict[str, str]) -> Wrong | None:
    table = {"name": "odd", "at": "images", "table": "works.csv", "columns": {"key": "key", "image": "image"}}
    recipe = builds.folder_recipe(sources=[{"table": table}], manners={"rate_per_s": 2000, "tries": 1})
    bound = builds.binds([f"images={folder}", f"origins=*={url}", "contact=curator@museum.example"])
    words = ["build", str(builds.write_recipe(recipe, folder)), "--store", str(folder / "store"), *bound]
    if (wrong := wrong_ending(run_here(words, 120), {0}, seconds=100)) is not None:
        return wrong
    ledger = builds.ledger(folder / "store")
    return first_wrong(_wrong_row(name, end, ledger.get(name)) for name, end in ends.items())


def _wrong_row(name: str, end: str, row: builds.Row | None) -> Wrong | None:
    if row is None:
        return Wrong(Fault.CHANGE, f"no row of {name} in the ledger")
    came = KEPT if row["kept"] else row["reason"]
    return None if came == end else Wrong(Fault.UNTRUE, f"{name}: {came} ({row['detail']}) for {end}")


@contextlib.contextmanager
def _serving(replies: dict[str, Reply]) -> Iterator[tuple[dict[str, Reply], str]]:
    """A server of these replies by path, which may be changed; nothing else is there."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 10

        def do_GET(self) -> None:
            path = self.path
            while path not in replies and path.endswith("x"):
                path = path[:-1]
            reply = replies.get(path, Reply(LOST, b"nothing", 404))
            headers = [(name, f"{self.path}x" if value == f"{path}x" else value) for name, value in reply.headers]
            head = io.BytesIO()
            head.write(reply.before)
            lines = [f"HTTP/1.1 {reply.status} so", f"Content-Length: {len(reply.body)}"]
            lines += [f"{name}: {value}" for name, value in headers]
            head.write("\r\n".join([*lines, "", ""]).encode())
            with contextlib.suppress(ConnectionError):
                self.wfile.write(head.getvalue() + (b"" if self.command == "HEAD" else reply.body))

        do_HEAD = do_GET  # noqa: N815 - the name that http.server looks for

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield replies, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


FAMILY = Family(
    "answers", "odd answers of servers, and outages that end", 12, 1, one_by_one("answers", _case), limit_s=220
)
