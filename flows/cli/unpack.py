"""`bilderatlas unpack`: a release's images as files, for readers of COCO."""

from typing import TYPE_CHECKING, Annotated, Literal

from flows.cli.arguments import add_command
from flows.parameters import Argument, Option, Release

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command."""
    add_command(commands, "unpack", unpack)


def unpack(
    release: Release,
    folder: Annotated[str, Argument("DIR")],
    splits: Annotated[list[str], Option("SPLIT", "--split")] | None = None,
    store: Annotated[str, Option("URL")] | None = None,
    flavour: Literal["release", "source", "popart"] = "release",
    links: bool = False,
) -> int:
    """Lay out the images of a release as files, beside COCO files that name them.

    Args:
        release: Folder or URL of a release, or of the file `latest` beside the versions.
        folder: An empty or new folder, or one into which that release was unpacked before.
        splits: Only this split; by default all.
        store: Store in which it was built; needed if the release holds no images itself.
        flavour: release: images by their ids, with the release's COCO files; source: the COCO files that came with its
            sources, given back, and images under their names there; popart: COCO files and names of files as PoPArt has
            them.
        links: Hard-link images that are files already (media, blobs) where the file system can, and copy the others.

    """
    from tasks.unpack import unpack

    print(unpack(release, folder, splits or [], store, flavour=flavour, is_linked=links))
    return 0
