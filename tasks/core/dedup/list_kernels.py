"""The arithmetic of `local_lists`, compiled and free of Python's lock."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.dedup.bits import count_bits, permute_bits
from tasks.core.dedup.local_kernels import Places, is_near_angle, matches_on_one_place
from tasks.core.jit import compiled


@compiled
def put_in_order(codes: NDArray[np.uint64], table: NDArray[np.uint64], row_bits: int) -> NDArray[np.uint64]:
    """(M,) the codes with their bits in another order, and in place of the last row_bits of them each one's row, so
    that a row can be told when they are sorted. table: (8, 256), as in `bits.permutation`.
    """
    found = np.empty(len(codes), np.uint64)
    for row in range(len(codes)):
        found[row] = permute_bits(codes[row], table) >> np.uint64(row_bits) << np.uint64(row_bits) | np.uint64(row)
    return found


@compiled
def near_neighbours(
    order: NDArray[np.uint64],
    codes: NDArray[np.uint64],
    angles: NDArray[np.uint8],
    pictures: NDArray[np.uint32],
    numbers: NDArray[np.uint8],
    reach: int,
    most: int,
    radius_bits: int,
) -> NDArray[np.uint64]:
    """(P,) pairs of near, upright keypoints of two pictures: of each code in an order and the `most` nearest of the
    `reach` behind it, of equal ones the first. Packed as in `local_lists.near_in_list`.
    """
    found, count = np.empty(1024, np.uint64), 0
    near = np.empty(reach, np.int64)
    for place in range(len(order)):
        row, seen = order[place], 0
        for behind in range(place + 1, min(place + 1 + reach, len(order))):
            other = order[behind]
            bits = count_bits(codes[row] ^ codes[other])
            if bits > np.uint64(radius_bits) or pictures[row] == pictures[other]:
                continue
            if is_near_angle(angles[row], angles[other]):
                near[seen] = np.int64(bits) << 32 | (behind - place)
                seen += 1
        if seen > most:
            near[:seen].sort()
            seen = most
        if count + seen > len(found):
            found = np.append(found, np.empty(count + seen, np.uint64))
        for nearest in near[:seen]:
            other = order[place + (nearest & 0xFFFFFFFF)]
            one, two = (row, other) if pictures[row] < pictures[other] else (other, row)
            found[count] = (
                (np.uint64(pictures[one]) << np.uint64(40))
                | (np.uint64(pictures[two]) << np.uint64(16))
                | (np.uint64(numbers[one]) << np.uint64(8))
                | np.uint64(numbers[two])
            )
            count += 1
    return found[:count].copy()


@compiled
def count_shared(
    codes: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    places: tuple[Places, Places],
    starts: tuple[NDArray[np.int64], NDArray[np.int64]],
    pairs: NDArray[np.int64],
    most: int,
    radius_bits: int,
) -> NDArray[np.int64]:
    """(P,) how many places the two pictures of each pair (P, 2) share, counted from either side, of the `most` nearest
    pairs of their codes. codes, places, starts: of the pictures on the left and on the right, as in KeypointTable.
    """
    found = np.zeros(len(pairs), np.int64)
    for row in range(len(pairs)):
        one = slice(starts[0][pairs[row, 0]], starts[0][pairs[row, 0] + 1])
        other = slice(starts[1][pairs[row, 1]], starts[1][pairs[row, 1] + 1])
        near = _near_codes(codes[0][one], codes[1][other], radius_bits)
        mine, others = places[0][one], places[1][other]
        # both ways, so that it does not matter which picture is on the left
        turned = (near & ~65535) | ((near & 255) << 8) | ((near >> 8) & 255)
        found[row] = max(_shared(near, mine, others, most), _shared(turned, others, mine, most))
    return found


@compiled
def _shared(near: NDArray[np.int64], mine: Places, others: Places, most: int) -> int:
    near.sort()
    nearest = near[:most]
    return int(matches_on_one_place(mine[(nearest >> 8) & 255], others[nearest & 255]).sum())


@compiled
def _near_codes(codes: NDArray[np.uint64], others: NDArray[np.uint64], radius_bits: int) -> NDArray[np.int64]:
    """(M,) near codes: bits << 16 | place of the one << 8 | place of the other."""
    found, count = np.empty(64, np.int64), 0
    bits = np.empty(len(others), np.uint8)
    for one in range(len(codes)):
        least = np.uint8(255)
        for other in range(len(others)):  # without a branch: several at a time
            bits[other] = count_bits(codes[one] ^ others[other])
            least = min(least, bits[other])
        if least > radius_bits:
            continue
        for other in range(len(others)):
            if bits[other] <= radius_bits:
                if count == len(found):
                    found = np.append(found, np.empty(count, np.int64))
                found[count] = np.int64(bits[other]) << 16 | one << 8 | other
                count += 1
    return found[:count]
