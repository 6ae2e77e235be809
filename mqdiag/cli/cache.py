"""`mqdiag cache`: what earlier runs have kept of heap dumps."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from mqdiag.cli.common import commands
from mqdiag.cli.common.cache_options import CACHE_SIZE, cache_bytes
from mqdiag.cli.common.language import in_reader_language
from mqdiag.cli.common.options import DEBUG_OPTION, MESSAGE_LANG_OPTION
from mqdiag.cli.common.output import Target
from mqdiag.render.wording.safe import safe
from mqdiag.text import Text, say

if TYPE_CHECKING:
    from mqdiag.cache.folder import KeptDump, OriginState


_STATES: dict[OriginState, Text | str] = {
    "there": "",
    "changed": say(", of a file that has changed since"),
    "gone": say(", of a file that is gone"),
}


@commands.command("cache", short_help="Show or remove what earlier runs kept of heap dumps.")
@commands.argument("action", required=False, type=click.Choice(("show", "clear")), default="show")
@CACHE_SIZE
@MESSAGE_LANG_OPTION
@DEBUG_OPTION
def command(action: str, cache_size: str | None, debug: bool) -> int:
    """Show what earlier runs kept of heap dumps, so that a second question to the same dump costs little.

    ACTION is show, which is the default, or clear, which removes everything.
    """
    from mqdiag.cache.folder import open_cache

    folder, why_not = open_cache(cache_bytes(no_cache=False, size=cache_size))
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
            lines += map(_line, reversed(kept))
    Target("-").write("".join(f"{safe(in_reader_language(line), limit=None)}\n" for line in lines))
    return 0


def _line(kept: KeptDump) -> Text:
    """What is kept of a dump: its file, whether that is still the same, how large it is, when it was used."""
    return say(
        "{name}: {size:bytes}{state}, last used {age_s:seconds} ago",
        name=kept.key if kept.origin is None else kept.origin.path,
        size=kept.size_bytes,
        state="" if kept.origin is None else _STATES[kept.origin.state],
        age_s=max(round(time.time() - kept.used_at_s), 0),
    )
