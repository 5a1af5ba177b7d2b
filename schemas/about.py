"""What only people know of a dataset: who made it and why, and what they answer to the questions of its datasheet."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from schemas.base import Filled, Frozen
from schemas.datasheet import question_keys
from schemas.phrases import did_you_mean, quoted

Answer = Annotated[str, Field(min_length=1, max_length=20_000)]
Word = Annotated[str, Field(min_length=1, max_length=100)]
Address = Annotated[str, Field(pattern=r"^https?://[^\s<>\"`]+$", max_length=2000)]
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
Task = Annotated[str, Field(pattern=r"^[a-z]+(-[a-z]+)+$", max_length=100)]


class About(Frozen):
    """What people say of their dataset, for its card, its datasheet and its Croissant file."""

    authors: tuple[Word, ...] = Field((), max_length=1000, description="Who made the dataset, one name each")
    contact: Filled | None = Field(None, max_length=1000, description="How one reaches whoever looks after it")
    homepage: Address | None = Field(None, description="Where it is published")
    paper: Address | None = Field(None, description="The paper or report that describes it")
    citation: Answer | None = Field(
        None, description="How to cite it, as BibTeX; null: name, version and digest of the release"
    )
    languages: tuple[Language, ...] = Field(
        (), max_length=100, description="Languages of titles and other words, each by its ISO 639 code, such as en"
    )
    tags: tuple[Word, ...] = Field((), max_length=100, description="More words by which it is found")
    tasks: tuple[Task, ...] = Field(
        (),
        max_length=100,
        description="More of Hugging Face's task categories, such as image-classification; those that follow from the "
        "release stand on the card by themselves",
    )
    annotators: Literal["expert-generated", "crowdsourced"] | None = Field(
        None, description="Who drew people's annotations, as Hugging Face calls it; null: not said"
    )
    limitations: Answer | None = Field(
        None, description="What one should know before using it, beside what the card says by itself"
    )
    answers: dict[str, Answer] = Field(
        default_factory=dict,
        description="Answers to the questions of the datasheet, by their keys (docs/datasheet.md); the build answers "
        "some itself, and what stands here follows",
    )

    @field_validator("answers")
    @classmethod
    def _known_questions(cls, value: dict[str, Any]) -> dict[str, Any]:
        keys = question_keys()
        for key in value:
            if key not in keys:
                hint = did_you_mean(key, keys)
                raise ValueError(f"expected a question of docs/datasheet.md, got {quoted(key)}{hint}")
        return value
