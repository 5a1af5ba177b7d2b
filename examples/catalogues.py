"""Two small catalogues in the forms in which museums publish theirs: `python -m examples.catalogues FOLDER`.

carnegie/ is written as the Carnegie Museum of Art's open data are, tate/ as the Tate's: one JSON file for each work.
All that they say is made up; the pictures are noise, beside the files, where the museums have addresses.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

Work = Mapping[str, Any]


def carnegie_works() -> list[Work]:
    """Works with several images, several people with roles, and dates in words."""
    return [
        _carnegie(
            1,
            "Harbour in the Morning",
            "c. mid- to late-19th century",
            (None, None),
            2,
            [("Arent Vroom", "artist"), ("Lotte Haag & Sons", "publisher")],
            "Prints",
        ),
        _carnegie(
            2, "Chair", "1903-05", ("1903-01-01", "1905-01-01"), 3,
            [("Ida Brand", "designer"), ("Vienna Joinery", "manufacturer")], "Wood",
        ),
        _carnegie(3, "The Watchman", "before 1650", (None, None), 1, [("Rembrandt", "after")], "Prints"),
        _carnegie(4, "Lost Drawing", "date unknown", (None, None), 0, [("Ida Brand", None)], "Drawings"),
        _carnegie(5, "Bowl", "5th century BC", ("-0500-01-01", "-0401-01-01"), 1, [], "Ceramics"),
        _carnegie(
            6, "Villa by the Lake", "1929", ("1929-01-01", "1929-01-01"), 1,
            [("Family Lund", "architect's client"), ("Nils Holm", "architect")], "Architecture",
        ),
    ]  # fmt: skip


def tate_works() -> list[Work]:
    """Works with contributors, movements, a range of years and one thumbnail."""
    return [
        _tate("A00001", "Field with Poppies", [("Ida Brand", "artist")], (1912, 1912, "1912"), ["Expressionism"], None),
        _tate("A00002", "Two Bathers", [("Nils Holm", "artist"), ("Ida Brand", "artist")], (1890, 1899, "1890s"),
              ["Symbolism", "Pont-Aven School"], None),
        _tate("A00003", "Study of a Hand", [("Titian", "after")], None, [], None),
        _tate("A00004", "Night Train", [("Mara Voss", "artist")], (1965, 1965, "1965"), ["Pop Art"], "(c) Mara Voss"),
    ]  # fmt: skip


def write_catalogues(folder: Path) -> None:
    """Write both below the folder, with their pictures."""
    for work in carnegie_works():
        name = str(work["id"]).rpartition("/")[2]
        _write(folder / "carnegie" / "cmoa" / f"{name}.json", work)
        _paint(folder / "carnegie", [image["image_url"] for image in work["images"]])
    for work in tate_works():
        number = str(work["acno"]).lower()
        _write(folder / "tate" / "artworks" / number[0] / number[1:4] / f"{number}-{work['id']}.json", work)
        _paint(folder / "tate", [work["thumbnailUrl"]])


def _carnegie(
    number: int,
    title: str,
    date: str,
    years: tuple[str | None, str | None],
    images: int,
    people: Sequence[tuple[str, str | None]],
    classification: str,
) -> Work:
    return {
        "title": title,
        "creation_date": date,
        "creation_date_earliest": years[0],
        "creation_date_latest": years[1],
        "medium": "various",
        "accession_number": f"26.{number}",
        "id": f"cmoa:things/{number:08d}",
        "department": "Fine Arts",
        "web_url": f"https://museum.example/works/{number}",
        "classification": classification,
        "images": [{"image_url": f"pictures/{number}-{image}.png"} for image in range(1, images + 1)],
        "creator": [
            {"artist_id": f"cmoa:parties/{name}", "party_type": "Person", "full_name": name, "role": role,
             "nationality": None, "birth_date": None}
            for name, role in people
        ],
    }  # fmt: skip


def _tate(
    number: str,
    title: str,
    people: Sequence[tuple[str, str]],
    years: tuple[int, int, str] | None,
    movements: Sequence[str],
    copyright_line: str | None,
) -> Work:
    return {
        "acno": number,
        "all_artists": ", ".join(name for name, _ in people),
        "classification": "on paper, unique",
        "contributorCount": len(people),
        "contributors": [
            {"fc": name, "mda": name, "role": role, "displayOrder": at} for at, (name, role) in enumerate(people, 1)
        ],
        "dateRange": years and {"startYear": years[0], "endYear": years[1], "text": years[2]},
        "dateText": years[2] if years else "date not known",
        "id": int(number[1:]),
        "movements": [
            {"id": at, "name": name, "era": {"id": 8, "name": "20th century"}} for at, name in enumerate(movements)
        ],
        "thumbnailCopyright": copyright_line,
        "thumbnailUrl": f"pictures/{number}.png",
        "title": title,
        "url": f"https://museum.example/{number.lower()}",
    }


def _write(path: Path, work: Work) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(work, indent=2, ensure_ascii=False), encoding="utf-8")


def _paint(folder: Path, names: Sequence[str]) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        seed = int.from_bytes(f"{folder.name}/{name}".encode(), "big")
        small = np.random.default_rng(seed).integers(0, 255, (6, 6, 3), np.uint8)
        Image.fromarray(small).resize((96, 72), Image.Resampling.BICUBIC).save(folder / name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where to write carnegie/ and tate/")
    write_catalogues(parser.parse_args().folder)
