"""`bilderatlas museum paint`: the command line of the pretend museum."""

import argparse
import sys
from pathlib import Path

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


def main(args: argparse.Namespace) -> int:
    """Runs the chosen command and returns the exit status: 0 done, 2 bad input."""
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
