"""The option `--utc-offset`: the zone of logs that do not tell theirs."""

from __future__ import annotations

import re

from mqdiag.cli.common import commands
from mqdiag.errors import UsageError
from mqdiag.text import say

_OFFSET = re.compile(r"([+-])(\d{1,2}):?(\d\d)?|Z|UTC")

utc_offset_option = commands.option(
    "--utc-offset",
    metavar="+HH:MM",
    help="Zone of logs that do not state theirs: 4.x clients and most applications print local time.",
)


def offset_minutes(text: str | None) -> int | None:
    """Minutes of "+08:00"; None where the option was not given.

    Raises:
        UsageError: it is no such text.
    """
    if text is None:
        return None
    found = _OFFSET.fullmatch(text.strip())
    if found is None:
        raise UsageError(say("--utc-offset {text} is not +HH:MM, such as +08:00", text=repr(text)))
    if found[1] is None:
        return 0
    minutes = int(found[2]) * 60 + int(found[3] or 0)
    if minutes > 14 * 60 or int(found[3] or 0) > 59:
        raise UsageError(say("--utc-offset {text}: no zone is further from UTC than 14 hours", text=repr(text)))
    return -minutes if found[1] == "-" else minutes
