"""What stands in the place of a file, by its first bytes."""

import time

import pytest

from schemas.stand_ins import LOOK_BYTES, stand_in

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


@pytest.mark.parametrize(
    ("beginning", "words"),
    [
        (POINTER, "a Git LFS pointer, not the file itself: run `git lfs pull`"),
        (POINTER.replace(b"\n", b"\r\n"), "a Git LFS pointer"),
        (
            b"/annex/objects/SHA256E-s31390--f50d7ac4.jpg\n",
            "a git-annex pointer, not the file itself: run `git annex get`",
        ),
        (b"<!DOCTYPE html><html><body>404", "an HTML page"),
        (b"\xef\xbb\xbf\n <!-- a -->\n<HTML lang=en>", "an HTML page"),
        (b"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC>", "an HTML page"),
        (b"<head><title>Log in", "an HTML page"),
        (
            b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied',
            "an error of a storage service (AccessDenied), not the file itself: download it again",
        ),
        (b'<Error xmlns="a"><Code>NoSuchKey</Code>', "an error of a storage service (NoSuchKey)"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_stands_in_a_files_place_is_called_that(beginning: bytes, words: str):
    assert (stand_in(beginning) or "").startswith(words)


@pytest.mark.parametrize(
    "beginning",
    [
        b"",
        b"{}",
        b"version,artist\n",
        b"version https://example.org/\n",
        b"<?xml version='1.0'?><annotation><object/></annotation>",
        b"<annotation><filename>html</filename>",
        b"<svg xmlns='http://www.w3.org/2000/svg'>",
        b"<Errors><Code>x</Code>",
        b"<Error><Message>no code",
        b"\xff\xd8\xff\xe0<html>",
        b"\x93NUMPY",
        b"PAR1",
        b"id,text\n1,<html>\n",
        b" " * LOOK_BYTES + b"<html>",
    ],
    ids=lambda value: repr(value)[:40],
)
def test_all_else_may_be_a_file(beginning: bytes):
    assert stand_in(beginning) is None


def test_comments_after_which_nothing_known_comes_are_looked_at_once():
    began_s = time.process_time()
    assert stand_in(b"<!---->" * 23 + b"x") is None
    assert time.process_time() - began_s < 0.5


def test_what_is_mapped_into_memory_is_looked_at_too():
    assert stand_in(memoryview(POINTER)) is not None  # type: ignore[arg-type]
