"""Flows that Prefect runs beside `build_dataset`: each is what the function says that it is made of."""

from collections.abc import Callable
from typing import Any

from prefect import Flow, flow

from flows.evaluate.classification import evaluate_classification as _classification
from flows.evaluate.detector import evaluate_detector as _detector
from flows.evaluate.generation import evaluate_generation as _generation
from flows.evaluate.keypoints import evaluate_keypoints as _keypoints
from flows.evaluate.raters import evaluate_raters as _raters
from flows.evaluate.recognition import evaluate_recognition as _recognition
from flows.evaluate.sketches import evaluate_sketches as _sketches
from flows.runner import cluster_address, runner
from flows.train import train_detector as _train_detector


def _flow(function: Callable[..., Any], **more: Any) -> Flow[..., Any]:
    made: Flow[..., Any] = flow(name=function.__name__, persist_result=False, **more)(function)
    return made


evaluate_classification = _flow(_classification)
evaluate_detector = _flow(_detector, task_runner=runner(cluster_address()))
evaluate_generation = _flow(_generation)
evaluate_keypoints = _flow(_keypoints)
evaluate_raters = _flow(_raters)
evaluate_recognition = _flow(_recognition)
evaluate_sketches = _flow(_sketches)
train_detector = _flow(_train_detector)
