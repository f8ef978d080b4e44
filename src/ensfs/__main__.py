"""``python -m ensfs`` is the command ``ensfs``."""

import sys

from ensfs.reporting.cli import main

if __name__ == "__main__":
    sys.exit(main())
