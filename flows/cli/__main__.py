"""`python -m flows.cli`: the same as `bilderatlas`."""

import sys

from flows.cli import main

if __name__ == "__main__":
    sys.exit(main())
