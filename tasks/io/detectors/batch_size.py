"""How many pictures form a batch: measured while the model runs, and never again a size that memory was short for."""

import threading

MAX_PICTURES = 64
_GAIN = 1.05
"""A doubling must make a picture so much cheaper: otherwise it only takes memory and leaves more of the last batch
empty."""


class BatchSize:
    """Pictures of a batch on one canvas: doubled from `first` while that is faster, halved when memory is short.

    The first batch of each size is not timed: libraries choose their kernels in it. Several threads may share one.
    """

    def __init__(self, first: int, most: int = MAX_PICTURES) -> None:
        """If `first` = `most`, the size is fixed."""
        self._most, self.pictures = most, min(first, most)
        self._best = self.pictures
        self._is_warm, self._best_s = False, float("inf")
        self._is_settled = self.pictures == most
        self._lock = threading.Lock()

    def record_time(self, pictures: int, seconds: float) -> None:
        """A batch of so many pictures took so long. Batches that are not full are ignored."""
        with self._lock:
            if self._is_settled or pictures != self.pictures:
                return
            if not self._is_warm:
                self._is_warm = True
                return
            each_s = seconds / pictures
            if each_s * _GAIN > self._best_s:  # the doubling did not pay
                self.pictures = self._best
                self._is_settled = True
                return
            self._best, self._best_s, self._is_warm = pictures, each_s, False
            self.pictures = min(self._most, 2 * self.pictures)
            self._is_settled = self.pictures == pictures

    def halve(self, pictures: int) -> None:
        """A batch of so many pictures did not fit: from now on at most half of it."""
        with self._lock:
            self.pictures = max(1, min(self.pictures, pictures // 2))
            self._is_settled = True


def padded_size(pictures: int, most: int) -> int:
    """Size to which a batch of so many pictures is padded: a power of two or `most`, so that there are few shapes.

    >>> [padded_size(pictures, 12) for pictures in (1, 3, 8, 9, 12)]
    [1, 4, 8, 12, 12]
    """
    return min(1 << (pictures - 1).bit_length(), most) if pictures <= most else pictures
