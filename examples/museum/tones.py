"""How the tones of a copy depart from its original's: another scan, another print, another lamp."""

from typing import NamedTuple

import cv2
import numpy as np

from examples.museum.colours import Image

_YIQ_FROM_RGB = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])
_RGB_FROM_YIQ = np.linalg.inv(_YIQ_FROM_RGB)


class Tones(NamedTuple):
    """gamma above 1 darkens. contrast: about middle grey. saturation: 0 is grey. warmth: red gains that share, blue
    loses it.
    """

    gamma: float
    hue_degrees: float
    saturation: float
    contrast: float
    warmth: float


class Lamp(NamedTuple):
    """An uneven light: brighter by `slope` (a share) on the side that `radians` points to, by `dimming` darker in the
    corners.
    """

    slope: float
    radians: float
    dimming: float


def tones(rng: np.random.Generator, strength: float = 1.0) -> Tones:
    """At strength 1, gamma 0.7 to 1.4, hue up to 15 degrees either way, and some of everything else."""
    return Tones(
        gamma=float(np.exp(strength * rng.uniform(np.log(0.7), np.log(1.4)))),
        hue_degrees=float(strength * rng.uniform(-15.0, 15.0)),
        saturation=float(np.exp(strength * rng.uniform(-0.5, 0.35))),
        contrast=float(np.exp(strength * rng.uniform(-0.25, 0.18))),
        warmth=float(strength * rng.uniform(-0.1, 0.1)),
    )


def lamp(rng: np.random.Generator) -> Lamp:
    """A light that is up to 30 % stronger on one side than on the other."""
    return Lamp(float(rng.uniform(0.03, 0.15)), float(rng.uniform(0.0, 2 * np.pi)), float(rng.uniform(0.0, 0.12)))


def toned(picture: Image, how: Tones) -> Image:
    """The RGB picture in those tones."""
    turn = np.deg2rad(how.hue_degrees)
    chroma = how.saturation * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    change = np.eye(3)
    change[1:, 1:] = chroma
    turned = cv2.transform(picture, (_RGB_FROM_YIQ @ change @ _YIQ_FROM_RGB).astype(np.float32))
    levels = (np.linspace(0.0, 1.0, 256) ** how.gamma - 0.5) * how.contrast + 0.5
    gains = np.array([1.0 + how.warmth, 1.0, 1.0 - how.warmth])
    table = np.rint(255.0 * np.clip(levels[:, None] * gains, 0.0, 1.0)).astype(np.uint8)
    return np.asarray(cv2.LUT(turned, table[None]), dtype=np.uint8)


def under_lamp(picture: Image, how: Lamp) -> Image:
    """The RGB picture in that light."""
    height, width = picture.shape[:2]
    across, down = np.linspace(-1.0, 1.0, width)[None, :], np.linspace(-1.0, 1.0, height)[:, None]
    towards = 0.5 * (across * np.cos(how.radians) + down * np.sin(how.radians))
    gain = 1.0 + how.slope * towards - how.dimming * 0.5 * (across**2 + down**2)
    return np.asarray(np.clip(picture * gain[:, :, None], 0, 255), dtype=np.uint8)
