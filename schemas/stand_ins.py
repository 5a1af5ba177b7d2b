"""What stands in the place of a file that a person thinks is there: a pointer, a page of an error. One look for all."""

import re

LOOK_BYTES = 1024
"""So much of a file's beginning is looked at."""

_BLANK = rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*+"
_HTML = "an HTML page, as servers send for errors and log-ins, not the file itself: download it again"
_STAND_INS = (
    # https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
    (rb"version https://git-lfs\.github\.com/spec/", "a Git LFS pointer, not the file itself: run `git lfs pull`"),
    # https://git-annex.branchable.com/internals/pointer_file/
    (rb"/annex/objects/", "a git-annex pointer, not the file itself: run `git annex get`"),
    (_BLANK + rb"<(?:!doctype\s+html|html|head|body)[\s>]", _HTML),
    (
        _BLANK + rb"<Error(?:\s[^>]*)?>.*?<Code>(?P<code>\w{1,40})</Code>",
        "an error of a storage service ({code}), not the file itself: download it again",
    ),
)
_PATTERNS = tuple((re.compile(pattern, re.DOTALL | re.IGNORECASE), words) for pattern, words in _STAND_INS)
_SENTENCES = tuple(re.compile(re.escape(words).replace(r"\{code\}", r"\w+")) for _, words in _STAND_INS)


def stand_in(beginning: bytes) -> str | None:
    r"""What stands in a file's place, and what to do, for "got ..."; None for bytes that may be a file of any format.

    beginning: of the file, at least LOOK_BYTES where it is so long; more is not looked at.

    >>> stand_in(b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a")
    'a Git LFS pointer, not the file itself: run `git lfs pull`'
    >>> stand_in(b"{}")
    """
    look = bytes(beginning[:LOOK_BYTES])
    for pattern, words in _PATTERNS:
        if found := pattern.match(look):
            return words.format(**{name: value.decode() for name, value in found.groupdict().items()})
    return None


def says_stand_in(words: str) -> bool:
    """Whether words are those of `stand_in` on some file.

    >>> says_stand_in("a Git LFS pointer, not the file itself: run `git lfs pull`"), says_stand_in("0 bytes")
    (True, False)
    """
    return any(sentence.fullmatch(words) for sentence in _SENTENCES)
