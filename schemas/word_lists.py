"""What lists of words share, whatever they are about."""

from typing import Annotated, Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from schemas.base import Frozen

Phrase = Annotated[str, Field(min_length=1, max_length=100, strict=True)]
Phrases = tuple[Phrase, ...]


class WordLists(Frozen):
    """Lists by what their words mean. A dump has those alone that are not empty."""

    @model_serializer(mode="wrap")
    def _without_empty(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: words for name, words in dump(self).items() if words}
