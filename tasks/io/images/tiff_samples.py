"""What the numbers in a TIFF mean, where Pillow's mode does not say."""

from typing import NamedTuple

from PIL import Image, TiffImagePlugin

from tasks.io.images.undecoded import tiff_pixels

_BITS, _PHOTOMETRIC, _FORMAT = 258, 262, 339
_WHITE_IS_ZERO = 0
_LAB = {8, 9}  # their a and b are signed by definition
_SIGNED, _FLOATING = 2, 3
_MOST_BITS = 16


class GreySamples(NamedTuple):
    """How to read grey of more than 8 bits."""

    bits: int = 16
    is_white_zero: bool = False


def why_unsupported(image: Image.Image) -> str | None:
    """What is wrong with a TIFF's samples, if they have no agreed range: signed ones, and whole ones beyond 16 bits.

    None for floating-point samples, of which the mode says so.
    """
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        return None
    bits, formats = image.tag_v2.get(_BITS, (1,)), image.tag_v2.get(_FORMAT, (1,))
    photometric = image.tag_v2.get(_PHOTOMETRIC, -1)
    is_signed = _SIGNED in formats and photometric not in _LAB
    is_beyond = max(bits) > _MOST_BITS and _FLOATING not in formats
    return tiff_pixels(bits, formats, photometric) if is_signed or is_beyond else None


def grey_samples(image: Image.Image) -> GreySamples:
    """Of a TIFF by its tags: Pillow gives its numbers as they are stored. Of any other format 16 bits, black is 0."""
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        return GreySamples()
    return GreySamples(image.tag_v2.get(_BITS, (16,))[0], image.tag_v2.get(_PHOTOMETRIC) == _WHITE_IS_ZERO)
