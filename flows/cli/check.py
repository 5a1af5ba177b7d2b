"""`bilderatlas verify` and `why`: questions to a release that is already published."""

from typing import TYPE_CHECKING, Annotated

from flows.cli.arguments import add_command
from flows.parameters import Argument, Option, Release, Store
from schemas.errors import BadInput

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the two commands."""
    add_command(commands, "verify", verify)
    add_command(commands, "why", why)


def verify(release: Release, deep: bool = False) -> int:
    """Check a release: digests, contract, counts, copies across splits.

    Args:
        release: Folder or URL of a release, or of the file `latest` beside the versions.
        deep: Also decode every image and measure it again.

    """
    from tasks.verify import verify

    found = verify(release, is_deep=deep)
    print(found.text)
    return 0 if found.is_good else 1


def why(
    release: Release | None = None,
    record_id: Annotated[str, Argument("RECORD_ID")] | None = None,
    last: bool = False,
    store: Store = "./store",
    dataset: Annotated[str, Option("NAME")] | None = None,
) -> int:
    """Show what each stage decided about one record.

    Args:
        release: Folder or URL of a release, or of the file `latest` beside the versions; not with --last.
        record_id: <source>:<key>, such as museum:1876.46.28.
        last: Ask the last build, also if it was refused, instead of a release; without RECORD_ID: all reasons, with
            examples.
        store: With --last: folder or fsspec URL of the store.
        dataset: With --last: which dataset, if the store has several.

    """
    from tasks.why import why, why_last

    given = [text for text in (release, record_id) if text is not None]
    if last:
        if len(given) > 1:
            raise BadInput(f"why --last: expected at most a RECORD_ID, got {' '.join(given)}")
        print(why_last(store, dataset, given[0] if given else None))
        return 0
    if len(given) < 2:
        raise BadInput(f"why: expected RELEASE RECORD_ID, or --last, got {' '.join(given) or 'nothing'}")
    if dataset is not None:
        raise BadInput("--dataset: expected --last with it, got a release")
    print(why(*given))
    return 0
