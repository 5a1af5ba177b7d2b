"""Files below a binding: nothing outside is ever opened, and a changed file is a different file."""

import errno
import hashlib
import http.server
import io
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
from pathlib import Path

import fsspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import BadInput
from schemas.reasons import Reason
from tasks.io.files import folders, inputs
from tasks.io.files.folders import Folder, file_sha256
from tasks.io.images.decode import UnreadableImage

SECRET = b"not for you"


def one_sentence(problem: BadInput) -> bool:
    return "expected" in str(problem) and "got" in str(problem) and "\n" not in str(problem)


def refused(folder: Folder, path: str, max_bytes: int = 1000) -> Reason:
    with pytest.raises(UnreadableImage) as caught:
        folder.read(path, max_bytes)
    return caught.value.reason


def outcome(folder: Folder, path: str) -> bytes | Reason:
    try:
        return folder.read(path, 1000)
    except UnreadableImage as problem:
        return problem.reason


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A folder `art` beside a secret, with a file, a folder, and links that stay, leave, dangle and go round."""
    folder = tmp_path / "art"
    (folder / "b").mkdir(parents=True)
    (folder / "a.jpg").write_bytes(b"first")
    (folder / "b" / "c.jpg").write_bytes(b"second")
    (tmp_path / "secret").write_bytes(SECRET)
    (tmp_path / "artless").mkdir()
    (tmp_path / "artless" / "d.jpg").write_bytes(SECRET)
    (folder / "stays.jpg").symlink_to("b/c.jpg")
    (folder / "leaves.jpg").symlink_to(tmp_path / "secret")
    (folder / "leaves").symlink_to(tmp_path)
    (folder / "neighbour").symlink_to(tmp_path / "artless")
    (folder / "dangles.jpg").symlink_to("nowhere.jpg")
    (folder / "round.jpg").symlink_to("round.jpg")
    return folder


@pytest.fixture
def in_memory():
    """A folder in fsspec's memory, which no other test sees."""
    url = f"memory://{uuid.uuid4().hex}/art"
    fs, root = fsspec.core.url_to_fs(url)
    for path, data in {"a.jpg": b"first", "b/c.jpg": b"second", "ü/é.jpg": b"third"}.items():
        fs.pipe_file(f"{root}/{path}", data)
    fs.pipe_file(f"{root}less/d.jpg", SECRET)
    yield url
    fs.rm(root.rsplit("/", 1)[0], recursive=True)


# --- what is outside


LEADS_OUT = [
    pytest.param("../secret", id="up"),
    pytest.param("b/../../secret", id="down-and-up-twice"),
    pytest.param("b/../a.jpg", id="up-though-it-stays"),
    pytest.param("..", id="only-up"),
    pytest.param("/etc/passwd", id="absolute"),
    pytest.param("//etc/passwd", id="two-slashes"),
    pytest.param("a.jpg\0.png", id="nul"),
    pytest.param("\0", id="only-nul"),
]
LEADS_OUT_BY_LINK = [
    pytest.param("leaves.jpg", id="link-to-a-file"),
    pytest.param("leaves/secret", id="through-a-link"),
    pytest.param("neighbour/d.jpg", id="to-a-folder-whose-name-begins-alike"),
]


@pytest.mark.parametrize("path", LEADS_OUT + LEADS_OUT_BY_LINK)
def test_what_leads_out_is_not_opened(top, path):
    folder = Folder("art", str(top))

    assert folder.contains(path) is False
    assert folder.validator(path) is None
    assert refused(folder, path) == Reason.NOT_ALLOWED


@pytest.mark.parametrize("path", LEADS_OUT)
def test_what_leads_out_of_memory_is_not_opened(in_memory, path):
    folder = Folder("art", in_memory)

    assert folder.validator(path) is None
    assert refused(folder, path) == Reason.NOT_ALLOWED


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["..", ".", "", "b", "a.jpg", "leaves", "secret", "art", "~", "*"]), max_size=6))
def test_no_path_of_any_shape_reads_the_secret(tmp_path_factory, parts):
    top = tmp_path_factory.getbasetemp() / "any-shape"
    if not top.exists():
        (top / "art" / "b").mkdir(parents=True)
        (top / "secret").write_bytes(SECRET)
        (top / "art" / "leaves").symlink_to(top)
        (top / "art" / "a.jpg").write_bytes(b"first")

    assert outcome(Folder("art", str(top / "art")), "/".join(parts)) in {b"first", Reason.NOT_ALLOWED, Reason.NOT_FOUND}


def test_the_folder_itself_may_be_a_link(top, tmp_path):
    (tmp_path / "linked").symlink_to(top)
    folder = Folder("art", str(tmp_path / "linked"))

    assert folder.read("b/c.jpg", 1000) == b"second"
    assert refused(folder, "leaves.jpg") == Reason.NOT_ALLOWED


# --- what is inside


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        pytest.param("", Reason.NOT_FOUND, id="nothing"),
        pytest.param(".", Reason.NOT_FOUND, id="the-folder"),
        pytest.param("b", Reason.NOT_FOUND, id="a-folder"),
        pytest.param("no.jpg", Reason.NOT_FOUND, id="missing"),
        pytest.param("no/no.jpg", Reason.NOT_FOUND, id="folder-missing"),
        pytest.param("a.jpg/c.jpg", Reason.NOT_FOUND, id="below-a-file"),
        pytest.param("dangles.jpg", Reason.NOT_FOUND, id="link-to-nothing"),
        pytest.param("round.jpg", Reason.NOT_FOUND, id="link-to-itself"),
        pytest.param(f"{'long' * 100}.jpg", Reason.NOT_FOUND, id="name-too-long"),
        pytest.param("/".join(["deep"] * 1000), Reason.NOT_FOUND, id="path-too-long"),
        pytest.param("file:///etc/passwd", Reason.NOT_FOUND, id="looks-like-a-url"),
        pytest.param("~root", Reason.NOT_FOUND, id="looks-like-a-home"),
        pytest.param("*.jpg", Reason.NOT_FOUND, id="looks-like-a-pattern"),
    ],
)
def test_what_is_no_file_is_not_found(top, path, reason):
    assert refused(Folder("art", str(top)), path) == reason


@pytest.mark.parametrize("path", ["no.jpg", "no/no.jpg", "a.jpg/c.jpg", f"{'long' * 100}.jpg"])
def test_what_is_not_there_has_no_validator(top, path):
    assert Folder("art", str(top)).validator(path) is None


@pytest.mark.parametrize("path", ["", "b", "no.jpg", "no/no.jpg"])
def test_what_is_no_file_in_memory_is_not_found(in_memory, path):
    assert refused(Folder("art", in_memory), path) == Reason.NOT_FOUND


def outcomes_as_nobody(folder: Path, path: str) -> list[str]:
    """What reading a file, its validator and a listing come to for a user who may read no more than others may."""
    code = (
        "import os, sys\n"
        "from tasks.io.files.folders import Folder\n"
        "from tasks.io.images.decode import UnreadableImage\n"
        "from schemas.errors import BadInput\n"
        "if os.getuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "folder = Folder('art', sys.argv[1])\n"
        "try: print(folder.read(sys.argv[2], 1000).decode())\n"
        "except UnreadableImage as problem: print(problem.reason, problem.detail)\n"
        "print(folder.validator(sys.argv[2]))\n"
        "try: print(len(folder.listing()))\n"
        "except BadInput as problem: print(problem)\n"
    )
    command = [sys.executable, "-c", code, str(folder), path]
    root = Path(__file__).parents[4]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=root).stdout.splitlines()


@pytest.fixture
def open_to_all():
    """A folder that every user may look into, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_a_file_that_may_not_be_read_is_a_drop_and_another_file_once_it_may(open_to_all):
    (open_to_all / "a.jpg").write_bytes(b"first")
    may, is_valid, _ = outcomes_as_nobody(open_to_all, "a.jpg")
    status = (open_to_all / "a.jpg").stat()
    (open_to_all / "a.jpg").chmod(0o000)
    may_not, is_other, listed = outcomes_as_nobody(open_to_all, "a.jpg")
    assert status.st_mtime_ns == (open_to_all / "a.jpg").stat().st_mtime_ns

    assert (may, may_not, listed) == ("first", "not_allowed no permission to read 'a.jpg'", "1")
    assert is_valid != is_other


def test_a_folder_that_may_not_be_read_is_said_since_its_files_would_be_missing(open_to_all):
    (open_to_all / "a.jpg").write_bytes(b"first")
    (open_to_all / "deep").mkdir(mode=0o000)
    *_, listed = outcomes_as_nobody(open_to_all, "a.jpg")

    assert listed == (
        f"binding 'art': expected a folder that can be read, got '{open_to_all}/deep' (Permission denied)"
    )


def test_a_disk_that_fails_is_asked_again(top, monkeypatch):
    def failed(*_args, **_kwargs):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(inputs, "open_file", failed)

    assert refused(Folder("art", str(top)), "a.jpg") == Reason.UNREACHABLE


def test_what_is_no_regular_file_is_a_drop_at_once(top, monkeypatch):
    monkeypatch.chdir(top)  # the path of a socket must be short
    os.mkfifo("pipe.jpg")
    Path("to-pipe.jpg").symlink_to("pipe.jpg")
    Path("folder.jpg").mkdir()
    with socket.socket(socket.AF_UNIX) as plug:
        plug.bind("socket.jpg")
        folder = Folder("art", str(top))
        found = {}
        for path in ("pipe.jpg", "to-pipe.jpg", "socket.jpg", "folder.jpg"):
            with pytest.raises(UnreadableImage) as caught:
                folder.read(path, 1000)
            found[path] = (caught.value.reason, caught.value.detail)
        listed = {path for path, _ in folder.listing()}

    assert found == {
        "pipe.jpg": (Reason.NOT_FOUND, "'pipe.jpg' is a pipe, not a file"),
        "to-pipe.jpg": (Reason.NOT_FOUND, "'to-pipe.jpg' is a pipe, not a file"),
        "socket.jpg": (Reason.NOT_FOUND, "'socket.jpg' is a socket, not a file"),
        "folder.jpg": (Reason.NOT_FOUND, "'folder.jpg' is a folder, not a file"),
    }
    assert {"pipe.jpg", "to-pipe.jpg", "socket.jpg"} <= listed
    assert "folder.jpg" not in listed


@pytest.mark.parametrize(
    "name",
    [
        "back\\slash.jpg",
        "..\\up.jpg",
        "a b.jpg",
        "#1.jpg",
        "what?.jpg",
        "%41.jpg",
        " .jpg",
        "e\u0301.jpg",
        "A.JPG",
        "*.jpg",
        "file:x",
        "a::b",
        "\n.jpg",
        "x" * 251 + ".jpg",
        "caf\\xe9.jpg",
    ],
)
def test_any_name_that_a_file_may_have_is_read(top, name):
    (top / name).write_bytes(name.encode())
    folder = Folder("art", str(top))

    assert folder.read(name, 1000) == name.encode()
    assert folder.validator(name) == dict(folder.listing())[name]


def test_names_that_only_look_alike_are_files_of_their_own(top):
    names = ["\u00e9.jpg", "e\u0301.jpg", "E\u0301.jpg"]
    for name in names:
        (top / name).write_bytes(name.encode())
    folder = Folder("art", str(top))

    assert [folder.read(name, 1000) for name in names] == [name.encode() for name in names]
    assert {*names} <= {path for path, _ in folder.listing()}


@pytest.mark.parametrize(
    ("path", "data"),
    [
        pytest.param("a.jpg", b"first", id="file"),
        pytest.param("b/c.jpg", b"second", id="file-in-a-folder"),
        pytest.param("b/./c.jpg", b"second", id="dot"),
        pytest.param("stays.jpg", b"second", id="link-that-stays"),
        pytest.param("leaves/art/a.jpg", b"first", id="out-by-a-link-and-in-again"),
    ],
)
def test_a_file_is_read(top, path, data):
    assert Folder("art", str(top)).read(path, 1000) == data
    assert Folder("art", f"{top}/").read(path, 1000) == data
    assert Folder("art", f"file://{top}").read(path, 1000) == data


@pytest.mark.parametrize(
    ("max_bytes", "is_read"), [pytest.param(6, True, id="the-limit"), pytest.param(5, False, id="a-byte-more")]
)
def test_the_limit_is_on_bytes(top, in_memory, max_bytes, is_read):
    for url in (str(top), in_memory):
        folder = Folder("art", url)
        if is_read:
            assert folder.read("b/c.jpg", max_bytes) == b"second"
        else:
            assert refused(folder, "b/c.jpg", max_bytes) == Reason.TOO_MANY_BYTES


@pytest.mark.parametrize("max_bytes", [6, 5])
def test_a_file_is_copied_in_pieces(top, in_memory, max_bytes, monkeypatch):
    monkeypatch.setattr(folders, "_PIECE_BYTES", 4)
    for url in (str(top), in_memory):
        target = io.BytesIO()
        if max_bytes == 6:
            assert Folder("art", url).copy("b/c.jpg", target, 6) == (hashlib.sha256(b"second").hexdigest(), 6)
            assert target.getvalue() == b"second"
        else:
            with pytest.raises(UnreadableImage, match="more than 5 bytes"):
                Folder("art", url).copy("b/c.jpg", target, 5)


def test_a_target_that_is_full_is_no_matter_of_the_file(top):
    class Full(io.BytesIO):
        def write(self, _):
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        Folder("art", str(top)).copy("b/c.jpg", Full(), 100)


# --- listing


def test_a_listing_is_sorted_and_agrees_with_what_is_asked_for_alone(tmp_path):
    names = ["b.jpg", "a/z.jpg", "a.jpg", "é.jpg", "z/a/b.jpg", ".hidden.jpg", "a b#c?.jpg", "B.jpg"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    folder = Folder("art", str(tmp_path))

    found = folder.listing()

    assert [path for path, _ in found] == sorted(names)
    assert {path: folder.validator(path) for path in names} == dict(found)
    assert len({validator for _, validator in found}) == len(names)


def test_an_empty_folder_lists_nothing(tmp_path):
    assert Folder("art", str(tmp_path)).listing() == []


def test_a_listing_survives_links_that_lead_nowhere(top):
    assert {"a.jpg", "b/c.jpg", "stays.jpg"} <= {path for path, _ in Folder("art", str(top)).listing()}


def test_a_link_to_a_folder_is_listed_as_one_and_not_followed(top):
    assert [path for path, _ in Folder("art", str(top)).listing()] == [
        "a.jpg", "b/c.jpg", "dangles.jpg", "leaves.jpg", "leaves/", "neighbour/", "round.jpg", "stays.jpg"
    ]  # fmt: skip


def test_a_folder_in_memory_lists_and_reads(in_memory):
    for url in (in_memory, f"{in_memory}/"):
        folder = Folder("art", url)

        assert [path for path, _ in folder.listing()] == ["a.jpg", "b/c.jpg", "ü/é.jpg"]
        assert folder.read("ü/é.jpg", 1000) == b"third"
        assert folder.listing() == folder.listing()
        assert folder.validator("a.jpg") == folder.validator("a.jpg") is not None


# --- validators


def _touch(path: Path) -> None:
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1_000_000_000))


def _rewrite_in_place(path: Path) -> None:
    before = path.stat()
    path.write_bytes(b"FIRST")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000))


def _replace_with_equal_times(path: Path) -> None:
    before, other = path.stat(), path.with_name("other")
    other.write_bytes(b"FIRST")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


def _grow(path: Path) -> None:
    before = path.stat()
    path.write_bytes(b"first and more")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("change", [_touch, _rewrite_in_place, _replace_with_equal_times, _grow])
def test_a_validator_changes_when_the_file_does(top, change):
    folder = Folder("art", str(top))
    before, other = folder.validator("a.jpg"), folder.validator("b/c.jpg")
    assert before == folder.validator("a.jpg")

    change(top / "a.jpg")

    assert folder.validator("a.jpg") not in {before, None}
    assert folder.validator("b/c.jpg") == other


def test_a_validator_in_memory_changes_when_the_file_does(in_memory):
    folder = Folder("art", in_memory)
    before = folder.validator("a.jpg")

    folder.fs.pipe_file(f"{folder.root}/a.jpg", b"FIRST")

    assert folder.validator("a.jpg") != before


def test_a_copied_folder_has_other_validators(top, tmp_path):
    """Copied with its times: equal sizes and times are no proof of equal bytes."""
    shutil.copytree(top / "b", tmp_path / "copy" / "b")
    assert (tmp_path / "copy/b/c.jpg").stat().st_mtime_ns == (top / "b/c.jpg").stat().st_mtime_ns

    assert Folder("art", str(tmp_path / "copy")).validator("b/c.jpg") != Folder("art", str(top)).validator("b/c.jpg")


# --- bindings


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("{top}/missing", id="missing"),
        pytest.param("{top}/a.jpg", id="a-file"),
        pytest.param("{top}/a.jpg/below", id="below-a-file"),
        pytest.param("{top}/\0", id="nul"),
        pytest.param("nope://x", id="no-such-protocol"),
        pytest.param("memory://nobody-has-written-here", id="empty-memory"),
    ],
)
def test_what_is_no_folder_is_bad_input(top, url):
    with pytest.raises(BadInput, match="binding 'art'") as caught:
        Folder("art", url.format(top=top))

    assert one_sentence(caught.value)


@pytest.mark.parametrize("url", ["{top}/missing", "{top}/b", "nope://x", "{top}/\0", "{top}/a.jpg/below"])
def test_a_digest_of_what_is_no_file_is_bad_input(top, url):
    with pytest.raises(BadInput, match="binding 'weights'") as caught:
        file_sha256("weights", url.format(top=top))

    assert one_sentence(caught.value)


def test_the_digest_of_a_file(top, in_memory):
    """SHA-256 of the five letters "first" and of nothing, by sha256sum."""
    (top / "empty").touch()
    first = "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e"

    assert file_sha256("weights", str(top / "a.jpg")) == file_sha256("weights", f"{in_memory}/a.jpg") == first
    assert file_sha256("weights", str(top / "empty"))[:16] == "e3b0c44298fc1c14"


def test_a_name_whose_bytes_are_no_utf8_is_listed_with_them_written_out_and_dropped_for_that(tmp_path):
    (tmp_path / os.fsdecode(b"caf\xe9.jpg")).write_bytes(b"x")
    folder = Folder("images", str(tmp_path))

    assert folder.listing() == [("caf\\xe9.jpg", folder.validator("caf\\xe9.jpg"))]
    with pytest.raises(UnreadableImage) as caught:
        folder.read("caf\\xe9.jpg", 10)
    assert caught.value.reason == Reason.NOT_FOUND
    assert caught.value.detail == "'caf\\xe9.jpg': the bytes of the file's name are not UTF-8; rename the file"


def test_two_names_that_are_written_alike_are_told_apart_by_nobody(tmp_path):
    (tmp_path / os.fsdecode(b"caf\xe9.jpg")).write_bytes(b"x")
    (tmp_path / "caf\\xe9.jpg").write_bytes(b"y")

    with pytest.raises(BadInput, match="expected names of files in UTF-8") as caught:
        Folder("images", str(tmp_path)).listing()
    assert one_sentence(caught.value)


@pytest.mark.parametrize("name", ["pipe", "folder"])
def test_weights_that_are_no_file_are_one_sentence(tmp_path, name):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadInput, match=rf"binding 'weights': expected a file, got '.*' \(a {name}, not a file\)"):
        file_sha256("weights", str(tmp_path / name))


class _InPieces(http.server.BaseHTTPRequestHandler):
    """Answers with a file whose length is not said before, in pieces."""

    protocol_version = "HTTP/1.1"
    pieces = (b"first ", b"second ", b"third")

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in self.pieces:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """No line for each request."""


def test_a_file_that_a_server_sends_in_pieces_is_read_to_its_end(tmp_path):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _InPieces)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        folder = Folder("images", str(tmp_path))
        folder.fs, folder.root = fsspec.core.url_to_fs(f"http://127.0.0.1:{server.server_port}/images")
        folder.is_local = False
        assert folder.read("a.txt", 100) == b"first second third"
        with pytest.raises(UnreadableImage, match="more than 10 bytes"):
            folder.read("a.txt", 10)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("path", "has_hint"),
    [
        ("www.museum.example/1.jpg", True),
        ("FTP://museum.example/1.jpg", True),
        ("data:image/png;base64,iVBO", True),
        ("works: early/1.jpg", False),
        ("1.jpg", False),
    ],
)
def test_a_missing_file_whose_path_looks_like_an_address_is_told_how_addresses_begin(tmp_path, path, has_hint):
    with pytest.raises(UnreadableImage) as caught:
        Folder("images", str(tmp_path)).read(path, 10)
    hint = "; an address begins with https:// or http://"
    assert (caught.value.reason, caught.value.detail) == (Reason.NOT_FOUND, f"no file '{path}'{hint * has_hint}")


# --- one name in composed and in decomposed letters


@pytest.mark.parametrize("local", [True, False], ids=["local", "memory"])
def test_a_file_in_the_other_form_of_its_letters_is_that_file(tmp_path: Path, local: bool):
    url = str(tmp_path) if local else f"memory://{uuid.uuid4().hex}"
    fs, root = fsspec.core.url_to_fs(url)
    fs.makedirs(f"{root}/e\u0301")
    fs.pipe(f"{root}/e\u0301/o\u0308.jpg", b"picture")
    fs.pipe(f"{root}/a.jpg", b"another")
    folder = Folder("images", url)
    assert folder.read("\u00e9/\u00f6.jpg", 1000) == folder.read("e\u0301/o\u0308.jpg", 1000) == b"picture"
    assert folder.validator("\u00e9/\u00f6.jpg") == folder.validator("e\u0301/o\u0308.jpg") is not None
    assert folder.validator("\u00e9/\u00e4.jpg") is None
    assert refused(folder, "\u00e9/\u00e4.jpg") == Reason.NOT_FOUND


def test_what_is_not_there_says_what_is(top: Path):
    folder = Folder("images", str(top))
    for name in ("e\u0301te\u0301.jpg", "\u00e9t\u00e9.jpg"):
        (top / name).write_bytes(b"x")

    def detail(path: str) -> str:
        with pytest.raises(UnreadableImage) as caught:
            folder.read(path, 1000)
        return caught.value.detail

    assert detail("B/c.jpg") == "no file 'B/c.jpg'; there is 'b', which differs in case"
    assert detail("b/C.jpg") == "no file 'b/C.jpg'; there is 'c.jpg', which differs in case"
    assert detail("b/x.jpg") == "no file 'b/x.jpg'"
    assert detail(r"b\c.jpg") == r"no file 'b\c.jpg'; there is 'b/c.jpg', with '/' between folders"
    assert detail(r".\b\c.jpg") == r"no file '.\b\c.jpg'; there is 'b/c.jpg', with '/' between folders"
    assert detail(r"b\x.jpg") == r"no file 'b\x.jpg'"
    assert detail(r"..\secret") == r"no file '..\secret'"
    assert "2 files are called so but for that: one in composed letters and one in decomposed" in detail(
        "\u00e9te\u0301.jpg"
    )


def test_a_link_out_of_the_folder_is_not_followed_by_another_form_of_its_name(top: Path):
    (top / "e\u0301").symlink_to(top.parent)
    folder = Folder("images", str(top))
    assert refused(folder, "\u00e9/secret") in {Reason.NOT_FOUND, Reason.NOT_ALLOWED}
    assert folder.validator("\u00e9/secret") is None


def test_a_path_into_the_folder_that_is_not_written_from_it_says_how_to_write_it(top: Path):
    folder = Folder("art", str(top))
    for path in (f"{top}/b/c.jpg", "b/../b/c.jpg"):
        with pytest.raises(UnreadableImage, match=r"is to be written as it is below the folder: 'b/c\.jpg'") as caught:
            folder.read(path, 100)
        assert caught.value.reason == Reason.NOT_ALLOWED
    for path in (f"{top}/../secret", "../secret", "b/..", "b/../../secret", "/etc/passwd", "leaves/../secret"):
        with pytest.raises(UnreadableImage, match="leads out of its folder"):
            folder.read(path, 100)


def test_the_first_paths_are_those_at_the_top_and_no_more_than_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "deep").mkdir()
    for place in ("deep/a.jpg", "deep/b.jpg", "works.csv"):
        (tmp_path / place).write_bytes(b"")
    folder = Folder("images", str(tmp_path))
    assert sorted(folder.first_paths()) == ["deep/a.jpg", "deep/b.jpg", "works.csv"]
    monkeypatch.setattr(folders, "_FIRST_PATHS", 1)
    assert folder.first_paths() == ["works.csv"]
