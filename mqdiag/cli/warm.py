"""`mqdiag warm`: compiles the kernels ahead of the first dump."""

from __future__ import annotations

import time

import click

from mqdiag.cli.common import commands
from mqdiag.cli.common.language import in_reader_language
from mqdiag.cli.common.options import DEBUG_OPTION, MESSAGE_LANG_OPTION
from mqdiag.errors import MqdiagError
from mqdiag.progress import Silent
from mqdiag.text import say


@commands.command("warm", short_help="Compile the kernels now, not at the first dump.")
@MESSAGE_LANG_OPTION
@DEBUG_OPTION
def command(debug: bool) -> int:
    """Compile the kernels and keep them, so that the first dump is as fast as the later ones.

    The first command that reads a dump does the same. Run it when you build an image or set up a machine.
    """
    from mqdiag.kernel import folder
    from mqdiag.kernel.ahead import compile_ahead

    started = time.monotonic()
    compile_ahead(Silent(), *folder.TASKS)
    if not folder.is_ready(folder.TASKS):
        raise MqdiagError(
            say("the compiled kernels could not be kept; MQDIAG_KERNELS names another folder for them")
        )
    ready = say("kernels are ready ({duration_s:seconds})", duration_s=round(time.monotonic() - started, 1))
    click.echo(in_reader_language(ready))
    return 0
