"""Which rights statements pass."""

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator

from schemas.base import Some
from schemas.phrases import quoted

RightsWord = Literal["public_domain", "open", "all"]
RIGHTS_WORDS: tuple[RightsWord, ...] = get_args(RightsWord)
_STATEMENT = re.compile(r"https?://\S+|NOASSERTION", re.IGNORECASE)


def _one_or_several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


def _words_or_statements(value: tuple[str, ...]) -> tuple[str, ...]:
    for said in value:
        if said not in RIGHTS_WORDS and not _STATEMENT.fullmatch(said):
            raise ValueError(
                f"expected {', '.join(RIGHTS_WORDS)}, NOASSERTION or a URI such as "
                f"https://creativecommons.org/publicdomain/, got {quoted(said)}"
            )
    return value


AllowedRights = Annotated[
    Some[str],
    BeforeValidator(_one_or_several, json_schema_input_type=str | tuple[str, ...]),
    AfterValidator(_words_or_statements),
]
"""Rights that pass: words, or URIs, as `tasks.core.rights.passes` takes them."""
