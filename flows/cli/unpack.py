"""`bilderatlas unpack`: a release's images as files, for readers of COCO."""

import argparse
from typing import TYPE_CHECKING

from flows.cli.arguments import add_command

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command."""
    parser = add_command(
        commands, "unpack", unpack, "lay out the images of a release as files, beside COCO files that name them"
    )
    parser.add_argument(
        "release", metavar="RELEASE", help="folder or URL of a release, or of the file `latest` beside the versions"
    )
    parser.add_argument(
        "folder", metavar="DIR", help="an empty or new folder, or one into which that release was unpacked before"
    )
    parser.add_argument(
        "--split", action="append", default=[], metavar="SPLIT", help="only this split; may be repeated (default: all)"
    )
    parser.add_argument(
        "--store", metavar="URL", help="store in which it was built; needed if the release holds no images itself"
    )
    parser.add_argument(
        "--flavour",
        choices=("release", "source", "popart"),
        default="release",
        help="release: images by their ids, with the release's COCO files (default); source: the COCO files that came "
        "with its sources, given back, and images under their names there; popart: COCO files and names of files as "
        "PoPArt has them",
    )
    parser.add_argument(
        "--links",
        action="store_true",
        help="hard-link images that are files already (media, blobs) where the file system can, and copy the others",
    )


def unpack(arguments: argparse.Namespace) -> int:
    """Unpack, and print what was done."""
    from tasks.unpack import unpack

    done = unpack(
        arguments.release,
        arguments.folder,
        arguments.split,
        arguments.store,
        flavour=arguments.flavour,
        is_linked=arguments.links,
    )
    print(done)
    return 0
