"""What a person starts to measure by the papers' protocols: one function each, `evaluate_<protocol>`, which says what
the command, Prefect's form and Python ask for.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from flows.evaluate import detector, protocols
from schemas.errors import BadInput

if TYPE_CHECKING:
    from tasks.evaluate.evaluation import Evaluation

PROTOCOLS: Mapping[str, Callable[..., "Evaluation"]] = {
    name.removeprefix("evaluate_"): function
    for module in (detector, protocols)
    for name, function in vars(module).items()
    if name.startswith("evaluate_")
}
"""What measures by each protocol."""


def function_of(protocol: str) -> Callable[..., "Evaluation"]:
    """What measures by a protocol. Raises BadInput for a word that is none."""
    if protocol not in PROTOCOLS:
        raise BadInput(f"expected one of the protocols {', '.join(PROTOCOLS)}, got '{protocol}'")
    return PROTOCOLS[protocol]


def evaluate_by(protocol: str, given: Mapping[str, Any]) -> "Evaluation":
    """Measure here. given: parameters of the protocol's function, by name. Raises BadInput.

    What detectors compute is kept, as a flow's parts; all else is computed without a server.
    """
    from flows.parameters import checked_parameters

    parameters = checked_parameters(function_of(protocol), given)
    if not parameters.get("detectors"):
        return function_of(protocol)(**parameters)
    from flows.evaluate.detector import check_options
    from flows.prefect_flows import evaluate_detector
    from flows.runner import cluster_address, shared_server

    check_options(parameters["protocol"], parameters)  # before a server is started
    with shared_server(cluster_address()):
        evaluation: Evaluation = evaluate_detector(**parameters)
        return evaluation
