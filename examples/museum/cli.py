"""`bilderatlas museum paint`, `museum grade` and `museum serve`: the command line of the pretend museum."""

import argparse
import sys
from pathlib import Path
from typing import Any

BAD_INPUT = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the museum's commands to a parser."""
    commands = parser.add_subparsers(dest="museum_command", required=True, metavar="COMMAND")
    paint = commands.add_parser("paint", help="paint works with known figures, copies and faults into a folder")
    paint.add_argument(
        "folder", type=Path, metavar="FOLDER", help="where the museum goes: an empty folder or a new one"
    )
    paint.add_argument("--records", type=int, required=True, metavar="N", help="rows of the table, copies included")
    paint.add_argument("--seed", type=int, required=True, metavar="S", help="another seed, another museum")
    paint.add_argument(
        "--processes", type=int, default=None, metavar="P", help="painters at work (default: one per core)"
    )

    graded = commands.add_parser(
        "grade", help="how well a release parted copies from other works, by the museum's truth"
    )
    graded.add_argument("folder", type=Path, metavar="FOLDER", help="the museum")
    graded.add_argument("release", type=Path, metavar="RELEASE", help="a release built from it, or its `latest`")
    graded.add_argument(
        "--least-recall", type=float, default=0.95, metavar="R", help="below it the status is 1 (default: %(default)s)"
    )
    _add_serve(commands)


def _add_serve(commands: Any) -> None:
    served = commands.add_parser(
        "serve", help="the museum over HTTP on localhost, under the sources' host names and in their formats"
    )
    served.add_argument(
        "folder",
        type=Path,
        nargs="?",
        metavar="FOLDER",
        help="a painted museum or any images (default: none is needed)",
    )
    served.add_argument("--records", type=int, metavar="N", help="rows of a museum that lies nowhere (default: 1000)")
    served.add_argument("--seed", type=int, metavar="S", help="another seed, another museum (default: 0)")
    served.add_argument("--paintings", type=int, metavar="N", help="paint only N works, for all rows in turn")
    served.add_argument("--cache", type=Path, metavar="DIR", help="keep these paintings here for the next time")
    served.add_argument("--port", type=int, default=0, metavar="P", help="0: any that is free (default: %(default)s)")
    served.add_argument(
        "--faults", type=float, default=0.0, metavar="FRACTION", help="share of URLs that have each kind (default: 0)"
    )
    served.add_argument(
        "--fault-kinds", default="all", metavar="A,B", help="all, passing, lasting, names, images:NAME, answers:NAME"
    )
    served.add_argument("--fault-seed", type=int, default=0, metavar="S", help="another seed, other URLs (default: 0)")
    served.add_argument("--rate", type=float, metavar="R", help="requests a second that each host lets through")
    served.add_argument(
        "--disallow", action="append", default=[], metavar="HOST/PREFIX", help="what a host's robots.txt forbids"
    )
    served.add_argument("--log", type=Path, metavar="FILE", help="each request as a line of JSON")


def main(args: argparse.Namespace) -> int:
    """Runs the chosen command and returns the exit status: 0 done, 1 a grade is too low, 2 bad input."""
    commands = {"grade": _grade, "paint": _paint, "serve": _serve}
    return commands[args.museum_command](args)


def _serve(args: argparse.Namespace) -> int:
    from examples.museum.serve.command import run

    try:
        run(args)
    except ValueError as error:
        return _refused(str(error))
    except OSError as error:
        return _refused(f"cannot serve the museum: {error}")
    return 0


def _grade(args: argparse.Namespace) -> int:
    from examples.museum.grade import grade, lines_from_grade

    release = args.release
    try:
        if release.is_file():  # `latest` holds the newest version's name
            release = release.parent / release.read_text(encoding="utf-8").strip()
        found = grade(args.folder, release)
    except (OSError, UnicodeDecodeError) as error:
        return _refused(f"expected a museum and a release of it: {error}")
    sys.stdout.write("\n".join(lines_from_grade(found)) + "\n")
    return 0 if found.precision == 1.0 and found.recall >= args.least_recall else 1


def _paint(args: argparse.Namespace) -> int:
    # painting needs OpenCV, which nobody should wait for who only asks for help
    from examples.museum.folder import write_museum

    try:
        write_museum(
            args.folder, args.records, args.seed, args.processes, _show_progress if sys.stderr.isatty() else None
        )
    except ValueError as error:
        return _refused(str(error))
    except OSError as error:
        return _refused(f"cannot write a museum to {args.folder}: {error.strerror or error}")
    sys.stdout.write(f"museum: {args.folder} ({args.records} records, seed {args.seed})\n")
    return 0


def _refused(why: str) -> int:
    sys.stderr.write(f"bilderatlas museum: {why}\n")
    return BAD_INPUT


def _show_progress(done: int, total: int) -> None:
    sys.stderr.write(f"\rpainted {done} of {total}{chr(10) if done == total else ''}")
    sys.stderr.flush()
