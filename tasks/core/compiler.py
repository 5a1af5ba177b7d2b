"""The compiler with the two hundred modules of numba, numpy and scipy that it imports when it is first called.

Not part of tasks.core.jit: when something is imported changes no answer, and is no part of any digest of code.
"""

import numba.core.boxing  # what compiling imports, where no compiled code is kept yet
import numba.core.runtime.context  # noqa: F401
from numba.core.registry import cpu_target

cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
