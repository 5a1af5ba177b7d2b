"""What lies in the place of a file that a person thinks is there, and what a sentence must call it."""

import random

STAND_INS: tuple[tuple[bytes, str], ...] = (
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 9\n", "a Git LFS pointer"),
    (b"version https://git-lfs.github.com/spec/v1\r\noid sha256:4d7a\r\nsize 9\r\n", "a Git LFS pointer"),
    (b"/annex/objects/SHA256E-s31390--f50d.csv\n", "a git-annex pointer"),
    (b"<!DOCTYPE html>\n<html><head><title>404</title></head><body>nothing here</body></html>\n", "an HTML page"),
    (b"\xef\xbb\xbf\n<HTML>\n<body>Please log in</body></HTML>", "an HTML page"),
    (b"<?xml version='1.0'?><Error><Code>AccessDenied</Code><RequestId>1</RequestId></Error>", "AccessDenied"),
)


def stand_in(chance: random.Random) -> tuple[bytes, str]:
    """The bytes, and words that the sentence about them must have."""
    return chance.choice(STAND_INS)
