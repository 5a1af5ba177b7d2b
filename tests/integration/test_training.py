"""Training on the museum: it learns, it goes on where it was killed and ends in the same bits, and nothing is trained
twice.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

pytest.importorskip("torchvision")

from examples.museum.folder import write_museum
from flows.cli import main
from flows.evaluate.detector import evaluate_detector
from flows.training import settings_of, training_data
from schemas.errors import BadInput
from schemas.manifests import Context
from tasks.io.detectors.torchvision_models import read_weights
from tasks.train import TrainingResult, train
from tests.support.desk import ROOT, MadeOnce

SMALL = [
    "batch=8",
    "accumulate=1",
    "optimizer=adamw",
    "learning_rate=0.003",
    "weight_decay=0.02",
    "schedule=one_cycle",
    "least_side_px=96",
    "most_side_px=96",
    "detect_scale=1.3",
    "threads=1",
    "precision=float32",
    "augment.flip=0.5",
]


@pytest.fixture(scope="session")
def learnt_from(made_once: MadeOnce) -> Path:
    return made_once("museum-train", lambda folder: write_museum(folder, 400, 510_511, processes=1))


@pytest.fixture(scope="session")
def exam(made_once: MadeOnce) -> Path:
    """Works of a seed that no training has seen."""
    return made_once("museum-exam", lambda folder: write_museum(folder, 120, 61_007, processes=1))


def truth_of(museum: Path) -> str:
    return str(museum / "truth/annotations.json")


def few_of(museum: Path, images: int, folder: Path) -> Path:
    """A COCO file of the museum's first images."""
    said = json.loads(Path(truth_of(museum)).read_text(encoding="utf-8"))
    said["images"] = said["images"][:images]
    ids = {image["id"] for image in said["images"]}
    said["annotations"] = [box for box in said["annotations"] if box["image_id"] in ids]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "few.json"
    path.write_text(json.dumps(said), encoding="utf-8")
    return path


def trained(
    truth: Path | str, museum: Path, store: Path, *changes: str, exam: Path | None = None, **bound: str
) -> TrainingResult:
    """exam: another museum, or a COCO file of the same one."""
    examined = (str(exam), str(museum)) if exam and exam.suffix else (exam and truth_of(exam), exam and str(exam))
    lessons = training_data(str(truth), str(museum), None, *examined, None)
    context = Context(store=str(store), bindings=bound, workers=1, device="cpu")
    return train.fn(settings_of("fcos_small", [*SMALL, *changes]), lessons, context)


@pytest.mark.live
def test_the_loss_falls_and_the_exam_goes_better(learnt_from, exam, tmp_path):
    first = trained(truth_of(learnt_from), learnt_from, tmp_path, "epochs=9", "evaluate_every=3", exam=exam)
    rows = pq.read_table(tmp_path / Path(first.weights).parent / "curves.parquet").to_pylist()
    losses = [row["value"] for row in rows if row["name"] == "loss"]
    fifth = len(losses) // 5
    assert sum(losses[-fifth:]) < 0.85 * sum(losses[:fifth])
    scores = [scores["AP50"] for scores in first.metrics["evaluations"]]
    assert len(scores) == 3
    assert scores[-1] > max(0.05, 1.5 * scores[0])  # what has learnt nothing gets 0.01
    assert {row["name"] for row in rows} >= {"AP", "AP50", "s", "learning_rate", "loss/classification"}
    assert (tmp_path / Path(first.weights).parent / "curves.svg").read_text(encoding="utf-8").startswith("<svg")


CHILD = """
import sys
from pathlib import Path
from tests.integration.test_training import trained
truth, museum, store = sys.argv[1:4]
trained(truth, Path(museum), Path(store), *sys.argv[4:], exam=Path(truth))
"""
TINY = ("epochs=3", "checkpoint_every_steps=1", "learning_rate=0.001", "augment.jpeg=1", "augment.blur=1")


def killed_at(steps: int, *words: str, store: Path) -> None:
    """Train in a child process and kill it as soon as so many steps are in a checkpoint."""
    child = subprocess.Popen([sys.executable, "-c", CHILD, *words], cwd=ROOT, start_new_session=True)
    until_s = time.monotonic() + 120
    while not [path for path in store.glob("trainings/*/checkpoints/*") if int(path.name[:9]) >= steps]:
        assert child.poll() is None, "the child ended before it was killed"
        assert time.monotonic() < until_s
        time.sleep(0.01)
    os.killpg(child.pid, signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL


def content_of(store: Path, weights: str) -> tuple[bytes, bytes, list[dict[str, object]]]:
    """Weights, metrics, curves without the clock."""
    folder = store / Path(weights).parent
    rows = pq.read_table(folder / "curves.parquet").to_pylist()
    return (
        (store / weights).read_bytes(),
        (folder / "metrics.json").read_bytes(),
        [row for row in rows if row["name"] != "s"],
    )


@pytest.mark.live
def test_killed_and_resumed_it_ends_as_if_nothing_had_been(exam, tmp_path):
    truth = few_of(exam, 40, tmp_path)
    straight = trained(truth, exam, tmp_path / "a", *TINY, exam=truth)
    killed_at(6, str(truth), str(exam), str(tmp_path / "b"), *TINY, store=tmp_path / "b")
    newest = max((tmp_path / "b").glob("trainings/*/checkpoints/*"))
    newest.write_bytes(newest.read_bytes()[:-100])  # and the disk had not written all of the last
    resumed = trained(truth, exam, tmp_path / "b", *TINY, exam=truth)
    assert resumed.metrics["steps"] == 15
    assert resumed.weights == straight.weights
    assert content_of(tmp_path / "a", straight.weights) == content_of(tmp_path / "b", resumed.weights)
    assert not list((tmp_path / "b").glob("trainings/*/checkpoints/*"))


def test_a_second_time_nothing_is_trained_and_lost_weights_are_made_again(exam, tmp_path):
    truth = few_of(exam, 8, tmp_path)
    once = trained(truth, exam, tmp_path, "epochs=1")
    again = trained(truth, exam, tmp_path, "epochs=1", "checkpoint_every_steps=7")
    assert (once.is_new, again.is_new) == (True, False)
    assert again.metrics == once.metrics
    assert again.metrics["evaluations"] == []
    metrics = (tmp_path / once.weights).with_name("metrics.json")
    for file, data in (
        (tmp_path / once.weights, b"half"),
        (metrics, b"[]"),
        (metrics, metrics.read_bytes().replace(b'"steps": 1', b'"steps": 2')),
    ):
        file.write_bytes(data)
        third = trained(truth, exam, tmp_path, "epochs=1")
        assert (third.is_new, third.metrics) == (True, once.metrics)
    other = trained(truth, exam, tmp_path, "epochs=1", "seed=1")
    assert other.weights != once.weights
    assert other.metrics["model_sha256"] != once.metrics["model_sha256"]


def test_it_goes_on_from_weights_and_notes_an_exam_that_flatters(exam, tmp_path):
    truth = few_of(exam, 8, tmp_path)
    once = trained(truth, exam, tmp_path, "epochs=1")
    _, told = read_weights((tmp_path / once.weights).read_bytes(), "weights")
    assert told is not None
    assert (told.model, told.categories, told.most_side_px) == ("fcos_small", ("person",), 125)  # 1.3 x 96
    changes = ("epochs=1", "start=start", "warm_up_steps=0")
    more = trained(truth, exam, tmp_path, *changes, exam=exam, start=str(tmp_path / once.weights))
    assert more.weights != once.weights
    assert any("8 images are used for training and for evaluation" in note for note in more.notes)


def test_evaluate_gives_the_file_the_scores_of_the_trainings_own_exam(exam, tmp_path):
    """The same boxes through the product's other door, to the last digit."""
    few = few_of(exam, 30, tmp_path)
    once = trained(few, exam, tmp_path, "epochs=6", "evaluate_every=6", exam=exam)
    asked = [f"small=fcos_small:{tmp_path / once.weights}"]
    evaluate_detector(
        truth_of(exam),
        str(exam),
        detectors=asked,
        store=str(tmp_path),
        out=str(tmp_path / "out"),
        bootstrap=0,
        device="cpu",
    )
    rows = pq.read_table(tmp_path / "out/scores.parquet").to_pylist()
    theirs = {row["metric"]: row["value"] for row in rows}
    ours = once.metrics["evaluations"][-1]
    assert ours["AP50"] > 0
    assert {name: ours[name] for name in ("AP", "AP50", "AP75", "APM")} == pytest.approx(
        {name: theirs[name] for name in ("AP", "AP50", "AP75", "APM")}, abs=1e-12
    )


WRONG = [
    pytest.param(["--model", "yolo"], "expected one of", id="no such model"),
    pytest.param(["--set", "epochs=0"], "epochs: expected 1 or more, got 0", id="no epoch"),
    pytest.param(["--set", "epochs"], "--set: expected field=VALUE, got 'epochs'", id="no value"),
    pytest.param(
        ["--set", "epochs.more=1", "--set", "epochs=2", "--set", "epochs.x=1"], "expected 'epochs' in", id="no group"
    ),
    pytest.param(["--set", "category=horse"], "expected a category 'horse'", id="nobody of that category"),
    pytest.param(["--split", "train"], "expected images of split 'train'", id="no such split"),
    pytest.param(["--set", "start=start"], "expected --bind start=VALUE, got none", id="no weights bound"),
    pytest.param(["--bind", "start={truth}"], "expected a file of weights", id="no weights in the file"),
    pytest.param(["--bind", "start={truth}.not"], "expected a file, got", id="no file"),
    pytest.param(["--set", "learning_rate=1e+30"], "lower learning_rate", id="a loss that is no number"),
]


@pytest.mark.parametrize(("words", "problem"), WRONG)
def test_bad_input_is_one_sentence(exam, tmp_path, words, problem):
    truth = few_of(exam, 30, tmp_path)
    said = [word.format(truth=truth) for word in words]
    changes = [said[place + 1] for place, word in enumerate(said) if word == "--set"]
    bound = dict(word.split("=", 1) for place, word in enumerate(said) if said[place - 1] == "--bind")
    model = said[said.index("--model") + 1] if "--model" in said else "fcos_small"
    lessons = training_data(str(truth), str(exam), "train" if "--split" in said else None, None, None, None)
    context = Context(store=str(tmp_path / "store"), bindings=bound, device="cpu")
    start = ["start=start"] if bound else []
    with pytest.raises(BadInput, match=problem):
        train.fn(settings_of(model, [*SMALL, "epochs=1", *start, *changes]), lessons, context)


def test_crowds_alone_teach_nothing(exam, tmp_path):
    truth = few_of(exam, 8, tmp_path)
    said = json.loads(truth.read_text(encoding="utf-8"))
    said["annotations"] = [{**box, "iscrowd": 1} for box in said["annotations"]]
    truth.write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(BadInput, match="few: expected figures of 'person', got nothing but crowds"):
        trained(truth, exam, tmp_path)


def test_releases_have_their_splits_and_files_no_exam_of_their_own():
    url = "s/releases/x/latest"
    assert training_data(url, None, None, None, None, None) == (((url, None, "train"),), (url, None, "val"))
    assert training_data("t.json", "i", None, None, None, None) == ((("t.json", "i", None),), None)
    assert training_data("t.json", "i", "a", None, None, "b") == ((("t.json", "i", "a"),), ("t.json", "i", "b"))
    assert training_data("t.json", "i", None, "u.json", None, None) == (
        (("t.json", "i", None),),
        ("u.json", None, None),
    )


@pytest.mark.live
@pytest.mark.server
def test_the_command_trains_writes_the_weights_and_says_where(prefect_server, exam, tmp_path, capsys):
    truth, out = few_of(exam, 8, tmp_path), tmp_path / "out/figures.safetensors"
    words = ["train", "detector", str(truth), "--images", str(exam), "--model", "fcos_small", "--store", str(tmp_path)]
    for change in [*SMALL, "epochs=1"]:
        words += ["--set", change]
    assert main([*words, "--out", str(out)]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"weights: {out}"
    (kept,) = tmp_path.glob("trainings/*/model.safetensors")
    assert kept.read_bytes() == out.read_bytes()
    assert main([*words, "--set", "category=horse"]) == 2
    assert "expected a category 'horse'" in capsys.readouterr().err
    store = tmp_path / "trainings"
    before = list(store.iterdir())
    for wrong in (tmp_path, few_of(exam, 8, tmp_path) / "below.safetensors"):
        assert main([*words, "--set", "seed=5", "--out", str(wrong)]) == 2
        assert "--out: expected a file that can be written" in capsys.readouterr().err
    assert list(store.iterdir()) == before  # told before anything was trained


def test_one_model_is_asked_for():
    with pytest.raises(BadInput, match="--set model=fcos_small: expected one model, got --model ssd300_vgg16 too"):
        settings_of("ssd300_vgg16", ["model=fcos_small"])
    with pytest.raises(BadInput, match=r"^model: expected one of .*, got 'yolo'$"):
        settings_of("yolo", [])
