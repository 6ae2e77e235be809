"""`python -m mqdiag`, and where the `mqdiag` command begins: light, so that Ctrl-C is heeded from the first moment."""

from __future__ import annotations

import gc
import signal


def start() -> None:
    """Run the command line.

    Until a command runs that can say that it was interrupted, Ctrl-C ends the process as it ends any other: Python's
    own handler would print a traceback out of an import.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Imports and readers make many objects and hardly any cycles: the usual 700 objects between two searches for
    # cycles cost a twentieth of a short run, half of it in the imports.
    gc.set_threshold(200_000)
    from mqdiag.cli import main

    main()


if __name__ == "__main__":
    start()
