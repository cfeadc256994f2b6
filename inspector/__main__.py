"""``python -m inspector`` is the command ``context-inspector``."""

import sys

from inspector.main import main

if __name__ == "__main__":
    sys.exit(main())
