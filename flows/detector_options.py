"""The detectors of a comparison as a person types them: NAME=MODEL[:FILE][,setting=value ...], and NAME=FILE."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from flows.settings import settings_from_fields, yaml_value
from schemas.detect import FAMILIES, Detect
from schemas.errors import BadInput
from schemas.phrases import quoted

_NAME = re.compile(r"[\w.@+ -]{1,60}")
_FIXED = {"model", "label", "weights", "stage"}
"""Settings that follow from the name, the model and the file."""


class DetectorRequest(NamedTuple):
    """One detector of a comparison: its name in the tables, its settings, and the files that its bindings stand for."""

    name: str
    settings: Detect
    bindings: dict[str, str]


class ResultsRequest(NamedTuple):
    """One results file of a comparison: its name in the tables, and its path or URL."""

    name: str
    url: str


def parse_requests(
    detectors: Sequence[str], results: Sequence[str], *, with_release: bool
) -> tuple[list[DetectorRequest], list[ResultsRequest]]:
    """`--detector` and `--results`, read. Raises BadInput for bad values, a name given twice, nothing to compare."""
    if not (detectors or results or with_release):
        raise BadInput(
            "expected at least one detector to compare, got none: give --detector, --results or --release-detections"
        )
    requests = [_parse_detector(text, place) for place, text in enumerate(detectors, 1)]
    files = [ResultsRequest(*split_name("--results", text)) for text in results]
    names = [request.name for request in requests] + [file.name for file in files]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"expected each name once, got {quoted(name)} {names.count(name)} times")
    return requests, files


def _parse_detector(text: str, place: int) -> DetectorRequest:
    """One `--detector`. A setting's value is YAML; what is a binding in a recipe (weights, images) is a file here."""
    name, value = split_name("--detector", text)
    head, *pairs = value.split(",")
    model, _, file = head.partition(":")
    if model not in FAMILIES:
        raise BadInput(f"--detector {name}: expected one of {', '.join(FAMILIES)}, got {quoted(model)}")
    # for progress and bindings: in the letters that labels may have, with its place, so that no two are alike
    label = re.sub(r"[^a-z0-9]+", "-", f"detector-{place}-{name.lower()}")[:40].strip("-")
    settings: dict[str, Any] = {"model": model, "label": label}
    bindings: dict[str, str] = {}
    if file:
        settings["weights"] = f"{label}-weights"
        bindings[settings["weights"]] = file
    elif FAMILIES[model] != "hog":
        raise BadInput(f"--detector {name}: expected a file, as {name}={model}:FILE, got none")
    for pair in pairs:
        field, separator, value = pair.partition("=")
        if not separator or field in _FIXED:
            raise BadInput(f"--detector {name}: expected setting=value after a comma, got {quoted(pair)}")
        settings[field] = yaml_value(value, f"--detector {name}")
        if field == "images":
            settings[field], bindings[f"{label}-images"] = f"{label}-images", str(settings[field])
    return DetectorRequest(name, settings_from_fields(Detect, settings, f"--detector {name}"), bindings)


def split_name(option: str, text: str) -> tuple[str, str]:
    """The name and the rest of NAME=REST. Raises BadInput."""
    name, separator, value = text.partition("=")
    if not separator or not _NAME.fullmatch(name) or not value:
        raise BadInput(f"{option}: expected NAME=..., got {quoted(text)}")
    return name, value
