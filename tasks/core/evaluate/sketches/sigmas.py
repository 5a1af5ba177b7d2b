"""Sigmas of joints: how far people's points lie from each other, by which OKS judges distances."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_images import Sigmas
from schemas.keypoints import shipped_schemes
from schemas.phrases import quoted

_ANIMAL = (0.025, 0.025, 0.026, 0.035, 0.035, *[0.1] * 3, *[0.107] * 4, *[0.087] * 4, *[0.089] * 4)
"""Those of MMPose's configs/_base_/datasets/animalpose.py, marked there as made from COCO's: nobody measured them."""


def sigma_sets() -> Mapping[str, tuple[float, ...]]:
    """Sets of sigmas by name: those of keypoint schemes that have some, and the guess for animals.

    >>> sorted(sigma_sets())
    ['animal-20-guessed', 'coco-17']
    """
    measured = {name: scheme.sigmas for name, scheme in shipped_schemes().items() if scheme.sigmas is not None}
    return {**measured, "animal-20-guessed": _ANIMAL}


def subset_sigmas(subset: str, setting: Sigmas, joints: int) -> NDArray[np.float64]:
    """(joints,) sigmas of a subset: a set by its name, one for all joints, or a list.

    Raises BadInput for a name that no set has, and where there are as many as the figures have no joints.

    >>> subset_sigmas("face", 0.025, 2).tolist()
    [0.025, 0.025]
    """
    if isinstance(setting, str):
        sets = sigma_sets()
        if setting not in sets:
            raise BadInput(f"sigmas of {quoted(subset)}: expected one of {', '.join(sets)}, got {quoted(setting)}")
        setting = sets[setting]
    values = np.full(joints, setting) if isinstance(setting, float) else np.array(setting, np.float64)
    if len(values) != joints:
        raise BadInput(
            f"sigmas of {quoted(subset)}: expected {joints}, one for each joint of its poses, got {len(values)}"
        )
    return values
