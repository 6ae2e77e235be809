"""`mqdiag completion`: what a shell needs to complete command lines of mqdiag."""

from __future__ import annotations

import click

from mqdiag.cli.common import commands
from mqdiag.cli.common.output import Target


@commands.command("completion", short_help="Print the completion script of a shell.")
@commands.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@commands.option("--debug", is_flag=True, help="Show the traceback of an internal fault.")
def command(shell: str, debug: bool) -> int:
    """Print the script that makes SHELL complete commands, options, file names and names of rules.

    To try it in the shell at hand: source <(mqdiag completion bash)
    """
    from click.shell_completion import get_completion_class

    from mqdiag.cli import mqdiag

    completion = get_completion_class(shell)
    if completion is None:
        raise LookupError(f"click completes no {shell}")
    Target("-").write(completion(mqdiag, {}, "mqdiag", "_MQDIAG_COMPLETE").source() + "\n")
    return 0
