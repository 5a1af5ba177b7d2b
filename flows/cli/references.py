"""`bilderatlas settings`, `schema` and `contract diff`: what may be set, what a table holds, what is promised."""

from typing import Annotated, Literal

from flows.parameters import Argument


def settings(word: Annotated[str, Argument("STAGE|SOURCE|all")] | None = None, markdown: bool = False) -> None:
    """List every setting with its type, unit, range, default and reason.

    Args:
        word: A stage, a source, recipe, train, evaluate, or all; by default, list these words.
        markdown: Print a Markdown page, as in docs/settings.md.

    """
    from flows import settings_reference as reference

    if word or markdown:
        sections = reference.sections_of(word or "all")
        print(reference.markdown_of(sections) if markdown else reference.text_of(sections))
    else:
        print(reference.overview())


def schema(
    word: Annotated[str, Argument("recipe|TABLE")] | None = None, form: Literal["text", "json", "odcs"] | None = None
) -> None:
    """Print what a recipe, or a table of a release, may hold: for people and for editors.

    Args:
        word: Recipe, images, annotations, ledger ...; by default, list these.
        form: Text for people, a JSON Schema, or the table's data contract; by default json for recipe, else text.

    """
    from tasks.schema import schema

    print(schema(word, form))


def contract_diff(old: Annotated[str, Argument("OLD")], new: Annotated[str, Argument("NEW")]) -> int:
    """Say whether readers of the old contract could read by the new one. The status is 1 where a change breaks them
    without a new major version.

    Args:
        old: A contract, a folder of contracts, or a release.
        new: A contract, a folder of contracts, or a release.

    """
    from tasks.contract import compare

    found = compare(old, new)
    print(found.text)
    return 0 if found.is_allowed else 1
