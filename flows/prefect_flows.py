"""Flows that Prefect runs beside `build_dataset`: each is what the function says that it is made of."""

from collections.abc import Callable
from typing import Any

from prefect import Flow, flow

from flows import train
from flows.evaluate import detector, protocols
from flows.runner import cluster_address, runner


def _flow(function: Callable[..., Any], **more: Any) -> Flow[..., Any]:
    made: Flow[..., Any] = flow(name=function.__name__, persist_result=False, **more)(function)
    return made


evaluate_classification = _flow(protocols.evaluate_classification)
evaluate_detector = _flow(detector.evaluate_detector, task_runner=runner(cluster_address()))
evaluate_generation = _flow(protocols.evaluate_generation)
evaluate_keypoints = _flow(protocols.evaluate_keypoints)
evaluate_raters = _flow(protocols.evaluate_raters)
evaluate_recognition = _flow(protocols.evaluate_recognition)
evaluate_sketches = _flow(protocols.evaluate_sketches)
train_detector = _flow(train.train_detector)
