"""`mqdiag warm`: compiles the kernels ahead of the first dump."""

from __future__ import annotations

import time

import click

from mqdiag.cli.common import commands

EXAMPLES = """\b
Examples:
  mqdiag warm
  MQDIAG_KERNELS=/var/cache/mqdiag mqdiag warm
      into a folder of your choice, such as the volume of a container
"""


@commands.command("warm", short_help="Compile the kernels now, not at the first dump.", epilog=EXAMPLES)
@commands.option("--debug", is_flag=True, help="Show the traceback of an internal fault.")
def command(debug: bool) -> int:
    """Compile the kernels and keep them, so that the first dump is as fast as the later ones.

    The first command that reads a dump does the same. Run it when you build an image or set up a machine.
    """
    from mqdiag.errors import MqdiagError
    from mqdiag.graph import warm
    from mqdiag.kernel import folder
    from mqdiag.redact.warm import warm_redaction
    from mqdiag.text import say

    started = time.monotonic()
    warm_redaction()
    warm()
    if not folder.is_ready():
        raise MqdiagError(
            say("the compiled kernels could not be kept; MQDIAG_KERNELS names another folder for them")
        )
    click.echo(f"kernels are ready ({time.monotonic() - started:.1f} s)")
    return 0
