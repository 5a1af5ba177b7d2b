"""Flows that Prefect runs beside `build_dataset`: each is what the function says that it is made of."""

from collections.abc import Callable
from typing import Any

from prefect import Flow, flow

from flows import train
from flows.evaluate import PROTOCOLS, detector
from flows.runner import cluster_address, runner


def _flow(function: Callable[..., Any], **more: Any) -> Flow[..., Any]:
    made: Flow[..., Any] = flow(name=function.__name__, persist_result=False, **more)(function)
    return made


evaluate_detector = _flow(detector.evaluate_detector, task_runner=runner(cluster_address()))
train_detector = _flow(train.train_detector)
# the protocols that read tables: evaluate_keypoints and so on, as deployments name them
globals().update({f"evaluate_{word}": _flow(function) for word, function in PROTOCOLS.items() if word != "detector"})
