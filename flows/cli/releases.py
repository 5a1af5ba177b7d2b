"""What people ask of a release, and take from it; and what leaves a store (`prune`, `purge`)."""

from collections.abc import Callable
from typing import Annotated

from annotated_types import Ge, Le

from flows.parameters import (
    Against,
    Argument,
    Attributes,
    Categories,
    Count,
    Day,
    Deep,
    Doc,
    Expect,
    Folder,
    Option,
    Out,
    RadiusBits,
    Release,
    Store,
    Whole,
    documented,
)
from schemas.errors import BadInput
from schemas.layouts import FilterWord, LayoutWord, Light, layouts_help


@documented
def verify(
    release: Release,
    deep: Deep = False,
    expect: Expect | None = None,
    against: Against | None = None,
    radius_bits: RadiusBits | None = None,
    out: Folder | None = None,
) -> int:
    """Check a release: digests, contract, counts, copies across splits, and images that other datasets have, too.

    Args:
        out: With --against: write the images in common into this folder, as overlaps.parquet and overlaps.html.

    """
    from tasks.verify import verify, write

    for option, is_given in (("--radius-bits", radius_bits is not None), ("--out", out is not None)):
        if is_given and not against:
            raise BadInput(f"verify {option}: expected --against with it, got none")
    found = verify(release, is_deep=deep, expected_sha256=expect, against=against or [], radius_bits=radius_bits)
    print(found.text)
    if out is not None:
        write(found, out)
    return 0 if found.is_good else 1


def why(
    release: Release | None = None,
    record_id: Annotated[str, Argument("RECORD_ID")] | None = None,
    last: bool = False,
    store: Store = "./store",
    dataset: Annotated[str, Option("NAME")] | None = None,
) -> None:
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
        return
    if len(given) < 2:
        raise BadInput(f"why: expected RELEASE RECORD_ID, or --last, got {' '.join(given) or 'nothing'}")
    if dataset is not None:
        raise BadInput("--dataset: expected --last with it, got a release")
    print(why(*given))


def diff(
    before: Annotated[str, Argument("OLDER")],
    after: Annotated[str, Argument("NEWER")],
    out: Folder | None = None,
    json: bool = False,
    exit_code: bool = False,
) -> int:
    """Show what changed between two releases, and why.

    Args:
        before: Folder or URL of the older release, or of the file `latest` beside the versions.
        after: Folder or URL of the newer release, or of the file `latest` beside the versions.
        out: Also write changes.parquet, diff.html, summary.json, and the list of what others should remove from their
            copies (opt-outs.parquet, opt-outs.txt) into this folder.
        json: Print the summary as JSON.
        exit_code: End with status 1 if a record, or what a COCO file says of all, has changed.

    """
    from tasks.diff import diff, write

    found = diff(before, after)
    if out is not None:
        write(found, out)
    print(found.json if json else found.text)
    return int(exit_code and not found.facts["is_equal"])


@documented
def statistics(
    truths: Annotated[list[str], Argument("TRUTH")],
    by: Attributes | None = None,
    categories: Categories | None = None,
    without_crowds: bool = False,
    out: Out | None = None,
) -> None:
    """Show what datasets hold, side by side, by the papers' tables: images, figures, overlaps, sizes, artists, splits.

    Args:
        truths: A release (its folder or URL, or its name's `latest`), a COCO JSON file, or a folder with PASCAL VOC's
            Annotations.
        categories: Boxes of these categories count as figures, by default those of all.
        without_crowds: Leave crowds out of the figures; without it, a crowd counts as one.

    """
    from tasks.statistics import statistics

    found = statistics(truths, by=by or (), categories=categories, has_crowds=not without_crowds)
    if out is not None:
        found.write(out)
    print(found, end="")


@documented
def unpack(
    release: Release,
    folder: Annotated[str, Argument("DIR")],
    splits: Annotated[list[str], Option("SPLIT", "--split")] | None = None,
    store: Annotated[str, Option("URL")] | None = None,
    layout: Annotated[LayoutWord, Doc(f"How the files lie. {layouts_help()}.")] = "release",
    side_px: Annotated[int, Ge(1), Le(10_000)] | None = None,
    rights: Annotated[list[str], Option("RIGHTS", "--rights")] | None = None,
    filter: FilterWord = "robidoux",
    light: Light = "levels",
    links: bool = False,
    as_stored: bool = False,
) -> None:
    """Lay out the images of a release as files, beside files that say what is in them.

    Args:
        folder: An empty or new folder, or one into which that release was unpacked before.
        splits: Only this split; by default all.
        store: Store in which it was built; needed if the release holds no images itself.
        side_px: For imagefolder: squares of so many pixels, cut from the middle, as PNG.
        rights: Only images with these rights: public_domain, open, or the beginning of a URI; may be repeated.
        filter: For what is drawn anew (cifar, met, and imagefolder with --side-px): the filter of ArtBench's squares,
            a sharper one, or one of Pillow's.
        light: What that filter averages: levels, or light.
        links: Hard-link images that are files already (media, blobs) where the file system can, and copy the others.
        as_stored: Leave pictures that lie on their side as they are; without it they are turned upright and written as
            PNG, with the same pixels. Layout source leaves them.

    """
    from schemas.formats import format_of
    from tasks.unpack import unpack

    told = unpack(
        release,
        folder,
        splits or [],
        store,
        layout=format_of(layout, side_px=side_px, rights=rights, filter=filter, light=light),
        is_linked=links,
        is_as_stored=as_stored,
    )
    print(told)


@documented
def prune(
    name: Annotated[str, Argument("NAME|all")],
    store: Store = "./store",
    keep: Count = 2,
    keep_since: Day | None = None,
    grace_days: Whole = 14,
    do: bool = False,
) -> None:
    """Remove old releases from a store, and images and tables that nobody needs any more.

    Args:
        name: The dataset's name, or all datasets of the store.
        keep: Keep the newest N releases of each dataset.
        keep_since: Also keep releases written on that day or later.
        grace_days: Keep whatever is younger than so many days.
        do: Remove it; without it, only show what would be removed.

    """
    from tasks.prune import prune

    print(prune(name, store, keep, keep_since, grace_days, is_dry=not do))


@documented
def purge(
    name: Annotated[str, Argument("NAME")],
    store: Store = "./store",
    record: Annotated[list[str], Option("ID")] | None = None,
    alone: bool = False,
    reason: Annotated[str, Option("TEXT")] = "",
    date: Day | None = None,
    dry_run: bool = False,
) -> None:
    """Remove the bytes and fields of taken-down records from a store and its releases.

    Args:
        name: The dataset's name.
        record: Purge this record; by default all records that the newest release lists as taken down.
        alone: Purge only the records given by --record and keep copies of the same work, one of which may replace them.
        reason: Reason to write into the tombstones of --record, which need one.
        date: Date to write into the tombstones of --record; by default today.
        dry_run: Show what would be removed, and remove nothing.

    """
    from tasks.purge import purge

    print(purge(name, store, record or [], reason, date, is_dry=dry_run, is_alone=alone))


COMMANDS: tuple[Callable[..., int | None], ...] = (verify, why, diff, statistics, unpack, prune, purge)
