"""`mqdiag fleet` under spark-submit: the same arguments, in the same order."""

import sys

from mqdiag.cli import run

if __name__ == "__main__":
    sys.exit(run(["fleet", *sys.argv[1:]]))
