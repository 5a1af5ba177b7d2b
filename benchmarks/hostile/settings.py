"""Settings of evaluate and train, and command lines of every command, as nobody would type them."""

import functools
import json
import random
from collections.abc import Callable

import yaml

from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Scene, Wrong, one_by_one
from benchmarks.hostile.commands import run_command, run_here, wrong_ending
from benchmarks.hostile.pictures import drawing, encoded
from benchmarks.hostile.schema_paths import ODD_VALUES, Place, is_surely_wrong, places_of
from schemas.detect import Detect
from schemas.train import TrainDetector

_ANY, _BAD = frozenset({0, 1, 2, 3}), frozenset({2})
_ODD = (
    *("", " ", "-", "--", "=", "x", "0", "-1", "1.5", "1e9", "99999999999999999999", "nan", "inf", "NaN", "é", "💥"),
    *("a" * 5000, "\n", "\x1b[31m", "../..", "/", "/dev/null", "/dev/zero", "/etc/shadow", "/proc/self/mem", "~"),
    *("$HOME", "*", "{}", "[]", "null", "true", "file:///etc/passwd", "http://127.0.0.1:9/x"),
    *("s3://nobody-has-this/x", "memory://x", "ftp://127.0.0.1:9/x", "nope://x", "::", "a::b"),
    *("zip://x::/nowhere.zip", "latest", "museum", "cuda", "cuda:99", "cpu", "mps", "cuda:-1"),
)
_COMMANDS = (
    *("", "build", "plan", "scrape", "verify", "why", "purge", "evaluate", "evaluate detector", "train"),
    *("train detector", "settings", "museum", "museum paint", "museum grade", "museum nobody", "nobody"),
    *("--version", "--help", "-h", "build --help", "--nobody"),
)
_OPTIONS = (
    *("--store", "--bind", "--set", "--limit", "--workers", "--part-rows", "--device", "--dask", "--source"),
    *("--show", "--deep", "--record", "--date", "--reason", "--dry-run", "--alone", "--split", "--category", "--by"),
    *("--score", "--bootstrap", "--seed", "--results", "--detector", "--out", "--model", "--markdown", "--nobody"),
    *("--", "-v"),
)
_FIELDS = (
    *(("", "title"), ("", "description"), ("", "max_loss_fraction"), ("", "attributes"), ("fetch", "max_pixels")),
    *(("dedup", "radius_bits"), ("dedup", "drop_relations"), ("dedup", "prefer"), ("dedup", "verdicts")),
    *(("sample", "weight"), ("sample", "exactly"), ("split", "ratios"), ("split", "together"), ("split", "method")),
    *(("has-a-figure", "figures"), ("has-a-figure", "colour"), ("detect", "least_score"), ("export", "media")),
)
"""Labels of the museum's stages, none for the recipe itself, and settings of theirs."""
_DETECTORS = (
    *("", "=", "a", "a=", "=hog", "a=hog:", "a=hog,", "a=hog,x", "a=hog,x=1", "a=hog,least_score=2"),
    *("a=hog,least_score=.nan", "a=nobody:x", "a=yolox", "a=yolox:", "a=yolox:/nowhere.onnx", "a=yolox:/dev/zero"),
    *("a=yolox:/etc/passwd", "a=plain:/", "a b=hog", "a/b=hog", "é=hog", f"{'a' * 80}=hog", "a=hog,model=x"),
    *("a=hog,label=x", "a=hog,classes={}", "a=hog,classes={person: 0}", "a=hog,batch=0", "a=hog,images=/nowhere"),
    *("a=hog,least_score=[1", "a=hog,least_score=*x", "a=fasterrcnn_resnet50_fpn_v2:/nowhere"),
    *("a=hog,least_score=" + "9" * 5000, "a=hog:/x:/y", "a=hog,least_score=0.1,least_score=0.2"),
)


@functools.cache
def _train_places() -> list[Place]:
    return places_of(TrainDetector.model_json_schema())


@functools.cache
def _detect_places() -> list[Place]:
    return places_of(Detect.model_json_schema())


def _truth(scene: Scene) -> str:
    """A small COCO file with its image."""
    chance = random.Random(5)
    (scene.folder / "a.png").write_bytes(encoded(drawing((60, 50), "RGB", chance), "PNG"))
    document = {
        "images": [{"id": 1, "file_name": "a.png", "width": 60, "height": 50}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [5, 5, 20, 30], "area": 600, "iscrowd": 0}],
        "categories": [{"id": 1, "name": "person"}],
    }
    (scene.folder / "truth.json").write_text(json.dumps(document), encoding="utf-8")
    (scene.folder / "results.json").write_text(
        json.dumps([{"image_id": 1, "category_id": 1, "bbox": [5, 5, 20, 30], "score": 0.9}]), encoding="utf-8"
    )
    return str(scene.folder / "truth.json")


def _value(chance: random.Random) -> tuple[object, str]:
    value = chance.choice(ODD_VALUES)
    text = yaml.dump(value, default_flow_style=True, Dumper=yaml.Dumper, width=10**9)
    return value, text.removesuffix("\n").removesuffix("...").strip()


def _train(chance: random.Random, scene: Scene) -> tuple[list[str], frozenset[int], tuple[str, ...]]:
    """The truth is nowhere, so that nothing is ever trained: what is wrong with a setting is said before."""
    place = chance.choice(_train_places())
    value, text = _value(chance)
    path = ".".join(map(str, place.path))
    words = ["train", "detector", str(scene.folder / "nowhere.json"), "--set", f"{path}={text}"]
    is_wrong = is_surely_wrong(value, place.types)
    return words, _BAD, place.words if is_wrong else ()


def _evaluate(chance: random.Random, scene: Scene) -> tuple[list[str], frozenset[int], tuple[str, ...]]:
    words = ["evaluate", "detector", _truth(scene), "--results", f"a={scene.folder / 'results.json'}"]
    option = chance.choice(
        ("--score", "--bootstrap", "--seed", "--category", "--by", "--split", "--device", "--workers", "--images")
    )
    value = chance.choice(_ODD)
    is_large = option == "--bootstrap" and value == "99999999999999999999"
    return [*words, "--bootstrap", "0", option, value], _BAD if is_large else _ANY, ()


def _detector(chance: random.Random, scene: Scene) -> tuple[list[str], frozenset[int], tuple[str, ...]]:
    words = ["evaluate", "detector", _truth(scene), "--bootstrap", "0", "--detector"]
    if chance.random() < 0.5:
        return [*words, chance.choice(_DETECTORS)], _ANY, ()
    place = chance.choice([place for place in _detect_places() if len(place.path) == 1])
    value, text = _value(chance)
    is_wrong = is_surely_wrong(value, place.types) and "," not in text
    return [*words, f"a=hog,{place.path[0]}={text}"], _BAD if is_wrong else _ANY, ("a", place.words[0])


def _question(chance: random.Random, scene: Scene) -> tuple[list[str], frozenset[int], tuple[str, ...]]:
    release = f"{scene.built}/releases/museum/latest"
    odd = chance.choice(_ODD)
    words = chance.choice(
        (
            ["why", release, odd],
            ["why", odd, "museum:1"],
            ["verify", odd],
            ["verify", f"{release}/{odd}"],
            ["settings", odd],
            ["purge", odd, "--store", str(scene.folder / "s")],
            ["purge", "museum", "--store", odd, "--dry-run"],
            ["purge", "museum", "--store", str(scene.built), "--dry-run", "--record", odd],
            ["purge", "museum", "--store", str(scene.built), "--dry-run", "--record", "museum:1", "--date", odd],
            [
                "museum",
                "paint",
                str(scene.folder / "m"),
                "--records",
                odd if odd not in {"1e9", "99999999999999999999"} else "-5",
            ],
            ["museum", "paint", str(scene.folder / "m"), "--records", "3", "--seed", odd],
            ["museum", "grade", str(scene.museum), odd],
            ["museum", "grade", odd, release],
        )
    )
    return words, _ANY, ()


def _typed(chance: random.Random, scene: Scene) -> tuple[list[str], frozenset[int], tuple[str, ...]]:
    """Words in any order. Commands that would begin to serve or to paint much are not among them."""
    words = chance.choice(_COMMANDS).split()
    for _ in range(chance.randint(0, 5)):
        words.append(chance.choice(_OPTIONS if chance.random() < 0.5 else _ODD))
    if words[:1] in (["build"], ["plan"], ["scrape"]) and chance.random() < 0.5:
        words.insert(1, str(builds.RECIPE))
    return words, _ANY, ()


def _bound(chance: random.Random, scene: Scene) -> tuple[list[str], frozenset[int], tuple[str, ...]]:
    odd = chance.choice(_ODD)
    words = builds.museum_words(scene.built, scene.museum, "plan")
    more = chance.choice(
        (
            ["--bind", odd],
            ["--bind", f"images={odd}"],
            ["--bind", f"weights={odd}"],
            ["--bind", f"{odd}=x"],
            ["--bind", f"contact={odd}"],
            ["--bind", f"origins={odd}"],
            ["--workers", odd],
            ["--part-rows", odd],
            ["--limit", odd],
            ["--device", odd],
            ["--dask", odd],
        )
    )
    return [*words, *more], _ANY, ()


def _misspelled(chance: random.Random, scene: Scene) -> tuple[list[str], frozenset[int], tuple[str, ...]]:
    """A slip of the pen in a setting, or in a binding: the sentence says what was meant."""
    words = builds.museum_words(scene.built, scene.museum, "plan")
    if chance.random() < 0.3:
        name = chance.choice(("images", "weights"))
        slipped = _slip(name, chance)
        return (
            [word.replace(f"{name}=", f"{slipped}=", 1) if word.startswith(f"{name}=") else word for word in words],
            *(_BAD, (f"did you mean '{name}'?",)),
        )
    label, field = chance.choice(_FIELDS)
    change = f"{f'stages.{label}.' if label else ''}{_slip(field, chance)}=1"
    return [*words, "--set", change], _BAD, (f"did you mean '{field}'?",)


def _slip(word: str, chance: random.Random) -> str:
    """The word with two letters swapped, or one left out or doubled, as it is typed in a hurry."""
    while True:
        place = chance.randrange(1, len(word) - 1)
        swapped = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        slipped = chance.choice((swapped, word[:place] + word[place + 1 :], word[:place] + word[place] + word[place:]))
        if slipped != word:
            return slipped


_KINDS: tuple[Callable[[random.Random, Scene], tuple[list[str], frozenset[int], tuple[str, ...]]], ...] = (
    *(_train, _train, _evaluate, _evaluate, _detector, _detector, _question, _question, _typed, _typed, _bound),
    *(_bound, _misspelled),
)


def _case(number: int, chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    words, statuses, names = _KINDS[number % len(_KINDS)](chance, scene)
    if number % 60 == 59 and "\0" not in "".join(words):
        return f"{' '.join(words)[:160]!r}", wrong_ending(run_command(words, 120), statuses, names, seconds=60)
    ended = run_here(words, 90)
    return f"{' '.join(words)[:160]!r}", wrong_ending(ended, statuses, names)


FAMILY = Family(
    "settings", "settings of evaluate and train, command lines", 260, 4, one_by_one("settings", _case), limit_s=120
)
