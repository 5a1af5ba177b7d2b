"""Once the compiler is imported whole, functions that it makes import nothing more."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CALL = """
import sys
import numpy as np
import tasks.core.compiler
from tasks.core.dedup import local_kernels, registration

before = set(sys.modules)
assert registration.resample(np.ones((20, 20), np.float32), 10, 10).shape == (10, 10)
assert local_kernels.matches_on_one_place(np.zeros((3, 4), np.uint8), np.zeros((3, 4), np.uint8)).shape == (3,)
sys.exit("\\n".join(sorted(set(sys.modules) - before)) or 0)
"""


def test_the_first_call_of_a_compiled_function_imports_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", CALL], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
