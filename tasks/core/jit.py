"""Functions as machine code. Imported only where there is much to compute: the compiler takes half a second to load."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """The function as machine code, free of Python's lock: made when it is first called, and kept beside its source.

    Where neither that place nor a folder of the user's (NUMBA_CACHE_DIR) can be written, each process makes it anew.
    """
    try:
        return cast(_Function, numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # "no locator available for file ..."
        return cast(_Function, numba.njit(nogil=True)(function))
