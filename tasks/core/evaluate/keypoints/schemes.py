"""Which joints are compared, and by which sigmas: a scheme by its name, of a file, or the truth's own."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_figures import KeypointSettings
from schemas.keypoints import KeypointScheme, bare_name, shipped_schemes
from schemas.phrases import counted, listed, quoted
from tasks.core.columns import whole

_MOST_NAMES, _MOST_SHOWN = 20, 3
_HOW = "--set keypoints=NAME, or a YAML file with their joints"


class ComparedJoints(NamedTuple):
    """The scheme whose joints are compared. first: how many of them, the first ones. sigmas: (first,) of these."""

    scheme: KeypointScheme
    first: int
    sigmas: NDArray[np.float64]

    @property
    def lengths(self) -> tuple[int, ...]:
        """How many joints figures and poses may have: as many as the scheme, or as are compared."""
        return tuple({len(self.scheme.joints), self.first})


def compared_joints(
    name: str,
    own: Mapping[str, KeypointScheme | None],
    figures: pa.Table,
    settings: KeypointSettings,
    of_file: KeypointScheme | None = None,
) -> tuple[ComparedJoints, list[str]]:
    """What is compared, and notes where the truth calls its joints otherwise than the scheme that was asked for.

    name: of the truth. own: the scheme of each category that is compared, None where the truth names no joints.
    figures: ANNOTATED_FIGURES. of_file: the scheme of the file that the settings name. Raises BadInput where there is
    no such scheme, categories have several, sigmas are missing or of another number, or figures have other joints.
    """
    scheme, notes = _scheme(name, own, figures, settings, of_file)
    first = len(scheme.joints) if settings.first is None else settings.first
    if first > len(scheme.joints):
        raise BadInput(f"first: expected at most the {len(scheme.joints)} joints of {scheme.name}, got {first}")
    lengths = _lengths(figures)
    if not lengths:
        got = counted(figures.num_rows, "figure")
        raise BadInput(f"{name}: expected figures with keypoints of {scheme.name}, got none in {got}")
    if others := {length: times for length, times in lengths.items() if length not in {first, len(scheme.joints)}}:
        shortest = min(others)
        prefix = f"; --set first={shortest} scores the first {shortest}" if shortest < len(scheme.joints) else ""
        of = [category for category, one in own.items() if one is scheme]
        who = f"the category {quoted(of[0])} names" if of else f"{scheme.name} has"
        named = f"the {len(scheme.joints)} joints that {who}"
        raise BadInput(f"{name}: expected figures with keypoints of {named}, got figures with {_told(others)}{prefix}")
    return ComparedJoints(scheme, first, _sigmas(scheme, first, settings)), notes


def _scheme(
    name: str,
    own: Mapping[str, KeypointScheme | None],
    figures: pa.Table,
    settings: KeypointSettings,
    of_file: KeypointScheme | None,
) -> tuple[KeypointScheme, list[str]]:
    of_truth = {one.name: one for one in own.values() if one is not None}
    if settings.keypoints is not None:
        named = of_file or {**of_truth, **shipped_schemes()}.get(settings.keypoints)
        if named is None:
            known = listed([*dict.fromkeys([*shipped_schemes(), *of_truth])], _MOST_NAMES)
            raise BadInput(f"keypoints: expected one of {known}, or a YAML file, got {quoted(settings.keypoints)}")
        notes = []
        for category, one in own.items():
            pairs = zip(one.joints, named.joints, strict=False) if one is not None else ()
            if unlike := [f"{ours} for {theirs}" for ours, theirs in pairs if bare_name(ours) != bare_name(theirs)]:
                otherwise = f"{category} calls its joints otherwise than {named.name} ({listed(unlike, _MOST_SHOWN)})"
                notes.append(f"{otherwise}: they are taken in the order of {named.name}")
        return named, notes
    if nameless := [category for category, one in own.items() if one is None]:
        has = f", whose figures have keypoints of {_told(_lengths(figures))}" if _lengths(figures) else ""
        got = f"{quoted(nameless[0])} without{has}"
        raise BadInput(f"{name}: expected a category that names its joints, got {got}; say which they are with {_HOW}")
    if len({one.joints for one in of_truth.values()}) > 1:
        got = listed([*own], _MOST_NAMES)
        raise BadInput(f"{name}: expected categories with the same joints, got {got}; compare them one by one")
    return next(iter(of_truth.values())), []


def _sigmas(scheme: KeypointScheme, first: int, settings: KeypointSettings) -> NDArray[np.float64]:
    """(first,) the settings' sigmas, or else the scheme's."""
    sigmas = settings.sigmas if settings.sigmas is not None else scheme.sigmas
    if sigmas is None:
        how = "nobody has measured those of this scheme: say by which you score, such as --set sigmas=0.05"
        expected = f"one for each of the {first} joints of {scheme.name}, or one for all"
        raise BadInput(f"sigmas: expected {expected}, got none; {how}")
    if isinstance(sigmas, float):
        return np.full(first, sigmas)
    if len(sigmas) not in {len(scheme.joints), first}:
        raise BadInput(f"sigmas: expected {first}, one for each joint of {scheme.name}, got {len(sigmas)}")
    return np.array(sigmas[:first], np.float64)


def _lengths(figures: pa.Table) -> dict[int, int]:
    """How many figures have keypoints of how many joints, the fewest joints first."""
    lengths = pc.list_value_length(whole(figures["keypoints_xyv"])).drop_null().to_numpy(zero_copy_only=False) // 3
    joints, times = np.unique(lengths[lengths > 0], return_counts=True)
    return {int(number): int(count) for number, count in zip(joints, times, strict=True)}


def _told(lengths: Mapping[int, int]) -> str:
    return " and ".join(f"{joints} ({counted(times, 'figure')})" for joints, times in lengths.items())
