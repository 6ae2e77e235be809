"""`mqdiag cache`: what earlier runs have kept of heap dumps."""

from __future__ import annotations

import time

import click

from mqdiag.cli.common import commands
from mqdiag.cli.common.language import in_reader_language
from mqdiag.cli.common.options import DEBUG_OPTION, MESSAGE_LANG_OPTION
from mqdiag.cli.common.output import Target
from mqdiag.text import Text, say


@commands.command("cache", short_help="Show or remove what earlier runs kept of heap dumps.")
@commands.argument("action", required=False, type=click.Choice(("show", "clear")), default="show")
@MESSAGE_LANG_OPTION
@DEBUG_OPTION
def command(action: str, debug: bool) -> int:
    """Show what earlier runs kept of heap dumps, so that a second question to the same dump costs little.

    ACTION is show, which is the default, or clear, which removes everything.
    """
    from mqdiag.cache.folder import open_cache

    folder, why_not = open_cache()
    lines: list[Text]
    if folder is None:
        lines = [say("nothing is kept: {reason}", reason=why_not)]
    else:
        kept = folder.dumps()
        size = sum(one.size_bytes for one in kept)
        if action == "clear":
            folder.clear()
            what = say(
                "removed {size:bytes} of {dumps:count} {dumps:dump|dumps} from {path}",
                size=size,
                dumps=len(kept),
                path=folder.path,
            )
        else:
            what = say(
                "{dumps:count} {dumps:dump|dumps} in {path}: {size:bytes} of at most {limit:bytes}",
                size=size,
                dumps=len(kept),
                path=folder.path,
                limit=folder.limit_bytes,
            )
        lines = [what]
        if action == "show":
            lines += [
                say(
                    "{key}: {size:bytes}, last used {age_s:seconds} ago",
                    key=one.key,
                    size=one.size_bytes,
                    age_s=max(round(time.time() - one.used_at_s), 0),
                )
                for one in reversed(kept)
            ]
    Target("-").write("".join(f"{in_reader_language(line)}\n" for line in lines))
    return 0
