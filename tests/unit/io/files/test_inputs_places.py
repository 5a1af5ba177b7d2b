"""Places that can't be opened: one sentence for whatever a file system raises; bugs keep their cause."""

import pytest

from schemas.errors import BadInput
from tasks.io.files.inputs import reword_errors


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (OSError("no such bucket"), "store: expected a folder, got 's3://art' (no such bucket)"),
        (LookupError(), "store: expected a folder, got 's3://art' (LookupError)"),
        (ImportError("Install s3fs\nto use it"), "store: expected a folder, got 's3://art' (Install s3fs)"),
    ],
)
def test_whatever_a_file_system_raises_is_one_sentence(problem: Exception, said: str):
    with pytest.raises(BadInput) as raised, reword_errors("store: expected a folder", "s3://art"):
        raise problem
    assert str(raised.value) == said
    assert raised.value.__cause__ is problem


def test_a_sentence_stays_and_what_ends_the_program_passes():
    with pytest.raises(BadInput, match="expected less"), reword_errors("store: expected a folder", "x"):
        raise BadInput("expected less")
    with pytest.raises(KeyboardInterrupt), reword_errors("store: expected a folder", "x"):
        raise KeyboardInterrupt
