"""`unpack` killed at any moment, in every layout: what it has when it was started again is what it has undisturbed.

    python -m benchmarks.formats_kills --work FOLDER [--records 20000] [--kills 10] [--archive-kills 10] [--seed 1]

FOLDER keeps the release, which is drawn and built once (`benchmarks/formats_release.py`); what is unpacked is removed.
Each layout is unpacked undisturbed, then into another folder, where it is killed by SIGKILL and started again, so many
times for each layout, at moments that are drawn evenly from the beginning of the folder to the end of the undisturbed
run. Where a run that went on ends before its moment, its folder is compared and removed, and the next begins anew. One
kill more is for the moment at which the receipt is there.

Wrong is: a run that fails; after a kill, a file of another size under its name, and a receipt beside half a folder;
at the end, a file, folder or archive that is missing, another one, or too many (also in `.unpacking`), and another
receipt. Archives (tar, tar.gz, LMDB) are compared by what is in them; whether their bytes are equal, too, is counted.

`peak_mb` is the most memory of any run, killed or not, with all processes that it has started.
"""

import argparse
import functools
import json
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.folder_contents import contents_of, different, digest_of, sizes_of
from benchmarks.formats_release import release_in
from benchmarks.killed import Ended, run_until
from benchmarks.results import write
from schemas.layouts import LAYOUTS

MOST_MB = 1500
RECEIPT, UNFINISHED = "unpacked.json", ".unpacking"
_SQUARES_PX = 64
_EXAMPLES = 3
_TRIES = 4
"""Runs for each kill that is wanted: some end before their moment."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder of the release, and of what is unpacked")
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=10, help="of each layout, beside one when the receipt is there")
    parser.add_argument("--archive-kills", type=int, help="of each layout that writes archives; default: as many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=[*options_by_layout()], help="some layouts alone")
    parser.add_argument("--out", type=Path, help="the result's file; default: benchmarks/results/formats-kills.json")
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    release = release_in(work, arguments.records)
    chosen = {name: of for name, of in options_by_layout().items() if name in (arguments.only or [name])}
    rows = []
    for name, options in chosen.items():
        chance = random.Random(f"{arguments.seed} {name}")
        campaign = Campaign(functools.partial(command, release, options), work / "unpacked", chance)
        rows.append({"layout": name, **campaign.row(arguments.kills, arguments.archive_kills)})
        print(rows[-1], flush=True)
    found = ratios(rows, arguments.records)
    write("formats-kills", rows, found, path=arguments.out)
    is_short = any(row["kills"] < row["wanted"] for row in rows)
    return 1 if found["wrong"] or found["peak_mb"] >= MOST_MB or is_short else 0


def ratios(rows: list[dict[str, Any]], records: int) -> dict[str, float]:
    """What all layouts come to."""
    names = ("wrong", "kills", "at_receipt", "archives", "other_bytes", "seconds")
    sums = {name: round(sum(row[name] for row in rows), 1) for name in names}
    return {**sums, "peak_mb": max(row["peak_mb"] for row in rows), "layouts": len(rows), "records": records}


def options_by_layout() -> dict[str, list[str]]:
    """What is unpacked: every layout, and squares."""
    found = {str(word): ["--layout", str(word)] for word in LAYOUTS}
    place = [*found].index("imagefolder") + 1
    squares = {f"imagefolder-{_SQUARES_PX}": ["--layout", "imagefolder", "--side-px", str(_SQUARES_PX)]}
    return dict([*found.items()][:place]) | squares | dict([*found.items()][place:])


def command(release: Path, options: list[str], folder: Path) -> list[str]:
    """The command that unpacks a release into a folder."""
    return [sys.executable, "-m", "flows.cli", "unpack", str(release), str(folder), *options]


class Campaign:
    """One layout: its undisturbed run, and those that are killed. unpack: the command that fills a folder."""

    def __init__(self, unpack: Callable[[Path], list[str]], scratch: Path, chance: random.Random) -> None:
        self._unpack, self._scratch, self._chance = unpack, scratch, chance
        self._folder = scratch / "killed"
        self._wrong: list[str] = []
        self._peak_mb, self._kills, self._other_bytes = 0.0, 0, set[str]()
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)

    def row(self, kills: int, archive_kills: int | None = None) -> dict[str, Any]:
        """What became of it. Prints what is wrong."""
        seconds, begun_s = self._undisturbed()
        archives = sum(entry.is_archive for entry in self._whole.values())
        kills = kills if archive_kills is None or not archives else archive_kills
        for _ in range(_TRIES * kills):
            if self._kills == kills:
                break
            self._kill_at(self._chance.uniform(begun_s, seconds))
        at_receipt = self._kill_at_receipt()
        self._check_whole(self._run(self._folder, lambda _: False), "at the end")
        shutil.rmtree(self._scratch)
        return {
            "files": sum(entry.bytes > 0 for entry in self._whole.values()),
            "archives": archives,
            "mb": round(sum(entry.bytes for entry in self._whole.values()) / 1e6, 1),
            "seconds": round(seconds, 1),
            "peak_mb": round(self._peak_mb),
            "wanted": kills,
            "kills": self._kills,
            "at_receipt": int(at_receipt),
            "wrong": len(self._wrong),
            "other_bytes": len(self._other_bytes),
            "digest": digest_of(self._whole)[:12],
        }

    def _undisturbed(self) -> tuple[float, float]:
        """Unpack it once, and note what is there then; its seconds, and those until the folder was begun."""
        folder, begun = self._scratch / "whole", list[float]()

        def is_now(seconds: float) -> bool:
            if not begun and (folder / UNFINISHED).exists():
                begun.append(seconds)
            return False

        ended = self._run(folder, is_now)
        if ended.status:
            raise SystemExit(f"expected a release that is unpacked, got status {ended.status}: {ended.said}")
        self._whole = contents_of(folder)
        self._receipt = json.loads((folder / RECEIPT).read_bytes())
        del self._whole[RECEIPT]
        shutil.rmtree(folder)
        return ended.seconds, min([*begun, ended.seconds])

    def _run(self, folder: Path, is_now: Callable[[float], bool], pause_s: float = 0.01) -> Ended:
        ended = run_until(self._unpack(folder), is_now, pause_s)
        self._peak_mb = max(self._peak_mb, ended.peak_mb)
        return ended

    def _kill_at(self, moment_s: float) -> None:
        ended = self._run(self._folder, lambda seconds: seconds >= moment_s)
        if ended.was_killed:
            self._kills += 1
            self._check_half(f"killed at {moment_s:.2f} s")
        else:
            self._check_whole(ended, f"at its end before {moment_s:.2f} s")
            shutil.rmtree(self._folder)

    def _kill_at_receipt(self) -> bool:
        """Let a run go on until the receipt is there, and kill it then; whether it was hit: what is removed behind the
        receipt was still there.
        """
        receipt, unfinished = self._folder / RECEIPT, self._folder / UNFINISHED
        was_away: list[bool] = []

        def is_now(_: float) -> bool:
            if not was_away:
                was_away.extend([True] * (unfinished.exists() and not receipt.exists()))
                return False
            return receipt.exists()

        ended = self._run(self._folder, is_now, pause_s=0.0001)
        if not ended.was_killed:
            self._check_whole(ended, "not killed at the receipt")
            return False
        is_hit = unfinished.exists()
        self._check_half("killed at the receipt")
        return is_hit

    def _check_half(self, when: str) -> None:
        """Of a folder whose run was killed: each file is whole under its name, and the receipt is the last of all."""
        sizes = {path: size for path, size in sizes_of(self._folder).items() if not path.startswith(f"{UNFINISHED}/")}
        has_receipt = sizes.pop(RECEIPT, None) is not None
        whole = {path: entry.bytes for path, entry in self._whole.items() if not entry.is_folder}
        half = [path for path, size in sizes.items() if whole.get(path) != size]
        self._tell(f"{when}: not whole: {half[:_EXAMPLES]}", bool(half))
        is_early = has_receipt and sizes != whole
        self._tell(f"{when}: a receipt beside {len(sizes)} files of {len(whole)}", is_early)

    def _check_whole(self, ended: Ended, when: str) -> None:
        """Of a folder whose run has ended: all is there, and nothing else."""
        self._tell(f"{when}: status {ended.status}: {ended.said}", ended.status != 0)
        found = contents_of(self._folder)
        receipt = self._folder / RECEIPT
        is_same = found.pop(RECEIPT, None) is not None and json.loads(receipt.read_bytes()) == self._receipt
        self._tell(f"{when}: another receipt, or none", not is_same)
        others = different(found, self._whole)
        self._tell(f"{when}: {len(others)} missing, others or too many: {others[:_EXAMPLES]}", bool(others))
        same = {*found} & {*self._whole} - {*others}
        self._other_bytes |= {path for path in same if found[path].sha256 != self._whole[path].sha256}

    def _tell(self, what: str, is_wrong: bool) -> None:
        if is_wrong:
            self._wrong.append(what)
            print("wrong:", what, flush=True)


if __name__ == "__main__":
    sys.exit(main())
