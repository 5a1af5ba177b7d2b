"""Places that a person names, as a path or any fsspec URL: whatever goes wrong there is told as one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, error_line, quoted


@contextmanager
def reword_errors(expected: str, url: str) -> Iterator[None]:
    """Raise BadInput for whatever a file system raises within: "EXPECTED, got 'URL' (its own words)".

    File systems raise errors of their own: those of s3 are no OSErrors, so that all classes are caught. Nothing but the
    work with one place belongs within.
    """
    try:
        yield
    except BadInput:
        raise
    except Exception as problem:
        raise BadInput(f"{expected}, got {quoted(url, LONGEST_PLACE)} ({error_line(problem)})") from problem
